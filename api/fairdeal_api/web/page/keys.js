/**
 * Log keys that the visitor trusts, kept in the browser under `fairdeal:keys`, one a line.
 * @module
 */

import { parseVerifier } from "../protocol/index.js";
import { read, write } from "./storage.js";
/** @import { Verifier } from "../protocol/note.js" */

const STORED = "fairdeal:keys";

/** @returns {string[]} verifier keys as text */
export function pinnedKeys() {
  return (read(STORED) ?? "").split("\n").filter(isKey);
}

/** @returns {Verifier[]} */
export function trustedKeys() {
  return pinnedKeys().map((text) => parseVerifier(text));
}

/**
 * @param {string} text
 * @returns {boolean} whether it is kept now
 * @throws {import("../protocol/errors.js").MalformedError} not a verifier key
 */
export function pinKey(text) {
  const key = text.trim();
  parseVerifier(key);
  return write(STORED, [...pinnedKeys().filter((one) => one !== key), key].join("\n"));
}

/** @param {string} text */
export function unpinKey(text) {
  const left = pinnedKeys().filter((one) => one !== text);
  write(STORED, left.length === 0 ? null : left.join("\n"));
}

/** @param {string} text */
function isKey(text) {
  try {
    parseVerifier(text);
    return true;
  } catch {
    return false;
  }
}
