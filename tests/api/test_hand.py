"""One hand's life over HTTP, from commit to verified receipt."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from fairdeal.note import Verifier
from fairdeal.receipt import parse_receipt
from fairdeal.seen import SeenReceipt, SeenSeed
from fairdeal.verify import verify
from tests.api.support import HOUR, MINUTE, START, Clock, Game, ok, problem, read_log

DOCUMENT = [
    "hand",
    "operator",
    "table",
    "number",
    "state",
    "terms",
    "commitment",
    "seals",
    "note",
    "committed_at",
    "lock_by",
    "locked_at",
    "reveal_by",
    "contributions",
    "revealed_at",
    "outcome",
    "reason",
    "server_seed",
    "deal",
]


def test_a_sealed_hand_is_committed_dealt_revealed_and_verified_with_what_was_kept(
    game: Game, http: TestClient, clock: Clock
) -> None:
    committed = game.committed(seats=(0, 2), terms={"openings": True}, note="ab" * 32)
    assert [*committed] == [*DOCUMENT, "receipt"]
    assert committed["state"] == "committed"
    assert committed["note"] == "ab" * 32
    assert committed["terms"] == {
        "game": "okey",
        "layout": "wall",
        "seats": 4,
        "dealer": "throw",
        "dice": 1,
        "openings": True,
    }
    assert (committed["committed_at"], committed["lock_by"]) == (START, START + HOUR)
    public = (
        "locked_at",
        "reveal_by",
        "contributions",
        "revealed_at",
        "outcome",
        "reason",
        "server_seed",
        "deal",
    )
    assert {committed[name] for name in public} == {None}
    kept, hand = committed["receipt"], committed["hand"]
    assert kept["deal"] is None
    assert len(kept["entries"]) == 1

    clock.tick(5_000)
    dealt = game.dealt(hand, reveal_within=1800)
    assert dealt["state"] == "locked"
    assert dealt["reveal_by"] == START + 5_000 + 30 * MINUTE
    assert dealt["contributions"] == game.seeds[hand]
    assert len(dealt["deal"]["order"]) == 106
    assert dealt["receipt"]["deal"] is None
    assert len(dealt["receipt"]["entries"]) == 2
    assert ok(game.get(f"/v1/hands/{hand}"))["deal"] is None

    openings = ok(game.call("POST", f"/v1/hands/{hand}/openings", {"slots": ["indicator", "hand/2/0"]}))[
        "openings"
    ]
    assert [o["tile"] for o in openings] == [dealt["deal"]["indicator"], dealt["deal"]["hands"][2][0]]

    clock.tick(600_000)
    revealed = ok(game.reveal(hand))
    assert (revealed["state"], revealed["outcome"], revealed["reason"]) == ("revealed", "played", None)
    assert revealed["deal"] == revealed["receipt"]["deal"] == dealt["deal"]
    assert ok(game.get(f"/v1/hands/{hand}")) == {name: revealed[name] for name in DOCUMENT}
    fetched = game.get(f"/v1/hands/{hand}/receipt")
    assert fetched.json() == revealed["receipt"]

    key = Verifier.parse(game.get("/log/key").text.strip())
    own = SeenSeed(0, bytes.fromhex(game.seeds[hand][0]["seed"]))
    report = verify(fetched.text, keys=[key], seen=[SeenReceipt(parse_receipt(kept)), own])
    assert (report.verdict, report.grinding) == ("verified", "nobody"), report
    assert verify(json.dumps(kept), keys=[key]).verdict == "incomplete"
    log = read_log(http)
    assert [entry.type for entry in log.parsed] == ["commit", "lock", "reveal"]
    assert log.entries[0].decode() == kept["entries"][0]["entry"]


@pytest.mark.parametrize(
    "terms",
    [
        {"game": "okey101", "dice": 2},
        {"layout": "plain", "seats": 3, "dealer": 1},
        {"game": "deck", "size": 52, "seats": 16, "openings": True},
        {"game": "deck", "size": 2},
        {"game": "okey", "layout": "wall", "seats": 2, "dealer": "throw", "dice": 2, "openings": True},
    ],
)
def test_every_kind_of_terms_is_dealt_and_verified(steady: Game, terms: dict[str, Any]) -> None:
    revealed = steady.played(seats=(1,), terms=terms)
    assert revealed["terms"].items() >= terms.items()
    report = verify(json.dumps(revealed["receipt"]), seen=[])
    assert report.verdict == "consistent", report


@pytest.mark.parametrize(
    ("terms", "field"),
    [
        ({"seats": 5}, "terms.seats"),
        ({"seats": 2, "dealer": 2}, "terms.dealer"),
        ({"size": 106}, "terms.size"),
        ({"game": "deck"}, "terms.size"),
        ({"game": "deck", "size": 52, "dealer": "next"}, "terms.dealer"),
        ({"game": "deck", "size": 52, "dice": 1}, "terms.dice"),
        ({"game": "deck", "size": 1025}, "terms.size"),
        ({"game": "deck", "size": 1}, "terms.size"),
        ({"game": "chess"}, "terms.game"),
        ({"seats": "4"}, "terms.seats"),
        ({"openings": 1}, "terms.openings"),
        ({"dealer": True}, "terms.dealer"),
        ({"colour": "red"}, "terms.colour"),
    ],
)
def test_terms_that_make_no_sense_are_refused_by_name(
    steady: Game, terms: dict[str, Any], field: str
) -> None:
    found = problem(steady.commit(terms=terms), "invalid", 422)
    assert found["errors"][0]["field"].startswith(field), found


def test_a_hand_voided_before_its_lock_has_no_deal(game: Game) -> None:
    hand = game.committed(seats=(0, 1))["hand"]
    voided = ok(game.void(hand, "seat-silent"))
    assert (voided["outcome"], voided["reason"], voided["deal"]) == ("void", "seat-silent", None)
    assert voided["server_seed"] is not None
    assert voided["receipt"]["deal"] is None
    assert verify(json.dumps(voided["receipt"])).verdict == "consistent"


def test_a_hand_voided_after_its_lock_shows_what_was_dealt(game: Game) -> None:
    hand = game.committed(seats=(0,))["hand"]
    deal = game.dealt(hand)["deal"]
    voided = ok(game.void(hand, "technical"))
    assert voided["deal"] == voided["receipt"]["deal"] == deal
    assert verify(json.dumps(voided["receipt"])).verdict == "consistent"


def test_seat_silent_is_for_sealed_hands_that_are_not_locked(game: Game) -> None:
    bare = game.committed()["hand"]
    problem(game.void(bare, "seat-silent"), "reason_not_allowed", 409)
    game.dealt(bare)
    sealed = game.committed(seats=(3,))["hand"]
    game.dealt(sealed)
    problem(game.void(sealed, "seat-silent"), "reason_not_allowed", 409)
    problem(game.void(sealed, "because"), "invalid", 422)


def test_a_commit_may_list_its_seals_in_any_order_but_each_seat_once(game: Game) -> None:
    committed = game.committed(seats=(3, 0))
    assert [item["seat"] for item in committed["seals"]] == [0, 3]
    game.seeds[committed["hand"]].reverse()
    game.dealt(committed["hand"])
    problem(game.commit(seats=(1, 1)), "invalid", 422)
    problem(game.commit(seats=(0, 3), terms={"seats": 3}), "invalid", 422)


def test_every_seal_must_be_opened_by_its_own_seed(game: Game) -> None:
    hand = game.committed(seats=(0, 2))["hand"]
    seeds = game.seeds[hand]
    assert problem(game.deal(hand, seeds=seeds[:1]), "seals_unopened", 409)["seats"] == [2]
    assert problem(game.deal(hand, seeds=[]), "seals_unopened", 409)["seats"] == [0, 2]
    swapped = [{"seat": 0, "seed": seeds[1]["seed"]}, {"seat": 2, "seed": seeds[0]["seed"]}]
    assert problem(game.deal(hand, seeds=swapped), "seal_mismatch", 422)["seats"] == [0, 2]
    extra = [*seeds, {"seat": 1, "seed": "00" * 32}]
    assert problem(game.deal(hand, seeds=extra), "seal_mismatch", 422)["seats"] == [1]
    problem(game.deal(hand, seeds=[seeds[0], seeds[0], seeds[1]]), "invalid", 422)
    assert ok(game.get(f"/v1/hands/{hand}"))["state"] == "committed"
    game.dealt(hand)


def test_a_seal_is_good_for_one_commit_ever(game: Game, other: Game) -> None:
    seal = {"seat": 0, "seal": "ab" * 32}
    game.committed(seals=[seal])
    for again in (game, other):
        problem(again.commit("elsewhere", seals=[seal]), "seal_used", 409)
        problem(again.commit("elsewhere", seals=[{**seal, "seat": 1}]), "seal_used", 409)
    twin = {"seal": "cd" * 32}
    problem(game.commit("elsewhere", seals=[{**twin, "seat": 0}, {**twin, "seat": 1}]), "seal_used", 409)
    game.committed("elsewhere", seals=[{**twin, "seat": 0}])


def test_a_hand_is_locked_only_after_every_earlier_one_of_its_table(game: Game, clock: Clock) -> None:
    first, second, third = (game.committed("t")["hand"] for _ in range(3))
    other_table = game.committed("u")["hand"]
    assert problem(game.deal(second), "out_of_order", 409)["waiting"] == {"hand": first, "number": 1}
    game.dealt(other_table)
    game.dealt(first)
    game.dealt(second)
    problem(game.reveal(third), "not_locked", 409)
    game.dealt(third)
    fourth = game.committed("t", lock_within=60)["hand"]
    fifth = game.committed("t")["hand"]
    problem(game.deal(fifth), "out_of_order", 409)
    clock.tick(MINUTE)
    # The fourth is past its time: it no longer stands in the way, whether or not the service has swept.
    game.dealt(fifth)
    assert ok(game.get(f"/v1/hands/{fourth}"))["outcome"] == "expired"


def test_openings_need_terms_a_lock_and_slots_that_exist(game: Game) -> None:
    plain = game.committed("a")["hand"]
    opened = game.committed("b", terms={"game": "deck", "size": 3, "openings": True})["hand"]
    ask = {"slots": ["order/0"]}
    problem(game.call("POST", f"/v1/hands/{opened}/openings", ask), "not_locked", 409)
    deal = game.dealt(opened)["deal"]
    game.dealt(plain)
    problem(game.call("POST", f"/v1/hands/{plain}/openings", ask), "no_openings", 409)
    problem(game.call("POST", f"/v1/hands/{opened}/openings", {"slots": ["order/3"]}), "unknown_slot", 422)
    problem(game.call("POST", f"/v1/hands/{opened}/openings", {"slots": []}), "invalid", 422)
    found = ok(game.call("POST", f"/v1/hands/{opened}/openings", {"slots": ["order/2", "order/0"]}))[
        "openings"
    ]
    assert [o["tile"] for o in found] == [deal["order"][2], deal["order"][0]]


def test_dealer_next_goes_round_from_the_last_dealer_that_is_public(game: Game) -> None:
    following = {"dealer": "next"}

    def dealer(hand: dict[str, Any]) -> object:
        return hand["terms"]["dealer"]

    assert dealer(game.committed(terms=following)) == "throw"
    assert dealer(game.committed(terms={"dealer": 2})) == 2
    assert dealer(game.committed(terms=following)) == 3
    assert dealer(game.committed(terms=following)) == 0
    assert dealer(game.committed(terms={**following, "seats": 2})) == 1
    assert dealer(game.committed(terms={**following, "seats": 2})) == 0
    assert dealer(game.committed("fresh", terms=following)) == "throw"


def test_a_thrown_dealer_counts_once_it_is_revealed(game: Game) -> None:
    hand = game.committed()["hand"]
    thrown = game.dealt(hand)["deal"]["dealer"]
    # The throw is secret until the reveal: a commit made meanwhile may not show it.
    meanwhile = game.committed(terms={"dealer": "next"})
    assert meanwhile["terms"]["dealer"] == "throw"
    answer = ok(game.reveal(hand, next={"terms": {"dealer": "next"}}))
    assert answer["next"]["terms"]["dealer"] == (thrown + 1) % 4
    assert answer["next"]["table"] == "salon:1"
    assert answer["next"]["number"] == 3
