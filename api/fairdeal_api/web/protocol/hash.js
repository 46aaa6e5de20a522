/**
 * SHA-256, HMAC-SHA256, and which engines compute them.
 *
 * A verdict takes about 107 HMACs, and a page checks files of a thousand hands. `crypto.subtle` answers each
 * call through a promise, which costs more than the hash itself, and on plain http it does not exist at all. So
 * the protocol computes synchronously with the vendored SHA-256, and `verify()` then has `crypto.subtle`, where
 * it is present, compute the commitment, the deal key and the signatures of every hand a second time. A
 * disagreement is an {@link EngineError}, never a verdict; the report names the engines that took part.
 *
 * Nearly all messages here are one or two blocks long, and for those the vendored classes spend more on their objects and
 * checks than on hashing. So the padding (FIPS 180-4 §5.1.1) is done here, in one buffer; the compression is the vendored one.
 * @module
 */

import { _SHA256, sha512 as nobleSha512 } from "../vendor/noble-hashes/sha2.js";
import { utf8 } from "./encoding.js";
import { EngineError } from "./errors.js";

/** Bytes of a block. */
const BLOCK = 64;

/** The vendored compression function, from a state of eight words to another. */
class Compression extends _SHA256 {
  /**
   * @param {Int32Array} state where to begin
   * @param {DataView} view whole blocks
   * @param {number} blocks how many
   */
  run(state, view, blocks) {
    // Spreading would go through an iterator, a hundred times a hand.
    const word = (/** @type {number} */ i) => /** @type {number} */ (state[i]);
    this.set(word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7));
    for (let i = 0; i < blocks; i++) this.process(view, i * BLOCK);
    this.roundClean();
  }

  /** @param {Int32Array} state eight words, written */
  read(state) {
    state[0] = this.A;
    state[1] = this.B;
    state[2] = this.C;
    state[3] = this.D;
    state[4] = this.E;
    state[5] = this.F;
    state[6] = this.G;
    state[7] = this.H;
  }
}

const compression = new Compression();
/** The state that every SHA-256 begins with, as the vendored class has it. */
const INITIAL = new Int32Array(8);
compression.read(INITIAL);

/** Where messages are padded: room for an entry of the largest size. A longer message gets a buffer of its own. */
const room = new Uint8Array(128 * BLOCK);
const roomView = new DataView(room.buffer);
const words = new Int32Array(8);

/**
 * Pads a message that stands at a buffer's beginning, hashes it and wipes it from there.
 * @param {Int32Array} state where to begin
 * @param {number} before bytes that were hashed on the way to that state
 * @param {Uint8Array} bytes the buffer, of whole blocks
 * @param {DataView} view over the buffer
 * @param {number} length bytes of the message
 * @param {Uint8Array} out 32 bytes, written
 */
function finish(state, before, bytes, view, length, out) {
  const blocks = blocksFor(length);
  const end = blocks * BLOCK;
  const bits = (before + length) * 8;
  bytes[length] = 0x80;
  bytes.fill(0, length + 1, end - 8);
  view.setUint32(end - 8, Math.floor(bits / 2 ** 32));
  view.setUint32(end - 4, bits >>> 0);
  compression.run(state, view, blocks);
  bytes.fill(0, 0, length);
  compression.read(words);
  for (let i = 0; i < 8; i++) {
    const word = /** @type {number} */ (words[i]);
    out[4 * i] = word >>> 24;
    out[4 * i + 1] = word >>> 16;
    out[4 * i + 2] = word >>> 8;
    out[4 * i + 3] = word;
  }
}

/**
 * Blocks of a message with its padding: one bit and a length of eight bytes at least.
 * @param {number} length
 */
function blocksFor(length) {
  return Math.ceil((length + 9) / BLOCK);
}

/**
 * @param {Int32Array} state
 * @param {number} before
 * @param {readonly Uint8Array[]} parts
 * @param {Uint8Array} out 32 bytes, written; it may be one of the parts
 */
function hashParts(state, before, parts, out) {
  let length = 0;
  for (const part of parts) length += part.length;
  const fits = blocksFor(length) * BLOCK <= room.length;
  const bytes = fits ? room : new Uint8Array(blocksFor(length) * BLOCK);
  const view = fits ? roomView : new DataView(bytes.buffer);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  finish(state, before, bytes, view, length, out);
}

/**
 * SHA-256 of the parts, joined.
 * @param {...Uint8Array} parts
 * @returns {Uint8Array} 32 bytes
 */
export function sha256(...parts) {
  const out = new Uint8Array(32);
  hashParts(INITIAL, 0, parts, out);
  return out;
}

/**
 * SHA-512 of the parts, joined; Ed25519 needs it.
 * @param {...Uint8Array} parts
 * @returns {Uint8Array} 64 bytes
 */
export function sha512(...parts) {
  const hash = nobleSha512.create();
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/**
 * HMAC-SHA256 under one key. The two blocks made of the key are hashed once and their states reused for every
 * message, which halves the work of a deal.
 */
export class Hmac {
  #inner = new Int32Array(8);
  #outer = new Int32Array(8);

  /** @param {Uint8Array} key any length */
  constructor(key) {
    const short = key.length > BLOCK ? sha256(key) : key;
    for (const [state, pad] of /** @type {const} */ ([[this.#inner, 0x36], [this.#outer, 0x5c]])) {
      for (let i = 0; i < BLOCK; i++) room[i] = (short[i] ?? 0) ^ pad;
      compression.run(INITIAL, roomView, 1);
      compression.read(state);
    }
    room.fill(0, 0, BLOCK);
  }

  /**
   * @param {Uint8Array} message
   * @returns {Uint8Array} 32 bytes
   */
  mac(message) {
    const out = new Uint8Array(32);
    hashParts(this.#inner, BLOCK, [message], out);
    hashParts(this.#outer, BLOCK, [out], out);
    return out;
  }

  /**
   * The MAC of a label, written into `out`: dealing makes a hundred of them and keeps none.
   * @param {string} label ASCII, at most 32 characters
   * @param {Uint8Array} out 32 bytes
   */
  label(label, out) {
    for (let i = 0; i < label.length; i++) room[i] = label.charCodeAt(i);
    finish(this.#inner, BLOCK, room, roomView, label.length, out);
    for (let i = 0; i < 32; i++) room[i] = /** @type {number} */ (out[i]);
    finish(this.#outer, BLOCK, room, roomView, 32, out);
  }
}

/**
 * HMAC-SHA256 of one message.
 * @param {Uint8Array} key
 * @param {Uint8Array} message
 * @returns {Uint8Array} 32 bytes
 */
export function hmacSha256(key, message) {
  return new Hmac(key).mac(message);
}

/**
 * Whether two byte strings are equal. Everything compared here is public, so time may leak.
 * @param {Uint8Array} a
 * @param {Uint8Array} b
 * @returns {boolean}
 */
export function equalBytes(a, b) {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/**
 * `crypto.subtle`, or null where it does not exist: plain http on another host than localhost.
 * @returns {SubtleCrypto | null}
 */
export function subtle() {
  return globalThis.crypto?.subtle ?? null;
}

/**
 * Bytes as the DOM's types ask for them; the copy also cuts a view free of a larger buffer.
 * @param {Uint8Array} bytes
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function own(bytes) {
  return new Uint8Array(bytes);
}

/**
 * One value that the synchronous engine computed and that another engine can compute again.
 * @typedef {{ what: string, kind: "sha256", message: Uint8Array, digest: Uint8Array }
 *   | { what: string, kind: "hmac", key: Uint8Array, message: Uint8Array, digest: Uint8Array }
 *   | { what: string, kind: "ed25519", key: Uint8Array, message: Uint8Array, signature: Uint8Array, holds: boolean }} Claim
 */

/**
 * Has `crypto.subtle` compute hashes a second time.
 * @param {SubtleCrypto} engine
 * @param {Claim} claim
 * @returns {Promise<void>}
 * @throws {EngineError} they disagree
 */
export async function crossCheckHash(engine, claim) {
  if (claim.kind === "ed25519") return;
  let digest;
  if (claim.kind === "sha256") {
    digest = await engine.digest("SHA-256", own(claim.message));
  } else {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await engine.importKey("raw", own(claim.key), algorithm, false, ["sign"]);
    digest = await engine.sign("HMAC", key, own(claim.message));
  }
  if (!equalBytes(new Uint8Array(digest), claim.digest)) throw new EngineError(claim.what);
}

/** SHA-256 of `abc` (FIPS 180-4) and HMAC test case 2 of RFC 4231. */
const KNOWN = {
  message: utf8("abc"),
  digest: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  hmacKey: utf8("Jefe"),
  hmacMessage: utf8("what do ya want for nothing?"),
  hmac: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
};

/**
 * Known answers, put to the vendored engine and, where it exists, to `crypto.subtle`.
 * @returns {Promise<void>}
 * @throws {EngineError}
 */
export async function hashSelfTest() {
  const digest = sha256(KNOWN.message);
  const mac = hmacSha256(KNOWN.hmacKey, KNOWN.hmacMessage);
  const hex = (/** @type {Uint8Array} */ b) => Array.from(b, (x) => x.toString(16).padStart(2, "0")).join("");
  if (hex(digest) !== KNOWN.digest) throw new EngineError("SHA-256 of a known text");
  if (hex(mac) !== KNOWN.hmac) throw new EngineError("HMAC-SHA256 of a known text");
  const engine = subtle();
  if (engine === null) return;
  await crossCheckHash(engine, { what: "SHA-256 of a known text", kind: "sha256", message: KNOWN.message, digest });
  await crossCheckHash(engine, {
    what: "HMAC-SHA256 of a known text", kind: "hmac", key: KNOWN.hmacKey, message: KNOWN.hmacMessage, digest: mac,
  });
}
