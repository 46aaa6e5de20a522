"""Tiles: what a read costs in a log of 10,000 entries and in one of 1,000,000.

    python bench/bench_tiles.py [--blocks 40] [--sizes 10000 1000000]

Two stores are filled with entries and tiles of real sizes (their bytes are random; a read does not look at
them). Then tiles of hashes, bundles of entries, the newest partial tile and the checkpoint are read at random
places, as the service reads them, the two stores in turn. Processor time is measured: both files lie in the
system's cache, and other programs on the machine do not count. The aim: each kind costs at most 1.2 times as
much in the larger log.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from fairdeal_api import db, store
from fairdeal_api.tables import EntryRow, HeadRow, TileRow, table_of
from sqlalchemy import Connection, Engine, insert

from fairdeal.tiling import WIDTH, Tile, entries_path, parse_tile_path, tile_path

AIM = 1.2
BLOCK = 100
"""Reads in a block."""

ENTRY = 420
"""Bytes of an entry: a commit with four seals has somewhat more, a reveal less."""


def rows(size: int) -> Iterator[list[dict[str, object]]]:
    """Entries, in batches."""
    noise = os.urandom(ENTRY * 64)
    for first in range(0, size, 5000):
        yield [
            {"idx": k, "entry": noise[(k % 63) * ENTRY : (k % 63 + 1) * ENTRY]}
            for k in range(first, min(first + 5000, size))
        ]


def fill(engine: Engine, size: int) -> None:
    """A log of so many entries."""
    db.migrate(engine)
    with engine.begin() as connection:
        for batch in rows(size):
            connection.execute(insert(table_of(EntryRow)), batch)
        level, count = 0, size
        while count:
            tiles = [
                {"level": level, "n": n, "hashes": os.urandom(32 * min(WIDTH, count - n * WIDTH))}
                for n in range((count + WIDTH - 1) // WIDTH)
            ]
            connection.execute(insert(table_of(TileRow)), tiles)
            level, count = level + 1, count // WIDTH
        head = {
            "id": 1,
            "origin": "bench",
            "vkey": "v",
            "size": size,
            "edge": b"",
            "at": 1,
            "checkpoint": "c" * 200,
        }
        connection.execute(insert(table_of(HeadRow)), head)


def kinds(size: int) -> dict[str, Callable[[Connection, random.Random], object]]:
    """What is read, by name: a random one of it."""
    full = size // WIDTH
    rest = size % WIDTH or 1

    def tile(path: str) -> Tile:
        return parse_tile_path(path)

    def read(connection: Connection, wanted: Tile) -> object:
        data = store.tile_bytes(connection, wanted)
        if data is None:
            raise SystemExit("a tile is missing")
        return data

    return {
        "full tile": lambda c, r: read(c, tile(tile_path(0, r.randrange(full)))),
        "entry bundle": lambda c, r: read(c, tile(entries_path(r.randrange(full)))),
        "newest partial tile": lambda c, _: read(c, tile(tile_path(0, size // WIDTH, rest))),
        "tile of the level above": lambda c, r: read(
            c, tile(tile_path(1, 0, r.randrange(1, full % WIDTH or 2)))
        ),
        "checkpoint": lambda c, _: store.head(c),
    }


def block(engine: Engine, read: Callable[[Connection, random.Random], object], draw: random.Random) -> float:
    """Microseconds of processor time for a read, its transaction included."""
    began = time.process_time()
    for _ in range(BLOCK):
        with engine.begin() as connection:
            read(connection, draw)
    return 1e6 * (time.process_time() - began) / BLOCK


def measure(engines: list[Engine], sizes: list[int], name: str, blocks: int) -> list[float]:
    """The median block of each store, the stores in turn, so that both see the same machine."""
    draw = random.Random(1)
    reads = [kinds(size)[name] for size in sizes]
    for engine, read in zip(engines, reads, strict=True):
        block(engine, read, draw)
    found = [[block(e, r, draw) for e, r in zip(engines, reads, strict=True)] for _ in range(blocks)]
    return [statistics.median(column) for column in zip(*found, strict=True)]


def main() -> int:
    """Measure and print; 1 where the aim is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--blocks", type=int, default=40)
    parser.add_argument("--sizes", type=int, nargs=2, default=(10_000, 1_000_000))
    options = parser.parse_args()
    worst = 0.0
    with tempfile.TemporaryDirectory(prefix="fairdeal-tiles-") as folder:
        engines = []
        for size in options.sizes:
            url = f"sqlite:///{Path(folder, f'{size}.db')}"
            writer = db.writer_engine(url)
            fill(writer, size)
            writer.dispose()
            engines.append(db.reader_engine(url))
        small, large = options.sizes
        print(f"| read | {small:,} entries, µs | {large:,} entries, µs | ratio |\n|---|---|---|---|")
        for name in kinds(small):
            before, after = measure(engines, options.sizes, name, options.blocks)
            worst = max(worst, after / before)
            print(f"| {name} | {before:.0f} | {after:.0f} | {after / before:.2f} |", flush=True)
        for engine in engines:
            engine.dispose()
    print(f"worst ratio {worst:.2f} (aim: at most {AIM})")
    return 0 if worst <= AIM else 1


if __name__ == "__main__":
    sys.exit(main())
