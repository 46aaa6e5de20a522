/**
 * Draws from a deal key: picks, the shuffle, thrown dice (§3.1–§3.5).
 * @module
 */

import { UsageError } from "./errors.js";
import { Hmac } from "./hash.js";

/** @typedef {{ seat: number, value: number }} SeatThrow */

/**
 * Every draw of one deal key. Diagnosis replaces `reduce` to redo a deal under a mistake.
 */
export class Draws {
  #hmac;
  #mac = new Uint8Array(32);

  /** @param {Uint8Array} key the deal key, 32 bytes; kept as its HMAC states alone */
  constructor(key) {
    if (key.length !== 32) throw new UsageError("a deal key must be 32 bytes");
    this.#hmac = new Hmac(key);
  }

  /**
   * HMAC of a label (§3.1). The bytes are good until the next call: copy them to keep them.
   * @param {string} label ASCII, at most 32 characters
   * @returns {Uint8Array} 32 bytes
   */
  mac(label) {
    this.#hmac.label(label, this.#mac);
    return this.#mac;
  }

  /**
   * A number below m, drawn under a label (§3.1).
   * @param {string} label
   * @param {number} m 1 to 1024
   * @returns {number}
   */
  pick(label, m) {
    return this.reduce(this.mac(label), m);
  }

  /**
   * The bytes as one big-endian integer, modulo m. Two bytes at a time, so that nothing outgrows 26 bits.
   * @param {Uint8Array} mac
   * @param {number} m
   * @returns {number}
   */
  reduce(mac, m) {
    let rest = 0;
    for (let i = 0; i < 32; i += 2) {
      rest = ((rest << 16) | (/** @type {number} */ (mac[i]) << 8) | /** @type {number} */ (mac[i + 1])) % m;
    }
    return rest;
  }
}

/**
 * The shuffle of n tiles (§3.2).
 * @param {Draws} draws
 * @param {number} n 2 to 1024
 * @returns {number[]} the order
 */
export function shuffle(draws, n) {
  const a = Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i >= 1; i--) swap(a, i, draws.pick(`r:${i}`, i + 1));
  return a;
}

/**
 * @param {number[]} a
 * @param {number} i
 * @param {number} j
 */
export function swap(a, i, j) {
  const kept = /** @type {number} */ (a[i]);
  a[i] = /** @type {number} */ (a[j]);
  a[j] = kept;
}

/**
 * Throws for the dealer until one seat is highest (§3.3).
 * @param {Draws} draws
 * @param {number} seats
 * @returns {{ dealer: number, rounds: SeatThrow[][] }}
 */
export function throwDealer(draws, seats) {
  let throwing = Array.from({ length: seats }, (_, seat) => seat);
  const rounds = [];
  let k = 0;
  for (;;) {
    const round = throwing.map((seat) => ({ seat, value: draws.pick(`dealer:${k++}`, 6) + 1 }));
    rounds.push(round);
    const highest = Math.max(...round.map(({ value }) => value));
    throwing = round.filter(({ value }) => value === highest).map(({ seat }) => seat);
    const [dealer] = throwing;
    if (throwing.length === 1 && dealer !== undefined) return { dealer, rounds };
  }
}

/**
 * Throws at the wall; the dice are counted through the hand (§3.5).
 * @param {Draws} draws
 * @param {number} dice
 * @returns {() => number[]} each call is one throw
 */
export function wallThrows(draws, dice) {
  let k = 0;
  return () => Array.from({ length: dice }, () => draws.pick(`die:${k++}`, 6) + 1);
}
