"""Histories of hands: receipts and records from files, checked in stretches, outcomes in the file's order.

    for checked in read_hands(Path("history.jsonl.zst"), Given(keys=(key,))):
        for finding in checked.findings: ...

With the extra ``fast`` two cores check some hundred thousand records a second; without it, or for few
hands, the core verifies one line after another.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from itertools import chain, islice
from pathlib import Path

from fairdeal.audit.engine import Engine, Inline, Processes, Threads, processors
from fairdeal.audit.histories.checked import Checked, Given
from fairdeal.audit.histories.jsonl import Progress, stretches
from fairdeal.audit.histories.lines import Lines, check_fast, check_plainly, compiled_share
from fairdeal.errors import UsageError

FEW_LINES = 2_000
"""Below so many lines the core has verified them before compiled code is loaded (measured: 1–2 s)."""

_PROBED = 100


def read_hands(
    path: Path,
    given: Given | None = None,
    *,
    engine: Engine | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Iterator[Checked]:
    """Check every hand of a file: ``.parquet``, or JSON Lines plain, ``.gz`` or ``.zst``.

    ``engine`` takes the place of this machine's own ``workers`` threads or processes. Raises
    :class:`fairdeal.audit.log.source.SourceError` for a file that cannot be read (what came before the
    damage has been given by then) and :class:`UsageError` where an extra is missing.
    """
    given = given or Given()
    count = processors() if workers is None else workers
    if path.suffix.lower() == ".parquet":
        if not compiled_here():
            raise UsageError("Parquet needs the extra: pip install '.[fast]' in fairdeal's folder")
        from fairdeal.audit.histories.parquet import batches, check_rows  # noqa: PLC0415 - an extra

        own = engine or Threads(count)
        yield from own.map(check_rows, ((part, given) for part in batches(path, progress)))
        return
    parts = stretches(path, progress)
    begun = list(islice(parts, 2))
    tasks = ((part, given) for part in chain(begun, parts))
    few = len(begun) < 2 and sum(part.data.count(b"\n") for part in begun) < FEW_LINES
    if not compiled_here() or (few and engine is None):
        yield from (engine or (Inline() if few else Processes(count))).map(check_plainly, tasks)
    else:
        # Lines that the core must verify one by one keep the interpreter busy: then processes, not threads.
        own = engine or (Threads(count) if _compiles(begun[0]) else Processes(count))
        yield from own.map(check_fast, tasks)


def compiled_here() -> bool:
    """Whether the extra ``fast`` is installed."""
    return all(find_spec(name) is not None for name in ("numba", "numpy", "pyarrow"))


def _compiles(part: Lines) -> bool:
    return compiled_share(b"\n".join(part.data.split(b"\n", _PROBED)[:_PROBED])) > 0.5
