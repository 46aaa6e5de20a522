/**
 * The checks of one hand from `commitment` to `openings`: everything recomputed from the seeds (§10.1).
 * @module
 */

import { equalBytes } from "./hash.js";
import { parseHex, toHex } from "./encoding.js";
import { kindFor, kindOf } from "./deal.js";
import { sameJson } from "./json.js";
import { dealRoot } from "./openings.js";
import { sealOf, SEED_SIZE } from "./seeds.js";
/** @import { PlainDeal, WallDeal } from "./deal.js" */
/** @import { CheckName, Result } from "./details.js" */
/** @import { Evidence, Fixed } from "./evidence.js" */
/** @import { Check } from "./verify.js" */

const NAMES = /** @type {const} */ (["commitment", "seals", "key", "shuffle", "table", "hands", "openings"]);
const TABLE = /** @type {const} */ (["dealer", "dealer_throws", "starter", "indicator", "okey"]);
const WALL = /** @type {const} */ (["wall", "spare", "throws", "selected", "level"]);

/** @typedef {[result: Result, code: string, values?: Record<string, unknown>]} Outcome */

/**
 * @param {Evidence} evidence
 * @returns {Check[]} seven, in order
 */
export function handChecks(evidence) {
  const { fixed } = evidence;
  if (fixed === null) return NAMES.map((name) => ({ name, result: "absent", detail: { code: "no-commit" } }));
  const known = { ...evidence, fixed };
  const commitment = commitmentCheck(known);
  const seals = sealsCheck(known);
  return [
    named("commitment", commitment),
    named("seals", seals),
    named("key", keyCheck(known, commitment[0], seals[0])),
    named("shuffle", shuffleCheck(known)),
    named("table", tableCheck(known)),
    named("hands", handsCheck(known)),
    named("openings", openingsCheck(known)),
  ];
}

/**
 * @param {CheckName} name
 * @param {Outcome} outcome
 * @returns {Check}
 */
function named(name, [result, code, values]) {
  return { name, result, detail: { code: `${name}.${code}`, ...values } };
}

/** @typedef {Evidence & { fixed: Fixed }} Known */

/**
 * @param {Known} evidence
 * @returns {Outcome}
 */
function commitmentCheck({ document, fixed, reveal, opened }) {
  if (opened === null || fixed.commitment === null) {
    if (document.kind === "record") return ["absent", "not-given"];
    return ["absent", reveal === null ? "unrevealed" : "lost"];
  }
  const given = fixed.commitment;
  const expected = toHex(opened);
  return given === expected ? ["pass", "pass", { given, expected }] : ["fail", "fail", { given, expected }];
}

/**
 * Every seal opened by one contribution, and no contribution without a seal (§2.1).
 * @param {Known} evidence
 * @returns {Outcome}
 */
function sealsCheck({ fixed, locked, ended }) {
  if (ended) return ["none", "ended"];
  if (locked === null) return ["absent", "unlocked"];
  const unopened = [];
  const wrong = [];
  for (const { seat, seal } of fixed.seals) {
    const seed = locked.contributions.find((one) => one.seat === seat)?.seed;
    if (seed === undefined) unopened.push(seat);
    else if (!equalBytes(sealOf(parseHex(seed, "seed", SEED_SIZE)), parseHex(seal, "seal", SEED_SIZE))) wrong.push(seat);
  }
  const sealed = new Set(fixed.seals.map(({ seat }) => seat));
  const unsealed = locked.contributions.map(({ seat }) => seat).filter((seat) => !sealed.has(seat));
  if (unopened.length + wrong.length + unsealed.length > 0) return ["fail", "fail", { unopened, wrong, unsealed }];
  return ["pass", sealed.size === 0 ? "empty" : "pass", { seats: [...sealed] }];
}

/**
 * @param {Known} evidence
 * @param {Result} commitment
 * @param {Result} seals
 * @returns {Outcome}
 */
function keyCheck({ fixed, locked, ended, truth }, commitment, seals) {
  if (ended) return ["none", "ended"];
  if (locked === null) return ["absent", "unlocked"];
  if (truth === null) return ["absent", "no-seed"];
  if (fixed.commitment === null) return ["absent", "no-commitment"];
  if (commitment === "fail") return ["fail", "commitment"];
  if (seals === "fail") return ["fail", "seals"];
  return ["pass", "pass", { key: toHex(truth.key) }];
}

/**
 * @param {Known} evidence
 * @returns {Outcome}
 */
function shuffleCheck({ ended, given, truth }) {
  if (ended) return given === null ? ["none", "ended"] : ["fail", "dealt"];
  if (truth === null) return ["absent", "no-key"];
  if (given === null) return ["absent", "no-deal"];
  const expected = truth.deal.order;
  if (sameJson(given.order, expected)) return ["pass", "pass", { tiles: expected.length }];
  const length = Math.max(given.order.length, expected.length);
  let at = 0;
  while (at < length && given.order[at] === expected[at]) at++;
  return ["fail", "fail", { at, given: given.order[at] ?? null, expected: expected[at] ?? null }];
}

/**
 * @param {Known} evidence
 * @returns {Outcome}
 */
function tableCheck({ fixed, ended, given, truth }) {
  if (ended) return ["none", "ended"];
  const kind = kindFor(fixed.terms);
  if (kind === "deck" && (truth === null || given === null)) return ["none", "deck"];
  if (truth === null) return ["absent", "no-key"];
  if (given === null) return ["absent", "no-deal"];
  if (kindOf(given) !== kind) return ["fail", "kind", { given: kindOf(given), expected: kind }];
  if (kind === "deck") return ["none", "deck"];
  const names = kind === "wall" ? [...TABLE, ...WALL] : TABLE;
  const theirs = /** @type {WallDeal} */ (given);
  const ours = /** @type {WallDeal} */ (truth.deal);
  const fields = names
    .filter((name) => !sameJson(theirs[name], ours[name]))
    .map((name) => ({ name, given: theirs[name], expected: ours[name] }));
  return fields.length === 0 ? ["pass", "pass"] : ["fail", "fail", { fields }];
}

/**
 * Hands, stock, and that with the indicator each tile stands exactly once (§6).
 * @param {Known} evidence
 * @returns {Outcome}
 */
function handsCheck({ fixed, ended, given, truth }) {
  if (ended) return ["none", "ended"];
  if (fixed.terms.game === "deck") return ["none", "deck"];
  if (truth === null) return ["absent", "no-key"];
  if (given === null) return ["absent", "no-deal"];
  if (!("hands" in given)) return ["fail", "kind", { given: kindOf(given), expected: kindFor(fixed.terms) }];
  const ours = /** @type {PlainDeal} */ (truth.deal);
  const count = Math.max(given.hands.length, ours.hands.length);
  const seats = Array.from({ length: count }, (_, seat) => seat)
    .filter((seat) => !sameJson(given.hands[seat] ?? null, ours.hands[seat] ?? null));
  const stock = !sameJson(given.stock, ours.stock);
  // With true hands and stock, any other indicator is a tile that already lies among them.
  const indicator = given.indicator !== ours.indicator;
  return seats.length === 0 && !stock && !indicator ? ["pass", "pass"] : ["fail", "fail", { seats, stock, indicator }];
}

/**
 * @param {Known} evidence
 * @returns {Outcome}
 */
function openingsCheck({ fixed, locked, ended, truth }) {
  if (ended) return ["none", "ended"];
  const { openings } = fixed.terms;
  if (locked === null) return openings ? ["absent", "unlocked"] : ["none", "not-used"];
  const given = locked.deal_root;
  if (!openings) return given === null ? ["none", "not-used"] : ["fail", "unexpected", { given }];
  if (given === null) return ["fail", "missing"];
  if (truth === null) return ["absent", "no-key"];
  const expected = toHex(dealRoot(truth.draws, fixed.terms, truth.deal));
  return given === expected ? ["pass", "pass", { given, expected }] : ["fail", "fail", { given, expected }];
}
