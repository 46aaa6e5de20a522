"""Hands in every state that the page has to show, by name."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from fairdeal.note import sign
from fairdeal.terms import OkeyTerms
from tests.core.planted import Plant, every_plant
from tests.dealer import DECK, OKEY, OPENED, PLAIN, Dealer, Hand, text_of

LONG = OkeyTerms("okey101", "wall", 4, "throw", 2, openings=False)
PAIR = OkeyTerms("okey", "wall", 2, 1, 2, openings=False)
THREE = OkeyTerms("okey", "wall", 3, 1, 1, openings=False)


@dataclass(frozen=True)
class State:
    """A document, its hand, what was fetched before, what the link carries, and the headline it must get."""

    hand: str
    text: str
    title: str
    kept: str | None = None
    seed: tuple[int, str] | None = None
    vkey: str = ""
    fragment: str = ""

    @property
    def document(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.text)
        return found


def _state(dealer: Dealer, hand: Hand, title: str, *, kept: bool = False, upto: Any = "reveal") -> State:
    return State(
        hand.hand.hex(),
        text_of(dealer.receipt(hand, upto=upto)),
        title,
        text_of(dealer.receipt(hand, upto="commit")) if kept else None,
        next(((seat, seed.hex()) for seat, seed in sorted(hand.client_seeds.items())), None),
        dealer.log.signer.verifier.text(),
    )


@cache
def states() -> dict[str, State]:
    """Every state, made once."""
    dealer = Dealer(5)
    played = dealer.play(sealed=(0, 2))
    found = {
        "verified": _state(dealer, played, "verdict.verified", kept=True),
        "claimed": replace(
            _state(dealer, played, "verdict.claimed"), fragment=f"#commitment={played.commitment.hex()}"
        ),
        "consistent": _state(dealer, played, "verdict.consistent"),
        "openings": _state(dealer, dealer.play(OPENED, sealed=(0, 1, 2, 3)), "verdict.consistent"),
        "plain": _state(dealer, dealer.play(PLAIN), "verdict.consistent"),
        "okey101": _state(dealer, dealer.play(LONG), "verdict.consistent"),
        "two seats": _state(dealer, dealer.play(PAIR), "verdict.consistent"),
        "three seats": _state(dealer, dealer.play(THREE), "verdict.consistent"),
        "deck": _state(dealer, dealer.play(DECK, sealed=(1, 9)), "verdict.consistent"),
    }
    for reason in ("seat-silent", "table-closed", "technical"):
        ended = dealer.end(dealer.commit(sealed=(3,)), "void", reason)
        found[f"void, {reason}"] = _state(dealer, ended, "state.undealt")
    ended = dealer.end(dealer.commit(OKEY), "expired")
    found["expired"] = _state(dealer, ended, "state.undealt")
    found["void, kept"] = _state(
        dealer, dealer.end(dealer.commit(), "void", "technical"), "state.undealt", kept=True
    )
    stopped = dealer.end(dealer.lock(dealer.commit(sealed=(1,))), "void", "technical")
    found["stopped"] = _state(dealer, stopped, "verdict.consistent")
    stopped = dealer.end(dealer.lock(dealer.commit()), "expired")
    found["expired while locked"] = _state(dealer, stopped, "verdict.consistent")
    found["lost"] = _state(dealer, dealer.end(dealer.lock(dealer.commit()), "lost"), "state.lost")
    found["lost before the lock"] = _state(dealer, dealer.end(dealer.commit(), "lost"), "state.lost")
    found["locked"] = _state(dealer, dealer.lock(dealer.commit(sealed=(2,))), "state.locked")
    found["committed"] = _state(dealer, dealer.commit(sealed=(0, 1)), "state.committed")
    consistent = found["consistent"]

    def other(name: str, title: str, **changes: object) -> None:
        document = {**consistent.document, **changes}
        found[name] = State(consistent.hand, json.dumps(document), title)

    deal = consistent.document["deal"]
    hands = [*deal["hands"][1:], deal["hands"][0]]
    other("misdealt", "verdict.refuted", deal={**deal, "hands": hands})
    other("no deal", "verdict.incomplete", deal=None)
    other("malformed", "verdict.refuted", checkpoint="no checkpoint")
    other("other key", "verdict.refuted", vkey=Dealer(6, origin="else").log.signer.verifier.text())
    other("unsupported", "verdict.incomplete", **_later(dealer, played))
    other("foreign tiles", "verdict.refuted", deal={**deal, "hands": [[999], [3]], "stock": []})
    record = json.dumps(dealer.record(played).as_json())
    found["record"] = State(consistent.hand, record, "verdict.consistent")
    found["bare record"] = State(
        consistent.hand,
        json.dumps({**json.loads(record), "server_seed": None, "deal": None}),
        "verdict.incomplete",
    )
    return found


def _later(dealer: Dealer, hand: Hand) -> dict[str, Any]:
    """The hand with an entry of a later version at its end."""
    index = dealer.log.append(b'{"type":"witness","v":1}')
    receipt = dealer.log.receipt([*hand.indexes.values(), index])
    return {**receipt.as_json(), "deal": None}


def forked(state: State) -> str:
    """The kept receipt of another log of the same name and size: what a forking operator would have shown."""
    dealer = Dealer(5)
    hand = dealer.commit(sealed=(0, 2))
    dealer.play(sealed=(1,))
    assert hand.hand.hex() == state.hand
    receipt = dealer.receipt(hand, upto="commit").as_json()
    document = state.document
    note = document["checkpoint"].split("\n\n")[0] + "\n"
    lines = note.split("\n")
    lines[2] = "A" * 43 + "="
    return json.dumps({**receipt, "checkpoint": sign("\n".join(lines), [dealer.log.signer])})


@cache
def plants() -> dict[str, Plant]:
    """One refuted hand for each cause that the page has words for."""
    found: dict[str, Plant] = {}
    for plant in every_plant():
        found.setdefault(plant.cause, plant)
    return found
