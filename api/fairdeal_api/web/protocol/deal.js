/**
 * From a deal key and terms to the deal document (§3–§6); the layouts are in wall.js and plain.js.
 * @module
 */

import { Draws, shuffle, throwDealer } from "./draws.js";
import { layPlain } from "./plain.js";
import { layWall } from "./wall.js";
import { sizeOf } from "./terms.js";
/** @import { SeatThrow } from "./draws.js" */
/** @import { Terms } from "./terms.js" */

/** @typedef {{ order: number[] }} DeckDeal */
/**
 * @typedef {object} PlainDeal
 * @property {number[]} order
 * @property {number} dealer
 * @property {SeatThrow[][]} dealer_throws
 * @property {number} starter
 * @property {number} indicator
 * @property {number[]} okey
 * @property {number[][]} hands by seat, in the order taken
 * @property {number[]} stock in the order drawn
 */
/**
 * @typedef {object} WallParts
 * @property {number[][]} wall the stacks before the spare is placed, each bottom first
 * @property {number} spare
 * @property {number[][]} throws
 * @property {number} selected
 * @property {number} level
 */
/** @typedef {PlainDeal & WallParts} WallDeal */
/** @typedef {DeckDeal | PlainDeal | WallDeal} Deal the document of §6 */

/**
 * The deal that a key and terms give (§3–§6).
 * @param {Uint8Array | Draws} key the deal key, 32 bytes
 * @param {Terms} terms
 * @returns {Deal}
 */
export function makeDeal(key, terms) {
  const draws = key instanceof Draws ? key : new Draws(key);
  return dealFrom(draws, terms, shuffle(draws, sizeOf(terms)));
}

/**
 * The rest of the deal, from a shuffled order. Apart from {@link makeDeal} only diagnosis calls this.
 * @param {Draws} draws
 * @param {Terms} terms
 * @param {number[]} order
 * @returns {Deal}
 */
export function dealFrom(draws, terms, order) {
  if (terms.game === "deck") return { order };
  const { dealer, rounds } = terms.dealer === "throw"
    ? throwDealer(draws, terms.seats)
    : { dealer: terms.dealer, rounds: [] };
  const starter = (dealer + 1) % terms.seats;
  const table = { order, dealer, dealer_throws: rounds, starter };
  return terms.layout === "wall"
    ? { ...table, ...layWall(draws, terms, order, starter) }
    : { ...table, ...layPlain(terms, order, starter) };
}

/**
 * Which kind of document a deal is, by its members.
 * @param {Deal} deal
 * @returns {"deck" | "plain" | "wall"}
 */
export function kindOf(deal) {
  return "wall" in deal ? "wall" : "hands" in deal ? "plain" : "deck";
}

/**
 * Which kind of document the terms ask for.
 * @param {Terms} terms
 * @returns {"deck" | "plain" | "wall"}
 */
export function kindFor(terms) {
  return terms.game === "deck" ? "deck" : terms.layout;
}
