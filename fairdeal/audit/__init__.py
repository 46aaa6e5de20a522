"""Auditing many hands: whole logs and whole histories, their findings and their statistics (protocol §10.5).

The one part of this package that reads files, and that may use the extras ``fast``, ``audit`` and ``dask``.
Where things are:

- an audit from its inputs to its verdict: ``run`` (``results``, ``findings``, ``counts``, ``gathered``),
  ``outcome``; what is given to hold it against: ``kept`` by players, ``state`` of the audit before;
- its inputs: ``log/``, with ``mirror/`` for a copy of one, and ``histories/`` of receipts and records;
  ``sources/`` holds several of them against each other;
- sharing work out: ``engine`` on this machine, ``cluster`` on many;
- ``kernel/``: the deal of many hands at once, with ``compiling`` to tell who waits for its code;
  ``stats/``: the tests (``sums`` feeds them); ``report/``: the page.
"""
