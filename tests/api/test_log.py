"""The log as outsiders read it: checkpoint, key, tiles, also through a client written by others."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from fairdeal_api.app import create_app
from fairdeal_api.settings import Settings
from fastapi.testclient import TestClient
from tlog_scales import reader as scales
from tlog_scales.backend import HttpBackend
from tlog_scales.signing import Vkey

from fairdeal.merkle import verify_consistency, verify_inclusion
from fairdeal.note import Verifier, open_note, parse_note
from fairdeal.tiling import Tile, TileReader, tiles_for
from tests.api.support import Game, Running, ok, problem, read_log


def fill(game: Game, count: int) -> None:
    while count:
        part = min(count, 1000)
        ok(game.call("POST", "/v1/hands/batch", {"hands": [{"table": "t"}] * part}), 201)
        count -= part


def test_an_empty_log_has_a_signed_head_from_the_first_moment(http: TestClient) -> None:
    answer = http.get("/checkpoint")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.text.startswith(
        "log.example/okey\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n— log.example/okey "
    )
    key = http.get("/log/key")
    assert key.headers["content-type"] == "text/plain; charset=utf-8"
    open_note(parse_note(answer.text), [Verifier.parse(key.text.strip())])


def test_every_tile_of_the_log_is_served_and_proves_itself(game: Game, http: TestClient) -> None:
    fill(game, 700)
    log = read_log(http)
    served = {}
    for tile in tiles_for(700):
        answer = http.get(f"/{tile.path}")
        assert answer.status_code == 200, tile.path
        assert answer.headers["content-type"] == "application/octet-stream"
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert answer.headers["access-control-allow-origin"] == "*"
        served[tile] = answer.content
    tree = TileReader(700, served.__getitem__)
    assert tree.root() == log.checkpoint.root
    for index in (0, 255, 256, 511, 512, 699):
        leaf = hashlib.sha256(b"\0" + log.entries[index]).digest()
        verify_inclusion(index, 700, leaf, tree.inclusion_proof(index), log.checkpoint.root)


NO_TILES = [
    "0/001",
    "0/002.p/189",
    "0/003.p/1",
    "1/000.p/3",
    "1/000",
    "2/000.p/1",
    "64/000",
    "entries/001",
    "entries/002.p/189",
    "0/000.p/0",
    "0/000.p/256",
    "0/000.p/01",
    "0/0",
    "0/0000",
    "0/x000/000",
    "00/000",
    "-1/000",
    "+0/000",
    "0/000/",
    "0/000.p/",
    "entries/0",
    "entries/000.p/-1",
    "data/000",
    "",
    "0",
    "0/000.p/1/2",
    "0/٠٠٠",
]


def test_a_path_that_is_no_tile_of_this_log_is_not_found_and_not_cached(game: Game, http: TestClient) -> None:
    fill(game, 500)
    for path in NO_TILES:
        answer = http.get(f"/tile/{path}")
        problem(answer, "not_found", 404)
        assert answer.headers["cache-control"] == "no-store", path
        assert answer.headers["access-control-allow-origin"] == "*", path


def test_bytes_at_a_path_never_change_and_partial_tiles_stay(game: Game, http: TestClient) -> None:
    seen: dict[str, bytes] = {}
    heads: list[tuple[int, bytes]] = []
    for count in (1, 2, 252, 1, 44, 300):
        fill(game, count)
        log = read_log(http)
        heads.append((log.checkpoint.size, log.checkpoint.root))
        for tile in tiles_for(log.checkpoint.size):
            seen.setdefault(tile.path, http.get(f"/{tile.path}").content)
    for path, data in seen.items():
        assert http.get(f"/{path}").content == data, path
    assert Tile(0, 0, 255).path in seen
    assert Tile(0, 0).path in seen
    size, root = heads[-1]
    tree = TileReader(size, lambda tile: seen[tile.path])
    for old, old_root in heads[:-1]:
        verify_consistency(old, size, tree.consistency_proof(old), old_root, root)


def test_a_log_goes_on_after_a_restart(settings: Settings) -> None:

    sizes = (255, 1, 3, 250)
    heads = []
    for size in sizes:
        with TestClient(create_app(settings)) as http:
            game = Game(http, settings.operator_key_path.read_text().strip())
            fill(game, size)
            log = read_log(http)
            heads.append((log.checkpoint.size, log.checkpoint.root))
            total, root = heads[-1]
            tree = TileReader(total, lambda tile, http=http: http.get(f"/{tile.path}").content)  # type: ignore[misc]  # bound at once
            for old, old_root in heads:
                verify_consistency(
                    old, total, tree.consistency_proof(old) if old < total else [], old_root, root
                )
    assert [size for size, _ in heads] == [255, 256, 259, 509]


def test_a_client_written_by_others_accepts_checkpoint_and_proof(starting: Callable[..., Running]) -> None:
    running = starting()
    with running.client() as http:
        game = Game(http, running.key)
        fill(game, 300)
        hand = game.played(seats=(0, 1))["hand"]
        receipt = ok(game.get(f"/v1/hands/{hand}/receipt"))
        vkey = Vkey.from_string(game.get("/log/key").text.strip())
    backend = HttpBackend(running.url)
    reader = scales.TilesReader(backend)
    checkpoint = reader.get_checkpoint()
    checkpoint.verify(vkey)
    assert checkpoint.size == 303
    assert reader.calculate_root_hash() == checkpoint.root_hash
    for logged in receipt["entries"]:
        proof = reader.get_inclusion_proof(logged["index"], checkpoint.size)
        leaf = hashlib.sha256(b"\0" + logged["entry"].encode()).digest()
        proof.check(leaf, checkpoint.root_hash)
        assert reader.get_entry(logged["index"]) == logged["entry"].encode()
