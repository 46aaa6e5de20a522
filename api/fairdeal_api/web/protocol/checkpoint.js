/**
 * A log's head as text: origin, size, root (§8.2).
 * @module
 */

import { parseBase64, toBase64 } from "./encoding.js";
import { MalformedError } from "./errors.js";

/** @typedef {{ origin: string, size: number, root: Uint8Array }} Checkpoint root: 32 bytes */

/**
 * @param {string} text three lines, each with its line feed
 * @param {string} [field]
 * @returns {Checkpoint}
 * @throws {MalformedError}
 */
export function parseCheckpoint(text, field = "checkpoint") {
  const [origin = "", digits = "", root, end, ...more] = text.split("\n");
  if (origin === "" || end !== "" || more.length !== 0) throw new MalformedError(field, "checkpoint");
  if (!/^(?:0|[1-9][0-9]{0,15})$/.test(digits)) throw new MalformedError(field, "checkpoint");
  const size = Number(digits);
  if (!Number.isSafeInteger(size)) throw new MalformedError(field, "checkpoint");
  return { origin, size, root: parseBase64(root, field, 32) };
}

/**
 * @param {Checkpoint} checkpoint
 * @returns {string}
 */
export function checkpointText(checkpoint) {
  return `${checkpoint.origin}\n${checkpoint.size}\n${toBase64(checkpoint.root)}\n`;
}
