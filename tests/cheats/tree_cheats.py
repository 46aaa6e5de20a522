"""Lies in a log's entries, tree and checkpoints, and those that no single hand shows; by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from fairdeal.note import Signer
from fairdeal.tiling import encode_bundle, parse_bundle
from tests.cheats.house import House, Tricks
from tests.cheats.lies import Found, Lie, lie
from tests.dealer import Hand
from tests.translog import Log

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
        hand = house.commit(table="table-5")
        deal = house.deal_of(hand).as_json()
        mine = [tile % 52 if tile < 104 else 52 for tile in deal["hands"][1]]
        pairs = len(mine) - len(set(mine))
        if pairs == 0:
            house.log_end(hand, "void", "table-closed")
        else:
            house.lock(hand)
            house.log_end(hand, "played")
    # What is played is no chance sample of hands any more, which the pairs by seat show too.
    expected: Found = {("voids-favour", None), ("alarm", None)}
    return Lie(house.log.files(), expected, house.log.signer.verifier)


def worst_of_fifty_seeds() -> Lie:
    """Without client seeds the house tries fifty seeds a hand. Nothing can be found, and that is said."""
    house = House(32)
    for _ in range(20):
        hand = house.new_hand(table="table-5")
        seeds = [house.random("server seed") for _ in range(50)]
        hand.server_seed = min(seeds, key=lambda seed: _joy(house, replace(hand, server_seed=seed)))
        house.log_commit(hand)
        house.lock(hand)
        house.log_end(hand, "played")
    return Lie(house.log.files(), set(), house.log.signer.verifier, clears=20)


def _joy(house: House, hand: Hand) -> int:
    """How many okeys and pairs the guest in seat 0 would hold."""
    deal = house.deal_of(hand).as_json()
    mine = [tile % 52 if tile < 104 else 52 for tile in deal["hands"][0]]
    return len(mine) - len(set(mine)) + sum(tile in deal["okey"] for tile in deal["hands"][0])


LIES: dict[str, Callable[[], Lie]] = {
    function.__name__: function
    for function in (
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
