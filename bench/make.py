"""Honest histories to measure on: records as JSON Lines or Parquet, the same ones for the same numbers.

python bench/make.py records.jsonl 1000000 [--terms plain|wall|sealed]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

from fairdeal.audit.histories import columns as c
from fairdeal.audit.histories.columns import Hands
from fairdeal.audit.histories.derive import derive
from fairdeal.audit.histories.parquetout import ParquetWriter
from fairdeal.audit.kernel import choose
from fairdeal.receipt import RECORD_FORMAT
from fairdeal.terms import OkeyTerms, Terms

AT_ONCE = 8192

TERMS: dict[str, tuple[Terms, int]] = {
    "plain": (OkeyTerms("okey", "plain", 4, 0, 1, openings=False), 0),
    "wall": (OkeyTerms("okey", "wall", 4, "throw", 1, openings=False), 0),
    "sealed": (OkeyTerms("okey", "wall", 4, "throw", 1, openings=False), 4),
}
"""By name: terms, and how many seats contribute to each hand."""


def hands(terms: Terms, sealed: int, first: int, count: int) -> Hands:
    """``count`` honest hands from number ``first`` on, in columns."""
    rng = np.random.default_rng([first, sealed])
    made = c.empty(count)
    made.taken[:] = 1
    made.has[:] = c.HAS_COMMITMENT | c.HAS_SEED
    made.hand[:] = rng.integers(0, 256, made.hand.shape, np.uint8)
    made.seed[:] = rng.integers(0, 256, made.seed.shape, np.uint8)
    made.terms[:] = c.pack_terms(terms)
    made.seal_count[:] = made.opened_count[:] = sealed
    for seat in range(sealed):
        made.opened[:, seat, 0] = made.seals[:, seat, 0] = seat
        made.opened[:, seat, 1:] = rng.integers(0, 256, (count, 32), np.uint8)
        # A seal is a hash of 32 bytes, as a commitment is.
        made.seals[:, seat, 1:] = derive(
            made._replace(seed=made.opened[:, seat, 1:].copy()), choose(10**6)
        ).commitment
    truth = derive(made, choose(10**6))
    made.commitment[:] = truth.commitment
    made.deal[:] = truth.deal
    return made


def batches(name: str, count: int) -> Iterator[Hands]:
    """All the hands of a history, some thousands at a time."""
    terms, sealed = TERMS[name]
    for first in range(0, count, AT_ONCE):
        yield hands(terms, sealed, first, min(AT_ONCE, count - first))


def lines(name: str, first: int, count: int) -> bytes:
    """Records as JSON Lines, as compact as the service writes them."""
    terms, sealed = TERMS[name]
    made = hands(terms, sealed, first, count)
    stated = terms.canonical().decode()
    found = []
    for row in range(count):
        seals = ",".join(_seat(k, "seal", made.seals[row, k, 1:].tobytes()) for k in range(sealed))
        opened = ",".join(_seat(k, "seed", made.opened[row, k, 1:].tobytes()) for k in range(sealed))
        deal = deal_text(made.deal[row].tobytes())
        found.append(
            f'{{"format":"{RECORD_FORMAT}","hand":"{made.hand[row].tobytes().hex()}","terms":{stated},'
            f'"commitment":"{made.commitment[row].tobytes().hex()}",'
            f'"server_seed":"{made.seed[row].tobytes().hex()}","seals":[{seals}],"contributions":[{opened}],'
            f'"deal_root":null,"deal":{deal}}}\n'
        )
    return "".join(found).encode()


_NUMBERS = [str(number) for number in range(256)]


def deal_text(deal: bytes) -> str:
    """A packed deal of Okey as the document's text, as compact as can be."""

    def run(at: int, count: int) -> str:
        return ",".join([_NUMBERS[value] for value in deal[at : at + count]])

    def runs(at: int, lengths: list[int], step: int) -> str:
        return ",".join(f"[{run(at + k * step, length)}]" for k, length in enumerate(lengths))

    wall = ""
    if deal[c.KIND] == c.WALL_DEAL:
        height, dice = deal[c.HEIGHT], deal[c.DICE]
        wall = (
            f'"wall":[{runs(c.WALL, [height] * deal[c.STACKS], height)}],"spare":{deal[c.SPARE]},'
            f'"throws":[{runs(c.THROWS, [dice] * deal[c.THROW_COUNT], dice)}],'
            f'"selected":{deal[c.SELECTED]},"level":{deal[c.LEVEL]},'
        )
    hands = runs(c.HANDS, list(deal[c.HAND_LENGTHS : c.HAND_LENGTHS + deal[c.SEATS]]), c.HAND_ROOM)
    return (
        f'{{"order":[{run(c.ORDER, deal[c.ORDER_LENGTH])}],"dealer":{deal[c.DEALER]},'
        f'"dealer_throws":[{_rounds(deal)}],"starter":{deal[c.STARTER]},{wall}'
        f'"indicator":{deal[c.INDICATOR]},"okey":[{deal[c.OKEY]},{deal[c.OKEY2]}],'
        f'"hands":[{hands}],"stock":[{run(c.STOCK, deal[c.STOCK_LENGTH])}]}}'
    )


def _rounds(deal: bytes) -> str:
    """The rounds of throws for the dealer."""
    found, at = [], c.DEALER_THROWS
    for _ in range(deal[c.ROUNDS]):
        pairs = range(at + 1, at + 1 + 2 * deal[at], 2)
        found.append(",".join(f'{{"seat":{deal[k]},"value":{deal[k + 1]}}}' for k in pairs))
        at += 1 + 2 * deal[at]
    return ",".join(f"[{throws}]" for throws in found)


def _seat(seat: int, name: str, value: bytes) -> str:
    return f'{{"seat":{seat},"{name}":"{value.hex()}"}}'


def make(path: Path, name: str, count: int) -> None:
    """Write a history of ``count`` hands; JSON Lines or Parquet by the file's ending."""
    if path.suffix == ".parquet":
        with ParquetWriter(str(path)) as out:
            for made in batches(name, count):
                out.add_columns(made)
        return
    firsts = range(0, count, AT_ONCE)
    sizes = [min(AT_ONCE, count - first) for first in firsts]
    with ProcessPoolExecutor() as pool, path.open("wb") as file:
        for data in pool.map(partial(lines, name), firsts, sizes):
            file.write(data)


def asked(about: str | None, what: str = "path") -> tuple[Path, str, int]:
    """Where to, of which terms, and how many, as the command line of one of these scripts says."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument(what, type=Path)
    parser.add_argument("count", type=int)
    parser.add_argument("--terms", choices=TERMS, default="plain")
    chosen = parser.parse_args()
    return getattr(chosen, what), chosen.terms, chosen.count


if __name__ == "__main__":
    make(*asked(__doc__))
