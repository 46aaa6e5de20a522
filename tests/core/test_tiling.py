from __future__ import annotations

import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal import merkle, tiling
from fairdeal.errors import MalformedError, UsageError
from fairdeal.note import Signer
from fairdeal.tiling import Tile, TileReader, parse_tile_path, tile_path
from tests.translog import Log

SIZES = [*range(12), *range(250, 262), 300, 511, 512, 513, 700]
FAR = [65_535, 65_536, 65_537, 65_792, 65_793, 70_000]


@pytest.fixture(scope="module")
def log() -> Log:
    """70,000 entries: a full tile of level 1, and level 2 begun."""
    made = Log(Signer("log.example", bytes(32)))
    for k in range(70_000):
        made.append(k.to_bytes(3, "big"))
    return made


def tiles_at(log: Log, size: int) -> dict[Tile, bytes]:
    """Every tile of hashes at a size, by the plain definition: rows of perfect subtrees, cut at 256."""
    found = {}
    for level in range(4):
        for number in range(0, size >> 8 * level, 256):
            row = log.rows[8 * level] if 8 * level < len(log.rows) else []
            cells = row[number : min(number + 256, size >> 8 * level)]
            found[Tile(level, number // 256, len(cells))] = b"".join(cells)
    return found


def tile_of(log: Log, tile: Tile) -> bytes:
    return b"".join(log.rows[8 * tile.level][256 * tile.index : 256 * tile.index + tile.width])


@pytest.mark.parametrize("size", [*SIZES, *FAR])
def test_a_log_has_exactly_its_tiles(log: Log, size: int) -> None:
    tiles = tiling.tiles_for(size)
    assert {tile for tile in tiles if tile.level >= 0} == set(tiles_at(log, size))
    bundles = [tile for tile in tiles if tile.level < 0]
    assert sum(tile.width for tile in bundles) == size
    assert [tile.index for tile in bundles] == list(range(len(bundles)))
    assert all(tile.width == 256 for tile in bundles[:-1])
    assert len({tile.path for tile in tiles}) == len(tiles)


def test_the_tiles_of_70000() -> None:
    tiles = [tile for tile in tiling.tiles_for(70_000) if tile.level >= 0]
    by_level = [[t for t in tiles if t.level == level] for level in range(4)]
    assert [len(row) for row in by_level] == [274, 2, 1, 0]
    assert [row[-1].path for row in by_level[:3]] == ["tile/0/273.p/112", "tile/1/001.p/17", "tile/2/000.p/1"]


@pytest.mark.parametrize("size", [*SIZES, *FAR])
def test_heads_and_proofs_straight_from_tiles(log: Log, size: int) -> None:
    tiles = tiles_at(log, size)
    asked: list[Tile] = []

    def read(tile: Tile) -> bytes:
        asked.append(tile)
        return tiles[tile]

    reader = TileReader(size, read)
    assert reader.root() == log.root(size)
    some = sorted({0, 1, 2, 5, 255, 256, 257, size // 3, size // 2, size - 2, size - 1} & set(range(size)))
    for index in some:
        assert reader.inclusion_proof(index) == list(log.proof(index, size))
    for old in some:
        if old:
            proof = reader.consistency_proof(old)
            merkle.verify_consistency(old, size, proof, log.root(old), log.root(size))
            if size <= 700:
                assert proof == merkle.consistency_proof(log.rows[0][:size], old)
    assert len(asked) == len(set(asked))
    if size:
        assert reader.consistency_proof(size) == []


def test_every_size_up_to_700(log: Log) -> None:
    for size in range(701):
        reader = TileReader(size, lambda tile: tile_of(log, tile))
        assert reader.root() == log.root(size)
        if size:
            index = size * 7919 % size
            assert reader.inclusion_proof(index) == merkle.inclusion_proof(log.rows[0][:size], index)


def test_what_is_not_in_the_tree() -> None:
    reader = TileReader(3, lambda _: bytes(96))
    for index in (-1, 3):
        with pytest.raises(UsageError):
            reader.inclusion_proof(index)
    for old in (-1, 0, 4):
        with pytest.raises(UsageError):
            reader.consistency_proof(old)
    assert TileReader(0, lambda _: b"").root() == hashlib.sha256(b"").digest()


@pytest.mark.parametrize("size", [0, 32, 95, 97, 128])
def test_a_tile_of_another_size_is_refused(size: int) -> None:
    with pytest.raises(MalformedError, match=r"^tile/0/000\.p/3: must hold 3 hashes"):
        TileReader(3, lambda _: bytes(size)).root()


@given(st.integers(-1, 63), st.integers(0, 2**45), st.integers(1, 256))
def test_paths_round_trip(level: int, index: int, width: int) -> None:
    tile = Tile(level, index, width)
    assert parse_tile_path(tile.path) == tile
    assert tile.path.endswith(f".p/{width}") == (width < 256)


def test_known_paths() -> None:
    assert tile_path(0, 0) == "tile/0/000"
    assert tile_path(63, 1234067) == "tile/63/x001/x234/067"
    assert tile_path(1, 999, 255) == "tile/1/999.p/255"
    assert tiling.entries_path(1000, 1) == "tile/entries/x001/000.p/1"
    assert parse_tile_path("tile/entries/x001/000.p/1") == Tile(-1, 1000, 1)


NOT_PATHS = [
    "",
    "tile",
    "tile/0",
    "tile/0/",
    "/tile/0/000",
    "tile/0/0",
    "tile/0/00",
    "tile/0/0000",
    "tile/00/000",
    "tile/01/000",
    "tile/64/000",
    "tile/99/000",
    "tile/-1/000",
    "tile/+1/000",
    "tile/entry/000",
    "tile/0/x000/001",
    "tile/0/x000/x001/002",
    "tile/0/x001",
    "tile/0/001/002",
    "tile/0/X001/002",
    "tile/0/000.p/0",
    "tile/0/000.p/00",
    "tile/0/000.p/01",
    "tile/0/000.p/256",
    "tile/0/000.p/257",
    "tile/0/000.p/999",
    "tile/0/000.p/",
    "tile/0/000.p/1/",
    "tile/0/000.p/+1",
    "tile/0/000p/1",
    "tile/0/000\n",
    "tile/0/000.p/1\n",
    "tile/0/٠٠٠",
    "tile/0/０００",
    "tile/0/000.p/１",
    "tile/0/x001/x001/x001/x001/x001/x001/x001",
    "tile/0/../000",
    "tile/0/000?x",
]


@pytest.mark.parametrize("path", NOT_PATHS)
def test_paths_that_name_no_tile(path: str) -> None:
    with pytest.raises(MalformedError, match=r"^path: names no tile"):
        parse_tile_path(path)


@given(
    st.text(alphabet="tile/entrs0123456789x.p", max_size=30)
    | st.from_regex(r"tile/\d{1,2}/(x\d{3}/){0,3}\d{3}(\.p/\d{1,3})?")
)
def test_a_path_that_parses_is_the_tile_s_own(path: str) -> None:
    try:
        tile = parse_tile_path(path)
    except MalformedError:
        return
    assert tile.path == path


@pytest.mark.parametrize(
    ("level", "index", "width"), [(-1, 0, 1), (64, 0, 1), (0, -1, 1), (0, 0, 0), (0, 0, 257)]
)
def test_tiles_that_are_none(level: int, index: int, width: int) -> None:
    with pytest.raises(UsageError):
        tile_path(level, index, width)
    if level == 0:
        with pytest.raises(UsageError):
            tiling.entries_path(index, width)


@given(st.lists(st.binary(max_size=300), max_size=20))
def test_bundles_round_trip(entries: list[bytes]) -> None:
    data = tiling.encode_bundle(entries)
    assert tiling.parse_bundle(data, len(entries)) == entries
    for width in (len(entries) - 1, len(entries) + 1):
        with pytest.raises(MalformedError, match="must hold"):
            tiling.parse_bundle(data, width)


def test_the_bytes_of_a_bundle() -> None:
    assert tiling.encode_bundle([b"abc", b"", b"x" * 258]) == b"\0\3abc\0\0\1\2" + b"x" * 258
    with pytest.raises(UsageError):
        tiling.encode_bundle([bytes(65_536)])


@given(st.lists(st.binary(min_size=1, max_size=20), min_size=1, max_size=5), st.data())
def test_a_torn_bundle_is_refused(entries: list[bytes], data: st.DataObject) -> None:
    bundle = tiling.encode_bundle(entries)
    cut = data.draw(st.integers(0, len(bundle) - 1))
    with pytest.raises(MalformedError, match=r"^bundle: "):
        tiling.parse_bundle(bundle[:cut], len(entries))


def test_files_of_a_log_are_named_by_their_tiles() -> None:
    log = Log(Signer("log.example", bytes(32)))
    for k in range(300):
        log.append(bytes([k % 256]))
    files = log.files()
    assert set(files) == {"checkpoint", *(tile.path for tile in tiling.tiles_for(300))}
    assert files["tile/1/000.p/1"] == log.head(0, 256)
    assert all(re.fullmatch(r"checkpoint|tile/(\d+|entries)/\d{3}(\.p/\d+)?", path) for path in files)
