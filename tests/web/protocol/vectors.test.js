// Every value of the shared vectors: terms, keys, draws, deals, roots, openings.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { p } from "./build.js";

const { cases } = JSON.parse(readFileSync(new URL("../../vectors/deal.json", import.meta.url), "utf8"));

test("there are vectors", () => assert.ok(cases.length >= 37));

for (const one of cases) {
  test(`vector: ${one.name}`, () => {
    const terms = p.parseTerms(one.terms);
    assert.equal(p.canonicalTerms(terms), one.terms_canonical);
    const seed = p.parseHex(one.server_seed, "server_seed", 32);
    assert.equal(p.toHex(p.commitmentOf(seed)), one.commitment);
    for (const { seat, seal } of one.seals) {
      const opened = one.contributions.find((/** @type {any} */ c) => c.seat === seat);
      assert.equal(p.toHex(p.sealOf(p.parseHex(opened.seed, "seed", 32))), seal);
    }
    const key = p.dealKey(seed, one.hand, terms, one.contributions);
    assert.equal(p.toHex(key), one.key);

    const draws = new p.Draws(key);
    for (const { label, mac, m, value } of one.draws) {
      assert.equal(p.toHex(draws.mac(label)), mac, label);
      assert.equal(draws.pick(label, m), value, label);
    }
    const deal = p.makeDeal(key, terms);
    // Byte for byte: the canonical text of the whole document, not only equal values.
    assert.equal(p.canonical(/** @type {any} */ (deal)), p.canonical(one.deal));
    const traced = p.traceDeal(key, terms);
    assert.deepEqual(traced.deal, deal);
    for (const { label, mac, m, value } of one.draws) {
      const found = traced.draws.find((draw) => draw.label === label);
      if (found !== undefined) assert.deepEqual([found.mac, found.m, found.value], [mac, m, value]);
    }
    replay(traced.draws, deal.order);

    assert.equal(one.deal_root !== null, terms.openings);
    if (!terms.openings) return;
    assert.equal(p.toHex(p.dealRoot(draws, terms, deal)), one.deal_root);
    for (const given of one.openings) {
      const opening = p.openSlot(one.hand, draws, terms, deal, given.slot);
      assert.deepEqual(opening, { hand: one.hand, ...given });
      p.checkOpening(p.parseOpening(opening), { hand: one.hand, terms }, { deal_root: one.deal_root });
    }
  });
}

/** The traced swaps, made one by one on an ordered set, give the order: what the step view shows. */
function replay(/** @type {any[]} */ draws, /** @type {number[]} */ order) {
  const a = order.map((_, i) => i);
  for (const { swap } of draws) {
    if (swap === null) continue;
    const [i, j] = swap;
    [a[i], a[j]] = [/** @type {number} */ (a[j]), /** @type {number} */ (a[i])];
  }
  assert.deepEqual(a, order);
}

test("pairs of vectors that differ in one client seed deal differently", () => {
  const by = (/** @type {string} */ name) => cases.find((/** @type {any} */ one) => one.name === name);
  for (const [a, b] of [["wall, one client seed", "the same hand, another client seed"],
    ["client seed at seat 0", "the same hand, another client seed at seat 0"]]) {
    const [left, right] = [by(/** @type {string} */ (a)), by(/** @type {string} */ (b))];
    assert.equal(left.server_seed, right.server_seed);
    assert.notDeepEqual(left.deal.order, right.deal.order);
  }
});

test("every deal of okey uses each tile once, and one flipped bit of the seed changes it", () => {
  for (const one of cases.filter((/** @type {any} */ c) => c.terms.game !== "deck").slice(0, 8)) {
    const { hands, stock, indicator } = one.deal;
    assert.equal(new Set([...hands.flat(), ...stock, indicator]).size, 106);
    const seed = p.parseHex(one.server_seed, "server_seed", 32);
    seed[31] = /** @type {number} */ (seed[31]) ^ 1;
    const key = p.dealKey(seed, one.hand, p.parseTerms(one.terms), one.contributions);
    assert.notDeepEqual(p.makeDeal(key, p.parseTerms(one.terms)).order, one.deal.order);
  }
});
