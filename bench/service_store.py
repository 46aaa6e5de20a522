"""Fill a store with many ended hands, much faster than the service could, in the service's own form.

Every hand has its commit, lock and reveal in the log, in canonical form, under real tiles and a signed
checkpoint; the service starts on it as on its own. What is not real: tiles are never dealt, so nobody has
checked that the seeds give anything in particular.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

from fairdeal_api import db
from fairdeal_api.bulk import insert_rows
from fairdeal_api.hands import COLUMNS, Hand, terms_text
from fairdeal_api.head import advance, need_tile, read_head
from fairdeal_api.moves import json_text
from fairdeal_api.server import prepare
from fairdeal_api.settings import Settings
from fairdeal_api.signing import Signing
from fairdeal_api.tables import REVEALED
from fairdeal_api.tree import FullTiles, GrowingTree
from service_bare import HOUR, TERMS
from sqlmodel import SQLModel

from fairdeal.entries import Commit, Lock, Reveal
from fairdeal.merkle import leaf_hash
from fairdeal.seeds import Contribution, Seal

PART = 10_000
TABLES = 1_000
MINUTE = 60_000

Rows = dict[str, tuple[tuple[str, ...], list[tuple[object, ...]]]]


def fill(settings: Settings, hands: int) -> None:
    """Bring the store to this many ended hands; goes on where it stopped."""
    prepare(settings)
    engine = db.writer_engine(settings.store_url)
    signing, full, tree = Signing(settings.log_key_path), FullTiles(), None
    try:
        while True:
            with engine.begin() as connection:
                head = read_head(connection, to_write=True)
                if head is None:
                    raise SystemExit("the store has no log")
                done = head.size // 3
                if done >= hands:
                    break
                if tree is None or tree.size != head.size:
                    tree = GrowingTree(head.size, lambda level, n: need_tile(connection, level, n), full)
                at = max(head.at, time.time_ns() // 1_000_000)
                drafts = list(ended_hands(done, min(PART, hands - done), head.size, at))
                entries = [entry for _, _, three in drafts for entry in three]
                for table, (columns, rows) in rows_of(drafts, head.size, done).items():
                    insert_rows(connection, SQLModel.metadata.tables[table], columns, rows)
                signers = signing.signers(head)
                advance(connection, head, tree, signers, entries=entries, stored=entries, at=at)
            tree.settle()
    finally:
        engine.dispose()


def ended_hands(first: int, count: int, index: int, at: int) -> Iterator[tuple[Hand, bytes, list[bytes]]]:
    """Hands as rows, each with its one seal and its three entries."""
    terms = terms_text(TERMS)
    for k in range(first, first + count):
        hand, seed, client = secrets.token_bytes(16), secrets.token_bytes(32), secrets.token_bytes(32)
        table, number = f"old:{k % TABLES}", k // TABLES + 1
        seals = (Seal(0, hashlib.sha256(client).digest()),)
        opened = (Contribution(0, client),)
        committed = hashlib.sha256(seed).digest()
        one = Commit(at, "operator", table, number, hand, TERMS, committed, seals, None, at + HOUR).encode()
        two = Lock(at, hand, leaf_hash(one), opened, None, at + HOUR).encode()
        three = Reveal(at, hand, leaf_hash(two), "played", None, seed).encode()
        row = Hand(
            index, hand, k % TABLES + 1, "operator", table, number, REVEALED, at + HOUR, terms, committed,
            json_text([s.as_json() for s in seals]), None, at, at + HOUR, None, index + 1, at, at + HOUR,
            json_text([c.as_json() for c in opened]), None, index + 2, at, "played", None, seed,
        )  # fmt: skip
        yield row, seals[0].seal, [one, two, three]
        index += 3


def rows_of(drafts: list[tuple[Hand, bytes, list[bytes]]], index: int, first: int) -> Rows:
    """The rows to insert, by table."""
    entries = [entry for _, _, three in drafts for entry in three]
    rows: Rows = {
        "entries": (("idx", "entry"), [(index + k, entry) for k, entry in enumerate(entries)]),
        "hands": (COLUMNS, [tuple(getattr(row, name) for name in COLUMNS) for row, _, _ in drafts]),
        "seals": (("seal", "hand"), [(seal, row.hand) for row, seal, _ in drafts]),
    }
    if first == 0:
        columns = ("id", "operator", "name", "dealer", "dealer_number", "first_waiting")
        rows["game_tables"] = (columns, [(k + 1, "operator", f"old:{k}", None, 0, 1) for k in range(TABLES)])
    return rows


def stored_bytes(folder: Path) -> int:
    """Bytes of a store's files in a folder."""
    return sum(path.stat().st_size for path in folder.iterdir() if path.name.startswith("fairdeal.db"))
