/**
 * Compares what was kept from before the hand with what a receipt or record says (§10.6).
 * @module
 */

import { toHex, parseHex } from "./encoding.js";
import { FairdealError } from "./errors.js";
import { equalBytes } from "./hash.js";
import { sameJson } from "./json.js";
import { checkOpening, slots, slotTiles } from "./openings.js";
import { sealOf } from "./seeds.js";
import { tileName } from "./tiles.js";
/** @import { Entry } from "./entries.js" */
/** @import { Evidence, Fixed } from "./evidence.js" */
/** @import { Opening } from "./openings.js" */
/** @import { HandRecord, LoggedEntry, Receipt } from "./receipt.js" */
/** @import { Seen } from "./seen.js" */

/**
 * @typedef {object} SeenOutcome
 * @property {number} item its place among the items given
 * @property {Seen["kind"]} kind
 * @property {"agree" | "disagree" | "aside" | "uncompared"} outcome
 * @property {string} reason one of SEEN_REASONS[outcome]
 * @property {string} [given] what the document says
 * @property {string} [kept] what was kept
 * @property {number} [seat]
 * @property {string[]} [lacking] kinds of entry that the kept receipt holds and the document lacks
 * @property {boolean} keptCommitment agreed, and shows that the commitment stood before the reveal
 * @property {boolean} keptFromCommit agreed, and shows that it stood before the client seeds were opened
 * @property {boolean} ownSeed agreed with a listed contribution
 */

/** @typedef {Omit<Partial<SeenOutcome>, "item" | "kind"> & Pick<SeenOutcome, "outcome" | "reason">} Finding */

/**
 * @param {readonly Seen[]} seen
 * @param {Evidence & { fixed: Fixed }} evidence
 * @returns {SeenOutcome[]} one for each item
 */
export function compareSeen(seen, evidence) {
  return seen.map((one, item) => ({
    item, kind: one.kind, keptCommitment: false, keptFromCommit: false, ownSeed: false, ...compareOne(one, evidence),
  }));
}

/**
 * @param {string} reason
 * @param {Partial<Finding>} [more]
 * @returns {Finding}
 */
const agree = (reason, more) => ({ outcome: "agree", reason, ...more });
/**
 * @param {string} reason
 * @param {Partial<Finding>} [more]
 * @returns {Finding}
 */
const disagree = (reason, more) => ({ outcome: "disagree", reason, ...more });
/**
 * @param {string} reason
 * @param {Partial<Finding>} [more]
 * @returns {Finding}
 */
const uncompared = (reason, more) => ({ outcome: "uncompared", reason, ...more });

/**
 * @param {Seen} seen
 * @param {Evidence & { fixed: Fixed }} evidence
 * @returns {Finding}
 */
function compareOne(seen, evidence) {
  switch (seen.kind) {
    case "commitment": {
      const given = evidence.fixed.commitment;
      if (given === null) return uncompared("commitment.not-given");
      if (given !== seen.commitment) return disagree("commitment.other", { given, kept: seen.commitment });
      return agree("commitment.same", { keptCommitment: true, keptFromCommit: true });
    }
    case "receipt":
      return evidence.document.kind === "receipt"
        ? compareReceipts(seen.receipt, evidence.document, evidence.fixed.hand)
        : compareWithRecord(seen.receipt, evidence.document);
    case "seed":
      return compareSeed(seen.seat, seen.seed, evidence);
    case "tiles":
      return compareTiles(seen.seat, seen.faces, evidence);
    case "opening":
      return compareOpening(seen.opening, evidence);
  }
}

/**
 * The first entry of a kind.
 * @param {Receipt} receipt
 * @param {"commit" | "lock" | "reveal"} type
 * @returns {LoggedEntry | undefined}
 */
function firstOf(receipt, type) {
  return receipt.entries.find(({ entry }) => entry?.type === type);
}

/**
 * The hand that a kept receipt is about: its commit's, or where it has none its first entry's.
 * @param {Receipt} kept
 */
function handOf(kept) {
  return (firstOf(kept, "commit") ?? kept.entries[0])?.entry?.hand;
}

/**
 * What an agreeing receipt counts for. One with a reveal was kept after the hand, and shows nothing of before.
 * @param {Receipt} kept
 * @returns {Finding}
 */
function agreeing(kept) {
  if (firstOf(kept, "reveal") !== undefined) return agree("receipt.with-reveal");
  const hasCommit = firstOf(kept, "commit") !== undefined;
  const hasLock = firstOf(kept, "lock") !== undefined;
  return agree("receipt.same", { keptCommitment: hasCommit, keptFromCommit: hasCommit && !hasLock });
}

/**
 * @param {Receipt} kept
 * @param {Receipt} given
 * @param {string} hand
 * @returns {Finding}
 */
function compareReceipts(kept, given, hand) {
  const theirs = handOf(kept);
  if (theirs === undefined) return uncompared("receipt.empty");
  if (theirs !== hand) return { outcome: "aside", reason: "receipt.other-hand", kept: theirs };
  let compared = 0;
  const lacking = [];
  for (const a of kept.entries) {
    // Kept receipts are read whole or refused, so every entry has a type.
    const { type } = /** @type {Entry} */ (a.entry);
    const b = firstOf(given, type);
    // Nothing follows a reveal: what was kept must stand before it, or the log told two stories.
    if (b === undefined && firstOf(given, "reveal") !== undefined) return disagree("receipt.missing", { kept: a.text });
    if (b === undefined) {
      lacking.push(type);
      continue;
    }
    compared++;
    if (a.text !== b.text) return disagree("receipt.entry", { kept: a.text, given: b.text });
    if (a.index !== b.index) return disagree("receipt.index", { kept: String(a.index), given: String(b.index) });
  }
  const { origin, size, root } = kept.checkpoint;
  const head = given.checkpoint;
  if (origin === head.origin && size === head.size && !equalBytes(root, head.root)) {
    return disagree("receipt.root", { kept: toHex(root), given: toHex(head.root) });
  }
  return compared === 0 ? uncompared("receipt.empty") : { ...agreeing(kept), lacking };
}

/**
 * @param {Receipt} kept
 * @param {HandRecord} record
 * @returns {Finding}
 */
function compareWithRecord(kept, record) {
  const theirs = handOf(kept);
  if (theirs === undefined) return uncompared("receipt.empty");
  if (theirs !== record.hand) return { outcome: "aside", reason: "receipt.other-hand", kept: theirs };
  const commit = firstOf(kept, "commit")?.entry;
  if (commit?.type === "commit") {
    if (!sameJson(commit.terms, record.terms)) return disagree("receipt.terms");
    if (record.commitment !== null && commit.commitment !== record.commitment) {
      return disagree("receipt.commitment", { kept: commit.commitment, given: record.commitment });
    }
    if (!sameJson(commit.seals, record.seals)) return disagree("receipt.seals");
  }
  const lock = firstOf(kept, "lock")?.entry;
  if (lock?.type === "lock") {
    if (!sameJson(lock.contributions, record.contributions)) return disagree("receipt.contributions");
    if (lock.deal_root !== record.deal_root) return disagree("receipt.deal-root");
  }
  if (commit === undefined && lock === undefined) return uncompared("receipt.empty");
  // A record that leaves its commitment out cannot agree about it.
  return record.commitment === null ? agree("receipt.same") : agreeing(kept);
}

/**
 * @param {number} seat
 * @param {string} seed
 * @param {Evidence & { fixed: Fixed }} evidence
 * @returns {Finding}
 */
function compareSeed(seat, seed, { fixed, locked }) {
  const seal = fixed.seals.find((one) => one.seat === seat)?.seal;
  if (seal === undefined) return disagree("seed.no-seal", { seat });
  const kept = toHex(sealOf(parseHex(seed, "seen.seed", 32)));
  if (seal !== kept) return disagree("seed.seal", { seat, kept, given: seal });
  if (locked === null) return agree("seed.sealed", { seat });
  const listed = locked.contributions.find((one) => one.seat === seat);
  return listed?.seed === seed ? agree("seed.same", { seat, ownSeed: true }) : disagree("seed.contribution", { seat });
}

/**
 * @param {number} seat
 * @param {string[]} faces
 * @param {Evidence} evidence
 * @returns {Finding}
 */
function compareTiles(seat, faces, { truth, fixed, ended }) {
  if (ended) return disagree("tiles.undealt", { seat });
  if (fixed?.terms.game === "deck") return uncompared("tiles.deck", { seat });
  if (truth === null || !("hands" in truth.deal)) return uncompared("tiles.no-deal", { seat });
  const hand = truth.deal.hands[seat];
  if (hand === undefined) return disagree("tiles.seat", { seat });
  const given = hand.map(tileName).sort().join(",");
  const kept = [...faces].sort().join(",");
  return given === kept ? agree("tiles.same", { seat }) : disagree("tiles.other", { seat, given, kept });
}

/**
 * @param {Opening} opening
 * @param {Evidence & { fixed: Fixed }} evidence
 * @returns {Finding}
 */
function compareOpening(opening, { fixed, locked, truth, ended }) {
  if (opening.hand !== fixed.hand) return { outcome: "aside", reason: "opening.other-hand", kept: opening.hand };
  if (ended) return disagree("opening.undealt");
  if (locked === null) return uncompared("opening.unlocked");
  try {
    checkOpening(opening, fixed, locked);
  } catch (error) {
    if (error instanceof FairdealError) return disagree("opening.proof");
    throw error;
  }
  if (truth === null) return agree("opening.root-only");
  const { deal, draws } = truth;
  const names = slots(fixed.terms, "starter" in deal ? deal.starter : 0);
  const holds = names[opening.index] === opening.slot
    && slotTiles(deal)[opening.index] === opening.tile
    && toHex(draws.mac(`s:${opening.slot}`)) === opening.salt;
  return holds ? agree("opening.same") : disagree("opening.tile");
}
