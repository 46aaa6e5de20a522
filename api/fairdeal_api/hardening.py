"""No memory image of a process that handles seeds: neither a core file nor one piped to a crash collector."""

from __future__ import annotations

import ctypes
import resource
import sys

_PR_SET_DUMPABLE = 4


def no_core_dumps() -> None:
    """Turn core dumps of this process off, for good."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        # The limit binds files alone; a collector that the kernel pipes dumps to is kept off by this.
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
