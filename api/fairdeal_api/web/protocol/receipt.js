/**
 * Receipts and records: one hand's evidence as one JSON document (§9).
 * @module
 */

import { asObject, hexText, integer, listing, members, parseBase64, string, utf8 } from "./encoding.js";
import { MalformedError, UnsupportedError } from "./errors.js";
import { parseCheckpoint } from "./checkpoint.js";
import { parseEntry } from "./entries.js";
import { parseJson } from "./json.js";
import { leafHash } from "./merkle.js";
import { parseNote, parseVerifier } from "./note.js";
import { HAND_SIZE, MAX_SEAT, parseContributions, parseSeals, SEED_SIZE } from "./seeds.js";
import { parseTerms } from "./terms.js";
/** @import { Checkpoint } from "./checkpoint.js" */
/** @import { Deal } from "./deal.js" */
/** @import { SeatThrow } from "./draws.js" */
/** @import { Entry } from "./entries.js" */
/** @import { Note, Verifier } from "./note.js" */
/** @import { Contribution, Seal } from "./seeds.js" */
/** @import { Terms } from "./terms.js" */
/** @import { Json, JsonObject } from "./json.js" */

/**
 * @typedef {object} LoggedEntry
 * @property {number} index
 * @property {string} text the exact text that the log holds
 * @property {Entry | null} entry null where its type or version is unknown here
 * @property {Uint8Array[]} proof nearest sibling first
 * @property {Uint8Array} leaf the leaf's hash
 */
/**
 * @typedef {object} Receipt
 * @property {"receipt"} kind
 * @property {Verifier} verifier the receipt's own key, which proves nothing by itself
 * @property {string} vkey
 * @property {Note} note the signed checkpoint
 * @property {Checkpoint} checkpoint
 * @property {LoggedEntry[]} entries
 * @property {boolean} unsupported whether an entry's type or version is unknown here
 * @property {Deal | null} deal
 */
/**
 * @typedef {object} HandRecord
 * @property {"record"} kind
 * @property {string} hand
 * @property {Terms} terms
 * @property {string | null} commitment
 * @property {string | null} server_seed
 * @property {Seal[]} seals
 * @property {Contribution[]} contributions
 * @property {string | null} deal_root
 * @property {Deal | null} deal
 */

export const RECEIPT_FORMAT = "fairdeal/1 receipt";
export const RECORD_FORMAT = "fairdeal/1 record";
/** Entries in a receipt at most; a hand has three. */
export const MAX_ENTRIES = 16;
const MAX_PROOF = 64;
const MAX_LIST = 1024;

const RECEIPT = ["format", "vkey", "checkpoint", "entries", "deal"];
const RECORD = ["format", "hand", "terms", "commitment", "server_seed", "seals", "contributions", "deal_root", "deal"];
const PLAIN = ["order", "dealer", "dealer_throws", "starter", "indicator", "okey", "hands", "stock"];
const WALL = [...PLAIN, "wall", "spare", "throws", "selected", "level"];

/**
 * The outer object of a receipt or record.
 * @param {string} text
 * @returns {JsonObject}
 * @throws {MalformedError} not strict JSON, or of neither format
 */
export function parseOuter(text) {
  const object = asObject(parseJson(text, "document"), "document");
  if (object.format !== RECEIPT_FORMAT && object.format !== RECORD_FORMAT) {
    throw new MalformedError("document.format", "format");
  }
  return object;
}

/**
 * @param {JsonObject} object from {@link parseOuter}
 * @returns {Receipt | HandRecord}
 * @throws {MalformedError}
 */
export function parseEvidence(object) {
  return object.format === RECEIPT_FORMAT ? parseReceipt(object) : parseRecord(object);
}

/**
 * A receipt or record from its text.
 * @param {string} text
 * @returns {Receipt | HandRecord}
 * @throws {MalformedError}
 */
export function parseDocument(text) {
  return parseEvidence(parseOuter(text));
}

/**
 * @param {unknown} value
 * @returns {Receipt}
 * @throws {MalformedError}
 */
export function parseReceipt(value) {
  const object = members(value, "receipt", RECEIPT);
  if (object.format !== RECEIPT_FORMAT) throw new MalformedError("receipt.format", "format");
  const verifier = parseVerifier(object.vkey, "receipt.vkey");
  const note = parseNote(object.checkpoint, "receipt.checkpoint");
  const checkpoint = parseCheckpoint(note.text, "receipt.checkpoint");
  const entries = listing(object.entries, "receipt.entries", MAX_ENTRIES, parseLogged);
  const deal = parseDeal(object.deal, "receipt.deal");
  const unsupported = entries.some(({ entry }) => entry === null);
  return { kind: "receipt", verifier, vkey: /** @type {string} */ (object.vkey), note, checkpoint, entries, unsupported, deal };
}

/**
 * @param {unknown} value
 * @param {string} field
 * @returns {LoggedEntry}
 */
function parseLogged(value, field) {
  const object = members(value, field, ["index", "entry", "proof"]);
  const index = integer(object.index, `${field}.index`, 0, Number.MAX_SAFE_INTEGER);
  const text = string(object.entry, `${field}.entry`);
  const proof = listing(object.proof, `${field}.proof`, MAX_PROOF, (item, at) => parseBase64(item, at, 32));
  let entry = null;
  try {
    entry = parseEntry(text, `${field}.entry`);
  } catch (error) {
    // Kept unread: something malformed elsewhere still outweighs it (§8.3).
    if (!(error instanceof UnsupportedError)) throw error;
  }
  return { index, text, entry, proof, leaf: leafHash(utf8(text)) };
}

/**
 * @param {unknown} value
 * @returns {HandRecord}
 * @throws {MalformedError}
 */
export function parseRecord(value) {
  const object = members(value, "record", RECORD);
  if (object.format !== RECORD_FORMAT) throw new MalformedError("record.format", "format");
  const terms = parseTerms(object.terms, "record.terms");
  const optional = (/** @type {string} */ name) =>
    object[name] === null ? null : hexText(object[name], `record.${name}`, SEED_SIZE);
  return {
    kind: "record",
    hand: hexText(object.hand, "record.hand", HAND_SIZE),
    terms,
    commitment: optional("commitment"),
    server_seed: optional("server_seed"),
    seals: parseSeals(object.seals, "record.seals", terms.seats),
    contributions: parseContributions(object.contributions, "record.contributions"),
    deal_root: optional("deal_root"),
    deal: parseDeal(object.deal, "record.deal"),
  };
}

const tile = (/** @type {unknown} */ value, /** @type {string} */ at) => integer(value, at, 0, MAX_LIST - 1);
const seat = (/** @type {unknown} */ value, /** @type {string} */ at) => integer(value, at, 0, MAX_SEAT);
const die = (/** @type {unknown} */ value, /** @type {string} */ at) => integer(value, at, 1, 6);

/**
 * A list of tiles. A receipt holds over four hundred, so each is named only where one of them is none.
 * @param {unknown} value
 * @param {string} at
 * @returns {number[]}
 */
function tiles(value, at) {
  const right = Array.isArray(value) && value.length <= MAX_LIST && value.every((one) =>
    typeof one === "number" && Number.isInteger(one) && one >= 0 && one < MAX_LIST && !Object.is(one, -0));
  return right ? [...value] : listing(value, at, MAX_LIST, tile);
}

const piles = (/** @type {unknown} */ value, /** @type {string} */ at) => listing(value, at, MAX_LIST, tiles);
const dice = (/** @type {unknown} */ value, /** @type {string} */ at) => listing(value, at, MAX_LIST, die);

/**
 * @param {unknown} value
 * @param {string} at
 * @returns {SeatThrow}
 */
function seatThrow(value, at) {
  const object = members(value, at, ["seat", "value"]);
  return { seat: seat(object.seat, `${at}.seat`), value: die(object.value, `${at}.value`) };
}

/**
 * A deal document as far as its kinds of value go; whether it is the right deal is judged by the checks (§10.1).
 * @param {unknown} value
 * @param {string} field
 * @returns {Deal | null}
 * @throws {MalformedError}
 */
export function parseDeal(value, field) {
  if (value === null) return null;
  const object = asObject(value, field);
  const names = Object.keys(object);
  const kind = [["order"], PLAIN, WALL].find((set) => set.length === names.length && set.every((name) => name in object));
  if (kind === undefined) throw new MalformedError(field, "deal-members");
  const order = tiles(object.order, `${field}.order`);
  if (kind.length === 1) return { order };
  const plain = {
    order,
    dealer: seat(object.dealer, `${field}.dealer`),
    dealer_throws: listing(object.dealer_throws, `${field}.dealer_throws`, MAX_LIST,
      (round, at) => listing(round, at, MAX_LIST, seatThrow)),
    starter: seat(object.starter, `${field}.starter`),
    indicator: tile(object.indicator, `${field}.indicator`),
    okey: tiles(object.okey, `${field}.okey`),
    hands: piles(object.hands, `${field}.hands`),
    stock: tiles(object.stock, `${field}.stock`),
  };
  if (kind === PLAIN) return plain;
  return {
    ...plain,
    wall: piles(object.wall, `${field}.wall`),
    spare: tile(object.spare, `${field}.spare`),
    throws: listing(object.throws, `${field}.throws`, MAX_LIST, dice),
    selected: integer(object.selected, `${field}.selected`, 0, MAX_LIST - 1),
    level: integer(object.level, `${field}.level`, 0, MAX_LIST - 1),
  };
}

/** @typedef {{ text: string, line: number }} Line one document's text, unread, and the line it begins on, from 1 */

/**
 * The documents of a file: one JSON document, spread over lines as it likes, or JSON Lines (§9.3). Empty lines are left out,
 * and nothing but JSON's own spaces makes a line empty: a byte order mark alone is told, not passed over.
 * Where no line is an object by itself, the whole is one document, though perhaps one that cannot be read.
 * @param {string} text
 * @returns {Line[]}
 */
export function splitLines(text) {
  const lines = text.split("\n").map((line, i) => ({ text: line, line: i + 1 })).filter((one) => /[^ \t\r]/.test(one.text));
  const [first] = lines;
  if (first === undefined || lines.length === 1) return lines;
  return jsonOf(text) === undefined && lines.some((one) => isObject(jsonOf(one.text))) ? lines : [{ text, line: first.line }];
}

/**
 * @param {string} text
 * @returns {Json | undefined} undefined where it is not JSON
 */
function jsonOf(text) {
  try {
    return parseJson(text, "document");
  } catch {
    return undefined;
  }
}

const isObject = (/** @type {Json | undefined} */ value) => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The texts of {@link splitLines} alone.
 * @param {string} text
 * @returns {string[]}
 */
export function splitDocuments(text) {
  return splitLines(text).map((one) => one.text);
}
