/**
 * Verifying one hand: the twelve checks, the verdict, and what stands beside it (§10).
 *
 * `verifyText` computes all of it synchronously; `verify` in index.js adds the second engine. Only the format
 * check looks at text; everything after it looks at what was read.
 * @module
 */

import { toHex, utf8 } from "./encoding.js";
import { MalformedError } from "./errors.js";
import { compareSeen } from "./compare.js";
import { CHECKS } from "./details.js";
import { diagnose } from "./diagnose.js";
import { gather } from "./evidence.js";
import { handChecks } from "./hand-checks.js";
import { entryPath, logChecks, matching } from "./log-checks.js";
import { signedBy } from "./note.js";
import { parseEvidence, parseOuter } from "./receipt.js";
/** @import { SeenOutcome } from "./compare.js" */
/** @import { Deal } from "./deal.js" */
/** @import { Cause, CheckName, Grinding, LogEvidence, Result, Verdict } from "./details.js" */
/** @import { OtherHand } from "./diagnose.js" */
/** @import { Evidence, Fixed } from "./evidence.js" */
/** @import { Claim } from "./hash.js" */
/** @import { EntryPath } from "./log-checks.js" */
/** @import { Verifier } from "./note.js" */
/** @import { HandRecord, Receipt } from "./receipt.js" */
/** @import { Seen } from "./seen.js" */

/** @typedef {{ code: string, [name: string]: unknown }} Detail a code of DETAILS and its values */
/** @typedef {{ name: CheckName, result: Result, detail: Detail }} Check */
/**
 * @typedef {object} Options
 * @property {readonly Verifier[]} [keys] log keys that the verifier trusts
 * @property {readonly Seen[]} [seen] what was kept from before the hand
 * @property {readonly OtherHand[]} [others] other hands, to name a swapped seed
 */
/** @typedef {{ side: "left" | "right", sibling: string, result: string }} HexStep */
/**
 * One entry as a page shows it; `path` is null where the proof does not fit the place.
 * @typedef {{ index: number, text: string, type: string | null, at: number | null, leaf: string,
 *   path: HexStep[] | null, included: boolean }} EntryFacts
 */
/**
 * What was read and computed; plain data, so that a worker can hand it over.
 * @typedef {object} Facts
 * @property {"receipt" | "record"} kind
 * @property {{ origin: string, size: number, root: string } | null} checkpoint
 * @property {string | null} vkey
 * @property {EntryFacts[]} entries
 * @property {import("./entries.js").Commit | null} commit
 * @property {import("./entries.js").Lock | null} lock
 * @property {import("./entries.js").Reveal | null} reveal
 * @property {string | null} hand
 * @property {import("./terms.js").Terms | null} terms
 * @property {string | null} commitment
 * @property {string | null} serverSeed
 * @property {string | null} computedCommitment
 * @property {import("./seeds.js").Seal[]} seals
 * @property {import("./seeds.js").Contribution[] | null} contributions null without a lock
 * @property {string | null} dealRoot
 * @property {string | null} transcript the 96 bytes of §2.3
 * @property {string | null} key
 * @property {Deal | null} givenDeal
 * @property {Deal | null} trueDeal
 * @property {SeenOutcome[]} seen
 */
/**
 * @typedef {object} Report
 * @property {Verdict} verdict
 * @property {Check[]} checks all twelve, in order
 * @property {Grinding | null} grinding
 * @property {LogEvidence} log_evidence
 * @property {Cause | null} cause null unless refuted
 * @property {Facts | null} facts null where the document was malformed
 * @property {"noble" | "subtle+noble"} engine which engines computed it
 */

/**
 * Verifies a receipt or record with the vendored engine alone.
 * @param {string} text
 * @param {Options} [options]
 * @returns {Report}
 * @throws {MalformedError} the text is not strict JSON or is of neither format; anything else gets a report
 */
export function verifyText(text, options = {}) {
  return judge(text, options).report;
}

/**
 * The report, and everything a second engine can compute again.
 * @param {string} text
 * @param {Options} options
 * @returns {{ report: Report, claims: () => Claim[] }}
 * @throws {MalformedError} as {@link verifyText}
 */
export function judge(text, options) {
  const { evidence, paths, outcomes, ...judgement } = weigh(text, options);
  const report = {
    ...judgement, facts: evidence && factsOf(evidence, paths, outcomes), engine: /** @type {const} */ ("noble"),
  };
  // Only a second engine needs them: they take as long as the signature check itself.
  return { report, claims: () => (evidence === null ? [] : claimsOf(evidence, options.keys ?? [])) };
}

/**
 * What a report says, before it is written out as {@link Facts}, which takes a good part of the time: a list of a thousand
 * hands shows none of those.
 * @typedef {Omit<Report, "facts" | "engine"> & { evidence: Evidence | null, paths: EntryPath[], outcomes: SeenOutcome[] }} Judgement
 */

/**
 * @param {string} text
 * @param {Options} options
 * @param {(hand: string) => readonly Seen[]} [keptOf] what was kept of a hand, asked for once the hand is known
 * @returns {Judgement} `evidence` is null where the document was malformed
 * @throws {MalformedError} as {@link verifyText}
 */
export function weigh(text, { keys = [], seen: given = [], others = [] }, keptOf = () => []) {
  const outer = parseOuter(text);
  let document;
  try {
    document = parseEvidence(outer);
  } catch (error) {
    if (error instanceof MalformedError) return malformed(error);
    throw error;
  }
  const evidence = gather(document);
  const { fixed } = evidence;
  const seen = fixed === null ? given : [...given, ...keptOf(fixed.hand)];
  const paths = document.kind === "receipt" ? document.entries.map((entry) => entryPath(document, entry)) : [];
  const outcomes = fixed === null ? [] : compareSeen(seen, { ...evidence, fixed });
  const checks = [
    formatCheck(document),
    ...logChecks(document, keys, paths),
    ...handChecks(evidence),
    seenCheck(fixed, outcomes),
  ];
  const verdict = concludes(checks);
  return {
    verdict,
    checks,
    grinding: grindingOf(evidence, checks, outcomes),
    log_evidence: logEvidence(document, checks),
    cause: verdict === "refuted" ? diagnose({ ...evidence, checks, seen, others: [...others, ...otherHands(seen, fixed)] }) : null,
    evidence,
    paths,
    outcomes,
  };
}

/**
 * The other hands among the kept receipts: a seed of theirs may have been mixed up with this one's.
 * @param {readonly Seen[]} seen
 * @param {Fixed | null} fixed
 * @returns {OtherHand[]}
 */
function otherHands(seen, fixed) {
  return seen.flatMap((one) => {
    if (one.kind !== "receipt" || fixed === null) return [];
    const entries = one.receipt.entries.map(({ entry }) => entry);
    const commit = entries.find((entry) => entry?.type === "commit");
    const reveal = entries.find((entry) => entry?.type === "reveal");
    if (commit?.type !== "commit" || commit.hand === fixed.hand) return [];
    const seed = reveal?.type === "reveal" ? reveal.server_seed : null;
    return [{ hand: commit.hand, commitment: commit.commitment, server_seed: seed }];
  });
}

/**
 * @param {readonly Check[]} checks
 * @param {CheckName} name
 * @returns {Result}
 */
export function resultOf(checks, name) {
  return checks.find((one) => one.name === name)?.result ?? "absent";
}

/**
 * @param {CheckName} name
 * @param {Result} result
 * @param {Detail} detail
 * @returns {Check}
 */
const check = (name, result, detail) => ({ name, result, detail });

/**
 * @param {MalformedError} error
 * @returns {Judgement}
 */
function malformed(error) {
  const { field, rule } = error;
  return {
    verdict: "refuted",
    checks: CHECKS.map((name) => (name === "format"
      ? check(name, "fail", { code: "format.malformed", field, rule })
      : check(name, "absent", { code: "not-checked" }))),
    grinding: null,
    log_evidence: "none",
    cause: "unknown",
    evidence: null,
    paths: [],
    outcomes: [],
  };
}

/**
 * @param {Receipt | HandRecord} document
 * @returns {Check}
 */
function formatCheck(document) {
  if (document.kind === "record") return check("format", "pass", { code: "format.record" });
  const unread = document.entries.flatMap(({ entry }, i) => (entry === null ? [i] : []));
  return unread.length > 0
    ? check("format", "absent", { code: "format.unsupported", entries: unread })
    : check("format", "pass", { code: "format.receipt", entries: document.entries.length });
}

/**
 * @param {Fixed | null} fixed
 * @param {SeenOutcome[]} outcomes
 * @returns {Check}
 */
function seenCheck(fixed, outcomes) {
  if (fixed === null) return check("seen", "absent", { code: "no-commit" });
  const of = (/** @type {SeenOutcome["outcome"]} */ outcome) => outcomes.filter((one) => one.outcome === outcome);
  const lists = { agree: of("agree"), disagree: of("disagree"), aside: of("aside"), uncompared: of("uncompared") };
  if (lists.disagree.length > 0) return check("seen", "fail", { code: "seen.fail", ...lists });
  if (outcomes.some((one) => one.keptCommitment)) return check("seen", "pass", { code: "seen.pass", ...lists });
  return check("seen", "absent", { code: outcomes.length === 0 ? "seen.nothing" : "seen.no-commitment", ...lists });
}

/**
 * The verdict (§10.2). Nothing passes because something was missing.
 * @param {readonly Check[]} checks
 * @returns {Verdict}
 */
function concludes(checks) {
  const absent = (/** @type {CheckName} */ name) => resultOf(checks, name) === "absent";
  if (checks.some(({ result }) => result === "fail")) return "refuted";
  const needed = CHECKS.slice(CHECKS.indexOf("commitment"), CHECKS.indexOf("seen"));
  if (absent("format") || needed.some(absent)) return "incomplete";
  return absent("seen") ? "consistent" : "verified";
}

/**
 * Who could have chosen the deal by trying seeds (§10.3).
 * @param {Evidence} evidence
 * @param {readonly Check[]} checks
 * @param {readonly SeenOutcome[]} outcomes
 * @returns {Grinding | null}
 */
function grindingOf({ locked }, checks, outcomes) {
  if (locked === null) return null;
  if (resultOf(checks, "seals") !== "pass" || locked.contributions.length === 0) return "operator";
  const own = outcomes.some(({ ownSeed }) => ownSeed) && outcomes.some(({ keptFromCommit }) => keptFromCommit);
  // A server seed that is not the committed one could be tried freely, whoever contributed.
  const bound = resultOf(checks, "commitment") !== "fail";
  return own && bound && resultOf(checks, "seen") === "pass" ? "nobody" : "operator-with-all-seats";
}

/**
 * @param {Receipt | HandRecord} document
 * @param {readonly Check[]} checks
 * @returns {LogEvidence}
 */
function logEvidence(document, checks) {
  const signature = resultOf(checks, "signature");
  const inclusion = resultOf(checks, "inclusion");
  if (signature === "pass" && inclusion === "pass") return "a key that was given";
  const own = document.kind === "receipt" && document.entries.length > 0;
  return own && signature === "absent" && inclusion === "absent" ? "only the receipt's own key" : "none";
}

/**
 * @param {Evidence} evidence
 * @param {readonly EntryPath[]} paths
 * @param {SeenOutcome[]} outcomes
 * @returns {Facts}
 */
function factsOf({ document, commit, lock, reveal, fixed, locked, seed, opened, given, truth }, paths, outcomes) {
  const receipt = document.kind === "receipt" ? document : null;
  return {
    kind: document.kind,
    checkpoint: receipt && { ...receipt.checkpoint, root: toHex(receipt.checkpoint.root) },
    vkey: receipt && receipt.vkey,
    entries: (receipt?.entries ?? []).map(({ index, text, entry, leaf }, i) => {
      const { path = null, included = false } = paths[i] ?? {};
      const steps = path?.map(({ side, sibling, result }) => ({ side, sibling: toHex(sibling), result: toHex(result) }));
      return { index, text, type: entry?.type ?? null, at: entry?.at ?? null, leaf: toHex(leaf), path: steps ?? null, included };
    }),
    commit,
    lock,
    reveal,
    hand: fixed?.hand ?? null,
    terms: fixed?.terms ?? null,
    commitment: fixed?.commitment ?? null,
    serverSeed: seed && toHex(seed),
    computedCommitment: opened && toHex(opened),
    seals: fixed?.seals ?? [],
    contributions: locked?.contributions ?? null,
    dealRoot: locked?.deal_root ?? null,
    transcript: truth && toHex(truth.transcript),
    key: truth && toHex(truth.key),
    givenDeal: given,
    trueDeal: truth?.deal ?? null,
    seen: outcomes,
  };
}

/**
 * What a second engine computes again: the commitment, the deal key, the signatures.
 * @param {Evidence} evidence
 * @param {readonly Verifier[]} keys
 * @returns {Claim[]}
 */
function claimsOf({ document, seed, opened, truth }, keys) {
  /** @type {Claim[]} */
  const claims = [];
  if (seed !== null && opened !== null) {
    claims.push({ what: "the commitment", kind: "sha256", message: seed, digest: opened });
  }
  if (seed !== null && truth !== null) {
    claims.push({ what: "the deal key", kind: "hmac", key: seed, message: truth.transcript, digest: truth.key });
  }
  if (document.kind === "receipt") {
    const known = matching(document, keys);
    for (const key of known.length > 0 ? known : [document.verifier]) {
      const lines = document.note.signatures.filter(({ name, keyId }) => name === key.name && keyId === key.keyId);
      for (const { signature } of lines) {
        const note = { text: document.note.text, signatures: [{ name: key.name, keyId: key.keyId, signature }] };
        claims.push({
          what: "a signature", kind: "ed25519", key: key.public, message: utf8(note.text), signature,
          holds: signedBy(note, key) === "good",
        });
      }
    }
  }
  return claims;
}
