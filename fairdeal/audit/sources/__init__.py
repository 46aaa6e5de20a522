"""Several sources of one audit, held against each other (protocol §10.5).

``across`` takes what each has ``said``, as ``rows``. What stands more than once is found by ``prints``
(``pieces``, ``repeated``; ``plainprints`` without numpy), ``reread`` and compared whole (``twice``);
``once`` counts each hand once.
"""
