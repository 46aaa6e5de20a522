/**
 * Links to what is shown, and the fragments that such links carry.
 *
 * `#doc=` holds a whole document, `#kept=` what a badge kept in a game's own store, both as base64url of deflated
 * UTF-8; `#commitment=HEX&seed=SEAT:HEX` says the same by hand. A fragment is never sent to a server.
 * @module
 */

import { fromUtf8, parseBase64, toBase64, utf8 } from "../protocol/index.js";

/** Characters in a link at most: mail programs and messengers cut longer ones. */
export const LONGEST = 8000;

/**
 * @param {string} text
 * @returns {Promise<string | null>} null where the browser cannot deflate
 */
export async function pack(text) {
  if (typeof CompressionStream === "undefined") return null;
  const bytes = await through(utf8(text), new CompressionStream("deflate-raw"));
  return toBase64(bytes).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/**
 * @param {string} packed
 * @returns {Promise<string | null>} null where it is damaged
 */
export async function unpack(packed) {
  try {
    const plain = packed.replace(/-/g, "+").replace(/_/g, "/");
    const bytes = parseBase64(plain + "=".repeat((4 - (plain.length % 4)) % 4), "link");
    return fromUtf8(await through(bytes, new DecompressionStream("deflate-raw")), "link");
  } catch {
    return null;
  }
}

/** A document of this many bytes is no hand: a small link must not fill the memory. */
const MOST = 4_000_000;

/**
 * @param {Uint8Array} bytes
 * @param {CompressionStream | DecompressionStream} stream
 * @returns {Promise<Uint8Array>}
 */
async function through(bytes, stream) {
  const reader = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(stream).getReader();
  /** @type {Uint8Array[]} */
  const parts = [];
  let size = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    parts.push(value);
    size += value.length;
    if (size > MOST) throw new RangeError("too long");
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * @typedef {{ link: string } | { why: "long" | "offline" | "old" }} Share
 */

/**
 * A link that shows the same hand elsewhere.
 * @param {{ base: string, hand: string | null, text: string, offline: boolean }} shown `hand` where the page
 *   fetched it by its address
 * @returns {Promise<Share>}
 */
export async function shareOf({ base, hand, text, offline }) {
  if (offline) return { why: "offline" };
  if (hand !== null) return { link: `${base}/verify/${hand}` };
  const packed = await pack(text);
  if (packed === null) return { why: "old" };
  const link = `${base}/verify#doc=${packed}`;
  return link.length > LONGEST ? { why: "long" } : { link };
}
