"""From orders and dice to packed deals, compiled: dealers, walls, hands and stock (protocol §3.3 – §5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairdeal.audit import columns as c
from fairdeal.audit.kernel.compiled import Array, compiled, inlined

FALSE_JOKER = 104
"""The lower of the two false jokers; every tile below it can indicate."""


@compiled
def throw_dealers(rows: Array, dice: Array, known: int, seats: int, deals: Array, waiting: Array) -> None:  # noqa: PLR0917 - compiled
    """Throw for the dealer of every row with the first ``known`` of its dice (0 to 5).

    ``waiting[k]`` becomes 1 where row number k needs more dice to come to an end.
    """
    throwing = np.empty(4, np.uint8)
    for k in range(len(rows)):
        row = rows[k]
        deal = deals[row]
        deal[c.DEALER_THROWS : c.DEALER_THROWS + c.DEALER_THROWS_ROOM] = 0
        count, used, at, rounds = seats, 0, c.DEALER_THROWS, 0
        for seat in range(seats):
            throwing[seat] = seat
        while count > 1 and used + count <= known:
            deal[at] = count
            highest = 0
            for q in range(count):
                value = dice[row, used + q] + 1
                deal[at + 1 + 2 * q] = throwing[q]
                deal[at + 2 + 2 * q] = value
                highest = max(highest, value)
            left = 0
            for q in range(count):
                if deal[at + 2 + 2 * q] == highest:
                    throwing[left] = throwing[q]
                    left += 1
            at += 1 + 2 * count
            used += count
            count = left
            rounds += 1
        waiting[k] = count > 1
        deal[c.DEALER] = throwing[0]
        deal[c.ROUNDS] = rounds


@inlined
def _okey(deal: Array, indicator: Any) -> None:
    first = indicator % 52 // 13 * 13 + (indicator % 13 + 1) % 13
    deal[c.INDICATOR] = indicator
    deal[c.OKEY] = first
    deal[c.OKEY2] = first + 52


@compiled
def lay_plain(rows: Array, orders: Array, seats: int, hand: int, deals: Array) -> None:
    """Plain layouts (§5) of rows whose dealer is known."""
    for row in rows:
        deal, order = deals[row], orders[row]
        starter = (deal[c.DEALER] + 1) % seats
        taken = 0
        for q in range(seats):
            seat = (starter + q) % seats
            count = hand + (q == 0)
            deal[c.HAND_LENGTHS + seat] = count
            for k in range(count):
                deal[c.HANDS + seat * c.HAND_ROOM + k] = order[taken + k]
            taken += count
        last = len(order) - 1
        while order[last] >= FALSE_JOKER:
            last -= 1
        _okey(deal, order[last])
        count = 0
        for k in range(taken, len(order)):
            if k != last:
                deal[c.STOCK + count] = order[k]
                count += 1
        deal[c.STOCK_LENGTH], deal[c.STARTER], deal[c.SEATS] = count, starter, seats
        deal[c.KIND] = c.PLAIN_DEAL


@compiled
def lay_walls(  # noqa: PLR0917 - compiled
    rows: Array,
    orders: Array,
    dice: Array,
    known: int,
    dice_each: int,
    seats: int,
    hand: int,
    height: int,
    deals: Array,
    waiting: Array,
) -> None:
    """Wall layouts (§4) of rows whose dealer is known, with the first ``known`` of their dice (0 to 5).

    ``waiting[k]`` becomes 1 where row number k needs more dice: its second throw kept finding false jokers.
    """
    tall = np.empty(8, np.uint8)
    for k in range(len(rows)):
        row = rows[k]
        deal, order = deals[row], orders[row]
        spare = len(order) - 1
        selected = -1
        for d in range(dice_each):
            selected += dice[row, d] + 1
        for t in range(height):
            tall[t] = order[selected * height + t]
        tall[height] = order[spare]
        used, level, found = dice_each, 0, False
        while not found and used + dice_each <= known:
            level = -1
            for d in range(dice_each):
                level += dice[row, used + d] + 1
            level %= height + 1
            used += dice_each
            found = tall[level] < FALSE_JOKER
        waiting[k] = not found
        if found:
            deal[c.THROWS : c.THROWS + c.THROWS_ROOM] = 0
            for d in range(used):
                deal[c.THROWS + d] = dice[row, d] + 1
            deal[c.WALL : c.WALL + spare] = order[:spare]
            deal[c.STACKS], deal[c.HEIGHT], deal[c.SPARE] = spare // height, height, order[spare]
            deal[c.THROW_COUNT], deal[c.DICE] = used // dice_each, dice_each
            deal[c.SELECTED], deal[c.LEVEL] = selected, level
            _okey(deal, tall[level])
            _take(deal, order, tall, selected, level, seats, hand, height)


@inlined
def _take(  # noqa: PLR0917 - compiled
    deal: Array, order: Array, tall: Array, selected: Any, level: Any, seats: Any, hand: Any, height: Any
) -> None:
    """Hands and stock from the line of stacks, each read top first (§4.4, §4.5)."""
    stacks = (len(order) - 1) // height
    line = np.empty(c.MOST_TILES, np.uint8)
    length = 0
    for w in range(1, stacks):
        stack = (selected + w) % stacks
        for t in range(height - 1, -1, -1):
            line[length] = order[stack * height + t]
            length += 1
    starter = (deal[c.DEALER] + 1) % seats
    rounds = hand // height
    taken = 0
    for turn in range(rounds + 1):
        for q in range(seats):
            seat = (starter + q) % seats
            have = turn * height
            count = height if turn < rounds else hand - have + (q == 0)
            for t in range(count):
                deal[c.HANDS + seat * c.HAND_ROOM + have + t] = line[taken + t]
            deal[c.HAND_LENGTHS + seat] = have + count
            taken += count
    count = 0
    for t in range(taken, length):
        deal[c.STOCK + count] = line[t]
        count += 1
    for t in range(height, -1, -1):
        if t != level:
            deal[c.STOCK + count] = tall[t]
            count += 1
    deal[c.STOCK_LENGTH], deal[c.STARTER], deal[c.SEATS] = count, starter, seats
    deal[c.KIND] = c.WALL_DEAL
