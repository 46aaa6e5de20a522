"""Who wants to know that code is being compiled for this machine, which makes its first audit wait.

This module needs no extra: whoever wants to be told says so before numba is loaded, if it ever is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class _Wish:
    """What to call, until it was called; and whether numba has been asked to say when it compiles."""

    tell: Callable[[bool], None] | None = None
    kept = True
    listening = False


@contextmanager
def on_compiling(tell: Callable[[bool], None]) -> Iterator[None]:
    """Have ``tell`` called once, if this process compiles anything meanwhile, and not where it was kept.

    It is told whether the result is kept for later runs. The call may come from any thread.
    """
    _Wish.tell = tell
    try:
        yield
    finally:
        _Wish.tell = None


def listen(*, kept: bool) -> None:
    """For whoever has loaded numba and is about to compile by it, or to load what is kept."""
    _Wish.kept = _Wish.kept and kept
    if _Wish.listening:
        return
    from numba.core import event  # noqa: PLC0415 - an extra

    class Listener(event.Listener):
        def on_start(self, _: object) -> None:
            tell, _Wish.tell = _Wish.tell, None
            if tell is not None:
                tell(_Wish.kept)

        def on_end(self, _: object) -> None:
            pass

    event.register("numba:compile", Listener())  # type: ignore[no-untyped-call]
    _Wish.listening = True
