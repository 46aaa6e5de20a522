// SHA-256 and HMAC beside Node's own, at every length at which the padding turns another way.
import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { test } from "node:test";
import { Hmac, hmacSha256, sha256, sha512 } from "../../../api/fairdeal_api/web/protocol/hash.js";
import { bytes, makeSigner, p } from "./build.js";

/** As many bytes as asked for, none of them like its neighbours. @param {number} length */
const noise = (length) => Uint8Array.from({ length }, (_, i) => (i * 151 + (i >> 8) * 7 + length) & 255);
/** Around every block's end, and around the size up to which one buffer serves all messages. */
const LENGTHS = [...Array.from({ length: 300 }, (_, i) => i), 4096, 4097, ...Array.from({ length: 150 }, (_, i) => 8100 + i), 70_000];

test("SHA-256 of every length, whole and in parts", () => {
  for (const length of LENGTHS) {
    const message = noise(length);
    const expected = createHash("sha256").update(message).digest("hex");
    const cut = Math.floor(length / 3);
    assert.equal(p.toHex(sha256(message)), expected, `${length}`);
    assert.equal(p.toHex(sha256(message.subarray(0, cut), message.subarray(cut))), expected, `${length} in parts`);
    assert.equal(p.toHex(sha512(message)), createHash("sha512").update(message).digest("hex"), `${length}`);
  }
  assert.equal(p.toHex(sha256()), createHash("sha256").digest("hex"));
});

test("HMAC of every length of message and key, and of labels", () => {
  for (const length of LENGTHS) {
    const message = noise(length);
    assert.equal(p.toHex(hmacSha256(bytes("key"), message)), createHmac("sha256", bytes("key")).update(message).digest("hex"), `${length}`);
    const key = noise(Math.min(length, 400));
    assert.equal(p.toHex(hmacSha256(key, message)), createHmac("sha256", key).update(message).digest("hex"), `key of ${key.length}`);
  }
  const hmac = new Hmac(bytes("key"));
  const out = new Uint8Array(32);
  for (const label of ["", "r:1", "dealer:0", "s:hand/3/20", "x".repeat(32)]) {
    hmac.label(label, out);
    assert.equal(p.toHex(out), createHmac("sha256", bytes("key")).update(label).digest("hex"), label);
  }
});

test("hashes do not run into one another, nor into what they were given", () => {
  const key = bytes("key");
  const [one, other] = [new Hmac(key), new Hmac(bytes("another"))];
  const message = noise(70);
  const first = one.mac(message);
  const kept = p.toHex(first);
  other.mac(noise(8000));
  sha256(noise(200));
  assert.equal(p.toHex(first), kept);
  assert.deepEqual(one.mac(message), first);
  assert.deepEqual([message, key], [noise(70), bytes("key")]);
});

test("an answer about a signature is remembered for its own key, message and signature alone", () => {
  const [signer, stranger] = [makeSigner("log", "one"), makeSigner("log", "another")];
  for (const length of [0, 100, 1024, 1025, 3000]) {
    const text = "x".repeat(length);
    const line = p.parseBase64(signer.line(text).trim().split(" ").at(-1), "line");
    const signature = line.slice(4);
    const { public: key } = signer.verifier;
    const holds = (/** @type {Uint8Array} */ k, /** @type {string} */ m, /** @type {Uint8Array} */ s) => p.verifySignature(k, p.utf8(m), s);
    // Twice: computed, and remembered.
    for (let time = 0; time < 2; time++) {
      assert.equal(holds(key, text, signature), true);
      assert.equal(holds(stranger.verifier.public, text, signature), false);
      assert.equal(holds(key, `${text}x`, signature), false);
      assert.equal(holds(key, text.slice(1), signature), length === 0);
      for (const at of [0, 31, 32, 63]) {
        const bent = signature.slice();
        bent[at] = /** @type {number} */ (bent[at]) ^ 1;
        assert.equal(holds(key, text, bent), false);
      }
    }
  }
});
