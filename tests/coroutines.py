"""Coroutines in tests, whatever ran before in the same process."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """What a coroutine returns, run to its end in a thread of its own; what it raises is raised here.

    The main thread may have a loop that runs already: Playwright's goes on from a process's first page to its
    end, and ``asyncio.run`` refuses a second one in the same thread.
    """
    with ThreadPoolExecutor(1, "coroutine") as thread:
        return thread.submit(asyncio.run, coroutine).result()  # noqa: TID251  the one place
