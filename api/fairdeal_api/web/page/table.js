/**
 * Draws one scene of a deal: the felt with the wall, the racks, the stock.
 * @module
 */

import { h } from "./dom.js";
import { t } from "./i18n.js";
import { cardElement, tileElement } from "./tile.js";
import { middleElement } from "./middle.js";
import { seatLabel, seatName } from "./seats.js";
import { ringElement } from "./ring.js";
/** @import { Scene } from "./frames.js" */
/** @import { Seating } from "./seats.js" */
/** @import { Deal, PlainDeal } from "../protocol/deal.js" */

/**
 * @typedef {object} Shown
 * @property {Deal} deal the deal that is played
 * @property {Deal | null} against another one to mark differences from
 * @property {Seating} seating
 * @property {boolean} cards a deck that is no okey set
 */

/**
 * @param {Scene} scene
 * @param {Shown} shown
 * @returns {HTMLElement}
 */
export function sceneElement(scene, shown) {
  const { deal } = shown;
  const wall = scene.stacks !== null && "wall" in deal;
  const board = h("div", { class: wall ? "board board-wall" : "board" });
  if (wall) board.append(ringElement(scene, deal, shown));
  else board.append(gridElement(scene, shown));
  if ("hands" in deal && (wall || scene.hands.some((hand) => hand.length > 0))) board.append(racksElement(scene, deal, shown));
  if ("hands" in deal && scene.stock !== null) board.append(stockElement(scene.stock, deal, shown));
  return board;
}

/**
 * The okeys, once the indicator is known.
 * @param {Scene} scene
 * @param {PlainDeal} deal
 * @returns {number[]}
 */
function wildTiles(scene, deal) {
  return scene.indicator === null ? [] : deal.okey;
}

/**
 * The tiles as one row after another: during the shuffle, and where there is no wall.
 * @param {Scene} scene
 * @param {Shown} shown
 * @returns {HTMLElement}
 */
function gridElement(scene, { deal, against, seating, cards }) {
  const felt = h("div", { class: "felt felt-grid" });
  const okey = "hands" in deal ? wildTiles(scene, deal) : [];
  if (scene.grid !== null) {
    const list = h("ol", { class: "grid", "aria-label": t("table.order") });
    scene.grid.forEach((tile, at) => {
      const fresh = scene.swap?.includes(at) ?? false;
      const differs = against !== null && scene.swap === null && against.order[at] !== tile;
      if (at < scene.taken) list.append(h("li", { class: "gone" }, h("span", { class: "sr" }, t("table.taken"))));
      else list.append(h("li", null, cards ? cardElement(tile, { fresh, differs }) : tileElement(tile, { okey, fresh, differs })));
    });
    felt.append(list);
  }
  const middle = middleElement(scene, deal, seating);
  if (middle !== null) felt.append(middle);
  return felt;
}

/**
 * @param {Scene} scene
 * @param {PlainDeal} deal
 * @param {Shown} shown
 * @returns {HTMLElement}
 */
function racksElement(scene, deal, { against, seating }) {
  const okey = wildTiles(scene, deal);
  const fresh = new Set(scene.fresh);
  const other = against !== null && "hands" in against ? against : null;
  const order = scene.hands.map((_, seat) => seat);
  if (seating.you !== null && order.includes(seating.you)) order.unshift(...order.splice(order.indexOf(seating.you), 1));
  return h("div", { class: "racks" }, order.map((seat) => {
    const tiles = scene.hands[seat] ?? [];
    const list = h("ol", { class: (deal.hands[seat]?.length ?? 0) > 16 ? "rack rack-long" : "rack" }, tiles.map((tile, k) => h("li", null,
      tileElement(tile, { okey, fresh: fresh.has(tile), differs: other !== null && other.hands[seat]?.[k] !== tile }))));
    // The rack has its full size from the beginning, so that nothing jumps while tiles come in.
    for (let k = tiles.length; k < (deal.hands[seat]?.length ?? 0); k++) list.append(h("li", { class: "slot", "aria-hidden": "true" }));
    return h("section", { class: seat === scene.seat ? "holder holder-turn" : "holder", "aria-label": seatName(seat) },
      h("h3", null, seatLabel(seating, seat), h("small", null, t("table.tiles", { n: tiles.length }))), list);
  }));
}

/**
 * @param {number[]} stock
 * @param {PlainDeal} deal
 * @param {Shown} shown
 * @returns {HTMLElement}
 */
function stockElement(stock, deal, { against }) {
  const other = against !== null && "hands" in against ? against.stock : null;
  return h("section", { class: "stock" },
    h("h3", null, t("table.stock"), h("small", null, t("table.tiles", { n: stock.length }))),
    h("p", { class: "hint" }, t("table.stock.hint")),
    h("ol", { class: "grid" }, stock.map((tile, k) => h("li", null,
      tileElement(tile, { okey: deal.okey, differs: other !== null && other[k] !== tile }),
      h("span", { class: "place", "aria-hidden": "true" }, String(k + 1))))));
}
