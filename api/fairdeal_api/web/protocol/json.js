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

// The characters that hold a text together, by code.
const [OPEN, CLOSE, LIST, LIST_END, QUOTE, COMMA, COLON] = [0x7b, 0x7d, 0x5b, 0x5d, 0x22, 0x2c, 0x3a];

/** The byte order mark that some editors put before UTF-8. */
const MARK = 0xfeff;

const SURROGATE = /\p{Cs}/u;
const CONTROL = /[\u0000-\u001f]/;

/**
 * Whether text holds half of a surrogate pair. Engines of before 2023 are asked the slow way.
 * @param {string} text
 */
function halved(text) {
  return typeof text.isWellFormed === "function" ? !text.isWellFormed() : SURROGATE.test(text);
}

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
  // Editors write it without showing it: told by its name, or nobody would know what to look for.
  if (source.charCodeAt(0) === MARK) throw new MalformedError(field, "json-mark");
  if (halved(source)) throw new MalformedError(field, "json-surrogate");
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
    switch (this.text.charCodeAt(this.at)) {
      case OPEN:
        return this.object(depth + 1);
      case LIST:
        return this.list(depth + 1);
      case QUOTE:
        return this.string();
      case 0x74: // t
        return this.word("true", true);
      case 0x66: // f
        return this.word("false", false);
      case 0x6e: // n
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
    const { text } = this;
    const minus = text.charCodeAt(this.at) === 0x2d;
    const digits = minus ? this.at + 1 : this.at;
    let at = digits;
    let value = 0;
    let c = text.charCodeAt(at);
    while (c >= 0x30 && c <= 0x39) {
      // Exact up to 2^53, and no sum beyond that comes out below it.
      value = value * 10 + (c - 0x30);
      c = text.charCodeAt(++at);
    }
    const count = at - digits;
    if (count === 0) this.fail("json");
    if (count > 1 && text.charCodeAt(digits) === 0x30) this.fail("json");
    if (c === 0x2e || c === 0x65 || c === 0x45 || count > 16) this.fail("json-number");
    if (!Number.isSafeInteger(value) || (minus && value === 0)) this.fail("json-number");
    this.at = at;
    return minus ? -value : value;
  }

  /** @returns {string} */
  string() {
    const { text } = this;
    const start = this.at + 1;
    let end = text.indexOf('"', start);
    // A quote after an odd number of backslashes is part of the text.
    while (end >= 0 && this.backslashes(start, end) % 2 === 1) end = text.indexOf('"', end + 1);
    if (end < 0) this.fail("json");
    const raw = text.slice(start, end);
    this.at = end + 1;
    if (!raw.includes("\\")) {
      if (CONTROL.test(raw)) this.fail("json");
      return raw;
    }
    let out;
    try {
      // Within one string literal `JSON.parse` is as strict as this reader.
      out = /** @type {string} */ (JSON.parse(text.slice(start - 1, end + 1)));
    } catch {
      this.fail("json");
    }
    if (halved(out)) this.fail("json-surrogate");
    return out;
  }

  /**
   * How many backslashes stand right before a place.
   * @param {number} start where to stop looking
   * @param {number} end
   */
  backslashes(start, end) {
    let at = end;
    while (at > start && this.text.charCodeAt(at - 1) === 0x5c) at--;
    return end - at;
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
    if (this.text.charCodeAt(this.at) === LIST_END) {
      this.at++;
      return items;
    }
    for (;;) {
      items.push(this.value(depth));
      this.space();
      const c = this.text.charCodeAt(this.at++);
      if (c === LIST_END) return items;
      if (c !== COMMA) this.fail("json");
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
    if (this.text.charCodeAt(this.at) === CLOSE) {
      this.at++;
      return object;
    }
    for (;;) {
      this.space();
      if (this.text.charCodeAt(this.at) !== QUOTE) this.fail("json");
      const name = this.string();
      if (name in object) this.fail("json-repeated");
      this.space();
      if (this.text.charCodeAt(this.at++) !== COLON) this.fail("json");
      object[name] = this.value(depth);
      this.space();
      const c = this.text.charCodeAt(this.at++);
      if (c === CLOSE) return object;
      if (c !== COMMA) this.fail("json");
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
