/**
 * Checks many hands away from the page, so that it stays quick to the touch.
 *
 * In: `{texts, kept, keys}`. Out: `{done, rows}` again and again, at last `{done, rows, finished: true}`. A row that
 * comes a second time replaces the first: a refuted hand is looked at again beside its neighbours in the file, for
 * a seed that belongs to another hand shows only there (§10.4).
 *
 * Both engines give their known answers first. After that the vendored one computes alone: asking `crypto.subtle` for
 * thousands of hashes costs more than the hashes. A hand that is opened from the list is computed by both again.
 * @module
 */

import { engine, MalformedError, parseVerifier, verifyText } from "./protocol/index.js";
import { seenOf } from "./page/kept.js";
/** @import { Report } from "./protocol/verify.js" */
/** @import { OtherHand } from "./protocol/diagnose.js" */
/** @import { Kept } from "./page/kept.js" */

/** @typedef {{ texts: string[], kept: Record<string, Kept>, keys: string[] }} Job */
/**
 * @typedef {object} Row
 * @property {number} at place in the file, from 0
 * @property {string} verdict a verdict, or `refused`
 * @property {string | null} cause
 * @property {string | null} hand
 * @property {string} table operator and table
 * @property {number | null} number
 * @property {string} state how the hand ended
 */
/** @typedef {{ done: number, rows: Row[], finished: boolean, problem: string | null }} Progress */

/** Results a message. */
const BATCH = 40;
/** How far to look for the hand that a seed belongs to. */
const NEIGHBOURS = 12;

/**
 * @param {Job} job
 * @param {(progress: Progress) => void} tell
 */
export async function checkMany({ texts, kept, keys }, tell) {
  await engine();
  const options = { keys: keys.map((key) => parseVerifier(key)) };
  /** @type {OtherHand[]} */
  const hands = [];
  const refuted = [];
  for (let from = 0; from < texts.length; from += BATCH) {
    const reports = texts.slice(from, from + BATCH).map((text) => tryVerify(text, options, kept));
    const rows = reports.map((report, i) => rowOf(from + i, report));
    for (const [i, report] of reports.entries()) {
      if (report?.facts?.hand == null) continue;
      const { hand, commitment, serverSeed } = report.facts;
      hands[from + i] = { hand, commitment, server_seed: serverSeed };
      if (report.verdict === "refuted") refuted.push(from + i);
    }
    tell({ done: from + rows.length, rows, finished: false, problem: null });
  }
  const rows = [];
  for (const at of refuted) {
    const near = hands.slice(Math.max(0, at - NEIGHBOURS), at + NEIGHBOURS + 1);
    const others = near.filter((one) => one !== undefined && one.hand !== hands[at]?.hand);
    rows.push(rowOf(at, tryVerify(texts[at] ?? "", { ...options, others }, kept)));
  }
  tell({ done: texts.length, rows, finished: true, problem: null });
}

/**
 * @param {string} text
 * @param {import("./protocol/verify.js").Options} options
 * @param {Record<string, Kept>} kept by hand
 * @returns {Report | null} null where the text is neither receipt nor record
 */
function tryVerify(text, options, kept) {
  try {
    const report = verifyText(text, options);
    const mine = report.facts?.hand != null ? kept[report.facts.hand] : undefined;
    return mine === undefined ? report : verifyText(text, { ...options, seen: seenOf(mine) });
  } catch (error) {
    if (error instanceof MalformedError) return null;
    throw error;
  }
}

/**
 * @param {number} at
 * @param {Report | null} report
 * @returns {Row}
 */
function rowOf(at, report) {
  const facts = report?.facts ?? null;
  const commit = facts?.commit ?? null;
  const reveal = facts?.reveal ?? null;
  return {
    at,
    verdict: report?.verdict ?? "refused",
    cause: report?.cause ?? null,
    hand: facts?.hand ?? null,
    table: commit === null ? "" : `${commit.operator} / ${commit.table}`,
    number: commit?.number ?? null,
    state: reveal?.outcome ?? (facts === null || facts.kind === "record" ? "" : facts.lock === null ? "committed" : "locked"),
  };
}

/** The offline file holds page and worker in one script: only a worker has no document. */
if (typeof document === "undefined") {
  globalThis.addEventListener("message", ({ data }) => {
    const tell = (/** @type {Progress} */ progress) => globalThis.postMessage(progress);
    checkMany(/** @type {Job} */ (data), tell).catch((error) => {
      tell({ done: 0, rows: [], finished: true, problem: error instanceof Error ? error.message : String(error) });
    });
  });
}
