/**
 * A file of many hands: progress, a tally, and a table that can be filtered.
 * @module
 */

import { fill, h, hidden, icon } from "./dom.js";
import { number, t, tr } from "./i18n.js";
import { startWorker } from "./environment.js";
import { keptHands, keptOf } from "./kept.js";
import { pinnedKeys } from "./keys.js";
/** @import { Key } from "./i18n.js" */
/** @import { ICONS } from "./dom.js" */
/** @import { Progress, Row } from "../worker.js" */

/**
 * @typedef {object} Batch
 * @property {string} name of the file
 * @property {string[]} texts
 * @property {Row[]} rows by place
 * @property {number} done
 * @property {boolean} finished
 * @property {string | null} problem
 * @property {string} verdict the filter; empty for all
 * @property {string} words the filter's text
 * @property {number} shown rows drawn at most
 * @property {(() => void) | null} changed called when results come in
 * @property {Worker | null} worker
 */

const VERDICTS = /** @type {const} */ (["verified", "consistent", "incomplete", "refuted", "refused"]);
/** @type {Readonly<Record<string, keyof typeof ICONS>>} */
const ICON = { verified: "check", consistent: "approx", incomplete: "question", refuted: "cross", refused: "stop" };
const PAGE = 500;
/** Milliseconds between two drawings while results come in. */
const REDRAW = 200;

/**
 * Starts checking.
 * @param {string} name
 * @param {string[]} texts
 * @returns {Batch}
 */
export function startBatch(name, texts) {
  /** @type {Batch} */
  const batch = { name, texts, rows: [], done: 0, finished: false, problem: null, verdict: "", words: "", shown: PAGE, changed: null, worker: null };
  const fail = (/** @type {string} */ problem) => {
    batch.problem = problem;
    batch.finished = true;
    batch.changed?.();
  };
  let drawn = 0;
  try {
    const worker = startWorker();
    batch.worker = worker;
    worker.addEventListener("message", (/** @type {MessageEvent<Progress>} */ { data }) => {
      for (const row of data.rows) batch.rows[row.at] = row;
      batch.done = Math.max(batch.done, data.done);
      batch.finished = data.finished;
      batch.problem = data.problem;
      if (data.finished) worker.terminate();
      else if (performance.now() - drawn < REDRAW) return;
      drawn = performance.now();
      batch.changed?.();
    });
    worker.addEventListener("error", (event) => fail(event.message || t("many.worker")));
    worker.postMessage({ texts, keys: pinnedKeys(), kept: Object.fromEntries(keptHands().map((hand) => [hand, keptOf(hand)])) });
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error));
  }
  return batch;
}

/**
 * @param {Batch} batch
 * @param {(text: string, at: number) => void} open
 * @returns {HTMLElement}
 */
export function manyElement(batch, open) {
  const status = h("p", { role: "status" });
  const progress = h("progress", { max: batch.texts.length, "aria-label": t("many.progress") });
  const problem = h("p", { class: "wrong", role: "alert" });
  const filters = h("div", { class: "chips", role: "group", "aria-label": t("many.filter") });
  const body = h("tbody");
  const more = h("button", { type: "button", class: "button", onclick: () => { batch.shown += PAGE; draw(); } }, t("many.more"));
  const count = h("p", { class: "hint" });
  const words = h("input", { type: "search", id: "many-words", value: batch.words, oninput: () => { batch.words = words.value; batch.shown = PAGE; draw(); } });

  function matching() {
    const wanted = batch.words.trim().toLowerCase();
    return batch.rows.filter((row) => (batch.verdict === "" || row.verdict === batch.verdict)
      && (wanted === "" || `${row.hand} ${row.table} ${row.number} ${row.cause === null ? "" : tr(`short.${row.cause}`)}`.toLowerCase().includes(wanted)));
  }

  function draw() {
    progress.value = batch.done;
    progress.hidden = batch.finished;
    status.textContent = batch.finished && batch.problem === null
      ? t("many.finished", { n: batch.texts.length }) : t("many.checking", { done: batch.done, of: batch.texts.length });
    problem.textContent = batch.problem === null ? "" : t("many.problem", { problem: batch.problem });
    fill(filters, chip("", batch.rows.length), VERDICTS.map((verdict) => chip(verdict, batch.rows.filter((row) => row.verdict === verdict).length)));
    const rows = matching();
    fill(body, rows.slice(0, batch.shown).map(rowElement));
    more.hidden = rows.length <= batch.shown;
    count.textContent = t("many.shown", { shown: Math.min(rows.length, batch.shown), of: rows.length });
  }

  /**
   * @param {string} verdict
   * @param {number} n
   */
  function chip(verdict, n) {
    if (verdict !== "" && n === 0) return null;
    const name = verdict === "" ? t("many.all") : t(/** @type {Key} */ (`word.${verdict}`));
    return h("button", {
      type: "button", class: "chip", "aria-pressed": String(batch.verdict === verdict),
      onclick: () => {
        batch.verdict = verdict;
        batch.shown = PAGE;
        draw();
        /** @type {HTMLElement | null} */ (filters.querySelector("[aria-pressed=true]"))?.focus();
      },
    }, ICON[verdict] === undefined ? null : icon(ICON[verdict]), `${name} (${number(n)})`);
  }

  /** @param {Row} row */
  function rowElement(row) {
    const verdict = t(/** @type {Key} */ (`word.${row.verdict}`));
    return h("tr", { class: `row-${row.verdict}` },
      h("td", { class: "num" }, number(row.at + 1)),
      h("th", { scope: "row" }, h("button", { type: "button", class: "link", onclick: () => open(batch.texts[row.at] ?? "", row.at) },
        h("code", null, row.hand === null ? t("many.unreadable") : row.hand.slice(0, 12)), hidden(t("many.open")))),
      h("td", null, row.table),
      h("td", { class: "num" }, row.number === null ? "" : number(row.number)),
      h("td", null, row.state === "" ? "" : tr(`outcome.${row.state}`)),
      h("td", { class: `result-${row.verdict}` }, icon(ICON[row.verdict] ?? "question"), verdict),
      h("td", null, row.cause === null ? "" : tr(`short.${row.cause}`)));
  }

  const heads = /** @type {const} */ (["many.line", "hand.id", "hand.table", "hand.number", "many.state", "many.verdict", "many.cause"]);
  batch.changed = draw;
  draw();
  return h("section", { class: "many", "aria-labelledby": "many-title" },
    h("h1", { id: "many-title", tabindex: "-1" }, t("many.title")),
    h("p", { class: "hint" }, batch.name), status, progress, problem, filters,
    h("div", { class: "field" }, h("label", { for: "many-words" }, t("many.search")), words),
    count,
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("many.table") },
      h("table", { class: "results" }, h("caption", { class: "sr" }, t("many.table")),
        h("thead", null, h("tr", null, heads.map((key) => h("th", { scope: "col" }, t(key))))), body)),
    more);
}
