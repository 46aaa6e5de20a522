/**
 * Lets another language put questions to the page's protocol modules: one JSON request a line on stdin, one JSON
 * answer a line on stdout, in the same order.
 *
 *   {"op": "deal", "terms", "server_seed", "hand", "contributions"}
 *     → {"commitment", "key", "deal", "deal_root"}
 *   {"op": "verify", "text", "keys"?: [vkey], "seen"?: [item], "others"?: [{"hand", "commitment", "server_seed"}]}
 *     → {"verdict", "checks": [{"name", "result"}], "grinding", "log_evidence", "cause"}
 *
 * A seen item is {"commitment"}, {"receipt": text}, {"seat", "seed"}, {"seat", "tiles": [face]} or {"opening"}.
 * Input that the modules refuse is answered {"refused": field}.
 */

import { webcrypto } from "node:crypto";
import { createInterface } from "node:readline";
import * as p from "../../../api/fairdeal_api/web/protocol/index.js";
import { parseContributions } from "../../../api/fairdeal_api/web/protocol/seeds.js";

// Node 18 keeps Web Crypto out of the globals; with it, every answer is computed by both engines.
globalThis.crypto ??= /** @type {any} */ (webcrypto);

/** @param {any} item */
function seen(item) {
  if ("commitment" in item) return p.seenCommitment(item.commitment);
  if ("receipt" in item) return p.seenReceipt(p.parseJson(item.receipt, "seen.receipt"));
  if ("opening" in item) return p.seenOpening(item.opening);
  return "seed" in item ? p.seenSeed(item.seat, item.seed) : p.seenTiles(item.seat, item.tiles);
}

/** @param {any} request */
function deal({ terms, server_seed, hand, contributions }) {
  const parsed = p.parseTerms(terms);
  const seed = p.parseHex(server_seed, "server_seed", 32);
  const key = p.dealKey(seed, hand, parsed, parseContributions(contributions, "contributions"));
  const draws = new p.Draws(key);
  const made = p.makeDeal(draws, parsed);
  const root = parsed.openings ? p.toHex(p.dealRoot(draws, parsed, made)) : null;
  return { commitment: p.toHex(p.commitmentOf(seed)), key: p.toHex(key), deal: made, deal_root: root };
}

/** @param {any} request */
async function verify({ text, keys = [], seen: kept = [], others = [] }) {
  const options = { keys: keys.map((/** @type {unknown} */ key) => p.parseVerifier(key)), seen: kept.map(seen), others };
  const { verdict, checks, grinding, log_evidence, cause } = await p.verify(text, options);
  return { verdict, checks: checks.map(({ name, result }) => ({ name, result })), grinding, log_evidence, cause };
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === "") continue;
  const request = JSON.parse(line);
  let answer;
  try {
    answer = request.op === "deal" ? deal(request) : await verify(request);
  } catch (error) {
    if (!(error instanceof p.MalformedError)) throw error;
    answer = { refused: error.field };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
