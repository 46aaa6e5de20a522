"""Honest receipts to measure on: every hand of a log (:mod:`makelog`) under its one checkpoint, as exported.

python bench/makereceipts.py receipts.jsonl 100000 [--terms plain|wall|sealed]
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from make import AT_ONCE, asked, batches, deal_text
from makelog import SIGNER, TABLES, entries

from fairdeal.checkpoint import Checkpoint
from fairdeal.note import sign
from fairdeal.receipt import RECEIPT_FORMAT


def tree(leaves: list[bytes]) -> list[list[bytes]]:
    """All levels of a tree; an odd last node moves up as it is, which gives RFC 6962's tree."""
    levels = [leaves]
    while len(levels[-1]) > 1:
        below = levels[-1]
        pairs = range(0, len(below) - 1, 2)
        level = [hashlib.sha256(b"\1" + below[k] + below[k + 1]).digest() for k in pairs]
        levels.append(level + below[len(below) & ~1 :])
    return levels


def proof(texts: list[list[str]], index: int) -> str:
    """The inclusion proof of an entry, out of every level's nodes as JSON has them."""
    found = []
    for level in texts[:-1]:
        # Where a node has no neighbour, it moved up by itself.
        if index ^ 1 < len(level):
            found.append(level[index ^ 1])
        index >>= 1
    return ",".join(found)


def stages(hand: int, count: int) -> Iterator[int]:
    """The log indexes of a hand's commit, lock and reveal: the log goes table by table, stage by stage."""
    batch, place = divmod(hand, AT_ONCE)
    hands = min(AT_ONCE, count - batch * AT_ONCE)
    round_, table = divmod(place, TABLES)
    tables = min(TABLES, hands - round_ * TABLES)
    first = 3 * (batch * AT_ONCE + round_ * TABLES)
    return (first + stage * tables + table for stage in range(3))


def make(path: Path, name: str, count: int) -> None:
    """Write the receipts of a history of ``count`` hands, a line each."""
    logged = list(entries(name, count))
    levels = tree([hashlib.sha256(b"\0" + entry).digest() for entry in logged])
    texts = [[f'"{base64.b64encode(node).decode()}"' for node in level] for level in levels]
    note = sign(Checkpoint(SIGNER.name, len(logged), levels[-1][0]).text(), [SIGNER])
    head = json.dumps({"format": RECEIPT_FORMAT, "vkey": SIGNER.verifier.text(), "checkpoint": note})
    hand = 0
    with path.open("w") as file:
        for made in batches(name, count):
            for row in range(len(made.hand)):
                listed = ",".join(
                    f'{{"index":{k},"entry":{json.dumps(logged[k].decode())},"proof":[{proof(texts, k)}]}}'
                    for k in stages(hand, count)
                )
                deal = deal_text(made.deal[row].tobytes())
                file.write(f'{head[:-1]},"entries":[{listed}],"deal":{deal}}}\n')
                hand += 1


if __name__ == "__main__":
    make(*asked(__doc__))
