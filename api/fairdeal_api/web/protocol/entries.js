/**
 * The log's three kinds of entry: commit, lock, reveal (§8.1).
 *
 * Entries are hashed as they were served and never written anew (§8.3); a text in another form than the
 * canonical one is refused, so each entry has one text only.
 * @module
 */

import { asObject, choice, hexText, integer, members, utf8 } from "./encoding.js";
import { MalformedError, UnsupportedError } from "./errors.js";
import { canonical, parseCanonical } from "./json.js";
import { HAND_SIZE, parseContributions, parseSeals, SEED_SIZE } from "./seeds.js";
import { parseTerms } from "./terms.js";
/** @import { Contribution, Seal } from "./seeds.js" */
/** @import { Terms } from "./terms.js" */
/** @import { Json, JsonObject } from "./json.js" */

/**
 * @typedef {object} Commit
 * @property {"commit"} type
 * @property {1} v
 * @property {number} at
 * @property {string} operator
 * @property {string} table
 * @property {number} number
 * @property {string} hand
 * @property {Terms} terms
 * @property {string} commitment
 * @property {Seal[]} seals
 * @property {string | null} note
 * @property {number} lock_by
 */
/**
 * @typedef {object} Lock
 * @property {"lock"} type
 * @property {1} v
 * @property {number} at
 * @property {string} hand
 * @property {string} prev
 * @property {Contribution[]} contributions
 * @property {string | null} deal_root
 * @property {number} reveal_by
 */
/** @typedef {"played" | "void" | "expired" | "lost"} Outcome */
/** @typedef {"seat-silent" | "table-closed" | "technical"} Reason */
/**
 * @typedef {object} Reveal
 * @property {"reveal"} type
 * @property {1} v
 * @property {number} at
 * @property {string} hand
 * @property {string} prev
 * @property {Outcome} outcome
 * @property {Reason | null} reason
 * @property {string | null} server_seed
 */
/** @typedef {Commit | Lock | Reveal} Entry times in milliseconds, bytes in hex */

/** Bytes in an entry at most. */
export const MAX_ENTRY = 4096;
const MAX_NUMBER = Number.MAX_SAFE_INTEGER;
const MINUTE = 60_000;
const MONTH = 2_592_000_000;

const COMMIT = ["type", "v", "at", "operator", "table", "number", "hand", "terms", "commitment", "seals", "note", "lock_by"];
const LOCK = ["type", "v", "at", "hand", "prev", "contributions", "deal_root", "reveal_by"];
const REVEAL = ["type", "v", "at", "hand", "prev", "outcome", "reason", "server_seed"];
const OUTCOMES = /** @type {const} */ (["played", "void", "expired", "lost"]);
const REASONS = /** @type {const} */ (["seat-silent", "table-closed", "technical"]);

/**
 * An entry from its exact text.
 * @param {string} text
 * @param {string} [field]
 * @returns {Entry}
 * @throws {UnsupportedError} another `type` or `v`: known to be an entry, but not by this code
 * @throws {MalformedError} anything else that §8.1 does not allow
 */
export function parseEntry(text, field = "entry") {
  if (utf8(text).length > MAX_ENTRY) throw new MalformedError(field, "too-long");
  const object = asObject(parseCanonical(text, field), field);
  const { type, v } = object;
  // Decided before anything else is looked at: a later version may have any members.
  if (typeof type === "string" && typeof v === "number" && (v !== 1 || !["commit", "lock", "reveal"].includes(type))) {
    throw new UnsupportedError(field);
  }
  switch (type) {
    case "commit":
      return parseCommit(members(object, field, COMMIT), field);
    case "lock":
      return parseLock(members(object, field, LOCK), field);
    case "reveal":
      return parseReveal(members(object, field, REVEAL), field);
    default:
      throw new MalformedError(`${field}.type`, "choice");
  }
}

/**
 * The text of an entry, as the log would hold it.
 * @param {Entry} entry
 * @returns {string}
 */
export function entryText(entry) {
  return canonical(/** @type {Json} */ (/** @type {unknown} */ (entry)));
}

/**
 * @param {JsonObject} object
 * @param {string} field
 */
function parseAt(object, field) {
  choice(object.v, `${field}.v`, [1]);
  return integer(object.at, `${field}.at`, 0, MAX_NUMBER);
}

/**
 * @param {unknown} value
 * @param {string} field
 * @param {number} at
 */
function parseWindow(value, field, at) {
  const end = integer(value, field, 0, MAX_NUMBER);
  if (end - at < MINUTE || end - at > MONTH) throw new MalformedError(field, "window");
  return end;
}

/**
 * @param {unknown} value
 * @param {string} field
 * @param {RegExp} pattern
 */
function parseName(value, field, pattern) {
  if (typeof value !== "string" || !pattern.test(value)) throw new MalformedError(field, "name");
  return value;
}

/**
 * @param {JsonObject} object
 * @param {string} field
 * @returns {Commit}
 */
function parseCommit(object, field) {
  const at = parseAt(object, field);
  const terms = parseTerms(object.terms, `${field}.terms`);
  return {
    type: "commit",
    v: 1,
    at,
    operator: parseName(object.operator, `${field}.operator`, /^[a-z0-9][a-z0-9._-]{0,63}$/),
    table: parseName(object.table, `${field}.table`, /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/),
    number: integer(object.number, `${field}.number`, 1, MAX_NUMBER),
    hand: hexText(object.hand, `${field}.hand`, HAND_SIZE),
    terms,
    commitment: hexText(object.commitment, `${field}.commitment`, SEED_SIZE),
    seals: parseSeals(object.seals, `${field}.seals`, terms.seats),
    note: object.note === null ? null : hexText(object.note, `${field}.note`, 32),
    lock_by: parseWindow(object.lock_by, `${field}.lock_by`, at),
  };
}

/**
 * @param {JsonObject} object
 * @param {string} field
 * @returns {Lock}
 */
function parseLock(object, field) {
  const at = parseAt(object, field);
  return {
    type: "lock",
    v: 1,
    at,
    hand: hexText(object.hand, `${field}.hand`, HAND_SIZE),
    prev: hexText(object.prev, `${field}.prev`, 32),
    contributions: parseContributions(object.contributions, `${field}.contributions`),
    deal_root: object.deal_root === null ? null : hexText(object.deal_root, `${field}.deal_root`, 32),
    reveal_by: parseWindow(object.reveal_by, `${field}.reveal_by`, at),
  };
}

/**
 * @param {JsonObject} object
 * @param {string} field
 * @returns {Reveal}
 */
function parseReveal(object, field) {
  const at = parseAt(object, field);
  const outcome = choice(object.outcome, `${field}.outcome`, OUTCOMES);
  const reason = object.reason === null ? null : choice(object.reason, `${field}.reason`, REASONS);
  const seed = object.server_seed;
  const serverSeed = seed === null ? null : hexText(seed, `${field}.server_seed`, SEED_SIZE);
  // A reason is given for a void hand only, and only a lost hand has no seed.
  if ((outcome === "void") !== (reason !== null) || (outcome === "lost") !== (serverSeed === null)) {
    throw new MalformedError(`${field}.outcome`, "outcome");
  }
  return {
    type: "reveal",
    v: 1,
    at,
    hand: hexText(object.hand, `${field}.hand`, HAND_SIZE),
    prev: hexText(object.prev, `${field}.prev`, 32),
    outcome,
    reason,
    server_seed: serverSeed,
  };
}
