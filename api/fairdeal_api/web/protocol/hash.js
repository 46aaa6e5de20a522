/**
 * SHA-256, HMAC-SHA256, and which engines compute them.
 *
 * A verdict takes about 107 HMACs, and a page checks files of a thousand hands. `crypto.subtle` answers each
 * call through a promise, which costs more than the hash itself, and on plain http it does not exist at all. So
 * the protocol computes synchronously with the vendored SHA-256, and `verify()` then has `crypto.subtle`, where
 * it is present, compute the commitment, the deal key and the signatures of every hand a second time. A
 * disagreement is an {@link EngineError}, never a verdict; the report names the engines that took part.
 * @module
 */

import { sha256 as nobleSha256, sha512 as nobleSha512 } from "../vendor/noble-hashes/sha2.js";
import { utf8 } from "./encoding.js";
import { EngineError } from "./errors.js";

/**
 * SHA-256 of the parts, joined.
 * @param {...Uint8Array} parts
 * @returns {Uint8Array} 32 bytes
 */
export function sha256(...parts) {
  const hash = nobleSha256.create();
  for (const part of parts) hash.update(part);
  return hash.digest();
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
  #inner = nobleSha256.create();
  #outer = nobleSha256.create();
  #scratch = nobleSha256.create();

  /** @param {Uint8Array} key any length */
  constructor(key) {
    const pad = new Uint8Array(64);
    pad.set(key.length > 64 ? sha256(key) : key);
    this.#inner.update(pad.map((byte) => byte ^ 0x36));
    this.#outer.update(pad.map((byte) => byte ^ 0x5c));
  }

  /**
   * @param {Uint8Array} message
   * @returns {Uint8Array} 32 bytes
   */
  mac(message) {
    const out = new Uint8Array(32);
    this.macInto(message, out);
    return out;
  }

  /**
   * The MAC, written into `out`: dealing makes a hundred of them and keeps none.
   * @param {Uint8Array} message
   * @param {Uint8Array} out 32 bytes
   */
  macInto(message, out) {
    const scratch = this.#scratch;
    this.#inner._cloneInto(scratch);
    scratch.update(message).digestInto(out);
    this.#outer._cloneInto(scratch);
    scratch.update(out).digestInto(out);
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
