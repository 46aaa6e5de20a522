"""Hands dealt under a mistake, one for each cause that a refutation can name (protocol §10.4).

Each plant is a receipt of a log that its dealer really signed, or a record of the same hand. The mistakes are
worked out here on their own, not by the code that looks for them.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from fairdeal.deal import deal_from, make_deal
from fairdeal.diagnose import OtherHand
from fairdeal.draws import picker
from fairdeal.receipt import Receipt, Record
from fairdeal.seeds import Contribution, deal_key, transcript
from fairdeal.seen import Seen, SeenSeed
from fairdeal.terms import DeckTerms, OkeyTerms, Terms
from tests.dealer import DECK, OKEY, OPENED, PLAIN, Dealer, Hand

Document = dict[str, Any]


@dataclass(frozen=True)
class Plant:
    """A refuted hand: its evidence, what else the verifier is given, and the cause to be named."""

    cause: str
    receipt: Receipt
    record: Record
    seen: tuple[Seen, ...] = ()
    others: tuple[OtherHand, ...] = ()
    note: str = field(default="", compare=False)

    @property
    def name(self) -> str:
        return f"{self.cause}: {self.note}" if self.note else self.cause


def sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def transcript_of(hand: Hand) -> bytes:
    return transcript(hand.hand, hand.terms, hand.contributions)


class Careless(Dealer):
    """A dealer who deals honestly, until told what to show instead."""

    def shows(
        self, cause: str, hand: Hand, deal: Document, note: str = "", seen: tuple[Seen, ...] = ()
    ) -> Plant:
        """The hand as it is, with another deal document."""
        receipt, record = self.receipt(hand), self.record(hand)
        return Plant(cause, replace(receipt, deal=deal), replace(record, deal=deal), seen, note=note)

    def key_with(
        self,
        hand: Hand,
        *,
        seed: bytes | None = None,
        terms: Terms | None = None,
        opened: Iterable[Contribution] | None = None,
    ) -> bytes:
        """The deal key with one of its parts exchanged."""
        return deal_key(
            seed or hand.server_seed,
            hand.hand,
            terms or hand.terms,
            hand.contributions if opened is None else opened,
        )

    def ends_with(self, hand: Hand, cause: str, seed: bytes, deal: Document, note: str) -> Plant:
        """The hand as locked, ended by revealing another seed than the committed one."""
        committed = hand.commitment
        hand.server_seed = seed
        self.end(hand, "played")
        receipt = replace(self.receipt(hand), deal=deal)
        record = replace(self.record(hand), commitment=committed, deal=deal)
        return Plant(cause, receipt, record, note=note)


def by_order(hand: Hand, key: bytes, order: list[int]) -> Document:
    return deal_from(picker(key), hand.terms, order).as_json()


def swapped(n: int, steps: Iterable[tuple[int, int]]) -> list[int]:
    order = list(range(n))
    for i, j in steps:
        order[i], order[j] = order[j], order[i]
    return order


Draw = Callable[[str, int], int]


def little(key: bytes) -> Draw:
    def draw(label: str, m: int) -> int:
        return int.from_bytes(hmac.digest(key, label.encode(), "sha256"), "little") % m

    return draw


def shuffles(key: bytes, n: int) -> dict[str, tuple[str, list[int]]]:
    """Orders from wrong shuffles, by what is wrong: (cause, order)."""
    draw = picker(key)
    down, up = range(n - 1, 0, -1), range(1, n)
    return {
        "up, below": ("ascending-shuffle", swapped(n, ((i, draw(f"r:{i}", i + 1)) for i in up))),
        "up, above": (
            "ascending-shuffle",
            swapped(n, ((i, i + draw(f"r:{i}", n - i)) for i in range(n - 1))),
        ),
        "ends at 2": ("shuffle-off-by-one", swapped(n, ((i, draw(f"r:{i}", i + 1)) for i in down if i > 1))),
        "Sattolo": ("shuffle-off-by-one", swapped(n, ((i, draw(f"r:{i}", i)) for i in down))),
        "any, down": ("naive-shuffle", swapped(n, ((i, draw(f"r:{i}", n)) for i in down))),
        "any, down to 0": ("naive-shuffle", swapped(n, ((i, draw(f"r:{i}", n)) for i in reversed(range(n))))),
        "any, up": ("naive-shuffle", swapped(n, ((i, draw(f"r:{i}", n)) for i in range(n)))),
        "any, up from 1": ("naive-shuffle", swapped(n, ((i, draw(f"r:{i}", n)) for i in up))),
    }


def seed_plants(dealer: Careless) -> list[Plant]:
    found = []
    hand = dealer.lock(dealer.commit(sealed=(0, 1)))
    deal = make_deal(dealer.key_with(hand, seed=hand.commitment), hand.terms).as_json()
    found.append(dealer.ends_with(hand, "commitment-as-seed", hand.commitment, deal, "revealed"))
    hand = dealer.play(sealed=(0, 1))
    found.append(
        dealer.shows("commitment-as-seed", hand, deal_by(dealer.key_with(hand, seed=hand.commitment), hand))
    )

    for upper in (False, True):
        text = hand.server_seed.hex()
        key = hmac.digest((text.upper() if upper else text).encode(), transcript_of(hand), "sha256")
        found.append(dealer.shows("seed-as-hex-text", hand, deal_by(key, hand), f"upper case: {upper}"))
        plant = dealer.shows(
            "seed-as-hex-text", hand, dealer.record(hand).deal or {}, f"committed, upper case: {upper}"
        )
        wrong = sha((text.upper() if upper else text).encode())
        found.append(
            replace(plant, record=replace(plant.record, commitment=wrong), receipt=recommit(hand, wrong))
        )

    other = dealer.play()
    told = OtherHand(other.hand, other.commitment, other.server_seed)
    plant = dealer.shows(
        "other-hands-seed", hand, deal_by(dealer.key_with(hand, seed=other.server_seed), hand), "dealt"
    )
    found.append(replace(plant, others=(told,)))
    hand = dealer.lock(dealer.commit())
    plant = dealer.ends_with(
        hand, "other-hands-seed", other.server_seed, deal_by(dealer.key_of(hand), hand), "revealed"
    )
    found += [
        replace(plant, others=(replace(told, commitment=None),)),
        replace(plant, others=(replace(told, server_seed=None),)),
    ]
    hand = dealer.play()
    plant = dealer.shows("other-hands-seed", hand, dealer.record(hand).deal or {}, "committed")
    found.append(
        replace(
            plant,
            others=(told,),
            record=replace(plant.record, commitment=other.commitment),
            receipt=recommit(hand, other.commitment),
        )
    )
    hand = dealer.play(sealed=(2,))
    found.append(dealer.shows("seed-used-as-key", hand, deal_by(hand.server_seed, hand)))
    return found


def deal_by(key: bytes, hand: Hand) -> Document:
    return make_deal(key, hand.terms).as_json()


def recommit(hand: Hand, commitment: bytes) -> Receipt:
    """A receipt of the same hand over a log in which another commitment stands."""

    class Recommitted(Hand):
        @property
        def commitment(self) -> bytes:
            return commitment

    dealer = Careless(77)
    again = Recommitted(hand.hand, "t", 1, hand.terms, hand.server_seed, hand.client_seeds)
    dealer.log_commit(again)
    dealer.end(dealer.lock(again), "played")
    return dealer.receipt(again)


def contribution_plants(dealer: Careless) -> list[Plant]:
    found = []
    for terms, sealed in ((OKEY, (0, 1, 3)), (DECK, (0, 2, 4, 6, 8, 9))):
        hand = dealer.play(terms, sealed=sealed)
        for k in range(len(sealed)):
            key = dealer.key_with(hand, opened=hand.contributions[:k] + hand.contributions[k + 1 :])
            found.append(
                dealer.shows("contribution-dropped", hand, deal_by(key, hand), f"{len(sealed)} without {k}")
            )
        key = dealer.key_with(hand, opened=())
        found.append(
            dealer.shows("contribution-dropped", hand, deal_by(key, hand), f"{len(sealed)} without all")
        )
        hashed = [Contribution(c.seat, sha(c.seed.hex().encode())) for c in hand.contributions]
        key = dealer.key_with(hand, opened=hashed)
        found.append(
            dealer.shows("contribution-changed", hand, deal_by(key, hand), f"{len(sealed)} hashed as text")
        )
    hand = dealer.play(OKEY, sealed=(0, 1, 3))
    seeds = [c.seed for c in hand.contributions]
    turned = [
        Contribution(c.seat, seed) for c, seed in zip(hand.contributions, seeds[1:] + seeds[:1], strict=True)
    ]
    found.append(
        dealer.shows(
            "contribution-changed", hand, deal_by(dealer.key_with(hand, opened=turned), hand), "seats turned"
        )
    )

    found += [plant_locked(cause, note, change) for cause, note, change in LOCKED]
    # A player whose client seed was swapped knows it, even where seal and contribution were swapped together.
    hand = dealer.play(OKEY, sealed=(0, 1))
    own = (SeenSeed(0, bytes(32)),)
    found.append(dealer.shows("contribution-changed", hand, dealer.deal_of(hand).as_json(), "own seed", own))
    return found


def plant_locked(
    cause: str, note: str, change: Callable[[tuple[Contribution, ...]], tuple[Contribution, ...]]
) -> Plant:
    """A hand locked with other contributions than its seals ask for, and dealt by them."""

    class Locking(Careless):
        def contributions_of(self, hand: Hand) -> tuple[Contribution, ...]:
            return change(super().contributions_of(hand))

    dealer = Locking(5)
    hand = dealer.play(OKEY, sealed=(0, 1))
    return dealer.shows(cause, hand, dealer.deal_of(hand).as_json(), note)


LOCKED: list[tuple[str, str, Callable[[tuple[Contribution, ...]], tuple[Contribution, ...]]]] = [
    ("contribution-dropped", "locked without one", lambda opened: opened[:1]),
    ("contribution-dropped", "locked without any", lambda opened: ()),
    ("contribution-changed", "locked with another", lambda opened: (opened[0], Contribution(1, bytes(32)))),
    ("contribution-changed", "locked with one more", lambda opened: (*opened, Contribution(3, bytes(32)))),
]

OTHER_TERMS: list[tuple[Terms, Terms]] = [
    (OKEY, replace(OKEY, dealer=1)),
    (OKEY, replace(OKEY, dealer="throw")),
    (OKEY, replace(OKEY, dice=2)),
    (OKEY, replace(OKEY, seats=3)),
    (OKEY, replace(OKEY, game="okey101")),
    (OKEY, replace(OKEY, layout="plain")),
    (PLAIN, replace(PLAIN, layout="wall")),
    (OKEY, DeckTerms(106, 4, openings=False)),
    (DECK, DeckTerms(51, 10, openings=True)),
    (DECK, DeckTerms(52, 4, openings=True)),
    (DECK, OKEY),
]


def terms_plants(dealer: Careless) -> list[Plant]:
    found = []
    for stated, used in OTHER_TERMS:
        hand = dealer.play(stated, sealed=(0,))
        note = f"{stated.canonical().decode()} as {used.canonical().decode()}"
        theirs = make_deal(dealer.key_with(hand, terms=used), used).as_json()
        found.append(dealer.shows("other-terms", hand, theirs, f"{note}, in the key too"))
        same_key = make_deal(dealer.key_of(hand), used).as_json()
        if same_key != dealer.deal_of(hand).as_json():
            found.append(dealer.shows("other-terms", hand, same_key, f"{note}, in the deal alone"))
    return found


def draw_plants(dealer: Careless) -> list[Plant]:
    found = []
    for terms in (OKEY, OPENED, PLAIN, DECK):
        hand = dealer.play(terms, sealed=(0,))
        key, n = dealer.key_of(hand), terms.size
        kind = terms.game
        draw = little(key)
        order = swapped(n, ((i, draw(f"r:{i}", i + 1)) for i in range(n - 1, 0, -1)))
        whole = deal_from(draw, terms, order).as_json()
        found.append(dealer.shows("little-endian-draws", hand, whole, f"{kind}, all"))
        if by_order(hand, key, order) != whole:
            found.append(
                dealer.shows("little-endian-draws", hand, by_order(hand, key, order), f"{kind}, shuffle")
            )
        for note, (cause, wrong) in shuffles(key, n).items():
            if wrong != dealer.deal_of(hand).as_json()["order"]:
                found.append(dealer.shows(cause, hand, by_order(hand, key, wrong), f"{kind}, {note}"))
    return found


def table_plants(dealer: Careless) -> list[Plant]:
    found = []
    for terms in (OKEY, OPENED, PLAIN, OkeyTerms("okey101", "wall", 4, 3, 2, openings=False)):
        hand = dealer.play(terms, sealed=(0,))
        deal = dealer.deal_of(hand).as_json()
        note = f"{terms.game} {terms.layout} {terms.dice}"
        stock, hands = deal["stock"], deal["hands"]
        twice = [[hands[1][0], *hands[0][1:]], *hands[1:]]
        found.append(dealer.shows("tile-twice", hand, deal | {"hands": twice}, f"{note}, hands"))
        found.append(
            dealer.shows("tile-twice", hand, deal | {"stock": [*stock, deal["indicator"]]}, f"{note}, stock")
        )
        order = [deal["order"][1], *deal["order"][1:]]
        found.append(dealer.shows("tile-twice", hand, deal | {"order": order}, f"{note}, order"))
        if "wall" in deal:
            wall = [[deal["spare"], *deal["wall"][0][1:]], *deal["wall"][1:]]
            found.append(dealer.shows("tile-twice", hand, deal | {"wall": wall}, f"{note}, wall"))
        # The joker's place in hands or stock goes to the indicator, so that no tile is there twice.
        swap = {104: deal["indicator"], deal["indicator"]: 104}
        joker = deal | {
            "indicator": 104,
            "hands": [[swap.get(t, t) for t in h] for h in hands],
            "stock": [swap.get(t, t) for t in stock],
        }
        found.append(dealer.shows("false-joker-as-indicator", hand, joker, note))
        face = deal["indicator"] % 52
        found.append(dealer.shows("okey-is-indicator", hand, deal | {"okey": [face, face + 52]}, note))
        found.append(dealer.shows("stock-from-wrong-end", hand, deal | {"stock": stock[::-1]}, note))
        if isinstance(hand.terms, OkeyTerms) and "wall" in deal:
            cut = len(stock) - hand.terms.stack_height
            ended = deal | {"stock": stock[:cut] + stock[cut:][::-1]}
            found.append(dealer.shows("stock-from-wrong-end", hand, ended, f"{note}, last stack"))
        dealt = [hands[1], hands[0], *hands[2:]]
        found.append(dealer.shows("hands-misdealt", hand, deal | {"hands": dealt}, note))
        found.append(dealer.shows("unknown", hand, deal | {"dealer": (deal["dealer"] + 1) % 2 + 5}, note))
    return found


def every_plant(seed: int = 1) -> list[Plant]:
    """All plants; deterministic."""
    dealer = Careless(seed)
    return [
        *seed_plants(dealer),
        *terms_plants(dealer),
        *contribution_plants(dealer),
        *draw_plants(dealer),
        *table_plants(dealer),
    ]
