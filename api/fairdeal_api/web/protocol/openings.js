/**
 * Openings: proving one tile while the hand is still played (§7).
 * @module
 */

import { hexText, integer, listing, members, parseBase64, parseHex, toBase64, toHex, utf8 } from "./encoding.js";
import { EvidenceError, MalformedError, UsageError } from "./errors.js";
import { inclusionProof, leafHash, merkleRoot, verifyInclusion } from "./merkle.js";
import { HAND_SIZE } from "./seeds.js";
import { handSize, MAX_DECK, sizeOf } from "./terms.js";
import { TILES } from "./tiles.js";
/** @import { Deal } from "./deal.js" */
/** @import { Draws } from "./draws.js" */
/** @import { Commit, Lock } from "./entries.js" */
/** @import { Terms } from "./terms.js" */

/**
 * @typedef {object} Opening
 * @property {string} hand
 * @property {string} slot
 * @property {number} tile
 * @property {string} salt 32 bytes in hex
 * @property {number} index
 * @property {number} size
 * @property {string[]} proof base64 hashes, nearest sibling first
 */

const SLOT = /^(?:(?:hand\/(?:0|[1-9][0-9]?)|stock|order)\/(?:0|[1-9][0-9]{0,3})|indicator)$/;
/** Hashes in the longest path: 1024 slots. */
const MAX_PROOF = 10;
const MEMBERS = ["hand", "slot", "tile", "salt", "index", "size", "proof"];

/**
 * The slots of a deal in their sequence (§7.1). They depend on the starter, whose hand has one tile more.
 * @param {Terms} terms
 * @param {number} starter ignored for a deck
 * @returns {string[]}
 */
export function slots(terms, starter) {
  if (terms.game === "deck") return Array.from({ length: terms.size }, (_, k) => `order/${k}`);
  const names = [];
  for (let seat = 0; seat < terms.seats; seat++) {
    const count = handSize(terms) + (seat === starter ? 1 : 0);
    for (let k = 0; k < count; k++) names.push(`hand/${seat}/${k}`);
  }
  names.push("indicator");
  for (let k = 0; names.length < TILES; k++) names.push(`stock/${k}`);
  return names;
}

/**
 * The tiles of a deal in the sequence of its slots.
 * @param {Deal} deal
 * @returns {number[]}
 */
export function slotTiles(deal) {
  if (!("hands" in deal)) return deal.order;
  return [...deal.hands.flat(), deal.indicator, ...deal.stock];
}

/**
 * @param {string} slot
 * @param {number} tile
 * @param {Uint8Array} salt
 */
function slotLeaf(slot, tile, salt) {
  return leafHash(utf8(`${slot} ${tile} ${toHex(salt)}`));
}

/**
 * @param {Draws} draws
 * @param {Terms} terms
 * @param {Deal} deal
 */
function slotLeaves(draws, terms, deal) {
  const tiles = slotTiles(deal);
  const names = slots(terms, "starter" in deal ? deal.starter : 0);
  return names.map((slot, i) => slotLeaf(slot, /** @type {number} */ (tiles[i]), draws.mac(`s:${slot}`)));
}

/**
 * The head of the tree over all slots (§7.2).
 * @param {Draws} draws
 * @param {Terms} terms
 * @param {Deal} deal
 * @returns {Uint8Array} 32 bytes
 */
export function dealRoot(draws, terms, deal) {
  return merkleRoot(slotLeaves(draws, terms, deal));
}

/**
 * The opening of one slot (§7.3).
 * @param {string} hand
 * @param {Draws} draws
 * @param {Terms} terms
 * @param {Deal} deal
 * @param {string} slot
 * @returns {Opening}
 * @throws {UsageError} the deal has no such slot
 */
export function openSlot(hand, draws, terms, deal, slot) {
  const names = slots(terms, "starter" in deal ? deal.starter : 0);
  const index = names.indexOf(slot);
  if (index < 0) throw new UsageError("the deal has no such slot");
  return {
    hand,
    slot,
    tile: /** @type {number} */ (slotTiles(deal)[index]),
    salt: toHex(draws.mac(`s:${slot}`)),
    index,
    size: names.length,
    proof: inclusionProof(slotLeaves(draws, terms, deal), index).map(toBase64),
  };
}

/**
 * @param {unknown} value
 * @param {string} [field]
 * @returns {Opening}
 * @throws {MalformedError}
 */
export function parseOpening(value, field = "opening") {
  const object = members(value, field, MEMBERS);
  const slot = object.slot;
  if (typeof slot !== "string" || !SLOT.test(slot)) throw new MalformedError(`${field}.slot`, "slot");
  return {
    hand: hexText(object.hand, `${field}.hand`, HAND_SIZE),
    slot,
    tile: integer(object.tile, `${field}.tile`, 0, MAX_DECK - 1),
    salt: hexText(object.salt, `${field}.salt`, 32),
    index: integer(object.index, `${field}.index`, 0, MAX_DECK - 1),
    size: integer(object.size, `${field}.size`, 1, MAX_DECK),
    proof: listing(object.proof, `${field}.proof`, MAX_PROOF, (item, at) => toBase64(parseBase64(item, at, 32))),
  };
}

/**
 * The positions a slot may have: one for each starter that the terms leave open (§7.3).
 * @param {Terms} terms
 * @param {string} slot
 * @returns {number[]}
 */
export function slotPositions(terms, slot) {
  let starters = [0];
  if (terms.game !== "deck") {
    starters = terms.dealer === "throw"
      ? Array.from({ length: terms.seats }, (_, seat) => seat)
      : [(terms.dealer + 1) % terms.seats];
  }
  return starters.map((starter) => slots(terms, starter).indexOf(slot)).filter((place) => place >= 0);
}

/**
 * Checks an opening against the commit's terms and the lock's root (§7.3).
 * @param {Opening} opening
 * @param {Pick<Commit, "hand" | "terms">} commit
 * @param {Pick<Lock, "deal_root">} lock
 * @throws {EvidenceError} `bad-opening` or `bad-proof`
 */
export function checkOpening(opening, commit, lock) {
  const bad = (/** @type {string} */ why) => new EvidenceError("bad-opening", why);
  if (opening.hand !== commit.hand) throw bad("it names another hand");
  if (lock.deal_root === null) throw bad("the lock commits to no tiles");
  if (opening.size !== sizeOf(commit.terms)) throw bad("the size is not the number of slots");
  if (!slotPositions(commit.terms, opening.slot).includes(opening.index)) throw bad("the slot does not stand at this index");
  if (opening.tile >= sizeOf(commit.terms)) throw bad("the game has no such tile");
  const leaf = slotLeaf(opening.slot, opening.tile, parseHex(opening.salt, "salt", 32));
  const proof = opening.proof.map((hash) => parseBase64(hash, "proof", 32));
  verifyInclusion(opening.index, opening.size, leaf, proof, parseHex(lock.deal_root, "deal_root", 32));
}
