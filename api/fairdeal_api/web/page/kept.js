/**
 * What this browser keeps from before a hand (§10.6).
 *
 * One item a hand under the key `fairdeal:hand:<hand>`, JSON:
 *
 *     {"v": 1, "at": 1800000000000, "receipt": "<commit receipt>", "lock": "<lock receipt>",
 *      "commitment": "<hex>", "seat": 2, "seed": "<hex>"}
 *
 * Everything but `v` and `at` may be missing; `"confirmed": true` stands where it came with a link and the visitor said
 * that they had kept it. A client seed whose hand is not committed yet waits under
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
 * @property {true} [confirmed] it came with a link, and the visitor said that they had kept it before the hand
 */
/** @typedef {{ v: 1, at: number, seat: number, seed: string }} WaitingSeed */

const HAND = "fairdeal:hand:";
const SEED = "fairdeal:seed:";
/** The latest moment that a date can name. */
const LATEST = 8.64e15;

/**
 * Reads an item whose writer may have been another version, or another page of the site.
 * @param {string | null} text
 * @returns {Kept | null}
 */
export function parseKept(text) {
  if (text === null) return null;
  try {
    const value = JSON.parse(text);
    if (typeof value !== "object" || value === null || value.v !== 1 || typeof value.at !== "number" || Math.abs(value.at) > LATEST) return null;
    /** @type {Kept} */
    const kept = { v: 1, at: value.at };
    if (typeof value.receipt === "string") kept.receipt = value.receipt;
    if (typeof value.lock === "string") kept.lock = value.lock;
    if (typeof value.commitment === "string") kept.commitment = value.commitment;
    if (typeof value.seed === "string" && Number.isInteger(value.seat)) Object.assign(kept, { seat: value.seat, seed: value.seed });
    if (value.confirmed === true) kept.confirmed = true;
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
 * What a link hands over, and whether some of it cannot be read. What stands twice counts as unreadable: which of the
 * two was meant cannot be told.
 * @typedef {{ kept: Kept | null, unread: boolean }} Linked
 */

/**
 * What a link hands over: `#kept=…`, or in plain words `#commitment=HEX&seed=SEAT:HEX`, each of which may be missing.
 * @param {URLSearchParams} fragment
 * @param {(packed: string) => Promise<string | null>} unpack
 * @returns {Promise<Linked>} `kept.at` is 0 where the link does not say since when
 */
export async function keptInLink(fragment, unpack) {
  const names = ["kept", "commitment", "seed"].filter((name) => fragment.has(name));
  const twice = names.filter((name) => fragment.getAll(name).length > 1);
  const packed = fragment.get("kept");
  if (packed === null) {
    const kept = keptInWords(fragment, twice);
    return { kept: isEmpty(kept) ? null : kept, unread: partsOf(kept) < names.length };
  }
  const kept = names.length > 1 || twice.length > 0 ? null : parseKept(await unpack(packed));
  if (kept === null || isEmpty(kept)) return { kept: null, unread: true };
  delete kept.confirmed;
  return { kept, unread: seenOf(kept).length < partsOf(kept) };
}

/**
 * @param {URLSearchParams} fragment
 * @param {string[]} twice
 * @returns {Kept}
 */
function keptInWords(fragment, twice) {
  const one = (/** @type {string} */ name) => (twice.includes(name) ? "" : (fragment.get(name) ?? "").replace(/\s/g, "").toLowerCase());
  const commitment = one("commitment");
  const own = /^(\d{1,2}):([0-9a-f]{64})$/.exec(one("seed"));
  /** @type {Kept} */
  const kept = { v: 1, at: 0 };
  if (/^[0-9a-f]{64}$/.test(commitment)) kept.commitment = commitment;
  if (own !== null) Object.assign(kept, { seat: Number(own[1]), seed: own[2] });
  return kept;
}

/** @param {Kept} kept */
const partsOf = ({ receipt, lock, commitment, seed }) => [receipt, lock, commitment, seed].filter((part) => part !== undefined).length;
/** @param {Kept} kept */
const isEmpty = (kept) => partsOf(kept) === 0;

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
