/**
 * Questions that another language puts to the protocol modules, in Node and in a browser alike.
 *
 *   {"op": "deal", "terms", "server_seed", "hand", "contributions"}
 *     → {"commitment", "key", "deal", "deal_root"}
 *   {"op": "verify", "text", "keys"?: [vkey], "seen"?: [item], "others"?: [{"hand", "commitment", "server_seed"}]}
 *     → {"verdict", "checks": [{"name", "result"}], "grinding", "log_evidence", "cause"}
 *
 * A seen item is {"commitment"}, {"receipt": text}, {"seat", "seed"}, {"seat", "tiles": [face]} or {"opening"}.
 * Input that the modules refuse is answered {"refused": field}. A verdict is computed by both engines.
 */

/** @typedef {typeof import("../../../api/fairdeal_api/web/protocol/index.js")} Protocol */

/**
 * @param {Protocol} p
 * @param {any} item
 */
function seen(p, item) {
  if ("commitment" in item) return p.seenCommitment(item.commitment);
  if ("receipt" in item) return p.seenReceipt(p.parseJson(item.receipt, "seen.receipt"));
  if ("opening" in item) return p.seenOpening(item.opening);
  return "seed" in item ? p.seenSeed(item.seat, item.seed) : p.seenTiles(item.seat, item.tiles);
}

/**
 * @param {Protocol} p
 * @param {any} request
 */
function deal(p, { terms, server_seed, hand, contributions }) {
  const parsed = p.parseTerms(terms);
  const seed = p.parseHex(server_seed, "server_seed", 32);
  const key = p.dealKey(seed, hand, parsed, contributions);
  const draws = new p.Draws(key);
  const made = p.makeDeal(draws, parsed);
  const root = parsed.openings ? p.toHex(p.dealRoot(draws, parsed, made)) : null;
  return { commitment: p.toHex(p.commitmentOf(seed)), key: p.toHex(key), deal: made, deal_root: root };
}

/**
 * @param {Protocol} p
 * @param {any} request
 */
async function verify(p, { text, keys = [], seen: kept = [], others = [] }) {
  const options = { keys: keys.map((/** @type {unknown} */ key) => p.parseVerifier(key)), seen: kept.map((/** @type {any} */ item) => seen(p, item)), others };
  const { verdict, checks, grinding, log_evidence, cause, engine } = await p.verify(text, options);
  if (engine !== "subtle+noble") throw new Error("one engine computed alone");
  return { verdict, checks: checks.map(({ name, result }) => ({ name, result })), grinding, log_evidence, cause };
}

/**
 * @param {Protocol} p the modules' index
 * @param {any} request
 * @returns {Promise<any>}
 */
export async function answer(p, request) {
  try {
    return request.op === "deal" ? deal(p, request) : await verify(p, request);
  } catch (error) {
    if (!(error instanceof p.MalformedError)) throw error;
    return { refused: error.field };
  }
}
