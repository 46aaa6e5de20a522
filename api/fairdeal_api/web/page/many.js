/**
 * A file of many hands: progress, a tally, and a table that can be filtered.
 * @module
 */

import { fill, h, hidden, icon } from "./dom.js";
import { list, number, t, tr } from "./i18n.js";
import { startWorker } from "./environment.js";
import { keptHands, keptOf } from "./kept.js";
import { pinnedKeys } from "./keys.js";
import { checkAll, workersFor } from "./pool.js";
import { repeatsOf, tallyOf } from "./repeats.js";
/** @import { Key } from "./i18n.js" */
/** @import { ICONS } from "./dom.js" */
/** @import { Repeat } from "./repeats.js" */
/** @import { Row } from "./checker.js" */
/** @import { Line } from "../protocol/receipt.js" */

/**
 * @typedef {object} Batch
 * @property {string} name of the file
 * @property {readonly Line[]} lines
 * @property {Row[]} rows by place; with holes while workers still check
 * @property {Map<number, Repeat>} repeats by place
 * @property {number} done
 * @property {boolean} finished
 * @property {string | null} problem
 * @property {string} verdict the filter: a verdict, `again`, or empty for all
 * @property {string} words the filter's text
 * @property {number} shown rows drawn at most
 * @property {number | null} opened place of the row that was opened last: whoever comes back is led there
 * @property {(() => void) | null} changed called when results come in
 * @property {() => void} stop
 */

const VERDICTS = /** @type {const} */ (["verified", "consistent", "incomplete", "refuted", "refused"]);
/** @type {Readonly<Record<string, keyof typeof ICONS>>} */
const ICON = { verified: "check", consistent: "approx", incomplete: "question", refuted: "cross", refused: "stop", again: "warning" };
/** Rows drawn at first, and how many more at each press. */
const PAGE = 200;
const MORE = 500;
/** While results come in a screenful is enough, drawn this many milliseconds apart: the workers need the processors. */
const SCREENFUL = 40;
const REDRAW = 250;

/**
 * Starts checking.
 * @param {string} name
 * @param {readonly Line[]} lines
 * @returns {Batch}
 */
export function startBatch(name, lines) {
  /** @type {Batch} */
  const batch = {
    name, lines, rows: [], repeats: new Map(), done: 0, finished: false, problem: null, verdict: "", words: "", shown: PAGE,
    opened: null, changed: null, stop: () => {},
  };
  const kept = Object.fromEntries(keptHands().flatMap((hand) => {
    const mine = keptOf(hand);
    return mine === null ? [] : [[hand, mine]];
  }));
  let drawn = 0;
  try {
    const count = workersFor(lines.length, globalThis.navigator.hardwareConcurrency ?? 1);
    batch.stop = checkAll(lines.map(({ text }) => text), { keys: pinnedKeys(), kept }, startWorker, count, ({ rows, done, finished, problem }) => {
      for (const row of rows) batch.rows[row.at] = row;
      batch.done = done;
      batch.finished = finished;
      batch.problem = problem === "" ? t("many.worker") : problem;
      if (!finished && performance.now() - drawn < REDRAW) return;
      batch.repeats = repeatsOf(batch.rows, lines);
      batch.changed?.();
      drawn = performance.now();
    });
  } catch (error) {
    batch.problem = error instanceof Error ? error.message : String(error);
    batch.finished = true;
  }
  return batch;
}

/**
 * What a finished file holds, in one sentence whose numbers add up to its lines.
 * @param {Batch} batch
 */
function tallyWords({ rows, repeats, lines }) {
  const { hands, again, nameless } = tallyOf(rows, repeats);
  const parts = [
    t("many.hands", { n: hands }),
    ...(again > 0 ? [t("many.again", { n: again })] : []),
    ...(nameless > 0 ? [t("many.nameless", { n: nameless })] : []),
  ];
  return t("many.finished", { n: lines.length, parts: list(parts) });
}

/**
 * @param {Batch} batch
 * @param {(text: string) => void} open
 * @returns {HTMLElement}
 */
export function manyElement(batch, open) {
  const status = h("p", { role: "status" });
  const progress = h("progress", { max: batch.lines.length, "aria-label": t("many.progress") });
  const problem = h("p", { class: "wrong", role: "alert" });
  const filters = h("div", { class: "chips", role: "group", "aria-label": t("many.filter") });
  const body = h("tbody");
  const more = h("button", { type: "button", class: "button", onclick: () => { batch.shown += MORE; draw(); } }, t("many.more"));
  const count = h("p", { class: "hint" });
  /** @type {WeakMap<Row, { element: HTMLElement, repeat: Repeat | undefined }>} */
  const elements = new WeakMap();
  const words = h("input", { type: "search", id: "many-words", value: batch.words, oninput: () => { batch.words = words.value; batch.shown = PAGE; draw(); } });

  function matching() {
    const wanted = batch.words.trim().toLowerCase();
    return batch.rows.filter((row) => chosen(batch.verdict, row)
      && (wanted === "" || `${row.hand?.hand ?? ""} ${row.table} ${row.number ?? ""} ${reasonOf(row)}`.toLowerCase().includes(wanted)));
  }

  /**
   * @param {string} filter
   * @param {Row} row
   */
  function chosen(filter, row) {
    return filter === "" || (filter === "again" ? batch.repeats.has(row.at) : row.verdict === filter);
  }

  function draw() {
    progress.value = batch.done;
    progress.hidden = batch.finished;
    status.textContent = batch.finished && batch.problem === null
      ? tallyWords(batch) : t("many.checking", { done: batch.done, of: batch.lines.length });
    problem.textContent = batch.problem === null ? "" : t("many.problem", { problem: batch.problem });
    fill(filters, ["", ...VERDICTS, "again"].map((filter) => chip(filter, batch.rows.filter((row) => chosen(filter, row)).length)));
    const rows = matching();
    const shown = batch.finished ? batch.shown : SCREENFUL;
    drawRows(rows.slice(0, shown));
    more.hidden = !batch.finished || rows.length <= shown;
    count.textContent = t("many.shown", { shown: Math.min(rows.length, shown), of: rows.length });
  }

  /**
   * Rows that stay as they are keep their elements: a table of hundreds takes long to make anew.
   * @param {Row[]} rows
   */
  function drawRows(rows) {
    body.replaceChildren(...rows.map((row) => {
      const repeat = batch.repeats.get(row.at);
      const made = elements.get(row);
      if (made !== undefined && made.repeat?.line === repeat?.line && made.repeat?.kind === repeat?.kind) return made.element;
      const element = rowElement(row, repeat);
      elements.set(row, { element, repeat });
      return element;
    }));
  }

  /**
   * @param {string} verdict
   * @param {number} n
   */
  function chip(verdict, n) {
    if (verdict !== "" && n === 0) return null;
    const name = verdict === "" ? t("many.all") : verdict === "again" ? t("many.repeated") : t(/** @type {Key} */ (`word.${verdict}`));
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

  /**
   * @param {Row} row
   * @param {Repeat | undefined} repeat
   */
  function rowElement(row, repeat) {
    const verdict = t(/** @type {Key} */ (`word.${row.verdict}`));
    const { text = "", line = 0 } = batch.lines[row.at] ?? {};
    return h("tr", { class: `row-${row.verdict}` },
      h("td", { class: "num" }, number(line)),
      h("th", { scope: "row" }, h("button", { type: "button", class: "link", "data-at": row.at, onclick: () => { batch.opened = row.at; open(text); } },
        h("code", null, row.hand === null ? t("many.unreadable") : row.hand.hand.slice(0, 12)), hidden(t("many.open"))),
      repeat === undefined ? null
        : h("p", { class: `again again-${repeat.kind}` }, repeat.kind === "same" ? null : icon("warning"), t(`many.again.${repeat.kind}`, { line: repeat.line }))),
      h("td", { class: `result-${row.verdict}` }, icon(ICON[row.verdict] ?? "question"), verdict),
      h("td", null, reasonOf(row)),
      h("td", null, row.table),
      h("td", { class: "num" }, row.number === null ? "" : number(row.number)),
      h("td", null, row.state === "" ? "" : tr(`outcome.${row.state}`)));
  }

  // The verdict stands where a narrow screen shows it without scrolling.
  const heads = /** @type {const} */ (["many.line", "hand.id", "many.verdict", "many.cause", "hand.table", "hand.number", "many.state"]);
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

/**
 * Why a row is refuted or cannot be read, in a few words.
 * @param {Row} row
 */
function reasonOf({ cause, rule }) {
  return rule !== null ? tr(`rule.${rule}`) : cause === null ? "" : tr(`short.${cause}`);
}
