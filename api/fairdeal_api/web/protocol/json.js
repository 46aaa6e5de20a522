/**
 * Strict JSON and canonical JSON (§8.3).
 *
 * `JSON.parse` keeps the last of repeated members and takes 1.0 and 1e3 for 1 and 1000, so two readers could
 * see two different documents in one text. The reader here takes each text in one way only, or not at all.
 * @module
 */

import { fromUtf8 } from "./encoding.js";
import { MalformedError } from "./errors.js";

/** @typedef {null | boolean | number | string | JsonList | JsonObject} Json */
/** @typedef {Json[]} JsonList */
/** @typedef {{ [name: string]: Json }} JsonObject */

/** How deep lists and objects may be nested. */
export const MAX_DEPTH = 32;

const SURROGATE = /\p{Cs}/u;

/**
 * JSON text, strictly: no repeated members, no fractions or exponents, no number beyond ±(2^53−1), no `-0`,
 * no lone surrogate, at most {@link MAX_DEPTH} deep. Objects come without a prototype, so that a member named
 * `__proto__` is a member like any other.
 * @param {string | Uint8Array} text
 * @param {string} field
 * @returns {Json}
 * @throws {MalformedError}
 */
export function parseJson(text, field) {
  const source = typeof text === "string" ? text : fromUtf8(text, field);
  if (SURROGATE.test(source)) throw new MalformedError(field, "json-surrogate");
  const reader = new Reader(source, field);
  const value = reader.value(0);
  reader.space();
  if (reader.at !== source.length) reader.fail("json");
  return value;
}

class Reader {
  /**
   * @param {string} text
   * @param {string} field
   */
  constructor(text, field) {
    this.text = text;
    this.field = field;
    this.at = 0;
  }

  /**
   * @param {string} rule
   * @returns {never}
   */
  fail(rule) {
    throw new MalformedError(this.field, rule);
  }

  space() {
    for (;;) {
      const c = this.text.charCodeAt(this.at);
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return;
      this.at++;
    }
  }

  /**
   * @param {number} depth how many lists and objects stand around this value
   * @returns {Json}
   */
  value(depth) {
    this.space();
    switch (this.text[this.at]) {
      case "{":
        return this.object(depth + 1);
      case "[":
        return this.list(depth + 1);
      case '"':
        return this.string();
      case "t":
        return this.word("true", true);
      case "f":
        return this.word("false", false);
      case "n":
        return this.word("null", null);
      default:
        return this.number();
    }
  }

  /**
   * @template T
   * @param {string} word
   * @param {T} value
   * @returns {T}
   */
  word(word, value) {
    if (!this.text.startsWith(word, this.at)) this.fail("json");
    this.at += word.length;
    return value;
  }

  /** @returns {number} */
  number() {
    const start = this.at;
    if (this.text[this.at] === "-") this.at++;
    const digits = this.at;
    let c = this.text.charCodeAt(this.at);
    while (c >= 0x30 && c <= 0x39) c = this.text.charCodeAt(++this.at);
    const count = this.at - digits;
    if (count === 0) this.fail("json");
    if (count > 1 && this.text[digits] === "0") this.fail("json");
    if (c === 0x2e || c === 0x65 || c === 0x45 || count > 16) this.fail("json-number");
    const value = Number(this.text.slice(start, this.at));
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) this.fail("json-number");
    return value;
  }

  /** @returns {string} */
  string() {
    let out = "";
    let start = ++this.at;
    let escaped = false;
    for (;;) {
      const c = this.text.charCodeAt(this.at);
      if (c === 0x22) break;
      // NaN at the end of the text, a raw control character otherwise.
      if (!(c >= 0x20)) this.fail("json");
      if (c === 0x5c) {
        out += this.text.slice(start, this.at) + this.escape();
        escaped = true;
        start = this.at;
      } else {
        this.at++;
      }
    }
    out += this.text.slice(start, this.at++);
    if (escaped && SURROGATE.test(out)) this.fail("json-surrogate");
    return out;
  }

  /** @returns {string} */
  escape() {
    const c = this.text[this.at + 1];
    this.at += 2;
    switch (c) {
      case '"':
      case "\\":
      case "/":
        return c;
      case "b":
        return "\b";
      case "f":
        return "\f";
      case "n":
        return "\n";
      case "r":
        return "\r";
      case "t":
        return "\t";
      case "u": {
        const digits = this.text.slice(this.at, this.at + 4);
        if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.fail("json");
        this.at += 4;
        return String.fromCharCode(parseInt(digits, 16));
      }
      default:
        return this.fail("json");
    }
  }

  /**
   * @param {number} depth
   * @returns {JsonList}
   */
  list(depth) {
    if (depth > MAX_DEPTH) this.fail("json-depth");
    /** @type {JsonList} */
    const items = [];
    this.at++;
    this.space();
    if (this.text[this.at] === "]") {
      this.at++;
      return items;
    }
    for (;;) {
      items.push(this.value(depth));
      this.space();
      const c = this.text[this.at++];
      if (c === "]") return items;
      if (c !== ",") this.fail("json");
    }
  }

  /**
   * @param {number} depth
   * @returns {JsonObject}
   */
  object(depth) {
    if (depth > MAX_DEPTH) this.fail("json-depth");
    /** @type {JsonObject} */
    const object = Object.create(null);
    this.at++;
    this.space();
    if (this.text[this.at] === "}") {
      this.at++;
      return object;
    }
    for (;;) {
      this.space();
      if (this.text[this.at] !== '"') this.fail("json");
      const name = this.string();
      if (name in object) this.fail("json-repeated");
      this.space();
      if (this.text[this.at++] !== ":") this.fail("json");
      object[name] = this.value(depth);
      this.space();
      const c = this.text[this.at++];
      if (c === "}") return object;
      if (c !== ",") this.fail("json");
    }
  }
}

/**
 * RFC 8785 canonical JSON: members sorted by UTF-16 code units, no spaces. For whole numbers and well-formed
 * text `JSON.stringify` already writes each value as RFC 8785 asks.
 * @param {Json} value
 * @returns {string}
 */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const object = value;
    const members = Object.keys(object).sort();
    return `{${members.map((k) => `${JSON.stringify(k)}:${canonical(/** @type {Json} */ (object[k]))}`).join(",")}}`;
  }
  return JSON.stringify(value);
}

/**
 * Whether two JSON values are the same, member order aside.
 * @param {unknown} a
 * @param {unknown} b
 * @returns {boolean}
 */
export function sameJson(a, b) {
  if (a === b) return true;
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => sameJson(item, b[i]));
  }
  const left = /** @type {Record<string, unknown>} */ (a);
  const right = /** @type {Record<string, unknown>} */ (b);
  const names = Object.keys(left);
  return names.length === Object.keys(right).length
    && names.every((name) => Object.hasOwn(right, name) && sameJson(left[name], right[name]));
}

/**
 * JSON text that is written in its canonical form and no other.
 * @param {string} text
 * @param {string} field
 * @returns {Json}
 * @throws {MalformedError}
 */
export function parseCanonical(text, field) {
  const value = parseJson(text, field);
  if (canonical(value) !== text) throw new MalformedError(field, "canonical");
  return value;
}
