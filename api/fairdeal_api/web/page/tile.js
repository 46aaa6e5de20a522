/**
 * Okey tiles as people know them: ivory, a coloured number, the colour's shape below it.
 * @module
 */

import { colourOf, isFalseJoker, numberOf, TILES } from "../protocol/index.js";
import { h } from "./dom.js";
import { capital, t } from "./i18n.js";

const COLOUR = /** @type {const} */ (["red", "yellow", "blue", "black"]);
const SVG = "http://www.w3.org/2000/svg";

/** Each colour has a shape, so that it can be told without seeing colours. */
const SHAPES = {
  red: "M5 .6a4.4 4.4 0 1 0 0 8.8A4.4 4.4 0 0 0 5 .6Z",
  yellow: "M5 0 9.6 5 5 10 .4 5Z",
  blue: "M5 .4 9.8 9.4H.2Z",
  black: "M.9 .9h8.2v8.2H.9Z",
  joker: "M5 0l1.45 3.35 3.55.35-2.7 2.45.8 3.65L5 7.9 1.9 9.8l.8-3.65L0 3.7l3.55-.35Z",
};

/** @typedef {keyof typeof SHAPES} Suit */

/** @type {Map<string, HTMLElement>} */
const drawn = new Map();

/**
 * @param {number} tile
 * @returns {Suit}
 */
function suitOf(tile) {
  return isFalseJoker(tile) ? "joker" : /** @type {Suit} */ (COLOUR[colourOf(tile)]);
}

/**
 * A tile in words: "red 10", "false joker".
 * @param {number} tile
 * @returns {string}
 */
export function tileWords(tile) {
  if (tile >= TILES || tile < 0) return t("tile.unknown", { n: tile });
  const suit = suitOf(tile);
  return suit === "joker" ? t("tile.joker") : t("tile.words", { colour: t(`colour.${suit}`), number: String(numberOf(tile)) });
}

/**
 * The face of a tile, drawn once and copied afterwards.
 * @param {number} tile
 * @returns {HTMLElement}
 */
function face(tile) {
  const joker = isFalseJoker(tile);
  const name = tile >= TILES ? `#${tile}` : joker ? "J" : `${colourOf(tile)}.${numberOf(tile)}`;
  let original = drawn.get(name);
  if (original === undefined) {
    if (tile >= TILES) {
      original = h("span", { class: "tile tile-unknown" }, h("b", null, String(tile)));
    } else {
      const suit = suitOf(tile);
      original = h("span", { class: `tile tile-${suit}` }, joker ? null : h("b", null, String(numberOf(tile))));
      const svg = document.createElementNS(SVG, "svg");
      svg.setAttribute("viewBox", "0 0 10 10");
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("d", SHAPES[suit]);
      svg.append(path);
      original.append(svg);
    }
    drawn.set(name, original);
  }
  return /** @type {HTMLElement} */ (original.cloneNode(true));
}

/**
 * @typedef {object} Look
 * @property {readonly number[]} [okey] the wild tiles of the hand
 * @property {boolean} [fresh] just moved
 * @property {boolean} [differs] not where it ought to be
 * @property {string} [note] more words for a screen reader
 * @property {boolean} [silent] the words stand beside it already
 */

/**
 * A tile, face up.
 * @param {number} tile its id; ids that no set has are shown as a number
 * @param {Look} [look]
 * @returns {HTMLElement}
 */
export function tileElement(tile, look = {}) {
  const element = face(tile);
  const wild = look.okey?.includes(tile) ?? false;
  if (wild) element.classList.add("tile-okey");
  if (look.fresh) element.classList.add("tile-fresh");
  if (look.differs) element.classList.add("tile-differs");
  if (look.silent) {
    element.setAttribute("aria-hidden", "true");
    return element;
  }
  const words = [capital(tileWords(tile))];
  if (wild) words.push(t("tile.okey"));
  if (look.differs) words.push(t("tile.differs"));
  if (look.note !== undefined) words.push(look.note);
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", words.join(", "));
  return element;
}

/**
 * A numbered card of a deck that is no okey set.
 * @param {number} card
 * @param {Look} [look]
 * @returns {HTMLElement}
 */
export function cardElement(card, look = {}) {
  const element = h("span", { class: "tile card" }, h("b", null, String(card)));
  if (look.fresh) element.classList.add("tile-fresh");
  if (look.differs) element.classList.add("tile-differs");
  if (look.silent) element.setAttribute("aria-hidden", "true");
  return element;
}

/**
 * A die.
 * @param {number} value 1 to 6
 * @param {boolean} [fresh]
 * @returns {HTMLElement}
 */
export function dieElement(value, fresh = false) {
  const pips = h("span", { class: `die die-${value}${fresh ? " die-fresh" : ""}`, role: "img", "aria-label": t("die.words", { value }) });
  for (let i = 0; i < value; i++) pips.append(h("i", null));
  return pips;
}
