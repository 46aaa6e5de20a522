/**
 * Bytes and text: strict hex, strict base64, and readers of the shapes that JSON values must have (§8.3).
 *
 * Strict JSON text itself is read and written in json.js.
 * @module
 */

import { MalformedError } from "./errors.js";

/** @import { Json, JsonObject } from "./json.js" */

const HEX = "0123456789abcdef";
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
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
 * Text of UTF-8 bytes, a byte order mark kept as a character (and refused later, where JSON is read).
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
