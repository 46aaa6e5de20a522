/**
 * Checks many hands away from the page, so that it stays quick to the touch. page/pool.js shares a file among workers.
 *
 * In: a `Setting`, then `Task`s; out: an `Answer` for each (page/checker.js). Both engines give their known answers
 * first. After that the vendored one computes alone: asking `crypto.subtle` for thousands of hashes costs more than the
 * hashes. A hand that is opened from the list is computed by both again.
 * @module
 */

import { checker } from "./page/checker.js";
import { engine } from "./protocol/index.js";
/** @import { Answer, Row, Setting, Task } from "./page/checker.js" */

/** The offline file holds page and workers in one script: only a worker has no document. */
if (typeof document === "undefined") {
  const tell = (/** @type {Answer} */ answer) => globalThis.postMessage(answer);
  /** @type {Promise<(task: Task) => Row[]> | null} */
  let ready = null;
  globalThis.addEventListener("message", async (/** @type {MessageEvent<Setting | Task>} */ { data }) => {
    try {
      ready ??= engine().then(() => checker(/** @type {Setting} */ (data)));
      const check = await ready;
      if ("items" in data) tell({ rows: check(data), problem: null });
    } catch (error) {
      tell({ rows: [], problem: error instanceof Error ? error.message : String(error) });
    }
  });
}
