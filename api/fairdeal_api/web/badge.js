/**
 * `<fair-deal-badge hand="…" server="https://…" seat="2">`: a player's side of a hand inside a game client.
 *
 * It draws the player's client seed and seal, keeps both and the commitment, checks that the seal stands in the
 * commit and the seed in the lock, shows where the hand stands, verifies it in the visitor's own browser when it is
 * revealed, and opens the full page. docs/badge.md tells how to use it.
 *
 * Attributes: `server` (origin of the fairdeal service), `hand`, `seat`, `lang` (`en` or `tr`; else the document's),
 * `key` (the log's verifier key, from the game's own configuration), `poll` (seconds between looks; 0 for never).
 * Events: `fair-deal-state`, detail `{hand, state, report}`. Methods: `prepare`, `committed`, `open`, `refresh`.
 * @module
 */

import { engine, parseVerifier, verify } from "./protocol/index.js";
import { BADGE_EN, BADGE_TR } from "./badge-words.js";
import { keptOf, seenOf } from "./page/kept.js";
import { committed, open, prepare, SeatError } from "./page/seat-client.js";
import { pack } from "./page/share.js";
/** @import { BadgeKey } from "./badge-words.js" */
/** @import { Report } from "./protocol/verify.js" */

export { SeatError };

/** Seconds between two looks at a hand that is not over. */
const POLL = 15;

const SVG = "http://www.w3.org/2000/svg";
const PATHS = {
  check: "M4.5 12.5 9.5 17.5 19.5 6.5",
  cross: "M6 6 18 18 M18 6 6 18",
  approx: "M4.5 9.5c2.5-3 5-3 7.5 0s5 3 7.5 0 M4.5 15.5c2.5-3 5-3 7.5 0s5 3 7.5 0",
  clock: "M12 7v5.2l3.2 2 M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17Z",
};

/** @type {Readonly<Record<BadgeState, keyof typeof PATHS>>} */
const ICONS = {
  waiting: "clock", committed: "clock", locked: "clock", "locked-none": "clock", verified: "check", consistent: "approx",
  incomplete: "approx", refuted: "cross", undealt: "approx", unreachable: "approx", trouble: "cross",
};

/** @typedef {Exclude<BadgeKey, "open" | "title">} BadgeState */

const STYLES = `
:host { display: inline-block; font: 600 .9rem/1.3 system-ui, sans-serif; vertical-align: middle; }
:host([hidden]) { display: none; }
a {
  display: inline-flex; align-items: center; gap: .5em; padding: .45em .9em; min-height: 2.2em; border-radius: 999px; box-sizing: border-box;
  color: #33383a; background: #f3f1ea; border: 1px solid #8b8675; text-decoration: none;
}
a:hover[href] { text-decoration: underline; text-underline-offset: .2em; }
a:focus-visible { outline: 3px solid #0a58ca; outline-offset: 2px; }
svg { width: 1.2em; height: 1.2em; fill: none; stroke: currentColor; stroke-width: 2.4; stroke-linecap: round; stroke-linejoin: round; flex: none; }
.verified { color: #0b5a42; background: #e2f1e8; border-color: #0b6349; }
.consistent { color: #1d4d84; background: #e4edf7; border-color: #1d4d84; }
.incomplete, .unreachable { color: #6b4300; background: #faefd6; border-color: #744900; }
.refuted, .trouble { color: #8f170e; background: #fae5e1; border-color: #a01d13; }
.committed, .locked, .locked-none { color: #3f3a77; background: #ebe9f6; border-color: #4a4487; }
@media (forced-colors: active) { a { border: 2px solid CanvasText; } }
`;

/** The element. */
export class FairDealBadge extends HTMLElement {
  static observedAttributes = ["hand", "server", "seat", "lang", "key", "poll"];

  /** @type {BadgeState} */
  #state = "waiting";
  /** @type {Report | null} */
  #report = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** Counts looks, so that an answer that comes late cannot undo a newer one. */
  #look = 0;
  /** A link once there is a hand to open; before that it is plain words. */
  #badge = document.createElement("a");
  #path = document.createElementNS(SVG, "path");
  #words = document.createElement("span");

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    // A constructed sheet: a page's Content-Security-Policy need allow no inline style for it.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES);
    root.adoptedStyleSheets = [sheet];
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("aria-hidden", "true");
    svg.append(this.#path);
    this.#words.setAttribute("role", "status");
    this.#badge.append(svg, this.#words);
    root.append(this.#badge);
  }

  /** Where the hand stands: a state of badge-words.js. */
  get state() {
    return this.#state;
  }

  /** The latest report, or null. */
  get report() {
    return this.#report;
  }

  connectedCallback() {
    this.#draw();
    void this.refresh();
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
    this.#look++;
  }

  /**
   * @param {string} name
   * @param {string | null} before
   * @param {string | null} now
   */
  attributeChangedCallback(name, before, now) {
    if (before === now || !this.isConnected) return;
    if (name === "hand" || name === "server") {
      this.#report = null;
      this.#state = "waiting";
      void this.refresh();
    }
    this.#draw();
  }

  /**
   * Draws a client seed for this seat, keeps it, and answers the seal to send to the game server before the commit.
   * @param {{ words?: string }} [options] lucky words of the player
   * @returns {{ seat: number, seal: string }}
   */
  prepare({ words = "" } = {}) {
    return prepare(this.#seat(), words);
  }

  /**
   * Checks and keeps the commit receipt or lock receipt that the game server passed on.
   * @param {string | object} receipt
   * @returns {Promise<{ hand: string, seat: number | null }>}
   * @throws {SeatError}
   */
  async committed(receipt) {
    const text = typeof receipt === "string" ? receipt : JSON.stringify(receipt);
    try {
      const result = await committed(text, { ...this.#expected() });
      this.setAttribute("hand", result.hand);
      this.#show(result.report);
      return { hand: result.hand, seat: result.seat };
    } catch (error) {
      if (error instanceof SeatError) this.#become("trouble");
      throw error;
    }
  }

  /**
   * The client seed for the game server: only after {@link committed} checked the receipt that lists its seal.
   * @returns {{ seat: number, seed: string }}
   * @throws {SeatError}
   */
  open() {
    return open(this.getAttribute("hand") ?? "");
  }

  /**
   * Looks at the hand now.
   * @returns {Promise<BadgeState>}
   */
  async refresh() {
    clearTimeout(this.#timer);
    const hand = this.getAttribute("hand");
    if (hand === null || hand === "" || !this.hasAttribute("server") || !this.isConnected) return this.#state;
    const look = ++this.#look;
    const text = await this.#fetch(hand);
    if (look !== this.#look) return this.#state;
    // A hand whose receipt was checked already stays what it was; only its news cannot be had.
    if (text === null && this.#report === null) this.#become("unreachable");
    else if (text === null) this.#draw();
    else await this.#judge(text, hand);
    if (look !== this.#look) return this.#state;
    const poll = Number(this.getAttribute("poll") ?? POLL);
    const over = this.#report?.facts?.reveal != null;
    if (!over && poll > 0) this.#timer = setTimeout(() => void this.refresh(), poll * 1000);
    return this.#state;
  }

  /**
   * @param {string} text
   * @param {string} hand
   */
  async #judge(text, hand) {
    try {
      const kept = keptOf(hand);
      const key = this.#expected().key;
      const report = await verify(text, { keys: key === undefined ? [] : [key], seen: kept === null ? [] : seenOf(kept) });
      if (report.facts?.hand != null && report.facts.hand !== hand) throw new SeatError("other-hand", "the server answered with another hand");
      // Before the reveal the receipt is evidence to keep; the same call checks and keeps it.
      if (report.facts?.commit != null && report.facts.reveal === null && report.verdict !== "refuted") await committed(text, { ...this.#expected(), hand });
      this.#show(report);
    } catch {
      this.#become("trouble");
    }
  }

  /** @param {Report} report */
  #show(report) {
    this.#report = report;
    const { facts, verdict } = report;
    if (verdict === "refuted") this.#become("refuted");
    else if (facts?.kind !== "receipt" || facts.commit === null) this.#become("incomplete");
    else if (facts.reveal === null) this.#become(facts.lock === null ? "committed" : keptOf(facts.commit.hand)?.seed === undefined ? "locked-none" : "locked");
    else if (facts.lock === null) this.#become("undealt");
    else this.#become(verdict);
  }

  /** @param {BadgeState} state */
  #become(state) {
    this.#state = state;
    this.#draw();
    this.dispatchEvent(new CustomEvent("fair-deal-state", {
      bubbles: true, composed: true, detail: { hand: this.getAttribute("hand"), state, report: this.#report },
    }));
  }

  /**
   * @param {string} hand
   * @returns {Promise<string | null>} null where no receipt can be had
   */
  async #fetch(hand) {
    try {
      const response = await fetch(this.#address(`/v1/hands/${encodeURIComponent(hand)}/receipt`), { cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer" });
      return response.ok ? await response.text() : null;
    } catch {
      return null;
    }
  }

  /** @returns {{ key?: import("./protocol/note.js").Verifier }} */
  #expected() {
    const key = this.getAttribute("key");
    return key === null || key === "" ? {} : { key: parseVerifier(key) };
  }

  #seat() {
    const seat = Number(this.getAttribute("seat"));
    if (!this.hasAttribute("seat") || !Number.isInteger(seat) || seat < 0) throw new TypeError("the badge needs a seat to draw a seed for");
    return seat;
  }

  /** @param {BadgeKey} key */
  #word(key) {
    const tag = (this.closest("[lang]")?.getAttribute("lang") ?? globalThis.navigator.language).toLowerCase();
    return (tag.startsWith("tr") ? BADGE_TR : BADGE_EN)[key];
  }

  #draw() {
    const state = this.#state;
    const hand = this.getAttribute("hand") ?? "";
    this.#badge.className = state;
    this.#path.setAttribute("d", PATHS[ICONS[state]]);
    if (this.#words.textContent !== this.#word(state)) this.#words.textContent = this.#word(state);
    if (hand === "" || !this.hasAttribute("server")) {
      this.#badge.removeAttribute("href");
      return;
    }
    this.#badge.href = this.#address(`/verify/${encodeURIComponent(hand)}`);
    this.#badge.target = "_blank";
    this.#badge.rel = "noopener noreferrer";
    this.#badge.title = this.#word("open");
    void this.#handOver(hand);
  }

  /**
   * The page has a store of its own: what was kept here goes along in the link's fragment, which no server sees. A
   * seed that is not opened yet stays here.
   * @param {string} hand
   */
  async #handOver(hand) {
    const kept = keptOf(hand);
    if (kept === null) return;
    const { seat, seed, ...receipts } = kept;
    const opened = this.#report?.facts?.contributions?.some((one) => one.seat === seat && one.seed === seed) ?? false;
    const packed = await pack(JSON.stringify(opened ? kept : receipts));
    if (packed !== null && this.getAttribute("hand") === hand) this.#badge.hash = `kept=${packed}`;
  }

  /**
   * @param {string} path
   * @returns {string} an address of the service
   */
  #address(path) {
    return `${(this.getAttribute("server") ?? "").replace(/\/+$/, "")}${path}`;
  }
}

/** Known answers first: with an engine that errs there is no badge at all. */
void engine().then(() => {
  if (customElements.get("fair-deal-badge") === undefined) customElements.define("fair-deal-badge", FairDealBadge);
});
