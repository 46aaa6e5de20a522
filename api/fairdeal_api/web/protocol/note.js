/**
 * C2SP signed notes and their verifier keys (§8.2): text, a blank line, signature lines.
 * @module
 */

import { parseBase64, parseHex, toBase64, toHex, utf8 } from "./encoding.js";
import { EvidenceError, MalformedError } from "./errors.js";
import { verifySignature } from "./ed25519.js";
import { sha256 } from "./hash.js";

/** Signature type of plain Ed25519. */
export const ED25519 = 0x01;
/** Signature lines in a note at most. */
export const MAX_SIGNATURES = 16;

const DASH = "\u2014 ";
// Every control character but the line feed.
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/;

/** @typedef {{ name: string, keyId: string, public: Uint8Array }} Verifier key id in hex; public key, 32 bytes */
/** @typedef {{ name: string, keyId: string, signature: Uint8Array }} SignatureLine */
/** @typedef {{ text: string, signatures: SignatureLine[] }} Note the text with its final line feed */

/**
 * Whether a key may have this name: not empty, no space of any script, no plus, no control character.
 * @param {string} name
 * @returns {boolean}
 */
export function isName(name) {
  return name !== "" && !/[\p{White_Space}+\p{Cs}]/u.test(name) && !CONTROL.test(name);
}

/**
 * The first four bytes of SHA-256(name ‖ LF ‖ type ‖ public key), in hex.
 * @param {string} name
 * @param {Uint8Array} publicKey
 * @returns {string}
 */
export function keyIdOf(name, publicKey) {
  return toHex(sha256(utf8(`${name}\n`), Uint8Array.of(ED25519), publicKey).subarray(0, 4));
}

/**
 * A verifier key, `name+keyid+base64(type ‖ public key)`.
 * @param {unknown} text
 * @param {string} [field]
 * @returns {Verifier}
 * @throws {MalformedError}
 */
export function parseVerifier(text, field = "vkey") {
  // The base64 may hold a plus itself, so only the first two part the text.
  const parts = typeof text === "string" ? /^([^+]*)\+([^+]*)\+([^]*)$/.exec(text) : null;
  if (parts === null) throw new MalformedError(field, "key");
  const [, name = "", keyId = "", encoded = ""] = parts;
  if (!isName(name)) throw new MalformedError(field, "name");
  parseHex(keyId, field, 4);
  const key = parseBase64(encoded, field);
  if (key[0] !== ED25519) throw new MalformedError(field, "key-type");
  if (key.length !== 33) throw new MalformedError(field, "key");
  const publicKey = key.slice(1);
  if (keyIdOf(name, publicKey) !== keyId) throw new MalformedError(field, "key-id");
  return { name, keyId, public: publicKey };
}

/**
 * A verifier key as text.
 * @param {Verifier} verifier
 * @returns {string}
 */
export function verifierText(verifier) {
  const key = new Uint8Array(33);
  key[0] = ED25519;
  key.set(verifier.public, 1);
  return `${verifier.name}+${verifier.keyId}+${toBase64(key)}`;
}

/**
 * Text and signature lines of a note; no signature is checked.
 * @param {unknown} note
 * @param {string} [field]
 * @returns {Note}
 * @throws {MalformedError}
 */
export function parseNote(note, field = "note") {
  if (typeof note !== "string" || CONTROL.test(note)) throw new MalformedError(field, "note");
  const blank = note.lastIndexOf("\n\n");
  if (blank < 0 || !note.endsWith("\n")) throw new MalformedError(field, "note");
  const lines = note.slice(blank + 2).split("\n").slice(0, -1);
  if (lines.length === 0) throw new MalformedError(field, "note");
  if (lines.length > MAX_SIGNATURES) throw new MalformedError(field, "too-long");
  return { text: note.slice(0, blank + 1), signatures: lines.map((line) => parseSignatureLine(line, field)) };
}

/**
 * @param {string} line
 * @param {string} field
 * @returns {SignatureLine}
 */
function parseSignatureLine(line, field) {
  const space = line.indexOf(" ", DASH.length);
  if (!line.startsWith(DASH) || space < 0) throw new MalformedError(field, "note");
  const name = line.slice(DASH.length, space);
  if (!isName(name)) throw new MalformedError(field, "name");
  const blob = parseBase64(line.slice(space + 1), field);
  if (blob.length < 5) throw new MalformedError(field, "note");
  return { name, keyId: toHex(blob.subarray(0, 4)), signature: blob.slice(4) };
}

/**
 * What a note's lines say about one key: each line under its name and key id must hold.
 * @param {Note} note
 * @param {Verifier} verifier
 * @returns {"good" | "bad" | "missing"}
 */
export function signedBy(note, verifier) {
  const lines = note.signatures.filter(({ name, keyId }) => name === verifier.name && keyId === verifier.keyId);
  if (lines.length === 0) return "missing";
  const text = utf8(note.text);
  return lines.every(({ signature }) => verifySignature(verifier.public, text, signature)) ? "good" : "bad";
}

/**
 * Opens a note: at least one known key signed it, and no known key's line is bad. Lines of unknown keys are ignored.
 * @param {string} text
 * @param {readonly Verifier[]} verifiers
 * @returns {{ text: string, signedBy: Verifier[] }}
 * @throws {MalformedError} not a note
 * @throws {EvidenceError} `bad-signature`
 */
export function openNote(text, verifiers) {
  const note = parseNote(text);
  const good = [];
  for (const verifier of verifiers) {
    const state = signedBy(note, verifier);
    if (state === "bad") throw new EvidenceError("bad-signature", "a known key's signature does not hold");
    if (state === "good") good.push(verifier);
  }
  if (good.length === 0) throw new EvidenceError("bad-signature", "no known key signed the note");
  return { text: note.text, signedBy: good };
}
