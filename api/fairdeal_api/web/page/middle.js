/**
 * What lies in the middle of the felt: dice, the spare, indicator and okeys.
 * @module
 */

import { isFalseJoker } from "../protocol/index.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { seatLabel } from "./seats.js";
import { dieElement, tileElement, tileWords } from "./tile.js";
/** @import { Scene } from "./frames.js" */
/** @import { Seating } from "./seats.js" */
/** @import { Deal, PlainDeal } from "../protocol/deal.js" */

/**
 * The middle, or null while nothing lies there.
 * @param {Scene} scene
 * @param {Deal} deal
 * @param {Seating} seating
 * @returns {HTMLElement | null}
 */
export function middleElement(scene, deal, seating) {
  const parts = [];
  if (scene.round.length > 0 && scene.stacks === null && scene.grid !== null && scene.indicator === null) {
    parts.push(h("ul", { class: "throws" }, scene.round.map(({ seat, value }) => h("li", null,
      seatLabel({ ...seating, dealer: scene.seated ? seating.dealer : null, starter: null }, seat), dieElement(value)))));
  }
  if (scene.throws.length > 0) {
    const last = scene.throws.length - 1;
    parts.push(h("ol", { class: scene.indicator === null ? "dice" : "dice dice-past", "aria-label": t("table.dice") },
      scene.throws.map((thrown, k) => h("li", null, thrown.map((value) => dieElement(value, k === last && scene.indicator === null))))));
  }
  if (scene.spare !== null) {
    parts.push(h("p", { class: "facts" }, h("span", null, t("table.spare")), h("span", { class: "back", "aria-hidden": "true" })));
  }
  if (scene.indicator !== null && "okey" in deal) parts.push(wildElement(scene.indicator, deal));
  return parts.length === 0 ? null : h("div", { class: "middle" }, ...parts);
}

/**
 * Indicator, okeys, and what the false jokers stand for.
 * @param {number} indicator
 * @param {PlainDeal} deal
 */
function wildElement(indicator, { okey }) {
  const [first] = okey;
  return h("dl", { class: "wild" },
    h("div", null, h("dt", null, t("table.indicator")), h("dd", null, tileElement(indicator))),
    h("div", { class: "arrow", "aria-hidden": "true" }, h("dd", null, "→")),
    h("div", null, h("dt", null, t("table.okey")), h("dd", null, okey.map((tile) => tileElement(tile, { okey })))),
    first === undefined || isFalseJoker(first) ? null
      : h("div", { class: "stands" }, h("dt", null, t("table.joker")), h("dd", null, t("table.plays", { tile: tileWords(first) }))));
}
