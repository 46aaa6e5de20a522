"""What a serving process asks of the kernel: no memory image of it, no life after its supervisor."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE = 1, 4


def no_core_dumps() -> None:
    """Turn core dumps of this process off, for good: seeds pass through its memory."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        # The limit binds files alone; a collector that the kernel pipes dumps to is kept off by this.
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def end_with_parent(parent: int) -> None:
    """Have this process told to stop when the one that started it is gone, however that ended.

    Raises :class:`SystemExit` where that process, of the id ``parent``, was gone before that.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
    if os.getppid() != parent:
        raise SystemExit("the process that started this one is gone")
