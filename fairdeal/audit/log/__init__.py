"""A whole log: read, held to the protocol entry by entry, and put together as hands (protocol §10.5).

``source`` is where it is read from; ``audit`` runs it. It is cut into stretches (``parts``), each checked by
itself (``chunk``: ``entrytext``, ``life``, ``deals``), and ``merge`` puts them together (``repeats``,
``locate``). ``held`` and ``shared`` are what other sources are held against.
"""
