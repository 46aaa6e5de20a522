/**
 * What a player kept from before the hand (§10.6): the commitment, a commit or lock receipt, one's own client
 * seed, one's own tiles, openings.
 * @module
 */

import { asObject, hexText, integer, parseHex } from "./encoding.js";
import { MalformedError } from "./errors.js";
import { parseJson } from "./json.js";
import { parseOpening } from "./openings.js";
import { parseReceipt, RECEIPT_FORMAT } from "./receipt.js";
import { SEED_SIZE } from "./seeds.js";
import { parseFace } from "./tiles.js";
/** @import { Opening } from "./openings.js" */
/** @import { Receipt } from "./receipt.js" */

/**
 * @typedef {{ kind: "commitment", commitment: string }
 *   | { kind: "receipt", receipt: Receipt }
 *   | { kind: "seed", seat: number, seed: string }
 *   | { kind: "tiles", seat: number, faces: string[] }
 *   | { kind: "opening", opening: Opening }} Seen
 */

/** The highest seat that can be written: one beyond the table is no seat there, not unreadable. */
const MAX_WRITTEN_SEAT = 99;
/** Tiles that one player may claim to have seen. */
const MAX_FACES = 106;

/**
 * A kept commitment; it names no hand.
 * @param {unknown} commitment 32 bytes in hex
 * @returns {Seen}
 * @throws {MalformedError}
 */
export function seenCommitment(commitment) {
  return { kind: "commitment", commitment: hexText(commitment, "seen.commitment", SEED_SIZE) };
}

/**
 * A kept receipt. It must be well-formed and known whole: what cannot be read cannot be compared.
 * @param {unknown} value the receipt's JSON, read by `parseJson`
 * @returns {Seen}
 * @throws {MalformedError}
 */
export function seenReceipt(value) {
  const receipt = parseReceipt(value);
  if (receipt.unsupported) throw new MalformedError("seen.receipt", "unsupported");
  return { kind: "receipt", receipt };
}

/**
 * One's own client seed.
 * @param {unknown} seat
 * @param {unknown} seed 32 bytes in hex
 * @returns {Seen}
 * @throws {MalformedError}
 */
export function seenSeed(seat, seed) {
  return { kind: "seed", seat: integer(seat, "seen.seat", 0, MAX_WRITTEN_SEAT), seed: hexText(seed, "seen.seed", SEED_SIZE) };
}

/**
 * One's own tiles as dealt, in any order.
 * @param {unknown} seat
 * @param {unknown} faces such as `["R10", "K1", "J"]`
 * @returns {Seen}
 * @throws {MalformedError}
 */
export function seenTiles(seat, faces) {
  if (!Array.isArray(faces) || faces.length === 0 || faces.length > MAX_FACES) throw new MalformedError("seen.tiles", "list");
  return {
    kind: "tiles",
    seat: integer(seat, "seen.seat", 0, MAX_WRITTEN_SEAT),
    faces: faces.map((face, i) => parseFace(face, `seen.tiles[${i}]`)),
  };
}

/**
 * An opening received during the hand.
 * @param {unknown} value
 * @returns {Seen}
 * @throws {MalformedError}
 */
export function seenOpening(value) {
  return { kind: "opening", opening: parseOpening(value, "seen.opening") };
}

/**
 * What is kept, from text as people hand it over: a commitment in hex, `seed:SEAT=HEX`, `tiles:SEAT=R10,K1,J`, a
 * receipt, an opening, a list of openings, or what the service answered: `{"openings": [...]}`, a hand with its `receipt`.
 * @param {string} text
 * @returns {Seen[]} at least one
 * @throws {MalformedError}
 */
export function parseSeenText(text) {
  const trimmed = text.trim();
  const own = /^(seed|tiles):(0|[1-9][0-9]?)=([^]*)$/.exec(trimmed);
  if (own !== null) {
    const [, kind, seat, value = ""] = own;
    return [kind === "seed" ? seenSeed(Number(seat), value) : seenTiles(Number(seat), value.split(","))];
  }
  if (!/^[[{]/.test(trimmed)) {
    try {
      parseHex(trimmed, "seen", SEED_SIZE);
    } catch {
      throw new MalformedError("seen", "seen");
    }
    return [seenCommitment(trimmed)];
  }
  const value = parseJson(trimmed, "seen");
  if (!Array.isArray(value)) {
    const object = asObject(value, "seen");
    if (object.format === RECEIPT_FORMAT) return [seenReceipt(object)];
    // A commit's or deal's answer kept whole.
    if (object.receipt !== undefined) return [seenReceipt(object.receipt)];
    if (!Array.isArray(object.openings)) return [seenOpening(object)];
  }
  const list = Array.isArray(value) ? value : /** @type {unknown[]} */ (asObject(value, "seen").openings);
  if (list.length === 0) throw new MalformedError("seen", "seen");
  return list.map(seenOpening);
}
