/**
 * The terms of a hand: everything that shapes the deal besides the seeds (§1.4).
 * @module
 */

import { asObject, boolean, choice, integer, members } from "./encoding.js";
import { canonical } from "./json.js";

/**
 * @typedef {object} OkeyTerms
 * @property {"okey" | "okey101"} game
 * @property {"wall" | "plain"} layout
 * @property {number} seats 2, 3 or 4
 * @property {number | "throw"} dealer
 * @property {number} dice 1 or 2
 * @property {boolean} openings
 */
/**
 * @typedef {object} DeckTerms
 * @property {"deck"} game
 * @property {number} size 2 to 1024
 * @property {number} seats 1 to 16
 * @property {boolean} openings
 */
/** @typedef {OkeyTerms | DeckTerms} Terms */

/** The smallest deck that can be shuffled. */
export const MIN_DECK = 2;

/** The largest deck: `pick` stays free of bias up to here (§3.1). */
export const MAX_DECK = 1024;

/**
 * Terms, every field written out and no other.
 * @param {unknown} value
 * @param {string} [field]
 * @returns {Terms}
 * @throws {import("./errors.js").MalformedError}
 */
export function parseTerms(value, field = "terms") {
  const object = asObject(value, field);
  const game = choice(object.game, `${field}.game`, /** @type {const} */ (["okey", "okey101", "deck"]));
  if (game === "deck") {
    members(object, field, ["game", "size", "seats", "openings"]);
    return Object.freeze({
      game,
      size: integer(object.size, `${field}.size`, MIN_DECK, MAX_DECK),
      seats: integer(object.seats, `${field}.seats`, 1, 16),
      openings: boolean(object.openings, `${field}.openings`),
    });
  }
  members(object, field, ["game", "layout", "seats", "dealer", "dice", "openings"]);
  const seats = integer(object.seats, `${field}.seats`, 2, 4);
  return Object.freeze({
    game,
    layout: choice(object.layout, `${field}.layout`, /** @type {const} */ (["wall", "plain"])),
    seats,
    dealer: object.dealer === "throw" ? "throw" : integer(object.dealer, `${field}.dealer`, 0, seats - 1),
    dice: integer(object.dice, `${field}.dice`, 1, 2),
    openings: boolean(object.openings, `${field}.openings`),
  });
}

/**
 * The text of terms that §2.3 hashes.
 * @param {Terms} terms
 * @returns {string}
 */
export function canonicalTerms(terms) {
  return canonical({ ...terms });
}

/**
 * How many tiles or cards are dealt from.
 * @param {Terms} terms
 * @returns {number}
 */
export function sizeOf(terms) {
  return terms.game === "deck" ? terms.size : 106;
}

/**
 * Tiles in a full hand; the starter holds one more (§4.4).
 * @param {OkeyTerms} terms
 * @returns {number}
 */
export function handSize(terms) {
  return terms.game === "okey" ? 14 : 21;
}

/**
 * Tiles in a stack of the wall, before the spare is placed (§4).
 * @param {OkeyTerms} terms
 * @returns {number}
 */
export function stackHeight(terms) {
  return terms.game === "okey" ? 5 : 7;
}

/**
 * The seats in the order they take tiles: the starter first, the dealer last (§3.4).
 * @param {number} seats
 * @param {number} starter
 * @returns {number[]}
 */
export function seatOrder(seats, starter) {
  return Array.from({ length: seats }, (_, i) => (starter + i) % seats);
}
