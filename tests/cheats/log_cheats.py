"""Lies in the hands of a log, by name: each an evening of a house with that one lie in it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from fairdeal.entries import Commit, Lock, Reveal
from fairdeal.merkle import leaf_hash
from fairdeal.seeds import Contribution, commitment
from tests.cheats import tree_cheats
from tests.cheats.house import HANDS, House, Tricks
from tests.cheats.lies import Lie, lie
from tests.dealer import HOUR, SECOND, Hand


def honest() -> Lie:
    house = House(11).evening()
    return Lie(house.log.files(), set(), house.log.signer.verifier)


# --- Seeds -------------------------------------------------------------------------------------------------


def commitment_of_another_seed() -> Lie:
    def commit(house: House, hand: Hand, entry: Commit) -> Commit:
        return dataclasses.replace(entry, commitment=commitment(house.random("another seed")))

    return lie(House(tricks=Tricks(commit=commit)).evening(), "check-commitment")


def seed_reused() -> Lie:
    def before(house: House, hand: Hand) -> None:
        hand.server_seed = house.hands[3].server_seed

    def commit(house: House, hand: Hand, entry: Commit) -> Commit:
        return dataclasses.replace(entry, commitment=hand.commitment)

    house = House(tricks=Tricks(before=before, commit=commit)).evening()
    return lie(house, "repeated-seed", "repeated-commitment")


def hand_id_used_twice() -> Lie:
    def before(house: House, hand: Hand) -> None:
        hand.hand = house.hands[3].hand

    def commit(house: House, hand: Hand, entry: Commit) -> Commit:
        return dataclasses.replace(entry, hand=hand.hand)

    return lie(House(tricks=Tricks(before=before, commit=commit)).evening(), "repeated-hand")


def seal_not_opened() -> Lie:
    def contributions(house: House, hand: Hand) -> tuple[Contribution, ...]:
        return tuple(Contribution(s, seed) for s, seed in sorted(hand.client_seeds.items()))[1:]

    return lie(House(nth=76, tricks=Tricks(contributions=contributions)).evening(), "seal-unopened")


def contribution_changed() -> Lie:
    def contributions(house: House, hand: Hand) -> tuple[Contribution, ...]:
        first, *rest = sorted(hand.client_seeds.items())
        return (Contribution(first[0], house.random("bot")), *(Contribution(s, seed) for s, seed in rest))

    return lie(House(nth=76, tricks=Tricks(contributions=contributions)).evening(), "contribution-changed")


def contribution_without_seal() -> Lie:
    def contributions(house: House, hand: Hand) -> tuple[Contribution, ...]:
        return (
            *(Contribution(s, seed) for s, seed in sorted(hand.client_seeds.items())),
            Contribution(3, bytes(32)),
        )

    return lie(House(nth=76, tricks=Tricks(contributions=contributions)).evening(), "contribution-unsealed")


def contribution_beyond_the_table() -> Lie:
    def contributions(house: House, hand: Hand) -> tuple[Contribution, ...]:
        return (
            *(Contribution(s, seed) for s, seed in sorted(hand.client_seeds.items())),
            Contribution(9, bytes(32)),
        )

    return lie(House(nth=76, tricks=Tricks(contributions=contributions)).evening(), "contribution-seat")


def client_seed_used_twice() -> Lie:
    def before(house: House, hand: Hand) -> None:
        hand.client_seeds = {0: house.hands[0].client_seeds[0]}

    def commit(house: House, hand: Hand, entry: Commit) -> Commit:
        return dataclasses.replace(entry, seals=hand.seals)

    house = House(nth=76, tricks=Tricks(before=before, commit=commit)).evening()
    return lie(house, "repeated-seal", "repeated-client-seed")


def openings_root_wrong() -> Lie:
    def lock(house: House, hand: Hand, entry: Lock) -> Lock:
        return dataclasses.replace(entry, deal_root=bytes(32))

    return lie(House(nth=76, tricks=Tricks(lock=lock)).evening(), "check-openings")


def openings_root_left_out() -> Lie:
    def lock(house: House, hand: Hand, entry: Lock) -> Lock:
        return dataclasses.replace(entry, deal_root=None)

    return lie(House(nth=76, tricks=Tricks(lock=lock)).evening(), "check-openings")


# --- The life of a hand ------------------------------------------------------------------------------------


def lock_out_of_order() -> Lie:
    """A batch of hands is committed, and the pleasant one is played first."""
    house = House().evening(HANDS // 2)
    batch = [house.commit(table="table-9") for _ in range(5)]
    pleasant = batch[3]
    for hand in (pleasant, *batch[:3], batch[4]):
        house.lock(hand)
        house.end(hand, "played")
    return lie(house, "lock-order", hand=pleasant)


def prev_wrong() -> Lie:
    def reveal(house: House, hand: Hand, entry: Reveal) -> Reveal:
        return dataclasses.replace(entry, prev=house.log.rows[0][hand.indexes["commit"]])

    return lie(House(nth=76, tricks=Tricks(reveal=reveal)).evening(), "wrong-prev")


def lock_before_commit() -> Lie:
    """The lock goes into the log first, the commit after it."""

    def before(house: House, hand: Hand) -> None:
        entry = house.commit_entry(hand)
        lock = Lock(house.now, hand.hand, leaf_hash(entry.encode()), (), None, house.now + HOUR)
        hand.indexes["lock"] = house.log.append(lock.encode())

    def instead(house: House, hand: Hand) -> None:
        house.log_end(hand, "void", "technical")

    def commit(house: House, hand: Hand, entry: Commit) -> Commit:
        return dataclasses.replace(entry, at=house.now)

    def reveal(house: House, hand: Hand, entry: Reveal) -> Reveal:
        return dataclasses.replace(entry, prev=house.log.rows[0][hand.indexes["commit"]])

    tricks = Tricks(before=before, commit=commit, instead=instead, reveal=reveal)
    return lie(House(nth=78, tricks=tricks).evening(), "no-commit")


def reveal_before_lock() -> Lie:
    def instead(house: House, hand: Hand) -> None:
        house.log_end(hand, "void", "technical")
        house.lock(hand)

    return lie(House(nth=78, tricks=Tricks(instead=instead)).evening(), "after-end")


def locked_twice() -> Lie:
    def instead(house: House, hand: Hand) -> None:
        house.lock(hand)
        first = hand.indexes["lock"]
        house.now += SECOND
        house.lock(hand)
        hand.indexes["lock"] = first
        house.log_end(hand, "played")

    def reveal(house: House, hand: Hand, entry: Reveal) -> Reveal:
        return dataclasses.replace(entry, prev=house.log.rows[0][hand.indexes["lock"]])

    return lie(House(nth=78, tricks=Tricks(instead=instead, reveal=reveal)).evening(), "second-lock")


def played_without_lock() -> Lie:
    def instead(house: House, hand: Hand) -> None:
        house.log_end(hand, "played")

    return lie(House(nth=78, tricks=Tricks(instead=instead)).evening(), "wrong-outcome")


def silent_seat_that_sealed_nothing() -> Lie:
    def instead(house: House, hand: Hand) -> None:
        house.log_end(hand, "void", "seat-silent")

    return lie(House(nth=78, tricks=Tricks(instead=instead)).evening(), "wrong-outcome")


def number_skipped() -> Lie:
    def commit(house: House, hand: Hand, entry: Commit) -> Commit:
        house.numbers[hand.table] += 1
        return dataclasses.replace(entry, number=hand.number + 1)

    return lie(House(tricks=Tricks(commit=commit)).evening(), "number-gap")


def number_reused() -> Lie:
    def commit(house: House, hand: Hand, entry: Commit) -> Commit:
        house.numbers[hand.table] -= 1
        return dataclasses.replace(entry, number=hand.number - 1)

    return lie(House(tricks=Tricks(commit=commit)).evening(), "number-reused")


def never_revealed() -> Lie:
    def instead(house: House, hand: Hand) -> None:
        house.lock(hand)

    return lie(House(tricks=Tricks(instead=instead)).evening(), "overdue")


def revealed_late() -> Lie:
    def instead(house: House, hand: Hand) -> None:
        house.lock(hand)
        house.end(hand, "expired")

    return lie(House(tricks=Tricks(instead=instead)).evening(), "revealed-late")


def played_after_its_time() -> Lie:
    def instead(house: House, hand: Hand) -> None:
        house.lock(hand)
        house.now += HOUR
        house.log_end(hand, "played")

    return lie(House(tricks=Tricks(instead=instead)).evening(), "outcome-time")


def expired_before_its_time() -> Lie:
    def instead(house: House, hand: Hand) -> None:
        house.lock(hand)
        house.now -= 2 * HOUR
        house.end(hand, "expired")

    return lie(House(tricks=Tricks(instead=instead)).evening(), "outcome-time")


def locked_after_its_time() -> Lie:
    def instead(house: House, hand: Hand) -> None:
        house.now += HOUR
        house.lock(hand)
        house.log_end(hand, "played")

    return lie(House(tricks=Tricks(instead=instead)).evening(), "lock-late")


def seed_lost() -> Lie:
    def instead(house: House, hand: Hand) -> None:
        house.lock(hand)
        house.log_end(hand, "lost")

    return lie(House(tricks=Tricks(instead=instead)).evening(), "lost")


def time_going_back() -> Lie:
    def instead(house: House, hand: Hand) -> None:
        now = house.now
        house.now -= 10 * SECOND
        house.lock(hand)
        house.now = now + 2 * SECOND
        house.log_end(hand, "played")

    return lie(House(tricks=Tricks(instead=instead)).evening(), "time-reversed")


LIES: dict[str, Callable[[], Lie]] = {
    function.__name__: function
    for function in (
        commitment_of_another_seed,
        seed_reused,
        hand_id_used_twice,
        seal_not_opened,
        contribution_changed,
        contribution_without_seal,
        contribution_beyond_the_table,
        client_seed_used_twice,
        openings_root_wrong,
        openings_root_left_out,
        lock_out_of_order,
        prev_wrong,
        lock_before_commit,
        reveal_before_lock,
        locked_twice,
        played_without_lock,
        silent_seat_that_sealed_nothing,
        number_skipped,
        number_reused,
        never_revealed,
        revealed_late,
        played_after_its_time,
        expired_before_its_time,
        locked_after_its_time,
        seed_lost,
        time_going_back,
    )
} | tree_cheats.LIES
