"""Places that say one thing of two hands, or two things of one hand or log, compared whole (§10.5).

A hand's receipts from several moments, its record and its entries in the log are evidence of one hand: they
must agree, and are no repeat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NotRequired, TypedDict

from fairdeal.audit.findings import Finding
from fairdeal.audit.log.shared import UNLOCKED
from fairdeal.audit.sources.plainprints import WORDS
from fairdeal.audit.sources.said import Claim, Said


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is said: a line of a history, an entry of a log, or a source as a whole.

    ``name`` is the source's, ``label`` what the place is called in it.
    """

    owner: int
    source: int
    name: str
    label: str
    line: int | None = None
    index: int | None = None
    log: bool = False

    def words(self, here: Place) -> str:
        """The place as a finding at ``here`` names it."""
        if not self.label or self.source == here.source:
            return self.label or self.name
        return f"{self.label} of {self.name}" if self.name else self.label

    def finding(
        self,
        code: str,
        detail: str,
        *,
        hand: bytes,
        found: str,
        index: int | None = None,
        expected: str | None = None,
    ) -> Finding:
        """A finding here."""
        at = self.index if self.log else index
        return Finding(code, detail, hand.hex() or None, at, self.line, expected, found)

    def same_log(self, other: Place) -> bool:
        """Whether both are in one log, which is audited for itself."""
        return self.log and self.source == other.source


class _Parts(TypedDict):
    code: str
    detail: str
    found: str
    index: NotRequired[int | None]
    expected: NotRequired[str]


Found = Iterator[tuple[Place, Finding]]

Saids = Sequence[tuple[Place, Said]]


def compared(kind: str, printed: bytes, places: Saids) -> Found:
    """The findings of one group of places, in their order, each at the later place."""
    if kind == "hand":
        return _hands(places)
    return _values(kind, printed, places) if kind in WORDS else _claims(kind, printed, places)


def whole(kind: str, printed: bytes, said: Said) -> list[bytes]:
    """What is said under a print: whole values, or what a claim is made of."""
    if kind in WORDS:
        return [value for value in said.values[kind] if value.startswith(printed)]
    claim = said.claims.get((kind, printed))
    return [claim.key.encode()] if claim else []


def shown_by_both(places: Saids) -> list[bool]:
    """For each hand that a record and a receipt or log show: whether no seat had a part in the record's."""
    records = {said.hand: said for place, said in places if _record(place, said)}
    logged = {said.hand for place, said in places if not _record(place, said)}
    return [not said.parts.get("contributions") for hand, said in sorted(records.items()) if hand in logged]


def _values(kind: str, printed: bytes, places: Saids) -> Found:
    first: dict[bytes, tuple[Place, Said]] = {}
    for place, said in places:
        values = Counter(whole(kind, printed, said))
        for value, often in values.items():
            before, other = first.setdefault(value, (place, said))
            if place.same_log(before):
                continue
            # That two records are of one hand is told of the hand itself.
            if often > 1 or (before is not place and not (said.hand and said.hand == other.hand)):
                yield place, _repeated(kind, place, before, said.hand)


def _repeated(kind: str, place: Place, before: Place, hand: bytes) -> Finding:
    where = "this source" if before.source == place.source else "another source"
    what = f"this {WORDS[kind]} stands in {where} already"
    return place.finding(f"repeated-{kind}", what, hand=hand, found=f"also in {before.words(place)}")


def _record(place: Place, said: Said) -> bool:
    return not place.log and not said.identity


@dataclass(slots=True)
class _Before:
    """What was said of a hand before: places, and each part as it was first said by records and by others."""

    places: list[tuple[Place, Said]] = field(default_factory=list)
    by_records: _Parted = field(default_factory=dict)
    by_logs: _Parted = field(default_factory=dict)


_Parted = dict[str, tuple[Place, object]]


def _hands(places: Saids) -> Found:
    before: dict[bytes, _Before] = {}
    for place, said in places:
        known = before.setdefault(said.hand, _Before())
        record = _record(place, said)
        repeated = next(
            (there for there, other in known.places if _other_hand(place, said, there, other)), None
        )
        # Each of a hand's receipts and entries shows some parts only: a record is held against all of them.
        parts = known.by_logs if record else known.by_records
        differ = [name for name, part in said.parts.items() if name in parts and parts[name][1] != part]
        against = min((parts[name][0] for name in differ), key=lambda there: there.owner, default=None)
        if repeated and not (against and against.owner < repeated.owner):
            yield place, _repeated("hand", place, repeated, said.hand)
        elif against:
            what = f"this document and another say different things of one hand: {', '.join(differ)}"
            yield place, place.finding("contradiction", what, hand=said.hand, found=against.words(place))
        for name, part in said.parts.items():
            (known.by_records if record else known.by_logs).setdefault(name, (place, part))
        if len(known.places) < _HELD:
            known.places.append((place, said))


def _other_hand(place: Place, said: Said, there: Place, other: Said) -> bool:
    """Whether nothing shows that it is one hand: two records, or two commits."""
    if place.same_log(there):
        return False
    if _record(place, said) and _record(there, other):
        return True
    return bool(said.identity and other.identity and said.identity != other.identity)


_HELD = 4
"""Places of one hand that the others' commits are held against."""


def _claims(kind: str, printed: bytes, places: Saids) -> Found:
    first: dict[str, tuple[Place, Claim]] = {}
    for place, said in places:
        claim = said.claims.get((kind, printed))
        if claim is None:
            continue
        before, other = first.setdefault(claim.key, (place, claim))
        if claim.value != other.value and not place.same_log(before):
            yield (
                place,
                place.finding(hand=said.hand, **_contradiction(kind, claim, other, before.words(place))),
            )


def _contradiction(kind: str, claim: Claim, other: Claim, where: str) -> _Parts:
    if kind == "number":
        found = f"hand {other.value.hex()} in {where}"
        return _Parts(code="number-reused", detail=claim.words, found=found)
    if kind == "entry":
        what = f"another receipt has another {claim.words}"
        return _Parts(code="index-reused", detail=what, found=where, index=claim.index)
    if kind == "stage":
        what = f"there is another {claim.words} of this hand, at entry {other.index}"
        if UNLOCKED in (claim.value, other.value):
            ended, locked = "ended without a lock", "was locked"
            here, there = (ended, locked) if claim.value == UNLOCKED else (locked, ended)
            what = f"this hand {here}, and in another place it {there}"
        return _Parts(code="contradiction", detail=what, found=where, index=claim.index)
    what = f"two checkpoints of {claim.words} entries have different heads"
    found = f"{claim.value.hex()} (the other in {where})"
    return _Parts(code="forked", detail=what, found=found, expected=other.value.hex())
