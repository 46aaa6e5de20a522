"""A whole log from its stretches: loose ends, the head, what repeats, what is overdue (protocol §10.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from fairdeal.audit.counts import Counts, Key
from fairdeal.audit.findings import Finding, plural
from fairdeal.audit.log import life
from fairdeal.audit.log.chunk import count_end
from fairdeal.audit.log.deals import Deals, DealSums
from fairdeal.audit.log.entrytext import LockText
from fairdeal.audit.log.life import Hand
from fairdeal.audit.log.parts import ChunkResult, Loose
from fairdeal.audit.log.repeats import Repeats
from fairdeal.audit.log.shared import unlocked_rows
from fairdeal.audit.sources.plainprints import Rows
from fairdeal.merkle import EMPTY_ROOT, HASH_SIZE, Frontier
from fairdeal.tiling import WIDTH

Emit = Callable[[Finding], None]


@dataclass(frozen=True)
class Mark:
    """A tree head that the log is known to have had; ``origin`` says how it is known."""

    size: int
    root: bytes
    origin: str


class Tree:
    """The tree's right edge in whole tiles, and every tile's head."""

    def __init__(self) -> None:
        self.heads = bytearray()
        self._edge = Frontier()
        self.tail: list[bytes] = []

    @property
    def size(self) -> int:
        """Entries so far."""
        return self._edge.size * WIDTH + len(self.tail)

    def add(self, heads: bytes, tail: Sequence[bytes]) -> None:
        """Append full tiles by their heads, and the leaves of a last tile that is not full."""
        for k in range(0, len(heads), HASH_SIZE):
            self._edge.append(heads[k : k + HASH_SIZE])
        self.heads += heads
        self.tail = list(tail)

    def root(self) -> bytes:
        """The tree's head."""
        return self.root_with(self.tail)

    def root_with(self, tail: Iterable[bytes]) -> bytes:
        """The head if the leaves ``tail``, fewer than a tile's, followed the full tiles."""
        last = Frontier()
        for leaf in tail:
            last.append(leaf)
        edge = Frontier(self._edge.size * WIDTH + last.size, [*self._edge.hashes, *last.hashes])
        return edge.root() if edge.size else EMPTY_ROOT


@dataclass
class LogTotals:
    """What is known of the log once its last stretch is in."""

    hands: int = 0
    counts: dict[Key, Counts] = field(default_factory=dict)
    unsupported: int = 0
    last_at: int = 0
    open: int = 0


class LogMerge:
    """Takes the stretches of one log in order and tells each finding as it becomes certain."""

    def __init__(
        self,
        emit: Emit,
        entry_at: Callable[[int], bytes],
        *,
        statistics: bool = False,
        marks: Sequence[Mark] = (),
        on_deals: Callable[[DealSums], None] = lambda _: None,
        on_shared: Callable[[Rows], None] = lambda _: None,
        origin: str | None = None,
    ) -> None:
        """``entry_at`` reads one entry again, for the few that the audit has to look at twice.

        ``marks`` are tree heads that the log must have passed through: a stretch that ends or begins beyond
        one needs its leaves (``ChunkTask.leaves``). ``on_shared`` takes what other sources may say too, where
        the log's name is given for that.
        """
        self.tree = Tree()
        self.totals = LogTotals()
        self.seen: dict[bytes, tuple[int, bytes]] = {}
        self.ended: dict[bytes, int] = {}
        self.stopped: Finding | None = None
        self.broken = False
        self._emit = emit
        self._entry_at = entry_at
        self._marks = sorted(marks, key=lambda mark: mark.size)
        self._statistics = statistics
        self._on_deals = on_deals
        self._on_shared = on_shared
        self._origin = origin
        self._open: dict[bytes, Hand] = {}
        self._pending: dict[bytes, dict[bytes, int]] = {}
        self._numbers: dict[bytes, int] = {}
        self._counts: dict[bytes, Counts] = {}
        self._last_at: int | None = None
        self._repeats = Repeats()
        self._found: list[Finding] = []

    def add(self, part: ChunkResult) -> None:
        """The next stretch."""
        self._found = list(part.findings)
        self.broken |= part.broken
        if not self.broken:
            self._marks_in(part)
        self.tree.add(part.heads, part.tail)
        self._time(part)
        self._number(part)
        for table, counts in part.counts.items():
            self._counts.setdefault(table, Counts()).add(counts)
        deals = Deals(self._statistics)
        self._tie(part, deals)
        self._take_open(part)
        faults, sums = deals.finish()
        self._found += faults
        # Hands from before the stretch come first: of one table they are the older ones.
        self._on_deals(sums)
        self._on_deals(part.deals)
        self._repeats.add(part.values)
        for commitment, where in part.seen.items():
            self.seen.setdefault(commitment, where)
        self.ended.update(part.ended)
        for rows in part.shared:
            self._on_shared(rows)
        self.totals.unsupported += part.unsupported
        self.stopped = part.stopped
        self.broken |= part.stopped is not None
        if part.stopped:
            self._found.append(part.stopped)
        self._tell()

    def finish(self, now: int | None = None) -> LogTotals:
        """The end of the log: what repeats, what is overdue at ``now`` (by default the log's last time)."""
        self._found = list(self._repeats.finish(self._entry_at))
        self._tell()
        last = self._last_at or 0
        for hand in self._open.values():
            self._counts[hand.table].open += 1
            if hand.lock_index is not None and (not hand.contributions or not hand.seals_hold):
                self._counts[hand.table].operator_alone += 1
            late = life.overdue(hand, last if now is None else now)
            if late:
                self._found.append(late)
        self._tell()
        totals = self.totals
        totals.counts = {_key(table): counts for table, counts in sorted(self._counts.items())}
        totals.hands = sum(counts.hands for counts in self._counts.values())
        totals.last_at, totals.open = last, len(self._open)
        return totals

    def _tell(self) -> None:
        self._found.sort(key=lambda finding: finding.index or 0)
        for finding in self._found:
            self._emit(finding)
        self._found = []

    def _marks_in(self, part: ChunkResult) -> None:
        start = self.tree.size
        while self._marks and self._marks[0].size <= start + part.count:
            mark = self._marks.pop(0)
            if root_at(self.tree, part, mark.size) != mark.root:
                of = plural(mark.size, "entry", "entries")
                what = f"the log does not continue {mark.origin}, a tree of {of}"
                self._found.append(Finding("forked", what, index=mark.size, expected=mark.root.hex()))

    def _time(self, part: ChunkResult) -> None:
        if part.first is None:
            return
        index, at = part.first
        if self._last_at is not None and at < self._last_at:
            what = f"{(self._last_at - at) / 1000:.3f} s before the entry above it"
            hand = hand_in(self._entry_at(index))
            expected, found = f"at {self._last_at} or later", f"at {at}"
            self._found.append(Finding("time-reversed", what, hand, index, expected=expected, found=found))
        self._last_at = part.last_at

    def _number(self, part: ChunkResult) -> None:
        for table, runs in part.runs.items():
            for run in runs:
                last = self._numbers.get(table, 0)
                operator, name = _key(table)
                if run.number != last + 1:
                    code, what = (
                        ("number-gap", "skips")
                        if run.number > last + 1
                        else ("number-reused", "does not go up")
                    )
                    self._found.append(
                        Finding(
                            code,
                            f"the hand number of {operator}, table {name}, {what}",
                            run.hand.decode(),
                            run.index,
                            expected=f"number {last + 1}",
                            found=f"number {run.number}",
                        )
                    )
                self._numbers[table] = max(last, run.number + run.count - 1)

    def _tie(self, part: ChunkResult, deals: Deals) -> None:
        """Entries of hands from before the stretch, and locks that passed such hands over."""
        cursor = dict.fromkeys(part.locks, 0)
        for loose in part.loose:
            hand = self._open.get(loose.entry.hand)
            if hand is None:
                self._orphan(loose)
                continue
            if self._pending.get(hand.table):
                self._passed_over(hand.table, part, cursor, loose.index)
            self._go_on(hand, loose, deals)
        for table in part.locks:
            self._passed_over(table, part, cursor, part.start + part.count)

    def _go_on(self, hand: Hand, loose: Loose, deals: Deals) -> None:
        entry, index = loose.entry, loose.index
        pending = self._pending.get(hand.table, {})
        if isinstance(entry, LockText):
            first_lock = hand.lock_index is None
            self._found += life.lock(hand, entry, index, loose.leaf)
            if first_lock:
                earlier = next(iter(pending), entry.hand)
                if earlier != entry.hand:
                    self._found.append(out_of_order(hand.hand, hand.number, index, earlier, pending[earlier]))
                pending.pop(entry.hand, None)
            return
        del self._open[entry.hand]
        pending.pop(entry.hand, None)
        if hand.commitment in self.seen:
            self.ended[hand.commitment] = index
        if self._origin is not None and hand.lock_index is None:
            for rows in unlocked_rows(self._origin, hand, index):
                self._on_shared(rows)
        self._found += life.end(hand, entry, index)
        count_end(self._counts[hand.table], hand, entry)
        deals.add(hand, entry, index)

    def _passed_over(self, table: bytes, part: ChunkResult, cursor: dict[bytes, int], until: int) -> None:
        """Locks of hands begun in this stretch, before entry ``until``, while an older hand still waited."""
        pending = self._pending.get(table)
        locks = part.locks.get(table, ())
        at = cursor.get(table, 0)
        while at < len(locks) and locks[at].index < until:
            lock = locks[at]
            # The oldest hand that waits is the one to name, and those from before the stretch are older.
            earlier = next(iter(pending)) if pending else lock.earlier
            if earlier is not None:
                place = pending[earlier] if pending else lock.earlier_index
                self._found.append(out_of_order(lock.hand, lock.number, lock.index, earlier, place))
            at += 1
        cursor[table] = at

    def _orphan(self, loose: Loose) -> None:
        # Whether it comes too early, too late or from nowhere shows when all hand ids are together.
        self._repeats.orphan(loose.entry.hand, loose.index)

    def _take_open(self, part: ChunkResult) -> None:
        for hand in part.open:
            if hand.hand in self._open:
                continue
            self._open[hand.hand] = hand
            if hand.lock_index is None:
                self._pending.setdefault(hand.table, {})[hand.hand] = hand.commit_index


def root_at(tree: Tree, part: ChunkResult, size: int) -> bytes:
    """The head at ``size``, which lies within ``part``, the stretch that follows ``tree``."""
    if size == tree.size:
        return tree.root()
    if part.leaves is None:
        raise ValueError("the stretch was read without its leaves")
    upto = size - tree.size
    grown = Tree()
    grown.add(bytes(tree.heads) + part.heads[: upto // WIDTH * HASH_SIZE], ())
    leaves = part.leaves[upto // WIDTH * WIDTH * HASH_SIZE : upto * HASH_SIZE]
    return grown.root_with(leaves[k : k + HASH_SIZE] for k in range(0, len(leaves), HASH_SIZE))


def out_of_order(hand: bytes, number: int, index: int, earlier: bytes, earlier_index: int) -> Finding:
    """A lock while an earlier hand of the table was neither locked nor ended (protocol §2.4)."""
    what = f"hand {number} was locked before an earlier hand of its table was locked or ended"
    found = f"hand {earlier.decode()}, committed at entry {earlier_index}, was still waiting"
    return Finding("lock-order", what, hand.decode(), index, found=found)


def hand_in(data: bytes) -> str | None:
    """The hand's id in an entry's bytes, without reading the rest."""
    at = data.find(b'"hand":"')
    return data[at + 8 : at + 40].decode("ascii", "replace") if at >= 0 else None


def _key(table: bytes) -> Key:
    operator, _, name = table.decode().partition("/")
    return operator, name
