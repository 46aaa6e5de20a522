/**
 * Who sits where, and what they are called.
 * @module
 */

import { h } from "./dom.js";
import { t } from "./i18n.js";

/**
 * @typedef {object} Seating
 * @property {number} seats
 * @property {number | null} dealer
 * @property {number | null} starter
 * @property {number | null} you the visitor's own seat, where it is known
 */
/** @typedef {"bottom" | "right" | "top" | "left"} Side */

/** Play runs anticlockwise: seat s+1 sits to the right of seat s (§1.4). */
const SIDES = /** @type {const} */ ({
  2: ["bottom", "top"],
  3: ["bottom", "right", "left"],
  4: ["bottom", "right", "top", "left"],
});

/**
 * The visitor sits at the bottom; where nobody knows who they are, the dealer does.
 * @param {Seating} seating
 * @param {number} seat
 * @returns {Side}
 */
export function sideOf({ seats, dealer, you }, seat) {
  const bottom = you !== null && you < seats ? you : (dealer ?? 0) % seats;
  const sides = SIDES[/** @type {2 | 3 | 4} */ (seats)] ?? SIDES[4];
  return sides[(seat - bottom + seats) % seats] ?? "bottom";
}

/**
 * Stacks in front of each seat, dealer first, as even as the count allows (§4.1).
 * @param {number} stacks
 * @param {number} seats
 * @returns {number[]}
 */
export function rowSizes(stacks, seats) {
  return Array.from({ length: seats }, (_, i) => Math.floor(stacks / seats) + (i < stacks % seats ? 1 : 0));
}

/**
 * @param {number} seat
 * @returns {string}
 */
export function seatName(seat) {
  return t("seat.name", { seat: String(seat) });
}

/**
 * What a seat is in this hand: dealer, starter, you.
 * @param {Seating} seating
 * @param {number} seat
 * @returns {string[]}
 */
export function seatRoles({ dealer, starter, you }, seat) {
  return [
    ...(you === seat ? [t("seat.you")] : []),
    ...(dealer === seat ? [t("seat.dealer")] : []),
    ...(starter === seat ? [t("seat.starter")] : []),
  ];
}

/**
 * A seat's name with its roles.
 * @param {Seating} seating
 * @param {number} seat
 * @returns {HTMLElement}
 */
export function seatLabel(seating, seat) {
  return h("span", { class: "seat" }, seatName(seat), ...seatRoles(seating, seat).map((role) => h("em", null, role)));
}
