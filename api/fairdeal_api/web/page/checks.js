/**
 * The twelve checks, each a line in plain words that opens to its numbers (§10.1).
 * @module
 */

import { disclosure, h, icon } from "./dom.js";
import { list, number, t, tr } from "./i18n.js";
import { numbersOf } from "./numbers.js";
import { seatName } from "./seats.js";
/** @import { Key, Values } from "./i18n.js" */
/** @import { ICONS } from "./dom.js" */
/** @import { Check, Report } from "../protocol/verify.js" */

/** @type {Readonly<Record<Check["result"], keyof typeof ICONS>>} */
const ICON = { pass: "check", fail: "cross", absent: "question", none: "dash" };

/**
 * @param {Report} report
 * @param {Set<string>} opened the checks that stand open; kept by the caller
 * @param {string} text the document
 * @returns {HTMLElement}
 */
export function checksElement(report, opened, text) {
  const count = (/** @type {string} */ result) => report.checks.filter((check) => check.result === result).length;
  const tally = /** @type {const} */ (["pass", "fail", "absent", "none"])
    .filter((result) => count(result) > 0)
    .map((result) => h("li", { class: `result-${result}` }, icon(ICON[result]), `${number(count(result))} ${t(`result.${result}`)}`));
  return h("section", { class: "checks", "aria-labelledby": "checks-title" },
    h("h2", { id: "checks-title" }, t("checks.title")),
    h("p", { class: "hint" }, t("checks.hint")),
    h("ul", { class: "tally" }, tally),
    h("ol", { class: "check-list" }, report.checks.map((check) => h("li", null, checkElement(check, report, opened, text)))));
}

/**
 * @param {Check} check
 * @param {Report} report
 * @param {Set<string>} opened
 * @param {string} text
 */
function checkElement(check, report, opened, text) {
  const { name, result, detail } = check;
  const element = disclosure([
    h("span", { class: "check-icon" }, icon(ICON[result])),
    h("span", { class: "check-words" },
      h("span", { class: "check-name" }, t(/** @type {Key} */ (`check.${name}`))),
      h("span", { class: "check-detail" }, detailWords(detail))),
    h("span", { class: "check-result" }, t(`result.${result}`)),
  ], () => [
    h("p", { class: "what" }, t(/** @type {Key} */ (`what.${name}`))),
    ...numbersOf(check, report, text),
  ], { class: `check result-${result}`, open: opened.has(name), "data-check": name });
  element.addEventListener("toggle", () => {
    if (element.open) opened.add(name);
    else opened.delete(name);
  });
  return element;
}

/**
 * A check's detail as a sentence.
 * @param {Check["detail"]} detail
 * @returns {string}
 */
export function detailWords(detail) {
  /** @type {Values} */
  const values = {};
  for (const [name, value] of Object.entries(detail)) {
    if (typeof value === "string" || typeof value === "number") values[name] = value;
  }
  const { code } = detail;
  if (code === "format.malformed") values.rule = tr(`rule.${detail.rule}`);
  if (code === "seals.fail") values.seats = seatWords(detail, ["unopened", "wrong", "unsealed"]);
  if (code === "hands.fail") {
    const parts = /** @type {number[]} */ (detail.seats).map(seatName);
    if (detail.stock === true) parts.push(t("table.stock"));
    if (detail.indicator === true) parts.push(t("table.indicator"));
    values.parts = list(parts);
  }
  if (code === "table.fail") {
    values.fields = list(/** @type {{ name: string }[]} */ (detail.fields).map(({ name }) => tr(`field.${name}`)));
  }
  if (code === "table.kind" || code === "hands.kind") {
    values.given = tr(`kind.${detail.given}`);
    values.expected = tr(`kind.${detail.expected}`);
  }
  if (code === "sequence.kinds") {
    values.kinds = /** @type {string[]} */ (detail.kinds).map((kind) => tr(`entry.${kind}`)).join(" → ");
  }
  for (const group of ["agree", "disagree", "aside", "uncompared"]) {
    const items = detail[group];
    if (Array.isArray(items)) values[group] = items.length;
  }
  if (typeof values.agree === "number") values.n = values.agree;
  if (typeof values.entry === "number") values.entry += 1;
  return tr(`detail.${code}`, values);
}

/**
 * @param {Check["detail"]} detail
 * @param {string[]} groups
 */
function seatWords(detail, groups) {
  const seats = new Set(groups.flatMap((group) => /** @type {number[]} */ (detail[group] ?? [])));
  return list([...seats].sort((a, b) => a - b).map(seatName));
}
