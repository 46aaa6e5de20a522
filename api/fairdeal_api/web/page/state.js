/**
 * What the page shows, and the acts that change it. Drawing is in view.js.
 * @module
 */

import { engine, MalformedError, parseDocument, splitLines, verify } from "../protocol/index.js";
import { addressedHand, addressedWrongly, arrived, basePath, go, movedAway } from "./address.js";
import { forget, keep, keptInLink, keptOf, seenOf } from "./kept.js";
import { trustedKeys } from "./keys.js";
import { startBatch } from "./many.js";
import { unpack } from "./share.js";
/** @import { Key, Values } from "./i18n.js" */
/** @import { Kept } from "./kept.js" */
/** @import { Batch } from "./many.js" */
/** @import { Given } from "./mine.js" */
/** @import { Report } from "../protocol/verify.js" */

/**
 * @typedef {object} HandView
 * @property {"hand"} kind
 * @property {string} text
 * @property {Report} report
 * @property {string | null} fetched the hand by whose address the document was fetched
 * @property {boolean} keptNow whether this visit kept the commitment
 * @property {boolean} linkKept whether no kept commitment agrees but one that came with the link
 */
/**
 * @typedef {{ kind: "start" } | { kind: "loading", hand: string | null } | HandView
 *   | { kind: "refused", error: MalformedError } | { kind: "problem", key: Key, values: Values, hand: string | null }
 *   | { kind: "many" }} View
 */
/**
 * @typedef {object} State
 * @property {View} view
 * @property {Given[]} given
 * @property {Kept | null} linked what came with the link
 * @property {boolean} unread whether the link carries something of before the hand that cannot be read
 * @property {Batch | null} batch
 * @property {string} complaint what was wrong with the latest input
 * @property {{ at: number | null }} place where the film of the deal stands
 * @property {Set<string>} opened checks that stand open
 * @property {"truth" | "given"} side which of two deals is drawn
 * @property {string} engine which engines compute
 */

/** @type {State} */
export const state = {
  view: { kind: "start" }, given: [], linked: null, unread: false, batch: null, complaint: "", place: { at: null }, opened: new Set(),
  side: "truth", engine: "",
};

/** @type {(moved: boolean) => void} */
let changed = () => {};

/**
 * @param {(moved: boolean) => void} draw called after each change; `moved` when something else is shown
 */
export function onChange(draw) {
  changed = draw;
}

/** The visitor went back or forward, or followed a link within the page. */
export function moved() {
  if (movedAway()) void open();
}

/** Reads the page's address and shows what it names. */
export async function open() {
  arrived();
  state.engine = (await engine()).name;
  const fragment = new URLSearchParams(globalThis.location.hash.slice(1));
  ({ kept: state.linked, unread: state.unread } = await keptInLink(fragment, unpack));
  const hand = addressedHand();
  const packed = fragment.get("doc");
  if (hand !== null) return look(hand);
  if (addressedWrongly()) return show({ kind: "problem", key: "problem.no-number", values: {}, hand: null });
  if (packed === null) return show({ kind: "start" });
  const text = await unpack(packed);
  return text === null ? show({ kind: "problem", key: "problem.link", values: {}, hand: null }) : takeText(text, "");
}

/**
 * @param {View} view
 * @param {boolean} [moved]
 */
function show(view, moved = true) {
  state.view = view;
  changed(moved);
}

/**
 * Shows another thing: what was opened, chosen and handed over for the last hand is put away.
 * @param {View} view
 */
function fresh(view) {
  state.place = { at: null };
  state.side = "truth";
  state.opened = new Set();
  state.complaint = "";
  show(view);
}

/** What came with the link is about another hand now. */
function dropLink() {
  state.linked = null;
  state.unread = false;
}

/** Back to the first screen. */
export function start() {
  state.given = [];
  dropLink();
  go("/verify");
  fresh({ kind: "start" });
}

/**
 * Fetches a hand's receipt from the service that served this page; no other is ever asked.
 * @param {string} hand
 * @param {boolean} [again] whether the same hand is looked at again
 */
export async function look(hand, again = false) {
  if (addressedHand() !== hand) go(`/verify/${hand}`);
  if (!again) show({ kind: "loading", hand });
  /** @type {(key: Key, values?: Values) => void} */
  const problem = (key, values = {}) => show({ kind: "problem", key, values, hand });
  let text;
  try {
    const response = await fetch(`${basePath()}/v1/hands/${hand}/receipt`, { headers: { accept: "application/json" }, cache: "no-store" });
    if (response.status === 404) return problem("problem.unknown-hand");
    if (!response.ok) return problem("problem.status", { status: String(response.status) });
    text = await response.text();
  } catch {
    return problem("problem.network");
  }
  return check(text, hand, again);
}

/**
 * Takes a document that the visitor handed over, or a file of many.
 * @param {string} text
 * @param {string} name
 */
export function take(text, name) {
  dropLink();
  go("/verify");
  return takeText(text, name);
}

/**
 * @param {string} text
 * @param {string} name
 */
async function takeText(text, name) {
  const lines = splitLines(text);
  state.batch?.stop();
  if (lines.length > 1) {
    state.batch = startBatch(name, lines);
    return fresh({ kind: "many" });
  }
  state.batch = null;
  return check(text, null);
}

/**
 * Opens one hand of the file that is being checked.
 * @param {string} text
 */
export function openRow(text) {
  return check(text, null);
}

/** Back to the list of hands. */
export function backToMany() {
  state.given = [];
  fresh({ kind: "many" });
}

/** Whether a document belongs to this hand is decided by the hand in it. */
function handIn(/** @type {string} */ text) {
  try {
    const document = parseDocument(text);
    if (document.kind === "record") return document.hand;
    return document.entries.find(({ entry }) => entry?.type === "commit")?.entry?.hand ?? null;
  } catch {
    return null;
  }
}

/**
 * Verifies and shows.
 * @param {string} text
 * @param {string | null} fetched
 * @param {boolean} [again]
 */
async function check(text, fetched, again = false) {
  if (!again) state.given = [];
  const before = state.view.kind === "hand" ? state.view.keptNow : false;
  try {
    const { report, linkKept } = await judge(text);
    const hand = report.facts?.hand ?? null;
    // What the service answered must be about the hand that was asked for.
    if (fetched !== null && hand !== null && hand !== fetched) {
      return show({ kind: "problem", key: "problem.other-hand", values: {}, hand: fetched });
    }
    const keptNow = fetched !== null && keepReceipt(text, report);
    if (again) show({ kind: "hand", text, report, fetched, keptNow: before || keptNow, linkKept }, false);
    else fresh({ kind: "hand", text, report, fetched, keptNow, linkKept });
  } catch (error) {
    if (error instanceof MalformedError) fresh({ kind: "refused", error });
    else throw error;
  }
}

/**
 * @param {string} text
 * @returns {Promise<Pick<HandView, "report" | "linkKept">>}
 */
async function judge(text) {
  const hand = handIn(text);
  const kept = hand === null ? null : keptOf(hand);
  const own = [...(kept === null ? [] : seenOf(kept)), ...state.given.flatMap((one) => one.seen)];
  const seen = [...own, ...(state.linked === null ? [] : seenOf(state.linked))];
  const report = await verify(text, { keys: trustedKeys(), seen });
  // Anyone can write a link after the hand: alone, it shows nothing of before it.
  const counted = (report.facts?.seen ?? []).filter(({ keptCommitment }) => keptCommitment);
  return { report, linkKept: counted.length > 0 && counted.every(({ item }) => item >= own.length) };
}

/**
 * A receipt that was fetched before the reveal is the evidence that binds the dealer: it is kept (§10.6).
 * @param {string} text
 * @param {Report} report
 * @returns {boolean} whether it is kept now
 */
function keepReceipt(text, { facts, verdict, checks }) {
  if (facts?.kind !== "receipt" || facts.hand === null || facts.reveal !== null || verdict === "refuted") return false;
  if (checks[0]?.result !== "pass") return false;
  return keep(facts.hand, facts.lock === null ? { receipt: text } : { lock: text }, Date.now());
}

/** Verifies the hand on the page again, after evidence or keys have changed. */
export async function recheck() {
  const { view } = state;
  if (view.kind !== "hand") return;
  show({ ...view, ...await judge(view.text) }, false);
}

/** @param {Given} given */
export function addGiven(given) {
  state.given = [...state.given, given];
  return recheck();
}

/** @param {Given} given */
export function removeGiven(given) {
  state.given = state.given.filter((one) => one !== given);
  return recheck();
}

/** Forgets what this browser kept of the hand on the page. */
export function forgetKept() {
  if (state.view.kind === "hand" && state.view.report.facts?.hand != null) forget(state.view.report.facts.hand);
  return recheck();
}

/**
 * The visitor says that what came with the link is what they kept before the hand: from now on it is theirs.
 * @param {string} label
 */
export async function confirmLinked(label) {
  const { view, linked } = state;
  if (view.kind !== "hand" || linked === null) return;
  const hand = view.report.facts?.hand ?? null;
  const { receipt, lock, commitment, seat, seed } = linked;
  if (hand !== null) keep(hand, { receipt, lock, commitment, seat, seed, confirmed: true }, Date.now());
  state.linked = null;
  let judged = await judge(view.text);
  // Where the store is closed, or holds something else, it counts for this visit.
  if (judged.report.verdict !== view.report.verdict) {
    state.given = [...state.given, { label, seen: seenOf(linked) }];
    judged = await judge(view.text);
  }
  show({ ...view, ...judged });
}

/** Puts aside what came with the link. */
export function dropLinked() {
  state.linked = null;
  return recheck();
}

/**
 * @param {string} message what was wrong with an input
 */
export function complain(message) {
  state.complaint = message;
  changed(false);
}
