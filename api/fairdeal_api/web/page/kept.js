/**
 * What this browser keeps from before a hand (§10.6).
 *
 * One item a hand under the key `fairdeal:hand:<hand>`, JSON:
 *
 *     {"v": 1, "at": 1800000000000, "receipt": "<commit receipt>", "lock": "<lock receipt>",
 *      "commitment": "<hex>", "seat": 2, "seed": "<hex>"}
 *
 * Everything but `v` and `at` may be missing. A client seed whose hand is not committed yet waits under
 * `fairdeal:seed:<seal>` as {"v": 1, "at", "seat", "seed"}. The page and the badge share this module; each site
 * has a store of its own, so a badge inside a game hands what it kept to the page with its link.
 * @module
 */

import { parseJson, seenCommitment, seenReceipt, seenSeed } from "../protocol/index.js";
import { keys, read, write } from "./storage.js";
/** @import { Seen } from "../protocol/seen.js" */

/**
 * @typedef {object} Kept
 * @property {1} v
 * @property {number} at when it was first kept, milliseconds since the Unix epoch
 * @property {string} [receipt] the commit receipt's text
 * @property {string} [lock] the lock receipt's text
 * @property {string} [commitment] 32 bytes in hex
 * @property {number} [seat] one's own seat
 * @property {string} [seed] one's own client seed, 32 bytes in hex
 */
/** @typedef {{ v: 1, at: number, seat: number, seed: string }} WaitingSeed */

const HAND = "fairdeal:hand:";
const SEED = "fairdeal:seed:";

/**
 * Reads an item whose writer may have been another version, or another page of the site.
 * @param {string | null} text
 * @returns {Kept | null}
 */
export function parseKept(text) {
  if (text === null) return null;
  try {
    const value = JSON.parse(text);
    if (typeof value !== "object" || value === null || value.v !== 1 || typeof value.at !== "number") return null;
    /** @type {Kept} */
    const kept = { v: 1, at: value.at };
    if (typeof value.receipt === "string") kept.receipt = value.receipt;
    if (typeof value.lock === "string") kept.lock = value.lock;
    if (typeof value.commitment === "string") kept.commitment = value.commitment;
    if (typeof value.seed === "string" && Number.isInteger(value.seat)) Object.assign(kept, { seat: value.seat, seed: value.seed });
    return kept;
  } catch {
    return null;
  }
}

/**
 * @param {string} hand
 * @returns {Kept | null}
 */
export function keptOf(hand) {
  return parseKept(read(HAND + hand));
}

/**
 * Adds to what is kept of a hand. What was kept first stays: only that binds the dealer.
 * @param {string} hand
 * @param {Omit<Partial<Kept>, "v" | "at">} more
 * @param {number} now milliseconds since the Unix epoch
 * @returns {boolean} whether the store took it
 */
export function keep(hand, more, now) {
  const before = keptOf(hand);
  const merged = { v: 1, at: now, ...more, ...before };
  return write(HAND + hand, JSON.stringify(merged));
}

/** @param {string} hand */
export function forget(hand) {
  write(HAND + hand, null);
}

/** @returns {string[]} the hands of which something is kept */
export function keptHands() {
  return keys(HAND).map((key) => key.slice(HAND.length));
}

/**
 * @param {string} seal
 * @param {WaitingSeed} seed
 * @returns {boolean}
 */
export function keepSeed(seal, seed) {
  return write(SEED + seal, JSON.stringify(seed));
}

/**
 * @param {string} seal
 * @returns {WaitingSeed | null}
 */
export function waitingSeed(seal) {
  const kept = parseKept(read(SEED + seal));
  return kept?.seed === undefined || kept.seat === undefined ? null : { v: 1, at: kept.at, seat: kept.seat, seed: kept.seed };
}

/** @param {string} seal */
export function dropSeed(seal) {
  write(SEED + seal, null);
}

/**
 * What a link hands over in plain words: `#commitment=HEX&seed=SEAT:HEX`, each of which may be missing.
 * @param {URLSearchParams} fragment
 * @returns {Kept | null} `at` is 0: the link does not say since when
 */
export function keptInWords(fragment) {
  const commitment = fragment.get("commitment");
  const own = /^(\d{1,2}):([0-9a-f]{64})$/.exec(fragment.get("seed") ?? "");
  if (commitment === null && own === null) return null;
  /** @type {Kept} */
  const kept = { v: 1, at: 0 };
  if (commitment !== null) kept.commitment = commitment;
  if (own !== null) Object.assign(kept, { seat: Number(own[1]), seed: own[2] });
  return kept;
}

/**
 * What is kept, as the verifier takes it. What cannot be read is left out: it was the store's fault, not the hand's.
 * @param {Kept} kept
 * @returns {Seen[]}
 */
export function seenOf(kept) {
  /** @type {(() => Seen)[]} */
  const readers = [];
  const { receipt, lock, commitment, seat, seed } = kept;
  if (receipt !== undefined) readers.push(() => seenReceipt(parseJson(receipt, "seen.receipt")));
  if (lock !== undefined) readers.push(() => seenReceipt(parseJson(lock, "seen.receipt")));
  if (commitment !== undefined) readers.push(() => seenCommitment(commitment));
  if (seed !== undefined) readers.push(() => seenSeed(seat, seed));
  return readers.flatMap((make) => {
    try {
      return [make()];
    } catch {
      return [];
    }
  });
}
