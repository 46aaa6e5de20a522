/**
 * Lets another language put the questions of answers.js to the page's protocol modules in Node: one JSON request a
 * line on stdin, one JSON answer a line on stdout, in the same order.
 */

import { webcrypto } from "node:crypto";
import { createInterface } from "node:readline";
import * as p from "../../../api/fairdeal_api/web/protocol/index.js";
import { answer } from "./answers.js";

// Node 18 keeps Web Crypto out of the globals; with it, every answer is computed by both engines.
globalThis.crypto ??= /** @type {any} */ (webcrypto);

for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() !== "") process.stdout.write(`${JSON.stringify(await answer(p, JSON.parse(line)))}\n`);
}
