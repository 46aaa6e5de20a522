"""Lies in a log, by name: each an evening of a house with that one lie in it, and what must be found."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from dataclasses import dataclass

from fairdeal.entries import Commit, Lock, Reveal
from fairdeal.merkle import leaf_hash
from fairdeal.note import Signer, Verifier
from fairdeal.seeds import Contribution, commitment
from fairdeal.tiling import encode_bundle, parse_bundle
from tests.cheats.house import HANDS, House, Tricks
from tests.dealer import HOUR, SECOND, Hand
from tests.translog import Log

Found = set[tuple[str, str | None]]
"""Codes of findings, each with the hand's id."""


@dataclass
class Lie:
    """A log with a lie in it. ``earlier`` is a checkpoint kept by the auditor, ``key`` the one it trusts."""

    files: dict[str, bytes]
    expected: Found
    key: Verifier
    earlier: str | None = None
    clears: int | None = None
    """Hands that the audit must say it cannot clear, where that is the point."""


def lie(house: House, *codes: str, hand: Hand | None = None, files: dict[str, bytes] | None = None) -> Lie:
    victim = hand or house.tricks.victims[0]
    expected: Found = {(code, victim.hand.hex()) for code in codes}
    return Lie(files or house.log.files(), expected, house.log.signer.verifier)


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


# --- The entries and the tree ------------------------------------------------------------------------------


def entry_not_canonical() -> Lie:
    """One lock is spelled with spaces; everything else about it holds."""
    house = House(nth=78, tricks=Tricks(instead=_spaced_lock)).evening()
    # The lock is no entry of its hand then, so that its reveal is one of a hand never locked.
    return lie(house, "not-canonical", "wrong-outcome", "wrong-prev")


def _spaced_lock(house: House, hand: Hand) -> None:
    house.lock(hand)
    entry = json.dumps(json.loads(house.log.entries[-1])).encode()
    _replace_last(house, entry)
    house.log_end(hand, "played")


def _replace_last(house: House, entry: bytes) -> None:
    fresh = Log(house.log.signer)
    for old in house.log.entries[:-1]:
        fresh.append(old)
    fresh.append(entry)
    house.log = fresh


def entry_malformed() -> Lie:
    def instead(house: House, hand: Hand) -> None:
        house.lock(hand)
        value = json.loads(house.log.entries[-1])
        value["reveal_by"] = value["at"] + 1
        _replace_last(house, json.dumps(value, separators=(",", ":"), sort_keys=True).encode())
        house.log_end(hand, "played")

    house = House(nth=78, tricks=Tricks(instead=instead)).evening()
    return lie(house, "malformed-entry", "wrong-outcome", "wrong-prev")


def entry_altered_after_signing() -> Lie:
    """A voided hand is made a played one in the entries that the log serves; the signed tree stays."""
    house = House(nth=76, tricks=Tricks()).evening()
    hand = house.tricks.victims[0]
    files = house.log.files()
    index = hand.indexes["reveal"]
    path = next(p for p in files if p.startswith(f"tile/entries/{index // 256:03d}"))
    width = len(house.log.entries[index // 256 * 256 :][:256])
    entries = parse_bundle(files[path], width)
    altered = entries[index % 256].replace(b'"played"', b'"expired"')
    entries[index % 256] = altered
    files[path] = encode_bundle(entries)
    found = lie(house, "altered-entry", "outcome-time", files=files)
    found.expected.add(("wrong-root", None))
    return found


def entry_removed() -> Lie:
    """The log leaves a commit out of what it serves, under the tree that it signed with it."""
    house = House(nth=76).evening()
    hand = house.tricks.victims[0]
    files = house.log.files()
    path = "tile/entries/000"
    entries = house.log.entries[:256]
    del entries[hand.indexes["commit"]]
    files[path] = encode_bundle(entries)
    found = lie(house, "no-commit", files=files)
    # The table's next hand comes after a number that nobody sees.
    found.expected |= {("missing-entries", None), ("number-gap", house.hands[80].hand.hex())}
    return found


def entry_removed_and_signed_again() -> Lie:
    """The lock is cut out and the tree signed anew: an earlier checkpoint tells, and the hand's chain."""
    house = House(nth=76).evening()
    hand = house.tricks.victims[0]
    earlier = house.log.checkpoint(400)
    fresh = Log(house.log.signer)
    for index, entry in enumerate(house.log.entries):
        if index != hand.indexes["lock"]:
            fresh.append(entry)
    house.log = fresh
    found = lie(house, "wrong-prev", "wrong-outcome")
    found.expected.add(("forked", None))
    found.earlier = earlier
    return found


def two_checkpoints_of_one_size() -> Lie:
    house, other = House(21).evening(), House(21).evening()
    other.log.signer = house.log.signer
    _replace_last(other, b'{"type":"other","v":1}')
    assert len(house.log.entries) == len(other.log.entries)
    return Lie(
        house.log.files(), {("forked", None)}, house.log.signer.verifier, earlier=other.log.checkpoint()
    )


def log_cut_short() -> Lie:
    house = House(22).evening()
    earlier = house.log.checkpoint()
    size = len(house.log.entries)
    fresh = Log(house.log.signer)
    for entry in house.log.entries[: size - 3]:
        fresh.append(entry)
    return Lie(fresh.files(), {("shrunk", None)}, house.log.signer.verifier, earlier=earlier)


def entries_missing_at_the_end() -> Lie:
    house = House(22).evening()
    files = house.log.files()
    del files[next(path for path in files if path.startswith("tile/entries/001"))]
    return Lie(files, {("missing-entries", None)}, house.log.signer.verifier)


def wrong_key() -> Lie:
    house = House(23).evening()
    impostor = Signer(house.log.signer.name, bytes(31) + b"\1")
    return Lie(house.log.files(), {("bad-signature", None)}, impostor.verifier)


def checkpoint_of_another_root() -> Lie:
    """The log signs a head that its entries do not give."""
    house = House(24).evening()
    files = house.log.files()
    files["checkpoint"] = Log.checkpoint(_with_root(house.log)).encode()
    return Lie(files, {("wrong-root", None)}, house.log.signer.verifier)


def _with_root(log: Log) -> Log:
    other = Log(log.signer)
    for entry in [*log.entries[:-1], b"something else"]:
        other.append(entry)
    return other


# --- What no single hand shows -----------------------------------------------------------------------------


def unfavourable_hands_voided() -> Lie:
    """The house sits at seat 1 and calls off hands in which it would hold fewer than four pairs."""
    house = House(31).evening(30)
    for _ in range(600):
        hand = house.start(table="table-5")
        deal = house.deal_of(hand).as_json()
        mine = [tile % 52 if tile < 104 else 52 for tile in deal["hands"][1]]
        pairs = len(mine) - len(set(mine))
        if pairs == 0:
            house.log_end(hand, "void", "table-closed")
        else:
            house.log_lock(hand)
            house.log_end(hand, "played")
    # What is played is no chance sample of hands any more, which the pairs by seat show too.
    expected: Found = {("voids-favour", None), ("alarm", None)}
    return Lie(house.log.files(), expected, house.log.signer.verifier)


def worst_of_fifty_seeds() -> Lie:
    """Without client seeds the house tries fifty seeds a hand. Nothing can be found, and that is said."""
    house = House(32)
    for _ in range(20):
        best = max((house.random("server seed") for _ in range(50)), key=lambda seed: seed[0])
        hand = house.start(table="table-5")
        del best
        house.log_lock(hand)
        house.log_end(hand, "played")
    return Lie(house.log.files(), set(), house.log.signer.verifier, clears=20)


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
        entry_not_canonical,
        entry_malformed,
        entry_altered_after_signing,
        entry_removed,
        entry_removed_and_signed_again,
        two_checkpoints_of_one_size,
        log_cut_short,
        entries_missing_at_the_end,
        wrong_key,
        checkpoint_of_another_root,
        unfavourable_hands_voided,
        worst_of_fifty_seeds,
    )
}
