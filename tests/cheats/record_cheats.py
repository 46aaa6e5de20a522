"""Lies in a history of records and receipts, by name: a file of hands with that one lie in it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from fairdeal.deal import deal_from
from fairdeal.draws import picker
from fairdeal.receipt import Record
from tests.cheats.house import House
from tests.dealer import OKEY, PLAIN, Hand, text_of

Found = set[tuple[str, str | None]]

HANDS = 120


@dataclass
class History:
    """Lines of a file, and what an audit must find: codes with hands, and the cause where one explains it."""

    lines: list[str]
    expected: Found
    cause: str | None = None
    kept: list[str] = field(default_factory=list)
    """Lines of a file of what players kept."""


Document = dict[str, Any]


def hands_of(house: House, count: int = HANDS) -> list[Hand]:
    """Played hands of two kinds of terms."""
    return [
        house.play((OKEY, PLAIN)[k % 2], sealed=((0, 2), ())[k % 2], table=f"t{k % 3}") for k in range(count)
    ]


def records(
    change: Callable[[House, Hand, Document], None], *codes: str, cause: str | None = None, nth: int = 60
) -> History:
    """Records of honest hands, of which one is changed."""
    house = House(41)
    hands = hands_of(house)
    lines = []
    for k, hand in enumerate(hands):
        document = house.record(hand).as_json()
        if k == nth:
            change(house, hand, document)
        lines.append(json.dumps(document))
    return History(lines, {(code, hands[nth].hand.hex()) for code in codes}, cause)


def honest() -> History:
    """Records and receipts, mixed."""
    house = House(42)
    hands = hands_of(house)
    lines = [text_of(house.record(hand) if k % 2 else house.receipt(hand)) for k, hand in enumerate(hands)]
    return History(lines, set())


def order_swapped() -> History:
    def change(house: House, hand: Hand, document: Document) -> None:
        order = document["deal"]["order"]
        order[3], order[4] = order[4], order[3]

    return records(change, "check-shuffle", cause="unknown")


def indicator_moved() -> History:
    def change(house: House, hand: Hand, document: Document) -> None:
        document["deal"]["indicator"] = (document["deal"]["indicator"] + 1) % 104

    # The tile shown in its place lies in a hand or in the stock as well.
    return records(change, "check-table", cause="tile-twice")


def false_joker_as_indicator() -> History:
    def change(house: House, hand: Hand, document: Document) -> None:
        deal = document["deal"]
        for tiles in (*deal["hands"], deal["stock"]):
            if 104 in tiles:
                tiles[tiles.index(104)] = deal["indicator"]
        deal["indicator"] = 104

    return records(change, "check-table", cause="false-joker-as-indicator")


def okey_off_by_one() -> History:
    def change(house: House, hand: Hand, document: Document) -> None:
        first = document["deal"]["indicator"] % 52
        document["deal"]["okey"] = [first, first + 52]

    return records(change, "check-table", cause="okey-is-indicator")


def stock_from_the_wrong_end() -> History:
    def change(house: House, hand: Hand, document: Document) -> None:
        document["deal"]["stock"].reverse()

    return records(change, "check-hands", cause="stock-from-wrong-end")


def hands_misdealt() -> History:
    def change(house: House, hand: Hand, document: Document) -> None:
        hands = document["deal"]["hands"]
        hands[0][2], hands[1][2] = hands[1][2], hands[0][2]

    return records(change, "check-hands", cause="hands-misdealt")


def tile_twice() -> History:
    def change(house: House, hand: Hand, document: Document) -> None:
        document["deal"]["hands"][0][0] = document["deal"]["hands"][0][1]

    return records(change, "check-hands", cause="tile-twice")


def commitment_of_another_seed() -> History:
    def change(house: House, hand: Hand, document: Document) -> None:
        document["commitment"] = house.random("another").hex()

    return records(change, "check-commitment", cause="unknown")


def seal_not_opened() -> History:
    def change(house: House, hand: Hand, document: Document) -> None:
        del document["contributions"][0]

    return records(change, "check-seals", cause="contribution-dropped")


def contribution_changed() -> History:
    def change(house: House, hand: Hand, document: Document) -> None:
        document["contributions"][0]["seed"] = house.random("bot").hex()

    return records(change, "check-seals", cause="contribution-changed")


def contribution_without_seal() -> History:
    def change(house: House, hand: Hand, document: Document) -> None:
        document["contributions"].append({"seat": 3, "seed": house.random("bot").hex()})

    # The deal is the one that follows without it.
    return records(change, "check-seals", cause="contribution-dropped")


def openings_root_unasked() -> History:
    def change(house: House, hand: Hand, document: Document) -> None:
        document["deal_root"] = bytes(32).hex()

    return records(change, "check-openings", cause="unknown")


def seed_reused() -> History:
    house = House(43)
    hands = hands_of(house)
    again = house.commit(OKEY, table="t1")
    again.server_seed = hands[6].server_seed
    house.lock(again)
    house.end(again, "played")
    lines = [text_of(house.record(hand)) for hand in [*hands, again]]
    return History(lines, {("repeated-seed", again.hand.hex()), ("repeated-commitment", again.hand.hex())})


def client_seed_used_twice() -> History:
    house = House(44)
    hands = hands_of(house)
    again = house.commit(OKEY, sealed=(0,), table="t1")
    again.client_seeds = {0: hands[6].client_seeds[0]}
    house.lock(again)
    house.end(again, "played")
    lines = [text_of(house.record(hand)) for hand in [*hands, again]]
    return History(lines, {("repeated-seal", again.hand.hex()), ("repeated-client-seed", again.hand.hex())})


def broken_line() -> History:
    history = honest()
    history.lines[20] = history.lines[20][:-20]
    history.expected = {("bad-line", None)}
    return history


def receipt_altered() -> History:
    """The seed in a receipt's reveal entry is another one than the log's."""
    house = House(45)
    hands = hands_of(house)
    lines = [text_of(house.receipt(hand)) for hand in hands]
    seed = hands[60].server_seed.hex()
    lines[60] = lines[60].replace(seed, house.random("another").hex())
    return History(lines, {("check-inclusion", hands[60].hand.hex())})


def receipts_of_two_logs() -> History:
    """One operator shows two players different logs of the same size, under one key."""
    one, other = House(46), House(47)
    other.log.signer = one.log.signer
    lines = [text_of(one.receipt(hand)) for hand in hands_of(one, 10)]
    hands = hands_of(other, 10)
    lines += [text_of(other.receipt(hand)) for hand in hands]
    found: Found = {
        (code, hand.hand.hex()) for hand in hands for code in ("index-reused", "number-reused", "forked")
    }
    return History(lines, found)


def commitment_that_nobody_was_shown() -> History:
    """A player kept a commitment; the history has the hand with another one."""
    house = House(48)
    hands = hands_of(house)
    kept = house.random("what the player saw").hex()
    return History(
        [text_of(house.record(hand)) for hand in hands],
        {("seen-missing", hands[5].hand.hex())},
        kept=[f"{hands[5].hand.hex()} {kept}", hands[6].commitment.hex()],
    )


def biased_shuffle() -> History:
    """A server that keeps no seeds swaps each tile with any other. Nothing can be recomputed; chance can."""
    house = House(49)
    chance = random.Random(7)
    lines = []
    for _ in range(2000):
        order = list(range(106))
        for i in range(105, 0, -1):
            j = chance.randrange(106)
            order[i], order[j] = order[j], order[i]
        deal = deal_from(picker(house.random("key")), PLAIN, order)
        record = Record(house.random("hand", 16), PLAIN, None, None, (), (), None, deal.as_json())
        lines.append(text_of(record))
    return History(lines, {("alarm", None)})


LIES: dict[str, Callable[[], History]] = {
    function.__name__: function
    for function in (
        order_swapped,
        indicator_moved,
        false_joker_as_indicator,
        okey_off_by_one,
        stock_from_the_wrong_end,
        hands_misdealt,
        tile_twice,
        commitment_of_another_seed,
        seal_not_opened,
        contribution_changed,
        contribution_without_seal,
        openings_root_unasked,
        seed_reused,
        client_seed_used_twice,
        broken_line,
        receipt_altered,
        receipts_of_two_logs,
        commitment_that_nobody_was_shown,
    )
}
