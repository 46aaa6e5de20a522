"""Copying a transparency log so that nothing about it has to be taken on trust (protocol §8.2, §10.5).

Any log in the tlog-tiles layout will do. Every entry is fetched; every tile and the head are worked out
from the entries and compared with those that the log serves; and the log must continue what the mirror
held before. Only when all of it is on disk does the mirror's own checkpoint move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fairdeal.audit.engine import Threads
from fairdeal.audit.findings import Finding, plural
from fairdeal.audit.log.chunk import tile_head
from fairdeal.audit.log.merge import Tree
from fairdeal.audit.log.source import CONNECTIONS, Fetch, RemoteLog, SignedHead, parse_head
from fairdeal.audit.mirror.check import check
from fairdeal.audit.mirror.folder import CHECKPOINT, MirrorFolder, damaged, rows_above, split, tiles_of
from fairdeal.errors import EvidenceError, FairdealError, MalformedError
from fairdeal.merkle import EMPTY_ROOT, leaf_hash, verify_consistency
from fairdeal.note import Verifier, open_note
from fairdeal.tiling import WIDTH, Tile, TileReader, entries_path, parse_bundle

BATCH = 256
"""Bundles between two moments at which everything fetched is made durable."""


@dataclass
class MirrorOutcome:
    """How a run ended. ``findings`` speak against the log; with any, the mirror's state has not moved."""

    before: int = 0
    size: int = 0
    head: SignedHead | None = None
    findings: list[Finding] = field(default_factory=list)
    evidence: list[Path] = field(default_factory=list)
    older: bool = False
    """The log answered a checkpoint that this mirror is already beyond."""
    repaired: list[str] = field(default_factory=list)
    """Files left from a run that was cut short, found damaged and fetched again."""


class _StopError(Exception):
    """A finding that ends the run."""

    def __init__(self, code: str, detail: str, **evidence: str) -> None:
        super().__init__(detail)
        self.finding = Finding(code, detail, **evidence)  # type: ignore[arg-type]  # names of text fields only


def mirror(
    fetch: Fetch,
    folder: MirrorFolder,
    keys: Sequence[Verifier],
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
) -> MirrorOutcome:
    """Bring the mirror up to the log's present checkpoint.

    Raises :class:`fairdeal.audit.log.source.SourceError` where the log cannot be reached (what was fetched is
    used by the next run) and, with ``damaged``, where a file of the mirror is not what was written.
    """
    outcome = MirrorOutcome()
    local = _local(folder, keys)
    outcome.before = outcome.size = local.head.size if local else 0
    outcome.head = local
    log = RemoteLog(fetch, "the log")
    remote: SignedHead | None = None
    try:
        remote = _remote(log, keys)
        if local is None or remote.head.size > local.head.size:
            _follows(log, local, remote)
            _copy(log, folder, local, remote, progress, outcome)
            folder.move_to(remote)
            outcome.head, outcome.size = remote, remote.head.size
        else:
            _no_news(folder, local, remote)
            outcome.older = remote.head.size < local.head.size
    except _StopError as stop:
        outcome.findings.append(stop.finding)
        if stop.finding.code == "forked" and local and remote:
            outcome.evidence = folder.keep_evidence(local, remote)
    return outcome


def _local(folder: MirrorFolder, keys: Sequence[Verifier]) -> SignedHead | None:
    """What the mirror holds, once its own files are found to hold it."""
    local = folder.head()
    if local is None:
        return None
    path = folder.folder / CHECKPOINT
    try:
        open_note(local.note, keys)
    except EvidenceError as error:
        raise damaged(path, str(error)) from None
    head = local.head
    try:
        root = TileReader(head.size, lambda tile: folder.hashes(tile, head.size)).root()
    except MalformedError as error:
        raise damaged(folder.folder / error.field, error.rule) from None
    if root != head.root:
        raise damaged(
            folder.folder / "tile",
            "its last tiles do not give the checkpoint's head: see `fairdeal log check`",
        )
    return local


def _remote(log: RemoteLog, keys: Sequence[Verifier]) -> SignedHead:
    try:
        remote = parse_head(log.checkpoint(), strict=False)
    except MalformedError as error:
        raise _StopError("bad-checkpoint", str(error)) from None
    try:
        open_note(remote.note, keys)
    except EvidenceError as error:
        raise _StopError("bad-signature", f"the checkpoint of {remote.head.origin}: {error}") from None
    return remote


def _no_news(folder: MirrorFolder, local: SignedHead, remote: SignedHead) -> None:
    """The log's checkpoint is not larger than ours: it must be one that ours continues."""
    _same_log(local, remote)
    size = remote.head.size
    root = TileReader(size, lambda tile: folder.hashes(tile, local.head.size)).root() if size else EMPTY_ROOT
    if root != remote.head.root:
        wrong = check(folder, ()).damage
        if wrong:
            raise damaged(folder.folder / wrong[0].path, wrong[0].what)
        sizes = f"{local.head.size:,} and {plural(size, 'entry', 'entries')}"
        what = f"the log signed two trees of which neither continues the other: {sizes}"
        raise _StopError("forked", what, expected=root.hex(), found=remote.head.root.hex())


def _same_log(local: SignedHead, remote: SignedHead) -> None:
    if local.head.origin != remote.head.origin:
        what = f"the mirror is of {local.head.origin}, but {remote.head.origin} answered"
        raise _StopError("bad-checkpoint", what, expected=local.head.origin, found=remote.head.origin)


def _follows(log: RemoteLog, local: SignedHead | None, remote: SignedHead) -> None:
    """The log's tiles give its head, and that continues ours. Checked before anything is copied."""
    reader = TileReader(remote.head.size, lambda tile: log.tile(tile) or b"")
    try:
        root = reader.root()
    except MalformedError as error:
        raise _StopError("wrong-tile", str(error)) from None
    if root != remote.head.root:
        what = "the log's tiles do not give the head of its checkpoint"
        raise _StopError("wrong-root", what, expected=remote.head.root.hex(), found=root.hex())
    if local is None or not local.head.size:
        return
    _same_log(local, remote)
    old, new = local.head, remote.head
    try:
        verify_consistency(old.size, new.size, reader.consistency_proof(old.size), old.root, new.root)
    except EvidenceError:
        sizes = f"{new.size:,} entries does not continue that of {old.size:,}"
        what = f"the tree of {sizes} which the log signed before"
        raise _StopError("forked", what, expected=old.root.hex(), found=new.root.hex()) from None


def _copy(  # noqa: PLR0917  what a run consists of
    log: RemoteLog,
    folder: MirrorFolder,
    local: SignedHead | None,
    remote: SignedHead,
    progress: Callable[[int, int], None],
    outcome: MirrorOutcome,
) -> None:
    old, size = (local.head.size if local else 0), remote.head.size
    first = old // WIDTH
    tree = Tree()
    tree.add(b"".join(folder.hashes(Tile(1, n), old) for n in range(-(-first // WIDTH))), ())
    last = split(folder.hashes(Tile(0, first, old % WIDTH), old)) if old % WIDTH else ()
    if local and tree.root_with(last) != local.head.root:
        raise damaged(folder.folder / "tile/1", "its tiles do not give the checkpoint's head")
    progress(old, size)
    for number, bundle, tile in _fetch_all(log, folder, first, size, outcome):
        width = min(WIDTH, size - number * WIDTH)
        leaves = _leaves(bundle, number, width)
        derived = b"".join(leaves)
        if tile != derived:
            raise _StopError("wrong-tile", f"{Tile(0, number, width).path}: not what the entries give")
        folder.write(Tile(-1, number, width), bundle)
        folder.write(Tile(0, number, width), derived)
        if width == WIDTH:
            tree.add(tile_head(leaves), ())
        else:
            tree.add(b"", leaves)
        if number % BATCH == BATCH - 1:
            folder.settle()
        progress(number * WIDTH + width, size)
    for level, row in enumerate(rows_above(bytes(tree.heads)), 1):
        for above, data in tiles_of(row, level, (old >> 8 * level) // WIDTH):
            if (log.tile(above) or b"") != data:
                raise _StopError("wrong-tile", f"{above.path}: not what the entries give")
            folder.write(above, data)
    if tree.root() != remote.head.root:
        what = f"{size:,} entries give another tree head than the checkpoint has signed"
        raise _StopError("wrong-root", what, expected=remote.head.root.hex(), found=tree.root().hex())


def _leaves(bundle: bytes, number: int, width: int) -> list[bytes]:
    path = entries_path(number, width)
    if not bundle:
        raise _StopError("missing-entries", f"{path}: the log's checkpoint covers it, but it is not there")
    try:
        return [leaf_hash(entry) for entry in parse_bundle(bundle, width)]
    except MalformedError as error:
        raise _StopError("wrong-tile", f"{path}: {error}") from None


def _fetch_all(
    log: RemoteLog, folder: MirrorFolder, first: int, size: int, outcome: MirrorOutcome
) -> Iterator[tuple[int, bytes, bytes]]:
    """Each bundle with the log's own tile for it, in order, over several connections.

    A full bundle that a run cut short has left is not fetched again, if it gives the log's tile.
    """

    def one(number: int) -> tuple[int, bytes, bytes]:
        width = min(WIDTH, size - number * WIDTH)
        tile = log.tile(Tile(0, number, width)) or b""
        kept = folder.read(Tile(-1, number)) if width == WIDTH else None
        if kept is not None:
            if _gives(kept, tile):
                return number, kept, tile
            outcome.repaired.append(entries_path(number))
        bundle = log.tile(Tile(-1, number, width)) or b""
        return number, _first(bundle, width), tile

    yield from Threads(CONNECTIONS).map(one, range(first, -(-size // WIDTH)))


def _gives(bundle: bytes, tile: bytes) -> bool:
    try:
        return b"".join(leaf_hash(entry) for entry in parse_bundle(bundle, WIDTH)) == tile
    except FairdealError:
        return False


def _first(bundle: bytes, width: int) -> bytes:
    """The first ``width`` entries of a bundle that may be the full one; a torn one is left as it is."""
    at = count = 0
    while count < width and at + 2 <= len(bundle):
        at += 2 + int.from_bytes(bundle[at : at + 2], "big")
        count += 1
    return bundle[:at] if count == width else bundle
