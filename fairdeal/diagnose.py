"""Naming the cause of a refutation by redoing the hand under each known mistake (protocol §10.4).

A mistake is named only if it explains the whole deal that was shown, or is plain from the seeds themselves.
The first that fits in the protocol's sequence wins; a refutation that none explains is ``unknown``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fairdeal import redo
from fairdeal.deal import Deal, OkeyDeal
from fairdeal.evidence import Evidence, Stated
from fairdeal.seeds import Contribution, commitment, deal_key, seal
from fairdeal.seen import Seen, SeenSeed
from fairdeal.terms import Terms
from fairdeal.tiles import FALSE_JOKERS, twins


@dataclass(frozen=True)
class OtherHand:
    """Another hand whose seed may have been mixed up with this one's: ids 16 bytes, the rest 32 bytes."""

    hand: bytes
    commitment: bytes | None = None
    server_seed: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True)
class _Case:
    """A refuted hand with everything that the causes look at."""

    evidence: Evidence
    stated: Stated
    results: Mapping[str, str]
    own: Sequence[SeenSeed]
    others: Sequence[OtherHand]

    @property
    def shown(self) -> dict[str, Any] | None:
        """The deal shown, where it differs from the true one: only then is there a deal to explain."""
        true = self.evidence.true_document
        return self.evidence.deal if true is not None and self.evidence.deal != true else None

    @property
    def opened(self) -> tuple[Contribution, ...]:
        """The contributions, if any."""
        return self.evidence.contributions or ()

    def explained(self, deals: Iterable[Deal]) -> bool:
        """Whether one of the deals is the one shown; none is made where there is nothing to explain."""
        shown = self.shown
        return shown is not None and any(deal.as_json() == shown for deal in deals)

    def by_keys(self, keys: Iterable[bytes]) -> bool:
        """Whether one of the deal keys gives the deal shown."""
        return self.redealt(keys, self.stated.terms)

    def redealt(self, keys: Iterable[bytes], terms: Terms) -> bool:
        """Whether one of the deal keys gives the deal shown under these terms."""
        shown = self.shown
        return shown is not None and self.explained(redo.ordered(keys, terms, shown["order"]))

    def key(self, seed: bytes, contributions: Iterable[Contribution]) -> bytes:
        """The deal key with another seed or other contributions."""
        return deal_key(seed, self.stated.hand, self.stated.terms, contributions)


def diagnose(
    evidence: Evidence,
    results: Mapping[str, str],
    seen: Sequence[Seen] = (),
    others: Sequence[OtherHand] = (),
) -> str:
    """The name of the first cause that fits, else ``unknown``. ``results`` maps check names to results."""
    if evidence.stated is None:
        return "unknown"
    own = [item for item in seen if isinstance(item, SeenSeed)]
    case = _Case(evidence, evidence.stated, results, own, others)
    return next((name for name, fits in CAUSES.items() if fits(case)), "unknown")


def _commitment_as_seed(case: _Case) -> bool:
    committed, seed = case.stated.commitment, case.evidence.server_seed
    if committed is None or seed is None:
        return False
    return seed == committed or case.by_keys(case.key(s, case.opened) for s in (committed,))


def _seed_as_hex_text(case: _Case) -> bool:
    seed, message = case.evidence.server_seed, case.evidence.transcript
    if seed is None:
        return False
    texts = [seed.hex().encode(), seed.hex().upper().encode()]
    failed = case.results["commitment"] == "fail"
    if failed and any(redo.sha256(text) == case.stated.commitment for text in texts):
        return True
    return message is not None and case.by_keys(redo.hmac(text, message) for text in texts)


def _other_hands_seed(case: _Case) -> bool:
    seed = case.evidence.server_seed
    if seed is None:
        return False
    others = [other for other in case.others if other.hand != case.stated.hand]
    if case.results["commitment"] == "fail":
        for other in others:
            if seed == other.server_seed or commitment(seed) == other.commitment:
                return True
            if other.server_seed and commitment(other.server_seed) == case.stated.commitment:
                return True
    seeds = [other.server_seed for other in others if other.server_seed]
    return case.by_keys(case.key(s, case.opened) for s in seeds)


def _other_terms(case: _Case) -> bool:
    shown, seed, key = case.shown, case.evidence.server_seed, case.evidence.key
    if shown is None or seed is None or key is None:
        return False
    for terms in redo.other_terms(case.stated.terms, shown):
        # The wrong terms may have gone into the key as well, or only into the dealing.
        theirs = deal_key(seed, case.stated.hand, terms, case.opened)
        if case.redealt((theirs, key), terms):
            return True
    return False


def _contribution_dropped(case: _Case) -> bool:
    if case.evidence.contributions is None:
        return False
    opened = {c.seat for c in case.opened}
    if any(s.seat not in opened for s in case.stated.seals):
        return True
    seed = case.evidence.server_seed
    return seed is not None and case.by_keys(case.key(seed, some) for some in redo.fewer(case.opened))


def _contribution_changed(case: _Case) -> bool:
    if case.evidence.contributions is None:
        return False
    sealed = {s.seat: s.seal for s in case.stated.seals}
    listed = {c.seat: c.seed for c in case.opened}
    if any(sealed.get(seat) != seal(opened) for seat, opened in listed.items()):
        return True
    if any(listed.get(own.seat, own.seed) != own.seed for own in case.own):
        return True
    seed = case.evidence.server_seed
    return seed is not None and case.by_keys(case.key(seed, some) for some in redo.changed(case.opened))


def _seed_used_as_key(case: _Case) -> bool:
    seed = case.evidence.server_seed
    return seed is not None and case.by_keys((seed,))


def _by_shuffle(variants: Callable[[bytes, Terms], Iterator[Deal]]) -> Callable[[_Case], bool]:
    def fits(case: _Case) -> bool:
        key = case.evidence.key
        return key is not None and case.explained(variants(key, case.stated.terms))

    return fits


def _tile_twice(case: _Case) -> bool:
    shown = case.evidence.deal
    if shown is None:
        return False
    placed = [tile for hand in shown.get("hands", ()) for tile in hand] + shown.get("stock", [])
    if "indicator" in shown:
        placed.append(shown["indicator"])
    walled = [tile for stack in shown.get("wall", ()) for tile in stack]
    if "spare" in shown:
        walled.append(shown["spare"])
    return any(len(set(tiles)) < len(tiles) for tiles in (shown["order"], placed, walled))


def _false_joker_as_indicator(case: _Case) -> bool:
    shown, truth = case.shown, case.evidence.true_document
    if shown is None or truth is None:
        return False
    return bool(shown["order"] == truth["order"] and shown.get("indicator") in FALSE_JOKERS)


def _okey_is_indicator(case: _Case) -> bool:
    shown, truth = case.shown, case.evidence.truth
    if shown is None or not isinstance(truth, OkeyDeal):
        return False
    return shown == truth.as_json() | {"okey": list(twins(truth.indicator))}


def _stock_from_wrong_end(case: _Case) -> bool:
    shown, truth = case.shown, case.evidence.truth
    if shown is None or not isinstance(truth, OkeyDeal):
        return False
    stocks = [truth.stock[::-1]]
    if truth.wall:
        height = len(truth.wall.stacks[0])
        stocks.append(truth.stock[:-height] + truth.stock[-height:][::-1])
    return any(shown == truth.as_json() | {"stock": list(stock)} for stock in stocks)


def _hands_misdealt(case: _Case) -> bool:
    return [case.results[name] for name in ("shuffle", "table", "hands")] == ["pass", "pass", "fail"]


CAUSES: Mapping[str, Callable[[_Case], bool]] = {
    "commitment-as-seed": _commitment_as_seed,
    "seed-as-hex-text": _seed_as_hex_text,
    "other-hands-seed": _other_hands_seed,
    "other-terms": _other_terms,
    "contribution-dropped": _contribution_dropped,
    "contribution-changed": _contribution_changed,
    "seed-used-as-key": _seed_used_as_key,
    "little-endian-draws": _by_shuffle(redo.little_endian),
    "ascending-shuffle": _by_shuffle(redo.ascending),
    "shuffle-off-by-one": _by_shuffle(redo.off_by_one),
    "naive-shuffle": _by_shuffle(redo.naive),
    "tile-twice": _tile_twice,
    "false-joker-as-indicator": _false_joker_as_indicator,
    "okey-is-indicator": _okey_is_indicator,
    "stock-from-wrong-end": _stock_from_wrong_end,
    "hands-misdealt": _hands_misdealt,
}
"""Every cause by name, in the sequence they are tried."""
