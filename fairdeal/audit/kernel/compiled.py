"""How this package compiles: numba without the interpreter lock, kept on disk, one typed decorator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy.typing as npt

Function = TypeVar("Function", bound=Callable[..., Any])
Array = npt.NDArray[Any]


def compiled(function: Function) -> Function:
    """Compile on first call; later processes load the result from the cache.

    Threads run it side by side, which is what the audit does: ``prange`` compiles slower and runs slower.
    """
    import numba  # noqa: PLC0415 - the hashlib backend takes only the array type from this module

    try:
        return cast("Function", numba.njit(nogil=True, cache=True)(function))
    except RuntimeError:  # nowhere to write a cache to: an installation and a home that are both read-only
        return cast("Function", numba.njit(nogil=True)(function))


def inlined(function: Function) -> Function:
    """Compile into every caller, so that LLVM sees the whole loop and vectorises it."""
    import numba  # noqa: PLC0415 - see compiled()

    return cast("Function", numba.njit(nogil=True, forceinline=True)(function))


def emitted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function (typing context, argument types …) that gives its signature and emits LLVM code itself."""
    from numba.extending import intrinsic  # noqa: PLC0415 - see compiled()

    return cast("Callable[..., Any]", intrinsic(function))
