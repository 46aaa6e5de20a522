/**
 * The wall layout: stacks in a ring, two throws, tiles taken from the line (§4).
 * @module
 */

import { wallThrows } from "./draws.js";
import { handSize, seatOrder, stackHeight } from "./terms.js";
import { isFalseJoker, okeyOf } from "./tiles.js";
/** @import { Draws } from "./draws.js" */
/** @import { OkeyTerms } from "./terms.js" */

const sum = (/** @type {number[]} */ dice) => dice.reduce((a, b) => a + b, 0);

/**
 * Everything of the deal that the wall decides.
 * @param {Draws} draws
 * @param {OkeyTerms} terms
 * @param {number[]} order 106 tiles
 * @param {number} starter
 */
export function layWall(draws, terms, order, starter) {
  const h = stackHeight(terms);
  const spare = /** @type {number} */ (order[order.length - 1]);
  const wall = Array.from({ length: (order.length - 1) / h }, (_, w) => order.slice(w * h, w * h + h));

  const nextThrow = wallThrows(draws, terms.dice);
  const first = nextThrow();
  const throws = [first];
  const selected = sum(first) - 1;
  const tall = [.../** @type {number[]} */ (wall[selected]), spare];
  let level;
  let indicator;
  do {
    // A false joker stays where it is and the throw is repeated (§4.3). The stack holds at most two of them.
    const again = nextThrow();
    throws.push(again);
    level = (sum(again) - 1) % tall.length;
    indicator = /** @type {number} */ (tall[level]);
  } while (isFalseJoker(indicator));

  /** @type {number[]} */
  const line = [];
  for (let step = 1; step < wall.length; step++) {
    const stack = /** @type {number[]} */ (wall[(selected + step) % wall.length]);
    for (let i = h - 1; i >= 0; i--) line.push(/** @type {number} */ (stack[i]));
  }
  /** @type {number[][]} */
  const hands = Array.from({ length: terms.seats }, () => []);
  const seats = seatOrder(terms.seats, starter);
  const full = handSize(terms);
  let taken = 0;
  const take = (/** @type {number} */ seat, /** @type {number} */ count) => {
    hands[seat]?.push(...line.slice(taken, taken + count));
    taken += count;
  };
  for (let round = 0; round < Math.floor(full / h); round++) for (const seat of seats) take(seat, h);
  for (const seat of seats) take(seat, (full % h) + (seat === starter ? 1 : 0));

  const below = tall.filter((_, i) => i !== level).reverse();
  const stock = [...line.slice(taken), ...below];
  return { wall, spare, throws, selected, level, indicator, okey: okeyOf(indicator), hands, stock };
}
