/**
 * The page's words, in English and Turkish.
 *
 * A text is a sentence with `{name}` where values go, or a set of such sentences by plural category. `en.js` names
 * every key; the type of `tr.js` makes the compiler ask for the same ones.
 * @module
 */

import { EN } from "../i18n/en.js";
import { TR } from "../i18n/tr.js";
import { read, write } from "./storage.js";

/** @typedef {"en" | "tr"} Language */
/** @typedef {keyof typeof EN} Key */
/** @typedef {string | { one: string, other: string }} Text */
/** @typedef {Record<string, string | number>} Values */

/** @type {Readonly<Record<Language, Readonly<Record<Key, Text>>>>} */
const TEXTS = { en: EN, tr: TR };
const STORED = "fairdeal:language";

/** @type {Language} */
let current = "en";

/**
 * The language that was chosen before, or else the first of the browser's that the page speaks.
 * @returns {Language}
 */
export function preferredLanguage() {
  const stored = read(STORED);
  if (stored === "en" || stored === "tr") return stored;
  for (const tag of globalThis.navigator?.languages ?? []) {
    const [base] = tag.toLowerCase().split("-");
    if (base === "en" || base === "tr") return base;
  }
  return "en";
}

/** @returns {Language} */
export function language() {
  return current;
}

/**
 * @param {Language} chosen
 * @param {boolean} [keep] whether to remember it
 */
export function setLanguage(chosen, keep = false) {
  current = chosen;
  if (keep) write(STORED, chosen);
}

/**
 * A text in the current language. `n` among the values chooses the plural form.
 * @param {Key} key
 * @param {Values} [values]
 * @returns {string}
 */
export function t(key, values = {}) {
  /** @type {Text} */
  const text = TEXTS[current][key];
  const form = typeof text === "string" ? text : text[pluralOf(values.n)];
  return form.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === "number" ? number(value) : value;
  });
}

/**
 * A text whose key was put together from a code.
 * @param {string} key
 * @param {Values} [values]
 * @returns {string} the key itself where there is no such text, so that nothing is shown as nothing
 */
export function tr(key, values) {
  return key in EN ? t(/** @type {Key} */ (key), values) : key;
}

/**
 * @param {string | number | undefined} n
 * @returns {"one" | "other"}
 */
function pluralOf(n) {
  return typeof n === "number" && new Intl.PluralRules(current).select(n) === "one" ? "one" : "other";
}

/**
 * @param {number} value
 * @returns {string}
 */
export function number(value) {
  return value.toLocaleString(current);
}

/**
 * Upper case by the language's own rules: ı and i part ways in Turkish.
 * @param {string} text
 * @returns {string}
 */
export function upper(text) {
  return text.toLocaleUpperCase(current);
}

/**
 * The first letter in upper case, by the language's own rules.
 * @param {string} text
 * @returns {string}
 */
export function capital(text) {
  const [first = ""] = text;
  return upper(first) + text.slice(first.length);
}

/**
 * A moment, in the reader's time zone.
 * @param {number} at milliseconds since the Unix epoch
 * @returns {string}
 */
export function moment(at) {
  const date = new Date(at);
  // What a log may hold reaches past what a calendar knows.
  if (Number.isNaN(date.getTime())) return String(at);
  return date.toLocaleString(current, { dateStyle: "medium", timeStyle: "medium" });
}

/**
 * Words as a list: "a, b and c".
 * @param {readonly string[]} words
 * @returns {string}
 */
export function list(words) {
  return new Intl.ListFormat(current, { type: "conjunction" }).format(words);
}
