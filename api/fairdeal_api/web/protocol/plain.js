/**
 * The plain layout: hands straight off the shuffled order (§5).
 * @module
 */

import { handSize, seatOrder } from "./terms.js";
import { isFalseJoker, okeyOf } from "./tiles.js";
/** @import { OkeyTerms } from "./terms.js" */

/**
 * Everything of the deal that the order alone decides.
 * @param {OkeyTerms} terms
 * @param {number[]} order 106 tiles
 * @param {number} starter
 */
export function layPlain(terms, order, starter) {
  /** @type {number[][]} */
  const hands = Array.from({ length: terms.seats }, () => []);
  let taken = 0;
  for (const seat of seatOrder(terms.seats, starter)) {
    const count = handSize(terms) + (seat === starter ? 1 : 0);
    hands[seat] = order.slice(taken, taken + count);
    taken += count;
  }
  let at = order.length - 1;
  // At most two steps back: a set has two false jokers.
  while (isFalseJoker(/** @type {number} */ (order[at]))) at--;
  const indicator = /** @type {number} */ (order[at]);
  const stock = order.slice(taken).filter((tile) => tile !== indicator);
  return { indicator, okey: okeyOf(indicator), hands, stock };
}
