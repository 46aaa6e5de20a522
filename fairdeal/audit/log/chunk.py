"""One stretch of a log, audited without knowing what came before it (protocol §10.5).

A log is cut into stretches of :data:`fairdeal.audit.log.parts.CHUNK` entries, which worker processes or other
machines audit apart. What a stretch cannot judge by itself it hands on as a loose end: entries of hands that
began earlier, hands still open where it stops, the runs of hand numbers, the locks that an older hand might
have had to precede. ``merge`` ties these up, in order, with the same outcome however the work was shared.
"""

from __future__ import annotations

import hashlib
from array import array
from binascii import hexlify
from collections import OrderedDict
from collections.abc import Sequence

from fairdeal.audit.counts import Counts
from fairdeal.audit.findings import Finding, plural
from fairdeal.audit.log import life
from fairdeal.audit.log.deals import Deals
from fairdeal.audit.log.entrytext import (
    CommitText,
    EntryText,
    Fault,
    LockText,
    RevealText,
    explain,
    read_entry,
)
from fairdeal.audit.log.life import Hand
from fairdeal.audit.log.parts import ChunkResult, ChunkTask, LocalLock, Loose, Run, split_bundle
from fairdeal.audit.log.shared import Shared
from fairdeal.audit.sources.plainprints import KINDS
from fairdeal.merkle import HASH_SIZE
from fairdeal.tiling import WIDTH, entries_path, tree_head


def audit_chunk(task: ChunkTask) -> ChunkResult:
    """Audit one stretch. A pure function of the task and, where it names one, of the folder's files."""
    auditor = _Auditor(task)
    bundles = -(-(task.stop - task.start) // WIDTH)
    heads = bytearray()
    kept = bytearray()
    result = auditor.result
    for k in range(bundles):
        width = min(WIDTH, task.stop - task.start - k * WIDTH)
        entries = _entries(task, k, width, result)
        if entries is None:
            break
        leaves = [hashlib.sha256(b"\x00" + entry).digest() for entry in entries]
        auditor.take(entries, leaves)
        result.count = k * WIDTH + width
        if width == WIDTH:
            heads += tile_head(leaves) if len(leaves) == WIDTH else bytes(HASH_SIZE)
        else:
            result.tail = leaves
        if task.leaves:
            kept += b"".join(leaves)
    result.heads = bytes(heads)
    result.leaves = bytes(kept) if task.leaves else None
    return auditor.finish()


def tile_head(leaves: Sequence[bytes]) -> bytes:
    """The head over a full tile's 256 hashes."""
    if len(leaves) != WIDTH:
        return tree_head(leaves)
    sha = hashlib.sha256
    level = list(leaves)
    while len(level) > 1:
        level = [sha(b"\x01" + level[k] + level[k + 1]).digest() for k in range(0, len(level), 2)]
    return level[0]


def _entries(task: ChunkTask, bundle: int, width: int, result: ChunkResult) -> list[bytes] | None:
    """A bundle's entries; of one that is torn or short, those that are there. ``None`` ends the stretch."""
    index = task.start + bundle * WIDTH
    path = entries_path(index // WIDTH, width)
    try:
        data = task.read(bundle)
    except FileNotFoundError:
        result.stopped = Finding("missing-entries", f"{path}: not there, nor any entry after it", index=index)
        return None
    entries, whole = split_bundle(data)
    # The full bundle may stand in place of the partial one that the size asks for.
    if not whole or len(entries) not in (width, WIDTH):
        code = "missing-entries" if len(entries) < width else "wrong-tile"
        torn = "" if whole else ", the last of them torn"
        what = f"{path}: must hold {plural(width, 'entry', 'entries')}, and has {len(entries)}{torn}"
        result.findings.append(Finding(code, what, index=index))
        result.broken = True
    return entries[:width]


class _Auditor:
    """Goes through a stretch entry by entry."""

    def __init__(self, task: ChunkTask) -> None:
        self.result = ChunkResult(task.start)
        self._seen = task.seen
        self._shared = Shared(task.origin) if task.origin is not None else None
        self._open: dict[bytes, Hand] = {}
        self._ended: set[bytes] = set()
        # Ordered, since the first of a plain dictionary takes long to find once many before it are gone.
        self._pending: dict[bytes, OrderedDict[bytes, int]] = {}
        self._values: dict[str, list[bytes]] = {kind: [] for kind in KINDS}
        self._owners: dict[str, array[int]] = {kind: array("Q") for kind in KINDS}
        self._deals = Deals(task.statistics)

    def take(self, entries: Sequence[bytes], leaves: Sequence[bytes]) -> None:
        """The stretch's next entries, with their leaf hashes."""
        result = self.result
        index = result.start + result.count
        last = result.last_at
        for data, digest in zip(entries, leaves, strict=True):
            entry = read_entry(data) or self._explained(data, index)
            if entry is not None:
                at = entry.at
                if at < last:
                    self._backwards(entry, index, last)
                elif result.first is None:
                    result.first = (index, at)
                last = at
                leaf = hexlify(digest)
                if type(entry) is CommitText:
                    self._commit(entry, index, leaf)
                elif type(entry) is LockText:
                    self._lock(entry, index, leaf)
                elif type(entry) is RevealText:
                    self._reveal(entry, index, leaf)
            index += 1
        result.last_at = last

    def finish(self) -> ChunkResult:
        """The stretch's result."""
        result = self.result
        result.open = list(self._open.values())
        for kind in KINDS:
            result.values[kind] = bytes.fromhex(b"".join(self._values[kind]).decode()), self._owners[kind]
        if self._shared:
            result.shared = self._shared.rows(result.values)
        faults, result.deals = self._deals.finish()
        result.findings += faults
        result.findings.sort(key=lambda finding: finding.index or 0)
        return result

    def _explained(self, data: bytes, index: int) -> EntryText | None:
        fault = explain(data)
        if not isinstance(fault, Fault):
            return fault
        if fault.code == "unsupported-entry":
            self.result.unsupported += 1
        else:
            self.result.findings.append(Finding(fault.code, fault.detail, fault.hand, index))
        return None

    def _backwards(self, entry: EntryText, index: int, last: int) -> None:
        what = f"{(last - entry.at) / 1000:.3f} s before the entry above it"
        hand = entry.hand.decode()
        self.result.findings.append(
            Finding(
                "time-reversed", what, hand, index, expected=f"at {last} or later", found=f"at {entry.at}"
            )
        )

    def _once(self, kind: str, value: bytes, index: int) -> None:
        self._values[kind].append(value)
        self._owners[kind].append(index)

    def _commit(self, entry: CommitText, index: int, leaf: bytes) -> None:
        table = entry.operator + b"/" + entry.table
        result = self.result
        counts = result.counts.get(table)
        if counts is None:
            counts = result.counts[table] = Counts()
        counts.hands += 1
        self._once("hand", entry.hand, index)
        self._once("commitment", entry.commitment, index)
        for _, seal in entry.seals:
            self._once("seal", seal, index)
        if entry.commitment in self._seen:
            result.seen.setdefault(entry.commitment, (index, entry.hand))
        if self._shared:
            self._shared.commit(entry, index, leaf)
        runs = result.runs.setdefault(table, [])
        if runs and entry.number == runs[-1].number + runs[-1].count:
            runs[-1].count += 1
        else:
            runs.append(Run(entry.number, index, entry.hand))
        # The second of two commits with one id is a finding of its own, made at the end.
        if entry.hand not in self._open:
            self._open[entry.hand] = Hand(entry, index, leaf, table)
            self._pending.setdefault(table, OrderedDict())[entry.hand] = index

    def _lock(self, entry: LockText, index: int, leaf: bytes) -> None:
        for _, seed in entry.contributions:
            self._once("client-seed", seed, index)
            if self._shared:
                self._shared.named("client-seed", entry.hand)
        if self._shared:
            self._shared.stage("lock", entry.hand, index, leaf)
        hand = self._open.get(entry.hand)
        if hand is None:
            self._loose(entry, index, leaf)
            return
        first_lock = hand.lock_index is None
        if not life.lock_plainly(hand, entry, index, leaf):
            self.result.findings += life.lock(hand, entry, index, leaf)
        if not first_lock:
            return
        pending = self._pending[hand.table]
        earlier = next(iter(pending))
        if earlier == entry.hand:
            lock = LocalLock(index, entry.hand, hand.number)
        else:
            lock = LocalLock(index, entry.hand, hand.number, earlier, pending[earlier])
        self.result.locks.setdefault(hand.table, []).append(lock)
        del pending[entry.hand]

    def _reveal(self, entry: RevealText, index: int, leaf: bytes) -> None:
        if entry.server_seed is not None:
            self._once("seed", entry.server_seed, index)
            if self._shared:
                self._shared.named("seed", entry.hand)
        if self._shared:
            self._shared.stage("reveal", entry.hand, index, leaf)
        hand = self._open.pop(entry.hand, None)
        if hand is None:
            self._loose(entry, index, leaf)
            return
        if hand.commitment in self._seen:
            self.result.ended[hand.commitment] = index
        if self._shared and hand.lock_index is None:
            self._shared.unlocked(hand, index)
        self._ended.add(entry.hand)
        self._pending[hand.table].pop(entry.hand, None)
        if not life.ends_plainly(hand, entry):
            self.result.findings += life.end(hand, entry, index)
        count_end(self.result.counts[hand.table], hand, entry)
        self._deals.add(hand, entry, index)

    def _loose(self, entry: LockText | RevealText, index: int, leaf: bytes) -> None:
        if entry.hand in self._ended:
            self.result.findings.append(after_end(entry, index))
        else:
            self.result.loose.append(Loose(index, entry, leaf))


def after_end(entry: LockText | RevealText, index: int) -> Finding:
    """An entry after the hand's reveal."""
    kind = "lock" if isinstance(entry, LockText) else "reveal"
    return Finding("after-end", f"a {kind} after the hand's reveal", entry.hand.decode(), index)


def count_end(counts: Counts, hand: Hand, entry: RevealText) -> None:
    """Count a hand by how it ended."""
    when = "before_lock" if hand.lock_index is None else "after_lock"
    outcome = entry.outcome.decode()
    name = outcome if outcome in ("played", "lost") else f"{outcome}_{when}"
    setattr(counts, name, getattr(counts, name) + 1)
    counts.late += entry.at > hand.due + life.GRACE
    counts.operator_alone += hand.lock_index is not None and (not hand.contributions or not hand.seals_hold)
