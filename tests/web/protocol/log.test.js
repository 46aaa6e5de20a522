// Merkle trees, signed notes, checkpoints, entries.
import assert from "node:assert/strict";
import { generateKeyPairSync, sign, verify as nodeVerify, createPublicKey } from "node:crypto";
import { test } from "node:test";
import { bytes, edited, makeHand, makeSigner, p, SIGNER } from "./build.js";
import { parseBase64 } from "../../../api/fairdeal_api/web/protocol/encoding.js";

const LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
  .map((hex) => p.leafHash(p.parseHex(hex, "leaf", hex.length / 2)));
const ROOTS = ["e3b0c442", "6e340b9c", "fac54203", "aeb6bcfe", "d37ee418", "4e3bbb1f", "76e67dad", "ddb89be4", "5dc9da79"];
const bad = (/** @type {() => unknown} */ act) =>
  assert.throws(act, (error) => error instanceof p.EvidenceError && error.code === "bad-proof");

test("the known RFC 6962 roots", () => {
  ROOTS.forEach((start, size) => assert.equal(p.toHex(p.merkleRoot(LEAVES.slice(0, size))).slice(0, 8), start));
  assert.equal(p.toBase64(p.EMPTY_ROOT), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
});

test("every inclusion proof holds, and no other length, place or hash does", () => {
  for (let size = 1; size <= 8; size++) {
    const leaves = LEAVES.slice(0, size);
    const root = p.merkleRoot(leaves);
    for (let index = 0; index < size; index++) {
      const leaf = /** @type {Uint8Array} */ (leaves[index]);
      const proof = p.inclusionProof(leaves, index);
      p.verifyInclusion(index, size, leaf, proof, root);
      bad(() => p.verifyInclusion(index, size, leaf, [...proof, root], root));
      if (proof.length > 0) bad(() => p.verifyInclusion(index, size, leaf, proof.slice(1), root));
      if (proof.length > 0) bad(() => p.verifyInclusion(index, size, leaf, proof.slice(0, -1), root));
      bad(() => p.verifyInclusion(size, size, leaf, proof, root));
      if (size > 1) bad(() => p.verifyInclusion((index + 1) % size, size, leaf, proof, root));
      if (size > 1) bad(() => p.verifyInclusion(index, size, root, proof, leaf));
      proof.forEach((_, i) => bad(() =>
        p.verifyInclusion(index, size, leaf, proof.map((hash, j) => (i === j ? bytes("other") : hash)), root)));
    }
  }
});

test("indices beyond 32 bits are not cut", () => {
  const leaf = bytes("leaf");
  const size = 2 ** 52;
  const proof = Array.from({ length: 52 }, (_, i) => bytes(`sibling ${i}`));
  for (const index of [0, 2 ** 40 + 5, 2 ** 52 - 1]) {
    const root = /** @type {Uint8Array} */ (p.inclusionPath(index, size, leaf, proof).at(-1)?.result);
    p.verifyInclusion(index, size, leaf, proof, root);
    bad(() => p.verifyInclusion((index + 2 ** 32) % size, size, leaf, proof, root));
    bad(() => p.verifyInclusion(index, size, leaf, proof.slice(1), root));
  }
});

test("every consistency proof holds, and no broken one does", () => {
  for (let size = 0; size <= 8; size++) {
    const root = p.merkleRoot(LEAVES.slice(0, size));
    for (let old = 0; old <= size; old++) {
      const oldRoot = p.merkleRoot(LEAVES.slice(0, old));
      const proof = p.consistencyProof(LEAVES.slice(0, size), old);
      p.verifyConsistency(old, size, proof, oldRoot, root);
      bad(() => p.verifyConsistency(old, size, [...proof, root], oldRoot, root));
      bad(() => p.verifyConsistency(old, size, proof, bytes("other"), root));
      if (old > 0) bad(() => p.verifyConsistency(old, size, proof, oldRoot, bytes("other")));
      if (proof.length > 0) bad(() => p.verifyConsistency(old, size, proof.slice(1), oldRoot, root));
      if (proof.length > 0) bad(() => p.verifyConsistency(old, size, proof.slice(0, -1), oldRoot, root));
      bad(() => p.verifyConsistency(size + 1, size, proof, oldRoot, root));
    }
  }
});

const GO_KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
const GO_TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const GO_NOTE = `${GO_TEXT}\n\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`;

test("the example note of Go's sumdb/note opens under its key", () => {
  const verifier = p.parseVerifier(GO_KEY);
  assert.equal(p.verifierText(verifier), GO_KEY);
  assert.equal(p.openNote(GO_NOTE, [verifier]).text, GO_TEXT);
  assert.throws(() => p.openNote(GO_NOTE.replace("answer", "Answer"), [verifier]), p.EvidenceError);
  assert.throws(() => p.openNote(GO_NOTE, [SIGNER.verifier]), p.EvidenceError);
  assert.throws(() => p.openNote(GO_NOTE, []), p.EvidenceError);
});

test("the example note of C2SP signed-note parses, its text holding blank lines", () => {
  const text = "Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\ned è subito sera.\n";
  const line = "\u2014 quasimodo.example/salvatore NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=\n";
  const note = p.parseNote(`${text}\n${line}`);
  assert.equal(note.text, text);
  assert.deepEqual([note.signatures[0]?.name, note.signatures[0]?.keyId], ["quasimodo.example/salvatore", "367ba04b"]);
});

test("lines of unknown keys are ignored, and a bad line of a known key spoils the note", () => {
  const other = makeSigner("witness.example", "witness");
  const verifier = p.parseVerifier(GO_KEY);
  const both = GO_NOTE + other.line(GO_TEXT);
  assert.equal(p.openNote(both, [verifier]).signedBy.length, 1);
  assert.equal(p.openNote(both, [verifier, other.verifier]).signedBy.length, 2);
  const spoilt = GO_NOTE + other.line("another text\n");
  assert.equal(p.openNote(spoilt, [verifier]).signedBy.length, 1);
  assert.throws(() => p.openNote(spoilt, [verifier, other.verifier]), p.EvidenceError);
});

for (const [name, note] of /** @type {[string, string][]} */ ([
  ["no signature", GO_TEXT], ["no blank line", GO_NOTE.replace("\n\n", "\n")], ["no final line feed", GO_NOTE.slice(0, -1)],
  ["a hyphen for the dash", GO_NOTE.replace("\u2014", "-")], ["two spaces", GO_NOTE.replace("\u2014 ", "\u2014  ")],
  ["a control character", GO_NOTE.replace("then", "\tthen")], ["a carriage return", GO_NOTE.replace("\n\n", "\r\n\n")],
  ["no name", GO_NOTE.replace("PeterNeumann ", "")], ["a plus in the name", GO_NOTE.replace("PeterN", "Peter+N")],
  ["a space of another script in the name", GO_NOTE.replace("PeterN", "Peter\u3000N")],
  ["a next-line character in the name", GO_NOTE.replace("PeterN", "Peter\u0085N")],
  ["base64 with loose bits", GO_NOTE.replace("nAM=", "nAN=")], ["base64 without padding", GO_NOTE.replace("nAM=", "nAM")],
  ["four bytes only", `${GO_TEXT}\n\u2014 x AAAAAA==\n`], ["a blank line at the end", `${GO_NOTE}\n`],
  ["17 signatures", GO_NOTE + "\u2014 x AAAAAAA=\n".repeat(16)], ["nothing", ""], ["a blank line alone", "\n\n"],
])) {
  test(`note refused: ${name}`, () => assert.throws(() => p.parseNote(note), p.MalformedError));
}

test("16 signatures are read", () => assert.equal(p.parseNote(GO_NOTE + "\u2014 x AAAAAAA=\n".repeat(15)).signatures.length, 16));

test("verifier keys are read in their only form", () => {
  const encoded = SIGNER.vkey.split("+").slice(2).join("+");
  const { name, keyId } = SIGNER.verifier;
  const key = parseBase64(encoded, "key");
  const typed = (/** @type {number} */ type) => p.toBase64(Uint8Array.of(type, ...key.subarray(1)));
  for (const text of [null, "", name, `${name}+${keyId}`, `+${keyId}+${encoded}`, `${name}+${keyId.toUpperCase()}+${encoded}`.replace(keyId, "ABCDEF01"),
    `${name}+00000000+${encoded}`, `other+${keyId}+${encoded}`, `${name}+${keyId}+${typed(2)}`, `${name}+${keyId}+${typed(4)}`,
    `${name}+${keyId}+${p.toBase64(key.subarray(0, 32))}`, `${name}+${keyId}+`, `${SIGNER.vkey}\n`, ` ${SIGNER.vkey}`, `a b+${keyId}+${encoded}`]) {
    assert.throws(() => p.parseVerifier(text), p.MalformedError, String(text));
  }
});

const ROOT64 = p.toBase64(bytes("root"));
test("checkpoints are three lines", () => {
  const text = `log.example/one\n12\n${ROOT64}\n`;
  assert.equal(p.checkpointText(p.parseCheckpoint(text)), text);
  assert.equal(p.parseCheckpoint(`a\n0\n${ROOT64}\n`).size, 0);
  for (const one of ["", "\n12\nx\n", `a\n12\n${ROOT64}`, `a\n12\n${ROOT64}\nmore\n`, `a\n012\n${ROOT64}\n`, `a\n+12\n${ROOT64}\n`,
    `a\n-1\n${ROOT64}\n`, `a\n 12\n${ROOT64}\n`, `a\n1_2\n${ROOT64}\n`, `a\n٣\n${ROOT64}\n`, `a\n\n${ROOT64}\n`,
    `a\n9007199254740992\n${ROOT64}\n`, `a\n12\n${ROOT64.slice(0, -4)}\n`, `\n12\n${ROOT64}\n`]) {
    assert.throws(() => p.parseCheckpoint(one), p.MalformedError, JSON.stringify(one));
  }
});

test("Ed25519 agrees with Node's OpenSSL, on bent signatures and odd keys too", () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const raw = (/** @type {import("node:crypto").KeyObject} */ key) => new Uint8Array(key.export({ format: "der", type: "spki" }).subarray(-32));
  const message = new TextEncoder().encode("checkpoint");
  const signature = new Uint8Array(sign(null, message, privateKey));
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const little = (/** @type {bigint} */ n) => Uint8Array.from({ length: 32 }, (_, i) => Number((n >> BigInt(8 * i)) & 255n));
  const s = signature.subarray(32).reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const identity = little(1n);
  const cases = [[raw(publicKey), signature]];
  for (let bit = 0; bit < 512; bit += 37) {
    const bent = signature.slice();
    bent[bit >> 3] = /** @type {number} */ (bent[bit >> 3]) ^ (1 << (bit & 7));
    cases.push([raw(publicKey), bent]);
  }
  cases.push([raw(publicKey), Uint8Array.of(...signature.subarray(0, 32), ...little(s + order))]);
  // Points of small order, in canonical form and with y = p + 1, and R likewise: engines differ most here.
  const prime = 2n ** 255n - 19n;
  for (const key of [identity, little(prime + 1n), little(prime - 1n), little(0n), little(prime), little(1n | (1n << 255n))]) {
    for (const r of [identity, little(prime + 1n)]) cases.push([key, Uint8Array.of(...r, ...little(0n))]);
  }
  let held = 0;
  for (const [key, sig] of cases) {
    const der = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), /** @type {Uint8Array} */ (key)]);
    let expected = false;
    try {
      expected = nodeVerify(null, message, createPublicKey({ key: der, format: "der", type: "spki" }), /** @type {Uint8Array} */ (sig));
    } catch {
      expected = false;
    }
    if (expected) held++;
    assert.equal(p.verifySignature(/** @type {Uint8Array} */ (key), message, /** @type {Uint8Array} */ (sig)), expected);
  }
  assert.ok(held >= 1);
  for (const size of [0, 63, 65]) assert.equal(p.verifySignature(raw(publicKey), message, new Uint8Array(size)), false);
  assert.equal(p.verifySignature(new Uint8Array(31), message, signature), false);
});

test("one key used often still answers right, once its table is made", () => {
  for (let i = 0; i < 20; i++) {
    const text = `checkpoint ${i}\n`;
    const blob = parseBase64(SIGNER.line(text).split(" ")[2]?.trim(), "sig").subarray(4);
    assert.equal(p.verifySignature(SIGNER.verifier.public, p.utf8(text), blob), true);
    assert.equal(p.verifySignature(SIGNER.verifier.public, p.utf8(`${text}x`), blob), false);
  }
});

const [COMMIT, LOCK, REVEAL] = makeHand().entries;
const BAD_ENTRIES = /** @type {[string, any, Record<string, unknown>][]} */ ([
  ["commit", COMMIT, { at: -1 }], ["commit", COMMIT, { at: "1" }], ["commit", COMMIT, { operator: "" }],
  ["commit", COMMIT, { operator: "Kahve" }], ["commit", COMMIT, { operator: "-a" }], ["commit", COMMIT, { operator: "a".repeat(65) }],
  ["commit", COMMIT, { operator: "a\n" }], ["commit", COMMIT, { table: "masa 1" }], ["commit", COMMIT, { table: "ş" }],
  ["commit", COMMIT, { number: 0 }], ["commit", COMMIT, { hand: "A".repeat(32) }], ["commit", COMMIT, { hand: "0".repeat(31) }],
  ["commit", COMMIT, { terms: null }], ["commit", COMMIT, { commitment: null }], ["commit", COMMIT, { seals: null }],
  ["commit", COMMIT, { seals: [...COMMIT.seals].reverse() }], ["commit", COMMIT, { seals: [COMMIT.seals[0], COMMIT.seals[0]] }],
  ["commit", COMMIT, { seals: [{ seat: 4, seal: "0".repeat(64) }] }], ["commit", COMMIT, { seals: [{ seat: 0, seal: "0" }] }],
  ["commit", COMMIT, { seals: [{ seat: 0, seal: "0".repeat(64), name: "Ayşe" }] }], ["commit", COMMIT, { note: "hello" }],
  ["commit", COMMIT, { note: "00".repeat(31) }], ["commit", COMMIT, { lock_by: COMMIT.at + 59_999 }],
  ["commit", COMMIT, { lock_by: COMMIT.at + 2_592_000_001 }], ["commit", COMMIT, { lock_by: null }], ["commit", COMMIT, { extra: 1 }],
  ["lock", LOCK, { prev: null }], ["lock", LOCK, { deal_root: "" }], ["lock", LOCK, { reveal_by: LOCK.at }],
  ["lock", LOCK, { contributions: [...LOCK.contributions].reverse() }], ["lock", LOCK, { contributions: [{ seat: 16, seed: "0".repeat(64) }] }],
  ["reveal", REVEAL, { outcome: "won" }], ["reveal", REVEAL, { outcome: "void" }], ["reveal", REVEAL, { reason: "technical" }],
  ["reveal", REVEAL, { outcome: "void", reason: "bored" }], ["reveal", REVEAL, { server_seed: null }],
  ["reveal", REVEAL, { outcome: "lost" }], ["reveal", REVEAL, { server_seed: "0".repeat(62) }], ["reveal", REVEAL, { type: "Reveal", v: "1" }],
  ["reveal", REVEAL, { type: 1 }], ["reveal", REVEAL, { v: null }],
]);

test("entries are read in their only form", () => {
  for (const entry of [COMMIT, LOCK, REVEAL]) {
    assert.deepEqual(p.parseEntry(p.canonical(entry)), { ...entry });
    assert.equal(p.entryText(p.parseEntry(p.canonical(entry))), p.canonical(entry));
    for (const name of Object.keys(entry)) {
      const without = edited(entry, (copy) => delete copy[name]);
      assert.throws(() => p.parseEntry(p.canonical(without)), p.MalformedError, name);
    }
    const text = p.canonical(entry);
    for (const loose of [` ${text}`, `${text}\n`, text.replace(":", ": "), JSON.stringify(entry), text.replace('"at":', '"at":0,"at":')]) {
      if (loose !== text) assert.throws(() => p.parseEntry(loose), p.MalformedError);
    }
  }
  for (const [kind, entry, change] of BAD_ENTRIES) {
    assert.throws(() => p.parseEntry(p.canonical({ ...entry, ...change })),
      (error) => error instanceof p.MalformedError && !(error instanceof p.UnsupportedError), `${kind} ${JSON.stringify(change)}`);
  }
  for (const change of [{ lock_by: COMMIT.at + 60_000 }, { lock_by: COMMIT.at + 2_592_000_000 }, { note: "ab".repeat(32) },
    { operator: `a${"9".repeat(63)}` }, { table: "M.a_s:a-1" }, { seals: [] }]) {
    assert.ok(p.parseEntry(p.canonical({ ...COMMIT, ...change })));
  }
});

test("another type or version is unsupported, whatever else it holds; too long is too long", () => {
  for (const change of [{ type: "rake" }, { v: 2 }, { v: 0 }, { type: "commit", v: 2, terms: 5 }, { type: "" }]) {
    assert.throws(() => p.parseEntry(p.canonical({ ...REVEAL, ...change })), p.UnsupportedError);
  }
  assert.throws(() => p.parseEntry(p.canonical({ type: "new", v: 1, x: "x".repeat(4096) })),
    (error) => error instanceof p.MalformedError && !(error instanceof p.UnsupportedError));
  assert.throws(() => p.parseEntry(' {"type":"new","v":1}'), (error) => !(error instanceof p.UnsupportedError));
  for (const text of ["null", "[]", "1", '"commit"']) assert.throws(() => p.parseEntry(text), p.MalformedError);
});

test("no error repeats a seed", () => {
  const secret = "ab".repeat(31);
  for (const change of [{ server_seed: secret }, { prev: secret }]) {
    try {
      p.parseEntry(p.canonical({ ...REVEAL, ...change }));
      assert.fail("must be refused");
    } catch (error) {
      assert.ok(error instanceof p.MalformedError && !String(error).includes("abab"));
    }
  }
});
