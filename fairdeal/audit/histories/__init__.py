"""Files of receipts and records: read in stretches, each hand checked by itself, then taken as a whole.

``intake``, ``jsonl`` and ``parquet`` (``schema``, ``arrowtypes``, ``parquetout``) read; ``hands`` gives the
stretches, ``checked``; ``history`` puts them together. A stretch is checked by ``documents``, the core hand
by hand (``onehand``), or by ``lines``, ``batches`` and ``receipts`` in ``columns``: ``packing``, ``derive``,
``compare``, ``fine``, ``borrowed``. Compiled code is on ``trust`` only after its trial (``receipttrial``).
"""
