"""Places that say one thing of two hands, or two things of one hand or log, compared whole (§10.5).

A hand's receipts from several moments, its record and its entries in the log are evidence of one hand: they
must agree, and are no repeat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NotRequired, TypedDict

from fairdeal.audit.findings import Finding
from fairdeal.audit.plainprints import WORDS
from fairdeal.audit.said import Claim, Said


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


def shown_by_both(places: Saids) -> list[bool]:
    """For each hand that a record and a receipt or log show: whether no seat had a part in the record's."""
    records = {said.hand: said for place, said in places if _record(place, said)}
    logged = {said.hand for place, said in places if not _record(place, said)}
    return [not said.parts.get("contributions") for hand, said in sorted(records.items()) if hand in logged]


def _values(kind: str, printed: bytes, places: Saids) -> Found:
    first: dict[bytes, tuple[Place, Said]] = {}
    for place, said in places:
        values = Counter(value for value in said.values[kind] if value.startswith(printed))
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


def _hands(places: Saids) -> Found:
    before: dict[bytes, list[tuple[Place, Said]]] = {}
    for place, said in places:
        others = before.setdefault(said.hand, [])
        for there, other in others:
            if place.same_log(there):
                continue
            records = _record(place, said), _record(there, other)
            if all(records) or (said.identity and other.identity and said.identity != other.identity):
                yield place, _repeated("hand", place, there, said.hand)
                break
            differ = [name for name, part in said.parts.items() if other.parts.get(name, part) != part]
            if differ and any(records):
                what = f"this document and another say different things of one hand: {', '.join(differ)}"
                yield place, place.finding("contradiction", what, hand=said.hand, found=there.words(place))
                break
        if len(others) < _HELD:
            others.append((place, said))


_HELD = 4
"""Places of one hand that the others are held against: a record, a receipt, a log's entries."""


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
        what = f"another receipt has another {claim.words} of this hand, at entry {other.index}"
        return _Parts(code="contradiction", detail=what, found=where, index=claim.index)
    what = f"two checkpoints of {claim.words} entries have different heads"
    found = f"{claim.value.hex()} (the other in {where})"
    return _Parts(code="forked", detail=what, found=found, expected=other.value.hex())
