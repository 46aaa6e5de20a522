// Every cause of §10.4, planted and named.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, edited, finished, hex, makeHand, makeReceipt, p, recordOf, SIGNER, TERMS } from "./build.js";

const SEED = bytes("server a hand");
const HAND = makeHand();
const { contributions } = HAND;
const planted = new Set();

/** A hand whose deal is another one than its seeds give. */
const dealt = (/** @type {any} */ deal, /** @type {any} */ options = {}) => finished({ ...options, deal });
/** The deal that another key gives, under the same terms or others. */
const under = (/** @type {Uint8Array} */ key, /** @type {any} */ terms = TERMS) => p.makeDeal(key, p.parseTerms(terms));
const keyOf = (/** @type {any} */ { seed = SEED, hand = HAND.hand, terms = TERMS, seeds = contributions } = {}) =>
  p.dealKey(seed, hand, p.parseTerms(terms), seeds);

/** @param {string} name @param {string} cause @param {any} hand @param {any} [options] */
function plant(name, cause, hand, options = {}) {
  test(`${cause}: ${name}`, () => {
    planted.add(cause);
    const report = p.verifyText(hand.text, { keys: [SIGNER.verifier], ...options });
    assert.deepEqual([report.verdict, report.cause], ["refuted", cause]);
    // A record of the same says the same.
    assert.equal(p.verifyText(recordOf(hand), options).cause, cause);
  });
}

const commitment = p.commitmentOf(SEED);
plant("the commitment revealed for the seed", "commitment-as-seed", finished({ serverSeed: commitment, commitment: p.toHex(commitment) }));
plant("dealt from the commitment", "commitment-as-seed", dealt(under(keyOf({ seed: commitment }))));

const lower = p.utf8(p.toHex(SEED));
const upper = p.utf8(p.toHex(SEED).toUpperCase());
for (const [name, text] of /** @type {[string, Uint8Array][]} */ ([["lower", lower], ["upper", upper]])) {
  plant(`committed to ${name}-case text`, "seed-as-hex-text", finished({ commitment: p.toHex(p.sha256(text)) }));
  plant(`dealt from ${name}-case text`, "seed-as-hex-text",
    dealt(under(p.hmacSha256(text, p.transcript(HAND.hand, HAND.terms, contributions)))));
}

const theirSeed = bytes("server other");
const theirs = { hand: HAND.hand.split("").reverse().join(""), commitment: p.toHex(p.commitmentOf(theirSeed)), server_seed: p.toHex(theirSeed) };
plant("their seed revealed here", "other-hands-seed", finished({ serverSeed: theirSeed, commitment: p.toHex(commitment) }), { others: [theirs] });
plant("their seed revealed here, told by their commitment", "other-hands-seed",
  finished({ serverSeed: theirSeed, commitment: p.toHex(commitment) }), { others: [{ ...theirs, server_seed: null }] });
plant("their seed opens this commitment", "other-hands-seed", finished({ commitment: theirs.commitment }), { others: [{ ...theirs, commitment: null }] });
plant("dealt from their seed", "other-hands-seed", dealt(under(keyOf({ seed: theirSeed }))), { others: [theirs] });
plant("the same hand is no other hand", "unknown", finished({ serverSeed: theirSeed, commitment: p.toHex(commitment) }), { others: [{ ...theirs, hand: HAND.hand }] });

for (const change of [{ game: "okey101" }, { layout: "plain" }, { seats: 3 }, { dealer: 1 }, { dealer: "throw" }, { dice: 2 }, { openings: true }]) {
  const terms = { ...TERMS, ...change };
  plant(`dealt under ${JSON.stringify(change)}`, "other-terms", dealt(under(keyOf({ terms }), terms)));
  if (!("openings" in change)) plant(`dealt under ${JSON.stringify(change)}, keyed by the stated`, "other-terms", dealt(under(keyOf(), terms)));
}
plant("dealt as a deck", "other-terms", dealt(under(keyOf({ terms: { game: "deck", size: 52, seats: 4, openings: false } }), { game: "deck", size: 52, seats: 4, openings: false })));
plant("a deck dealt for other seats", "other-terms", (() => {
  const terms = { game: "deck", size: 30, seats: 4, openings: false };
  return dealt(under(keyOf({ terms: { ...terms, seats: 5 } }), terms), { terms });
})());

plant("a seal without its contribution", "contribution-dropped", finished({ seals: HAND.seals, contributions: contributions.slice(0, 1) }));
plant("dealt without one", "contribution-dropped", dealt(under(keyOf({ seeds: contributions.slice(1) }))));
plant("dealt without any", "contribution-dropped", dealt(under(keyOf({ seeds: [] }))));
const four = { seats: [0, 1, 2, 3] };
const fourSeeds = makeHand(four).contributions;
plant("dealt without two of four", "contribution-dropped", dealt(under(keyOf({ seeds: [fourSeeds[0], fourSeeds[3]] })), four));
const deckTerms = { game: "deck", size: 40, seats: 8, openings: false };
const six = { terms: deckTerms, seats: [0, 1, 2, 3, 4, 5] };
const sixSeeds = makeHand(six).contributions;
plant("dealt without one of six", "contribution-dropped", dealt(under(keyOf({ terms: deckTerms, seeds: sixSeeds.filter((/** @type {any} */ _, /** @type {number} */ i) => i !== 4) }), deckTerms), six));
plant("dealt without any of six", "contribution-dropped", dealt(under(keyOf({ terms: deckTerms, seeds: [] }), deckTerms), six));

const bot = { seat: 2, seed: hex("bot") };
plant("a contribution that opens no seal", "contribution-changed", finished({ seals: HAND.seals, contributions: [contributions[0], bot] }));
plant("a contribution without a seal", "contribution-changed", finished({ contributions: [...contributions, { ...bot, seat: 3 }], seals: HAND.seals }));
plant("one's own seed was another", "contribution-changed", finished(), { seen: [p.seenSeed(2, bot.seed)] });
plant("dealt with the seeds at other seats", "contribution-changed",
  dealt(under(keyOf({ seeds: [{ seat: 0, seed: contributions[1].seed }, { seat: 2, seed: contributions[0].seed }] }))));
plant("dealt with the seeds' hex text hashed", "contribution-changed",
  dealt(under(keyOf({ seeds: contributions.map((/** @type {any} */ { seat, seed }) => ({ seat, seed: p.toHex(p.sha256(p.utf8(seed))) })) }))));

plant("the server seed itself as key", "seed-used-as-key", dealt(under(SEED)));

class LittleEndian extends p.Draws {
  /** @override @param {Uint8Array} mac @param {number} m */
  reduce(mac, m) {
    return Number([...mac].reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n) % BigInt(m));
  }
}
const little = new LittleEndian(HAND.key);
plant("every draw", "little-endian-draws", dealt(p.makeDeal(little, HAND.terms)));
plant("the shuffle alone", "little-endian-draws", dealt(p.dealFrom(HAND.draws, HAND.terms, p.shuffle(little, 106))));

/** @param {(pick: (i: number, m: number) => number, swap: (i: number, j: number) => void) => void} loop */
function shuffledBy(loop) {
  const a = Array.from({ length: 106 }, (_, i) => i);
  loop((i, m) => HAND.draws.pick(`r:${i}`, m), (i, j) => { [a[i], a[j]] = [/** @type {number} */ (a[j]), /** @type {number} */ (a[i])]; });
  return dealt(p.dealFrom(HAND.draws, HAND.terms, a));
}
plant("forwards, from below", "ascending-shuffle", shuffledBy((pick, swap) => { for (let i = 1; i < 106; i++) swap(i, pick(i, i + 1)); }));
plant("forwards, from above", "ascending-shuffle", shuffledBy((pick, swap) => { for (let i = 0; i < 105; i++) swap(i, i + pick(i, 106 - i)); }));
plant("Sattolo's", "shuffle-off-by-one", shuffledBy((pick, swap) => { for (let i = 105; i > 0; i--) swap(i, pick(i, i)); }));
// Invisible where the last draw keeps its tile: the hand must be one whose draw r:1 is 0.
const label = Array.from({ length: 50 }, (_, i) => `early ${i}`).find((one) => makeHand({ label: one }).draws.pick("r:1", 2) === 0) ?? "";
const early = makeHand({ label });
const earlyOrder = /** @type {any} */ (p.makeDeal(early.draws, early.terms)).order.slice();
[earlyOrder[0], earlyOrder[1]] = [earlyOrder[1], earlyOrder[0]];
plant("one step early", "shuffle-off-by-one", finished({ label, deal: p.dealFrom(early.draws, early.terms, earlyOrder) }));
plant("any place, downwards", "naive-shuffle", shuffledBy((pick, swap) => { for (let i = 105; i > 0; i--) swap(i, pick(i, 106)); }));
plant("any place, down to 0", "naive-shuffle", shuffledBy((pick, swap) => { for (let i = 105; i >= 0; i--) swap(i, pick(i, 106)); }));
plant("any place, upwards", "naive-shuffle", shuffledBy((pick, swap) => { for (let i = 0; i < 106; i++) swap(i, pick(i, 106)); }));
plant("any place, upwards from 1", "naive-shuffle", shuffledBy((pick, swap) => { for (let i = 1; i < 106; i++) swap(i, pick(i, 106)); }));

const changed = (/** @type {(deal: any) => void} */ change) => dealt(edited(HAND.trueDeal, change));
plant("in the order", "tile-twice", changed((deal) => { deal.order[3] = deal.order[90]; }));
plant("in a hand", "tile-twice", changed((deal) => { deal.hands[2][3] = deal.stock[0]; }));
plant("the indicator left in play", "tile-twice", changed((deal) => { deal.stock.push(deal.indicator); }));
plant("in the wall", "tile-twice", changed((deal) => { deal.wall[3][0] = deal.spare; }));

const falseJoker = edited(HAND.trueDeal, (deal) => {
  const at = deal.stock.indexOf(104) >= 0 ? deal.stock : deal.hands.find((/** @type {number[]} */ hand) => hand.includes(104));
  at[at.indexOf(104)] = deal.indicator;
  deal.indicator = 104;
});
plant("turned up", "false-joker-as-indicator", dealt(falseJoker));
plant("the indicator's own face", "okey-is-indicator", changed((deal) => { deal.okey = [deal.indicator % 52, (deal.indicator % 52) + 52]; }));
plant("the whole stock", "stock-from-wrong-end", changed((deal) => { deal.stock.reverse(); }));
plant("the selected stack's part", "stock-from-wrong-end", changed((deal) => { deal.stock.push(...deal.stock.splice(-5).reverse()); }));
const plain = { ...TERMS, layout: "plain" };
plant("the whole plain stock", "stock-from-wrong-end", finished({ terms: plain, deal: edited(makeHand({ terms: plain }).trueDeal, (deal) => deal.stock.reverse()) }));
plant("two hands swapped", "hands-misdealt", changed((deal) => { [deal.hands[0], deal.hands[3]] = [deal.hands[3], deal.hands[0]]; }));
plant("one tile moved", "hands-misdealt", changed((deal) => { deal.stock.push(deal.hands[0].pop()); }));
plant("two tiles of the order changed places", "unknown", changed((deal) => { [deal.order[0], deal.order[1]] = [deal.order[1], deal.order[0]]; }));

test("every cause was planted", () => assert.deepEqual([...planted].sort(), [...p.CAUSES].sort()));

test("causes want a refutation, and name only what they see", () => {
  assert.equal(p.verifyText(finished().text, { others: [theirs] }).cause, null);
  const unlocked = finished({ stage: "unlocked", outcome: "void", reason: "technical", deal: HAND.trueDeal });
  assert.equal(p.verifyText(unlocked.text).cause, "unknown");
  const noDeal = finished({ commitment: hex("x"), deal: null });
  assert.equal(p.verifyText(noDeal.text).cause, "unknown");
  const broken = edited(makeReceipt(HAND.texts, { deal: HAND.trueDeal }), (copy) => { copy.entries[0].proof.pop(); });
  assert.equal(p.verifyText(JSON.stringify(broken)).cause, "unknown");
});
