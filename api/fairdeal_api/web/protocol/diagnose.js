/**
 * Names the cause of a refutation by redoing the hand under each known mistake (§10.4).
 *
 * A redone deal must equal the given one whole. Most mistakes change the order first of all, so the orders are compared
 * first, and the rest of the deal is made only where they agree.
 * @module
 */

import { parseHex, toHex, utf8 } from "./encoding.js";
import { dealFrom, kindOf } from "./deal.js";
import { CAUSES } from "./details.js";
import { Draws, shuffle, swap } from "./draws.js";
import { equalBytes, hmacSha256, sha256 } from "./hash.js";
import { sameJson } from "./json.js";
import { ascending, littleEndian, naive, offByOne } from "./mistakes.js";
import { commitmentOf, dealKey, sealOf, SEED_SIZE } from "./seeds.js";
import { MAX_DECK, parseTerms, sizeOf, stackHeight } from "./terms.js";
import { FALSE_JOKER } from "./tiles.js";
/** @import { Deal, PlainDeal, WallDeal } from "./deal.js" */
/** @import { Cause } from "./details.js" */
/** @import { Evidence, Fixed, Redo } from "./evidence.js" */
/** @import { Contribution } from "./seeds.js" */
/** @import { Seen } from "./seen.js" */
/** @import { Terms } from "./terms.js" */
/** @import { Check } from "./verify.js" */

/** @typedef {{ hand: string, commitment: string | null, server_seed: string | null }} OtherHand bytes in hex */
/** @typedef {Evidence & { checks: readonly Check[], seen: readonly Seen[], others: readonly OtherHand[] }} Case */

/** Subsets and permutations of contributions are tried whole up to this many. */
const FEW = 4;

/**
 * What every redo starts from; null where seed, lock or deal are missing, or the deal is the true one.
 * @typedef {object} Bench
 * @property {Deal} given
 * @property {Redo} truth
 * @property {Uint8Array} seed
 * @property {Fixed} fixed
 * @property {Contribution[]} contributions
 */

/**
 * The first cause that explains a refuted hand (§10.4).
 * @param {Case} hand
 * @returns {Cause}
 */
export function diagnose(hand) {
  const { fixed, locked, seed, given, truth } = hand;
  // Without a commit nothing says which hand it should have been.
  if (fixed === null) return "unknown";
  const bench = locked !== null && seed !== null && given !== null && truth !== null
    && !sameJson(given, truth.deal)
    ? { given, truth, seed, fixed, contributions: locked.contributions }
    : null;
  return CAUSES.find((cause) => TESTS[cause](hand, bench)) ?? "unknown";
}

/**
 * @param {Case} hand
 * @param {string} name
 * @param {string} result
 */
function ended(hand, name, result) {
  return hand.checks.some((check) => check.name === name && check.result === result);
}

/**
 * Whether a key deals the given deal.
 * @param {Bench} bench
 * @param {Uint8Array} key
 * @param {Terms} [terms]
 */
function deals(bench, key, terms = bench.fixed.terms) {
  return follows(bench, new Draws(key), terms);
}

/**
 * Whether draws and terms, by the true rules, deal the given deal. A place of the order is final once the shuffle has
 * passed it, so a wrong key is mostly told after one draw; other terms alone are two hundred keys.
 * @param {Bench} bench
 * @param {Draws} draws
 * @param {Terms} terms
 */
function follows({ given }, draws, terms) {
  const n = sizeOf(terms);
  if (given.order.length !== n) return false;
  const a = Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i >= 1; i--) {
    swap(a, i, draws.pick(`r:${i}`, i + 1));
    if (a[i] !== given.order[i]) return false;
  }
  return a[0] === given.order[0] && sameJson(dealFrom(draws, terms, a), given);
}

/**
 * Whether an order, with the rest of the deal by the true rules, is the given deal.
 * @param {Bench} bench
 * @param {number[]} order
 * @param {Terms} [terms]
 */
function lays({ given, truth, fixed }, order, terms = fixed.terms) {
  return order.length === given.order.length && order.every((tile, i) => tile === given.order[i])
    && sameJson(dealFrom(truth.draws, terms, order), given);
}

/**
 * Whether the deal follows from other contributions.
 * @param {Bench} bench
 * @param {readonly Contribution[]} contributions
 */
function dealsWith(bench, contributions) {
  return deals(bench, dealKey(bench.seed, bench.fixed.hand, bench.fixed.terms, contributions));
}

/**
 * @param {Uint8Array} bytes
 * @returns {Uint8Array[]} its hex text, lower and upper case
 */
function hexTexts(bytes) {
  const text = toHex(bytes);
  return [utf8(text), utf8(text.toUpperCase())];
}

/** @type {Readonly<Record<Cause, (hand: Case, bench: Bench | null) => boolean>>} */
const TESTS = {
  "commitment-as-seed": ({ fixed, seed }, bench) => {
    const commitment = fixed?.commitment ?? null;
    if (fixed === null || commitment === null) return false;
    if (seed !== null && toHex(seed) === commitment) return true;
    return bench !== null
      && deals(bench, dealKey(parseHex(commitment, "commitment", SEED_SIZE), fixed.hand, fixed.terms, bench.contributions));
  },

  "seed-as-hex-text": (hand, bench) => {
    if (hand.seed === null) return false;
    const texts = hexTexts(hand.seed);
    if (ended(hand, "commitment", "fail") && texts.some((text) => toHex(sha256(text)) === hand.fixed?.commitment)) return true;
    if (bench === null) return false;
    return texts.some((text) => deals(bench, hmacSha256(text, bench.truth.transcript)));
  },

  "other-hands-seed": (hand, bench) => {
    const { fixed, seed } = hand;
    if (fixed === null) return false;
    const opened = hand.opened && toHex(hand.opened);
    const failed = ended(hand, "commitment", "fail");
    return hand.others.filter((other) => other.hand !== fixed.hand).some((other) => {
      const theirs = other.server_seed === null ? null : parseHex(other.server_seed, "others", SEED_SIZE);
      if (failed && theirs !== null && seed !== null && equalBytes(theirs, seed)) return true;
      if (failed && opened !== null && opened === other.commitment) return true;
      if (failed && theirs !== null && toHex(commitmentOf(theirs)) === fixed.commitment) return true;
      return bench !== null && theirs !== null
        && deals(bench, dealKey(theirs, fixed.hand, fixed.terms, bench.contributions));
    });
  },

  "other-terms": (_, bench) => {
    if (bench === null) return false;
    const { given, truth, seed, fixed, contributions } = bench;
    // Under the stated key all decks of one size have one order.
    const size = given.order.length;
    const order = size === truth.deal.order.length ? truth.deal.order : shuffle(truth.draws, Math.min(size, MAX_DECK));
    return otherTerms(bench).some((terms) => (sizeOf(terms) === size && lays(bench, order, terms))
      || deals(bench, dealKey(seed, fixed.hand, terms, contributions), terms));
  },

  "contribution-dropped": ({ fixed, locked }, bench) => {
    if (fixed !== null && locked !== null) {
      const seats = locked.contributions.map(({ seat }) => seat);
      if (fixed.seals.some(({ seat }) => !seats.includes(seat))) return true;
    }
    return bench !== null && fewer(bench.contributions).some((some) => dealsWith(bench, some));
  },

  "contribution-changed": ({ fixed, locked, seen }, bench) => {
    if (fixed === null || locked === null) return false;
    const { contributions } = locked;
    const opens = (/** @type {Contribution} */ { seat, seed }) =>
      fixed.seals.some((one) => one.seat === seat && one.seal === toHex(sealOf(parseHex(seed, "seed", SEED_SIZE))));
    if (!contributions.every(opens)) return true;
    const own = seen.flatMap((one) => (one.kind === "seed" ? [one] : []));
    const listed = (/** @type {number} */ seat) => contributions.find((one) => one.seat === seat);
    if (own.some(({ seat, seed }) => listed(seat) !== undefined && listed(seat)?.seed !== seed)) return true;
    if (bench === null) return false;
    const asText = contributions.map(({ seat, seed }) => ({ seat, seed: toHex(sha256(utf8(seed))) }));
    return [...permuted(contributions), asText].some((changed) => dealsWith(bench, changed));
  },

  "seed-used-as-key": (_, bench) => bench !== null && deals(bench, bench.seed),

  "little-endian-draws": (_, bench) => {
    if (bench === null) return false;
    const { terms } = bench.fixed;
    const draws = littleEndian(bench.truth.key);
    return follows(bench, draws, terms) || lays(bench, shuffle(draws, sizeOf(terms)));
  },

  "ascending-shuffle": (_, bench) => shuffledBy(bench, ascending),
  "shuffle-off-by-one": (_, bench) => shuffledBy(bench, offByOne),
  "naive-shuffle": (_, bench) => shuffledBy(bench, naive),

  "tile-twice": ({ given }) => {
    if (given === null) return false;
    const twice = (/** @type {number[]} */ tiles) => new Set(tiles).size !== tiles.length;
    return twice(given.order)
      || ("hands" in given && twice([...given.hands.flat(), ...given.stock, given.indicator]))
      || ("wall" in given && twice([...given.wall.flat(), given.spare]));
  },

  "false-joker-as-indicator": (_, bench) => bench !== null && "indicator" in bench.given
    && [FALSE_JOKER, FALSE_JOKER + 1].includes(bench.given.indicator) && sameJson(bench.given.order, bench.truth.deal.order),

  "okey-is-indicator": (_, bench) => {
    if (bench === null || !("okey" in bench.truth.deal)) return false;
    const face = bench.truth.deal.indicator % 52;
    return sameJson(bench.given, { ...bench.truth.deal, okey: [face, face + 52] });
  },

  "stock-from-wrong-end": (_, bench) => {
    if (bench === null || !("stock" in bench.truth.deal)) return false;
    const deal = /** @type {PlainDeal | WallDeal} */ (bench.truth.deal);
    const wrong = [[...deal.stock].reverse()];
    if ("wall" in deal && bench.fixed.terms.game !== "deck") {
      // The selected stack with the spare and without the indicator: as many tiles as a stack holds.
      const cut = deal.stock.length - stackHeight(bench.fixed.terms);
      wrong.push([...deal.stock.slice(0, cut), ...deal.stock.slice(cut).reverse()]);
    }
    return wrong.some((stock) => sameJson(bench.given, { ...deal, stock }));
  },

  "hands-misdealt": (hand) =>
    ended(hand, "shuffle", "pass") && ended(hand, "table", "pass") && ended(hand, "hands", "fail"),

  "unknown": () => true,
};

/**
 * Whether one of these shuffles, and the true rules from there on, deal the given deal.
 * @param {Bench | null} bench
 * @param {readonly ((draws: Draws, n: number) => number[])[]} shuffles
 */
function shuffledBy(bench, shuffles) {
  if (bench === null) return false;
  return shuffles.some((wrong) => lays(bench, wrong(bench.truth.draws, sizeOf(bench.fixed.terms))));
}

/**
 * All other valid terms whose deals have the members of the given one: okey tables of its layout, or decks of its size.
 * @param {Bench} bench
 * @returns {Terms[]}
 */
function otherTerms({ given, fixed }) {
  const all = [];
  const layout = kindOf(given);
  const size = given.order.length;
  const both = [false, true];
  if (layout === "deck") {
    if (size < 2 || size > MAX_DECK) return [];
    for (let seats = 1; seats <= 16; seats++) for (const openings of both) all.push({ game: "deck", size, seats, openings });
  } else {
    for (const game of ["okey", "okey101"]) {
      for (const seats of [2, 3, 4]) {
        for (const dealer of ["throw", 0, 1, 2, 3].filter((one) => one === "throw" || Number(one) < seats)) {
          for (const dice of [1, 2]) {
            for (const openings of both) all.push({ game, layout, seats, dealer, dice, openings });
          }
        }
      }
    }
  }
  return all.map((terms) => parseTerms(terms)).filter((terms) => !sameJson(terms, fixed.terms));
}

/**
 * Proper subsets of the contributions: all of them where they are few, else each left out alone, and none at all.
 * @param {readonly Contribution[]} all
 * @returns {Contribution[][]}
 */
function fewer(all) {
  if (all.length === 0) return [];
  if (all.length > FEW) return [...all.map((left) => all.filter((one) => one !== left)), []];
  const subsets = Array.from({ length: 2 ** all.length - 1 }, (_, bits) => bits);
  return subsets.map((bits) => all.filter((_, i) => (bits >> i) & 1));
}

/**
 * The same seeds at other seats.
 * @param {readonly Contribution[]} all
 * @returns {Contribution[][]}
 */
function permuted(all) {
  if (all.length < 2 || all.length > FEW) return [];
  /** @param {string[]} seeds @returns {string[][]} */
  const orders = (seeds) => (seeds.length <= 1 ? [seeds]
    : seeds.flatMap((seed, i) => orders(seeds.filter((_, j) => j !== i)).map((rest) => [seed, ...rest])));
  return orders(all.map(({ seed }) => seed))
    .map((seeds) => all.map(({ seat }, i) => ({ seat, seed: /** @type {string} */ (seeds[i]) })));
}
