/**
 * Two values side by side, and where they part.
 * @module
 */

import { h, icon } from "./dom.js";
import { capital, t } from "./i18n.js";

/**
 * A name with its value in code letters.
 * @param {string} name
 * @param {string | number | Node | null} value
 * @returns {HTMLElement}
 */
export function fact(name, value) {
  return h("div", { class: "fact" }, h("dt", null, capital(name)),
    h("dd", null, value instanceof Node ? value : h("code", { class: String(value).includes(" ") ? "tokens" : "hex" }, value === null ? "–" : String(value))));
}

/**
 * @param {...(HTMLElement | null)} facts from {@link fact}
 * @returns {HTMLElement}
 */
export function facts(...facts) {
  return h("dl", { class: "facts-list" }, ...facts);
}

/**
 * Whether two values are equal, shown with both.
 * @param {string} nameA
 * @param {string} a
 * @param {string} nameB
 * @param {string} b
 * @returns {HTMLElement}
 */
export function comparison(nameA, a, nameB, b) {
  const same = a === b;
  return h("div", { class: same ? "comparison same" : "comparison other" },
    h("dl", null,
      h("div", null, h("dt", null, nameA), h("dd", null, marked(a, b))),
      h("div", null, h("dt", null, nameB), h("dd", null, marked(b, a)))),
    h("p", { class: "sign" }, icon(same ? "check" : "cross"), t(same ? "compare.same" : "compare.other")));
}

/**
 * A value with the runs marked in which it differs from another: letter by letter, or word by word where it has words.
 * @param {string} value
 * @param {string} other
 * @returns {HTMLElement}
 */
function marked(value, other) {
  const words = value.includes(" ");
  const parts = (/** @type {string} */ text) => (words ? text.split(/(?<= )/) : [...text]);
  const mine = parts(value);
  const theirs = parts(other);
  const code = h("code", { class: words ? "tokens" : "hex" });
  for (let from = 0, to = 0; from < mine.length; from = to) {
    const differs = mine[from]?.trim() !== theirs[from]?.trim();
    while (to < mine.length && (mine[to]?.trim() !== theirs[to]?.trim()) === differs) to++;
    const run = mine.slice(from, to).join("");
    code.append(differs ? h("mark", null, run) : run);
  }
  if (value === "") code.append("–");
  return code;
}
