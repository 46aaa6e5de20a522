"""A copy of a log in a folder.

``copying`` makes it, carries it on and proves that the log has gone on from what was held; ``folder`` is what
is held; ``check`` works all of it out anew, offline.
"""
