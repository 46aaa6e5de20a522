/**
 * Bytes and text: strict hex, strict base64, strict JSON, canonical JSON (§8.3).
 *
 * `JSON.parse` keeps the last of repeated members and takes 1.0 and 1e3 for 1 and 1000, so two readers could
 * see two different documents in one text. The reader here takes each text in one way only, or not at all.
 * @module
 */

import { MalformedError } from "./errors.js";

/** @typedef {null | boolean | number | string | JsonList | JsonObject} Json */
/** @typedef {Json[]} JsonList */
/** @typedef {{ [name: string]: Json }} JsonObject */

/** How deep lists and objects may be nested. */
export const MAX_DEPTH = 32;

const HEX = "0123456789abcdef";
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const SURROGATE = /\p{Cs}/u;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reverse tables, 255 where a character is no digit of the alphabet. */
const hexValue = new Uint8Array(128).fill(255);
for (let i = 0; i < 16; i++) hexValue[HEX.charCodeAt(i)] = i;
const base64Value = new Uint8Array(128).fill(255);
for (let i = 0; i < 64; i++) base64Value[BASE64.charCodeAt(i)] = i;
const hexPair = Array.from({ length: 256 }, (_, i) => HEX.charAt(i >> 4) + HEX.charAt(i & 15));

/**
 * UTF-8 of text.
 * @param {string} text
 * @returns {Uint8Array}
 */
export function utf8(text) {
  return encoder.encode(text);
}

/**
 * Text of UTF-8 bytes, a byte order mark kept as a character (and refused later, as any other stray one).
 * @param {Uint8Array} bytes
 * @param {string} field
 * @returns {string}
 * @throws {MalformedError} not UTF-8
 */
export function fromUtf8(bytes, field) {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new MalformedError(field, "json");
  }
}

/**
 * Bytes as lower-case hex.
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function toHex(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i++) text += hexPair[/** @type {number} */ (bytes[i])];
  return text;
}

/**
 * The `size` bytes of lower-case hex text. Upper case, prefixes, spaces and other lengths are refused: they
 * are how a seed turns into another seed.
 * @param {unknown} text
 * @param {string} field
 * @param {number} size
 * @returns {Uint8Array}
 * @throws {MalformedError}
 */
export function parseHex(text, field, size) {
  if (typeof text !== "string" || text.length !== 2 * size) throw new MalformedError(field, "hex");
  const bytes = new Uint8Array(size);
  for (let i = 0; i < size; i++) {
    const high = hexValue[text.charCodeAt(2 * i)] ?? 255;
    const low = hexValue[text.charCodeAt(2 * i + 1)] ?? 255;
    if (high === 255 || low === 255) throw new MalformedError(field, "hex");
    bytes[i] = (high << 4) | low;
  }
  return bytes;
}

/**
 * Hex text of `size` bytes, checked and handed back as text.
 * @param {unknown} text
 * @param {string} field
 * @param {number} size
 * @returns {string}
 * @throws {MalformedError}
 */
export function hexText(text, field, size) {
  parseHex(text, field, size);
  return /** @type {string} */ (text);
}

/**
 * Bytes as padded standard base64.
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function toBase64(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const word = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    text += BASE64.charAt(word >> 18) + BASE64.charAt((word >> 12) & 63);
    text += left > 1 ? BASE64.charAt((word >> 6) & 63) : "=";
    text += left > 2 ? BASE64.charAt(word & 63) : "=";
  }
  return text;
}

/**
 * Bytes of padded standard base64 that encodes back to the same text.
 * @param {unknown} text
 * @param {string} field
 * @param {number} [size] exact number of bytes, where it is known
 * @returns {Uint8Array}
 * @throws {MalformedError}
 */
export function parseBase64(text, field, size) {
  if (typeof text !== "string" || text.length % 4 !== 0) throw new MalformedError(field, "base64");
  const pad = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const length = (text.length / 4) * 3 - pad;
  if (size !== undefined && length !== size) throw new MalformedError(field, "base64");
  const bytes = new Uint8Array(length);
  let word = 0;
  for (let i = 0, at = 0; i < text.length; i++) {
    const digit = i < text.length - pad ? (base64Value[text.charCodeAt(i)] ?? 255) : 0;
    if (digit === 255) throw new MalformedError(field, "base64");
    word = ((word << 6) | digit) & 0xffffff;
    if (i % 4 === 3) {
      for (let shift = 16; shift >= 0 && at < length; shift -= 8) bytes[at++] = (word >> shift) & 255;
      // Bits under the padding must be zero, or one value would have several texts.
      if (i === text.length - 1 && pad > 0 && (word & (pad === 2 ? 0xffff : 0xff)) !== 0) {
        throw new MalformedError(field, "base64");
      }
    }
  }
  return bytes;
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
  return canonical(/** @type {Json} */ (a)) === canonical(/** @type {Json} */ (b));
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

/**
 * An object with exactly these members.
 * @param {unknown} value
 * @param {string} field
 * @param {readonly string[]} names
 * @returns {JsonObject}
 * @throws {MalformedError}
 */
export function members(value, field, names) {
  const object = asObject(value, field);
  const given = Object.keys(object);
  if (given.length !== names.length || !names.every((name) => Object.hasOwn(object, name))) {
    throw new MalformedError(field, "members");
  }
  return object;
}

/**
 * @param {unknown} value
 * @param {string} field
 * @returns {JsonObject}
 * @throws {MalformedError}
 */
export function asObject(value, field) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw new MalformedError(field, "object");
  return /** @type {JsonObject} */ (value);
}

/**
 * A whole number from low to high.
 * @param {unknown} value
 * @param {string} field
 * @param {number} low
 * @param {number} high
 * @returns {number}
 * @throws {MalformedError}
 */
export function integer(value, field, low, high) {
  if (typeof value !== "number" || !Number.isInteger(value) || Object.is(value, -0) || value < low || value > high) {
    throw new MalformedError(field, "integer");
  }
  return value;
}

/**
 * @param {unknown} value
 * @param {string} field
 * @returns {boolean}
 * @throws {MalformedError}
 */
export function boolean(value, field) {
  if (typeof value !== "boolean") throw new MalformedError(field, "boolean");
  return value;
}

/**
 * A list of at most `max` items, each read by `read`, which is told its place.
 * @template T
 * @param {unknown} value
 * @param {string} field
 * @param {number} max
 * @param {(item: unknown, field: string) => T} read
 * @returns {T[]}
 * @throws {MalformedError}
 */
export function listing(value, field, max, read) {
  if (!Array.isArray(value)) throw new MalformedError(field, "list");
  if (value.length > max) throw new MalformedError(field, "too-long");
  return value.map((item, i) => read(item, `${field}[${i}]`));
}

/**
 * @param {unknown} value
 * @param {string} field
 * @returns {string}
 * @throws {MalformedError}
 */
export function string(value, field) {
  if (typeof value !== "string") throw new MalformedError(field, "string");
  return value;
}

/**
 * One of the allowed values.
 * @template {Json} T
 * @param {unknown} value
 * @param {string} field
 * @param {readonly T[]} allowed
 * @returns {T}
 * @throws {MalformedError}
 */
export function choice(value, field, allowed) {
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw new MalformedError(field, "choice");
  return found;
}
