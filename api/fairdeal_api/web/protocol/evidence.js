/**
 * What a receipt or record says of its hand, brought to one shape before it is judged (§9, §10.1).
 * @module
 */

import { parseHex } from "./encoding.js";
import { makeDeal } from "./deal.js";
import { Draws } from "./draws.js";
import { hmacSha256 } from "./hash.js";
import { commitmentOf, SEED_SIZE, transcript } from "./seeds.js";
/** @import { Deal } from "./deal.js" */
/** @import { Commit, Lock, Reveal } from "./entries.js" */
/** @import { HandRecord, Receipt } from "./receipt.js" */
/** @import { Contribution, Seal } from "./seeds.js" */
/** @import { Terms } from "./terms.js" */

/**
 * What was fixed before the hand (§1); a record may leave its commitment out.
 * @typedef {object} Fixed
 * @property {string} hand
 * @property {Terms} terms
 * @property {string | null} commitment
 * @property {Seal[]} seals
 */
/**
 * What the deal is redone from.
 * @typedef {object} Redo
 * @property {Uint8Array} transcript
 * @property {Uint8Array} key
 * @property {Draws} draws
 * @property {Deal} deal the true deal
 */
/**
 * @typedef {object} Evidence
 * @property {Receipt | HandRecord} document
 * @property {Commit | null} commit the first of its kind, wherever it stands
 * @property {Lock | null} lock
 * @property {Reveal | null} reveal
 * @property {Fixed | null} fixed null where a receipt has no readable commit
 * @property {{ contributions: Contribution[], deal_root: string | null } | null} locked
 * @property {Uint8Array | null} seed the server seed
 * @property {Uint8Array | null} opened its commitment
 * @property {boolean} ended a receipt whose hand ended without a lock: nothing was dealt
 * @property {Deal | null} given
 * @property {Redo | null} truth
 */

/**
 * @param {Receipt | HandRecord} document
 * @returns {Evidence}
 */
export function gather(document) {
  if (document.kind === "record") {
    const { contributions, deal_root, server_seed } = document;
    return recompute({
      document, commit: null, lock: null, reveal: null, fixed: document, locked: { contributions, deal_root },
      seed: server_seed === null ? null : parseHex(server_seed, "server_seed", SEED_SIZE),
      opened: null, ended: false, given: document.deal, truth: null,
    });
  }
  /** @type {Commit | null} */
  let commit = null;
  /** @type {Lock | null} */
  let lock = null;
  /** @type {Reveal | null} */
  let reveal = null;
  for (const { entry } of document.entries) {
    if (entry?.type === "commit") commit ??= entry;
    if (entry?.type === "lock") lock ??= entry;
    if (entry?.type === "reveal") reveal ??= entry;
  }
  const seed = reveal?.server_seed ?? null;
  return recompute({
    document, commit, lock, reveal, fixed: commit, locked: lock,
    seed: seed === null ? null : parseHex(seed, "server_seed", SEED_SIZE),
    opened: null,
    // With an entry unread nobody can tell whether it was the lock.
    ended: reveal !== null && lock === null && !document.unsupported,
    given: document.deal, truth: null,
  });
}

/**
 * The commitment that the seed gives, and the true deal wherever seed and lock are there. Whether they hold is judged
 * elsewhere: a refutation has to show what the given seed deals.
 * @param {Evidence} evidence
 * @returns {Evidence}
 */
function recompute(evidence) {
  const { fixed, locked, seed } = evidence;
  if (seed === null) return evidence;
  const opened = commitmentOf(seed);
  if (fixed === null || locked === null) return { ...evidence, opened };
  const message = transcript(fixed.hand, fixed.terms, locked.contributions);
  const key = hmacSha256(seed, message);
  const draws = new Draws(key);
  return { ...evidence, opened, truth: { transcript: message, key, draws, deal: makeDeal(draws, fixed.terms) } };
}
