/**
 * One hand of many as a row of a list; no DOM, so that workers can run it (worker.js).
 * @module
 */

import { MalformedError, parseVerifier, toHex, weigh } from "../protocol/index.js";
import { seenOf } from "./kept.js";
/** @import { OtherHand } from "../protocol/diagnose.js" */
/** @import { Judgement } from "../protocol/verify.js" */
/** @import { Kept } from "./kept.js" */

/** @typedef {{ keys: string[], kept: Record<string, Kept> }} Setting trusted log keys; what was kept, by hand */
/** @typedef {{ at: number, text: string, others: OtherHand[] }} Item a document, its place, and hands near it where it is looked at again */
/** @typedef {{ items: Item[] }} Task */
/**
 * @typedef {object} Row
 * @property {number} at place among the documents, from 0
 * @property {string} verdict a verdict, or `refused`
 * @property {string | null} cause
 * @property {string | null} rule what makes it unreadable
 * @property {OtherHand | null} hand null where none can be read from it
 * @property {string} table operator and table
 * @property {number | null} number
 * @property {string} state how the hand ended
 */
/** @typedef {{ rows: Row[], problem: string | null }} Answer */

/**
 * @param {Setting} setting
 * @returns {(task: Task) => Row[]}
 */
export function checker({ keys, kept }) {
  const verifiers = keys.map((key) => parseVerifier(key));
  // A hand's id comes from a document: it must not reach what objects inherit.
  const byHand = new Map(Object.entries(kept));
  const keptOf = (/** @type {string} */ hand) => {
    const mine = byHand.get(hand);
    return mine === undefined ? [] : seenOf(mine);
  };
  return ({ items }) => items.map(({ at, text, others }) => {
    try {
      return rowOf(at, weigh(text, { keys: verifiers, others }, keptOf));
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
      return { at, verdict: "refused", cause: null, rule: error.rule, hand: null, table: "", number: null, state: "" };
    }
  });
}

/**
 * @param {number} at
 * @param {Judgement} judgement
 * @returns {Row}
 */
function rowOf(at, { verdict, cause, checks, evidence }) {
  const { document = null, commit = null, lock = null, reveal = null, fixed = null, seed = null } = evidence ?? {};
  const format = checks[0];
  return {
    at,
    verdict,
    cause,
    rule: format?.result === "fail" ? String(format.detail.rule) : null,
    hand: fixed && { hand: fixed.hand, commitment: fixed.commitment, server_seed: seed && toHex(seed) },
    table: commit === null ? "" : `${commit.operator} / ${commit.table}`,
    number: commit?.number ?? null,
    state: document?.kind !== "receipt" ? "" : reveal?.outcome ?? (lock === null ? "committed" : "locked"),
  };
}
