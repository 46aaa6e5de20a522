"""A log audited as a whole: signature, tree, every entry, every hand's life (protocol §10.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fairdeal.audit.counts import Counts, Key
from fairdeal.audit.engine import Engine, Inline, Processes, choose
from fairdeal.audit.findings import Finding, plural
from fairdeal.audit.kept import Kept, compare, marks
from fairdeal.audit.log.chunk import audit_chunk
from fairdeal.audit.log.deals import DealSums
from fairdeal.audit.log.locate import differences
from fairdeal.audit.log.merge import Emit, LogMerge, Mark, Tree
from fairdeal.audit.log.parts import CHUNK, ChunkTask
from fairdeal.audit.log.source import Entries, LogSource, SignedHead, loaded, parse_head, stretches
from fairdeal.audit.sources.plainprints import Rows
from fairdeal.audit.state import State
from fairdeal.encoding import to_b64
from fairdeal.entries import Reveal
from fairdeal.errors import EvidenceError, MalformedError
from fairdeal.evidence import first
from fairdeal.note import Verifier, open_note


def ignore(*_: object) -> None:
    """Take anything and do nothing."""


@dataclass
class LogOptions:
    """What a log is audited against, and how.

    ``now`` is the auditor's clock in milliseconds, for hands that ought to have ended; by default the log's
    own last time. ``progress`` is told entries done and entries in all; ``on_deals`` takes each part's sums.
    """

    keys: Sequence[Verifier] = ()
    kept: Sequence[Kept] = ()
    alone: bool = True
    """Whether a kept commitment must be in this log, as there is no other source that may have it."""
    older: bool = False
    """Whether it may be smaller than it was without blame: a copy on this machine, and there are others."""
    state: State | None = None
    statistics: bool = False
    now: int | None = None
    engine: Engine | None = None
    workers: int | None = None
    progress: Callable[[int, int], None] = ignore
    on_deals: Callable[[DealSums], None] = ignore
    on_shared: Callable[[Rows], None] | None = None
    """Takes what other sources may say too, where there are others."""


@dataclass
class LogOutcome:
    """What there is to say of a log besides its findings. ``key``: ``given``, ``none`` or ``refused``."""

    name: str = ""
    head: SignedHead | None = None
    key: str = "none"
    entries: int = 0
    hands: int = 0
    open: int = 0
    unsupported: int = 0
    counts: dict[Key, Counts] = field(default_factory=dict)
    earlier: int | None = None
    """Size of the earlier checkpoint that the log was compared with."""
    met: frozenset[bytes] = frozenset()
    """Kept commitments (hex) that are in the log."""
    bound: int = 0
    """Hands behind which stands something that a player kept from before them (§10.6)."""
    within: bool = False
    """Whether another source is this log too and holds all of it; then its hands are counted there."""
    tree: Tree | None = field(default=None, compare=False, repr=False)
    """The entries' tree, where it is the one that the checkpoint has signed."""
    entry_at: Callable[[int], bytes] | None = field(default=None, compare=False, repr=False)
    """Reads an entry again."""

    @property
    def complete(self) -> bool:
        """Whether the log's own evidence was all there: a key, hands, and no entry of an unknown kind."""
        return self.key == "given" and self.hands > 0 and not self.unsupported

    def as_json(self) -> dict[str, Any] | None:
        """The ``log`` member of ``audit --json``."""
        if self.head is None:
            return None
        head = self.head.head
        return {
            "origin": head.origin,
            "size": head.size,
            "root": to_b64(head.root),
            "key": self.key,
            "checkpoint": self.head.text,
            "entries": self.entries,
            "earlier": self.earlier,
            "hands": self.hands,
            "bound": self.bound,
        }


def audit_log(source: LogSource, emit: Emit, options: LogOptions) -> LogOutcome:
    """Audit a log; every finding goes to ``emit`` as soon as it is certain.

    Raises :class:`fairdeal.audit.log.source.SourceError` where the log cannot be read or reached.
    """
    outcome = LogOutcome(source.name)
    try:
        signed = parse_head(source.checkpoint())
    except MalformedError as error:
        emit(Finding("bad-checkpoint", str(error)))
        return outcome
    outcome.head = signed
    head = signed.head
    outcome.key = _signature(signed, options.keys, emit)
    known = [*_earlier(signed, options.state, outcome), *marks(options.kept, options.keys, head.origin)]
    emit = _keeping_evidence(emit, options.state, signed, older=options.older)
    inside = list(_inside(signed, known, emit))
    entry_at = Entries(source, head.size)
    origin = head.origin if options.on_shared else None
    merge = LogMerge(
        emit,
        entry_at,
        statistics=options.statistics,
        marks=inside,
        on_deals=options.on_deals,
        on_shared=options.on_shared or ignore,
        origin=origin,
    )
    seen = frozenset(item.commitment for item in options.kept)
    engine = options.engine or choose(-(-head.size // CHUNK), options.workers)
    template = ChunkTask(0, 0, seen=seen, statistics=options.statistics, origin=origin)
    work = _tasks(source, head.size, inside, engine, template)
    options.progress(0, head.size)
    for part in engine.map(audit_chunk, work):
        merge.add(part)
        outcome.entries += part.count
        options.progress(outcome.entries, head.size)
        if part.stopped:
            break
    if not merge.broken and merge.tree.root() != head.root:
        for finding in differences(source, head, merge.tree):
            emit(finding)
    if not merge.broken and merge.tree.root() == head.root:
        outcome.tree = merge.tree
    outcome.entry_at = entry_at
    totals = merge.finish(options.now)
    outcome.met = frozenset(item.commitment for item in options.kept if item.commitment in merge.seen)
    looked_for = [item for item in options.kept if options.alone or item.commitment in outcome.met]
    for finding in compare(looked_for, merge.seen, entry_at=entry_at):
        emit(finding)
    outcome.bound = len({hand for item in looked_for if (hand := _binds(item, merge))})
    outcome.counts, outcome.hands = totals.counts, totals.hands
    outcome.unsupported, outcome.open = totals.unsupported, totals.open
    return outcome


def _binds(item: Kept, merge: LogMerge) -> bytes | None:
    """The hand in the log that a kept item binds, if it was kept from before that hand (protocol §10.6)."""
    where = merge.seen.get(item.commitment)
    if where is None:
        return None
    if item.receipt is not None:
        # A receipt that shows the reveal, or whose checkpoint covers it, was made after the hand.
        ended = merge.ended.get(item.commitment)
        if first(item.receipt.entries, Reveal) or (ended is not None and item.receipt.head.size > ended):
            return None
    return where[1]


def _signature(signed: SignedHead, keys: Sequence[Verifier], emit: Emit) -> str:
    origin = signed.head.origin
    given = [key for key in keys if key.name == origin]
    if not given:
        if keys:
            names = ", ".join(sorted({key.name for key in keys}))
            what = f"the checkpoint is of {origin}, and no key that was given is of that name"
            emit(Finding("bad-signature", what, expected=f"a key of {origin}", found=names))
            return "refused"
        return "none"
    try:
        open_note(signed.note, given)
    except EvidenceError as error:
        emit(Finding("bad-signature", f"the checkpoint of {origin}: {error}"))
        return "refused"
    return "given"


def _earlier(signed: SignedHead, state: State | None, outcome: LogOutcome) -> Iterator[Mark]:
    last = state.last(signed.head.origin) if state else None
    if last is not None:
        outcome.earlier = last.head.size
        yield Mark(last.head.size, last.head.root, "the checkpoint kept from an earlier audit")


def _keeping_evidence(emit: Emit, state: State | None, signed: SignedHead, *, older: bool) -> Emit:
    """An ``emit`` that keeps both checkpoints as soon as the log is found to contradict its earlier one.

    Whether a copy that may be ``older`` is to blame for that shows when all sources are read.
    """
    last = state.last(signed.head.origin) if state else None
    if state is None or last is None:
        return emit

    def keep(finding: Finding) -> None:
        if finding.code == "forked" or (finding.code == "shrunk" and not older):
            state.keep_evidence(last, signed)
        emit(finding)

    return keep


def _inside(signed: SignedHead, known: Sequence[Mark], emit: Emit) -> Iterator[Mark]:
    """Heads that the entries must pass through; the others are compared at once."""
    head = signed.head
    for mark in known:
        if mark.size > head.size:
            what = f"the log has {plural(head.size, 'entry', 'entries')}, but {mark.origin} has {mark.size:,}"
            emit(Finding("shrunk", what, expected=f"at least {mark.size}", found=str(head.size)))
        elif mark.size == head.size and mark.root != head.root:
            of = plural(head.size, "entry", "entries")
            what = f"the log signed another tree of {of} before: {mark.origin}"
            emit(Finding("forked", what, expected=mark.root.hex(), found=head.root.hex()))
        elif mark.size < head.size:
            yield mark


def _tasks(
    source: LogSource, size: int, inside: Sequence[Mark], engine: Engine, template: ChunkTask
) -> Iterator[ChunkTask]:
    # Only this machine's processes see this machine's files.
    here = isinstance(engine, Inline | Processes)
    for start, stop in stretches(size):
        leaves = any(start < mark.size <= stop for mark in inside)
        task = source.task(start, stop) if here else loaded(source, start, stop)
        yield replace(
            template, start=start, stop=stop, bundles=task.bundles, folder=task.folder, leaves=leaves
        )
