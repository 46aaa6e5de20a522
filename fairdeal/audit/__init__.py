"""Auditing many hands: whole logs and whole histories, their findings and their statistics (protocol §10.5).

The one part of this package that reads files, and that may use the extras ``fast``, ``audit`` and ``dask``.
Where things are:

- an audit from its inputs to its verdict: ``run`` (``results``, ``findings``, ``counts``, ``gathered``),
  ``outcome``; what is given to hold it against: ``kept`` by players, ``state`` of the audit before;
- a log: ``logsource``, then stretches (``logaudit``, ``logparts``, ``logchunk``: ``entrytext``, ``life``,
  ``logdeals``) and what they come to together (``logmerge``, ``repeats``, ``locate``);
- a copy of a log: ``mirror``, ``mirrorfolder``, ``mirrorcheck``;
- a history: ``intake`` and ``jsonl`` or ``parquet`` (``schema``, ``parquetout``), then stretches
  (``hands``, ``checked``) and what they come to together (``history``). A stretch is checked by
  ``documents``, the core hand by hand (``onehand``), or by ``lines``, ``batches`` and ``receipts`` in
  ``columns``: ``packing``, ``derive``, ``compare``, ``fine``, ``borrowed``; compiled code is on ``trust``
  only after its trial (``receipttrial``);
- several sources of one audit: ``across``, from what each has ``said`` (``rows``, ``logshared``,
  ``heldlog``), by way of ``prints`` or ``plainprints`` to places to compare whole (``twice``,
  ``reread``); ``once`` counts each hand once;
- sharing work out: ``engine`` on this machine, ``cluster`` on many;
- ``kernel/``: the deal of many hands at once; ``stats/``: the tests (``sums`` feeds them); ``report/``:
  the page.
"""
