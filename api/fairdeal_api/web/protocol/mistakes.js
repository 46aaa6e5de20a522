/**
 * Shuffles as they are often got wrong, for diagnosis alone (§10.4). Nothing deals by these.
 * @module
 */

import { Draws, swap } from "./draws.js";

/** @typedef {(draws: Draws, n: number) => number[]} Shuffle */

/**
 * @param {number} n
 * @param {Iterable<number>} steps
 * @param {(i: number) => number} j
 * @returns {number[]}
 */
function swapping(n, steps, j) {
  const a = Array.from({ length: n }, (_, i) => i);
  for (const i of steps) swap(a, i, j(i));
  return a;
}

/**
 * @param {number} low
 * @param {number} high
 */
function* up(low, high) {
  for (let i = low; i <= high; i++) yield i;
}

/**
 * @param {number} high
 * @param {number} low
 */
function* down(high, low) {
  for (let i = high; i >= low; i--) yield i;
}

/**
 * Both ways to shuffle from the front.
 * @type {readonly Shuffle[]}
 */
export const ascending = [
  (draws, n) => swapping(n, up(1, n - 1), (i) => draws.pick(`r:${i}`, i + 1)),
  (draws, n) => swapping(n, up(0, n - 2), (i) => i + draws.pick(`r:${i}`, n - i)),
];

/**
 * The loop that ends one early, and Sattolo's, which never leaves a tile in place.
 * @type {readonly Shuffle[]}
 */
export const offByOne = [
  (draws, n) => swapping(n, down(n - 1, 2), (i) => draws.pick(`r:${i}`, i + 1)),
  (draws, n) => swapping(n, down(n - 1, 1), (i) => draws.pick(`r:${i}`, i)),
];

/**
 * Swapping with any place at each step.
 * @type {readonly Shuffle[]}
 */
export const naive = [
  (draws, n) => swapping(n, down(n - 1, 1), (i) => draws.pick(`r:${i}`, n)),
  (draws, n) => swapping(n, down(n - 1, 0), (i) => draws.pick(`r:${i}`, n)),
  (draws, n) => swapping(n, up(0, n - 1), (i) => draws.pick(`r:${i}`, n)),
  (draws, n) => swapping(n, up(1, n - 1), (i) => draws.pick(`r:${i}`, n)),
];

class LittleEndianDraws extends Draws {
  /**
   * @override
   * @param {Uint8Array} mac
   * @param {number} m
   * @returns {number}
   */
  reduce(mac, m) {
    return super.reduce(mac.slice().reverse(), m);
  }
}

/**
 * Draws that read each MAC from its last byte.
 * @param {Uint8Array} key
 * @returns {Draws}
 */
export function littleEndian(key) {
  return new LittleEndianDraws(key);
}
