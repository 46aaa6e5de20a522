"""Sharing out an audit's parts: in this process, or over worker processes; results come in order."""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Protocol, TypeVar

T = TypeVar("T")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class Engine(Protocol):
    """Something that works through tasks and answers in their order."""

    def map(self, work: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """``work`` of each task, in order. It must be a module's function; all of it must pickle."""


class Inline:
    """Everything here and now."""

    def map(self, work: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """See :class:`Engine`."""
        return map(work, tasks)


class Processes:
    """Worker processes, a few tasks ahead of the one whose result is awaited."""

    def __init__(self, workers: int, ahead: int = 2) -> None:
        """``ahead`` tasks per worker are read beforehand, so memory stays bounded."""
        self._workers = workers
        self._ahead = ahead * workers

    def map(self, work: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """See :class:`Engine`."""
        # Forking a process that runs threads (numba, progress bars) is unsafe: start from a fresh one.
        methods = multiprocessing.get_all_start_methods()
        context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
        with ProcessPoolExecutor(self._workers, mp_context=context) as pool:
            yield from in_order(lambda task: pool.submit(work, task), tasks, lambda: self._ahead)


class Threads:
    """Worker threads, for compiled work that holds no lock, and for what waits; a few tasks ahead."""

    def __init__(self, workers: int) -> None:
        """As many tasks run side by side; one more of each waits."""
        self._workers = workers

    def map(self, work: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """See :class:`Engine`; here ``work`` may be any function."""
        with ThreadPoolExecutor(self._workers) as pool:
            yield from in_order(lambda task: pool.submit(work, task), tasks, lambda: 4 * self._workers)


class Pending(Protocol[R_co]):
    """A result to come: a ``Future`` of the standard library's, or of Dask's."""

    def result(self) -> R_co:
        """Wait for it."""

    def cancel(self) -> object:
        """Let go of it."""


def in_order(submit: Callable[[T], Pending[R]], tasks: Iterable[T], ahead: Callable[[], int]) -> Iterator[R]:
    """Results in the order of their tasks; memory is bounded by ``ahead()`` tasks behind the one awaited.

    Whoever stops early cancels what is under way.
    """
    waiting: deque[Pending[R]] = deque()
    try:
        for task in tasks:
            waiting.append(submit(task))
            if len(waiting) > ahead():
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for pending in waiting:
            pending.cancel()


def processors() -> int:
    """How many processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def choose(parts: int, workers: int | None = None) -> Engine:
    """An engine for so many parts: processes from four parts on, where there is more than one processor."""
    count = processors() if workers is None else workers
    return Processes(count) if count > 1 and parts >= 4 else Inline()
