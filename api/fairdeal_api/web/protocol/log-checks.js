/**
 * The checks of what the log shows: `signature`, `inclusion`, `sequence` (§10.1).
 * @module
 */

import { toHex } from "./encoding.js";
import { EvidenceError } from "./errors.js";
import { equalBytes } from "./hash.js";
import { inclusionPath } from "./merkle.js";
import { signedBy, verifierText } from "./note.js";
/** @import { CheckName, Result } from "./details.js" */
/** @import { PathStep } from "./merkle.js" */
/** @import { Verifier } from "./note.js" */
/** @import { HandRecord, LoggedEntry, Receipt } from "./receipt.js" */
/** @import { Check, Detail } from "./verify.js" */

/**
 * @param {CheckName} name
 * @param {Result} result
 * @param {Detail} detail
 * @returns {Check}
 */
const check = (name, result, detail) => ({ name, result, detail });

/**
 * `signature`, `inclusion`, `sequence`: what the log shows.
 * @param {Receipt | HandRecord} document
 * @param {readonly Verifier[]} keys
 * @param {readonly EntryPath[]} paths
 * @returns {Check[]}
 */
export function logChecks(document, keys, paths) {
  if (document.kind === "record") {
    return (/** @type {const} */ (["signature", "inclusion", "sequence"]))
      .map((name) => check(name, "absent", { code: `${name}.record` }));
  }
  const signature = signatureCheck(document, keys);
  return [signature, inclusionCheck(paths, signature.result), sequenceCheck(document)];
}

/**
 * The keys that the checkpoint's origin calls for.
 * @param {Receipt} receipt
 * @param {readonly Verifier[]} keys
 */
export function matching(receipt, keys) {
  return keys.filter(({ name }) => name === receipt.checkpoint.origin);
}

/**
 * @param {Receipt} receipt
 * @param {readonly Verifier[]} keys
 * @returns {Check}
 */
function signatureCheck(receipt, keys) {
  const { origin } = receipt.checkpoint;
  const known = matching(receipt, keys);
  if (known.length > 0) {
    const states = known.map((key) => ({ key: verifierText(key), state: signedBy(receipt.note, key) }));
    const named = (/** @type {string} */ state) => states.filter((one) => one.state === state).map(({ key }) => key);
    if (named("bad").length > 0) return check("signature", "fail", { code: "signature.bad", origin, keys: named("bad") });
    if (named("good").length === 0) {
      return check("signature", "fail", { code: "signature.unsigned", origin, keys: named("missing") });
    }
    return check("signature", "pass", { code: "signature.given", origin, keys: named("good") });
  }
  const { vkey, verifier, note } = receipt;
  if (verifier.name !== origin) return check("signature", "fail", { code: "signature.own-other-name", origin, vkey });
  return signedBy(note, verifier) === "good"
    ? check("signature", "absent", { code: "signature.own", origin, vkey })
    : check("signature", "fail", { code: "signature.own-bad", origin, vkey });
}

/** @typedef {{ path: PathStep[] | null, included: boolean }} EntryPath path is null where the proof does not fit */

/**
 * The way from an entry up to the checkpoint's root.
 * @param {Receipt} receipt
 * @param {LoggedEntry} entry
 * @returns {EntryPath}
 */
export function entryPath({ checkpoint }, { index, leaf, proof }) {
  try {
    const path = inclusionPath(index, checkpoint.size, leaf, proof);
    return { path, included: equalBytes(path[path.length - 1]?.result ?? leaf, checkpoint.root) };
  } catch (error) {
    if (error instanceof EvidenceError) return { path: null, included: false };
    throw error;
  }
}

/**
 * Every entry stands in the tree whose head was signed; that is worth as much as the signature.
 * @param {readonly EntryPath[]} paths
 * @param {Result} signature
 * @returns {Check}
 */
function inclusionCheck(paths, signature) {
  if (paths.length === 0) return check("inclusion", "absent", { code: "inclusion.empty" });
  const wrong = paths.findIndex(({ included }) => !included);
  if (wrong >= 0) return check("inclusion", "fail", { code: "inclusion.bad", entry: wrong });
  const code = { pass: "inclusion.given", absent: "inclusion.own", fail: "inclusion.unsigned", none: "inclusion.own" };
  return check("inclusion", signature, { code: code[signature], entries: paths.length });
}

/**
 * One hand: commit, lock, reveal, by index, time and `prev`. Lateness is a matter for audits.
 * @param {Receipt} receipt
 * @returns {Check}
 */
function sequenceCheck({ entries, unsupported }) {
  if (entries.length === 0) return check("sequence", "absent", { code: "sequence.empty" });
  if (unsupported) return check("sequence", "absent", { code: "sequence.unsupported" });
  /** @param {string} code @param {Record<string, unknown>} [values] */
  const fail = (code, values) => check("sequence", "fail", { code: `sequence.${code}`, ...values });
  const kinds = entries.map(({ entry }) => entry?.type);
  if (!["commit", "commit,lock", "commit,lock,reveal", "commit,reveal"].includes(kinds.join(","))) {
    return fail("kinds", { kinds });
  }
  for (let i = 1; i < entries.length; i++) {
    const before = entries[i - 1];
    const { entry, index } = /** @type {LoggedEntry} */ (entries[i]);
    if (before?.entry == null || entry === null || entry.type === "commit") return fail("kinds", { kinds });
    if (entry.hand !== before.entry.hand) return fail("hand", { entry: i, given: entry.hand, expected: before.entry.hand });
    if (index <= before.index) return fail("index", { entry: i, given: index, expected: before.index + 1 });
    if (entry.at < before.entry.at) return fail("time", { entry: i, given: entry.at, expected: before.entry.at });
    if (entry.prev !== toHex(before.leaf)) return fail("prev", { entry: i, given: entry.prev, expected: toHex(before.leaf) });
    if (entry.type !== "reveal") continue;
    const locked = kinds.includes("lock");
    if (entry.outcome === "played" && !locked) return fail("unlocked-play", { entry: i });
    const [first] = entries;
    const sealed = first?.entry?.type === "commit" && first.entry.seals.length > 0;
    if (entry.reason === "seat-silent" && (locked || !sealed)) return fail("silent-seat", { entry: i });
  }
  return check("sequence", "pass", { code: "sequence.pass", kinds });
}
