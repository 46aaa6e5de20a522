/**
 * Ed25519 signature verification (RFC 8032), used for checkpoints (§8.2).
 *
 * Implementations differ on odd signatures and keys. This one takes exactly what OpenSSL and BoringSSL take, so
 * that the page, the command line and `crypto.subtle` never part ways: s below the group order; the equation
 * without the cofactor, compared as bytes, so that R must be in its only form; the public key decoded as
 * RFC 8032 says but its y taken modulo p. Keys of small order are not refused here: whoever can choose the
 * verifier's trusted key needs no forgery, and the key inside a receipt proves nothing anyway (§9.1).
 * @module
 */

import { edwards } from "../vendor/noble-curves/abstract/edwards.js";
import { parseHex, toHex } from "./encoding.js";
import { EngineError } from "./errors.js";
import { equalBytes, own, sha512, subtle } from "./hash.js";
/** @import { Claim } from "./hash.js" */

// RFC 8032 §5.1.
const P = 0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffedn;
const L = 0x1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3edn;
const Point = edwards({
  p: P,
  n: L,
  h: 8n,
  a: P - 1n,
  d: 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3n,
  Gx: 0x216936d3cd6e53fec0a4e231fdd6dc5c692cc7609525a7b2c9562d608f25d51an,
  Gy: 0x6666666666666666666666666666666666666666666666666666666666666658n,
});

/** @typedef {InstanceType<typeof Point>} EdwardsPoint */

/** @param {Uint8Array} bytes little-endian */
function littleEndian(bytes) {
  return BigInt(`0x${toHex(bytes.slice().reverse())}`);
}

/**
 * Decoded keys, as a file of hands is mostly signed by one. After a few uses the point's multiples are tabled,
 * which costs about six multiplications and makes each later one four times as fast.
 * @type {Map<string, { point: EdwardsPoint, uses: number }>}
 */
const keys = new Map();
const MAX_KEYS = 64;
const USES_BEFORE_TABLE = 8;

/**
 * Answers already found, by key, signature and whole message. A file of hands often stands under one checkpoint, whose
 * signature needs checking once.
 * @type {Map<string, boolean>}
 */
const results = new Map();
const MAX_RESULTS = 1024;
/** Bytes of a message whose answer is remembered, at most: checkpoints are far shorter. */
const MAX_REMEMBERED = 1024;

/**
 * @param {Uint8Array} publicKey
 * @returns {EdwardsPoint | null} null where the bytes are no point of the curve
 */
function decode(publicKey) {
  const name = toHex(publicKey);
  let known = keys.get(name);
  if (known === undefined) {
    try {
      // The second argument lets y reach past p, as OpenSSL's decoder does.
      known = { point: Point.fromBytes(publicKey, true), uses: 0 };
    } catch {
      return null;
    }
    if (keys.size >= MAX_KEYS) keys.clear();
    keys.set(name, known);
  }
  known.uses++;
  if (known.uses === USES_BEFORE_TABLE) known.point.precompute(4, false);
  return known.point;
}

/**
 * Whether `signature` over `message` holds under `publicKey`.
 * @param {Uint8Array} publicKey 32 bytes
 * @param {Uint8Array} message
 * @param {Uint8Array} signature any length; only 64 bytes can hold
 * @returns {boolean}
 */
export function verifySignature(publicKey, message, signature) {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  if (message.length > MAX_REMEMBERED) return holds(publicKey, message, signature);
  // Key and signature have their fixed lengths, so no two triples share a name.
  const name = toHex(publicKey) + toHex(signature) + toHex(message);
  let answer = results.get(name);
  if (answer === undefined) {
    answer = holds(publicKey, message, signature);
    if (results.size >= MAX_RESULTS) results.clear();
    results.set(name, answer);
  }
  return answer;
}

/**
 * @param {Uint8Array} publicKey 32 bytes
 * @param {Uint8Array} message
 * @param {Uint8Array} signature 64 bytes
 */
function holds(publicKey, message, signature) {
  const r = signature.subarray(0, 32);
  const s = littleEndian(signature.subarray(32));
  return s < L && equation(r, s, publicKey, littleEndian(sha512(r, publicKey, message)) % L);
}

/**
 * Whether R = sB − kA, byte for byte.
 * @param {Uint8Array} r
 * @param {bigint} s
 * @param {Uint8Array} publicKey
 * @param {bigint} k
 */
function equation(r, s, publicKey, k) {
  const a = decode(publicKey);
  if (a === null) return false;
  return equalBytes(Point.BASE.multiplyUnsafe(s).subtract(a.multiplyUnsafe(k)).toBytes(), r);
}

/** RFC 8032 §7.1, test 2. */
const KNOWN = {
  key: parseHex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "key", 32),
  message: Uint8Array.of(0x72),
  signature: parseHex(
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
      + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00", "signature", 64),
};

/**
 * Whether `crypto.subtle` is here and knows Ed25519; browsers learnt it between 2023 and 2025.
 * @returns {Promise<boolean>}
 */
export async function subtleHasEd25519() {
  const engine = subtle();
  if (engine === null) return false;
  try {
    return await subtleVerify(engine, KNOWN.key, KNOWN.message, KNOWN.signature);
  } catch {
    return false;
  }
}

/**
 * @param {SubtleCrypto} engine
 * @param {Uint8Array} publicKey
 * @param {Uint8Array} message
 * @param {Uint8Array} signature
 * @returns {Promise<boolean>}
 */
async function subtleVerify(engine, publicKey, message, signature) {
  const key = await engine.importKey("raw", own(publicKey), { name: "Ed25519" }, false, ["verify"]);
  return engine.verify({ name: "Ed25519" }, key, own(signature), own(message));
}

/**
 * Has `crypto.subtle` check a signature a second time.
 * @param {SubtleCrypto} engine
 * @param {Claim} claim
 * @returns {Promise<void>}
 * @throws {EngineError} they disagree
 */
export async function crossCheckSignature(engine, claim) {
  if (claim.kind !== "ed25519") return;
  let holds = false;
  try {
    holds = await subtleVerify(engine, claim.key, claim.message, claim.signature);
  } catch {
    // Some engines refuse a key that is no point when it is imported: for us that is "does not hold".
  }
  if (holds !== claim.holds) throw new EngineError(claim.what);
}

/**
 * A known signature, put to the vendored engine.
 * @throws {EngineError}
 */
export function signatureSelfTest() {
  if (!verifySignature(KNOWN.key, KNOWN.message, KNOWN.signature)) throw new EngineError("a known signature");
}
