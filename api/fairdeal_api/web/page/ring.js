/**
 * The wall as it stands on the table: a ring of stacks, each seat's row in front of it (§4.1).
 * @module
 */

import { fill, h } from "./dom.js";
import { t } from "./i18n.js";
import { middleElement } from "./middle.js";
import { rowSizes, seatLabel, seatName, sideOf } from "./seats.js";
import { tileElement, tileWords } from "./tile.js";
/** @import { Scene } from "./frames.js" */
/** @import { Seating, Side } from "./seats.js" */
/** @import { WallDeal } from "../protocol/deal.js" */

/** The arrow key that leads to the next stack of the ring, by side of the table. */
const NEXT = /** @type {const} */ ({ bottom: "ArrowRight", right: "ArrowUp", top: "ArrowLeft", left: "ArrowDown" });
const PREVIOUS = /** @type {const} */ ({ bottom: "ArrowLeft", right: "ArrowDown", top: "ArrowRight", left: "ArrowUp" });

/**
 * @param {Scene} scene with stacks
 * @param {WallDeal} deal
 * @param {{ seating: Seating }} shown
 * @returns {HTMLElement}
 */
export function ringElement(scene, deal, { seating }) {
  const stacks = scene.stacks ?? [];
  const detail = h("div", { class: "stack-detail", "aria-live": "polite" });
  const felt = h("div", { class: "felt felt-ring", role: "group", "aria-label": t("table.wall") });
  /** @type {HTMLButtonElement[]} */
  const buttons = [];
  let w = 0;
  rowSizes(stacks.length, seating.seats).forEach((count, turn) => {
    const seat = ((seating.dealer ?? 0) + turn) % seating.seats;
    const side = sideOf(seating, seat);
    const row = h("ol", { class: "row" });
    for (let k = 0; k < count; k++, w++) {
      const { item, button } = stackElement(scene, deal, w, side);
      buttons.push(button);
      row.append(item);
    }
    felt.append(h("div", { class: `side side-${side}`, role: "group", "aria-label": t("table.row", { seat: seatName(seat) }) },
      h("p", { class: "plate" }, seatLabel(seating, seat)), row));
  });
  felt.append(middleElement(scene, deal, seating) ?? h("div", { class: "middle" }));
  rove(buttons, (at) => fill(detail, ...stackStory(scene, deal, at)));
  return h("div", { class: "wall" }, felt, detail);
}

/**
 * @param {Scene} scene
 * @param {WallDeal} deal
 * @param {number} w
 * @param {Side} side
 * @returns {{ item: HTMLLIElement, button: HTMLButtonElement }} the button lies over the drawing, and has its words
 */
function stackElement(scene, deal, w, side) {
  const tiles = scene.stacks?.[w] ?? [];
  const chosen = w === scene.selected;
  const words = [t("stack.words", { stack: String(w + 1), n: tiles.length })];
  if (chosen) words.push(t("stack.selected"));
  const open = chosen && scene.indicator !== null;
  const pile = h("span", { class: open ? "pile pile-open" : "pile", "aria-hidden": "true" });
  // How high the stack is when whole: its place on the felt does not shrink as tiles are taken.
  pile.style.setProperty("--full", String(open ? tiles.length : Math.max(tiles.length, deal.wall[w]?.length ?? 0)));
  tiles.forEach((tile, level) => {
    const counted = chosen && level === scene.level;
    const spare = chosen && tile === deal.spare && scene.indicator === null;
    const look = ["back", ...(counted ? ["back-counted"] : []), ...(spare ? ["back-spare"] : [])];
    pile.append(h("i", { class: look.join(" ") }));
    if (spare) words.push(t("stack.spare"));
  });
  if (chosen && scene.indicator !== null) {
    pile.append(tileElement(scene.indicator, { silent: true, fresh: scene.fresh.includes(scene.indicator) }));
    words.push(t("stack.indicator", { tile: tileWords(scene.indicator) }));
  }
  const empty = tiles.length === 0 && !(chosen && scene.indicator !== null);
  const button = h("button", {
    type: "button", tabindex: w === 0 ? "0" : "-1", "aria-pressed": "false", "aria-label": words.join(", "), "data-side": side,
  });
  const item = h("li", { class: ["stack", chosen ? "stack-selected" : "", empty ? "stack-empty" : ""].join(" ").trim() },
    pile, h("span", { class: "place", "aria-hidden": "true" }, String(w + 1)), button);
  return { item, button };
}

/**
 * One tab stop for the ring; the arrow keys go around it as it stands on the screen.
 * @param {HTMLButtonElement[]} buttons
 * @param {(at: number) => void} open
 */
function rove(buttons, open) {
  const focus = (/** @type {number} */ at) => {
    buttons.forEach((button, i) => { button.tabIndex = i === at ? 0 : -1; });
    buttons[at]?.focus();
  };
  buttons.forEach((button, at) => {
    button.addEventListener("click", () => {
      buttons.forEach((one) => { one.setAttribute("aria-pressed", String(one === button)); });
      buttons.forEach((one, i) => { one.tabIndex = i === at ? 0 : -1; });
      open(at);
    });
    button.addEventListener("keydown", (event) => {
      const side = /** @type {Side} */ (button.dataset.side);
      const to = event.key === NEXT[side] ? at + 1 : event.key === PREVIOUS[side] ? at - 1
        : event.key === "Home" ? 0 : event.key === "End" ? buttons.length - 1 : null;
      if (to === null) return;
      event.preventDefault();
      focus((to + buttons.length) % buttons.length);
    });
  });
}

/**
 * What became of each tile of a stack, the top one first.
 * @param {Scene} scene
 * @param {WallDeal} deal
 * @param {number} w
 * @returns {HTMLElement[]}
 */
function stackStory(scene, deal, w) {
  const tiles = [...(deal.wall[w] ?? []), ...(w === deal.selected && scene.spare === null ? [deal.spare] : [])].reverse();
  const lying = new Set(scene.stacks?.[w] ?? []);
  return [
    h("h3", null, t("stack.title", { stack: String(w + 1) })),
    h("p", { class: "hint" }, t("stack.hint")),
    h("ol", { class: "story" }, tiles.map((tile) => h("li", { class: lying.has(tile) ? "" : "away" },
      tileElement(tile, { okey: deal.okey, silent: true }),
      h("span", null, `${tileWords(tile)}: ${fateOf(tile, deal)}`, tile === deal.spare ? ` (${t("stack.spare")})` : "")))),
  ];
}

/**
 * @param {number} tile
 * @param {WallDeal} deal
 * @returns {string}
 */
function fateOf(tile, deal) {
  if (tile === deal.indicator) return t("fate.indicator");
  const drawn = deal.stock.indexOf(tile);
  if (drawn >= 0) return t("fate.stock", { place: drawn + 1 });
  for (const [seat, hand] of deal.hands.entries()) {
    const at = hand.indexOf(tile);
    if (at >= 0) return t("fate.hand", { seat: seatName(seat), place: at + 1 });
  }
  return t("fate.nowhere");
}
