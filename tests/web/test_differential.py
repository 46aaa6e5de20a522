"""The page's protocol modules, in Node and in Chromium, and the Python core say the same of the same hands.

Deals are compared to the byte; receipts and records, honest and tampered with in every way the core's tests
know, by verdict, checks, grinding, log evidence and cause. ``FAIRDEAL_DIFFERENTIAL`` multiplies the cases.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from fairdeal.deal import make_deal
from fairdeal.diagnose import OtherHand
from fairdeal.errors import MalformedError
from fairdeal.note import Signer, Verifier
from fairdeal.openings import deal_root
from fairdeal.receipt import Receipt, Record
from fairdeal.seeds import Contribution, commitment, deal_key
from fairdeal.seen import Seen, SeenCommitment, SeenOpening, SeenReceipt, SeenSeed, SeenTiles
from fairdeal.terms import DeckTerms, Terms
from fairdeal.tiles import name
from fairdeal.verify import verify
from tests.core.planted import every_plant
from tests.core.strategies import OKEY_TERMS
from tests.core.tamper import changed_documents
from tests.dealer import OKEY, OPENED, Dealer, Hand, evening
from tests.web.chromium import Asker

BRIDGE = Path(__file__).parent / "protocol" / "bridge.mjs"
TIMES = float(os.environ.get("FAIRDEAL_DIFFERENTIAL", "1"))
NODE = shutil.which("node") or "node"

Request = dict[str, Any]


def ask(requests: Sequence[Request]) -> list[dict[str, Any]]:
    """The modules' answers, in order."""
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run(
        [NODE, str(BRIDGE)], input=lines, capture_output=True, encoding="utf-8", check=False, timeout=280
    )
    assert done.returncode == 0, done.stderr[-2000:]
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(requests)
    return answers


def test_deals_are_identical(chromium: Asker) -> None:
    chance = random.Random(1)
    requests, expected = [], []
    for k in range(int(300 * TIMES)):
        terms: Terms = OKEY_TERMS[k % len(OKEY_TERMS)]
        if k % 10 == 0:
            terms = DeckTerms(chance.randint(2, 1024), chance.randint(1, 16), openings=k % 20 == 0)
        seed, hand = chance.randbytes(32), chance.randbytes(16)
        seats = sorted(chance.sample(range(16), chance.randint(0, 4)))
        opened = tuple(Contribution(seat, chance.randbytes(32)) for seat in seats)
        key = deal_key(seed, hand, terms, opened)
        deal = make_deal(key, terms)
        requests.append(
            {
                "op": "deal",
                "terms": terms.as_json(),
                "server_seed": seed.hex(),
                "hand": hand.hex(),
                "contributions": [c.as_json() for c in opened],
            }
        )
        expected.append(
            {
                "commitment": commitment(seed).hex(),
                "key": key.hex(),
                "deal": deal.as_json(),
                "deal_root": deal_root(key, terms, deal).hex() if terms.openings else None,
            }
        )
    assert ask(requests) == expected
    assert chromium(requests) == expected


# --- Verification ----------------------------------------------------------------------------------------


def seen_json(item: Seen) -> dict[str, Any]:
    if isinstance(item, SeenCommitment):
        return {"commitment": item.commitment.hex()}
    if isinstance(item, SeenReceipt):
        return {"receipt": json.dumps(item.receipt.as_json())}
    if isinstance(item, SeenSeed):
        return {"seat": item.seat, "seed": item.seed.hex()}
    if isinstance(item, SeenTiles):
        return {"seat": item.seat, "tiles": list(item.faces)}
    return {"opening": item.opening.as_json()}


class Case:
    """One document with everything that a verifier may be given beside it."""

    def __init__(
        self,
        what: str,
        text: str,
        keys: Sequence[Verifier] = (),
        seen: Sequence[Seen] = (),
        others: Sequence[OtherHand] = (),
    ) -> None:
        self.what, self.text, self.keys, self.seen, self.others = what, text, keys, seen, others

    def request(self) -> Request:
        others = [
            {
                "hand": other.hand.hex(),
                "commitment": other.commitment and other.commitment.hex(),
                "server_seed": other.server_seed and other.server_seed.hex(),
            }
            for other in self.others
        ]
        return {
            "op": "verify",
            "text": self.text,
            "keys": [key.text() for key in self.keys],
            "seen": [seen_json(item) for item in self.seen],
            "others": others,
        }

    def answer(self) -> dict[str, Any]:
        try:
            report = verify(self.text, keys=self.keys, seen=self.seen, others=self.others).as_json()
        except MalformedError:
            return {"refused": True}
        report["checks"] = [{"name": c["name"], "result": c["result"]} for c in report["checks"]]
        return report


def kept(dealer: Dealer, hand: Hand, chance: random.Random) -> list[Seen]:
    """Some of what a player may have kept; of this hand or another, right or wrong."""
    items: list[Seen] = [
        SeenCommitment(hand.commitment),
        SeenReceipt(dealer.receipt(hand, upto="commit")),
        SeenReceipt(dealer.receipt(hand, upto="lock")),
        SeenReceipt(dealer.receipt(hand, upto="lock", size=max(hand.indexes.values()) + 1)),
        SeenCommitment(bytes(32)),
        SeenReceipt(dealer.receipt(dealer.hands[0], upto="commit")),
        SeenSeed(chance.randrange(4), bytes(32)),
        SeenTiles(chance.randrange(5), ("R1", "J")),
    ]
    items += [SeenSeed(seat, seed) for seat, seed in hand.client_seeds.items()]
    if hand.outcome is not None:
        items.append(SeenReceipt(dealer.receipt(hand)))
    if hand.locked:
        deal = dealer.deal_of(hand).as_json()
        items += [
            SeenTiles(seat, tuple(map(name, tiles))) for seat, tiles in enumerate(deal.get("hands", []))
        ]
        if hand.terms.openings:
            slot = "order/1" if isinstance(hand.terms, DeckTerms) else "indicator"
            items += [SeenOpening(opening) for opening in dealer.openings(hand, slot)]
    return chance.sample(items, chance.randint(0, 4))


def documents(dealer: Dealer) -> Iterator[tuple[Hand, Receipt | Record]]:
    for hand in dealer.hands:
        yield hand, dealer.receipt(hand)
        yield hand, dealer.receipt(hand, upto="lock")
        yield hand, dealer.receipt(hand, upto="commit")
        if hand.locked:
            yield hand, dealer.record(hand)


def keys_for(dealer: Dealer, chance: random.Random) -> list[Verifier]:
    own = dealer.log.signer.verifier
    stranger = Signer("log.example/stranger", bytes(32)).verifier
    namesake = Signer(own.name, bytes(32)).verifier
    return chance.choice([[], [own], [own], [stranger], [namesake], [namesake, own]])


def honest(chance: random.Random) -> Iterator[Case]:
    dealer = evening(3)
    for _ in range(int(3 * TIMES)):
        for hand, document in documents(dealer):
            text = json.dumps(document.as_json(), indent=chance.choice([None, 2]))
            yield Case("honest", text, keys_for(dealer, chance), kept(dealer, hand, chance))


def tampered(chance: random.Random) -> Iterator[Case]:
    dealer = evening(4)
    for hand, document in documents(dealer):
        found = list(changed_documents(document.as_json()))
        for what, text in chance.sample(found, min(len(found), int(16 * TIMES))):
            yield Case(what, text, keys_for(dealer, chance), kept(dealer, hand, chance))


def planted(chance: random.Random) -> Iterator[Case]:
    for plant in every_plant(2):
        for document in (plant.receipt, plant.record):
            yield Case(plant.name, json.dumps(document.as_json()), (), plant.seen, plant.others)
    # Two mistakes in one hand: the first that fits is named by both.
    plants = every_plant(3)
    for _ in range(int(60 * TIMES)):
        one, other = chance.sample(plants, 2)
        mixed = one.record.as_json()
        for member in chance.sample(
            ["deal", "commitment", "server_seed", "contributions", "seals", "terms"], 2
        ):
            mixed[member] = other.record.as_json()[member]
        yield Case("mixed", json.dumps(mixed), (), one.seen, other.others)


def rearranged(chance: random.Random) -> Iterator[Case]:
    """Receipts over entries of several hands, in any sequence, some of them unknown or of wrong outcomes."""
    dealer = evening(5)
    log = dealer.log
    for text in (
        '{"type":"later","v":1}',
        '{"type":"commit","v":2}',
        '{"a":1}',
        '{"type":"lock","v":1}',
        "{}",
        "",
    ):
        log.append(text.encode())
    for reason in ("seat-silent", "technical"):
        for sealed in ((), (1,)):
            dealer.end(dealer.commit(sealed=sealed), "void", reason)
            dealer.end(dealer.lock(dealer.commit(sealed=sealed)), "void", reason)
            dealer.end(dealer.commit(sealed=sealed), "played")
    deals = [None, *(dealer.deal_of(hand).as_json() for hand in dealer.hands[:4])]
    for _ in range(int(250 * TIMES)):
        hand = chance.choice(dealer.hands)
        indexes = list(hand.indexes.values())
        if chance.random() < 0.7:
            indexes = [*indexes, *chance.sample(range(len(log.entries)), chance.randint(0, 2))]
            chance.shuffle(indexes)
            indexes = indexes[: chance.randint(0, 4)]
        document = log.receipt(indexes, chance.choice(deals)).as_json()
        if chance.random() < 0.2 and document["entries"]:
            chance.choice(document["entries"])["entry"] = chance.choice(
                ['{"type":"x","v":-1}', '{"type":"x","v":true}']
            )
        yield Case("rearranged", json.dumps(document), keys_for(dealer, chance), kept(dealer, hand, chance))


def broken(chance: random.Random) -> Iterator[Case]:
    """Texts that are no strict JSON any more, or nearly none."""
    dealer = Dealer(6)
    texts = [
        json.dumps(dealer.receipt(dealer.play(terms, sealed=(0,))).as_json()) for terms in (OKEY, OPENED)
    ]
    pieces = [
        "",
        "0",
        '"',
        "\\",
        "\\u",
        " ",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "e1",
        ".0",
        "-",
        "null",
        "\u2028",
        "\ufeff",
        "\x00",
    ]
    for _ in range(int(250 * TIMES)):
        text = chance.choice(texts)
        at = chance.randrange(len(text)) if chance.random() < 0.5 else chance.randrange(60)
        yield Case("broken", text[:at] + chance.choice(pieces) + text[at + chance.randint(0, 2) :])
    whole = json.loads(texts[0])
    for text in (
        "",
        "null",
        "[]",
        '{"format":"fairdeal/1 receipt"}',
        '{"format":"fairdeal/1 receipt","format":"fairdeal/1 receipt"}',
        '{"format":"fairdeal/1 record"}',
        '{"format":"fairdeal/2 receipt"}',
        '{"format":["fairdeal/1 receipt"]}',
        texts[0] + "\n\n",
        texts[0] + "{}",
        texts[0].replace('"index": 0', '"index": 0.0'),
        texts[0].replace('"index": 0', '"index": -0'),
        texts[0].replace('"index": 0', '"index": 00'),
        texts[0].replace('"index"', '"\\u0069ndex"'),
        texts[0].replace('"index": 0', '"index": 0, "index": 0'),
        json.dumps(whole | {"__proto__": 1}),
        json.dumps({**whole, "deal": {**whole["deal"], "constructor": 1}}),
        json.dumps({**whole, "deal": {"order": [[[[0] * 3] * 3] * 3]}}),
        json.dumps({**whole, "entries": whole["entries"] * 6}),
        json.dumps({**whole, "checkpoint": whole["checkpoint"].replace("\n\n", "\n\u0085\n\n")}),
        json.dumps({**whole, "vkey": "\ud800"}),
        "[" * 40 + "]" * 40,
        '{"format":"fairdeal/1 receipt","x":' + "[" * 31 + "]" * 31 + "}",
        '{"format":"fairdeal/1 receipt","x":' + "[" * 32 + "]" * 32 + "}",
    ):
        yield Case(f"by hand: {text[:60]}", text)


def tiny(chance: random.Random) -> Iterator[Case]:
    """Decks so small that several mistakes deal the same: the first that fits is named."""
    dealer = Dealer(8)
    for _ in range(int(150 * TIMES)):
        terms = DeckTerms(chance.randint(2, 4), chance.randint(1, 16), openings=chance.random() < 0.3)
        seats = sorted(chance.sample(range(terms.seats), min(terms.seats, chance.randint(0, 5))))
        hand = dealer.play(terms, sealed=seats)
        order = chance.sample(range(terms.size), terms.size)
        if chance.random() < 0.2:
            order = [chance.randrange(5) for _ in range(chance.randint(0, 5))]
        others = [OtherHand(h.hand, h.commitment, h.server_seed) for h in dealer.hands[:2]]
        text = json.dumps(dealer.record(hand).as_json() | {"deal": {"order": order}})
        yield Case("tiny", text, (), kept(dealer, hand, chance), others[: chance.randint(0, 2)])


KINDS = {
    "honest": honest,
    "tampered": tampered,
    "planted": planted,
    "rearranged": rearranged,
    "broken": broken,
    "tiny": tiny,
}


def flat(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer with its checks by name, so that a difference is easy to read."""
    checks = {check["name"]: check["result"] for check in answer.get("checks", ())}
    return {**answer, "checks": list(checks)} | checks


@pytest.mark.parametrize("kind", KINDS)
def test_reports_are_the_same(chromium: Asker, kind: str) -> None:
    cases = list(KINDS[kind](random.Random(kind)))
    requests = [case.request() for case in cases]
    seen: Counter[str] = Counter()
    for case, *answers in zip(cases, ask(requests), chromium(requests), strict=True):
        ours = case.answer()
        for where, answer in zip(("Node", "Chromium"), answers, strict=True):
            theirs = {"refused": True} if "refused" in answer else answer
            assert flat(theirs) == flat(ours), f"{where}: {case.what}\n{json.dumps(case.request())}"
        seen[ours.get("verdict", "refused")] += 1
    assert len(seen) > 1 or kind == "planted"
