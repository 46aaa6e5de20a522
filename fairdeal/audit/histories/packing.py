"""Between the core's values and the rows of :mod:`fairdeal.audit.histories.columns`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fairdeal.audit.histories import columns as c
from fairdeal.audit.histories.columns import Array, Hands
from fairdeal.deal import document_members
from fairdeal.evidence import Evidence
from fairdeal.receipt import Record
from fairdeal.seeds import Contribution, Seal
from fairdeal.terms import DeckTerms, OkeyTerms

_PLAIN = OkeyTerms("okey", "plain", 4, 0, 1, openings=False)
_WALLED = OkeyTerms("okey", "wall", 4, 0, 1, openings=False)
_KINDS = {
    frozenset(document_members(DeckTerms(2, 1, openings=False))): c.DECK_DEAL,
    frozenset(document_members(_PLAIN)): c.PLAIN_DEAL,
    frozenset(document_members(_WALLED)): c.WALL_DEAL,
}


def pack(evidence: Evidence, hands: Hands, row: int) -> bool:
    """Put the evidence of one locked hand into a zeroed row; false where it does not fit into one."""
    stated, opened = evidence.stated, evidence.contributions
    if stated is None or opened is None or stated.terms.size > c.MOST_TILES:
        return False
    if max(len(stated.seals), len(opened)) > c.MOST_SEATS:
        return False
    if evidence.deal is not None and not pack_deal(evidence.deal, hands.deal[row]):
        return False
    hands.taken[row] = 1
    hands.hand[row] = _array(stated.hand)
    hands.terms[row] = c.pack_terms(stated.terms)
    for value, column, bit in (
        (stated.commitment, hands.commitment, c.HAS_COMMITMENT),
        (evidence.server_seed, hands.seed, c.HAS_SEED),
        (evidence.deal_root, hands.root, c.HAS_ROOT),
    ):
        if value is not None:
            column[row] = _array(value)
            hands.has[row] |= bit
    hands.seal_count[row], hands.opened_count[row] = len(stated.seals), len(opened)
    for k, seal in enumerate(stated.seals):
        hands.seals[row, k] = _array(bytes([seal.seat]) + seal.seal)
    for k, contribution in enumerate(opened):
        hands.opened[row, k] = _array(bytes([contribution.seat]) + contribution.seed)
    return True


def pack_deal(document: dict[str, Any], out: Array) -> bool:
    """Pack a well-formed deal document into ``WIDTH`` zeros; false where it does not fit."""
    kind = _KINDS[frozenset(document)]
    fits = _list(document["order"], out, c.ORDER, c.MOST_TILES, c.ORDER_LENGTH)
    if kind != c.DECK_DEAL:
        fits = fits and _pack_table(document, out)
    if kind == c.WALL_DEAL:
        fits = fits and _pack_wall(document, out)
    out[c.KIND] = kind
    return fits


def _pack_table(document: dict[str, Any], out: Array) -> bool:
    okey, seated = document["okey"], document["hands"]
    rounds = [
        [len(throws), *(v for t in throws for v in (t["seat"], t["value"]))]
        for throws in document["dealer_throws"]
    ]
    thrown = [value for values in rounds for value in values]
    single = [document["dealer"], document["starter"], document["indicator"], *okey]
    if len(okey) != 2 or max(single) > 255 or not 1 <= len(seated) <= c.MOST_SEATS:
        return False
    if len(thrown) > c.DEALER_THROWS_ROOM or not all(rounds_of[0] for rounds_of in rounds):
        return False
    out[c.DEALER], out[c.STARTER], out[c.INDICATOR], out[c.OKEY], out[c.OKEY2] = single
    out[c.DEALER_THROWS : c.DEALER_THROWS + len(thrown)] = thrown
    out[c.ROUNDS], out[c.SEATS] = len(rounds), len(seated)
    return _list(document["stock"], out, c.STOCK, c.STOCK_ROOM, c.STOCK_LENGTH) and all(
        _list(hand, out, c.HANDS + seat * c.HAND_ROOM, c.HAND_ROOM, c.HAND_LENGTHS + seat)
        for seat, hand in enumerate(seated)
    )


def _pack_wall(document: dict[str, Any], out: Array) -> bool:
    single = [document[name] for name in ("spare", "selected", "level")]
    if max(single) > 255:
        return False
    out[c.SPARE], out[c.SELECTED], out[c.LEVEL] = single
    return _even(document["wall"], out, c.WALL, c.WALL_ROOM, c.STACKS, c.HEIGHT) and _even(
        document["throws"], out, c.THROWS, c.THROWS_ROOM, c.THROW_COUNT, c.DICE
    )


def _list(values: Sequence[int], out: Array, at: int, room: int, length: int) -> bool:
    if len(values) > room or max(values, default=0) > 255:
        return False
    out[at : at + len(values)] = values
    out[length] = len(values)
    return True


def _even(  # noqa: PLR0917 - a list and its place
    lists: Sequence[Sequence[int]], out: Array, at: int, room: int, count: int, each: int
) -> bool:
    """Lists of one length, not empty, one after another."""
    lengths = {len(values) for values in lists}
    flat = [value for values in lists for value in values]
    if len(lengths) != 1 or not flat or len(flat) > room or max(flat) > 255:
        return False
    out[at : at + len(flat)] = flat
    out[count], out[each] = len(lists), lengths.pop()
    return True


def unpack_deal(row: Array) -> dict[str, Any] | None:
    """The deal document that a packed deal stands for."""
    values = row.tolist()
    kind = values[c.KIND]
    if kind == c.NO_DEAL:
        return None
    document: dict[str, Any] = {"order": values[c.ORDER : c.ORDER + values[c.ORDER_LENGTH]]}
    if kind == c.DECK_DEAL:
        return document
    document |= {
        "dealer": values[c.DEALER],
        "dealer_throws": _dealer_throws(values[c.DEALER_THROWS :], values[c.ROUNDS]),
        "starter": values[c.STARTER],
    }
    if kind == c.WALL_DEAL:
        document |= {
            "wall": _pieces(values[c.WALL :], values[c.STACKS], values[c.HEIGHT]),
            "spare": values[c.SPARE],
            "throws": _pieces(values[c.THROWS :], values[c.THROW_COUNT], values[c.DICE]),
            "selected": values[c.SELECTED],
            "level": values[c.LEVEL],
        }
    places = [
        (c.HANDS + seat * c.HAND_ROOM, values[c.HAND_LENGTHS + seat]) for seat in range(values[c.SEATS])
    ]
    return document | {
        "indicator": values[c.INDICATOR],
        "okey": [values[c.OKEY], values[c.OKEY2]],
        "hands": [values[at : at + length] for at, length in places],
        "stock": values[c.STOCK : c.STOCK + values[c.STOCK_LENGTH]],
    }


def unpack(hands: Hands, row: int) -> Record:
    """The record that a row stands for."""
    has = int(hands.has[row])

    def value(column: Array, bit: int) -> bytes | None:
        return column[row].tobytes() if has & bit else None

    def seated(column: Array, counts: Array) -> list[tuple[int, bytes]]:
        return [(int(item[0]), item[1:].tobytes()) for item in column[row, : counts[row]]]

    return Record(
        hand=hands.hand[row].tobytes(),
        terms=c.unpack_terms(int(hands.terms[row])),
        commitment=value(hands.commitment, c.HAS_COMMITMENT),
        server_seed=value(hands.seed, c.HAS_SEED),
        seals=tuple(Seal(seat, seal) for seat, seal in seated(hands.seals, hands.seal_count)),
        contributions=tuple(
            Contribution(seat, seed) for seat, seed in seated(hands.opened, hands.opened_count)
        ),
        deal_root=value(hands.root, c.HAS_ROOT),
        deal=unpack_deal(hands.deal[row]),
    )


def _array(data: bytes) -> Array:
    return np.frombuffer(data, np.uint8)


def _pieces(values: list[int], count: int, each: int) -> list[list[int]]:
    return [values[k * each : (k + 1) * each] for k in range(count)]


def _dealer_throws(values: list[int], rounds: int) -> list[list[dict[str, int]]]:
    found = []
    at = 0
    for _ in range(rounds):
        count = values[at]
        pairs = values[at + 1 : at + 1 + 2 * count]
        found.append([{"seat": s, "value": v} for s, v in zip(pairs[::2], pairs[1::2], strict=True)])
        at += 1 + 2 * count
    return found
