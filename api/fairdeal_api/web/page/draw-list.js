/**
 * Draws in numbers: the MAC of each label, what it is taken modulo of, and what follows (§3.1).
 * @module
 */

import { h } from "./dom.js";
import { t } from "./i18n.js";
/** @import { TracedDraw } from "../protocol/trace.js" */

/**
 * @param {readonly TracedDraw[]} draws
 * @returns {HTMLElement}
 */
export function drawList(draws) {
  return h("ul", { class: "draws" }, draws.map((draw) => h("li", null,
    h("code", { class: "label" }, `HMAC(${t("draw.key")}, "${draw.label}")`),
    h("code", { class: "hex" }, draw.mac),
    h("span", null, meaning(draw)))));
}

/**
 * @param {readonly TracedDraw[]} draws
 * @param {string} title
 * @returns {HTMLElement} a table, for many of them
 */
export function drawTable(draws, title) {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
    h("table", { class: "numbers" },
      h("caption", { class: "sr" }, title),
      h("thead", null, h("tr", null, ["draw.label", "draw.mac", "draw.result"].map((key) =>
        h("th", { scope: "col" }, t(/** @type {import("./i18n.js").Key} */ (key)))))),
      h("tbody", null, draws.map((draw) => h("tr", null,
        h("th", { scope: "row" }, h("code", null, draw.label)), h("td", null, h("code", { class: "hex" }, draw.mac)),
        h("td", null, meaning(draw)))))));
}

/**
 * @param {TracedDraw} draw
 * @returns {string}
 */
function meaning({ m, value, swap }) {
  const result = `mod ${m} = ${value}`;
  if (swap === null) return `${result} → ${t("draw.die", { value: String(value + 1) })}`;
  const [i, j] = swap;
  return `${result} → ${i === j ? t("draw.stay", { i: String(i) }) : t("draw.swap", { i: String(i), j: String(j) })}`;
}
