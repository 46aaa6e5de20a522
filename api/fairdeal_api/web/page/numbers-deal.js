/**
 * Numbers of the checks on the deal: every draw, every swap, what stands where (§3–§6).
 * @module
 */

import { parseHex, TILES, tileName, traceDeal } from "../protocol/index.js";
import { comparison, fact, facts } from "./compare.js";
import { drawTable } from "./draw-list.js";
import { h } from "./dom.js";
import { t, tr } from "./i18n.js";
import { seatName } from "./seats.js";
/** @import { TracedDraw } from "../protocol/trace.js" */
/** @import { Check, Facts } from "../protocol/verify.js" */

/**
 * Every draw of the true deal, or none where nothing could be derived.
 * @param {Facts} all
 * @returns {TracedDraw[]}
 */
export function drawsOf({ key, terms }) {
  return key === null || terms === null ? [] : traceDeal(parseHex(key, "key", 32), terms).draws;
}

/**
 * Tiles as text, with their ids.
 * @param {readonly number[] | undefined} tiles
 * @param {Facts} all
 * @returns {string}
 */
function tilesText(tiles, { terms }) {
  return (tiles ?? []).map((tile) => (terms?.game === "deck" || tile >= TILES ? String(tile) : `${tileName(tile)}#${tile}`)).join(" ");
}

/**
 * @param {Facts} all
 * @returns {(Node | null)[]}
 */
export function shuffleNumbers(all) {
  const { givenDeal, trueDeal } = all;
  const swaps = drawsOf(all).filter(({ swap }) => swap !== null);
  return [
    trueDeal !== null && givenDeal !== null
      ? comparison(t("number.order.computed"), tilesText(trueDeal.order, all), t("number.order.given"), tilesText(givenDeal.order, all))
      : givenDeal === null ? null : facts(fact(t("number.order.given"), tilesText(givenDeal.order, all))),
    swaps.length > 0 ? h("h3", null, t("number.draws")) : null,
    swaps.length > 0 ? drawTable(swaps, t("draw.swaps")) : null,
  ];
}

/**
 * @param {Facts} all
 * @param {Check} check
 * @returns {(Node | null)[]}
 */
export function tableNumbers(all, { detail }) {
  const fields = Array.isArray(detail.fields) ? /** @type {{ name: string, given: unknown, expected: unknown }[]} */ (detail.fields) : [];
  const draws = drawsOf(all).filter(({ swap }) => swap === null);
  const { trueDeal } = all;
  return [
    ...fields.map(({ name, given, expected }) => h("section", { class: "path" },
      h("h3", null, tr(`field.${name}`)),
      comparison(t("number.computed"), JSON.stringify(expected), t("number.given"), JSON.stringify(given)))),
    trueDeal !== null && "hands" in trueDeal
      ? facts(
        fact(t("field.dealer"), trueDeal.dealer),
        fact(t("field.starter"), trueDeal.starter),
        "wall" in trueDeal ? fact(t("field.throws"), trueDeal.throws.map((dice) => dice.join("+")).join(", ")) : null,
        "wall" in trueDeal ? fact(t("field.selected"), t("number.ring", { stack: String(trueDeal.selected + 1) })) : null,
        "wall" in trueDeal ? fact(t("field.spare"), tilesText([trueDeal.spare], all)) : null,
        "wall" in trueDeal ? fact(t("field.level"), t("number.level", { level: String(trueDeal.level + 1) })) : null,
        fact(t("field.indicator"), tilesText([trueDeal.indicator], all)),
        fact(t("field.okey"), tilesText(trueDeal.okey, all)),
      )
      : null,
    draws.length > 0 ? drawTable(draws, t("draw.throws")) : null,
  ];
}

/**
 * @param {Facts} all
 * @returns {Node[]}
 */
export function handsNumbers(all) {
  const { givenDeal, trueDeal } = all;
  const given = givenDeal !== null && "hands" in givenDeal ? givenDeal : null;
  const truth = trueDeal !== null && "hands" in trueDeal ? trueDeal : null;
  const seats = Math.max(given?.hands.length ?? 0, truth?.hands.length ?? 0);
  const rows = Array.from({ length: seats }, (_, seat) => ({ name: seatName(seat), given: given?.hands[seat], truth: truth?.hands[seat] }));
  if (seats > 0) rows.push({ name: t("table.stock"), given: given?.stock, truth: truth?.stock });
  return rows.map((row) => h("section", { class: "path" }, h("h3", null, row.name),
    given !== null && truth !== null
      ? comparison(t("number.computed"), tilesText(row.truth, all), t("number.given"), tilesText(row.given, all))
      : facts(fact(t(truth === null ? "number.given" : "number.computed"), tilesText(row.truth ?? row.given, all)))));
}
