"""From orders and dice to packed deals, compiled: dealers, walls, hands and stock (protocol §3.3 – §5)."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types, uint64

from fairdeal.audit.histories import columns as c
from fairdeal.audit.kernel.compiled import Array, compiled, emitted, inlined

FALSE_JOKER = 104
"""The lower of the two false jokers; every tile below it can indicate."""


@emitted
def move(typingctx: Any, to: Any, out_of: Any, count: Any) -> Any:  # noqa: ARG001 - numba's call
    """Copy bytes between addresses, as the C library does it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        byte = ir.IntType(8).as_pointer()
        copy = builder.module.declare_intrinsic("llvm.memcpy", [byte, byte, ir.IntType(64)])
        places = [builder.inttoptr(address, byte) for address in args[:2]]
        builder.call(copy, [*places, args[2], ir.Constant(ir.IntType(1), 0)])
        return context.get_dummy_value()

    return types.void(*[types.uintp] * 3), generate


@inlined
def put(deal: Array, place: Any, source: Array, at: Any, count: Any) -> None:
    """Copy bytes, of any length. A loop's last bytes, one by one, would take several times as long."""
    move(uint64(deal.ctypes.data) + uint64(place), uint64(source.ctypes.data) + uint64(at), uint64(count))


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
        waiting[k] = _throw(dice[row], known, seats, deal, throwing) > 1


@inlined
def _throw(dice: Array, known: Any, seats: Any, deal: Array, throwing: Array) -> Any:
    """One row's throws, into zeros; how many seats are still throwing, 1 at the end."""
    count, used, at, rounds = seats, 0, c.DEALER_THROWS, 0
    for seat in range(seats):
        throwing[seat] = seat
    while count > 1 and used + count <= known:
        deal[at] = count
        highest = 0
        for q in range(count):
            value = dice[used + q] + 1
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
    deal[c.DEALER] = throwing[0]
    deal[c.ROUNDS] = rounds
    return count


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
        _plain(orders[row], seats, hand, deals[row])


@inlined
def _plain(order: Array, seats: Any, hand: Any, deal: Array) -> None:
    starter = (deal[c.DEALER] + 1) % seats
    taken = 0
    for q in range(seats):
        seat = (starter + q) % seats
        count = hand + (q == 0)
        deal[c.HAND_LENGTHS + seat] = count
        put(deal, c.HANDS + seat * c.HAND_ROOM, order, taken, count)
        taken += count
    last = len(order) - 1
    while order[last] >= FALSE_JOKER:
        last -= 1
    _okey(deal, order[last])
    put(deal, c.STOCK, order, taken, last - taken)
    put(deal, c.STOCK + last - taken, order, last + 1, len(order) - 1 - last)
    deal[c.STOCK_LENGTH], deal[c.STARTER], deal[c.SEATS] = len(order) - 1 - taken, starter, seats
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
    line = np.empty(c.MOST_TILES, np.uint8)
    for k in range(len(rows)):
        row = rows[k]
        level, used = _indicate(orders[row], dice[row], known, dice_each, height, tall)
        waiting[k] = level < 0
        if level >= 0:
            deal = deals[row]
            deal[c.THROWS : c.THROWS + c.THROWS_ROOM] = 0
            _wall(orders[row], dice[row], dice_each, used, level, tall, line, seats, hand, height, deal)


@inlined
def _indicate(order: Array, dice: Array, known: Any, dice_each: Any, height: Any, tall: Array) -> Any:  # noqa: PLR0917 - compiled
    """The level of the indicator in the selected stack, which becomes ``tall``, and how many dice it took.

    The level is -1 where the known dice do not come to one.
    """
    first = 0
    for d in range(dice_each):
        first += dice[d] + 1
    for t in range(height):
        tall[t] = order[(first - 1) * height + t]
    tall[height] = order[len(order) - 1]
    used = dice_each
    while used + dice_each <= known:
        level = -1
        for d in range(dice_each):
            level += dice[used + d] + 1
        level %= height + 1
        used += dice_each
        if tall[level] < FALSE_JOKER:
            return level, used
    return -1, used


@inlined
def _wall(  # noqa: PLR0917 - compiled
    order: Array,
    dice: Array,
    dice_each: Any,
    used: Any,
    level: Any,
    tall: Array,
    line: Array,
    seats: Any,
    hand: Any,
    height: Any,
    deal: Array,
) -> None:
    spare = len(order) - 1
    selected = -1
    for d in range(dice_each):
        selected += dice[d] + 1
    for d in range(used):
        deal[c.THROWS + d] = dice[d] + 1
    put(deal, c.WALL, order, 0, spare)
    deal[c.STACKS], deal[c.HEIGHT], deal[c.SPARE] = spare // height, height, order[spare]
    deal[c.THROW_COUNT], deal[c.DICE] = used // dice_each, dice_each
    deal[c.SELECTED], deal[c.LEVEL] = selected, level
    _okey(deal, tall[level])
    _take(deal, order, tall, line, selected, level, seats, hand, height)


@inlined
def _take(  # noqa: PLR0917 - compiled
    deal: Array,
    order: Array,
    tall: Array,
    line: Array,
    selected: Any,
    level: Any,
    seats: Any,
    hand: Any,
    height: Any,
) -> None:
    """Hands and stock from the line of stacks, each read top first (§4.4, §4.5)."""
    stacks = (len(order) - 1) // height
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
            put(deal, c.HANDS + seat * c.HAND_ROOM + have, line, taken, count)
            deal[c.HAND_LENGTHS + seat] = have + count
            taken += count
    put(deal, c.STOCK, line, taken, length - taken)
    count = length - taken
    for t in range(height, -1, -1):
        if t != level:
            deal[c.STOCK + count] = tall[t]
            count += 1
    deal[c.STOCK_LENGTH], deal[c.STARTER], deal[c.SEATS] = count, starter, seats
    deal[c.KIND] = c.WALL_DEAL


@compiled
def still_throwing(dice: Array, known: int, seats: int, waiting: Array) -> None:
    """``waiting[k]`` becomes 1 where row k needs more than its first ``known`` dice to find a dealer."""
    throwing = np.empty(4, np.uint8)
    deal = np.empty(c.WIDTH, np.uint8)
    for row in range(len(dice)):
        waiting[row] = _throw(dice[row], known, seats, deal, throwing) > 1


@compiled
def still_at_the_wall(  # noqa: PLR0917 - compiled
    orders: Array, dice: Array, known: int, dice_each: int, height: int, waiting: Array
) -> None:
    """``waiting[k]`` becomes 1 where row k needs more than its first ``known`` dice to find an indicator."""
    tall = np.empty(8, np.uint8)
    for row in range(len(orders)):
        level, _ = _indicate(orders[row], dice[row], known, dice_each, height, tall)
        waiting[row] = level < 0


@compiled
def agree(  # noqa: PLR0917 - compiled
    orders: Array,
    dealer: int,
    dealer_dice: Array,
    wall_dice: Array,
    dice_each: int,
    seats: int,
    hand: int,
    height: int,
    stated: Array,
    found: Array,
) -> None:
    """Where the deal is the one stated, (n, WIDTH / 8) uint64: what laying out and comparing gives.

    Each row's deal is made in one place that stays in the processor's inner cache. ``dealer_dice`` are used
    where the dealer is thrown for, ``wall_dice`` where ``height`` is not 0, as many of either as it takes.
    """
    throwing, tall = np.empty(4, np.uint8), np.empty(8, np.uint8)
    line = np.empty(c.MOST_TILES, np.uint8)
    words = np.empty(c.WIDTH // 8, np.uint64)
    deal = words.view(np.uint8)
    for row in range(len(orders)):
        for k in range(c.WIDTH // 8):
            words[k] = 0
        order = orders[row]
        put(deal, c.ORDER, order, 0, len(order))
        deal[c.ORDER_LENGTH] = len(order)
        if dealer == c.THROWN:
            _throw(dealer_dice[row], dealer_dice.shape[1], seats, deal, throwing)
        else:
            deal[c.DEALER] = dealer
        if height:
            level, used = _indicate(order, wall_dice[row], wall_dice.shape[1], dice_each, height, tall)
            if level < 0:
                found[row] = 0
                continue
            _wall(order, wall_dice[row], dice_each, used, level, tall, line, seats, hand, height, deal)
        else:
            _plain(order, seats, hand, deal)
        different = uint64(0)
        for k in range(c.WIDTH // 8):
            different |= words[k] ^ stated[row, k]
        found[row] = different == 0
