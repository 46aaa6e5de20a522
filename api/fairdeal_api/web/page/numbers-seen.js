/**
 * What was kept from before the hand, item by item: how each compares, and why (§10.6).
 * @module
 */

import { comparison } from "./compare.js";
import { h, icon } from "./dom.js";
import { t, tr } from "./i18n.js";
import { seatName } from "./seats.js";
/** @import { SeenOutcome } from "../protocol/compare.js" */
/** @import { Facts } from "../protocol/verify.js" */

const ICON = /** @type {const} */ ({ agree: "check", disagree: "cross", aside: "dash", uncompared: "question" });
const RESULT = /** @type {const} */ ({ agree: "pass", disagree: "fail", aside: "none", uncompared: "absent" });

/**
 * @param {Facts} all
 * @returns {Node[]}
 */
export function seenNumbers({ seen }) {
  const kinds = new Set(seen.map(({ kind }) => kind));
  /** @type {HTMLElement[]} */
  const nodes = [h("ul", { class: "seen-list" }, seen.map(seenItem))];
  // What nobody gave was not compared either: the report says so (§10.6).
  const ungiven = /** @type {const} */ (["commitment", "seed", "tiles", "opening"])
    .filter((kind) => !kinds.has(kind) && !(kind === "commitment" && kinds.has("receipt")));
  if (ungiven.length > 0) {
    nodes.push(h("div", null, h("h3", null, t("seen.ungiven")), h("ul", { class: "plain" }, ungiven.map((kind) => h("li", null, t(`seen.kind.${kind}`))))));
  }
  return seen.length === 0 ? nodes.slice(1) : nodes;
}

/** @param {SeenOutcome} item */
function seenItem({ kind, outcome, reason, seat, given, kept }) {
  const name = seat === undefined ? t(`seen.kind.${kind}`) : `${t(`seen.kind.${kind}`)} (${seatName(seat)})`;
  return h("li", { class: `result-${RESULT[outcome]}` },
    h("p", null, icon(ICON[outcome]), h("strong", null, name), " ", h("span", null, t(`seen.${outcome}`)), " ", tr(`seen.${outcome}.${reason}`)),
    given !== undefined && kept !== undefined ? comparison(t("seen.kept"), kept, t("number.given"), given) : null);
}
