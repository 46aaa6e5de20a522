"""Auditing many hands: whole logs and whole histories, their findings and their statistics (protocol §10.5).

The one part of this package that reads files, and that may use the extras ``fast``, ``audit`` and ``dask``.
"""
