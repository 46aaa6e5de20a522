/**
 * Builds hands, logs and receipts for the tests, and breaks them on demand. Signing is Node's own, so that the
 * verifier under test meets signatures of another implementation.
 * @module
 */

import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import * as p from "../../../api/fairdeal_api/web/protocol/index.js";
import { keyIdOf } from "../../../api/fairdeal_api/web/protocol/note.js";

export { p };

const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

/** Thirty-two bytes that differ for every label, the same in every run. */
export function bytes(/** @type {string} */ label) {
  return new Uint8Array(createHash("sha256").update(label).digest());
}
export const hex = (/** @type {string} */ label) => p.toHex(bytes(label));
export const handId = (/** @type {string} */ label) => hex(label).slice(0, 32);

export function makeSigner(/** @type {string} */ name, /** @type {string} */ label) {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, bytes(label)]), format: "der", type: "pkcs8" });
  const der = createPublicKey(key).export({ format: "der", type: "spki" });
  const publicKey = new Uint8Array(der.subarray(der.length - 32));
  const keyId = keyIdOf(name, publicKey);
  return {
    name, key, verifier: { name, keyId, public: publicKey },
    vkey: p.verifierText({ name, keyId, public: publicKey }),
    line(/** @type {string} */ text) {
      const blob = Buffer.concat([Buffer.from(keyId, "hex"), sign(null, Buffer.from(text), key)]);
      return `\u2014 ${name} ${blob.toString("base64")}\n`;
    },
  };
}

export const SIGNER = makeSigner("log.example/one", "log key");
export const TERMS = { game: "okey", layout: "wall", seats: 4, dealer: 0, dice: 1, openings: false };
const MINUTE = 60_000;
const START = 1_700_000_000_000;

/**
 * One hand's entries and deal. `twist` may replace any value on the way.
 * @param {any} [options]
 */
export function makeHand(options = {}) {
  const {
    label = "a hand", terms = TERMS, seats = [0, 2], stage = "reveal", outcome = "played", reason = null,
    serverSeed = bytes(`server ${label}`), hand = handId(`id ${label}`),
  } = options;
  const seeds = seats.map((/** @type {number} */ seat) => ({ seat, seed: hex(`client ${label} ${seat}`) }));
  const seals = options.seals
    ?? seeds.map((/** @type {any} */ { seat, seed }) => ({ seat, seal: p.toHex(p.sealOf(p.parseHex(seed, "", 32))) }));
  const contributions = options.contributions ?? seeds;
  const commitment = options.commitment ?? p.toHex(p.commitmentOf(serverSeed));
  const parsed = p.parseTerms(terms);
  const key = options.key ?? p.dealKey(serverSeed, hand, parsed, contributions);
  const draws = new p.Draws(key);
  const trueDeal = p.makeDeal(draws, parsed);
  const root = parsed.openings ? p.toHex(p.dealRoot(draws, parsed, trueDeal)) : null;
  const dealRoot = options.dealRoot === undefined ? root : options.dealRoot;
  const commit = {
    type: "commit", v: 1, at: START, operator: "kahve", table: "masa-1", number: 1, hand, terms, commitment, seals,
    note: null, lock_by: START + 10 * MINUTE, ...options.commit,
  };
  const lock = {
    type: "lock", v: 1, at: START + 5000, hand, prev: "", contributions, deal_root: dealRoot,
    reveal_by: START + 60 * MINUTE, ...options.lock,
  };
  const reveal = {
    type: "reveal", v: 1, at: START + 20 * MINUTE, hand, prev: "", outcome, reason,
    server_seed: outcome === "lost" ? null : p.toHex(serverSeed), ...options.reveal,
  };
  const stages = { commit: [commit], lock: [commit, lock], reveal: [commit, lock, reveal], unlocked: [commit, reveal] };
  /** @type {any[]} */
  const entries = stages[/** @type {keyof typeof stages} */ (stage)].map((entry) => ({ ...entry }));
  /** @type {string[]} */
  const texts = [];
  entries.forEach((entry, i) => {
    if (i > 0 && entry.prev === "") entry.prev = p.toHex(p.leafHash(p.utf8(/** @type {string} */ (texts[i - 1]))));
    texts.push(p.canonical(entry));
  });
  const revealed = stage === "reveal" && outcome !== "lost";
  const deal = options.deal === undefined ? (revealed ? trueDeal : null) : options.deal;
  return { hand, terms: parsed, key, draws, trueDeal, deal, serverSeed, commitment, seals, contributions, dealRoot, entries, texts };
}

/**
 * A receipt over texts, standing in a tree among strangers' entries.
 * @param {string[]} texts
 * @param {any} [options]
 */
export function makeReceipt(texts, options = {}) {
  const { signers = [SIGNER], origin = SIGNER.name, before = 5, after = 3, gap = 1, deal = null, vkey = SIGNER.vkey } = options;
  /** @type {Uint8Array[]} */
  const leaves = [];
  /** @type {number[]} */
  const places = [];
  const stranger = () => leaves.push(p.leafHash(p.utf8(`stranger ${leaves.length}`)));
  for (let i = 0; i < before; i++) stranger();
  for (const text of texts) {
    places.push(leaves.length);
    leaves.push(p.leafHash(p.utf8(text)));
    for (let i = 0; i < gap; i++) stranger();
  }
  for (let i = 0; i < after; i++) stranger();
  const text = `${origin}\n${leaves.length}\n${p.toBase64(p.merkleRoot(leaves))}\n`;
  const checkpoint = `${text}\n${signers.map((/** @type {any} */ signer) => signer.line(text)).join("")}`;
  const entries = texts.map((entry, i) => {
    const index = /** @type {number} */ (places[i]);
    return { index, entry, proof: p.inclusionProof(leaves, index).map(p.toBase64) };
  });
  return { format: p.RECEIPT_FORMAT, vkey, checkpoint, entries, deal };
}

/** Hand and receipt in one. */
export function finished(/** @type {any} */ options = {}) {
  const hand = makeHand(options);
  const receipt = makeReceipt(hand.texts, { deal: hand.deal, ...options.receipt });
  return { ...hand, receipt, text: JSON.stringify(receipt) };
}

/** A record of the same hand. */
export function recordOf(/** @type {any} */ hand, /** @type {any} */ changes = {}) {
  return JSON.stringify({
    format: p.RECORD_FORMAT, hand: hand.hand, terms: hand.terms, commitment: hand.commitment,
    server_seed: p.toHex(hand.serverSeed), seals: hand.seals, contributions: hand.contributions,
    deal_root: hand.dealRoot, deal: hand.deal, ...changes,
  });
}

/** The results of a report by check. */
export function results(/** @type {any} */ report) {
  return Object.fromEntries(report.checks.map((/** @type {any} */ { name, result }) => [name, result]));
}

/** A copy of JSON with one thing changed. */
export function edited(/** @type {any} */ value, /** @type {(copy: any) => void} */ change) {
  const copy = JSON.parse(JSON.stringify(value));
  change(copy);
  return copy;
}
