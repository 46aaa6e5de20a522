/**
 * The 106 tiles, their names, and the okey of an indicator (§3.6, §3.7).
 * @module
 */

import { MalformedError, UsageError } from "./errors.js";

/** Tiles in an okey set: two of each of 52, and two false jokers. */
export const TILES = 106;
/** The first of the two false jokers. */
export const FALSE_JOKER = 104;
/** Colour letters in sequence: red, yellow, blue, black. */
export const COLOURS = "RYBK";

/**
 * @param {number} tile 0 to 105
 * @returns {boolean}
 */
export function isFalseJoker(tile) {
  return tile >= FALSE_JOKER;
}

/**
 * @param {number} tile 0 to 103
 * @returns {number} 0 red, 1 yellow, 2 blue, 3 black
 */
export function colourOf(tile) {
  return Math.floor((tile % 52) / 13);
}

/**
 * @param {number} tile 0 to 103
 * @returns {number} 1 to 13
 */
export function numberOf(tile) {
  return (tile % 13) + 1;
}

/**
 * What is printed on a tile: `R10`, `K1`, or `J` for a false joker. Both copies have the same name.
 * @param {number} tile 0 to 105
 * @returns {string}
 * @throws {UsageError} no such tile
 */
export function tileName(tile) {
  if (!Number.isInteger(tile) || tile < 0 || tile >= TILES) throw new UsageError("there are 106 tiles, numbered from 0");
  return isFalseJoker(tile) ? "J" : COLOURS.charAt(colourOf(tile)) + numberOf(tile);
}

/**
 * A tile's face, checked: §3.6 writes each in one way only.
 * @param {unknown} text
 * @param {string} [field]
 * @returns {string} the same text
 * @throws {MalformedError}
 */
export function parseFace(text, field = "tile") {
  if (typeof text !== "string" || !/^(?:[RYBK](?:[1-9]|1[0-3])|J)$/.test(text)) throw new MalformedError(field, "tile-name");
  return text;
}

/**
 * Both copies of a face, ascending.
 * @param {string} face
 * @returns {[number, number]}
 */
export function copiesOf(face) {
  if (parseFace(face) === "J") return [FALSE_JOKER, FALSE_JOKER + 1];
  const tile = COLOURS.indexOf(face.charAt(0)) * 13 + Number(face.slice(1)) - 1;
  return [tile, tile + 52];
}

/**
 * The two wild tiles under an indicator: its colour, one number higher, 13 going to 1 (§3.7).
 * @param {number} indicator 0 to 103
 * @returns {[number, number]} ascending
 * @throws {UsageError} a false joker, which is never an indicator
 */
export function okeyOf(indicator) {
  if (isFalseJoker(indicator)) throw new UsageError("a false joker is no indicator");
  const first = colourOf(indicator) * 13 + (numberOf(indicator) % 13);
  return [first, first + 52];
}
