/**
 * A player's side of a hand (§1.5, §1.6): draw a client seed, hand over its seal, keep the commit receipt, and open
 * the seed only after that receipt was checked. No DOM; the badge wraps it, and a game client may use it alone.
 * @module
 */

import { luckySeed, parseReceipt, parseJson, resultOf, sealOf, toHex, verify } from "../protocol/index.js";
import { dropSeed, keep, keepSeed, keptOf, seenOf, waitingSeed } from "./kept.js";
/** @import { Report } from "../protocol/verify.js" */

/** A receipt does not hold up: the seed stays closed, and whoever asked for it learns why. `code` is stable. */
export class SeatError extends Error {
  /**
   * @param {"not-receipt" | "refuted" | "no-seal" | "other-hand" | "not-committed" | "locked" | "store"} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.name = "SeatError";
    this.code = code;
  }
}

/**
 * Draws a new client seed, keeps it in this site's store, and answers its seal. Call it for every commit anew:
 * a seal stands once in a log.
 * @param {number} seat
 * @param {string} [words] lucky words of the player; the random bytes stay
 * @returns {{ seat: number, seal: string }} what to send to the game server
 * @throws {SeatError} `store`: this browser keeps nothing, so the seed would be lost with the page
 */
export function prepare(seat, words = "") {
  const entropy = globalThis.crypto.getRandomValues(new Uint8Array(32));
  const seed = words === "" ? entropy : luckySeed(entropy, words);
  const seal = toHex(sealOf(seed));
  if (!keepSeed(seal, { v: 1, at: Date.now(), seat, seed: toHex(seed) })) {
    throw new SeatError("store", "this browser lets the page keep nothing, so the seed would be lost");
  }
  return { seat, seal };
}

/**
 * Checks a receipt from before the reveal and keeps it; the client seed that waits for one of its seals is kept
 * with it from now on.
 * @param {string} text the commit receipt or lock receipt, as the service answered it
 * @param {{ key?: import("../protocol/note.js").Verifier, hand?: string }} [expected] a log key that the game trusts;
 *   the hand that it is about
 * @returns {Promise<{ hand: string, report: Report, seat: number | null }>} `seat` where a seed of ours is sealed in it
 * @throws {SeatError} it is no receipt, contradicts itself or what was kept, or names another hand
 */
export async function committed(text, { key, hand: expected } = {}) {
  let receipt;
  try {
    receipt = parseReceipt(parseJson(text, "receipt"));
  } catch {
    throw new SeatError("not-receipt", "this is not a receipt");
  }
  const commit = receipt.entries.find(({ entry }) => entry?.type === "commit")?.entry;
  if (commit?.type !== "commit") throw new SeatError("not-receipt", "the receipt holds no commit");
  if (expected !== undefined && commit.hand !== expected) throw new SeatError("other-hand", "the receipt is about another hand");
  const kept = keptOf(commit.hand);
  const report = await verify(text, { keys: key === undefined ? [] : [key], seen: kept === null ? [] : seenOf(kept) });
  if (report.verdict === "refuted") throw new SeatError("refuted", "the receipt does not hold");
  // A key that the game gave has to have signed: another log's receipt shows nothing about this one.
  if (key !== undefined && resultOf(report.checks, "signature") !== "pass") {
    throw new SeatError("refuted", "the log is not signed by the expected key");
  }
  const own = commit.seals.map(({ seal }) => ({ seal, waiting: waitingSeed(seal) })).find(({ waiting }) => waiting !== null);
  const locked = report.facts?.lock != null;
  const ended = report.facts?.reveal != null;
  if (!ended) keep(commit.hand, locked ? { lock: text } : { receipt: text }, Date.now());
  if (own?.waiting != null && !ended) {
    const sealedAt = commit.seals.find(({ seal }) => seal === own.seal)?.seat;
    if (sealedAt !== own.waiting.seat) throw new SeatError("no-seal", "the seal stands under another seat");
    if (keep(commit.hand, { seat: own.waiting.seat, seed: own.waiting.seed }, Date.now())) dropSeed(own.seal);
  }
  return { hand: commit.hand, report, seat: keptOf(commit.hand)?.seat ?? null };
}

/**
 * The client seed, to be sent to the game server: only once the commit receipt that lists its seal was checked and
 * kept, and only before the lock.
 * @param {string} hand
 * @returns {{ seat: number, seed: string }}
 * @throws {SeatError} `not-committed`, `no-seal` or `locked`
 */
export function open(hand) {
  const kept = keptOf(hand);
  if (kept?.receipt === undefined) throw new SeatError("not-committed", "no commit receipt of this hand was checked");
  if (kept.seed === undefined || kept.seat === undefined) throw new SeatError("no-seal", "no seal of ours stands in this hand");
  if (kept.lock !== undefined) throw new SeatError("locked", "the hand is locked already");
  return { seat: kept.seat, seed: kept.seed };
}
