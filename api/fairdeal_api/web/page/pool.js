/**
 * Shares a file of hands among workers (../worker.js), and puts their answers together.
 *
 * A refuted hand is looked at again beside its neighbours in the file, for a seed that belongs to another hand shows only
 * there (§10.4). Its row then comes a second time and replaces the first.
 * @module
 */

/** @import { Answer, Item, Row, Setting } from "./checker.js" */

/** @typedef {Pick<Worker, "postMessage" | "terminate" | "addEventListener">} Thread */
/** @typedef {{ rows: Row[], done: number, finished: boolean, problem: string | null }} Progress rows are new ones; done counts texts */

/** Documents a task: few enough that no worker is left with a long rest while the other waits. */
const BATCH = 25;
/** Tasks that each worker is given ahead, so that it never waits for the page. */
const AHEAD = 2;
/** Workers at most: a page must not take a whole machine. */
const MOST = 4;
/** How far to look for the hand that a seed belongs to. */
const NEIGHBOURS = 12;

/**
 * How many workers a file gets.
 * @param {number} documents
 * @param {number} processors
 */
export function workersFor(documents, processors) {
  return Math.max(1, Math.min(MOST, processors, Math.ceil(documents / BATCH)));
}

/**
 * Checks documents in workers.
 * @param {readonly string[]} texts
 * @param {Setting} setting
 * @param {() => Thread} start makes a worker
 * @param {number} count of workers
 * @param {(progress: Progress) => void} tell
 * @returns {() => void} stops it
 */
export function checkAll(texts, setting, start, count, tell) {
  /** @type {Thread[]} */
  const threads = [];
  /** @type {Row[]} */
  const rows = [];
  /** @type {Item[][]} */
  let tasks = batches(texts.map((text, at) => ({ at, text, others: [] })));
  let again = false;
  let done = 0;
  let waiting = 0;
  let over = false;

  function stop() {
    over = true;
    for (const thread of threads) thread.terminate();
  }

  /** @param {string} problem */
  function fail(problem) {
    if (over) return;
    stop();
    tell({ rows: [], done, finished: true, problem });
  }

  /** @param {Thread} thread */
  function next(thread) {
    const items = tasks.shift();
    if (items === undefined) return;
    waiting++;
    thread.postMessage({ items });
  }

  /**
   * @param {Thread} thread
   * @param {Answer} answer
   */
  function take(thread, answer) {
    if (over) return;
    if (answer.problem !== null) return fail(answer.problem);
    waiting--;
    for (const row of answer.rows) rows[row.at] = row;
    if (!again) done += answer.rows.length;
    if (waiting === 0 && tasks.length === 0 && !again) {
      again = true;
      tasks = batches(secondLook(texts, rows));
      for (let k = 0; k < AHEAD; k++) threads.forEach(next);
    } else {
      next(thread);
    }
    const finished = waiting === 0 && tasks.length === 0;
    if (finished) stop();
    tell({ rows: answer.rows, done, finished, problem: null });
  }

  for (let k = 0; k < count; k++) {
    const thread = start();
    threads.push(thread);
    thread.addEventListener("message", (event) => take(thread, /** @type {MessageEvent<Answer>} */ (event).data));
    thread.addEventListener("error", (event) => fail(/** @type {ErrorEvent} */ (event).message ?? ""));
    thread.postMessage(setting);
  }
  for (let k = 0; k < AHEAD; k++) threads.forEach(next);
  return stop;
}

/**
 * @template T
 * @param {T[]} all
 * @returns {T[][]}
 */
function batches(all) {
  return Array.from({ length: Math.ceil(all.length / BATCH) }, (_, k) => all.slice(k * BATCH, (k + 1) * BATCH));
}

/**
 * The refuted hands, each with the other hands near it.
 * @param {readonly string[]} texts
 * @param {readonly Row[]} rows
 * @returns {Item[]}
 */
function secondLook(texts, rows) {
  return rows.filter(({ verdict, hand }) => verdict === "refuted" && hand !== null).map(({ at, hand }) => ({
    at,
    text: texts[at] ?? "",
    others: rows.slice(Math.max(0, at - NEIGHBOURS), at + NEIGHBOURS + 1)
      .flatMap((near) => (near.hand === null || near.hand.hand === hand?.hand ? [] : [near.hand])),
  }));
}
