/**
 * A deal as a film: one frame for every swap, throw and take, from the set in its box to the finished table.
 *
 * No DOM here. A frame's scene is made when it is asked for; going back costs as little as going forward.
 * @module
 */

import { handSize, isFalseJoker, seatOrder, sizeOf, stackHeight } from "../protocol/index.js";
/** @import { Key, Values } from "./i18n.js" */
/** @import { Deal, PlainDeal, WallDeal } from "../protocol/deal.js" */
/** @import { SeatThrow } from "../protocol/draws.js" */
/** @import { OkeyTerms, Terms } from "../protocol/terms.js" */
/** @import { TracedDraw } from "../protocol/trace.js" */

/** @typedef {"shuffle" | "dealer" | "wall" | "throws" | "hands" | "stock"} Phase */
/**
 * What lies on the table at one moment.
 * @typedef {object} Scene
 * @property {number[] | null} grid tiles in one row after another; null once the wall stands
 * @property {[number, number] | null} swap the two places that have just changed
 * @property {number} taken tiles of the grid that are gone from its front
 * @property {number[][] | null} stacks by ring number, each bottom first; null without a wall
 * @property {number | null} spare the spare while it lies beside the wall
 * @property {number | null} selected ring number of the stack that the first throw chose
 * @property {number | null} level place in the selected stack that the latest throw counted to
 * @property {number | null} indicator once it is face up
 * @property {number[][]} throws the throws at the wall so far
 * @property {SeatThrow[]} round the latest throws for the dealer
 * @property {number[][]} hands as far as they are taken
 * @property {number[] | null} stock once it is fixed
 * @property {number[]} fresh tiles that have just moved
 * @property {number | null} seat whose turn it was
 * @property {boolean} seated whether dealer and starter are known by now
 */
/**
 * @typedef {object} Frame
 * @property {Phase} phase
 * @property {Key} say
 * @property {Values} values
 * @property {TracedDraw[]} draws the draws that this frame rests on
 * @property {() => Scene} scene
 */

/** @type {Omit<Scene, "hands">} */
const BARE = {
  grid: null, swap: null, taken: 0, stacks: null, spare: null, selected: null, level: null, indicator: null,
  throws: [], round: [], stock: null, fresh: [], seat: null, seated: false,
};

/**
 * @param {Deal} deal the true deal
 * @param {Terms} terms
 * @param {readonly TracedDraw[]} draws from `traceDeal`; without them the film begins with the finished order
 * @returns {Frame[]} at least one; the last is the finished table
 */
export function framesOf(deal, terms, draws) {
  const frames = shuffleFrames(deal, terms, draws.filter(({ swap }) => swap !== null));
  if (terms.game === "deck" || !("hands" in deal)) return frames;
  const rest = draws.filter(({ swap }) => swap === null);
  frames.push(...dealerFrames(deal, terms, rest));
  frames.push(...("wall" in deal ? wallFrames(deal, terms, rest) : plainFrames(deal, terms)));
  return frames;
}

/**
 * The scene at the end, drawn from the deal document alone: it may hold what no rule gives.
 * @param {Deal} deal
 * @returns {Scene}
 */
export function finishedScene(deal) {
  if (!("hands" in deal)) return { ...BARE, hands: [], grid: deal.order };
  const done = {
    ...BARE, hands: deal.hands, stock: deal.stock, indicator: deal.indicator, seated: true,
    round: deal.dealer_throws.at(-1) ?? [],
  };
  if (!("wall" in deal)) return done;
  const left = new Set(deal.stock);
  const stacks = deal.wall.map((stack, w) => [...stack, ...(w === deal.selected ? [deal.spare] : [])].filter((tile) => left.has(tile)));
  return { ...done, stacks, selected: deal.selected, throws: deal.throws };
}

/**
 * @param {Deal} deal
 * @param {Terms} terms
 * @param {readonly TracedDraw[]} swaps
 * @returns {Frame[]}
 */
function shuffleFrames(deal, terms, swaps) {
  const size = sizeOf(terms);
  const hands = emptyHands(terms);
  const orderAfter = (/** @type {number} */ count) => {
    const order = Array.from({ length: size }, (_, i) => i);
    for (const { swap } of swaps.slice(0, count)) {
      const [i, j] = /** @type {[number, number]} */ (swap);
      [order[i], order[j]] = [/** @type {number} */ (order[j]), /** @type {number} */ (order[i])];
    }
    return order;
  };
  /** @type {Frame[]} */
  const frames = [];
  if (swaps.length > 0) {
    frames.push({ phase: "shuffle", say: "step.set", values: { n: size }, draws: [], scene: () => ({ ...BARE, hands, grid: orderAfter(0) }) });
  }
  swaps.forEach((draw, k) => {
    const [i, j] = /** @type {[number, number]} */ (draw.swap);
    frames.push({
      phase: "shuffle",
      say: i === j ? "step.stay" : "step.swap",
      values: { i, j },
      draws: [draw],
      scene: () => ({ ...BARE, hands, grid: orderAfter(k + 1), swap: [i, j] }),
    });
  });
  frames.push({
    phase: "shuffle", say: terms.game === "deck" ? "step.deck" : "step.order", values: { n: size }, draws: [],
    scene: () => ({ ...BARE, hands, grid: deal.order }),
  });
  return frames;
}

/**
 * @param {Terms} terms
 * @returns {number[][]}
 */
function emptyHands(terms) {
  return terms.game === "deck" ? [] : Array.from({ length: terms.seats }, () => []);
}

/**
 * @param {PlainDeal} deal
 * @param {OkeyTerms} terms
 * @param {readonly TracedDraw[]} draws
 * @returns {Frame[]}
 */
function dealerFrames(deal, terms, draws) {
  const bare = { ...BARE, hands: emptyHands(terms), grid: deal.order };
  let used = 0;
  /** @type {Frame[]} */
  const frames = deal.dealer_throws.map((round, i) => {
    const drawn = draws.slice(used, used + round.length);
    used += round.length;
    return {
      phase: "dealer", say: i === 0 ? "step.dealer.throw" : "step.dealer.again", values: { n: round.length }, draws: drawn,
      scene: () => ({ ...bare, round }),
    };
  });
  frames.push({
    phase: "dealer", say: deal.dealer_throws.length > 0 ? "step.dealer.thrown" : "step.dealer.given",
    values: { dealer: String(deal.dealer), starter: String(deal.starter) }, draws: [],
    scene: () => ({ ...bare, round: deal.dealer_throws.at(-1) ?? [], seated: true }),
  });
  return frames;
}

/**
 * @param {WallDeal} deal
 * @param {OkeyTerms} terms
 * @param {readonly TracedDraw[]} draws
 * @returns {Frame[]}
 */
function wallFrames(deal, terms, draws) {
  const h = stackHeight(terms);
  const dice = draws.filter(({ label }) => label.startsWith("die:"));
  const diceOf = (/** @type {number} */ k) => dice.slice(k * terms.dice, (k + 1) * terms.dice);
  const sum = (/** @type {number[]} */ values) => values.reduce((a, b) => a + b, 0);
  /** @type {Frame[]} */
  const frames = [];
  /** @type {Scene} */
  let scene = { ...BARE, hands: emptyHands(terms), stacks: deal.wall, spare: deal.spare, seated: true };
  /**
   * @param {Phase} phase
   * @param {Key} say
   * @param {Values} values
   * @param {Partial<Scene>} change
   * @param {TracedDraw[]} [drawn]
   */
  const add = (phase, say, values, change, drawn = []) => {
    scene = { ...scene, fresh: [], seat: null, ...change };
    const now = scene;
    frames.push({ phase, say, values, draws: drawn, scene: () => now });
  };

  add("wall", "step.wall", { n: deal.wall.length, height: h }, {});
  const [first = [], ...levels] = deal.throws;
  add("throws", "step.select", { sum: sum(first), stack: deal.selected + 1 }, { throws: [first], selected: deal.selected }, diceOf(0));
  const tall = [...(deal.wall[deal.selected] ?? []), deal.spare];
  add("throws", "step.spare", { stack: deal.selected + 1 }, {
    spare: null, fresh: [deal.spare], stacks: deal.wall.map((stack, w) => (w === deal.selected ? tall : stack)),
  });
  levels.forEach((thrown, k) => {
    const level = (sum(thrown) - 1) % tall.length;
    const joker = isFalseJoker(/** @type {number} */ (tall[level]));
    add("throws", joker ? "step.joker" : "step.level", { sum: sum(thrown), level: level + 1 },
      { throws: deal.throws.slice(0, k + 2), level, fresh: [/** @type {number} */ (tall[level])] }, diceOf(k + 1));
  });
  const below = tall.filter((_, i) => i !== deal.level);
  let stacks = deal.wall.map((stack, w) => (w === deal.selected ? below : stack));
  add("throws", "step.indicator", {}, { stacks, level: null, indicator: deal.indicator, fresh: [deal.indicator] });

  const taken = deal.hands.map(() => 0);
  for (const [seat, count] of takes(terms, deal.starter, h)) {
    const from = taken[seat] ?? 0;
    const tiles = (deal.hands[seat] ?? []).slice(from, from + count);
    taken[seat] = from + count;
    const gone = new Set(tiles);
    stacks = stacks.map((stack) => stack.filter((tile) => !gone.has(tile)));
    const hands = deal.hands.map((hand, s) => hand.slice(0, taken[s]));
    add("hands", "step.take", { n: count, seat: String(seat) }, { stacks, hands, fresh: tiles, seat });
  }
  add("stock", "step.stock", { n: deal.stock.length }, { stock: deal.stock });
  return frames;
}

/**
 * Who takes how many, in turn (§4.4).
 * @param {OkeyTerms} terms
 * @param {number} starter
 * @param {number} h
 * @returns {[seat: number, count: number][]}
 */
function takes(terms, starter, h) {
  const seats = seatOrder(terms.seats, starter);
  const full = handSize(terms);
  /** @type {[number, number][]} */
  const turns = [];
  for (let round = 0; round < Math.floor(full / h); round++) turns.push(...seats.map((seat) => /** @type {[number, number]} */ ([seat, h])));
  for (const seat of seats) {
    const count = (full % h) + (seat === starter ? 1 : 0);
    if (count > 0) turns.push([seat, count]);
  }
  return turns;
}

/**
 * @param {PlainDeal} deal
 * @param {OkeyTerms} terms
 * @returns {Frame[]}
 */
function plainFrames(deal, terms) {
  /** @type {Frame[]} */
  const frames = [];
  const hands = emptyHands(terms);
  let taken = 0;
  /** @type {Scene} */
  const base = { ...BARE, hands: [], grid: deal.order, seated: true };
  for (const seat of seatOrder(terms.seats, deal.starter)) {
    const tiles = deal.hands[seat] ?? [];
    hands[seat] = tiles;
    taken += tiles.length;
    const now = { ...base, hands: [...hands], taken, fresh: tiles, seat };
    frames.push({ phase: "hands", say: "step.take", values: { n: tiles.length, seat: String(seat) }, draws: [], scene: () => now });
  }
  const turned = { ...base, hands: deal.hands, taken, indicator: deal.indicator, fresh: [deal.indicator] };
  frames.push({ phase: "stock", say: "step.indicator.plain", values: {}, draws: [], scene: () => turned });
  const done = { ...turned, grid: null, fresh: [], stock: deal.stock };
  frames.push({ phase: "stock", say: "step.stock", values: { n: deal.stock.length }, draws: [], scene: () => done });
  return frames;
}
