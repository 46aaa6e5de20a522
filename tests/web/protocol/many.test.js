// A file of many hands: its lines, their rows, how workers share them, and what stands twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { checker } from "../../../api/fairdeal_api/web/page/checker.js";
import { checkAll, workersFor } from "../../../api/fairdeal_api/web/page/pool.js";
import { repeatsOf, tallyOf } from "../../../api/fairdeal_api/web/page/repeats.js";
import { finished, hex, makeHand, makeReceipt, p, recordOf } from "./build.js";

/** @import { Answer, Row, Setting, Task } from "../../../api/fairdeal_api/web/page/checker.js" */
/** @import { Progress } from "../../../api/fairdeal_api/web/page/pool.js" */

const NOTHING = { keys: [], kept: {} };

/**
 * A worker without a thread. What it is given lies in `waiting` until `work` is called.
 */
class Thread {
  /** @type {((event: any) => void)[]} */
  listeners = [];
  /** @type {Task[]} */
  waiting = [];
  /** @type {((task: Task) => Row[]) | null} */
  check = null;
  ended = false;

  /** @param {string} type @param {any} listener */
  addEventListener(type, listener) {
    if (type === "message") this.listeners.push(listener);
    else this.break = listener;
  }

  /** @param {Setting | Task} data */
  postMessage(data) {
    if ("items" in data) this.waiting.push(data);
    else this.check = checker(data);
  }

  terminate() {
    this.ended = true;
  }

  /** @param {Partial<Answer>} [instead] */
  work(instead) {
    const task = this.waiting.shift();
    if (task === undefined || this.check === null) return false;
    const data = { rows: this.check(task), problem: null, ...instead };
    for (const listener of this.listeners) listener({ data });
    return true;
  }
}

/**
 * Runs a file through workers, of which the last is always the quicker one.
 * @param {string[]} texts
 * @param {number} count
 */
function run(texts, count) {
  /** @type {Thread[]} */
  const threads = [];
  /** @type {Row[]} */
  const rows = [];
  /** @type {Progress[]} */
  const told = [];
  const start = () => {
    const thread = new Thread();
    threads.push(thread);
    return /** @type {any} */ (thread);
  };
  checkAll(texts, NOTHING, start, count, (progress) => {
    told.push(progress);
    for (const row of progress.rows) rows[row.at] = row;
  });
  while (threads.some((thread, k) => (k === count - 1 ? [thread.work(), thread.work()].includes(true) : thread.work())));
  return { rows, told, threads };
}

const GOOD = finished();
/** @param {any} hand */
const receiptOf = (hand) => JSON.stringify(makeReceipt(hand.texts, { deal: hand.deal }));
/** A hundred hands, each of its own. */
const HANDS = Array.from({ length: 100 }, (_, k) => makeHand({ label: `hand ${k}` }));
const LINES = HANDS.map(receiptOf);
/** The file with one line changed. @param {Record<number, string>} changes */
const changed = (changes) => LINES.map((line, k) => changes[k] ?? line);

test("any number of workers gives the same rows, in the file's order", () => {
  const texts = changed({ 17: "no JSON", 40: LINES[39] ?? "" });
  const alone = run(texts, 1);
  const shared = run(texts, 3);
  assert.deepEqual(shared.rows, alone.rows);
  assert.deepEqual(shared.rows.map(({ at }) => at), texts.map((_, at) => at));
  assert.deepEqual([shared.rows[17]?.verdict, shared.rows[17]?.rule, shared.rows[17]?.hand], ["refused", "json", null]);
  assert.deepEqual(shared.rows[5], {
    at: 5, verdict: "consistent", cause: null, rule: null, table: "kahve / masa-1", number: 1, state: "played",
    hand: { hand: HANDS[5]?.hand, commitment: HANDS[5]?.commitment, server_seed: p.toHex(/** @type {any} */ (HANDS[5]).serverSeed) },
  });
  for (const { told, threads } of [alone, shared]) {
    assert.deepEqual(told.map(({ finished: last }) => last), told.map((_, k) => k === told.length - 1));
    assert.deepEqual(told.at(-1)?.done, texts.length);
    assert.ok(told.every(({ done }, k) => k === 0 || done >= (told[k - 1]?.done ?? 0)));
    assert.ok(threads.every(({ ended }) => ended));
  }
  assert.ok(shared.threads.every(({ waiting }) => waiting.length === 0));
});

test("a refuted hand is looked at again beside its neighbours, wherever the batches part", () => {
  for (const at of [24, 25, 60]) {
    // The seed of the hand twelve lines on.
    const other = /** @type {any} */ (HANDS[at + 12]);
    const swapped = makeHand({ label: `hand ${at}`, serverSeed: other.serverSeed, commitment: HANDS[at]?.commitment });
    const { rows } = run(changed({ [at]: receiptOf(swapped) }), 2);
    assert.deepEqual([rows[at]?.verdict, rows[at]?.cause], ["refuted", "other-hands-seed"]);
    assert.equal(rows.filter(({ verdict }) => verdict === "refuted").length, 1);
  }
});

test("a worker that breaks stops everything, and says why once", () => {
  for (const [act, problem] of /** @type {[(thread: any) => void, string][]} */ ([
    [(thread) => thread.work({ rows: [], problem: "engines disagree" }), "engines disagree"],
    [(thread) => thread.break({ message: "out of memory" }), "out of memory"],
    [(thread) => thread.break({}), ""],
  ])) {
    /** @type {any[]} */
    const threads = [];
    /** @type {Progress[]} */
    const told = [];
    checkAll(LINES, NOTHING, () => threads[threads.push(new Thread()) - 1], 2, (progress) => told.push(progress));
    threads[0].work();
    act(threads[1]);
    act(threads[0]);
    assert.deepEqual(told.map((one) => [one.done, one.finished, one.problem]), [[25, false, null], [25, true, problem]]);
    assert.ok(threads.every(({ ended }) => ended));
  }
});

test("a stopped file tells nothing more", () => {
  /** @type {any[]} */
  const threads = [];
  const stop = checkAll(LINES, NOTHING, () => threads[threads.push(new Thread()) - 1], 1, () => assert.fail("told"));
  stop();
  threads[0].work();
  assert.ok(threads[0].ended);
});

test("workers: one where the file is small, never more than four or than there are processors", () => {
  assert.deepEqual([workersFor(2, 8), workersFor(26, 8), workersFor(1000, 2), workersFor(1000, 64), workersFor(1000, 1)], [1, 2, 2, 4, 1]);
});

test("what was kept of a hand counts for that hand alone", () => {
  const kept = { [GOOD.hand]: { v: /** @type {const} */ (1), at: 1, commitment: GOOD.commitment } };
  const items = [GOOD.text, LINES[0] ?? ""].map((text, at) => ({ at, text, others: [] }));
  assert.deepEqual(checker({ keys: [], kept })({ items }).map(({ verdict }) => verdict), ["verified", "consistent"]);
  const wrong = { [GOOD.hand]: { v: /** @type {const} */ (1), at: 1, commitment: hex("another") } };
  assert.deepEqual(checker({ keys: [], kept: wrong })({ items }).map(({ verdict }) => verdict), ["refuted", "consistent"]);
});

test("a malformed document is refuted, names its rule, and no hand", () => {
  const [row] = checker(NOTHING)({ items: [{ at: 0, text: JSON.stringify({ ...GOOD.receipt, vkey: "x" }), others: [] }] });
  assert.deepEqual([row?.verdict, row?.cause, row?.rule, row?.hand], ["refuted", "unknown", "key", null]);
});

test("lines keep their numbers; what is one document stays one", () => {
  const [a = "", b = ""] = LINES;
  assert.deepEqual(p.splitLines(`\n${a}\r\n\n \t\n${b}\nno JSON\n`).map(({ line }) => line), [2, 5, 6]);
  assert.deepEqual(p.splitLines(`no JSON\n${a}`).map(({ text }) => text), ["no JSON", a]);
  const pretty = JSON.stringify(GOOD.receipt, null, 2);
  for (const text of [pretty, pretty.slice(0, -1), pretty.replace('"vkey"', '"format"'), "not\nJSON\n12"]) {
    assert.deepEqual(p.splitLines(text), [{ text, line: 1 }]);
  }
  // Only JSON's own spaces make a line empty.
  assert.deepEqual(p.splitLines(`\ufeff\n${a}\n\u00a0\n`).map(({ line }) => line), [1, 2, 3]);
});

test("a byte order mark before the first line is told by its name, and the other lines are checked", () => {
  const lines = p.splitLines(`\ufeff${LINES[0]}\n${LINES[1]}\n`);
  const { rows } = run(lines.map(({ text }) => text), 1);
  assert.deepEqual(rows.map(({ verdict, rule }) => [verdict, rule]), [["refused", "json-mark"], ["consistent", null]]);
});

test("a hand that stands twice is told with the line it stood on before, and the numbers add up", () => {
  const record = recordOf(GOOD);
  const liar = receiptOf(makeHand({ label: "liar", hand: GOOD.hand }));
  const file = ["", GOOD.text, LINES[0], "no JSON", record, GOOD.text, liar, JSON.stringify({ ...GOOD.receipt, vkey: "x" }), record].join("\n");
  const lines = p.splitLines(file);
  const { rows } = run(lines.map(({ text }) => text), 2);
  const repeats = repeatsOf(rows, lines);
  assert.deepEqual([...repeats].sort(([x], [y]) => x - y), [
    [3, { kind: "other", line: 2 }],
    [4, { kind: "same", line: 2 }],
    [5, { kind: "commitment", line: 2 }],
    [7, { kind: "commitment", line: 7 }],
  ]);
  assert.deepEqual(tallyOf(rows, repeats), { hands: 2, again: 4, nameless: 2 });
  // While a part is still being checked there are holes.
  const holed = [...rows];
  delete holed[0];
  assert.equal(repeatsOf(holed, lines).get(4)?.line, 5);
});
