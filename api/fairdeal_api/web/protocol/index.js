/**
 * The fairdeal/1 protocol: deal a hand, prove it, verify it. No DOM, no network, no clock, no randomness.
 *
 * ```js
 * import { verify, parseVerifier, seenCommitment } from "fairdeal-verifier";
 *
 * const report = await verify(receiptText, { keys: [parseVerifier(vkey)], seen: [seenCommitment(hex)] });
 * report.verdict; // "verified", "consistent", "incomplete" or "refuted"
 * ```
 * @module
 */

import { crossCheckSignature, signatureSelfTest, subtleHasEd25519 } from "./ed25519.js";
import { crossCheckHash, hashSelfTest, subtle } from "./hash.js";
import { judge } from "./verify.js";
/** @import { Options, Report } from "./verify.js" */

export { checkpointText, parseCheckpoint } from "./checkpoint.js";
export { dealFrom, kindFor, kindOf, makeDeal } from "./deal.js";
export {
  CAUSES, CHECKS, DETAIL_CODES, DETAILS, GRINDING, LOG_EVIDENCE, RESULTS, SEEN_REASONS, VERDICTS,
} from "./details.js";
export { Draws, shuffle, throwDealer } from "./draws.js";
export { verifySignature } from "./ed25519.js";
export { fromUtf8, parseBase64, parseHex, toBase64, toHex, utf8 } from "./encoding.js";
export { entryText, parseEntry } from "./entries.js";
export {
  EngineError, EvidenceError, FairdealError, MalformedError, RULES, UnsupportedError, UsageError,
} from "./errors.js";
export { hmacSha256, sha256 } from "./hash.js";
export { canonical, parseCanonical, parseJson, sameJson } from "./json.js";
export {
  consistencyProof, EMPTY_ROOT, inclusionPath, inclusionProof, leafHash, merkleRoot, nodeHash, verifyConsistency,
  verifyInclusion,
} from "./merkle.js";
export { openNote, parseNote, parseVerifier, verifierText } from "./note.js";
export { checkOpening, dealRoot, openSlot, parseOpening, slots, slotTiles } from "./openings.js";
export {
  parseDeal, parseDocument, parseReceipt, parseRecord, RECEIPT_FORMAT, RECORD_FORMAT, splitDocuments, splitLines,
} from "./receipt.js";
export { commitmentOf, dealKey, luckySeed, sealOf, transcript } from "./seeds.js";
export { parseSeenText, seenCommitment, seenOpening, seenReceipt, seenSeed, seenTiles } from "./seen.js";
export { canonicalTerms, handSize, MAX_DECK, MIN_DECK, parseTerms, seatOrder, sizeOf, stackHeight } from "./terms.js";
export {
  colourOf, COLOURS, copiesOf, isFalseJoker, numberOf, okeyOf, parseFace, tileName, TILES,
} from "./tiles.js";
export { traceDeal } from "./trace.js";
export { resultOf, verifyText, weigh } from "./verify.js";

/** @type {Promise<{ name: "noble" | "subtle+noble", ed25519: boolean }> | null} */
let found = null;

/**
 * Which engines are at hand, after each has given known answers: the vendored one always, and `crypto.subtle` where
 * the page has it. `ed25519` says whether `crypto.subtle` checks signatures too.
 * @returns {Promise<{ name: "noble" | "subtle+noble", ed25519: boolean }>}
 * @throws {import("./errors.js").EngineError} an engine gave a wrong answer
 */
export function engine() {
  found ??= (async () => {
    await hashSelfTest();
    signatureSelfTest();
    return { name: subtle() === null ? "noble" : "subtle+noble", ed25519: await subtleHasEd25519() };
  })();
  return found;
}

/**
 * Verifies a receipt or record (§10). Where `crypto.subtle` is present it computes commitment, deal key and
 * signatures once more, and the report says so.
 * @param {string} text
 * @param {Options} [options]
 * @returns {Promise<Report>}
 * @throws {import("./errors.js").MalformedError} the text is not strict JSON or is of neither format
 * @throws {import("./errors.js").EngineError} the engines disagree: there is no verdict
 */
export async function verify(text, options = {}) {
  const { name, ed25519 } = await engine();
  const { report, claims } = judge(text, options);
  const second = subtle();
  if (second === null) return report;
  await Promise.all(claims().map((claim) => {
    if (claim.kind !== "ed25519") return crossCheckHash(second, claim);
    return ed25519 ? crossCheckSignature(second, claim) : null;
  }));
  return { ...report, engine: name };
}
