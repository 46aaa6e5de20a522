"""Deal documents (protocol §6) straight from their JSON text into packed deals, compiled."""

from __future__ import annotations

from fairdeal.audit.histories import columns as c
from fairdeal.audit.kernel.compiled import Array, compiled
from fairdeal.audit.kernel.scan import (
    END_LIST,
    END_OBJECT,
    LIST,
    OBJECT,
    mark,
    more,
    name,
    number,
    numbers,
    texts,
)

_DEAL_MEMBERS = texts(
    "order",
    "dealer",
    "dealer_throws",
    "starter",
    "wall",
    "spare",
    "throws",
    "selected",
    "level",
    "indicator",
    "okey",
    "hands",
    "stock",
)
(
    _D_ORDER,
    _D_DEALER,
    _D_DEALER_THROWS,
    _D_STARTER,
    _D_WALL,
    _D_SPARE,
    _D_THROWS,
    _D_SELECTED,
    _D_LEVEL,
    _D_INDICATOR,
    _D_OKEY,
    _D_HANDS,
    _D_STOCK,
) = range(13)

MEMBERS = 13
"""Members of the largest deal document."""

_WALL_DEAL = (1 << 13) - 1
_ONLY_WALL = 1 << _D_WALL | 1 << _D_SPARE | 1 << _D_THROWS | 1 << _D_SELECTED | 1 << _D_LEVEL
_PLAIN_DEAL = _WALL_DEAL ^ _ONLY_WALL
_DECK_DEAL = 1 << _D_ORDER
_DIE = texts("seat", "value")


@compiled
def read_deal(text: Array, at: int, deal: Array, guesses: Array) -> int:  # noqa: C901, PLR0912, PLR0915 - one branch a member
    """Read one deal document into ``WIDTH`` zeros. ``guesses`` tell which member stood where before."""
    at = mark(text, at, OBJECT)
    found = 0
    place = 0
    again = 1
    while again:
        if at < 0 or place == MEMBERS:
            return -1
        which, at = name(text, at, _DEAL_MEMBERS, guesses[place])
        if which < 0 or found >> which & 1:
            return -1
        guesses[place] = which
        place += 1
        found |= 1 << which
        if which == _D_ORDER:
            deal[c.ORDER_LENGTH], at = numbers(text, at, deal[c.ORDER : c.ORDER + c.MOST_TILES], 255)
        elif which == _D_STOCK:
            deal[c.STOCK_LENGTH], at = numbers(text, at, deal[c.STOCK : c.STOCK + c.STOCK_ROOM], 255)
        elif which == _D_HANDS:
            at = _hands(text, at, deal)
        elif which == _D_WALL:
            at = _wall(text, at, deal)
        elif which == _D_THROWS:
            at = _throws(text, at, deal)
        elif which == _D_DEALER_THROWS:
            at = _dealer_throws(text, at, deal)
        elif which == _D_OKEY:
            count, at = numbers(text, at, deal[c.OKEY : c.OKEY + 2], 255)
            if count != 2:
                return -1
        else:
            value, at = number(text, at)
            seat = which in (_D_DEALER, _D_STARTER)
            if value > (15 if seat else 255):
                return -1
            if which == _D_DEALER:
                deal[c.DEALER] = value
            elif which == _D_STARTER:
                deal[c.STARTER] = value
            elif which == _D_SPARE:
                deal[c.SPARE] = value
            elif which == _D_SELECTED:
                deal[c.SELECTED] = value
            elif which == _D_LEVEL:
                deal[c.LEVEL] = value
            else:
                deal[c.INDICATOR] = value
        if at < 0:
            return -1
        again, at = more(text, at, END_OBJECT)
    if found == _WALL_DEAL:
        deal[c.KIND] = c.WALL_DEAL
    elif found == _PLAIN_DEAL:
        deal[c.KIND] = c.PLAIN_DEAL
    elif found == _DECK_DEAL:
        deal[c.KIND] = c.DECK_DEAL
    else:
        return -1
    return at


@compiled
def _hands(text: Array, at: int, deal: Array) -> int:
    at = mark(text, at, LIST)
    count = 0
    again = 1
    while again:
        if at < 0 or count == c.MOST_SEATS:
            return -1
        first = c.HANDS + count * c.HAND_ROOM
        deal[c.HAND_LENGTHS + count], at = numbers(text, at, deal[first : first + c.HAND_ROOM], 255)
        if at < 0:
            return -1
        count += 1
        again, at = more(text, at, END_LIST)
    deal[c.SEATS] = count
    return at


@compiled
def _wall(text: Array, at: int, deal: Array) -> int:
    """Stacks of one height, as every wall has them."""
    at = mark(text, at, LIST)
    used = count = height = 0
    again = 1
    while again:
        if at < 0 or count == 255:
            return -1
        tiles, at = numbers(text, at, deal[c.WALL + used : c.WALL + c.WALL_ROOM], 255)
        if at < 0 or tiles == 0 or (count and tiles != height):
            return -1
        height = tiles
        used += tiles
        count += 1
        again, at = more(text, at, END_LIST)
    deal[c.STACKS], deal[c.HEIGHT] = count, height
    return at


@compiled
def _throws(text: Array, at: int, deal: Array) -> int:
    """Throws of as many dice each."""
    at = mark(text, at, LIST)
    used = count = dice = 0
    again = 1
    while again:
        if at < 0:
            return -1
        values, at = numbers(text, at, deal[c.THROWS + used : c.THROWS + c.THROWS_ROOM], 6)
        if at < 0 or values == 0 or (count and values != dice):
            return -1
        for k in range(used, used + values):
            if deal[c.THROWS + k] == 0:
                return -1
        dice = values
        used += values
        count += 1
        again, at = more(text, at, END_LIST)
    if dice > 16:
        return -1
    deal[c.THROW_COUNT], deal[c.DICE] = count, dice
    return at


@compiled
def _dealer_throws(text: Array, at: int, deal: Array) -> int:
    at = mark(text, at, LIST)
    if at < 0:
        return -1
    if text[at] == END_LIST:
        return at + 1
    used = rounds = 0
    again = 1
    while again:
        at = mark(text, at, LIST)
        head = c.DEALER_THROWS + used
        used += 1
        another = 1
        while another:
            if at < 0 or used + 2 > c.DEALER_THROWS_ROOM:
                return -1
            at = mark(text, at, OBJECT)
            if at < 0:
                return -1
            found = 0
            for k in range(2):
                which, at = name(text, at, _DIE, k)
                if which < 0:
                    return -1
                found |= 1 << which
                value, at = number(text, at)
                if at < 0 or (which == 1 and not 1 <= value <= 6) or value > 15:
                    return -1
                deal[c.DEALER_THROWS + used + which] = value
                following, at = more(text, at, END_OBJECT)
                if at < 0 or following == k:
                    return -1
            if found != 3:
                return -1
            used += 2
            deal[head] += 1
            another, at = more(text, at, END_LIST)
        rounds += 1
        if at < 0 or deal[head] > 16:
            return -1
        again, at = more(text, at, END_LIST)
    deal[c.ROUNDS] = rounds
    return at
