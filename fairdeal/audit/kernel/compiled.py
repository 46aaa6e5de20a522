"""How this package compiles: numba without the interpreter lock, kept on disk, one typed decorator."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy.typing as npt

from fairdeal.audit.compiling import listen

Function = TypeVar("Function", bound=Callable[..., Any])
Array = npt.NDArray[Any]


CONSTANTS = ("../histories/columns.py", "../../entries.py")
"""Sources elsewhere that compiled code has constants from: columns' offsets, an entry's longest times."""


@lru_cache(maxsize=1)
def _sources() -> str:
    """A print of every source file that compiled functions take constants or other functions from."""
    here = Path(__file__).parent
    digest = hashlib.sha256()
    # Installed without sources, neither is there.
    for path in sorted([*here.glob("*.py"), *filter(Path.exists, map(here.joinpath, CONSTANTS))]):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def compiled(function: Function) -> Function:
    """Compile on first call; later processes load the result from the cache.

    Threads run it side by side, which is what the audit does: ``prange`` compiles slower and runs slower.
    """
    import numba  # noqa: PLC0415 - the hashlib backend takes only the array type from this module

    # numba renews what it kept when the function's own file changes, but not when a constant that it has from
    # another file does. It keeps results by name, so let the name change with all of the files.
    function.__qualname__ += f"_{_sources()}"
    try:
        ready = numba.njit(nogil=True, cache=True)(function)
        listen(kept=True)
    except (OSError, RuntimeError):
        # No source to compare with, or nowhere to write to: both the installation and the home are read-only.
        ready = numba.njit(nogil=True)(function)
        listen(kept=False)
    return cast("Function", ready)


def inlined(function: Function) -> Function:
    """Compile into every caller, so that LLVM sees the whole loop and vectorises it."""
    import numba  # noqa: PLC0415 - see compiled()

    return cast("Function", numba.njit(nogil=True, forceinline=True)(function))


def emitted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function (typing context, argument types …) that gives its signature and emits LLVM code itself."""
    from numba.extending import intrinsic  # noqa: PLC0415 - see compiled()

    return cast("Callable[..., Any]", intrinsic(function))
