"""An honest log to measure on, as a folder of tiles: three entries a hand, 64 tables played side by side.

python bench/makelog.py folder 1000000
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator
from pathlib import Path

from make import AT_ONCE, TERMS, asked, hands

from fairdeal.checkpoint import Checkpoint
from fairdeal.entries import parse_entry
from fairdeal.note import Signer, sign
from fairdeal.tiling import WIDTH, encode_bundle, entries_path, tile_path, tree_head

TABLES = 64
SIGNER = Signer("bench.example/log", bytes(range(32)))
_MINUTE = 60_000


def entries(name: str, count: int) -> Iterator[bytes]:
    """The log's entries: all tables' commits, then their locks, then their reveals, and again."""
    terms, sealed = TERMS[name]
    stated = terms.canonical().decode()
    at, number = 1_700_000_000_000, 0
    for first in range(0, count, AT_ONCE):
        made = hands(terms, sealed, first, min(AT_ONCE, count - first))
        for start in range(0, len(made.hand), TABLES):
            rows = range(start, min(start + TABLES, len(made.hand)))
            number += 1
            previous = []
            ids = [made.hand[row].tobytes().hex() for row in rows]
            for table, row in enumerate(rows):
                at += 5
                seals = ",".join(_seat(k, "seal", made.seals[row, k, 1:].tobytes()) for k in range(sealed))
                commit = (
                    f'{{"at":{at},"commitment":"{made.commitment[row].tobytes().hex()}","hand":"{ids[table]}",'
                    f'"lock_by":{at + 60 * _MINUTE},"note":null,"number":{number},"operator":"bench",'
                    f'"seals":[{seals}],"table":"t{table}","terms":{stated},"type":"commit","v":1}}'
                ).encode()
                previous.append(hashlib.sha256(b"\0" + commit).hexdigest())
                yield commit
            for table, row in enumerate(rows):
                at += 5
                opened = ",".join(_seat(k, "seed", made.opened[row, k, 1:].tobytes()) for k in range(sealed))
                lock = (
                    f'{{"at":{at},"contributions":[{opened}],"deal_root":null,"hand":"{ids[table]}",'
                    f'"prev":"{previous[table]}","reveal_by":{at + 60 * _MINUTE},"type":"lock","v":1}}'
                ).encode()
                previous[table] = hashlib.sha256(b"\0" + lock).hexdigest()
                yield lock
            for table, row in enumerate(rows):
                at += 5
                yield (
                    f'{{"at":{at},"hand":"{ids[table]}","outcome":"played","prev":"{previous[table]}",'
                    f'"reason":null,"server_seed":"{made.seed[row].tobytes().hex()}","type":"reveal","v":1}}'
                ).encode()


def _seat(seat: int, name: str, value: bytes) -> str:
    return f'{{"{name}":"{value.hex()}","seat":{seat}}}'


def make(folder: Path, name: str, count: int) -> None:
    """Write a log of ``count`` hands: bundles, hash tiles, checkpoint."""
    level: list[bytes] = []
    stream = entries(name, count)
    for number in itertools.count():
        bundle = list(itertools.islice(stream, WIDTH))
        if not bundle:
            break
        if not number:
            for entry in bundle:
                parse_entry(entry)
        leaves = [hashlib.sha256(b"\0" + entry).digest() for entry in bundle]
        _write(folder / entries_path(number, len(bundle)), encode_bundle(bundle))
        _write(folder / tile_path(0, number, len(bundle)), b"".join(leaves))
        level.append(tree_head(leaves))
    heads = level
    # The last tile of a level may be partial: it hashes into the head of the tree, not into a tile above.
    size, height = 3 * count, 1
    while full := size // WIDTH**height:
        tiles = [heads[at : at + WIDTH] for at in range(0, full, WIDTH)]
        tiles[-1] = tiles[-1][: full - WIDTH * (len(tiles) - 1)]
        for number, tile in enumerate(tiles):
            _write(folder / tile_path(height, number, len(tile)), b"".join(tile))
        heads = [tree_head(heads[at : at + WIDTH]) for at in range(0, len(heads), WIDTH)]
        height += 1
    # Bundles are 256 leaves each, a power of two, so the tree over their heads is the tree over the leaves.
    checkpoint = Checkpoint(SIGNER.name, size, tree_head(level))
    _write(folder / "checkpoint", sign(checkpoint.text(), [SIGNER]).encode())


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


if __name__ == "__main__":
    make(*asked(__doc__, "folder"))
    print(SIGNER.verifier.text())
