/**
 * Seeds, commitments, seals and the deal key (§1, §2).
 * @module
 */

import { hexText, integer, listing, members, parseHex, utf8 } from "./encoding.js";
import { MalformedError, UsageError } from "./errors.js";
import { hmacSha256, sha256 } from "./hash.js";
import { canonicalTerms } from "./terms.js";
/** @import { Terms } from "./terms.js" */

/** @typedef {{ seat: number, seal: string }} Seal a seat's seal, 32 bytes in hex (§1.5) */
/** @typedef {{ seat: number, seed: string }} Contribution a seat's opened client seed, 32 bytes in hex (§2.1) */

/** Bytes in every seed, seal and commitment. Other lengths are refused: HMAC would pad or hash them (§1.1). */
export const SEED_SIZE = 32;
/** Bytes in a hand's id (§1.3). */
export const HAND_SIZE = 16;
/** The highest seat that any terms know, a deck for sixteen (§1.4). */
export const MAX_SEAT = 15;

const LABEL = utf8("fairdeal/1 deal\n");

/**
 * @param {Uint8Array} bytes
 * @param {string} what
 */
function requireSeed(bytes, what) {
  if (bytes.length !== SEED_SIZE) throw new UsageError(`${what} must be ${SEED_SIZE} bytes`);
}

/**
 * SHA-256 of a server seed's raw bytes (§1.2).
 * @param {Uint8Array} serverSeed 32 bytes
 * @returns {Uint8Array} 32 bytes
 * @throws {UsageError} another length
 */
export function commitmentOf(serverSeed) {
  requireSeed(serverSeed, "a server seed");
  return sha256(serverSeed);
}

/**
 * SHA-256 of a client seed's raw bytes (§1.5).
 * @param {Uint8Array} clientSeed 32 bytes
 * @returns {Uint8Array} 32 bytes
 * @throws {UsageError} another length
 */
export function sealOf(clientSeed) {
  requireSeed(clientSeed, "a client seed");
  return sha256(clientSeed);
}

/**
 * A client seed that also holds a player's lucky words (§1.5). The words go in as typed: nothing is trimmed,
 * folded or normalised.
 * @param {Uint8Array} entropy 32 random bytes, without which the public seal could be guessed
 * @param {string} words
 * @returns {Uint8Array} 32 bytes
 * @throws {UsageError} another length, or words that are no well-formed text
 */
export function luckySeed(entropy, words) {
  requireSeed(entropy, "the random part");
  if (/\p{Cs}/u.test(words)) throw new UsageError("the words hold half of a surrogate pair");
  return sha256(entropy, utf8(words));
}

/**
 * The 96 bytes that the deal key is drawn from (§2.3).
 * @param {string} hand 32 hex characters
 * @param {Terms} terms
 * @param {readonly Contribution[]} contributions ascending by seat
 * @returns {Uint8Array} 96 bytes
 */
export function transcript(hand, terms, contributions) {
  const opened = new Uint8Array(contributions.length * (1 + SEED_SIZE));
  contributions.forEach(({ seat, seed }, i) => {
    opened[i * (1 + SEED_SIZE)] = seat;
    opened.set(parseHex(seed, "contributions", SEED_SIZE), i * (1 + SEED_SIZE) + 1);
  });
  const out = new Uint8Array(96);
  out.set(LABEL, 0);
  out.set(parseHex(hand, "hand", HAND_SIZE), 16);
  out.set(sha256(utf8(canonicalTerms(terms))), 32);
  out.set(sha256(opened), 64);
  return out;
}

/**
 * The deal key (§2.3): everything about the deal follows from it and the terms.
 * @param {Uint8Array} serverSeed 32 bytes
 * @param {string} hand 32 hex characters
 * @param {Terms} terms
 * @param {readonly Contribution[]} contributions ascending by seat
 * @returns {Uint8Array} 32 bytes
 * @throws {UsageError} a seed of another length
 */
export function dealKey(serverSeed, hand, terms, contributions) {
  requireSeed(serverSeed, "a server seed");
  return hmacSha256(serverSeed, transcript(hand, terms, contributions));
}

/**
 * @template {{ seat: number }} T
 * @param {T[]} items
 * @param {string} field
 * @returns {T[]}
 */
function ascending(items, field) {
  items.forEach((item, i) => {
    const before = items[i - 1];
    if (before !== undefined && before.seat >= item.seat) throw new MalformedError(field, "ascending");
  });
  return items;
}

/**
 * A list of seals, seats strictly ascending and below `seats` (§1.5).
 * @param {unknown} value
 * @param {string} field
 * @param {number} seats
 * @returns {Seal[]}
 * @throws {MalformedError}
 */
export function parseSeals(value, field, seats) {
  const seals = listing(value, field, MAX_SEAT + 1, (item, at) => {
    const object = members(item, at, ["seat", "seal"]);
    return { seat: integer(object.seat, `${at}.seat`, 0, MAX_SEAT), seal: hexText(object.seal, `${at}.seal`, SEED_SIZE) };
  });
  if (seals.some(({ seat }) => seat >= seats)) throw new MalformedError(field, "seat-range");
  return ascending(seals, field);
}

/**
 * A list of contributions, seats strictly ascending (§2.1). Whether they belong to the seals is judged by the
 * check `seals`.
 * @param {unknown} value
 * @param {string} field
 * @returns {Contribution[]}
 * @throws {MalformedError}
 */
export function parseContributions(value, field) {
  const contributions = listing(value, field, MAX_SEAT + 1, (item, at) => {
    const object = members(item, at, ["seat", "seed"]);
    return { seat: integer(object.seat, `${at}.seat`, 0, MAX_SEAT), seed: hexText(object.seed, `${at}.seed`, SEED_SIZE) };
  });
  return ascending(contributions, field);
}
