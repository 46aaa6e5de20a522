// The twelve checks, the verdict, the grinding statement and the log evidence (§10.1–§10.3).
import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, edited, finished, hex, makeHand, makeReceipt, makeSigner, p, recordOf, results, SIGNER, TERMS } from "./build.js";

const KEYS = { keys: [SIGNER.verifier] };
const GOOD = finished();
const kept = (/** @type {any} */ hand, /** @type {any} */ options = {}) => p.seenReceipt(makeReceipt(hand.texts, options));
const AT_COMMIT = makeHand({ stage: "commit" });
/** Every detail code that came up; the last test asks for all of them. */
const met = new Set();

/** @param {string} text @param {any} options @param {string} verdict @param {Record<string, string>} expected */
function expectReport(text, options, verdict, expected) {
  const report = p.verifyText(text, options);
  const found = results(report);
  assert.deepEqual(Object.keys(found), [...p.CHECKS]);
  for (const { name, detail } of report.checks) {
    assert.ok(p.DETAILS[name].includes(detail.code), `${name}: ${detail.code}`);
    met.add(detail.code);
  }
  for (const one of report.facts?.seen ?? []) assert.ok(p.SEEN_REASONS[one.outcome]?.includes(one.reason), one.reason);
  for (const [name, result] of Object.entries(expected)) assert.equal(found[name], result, name);
  assert.equal(report.verdict, verdict);
  assert.equal(report.cause === null, verdict !== "refuted");
  structuredClone(report);
  return report;
}

const ALL_PASS = Object.fromEntries(p.CHECKS.map((name) => [name, name === "openings" ? "none" : "pass"]));

test("a whole hand with key, kept commitment and own seed is verified, and nobody could choose it", () => {
  const seen = [p.seenCommitment(GOOD.commitment), p.seenSeed(2, GOOD.contributions[1].seed)];
  const report = expectReport(GOOD.text, { ...KEYS, seen }, "verified", ALL_PASS);
  assert.deepEqual([report.grinding, report.log_evidence], ["nobody", "a key that was given"]);
  assert.equal(report.facts?.key, p.toHex(GOOD.key));
  assert.ok(report.facts?.entries.every(({ included, path }) => included && path !== null));
});

test("without anything kept it is consistent; without a key the log proves only itself", () => {
  const report = expectReport(GOOD.text, {}, "consistent", { ...ALL_PASS, signature: "absent", inclusion: "absent", seen: "absent" });
  assert.deepEqual([report.grinding, report.log_evidence], ["operator-with-all-seats", "only the receipt's own key"]);
  assert.equal(expectReport(GOOD.text, KEYS, "consistent", { signature: "pass", inclusion: "pass" }).log_evidence, "a key that was given");
});

test("a record is recomputed without log evidence", () => {
  const expected = { ...ALL_PASS, signature: "absent", inclusion: "absent", sequence: "absent", seen: "absent" };
  const report = expectReport(recordOf(GOOD), KEYS, "consistent", expected);
  assert.deepEqual([report.grinding, report.log_evidence], ["operator-with-all-seats", "none"]);
  const seen = [kept(AT_COMMIT), p.seenSeed(0, GOOD.contributions[0].seed)];
  assert.equal(expectReport(recordOf(GOOD), { seen }, "verified", { seen: "pass" }).grinding, "nobody");
});

test("no client seeds: the operator chose", () => {
  const alone = finished({ seats: [] });
  assert.equal(expectReport(alone.text, KEYS, "consistent", { seals: "pass" }).grinding, "operator");
  assert.equal(expectReport(alone.text, { ...KEYS, seen: [p.seenCommitment(alone.commitment)] }, "verified", { seen: "pass" }).grinding, "operator");
});

for (const terms of [{ ...TERMS, layout: "plain" }, { ...TERMS, game: "okey101", openings: true, dice: 2 }, { ...TERMS, dealer: "throw", openings: true },
  { game: "deck", size: 52, seats: 16, openings: false }, { game: "deck", size: 20, seats: 2, openings: true }]) {
  test(`terms ${JSON.stringify(terms)}`, () => {
    const hand = finished({ terms, seats: [0, 1] });
    const deck = terms.game === "deck" ? "none" : "pass";
    const expected = { table: deck, hands: deck, openings: terms.openings ? "pass" : "none" };
    expectReport(hand.text, { ...KEYS, seen: [p.seenCommitment(hand.commitment)] }, "verified", expected);
  });
}

test("commit and lock receipts are incomplete", () => {
  const commit = finished({ stage: "commit" });
  let report = expectReport(commit.text, KEYS, "incomplete", {
    sequence: "pass", commitment: "absent", seals: "absent", key: "absent", shuffle: "absent", table: "absent",
    hands: "absent", openings: "none", seen: "absent",
  });
  assert.equal(report.grinding, null);
  expectReport(finished({ stage: "commit", terms: { ...TERMS, openings: true } }).text, KEYS, "incomplete", { openings: "absent" });
  const lock = finished({ stage: "lock" });
  report = expectReport(lock.text, { ...KEYS, seen: [p.seenSeed(0, lock.contributions[0].seed), p.seenCommitment(lock.commitment)] }, "incomplete",
    { commitment: "absent", seals: "pass", key: "absent", shuffle: "absent", openings: "none", seen: "pass" });
  assert.equal(report.grinding, "nobody");
  assert.equal(report.facts?.key, null);
});

test("a hand that ended without a lock deals nothing", () => {
  const nothing = { seals: "none", key: "none", shuffle: "none", table: "none", hands: "none", openings: "none" };
  for (const [outcome, reason, seats] of [["void", "seat-silent", [0]], ["void", "technical", []], ["expired", null, [1]]]) {
    const hand = finished({ stage: "unlocked", outcome, reason, seats });
    const report = expectReport(hand.text, KEYS, "consistent", { ...nothing, sequence: "pass", commitment: "pass" });
    assert.equal(report.grinding, null);
    expectReport(hand.text, { ...KEYS, seen: [p.seenCommitment(hand.commitment)] }, "verified", { seen: "pass" });
    const dealt = edited(hand.receipt, (copy) => { copy.deal = GOOD.deal; });
    expectReport(JSON.stringify(dealt), KEYS, "refuted", { ...nothing, shuffle: "fail" });
  }
  expectReport(finished({ stage: "unlocked", outcome: "lost" }).text, KEYS, "incomplete", { ...nothing, commitment: "absent" });
});

test("a lost seed is incomplete, a void hand after the lock is recomputed", () => {
  const lost = finished({ outcome: "lost" });
  expectReport(lost.text, KEYS, "incomplete", { sequence: "pass", commitment: "absent", seals: "pass", key: "absent", shuffle: "absent" });
  for (const [outcome, reason] of [["void", "table-closed"], ["void", "technical"], ["expired", null]]) {
    expectReport(finished({ outcome, reason }).text, KEYS, "consistent", { sequence: "pass", shuffle: "pass" });
  }
});

test("nothing passes because it was left out", () => {
  const without = (/** @type {(copy: any) => void} */ change) => JSON.stringify(edited(GOOD.receipt, change));
  expectReport(without((copy) => { copy.deal = null; }), KEYS, "incomplete", { shuffle: "absent", table: "absent", hands: "absent" });
  expectReport(without((copy) => { copy.entries = []; }), KEYS, "incomplete", { signature: "pass", inclusion: "absent", sequence: "absent", commitment: "absent", seals: "absent", openings: "absent", seen: "absent" });
  expectReport(without((copy) => { copy.entries.shift(); }), KEYS, "refuted", { sequence: "fail", commitment: "absent", key: "absent", shuffle: "absent", seen: "absent" });
  for (const change of [{ commitment: null }, { server_seed: null }, { deal: null }]) {
    expectReport(recordOf(GOOD, change), KEYS, "incomplete", {});
  }
  expectReport(recordOf(GOOD, { commitment: null }), {}, "incomplete", { commitment: "absent", seals: "pass", key: "absent", shuffle: "pass", hands: "pass" });
});

test("signature: matching keys decide, other keys do not", () => {
  const stranger = makeSigner("elsewhere.example", "stranger");
  const successor = makeSigner(SIGNER.name, "second key");
  expectReport(GOOD.text, { keys: [stranger.verifier] }, "consistent", { signature: "absent", inclusion: "absent" });
  expectReport(GOOD.text, { keys: [successor.verifier] }, "refuted", { signature: "fail", inclusion: "fail", sequence: "pass" });
  expectReport(GOOD.text, { keys: [successor.verifier, SIGNER.verifier] }, "consistent", { signature: "pass", inclusion: "pass" });
  const twice = makeReceipt(GOOD.texts, { deal: GOOD.deal, signers: [SIGNER, successor, stranger] });
  expectReport(JSON.stringify(twice), { keys: [successor.verifier] }, "consistent", { signature: "pass" });
  const badLine = edited(GOOD.receipt, (copy) => { copy.checkpoint += successor.line("something else\n"); });
  expectReport(JSON.stringify(badLine), { keys: [SIGNER.verifier] }, "consistent", { signature: "pass" });
  expectReport(JSON.stringify(badLine), { keys: [SIGNER.verifier, successor.verifier] }, "refuted", { signature: "fail" });
});

test("signature: without a key the receipt's own must hold and be named like the origin", () => {
  const other = makeSigner("elsewhere.example", "stranger");
  const swapped = edited(GOOD.receipt, (copy) => { copy.vkey = other.vkey; });
  expectReport(JSON.stringify(swapped), {}, "refuted", { signature: "fail", inclusion: "fail" });
  expectReport(JSON.stringify(swapped), KEYS, "consistent", { signature: "pass" });
  const foreign = makeReceipt(GOOD.texts, { deal: GOOD.deal, signers: [other], vkey: other.vkey });
  expectReport(JSON.stringify(foreign), {}, "refuted", { signature: "fail" });
  const successor = makeSigner(SIGNER.name, "second key");
  expectReport(JSON.stringify(edited(GOOD.receipt, (copy) => { copy.vkey = successor.vkey; })), {}, "refuted", { signature: "fail" });
});

test("inclusion: every proof must lead to the signed root", () => {
  for (const change of [
    (/** @type {any} */ copy) => { copy.entries[1].proof.pop(); },
    (/** @type {any} */ copy) => { copy.entries[0].proof.push(p.toBase64(bytes("more"))); },
    (/** @type {any} */ copy) => { copy.entries[2].index -= 1; },
    (/** @type {any} */ copy) => { copy.entries[0].index = 10_000; },
    (/** @type {any} */ copy) => { copy.entries[0].proof.reverse(); },
  ]) expectReport(JSON.stringify(edited(GOOD.receipt, change)), KEYS, "refuted", { signature: "pass", inclusion: "fail" });
});

test("sequence: one hand, by kind, index, time and prev", () => {
  const other = makeHand({ label: "another hand" });
  const [commit, lock, reveal] = /** @type {[string, string, string]} */ (GOOD.texts);
  const of = (/** @type {string[]} */ texts) => JSON.stringify(makeReceipt(texts, { deal: GOOD.deal }));
  for (const texts of [[lock], [reveal], [lock, reveal], [commit, commit], [commit, reveal, lock], [lock, commit, reveal],
    [commit, lock, lock], [commit, lock, reveal, reveal], [commit, reveal], [commit, lock, other.texts[2]], [commit, other.texts[1]],
    [other.texts[0], lock, reveal]]) {
    expectReport(of(/** @type {string[]} */ (texts)), KEYS, "refuted", { inclusion: "pass", sequence: "fail" });
  }
  for (const options of [{ lock: { at: 1_699_999_999_999 } }, { lock: { prev: hex("other") } }, { reveal: { prev: hex("other") } },
    { reveal: { outcome: "void", reason: "seat-silent" } }, { stage: "unlocked" },
    { stage: "unlocked", outcome: "void", reason: "seat-silent", seats: [] }]) {
    expectReport(finished(options).text, KEYS, "refuted", { sequence: "fail" });
  }
  const late = finished({ reveal: { at: 1_900_000_000_000 }, lock: { at: 1_800_000_000_000, reveal_by: 1_800_000_060_000 } });
  expectReport(late.text, KEYS, "consistent", { sequence: "pass" });
  // Logged in the wrong order, then listed in the right one: only the indices tell.
  const backwards = edited(makeReceipt([lock, commit]), (copy) => copy.entries.reverse());
  expectReport(JSON.stringify(backwards), KEYS, "refuted", { inclusion: "pass", sequence: "fail" });
});

test("unsupported entries leave the report incomplete, unless something is malformed", () => {
  const strange = p.canonical({ type: "rake", v: 1, amount: 5 });
  const [commit, lock] = /** @type {[string, string]} */ (GOOD.texts);
  const of = (/** @type {string[]} */ texts) => JSON.stringify(makeReceipt(texts));
  expectReport(of([commit, lock, strange]), KEYS, "incomplete", { format: "absent", inclusion: "pass", sequence: "absent", seals: "pass" });
  expectReport(of([strange]), KEYS, "incomplete", { format: "absent", commitment: "absent", openings: "absent", seen: "absent" });
  const unlocked = makeHand({ stage: "unlocked", outcome: "void", reason: "technical" });
  expectReport(of([...unlocked.texts, strange]), KEYS, "incomplete", { seals: "absent", key: "absent", commitment: "pass" });
  const whole = JSON.stringify(makeReceipt([...GOOD.texts, strange], { deal: GOOD.deal }));
  expectReport(whole, { ...KEYS, seen: [p.seenCommitment(GOOD.commitment)] }, "incomplete", { format: "absent", sequence: "absent", seen: "pass", hands: "pass" });
  expectReport(of([commit, ` ${lock}`, strange]), KEYS, "refuted", { format: "fail" });
});

test("seals: each opened by its own seed, none without", () => {
  const { seals, contributions } = GOOD;
  for (const [given, expected] of /** @type {[any[], any][]} */ ([
    [[contributions[0]], { unopened: [2], wrong: [], unsealed: [] }],
    [[...contributions, { seat: 3, seed: hex("x") }], { unopened: [], wrong: [], unsealed: [3] }],
    [[contributions[0], { seat: 2, seed: hex("x") }], { unopened: [], wrong: [2], unsealed: [] }],
    [[contributions[0], { seat: 9, seed: hex("x") }], { unopened: [2], wrong: [], unsealed: [9] }],
  ])) {
    const report = expectReport(finished({ seals, contributions: given }).text, KEYS, "refuted", { commitment: "pass", seals: "fail", key: "fail", shuffle: "pass" });
    assert.equal(report.grinding, "operator");
    const { code, ...values } = /** @type {any} */ (report.checks.find(({ name }) => name === "seals")).detail;
    assert.deepEqual(values, expected);
  }
});

test("commitment: another seed opens nothing, yet what it deals is shown", () => {
  const report = expectReport(finished({ commitment: hex("x") }).text, KEYS, "refuted", { commitment: "fail", key: "fail", shuffle: "pass", hands: "pass" });
  assert.ok(report.facts?.trueDeal);
});

test("openings: null exactly where the terms have none", () => {
  const open = { ...TERMS, openings: true };
  expectReport(finished({ dealRoot: hex("x") }).text, KEYS, "refuted", { openings: "fail" });
  expectReport(finished({ dealRoot: hex("x"), stage: "lock" }).text, KEYS, "refuted", { openings: "fail" });
  expectReport(finished({ terms: open, dealRoot: null }).text, KEYS, "refuted", { openings: "fail" });
  expectReport(finished({ terms: open, dealRoot: null, stage: "lock" }).text, KEYS, "refuted", { openings: "fail" });
  expectReport(finished({ terms: open, dealRoot: hex("x") }).text, KEYS, "refuted", { openings: "fail", hands: "pass" });
  expectReport(finished({ terms: open, stage: "lock" }).text, KEYS, "incomplete", { openings: "absent" });
});

test("table and hands: each field is compared, each kind of document asked for", () => {
  const tampered = (/** @type {(deal: any) => void} */ change) => JSON.stringify(edited(GOOD.receipt, (copy) => change(copy.deal)));
  for (const change of [(/** @type {any} */ d) => { d.dealer = 1; }, (/** @type {any} */ d) => { d.starter = 0; },
    (/** @type {any} */ d) => { d.dealer_throws = [[{ seat: 0, value: 6 }]]; }, (/** @type {any} */ d) => { d.okey.reverse(); },
    (/** @type {any} */ d) => { d.spare = (d.spare + 1) % 106; }, (/** @type {any} */ d) => { d.throws[0][0] = (d.throws[0][0] % 6) + 1; },
    (/** @type {any} */ d) => { d.selected += 1; }, (/** @type {any} */ d) => { d.level += 1; }, (/** @type {any} */ d) => { d.wall.pop(); }]) {
    expectReport(tampered(change), KEYS, "refuted", { shuffle: "pass", table: "fail", hands: "pass" });
  }
  // Another indicator is a tile that already lies in a hand or the stock.
  expectReport(tampered((d) => { d.indicator = (d.indicator + 1) % 104; }), KEYS, "refuted", { table: "fail", hands: "fail" });
  for (const change of [(/** @type {any} */ d) => { d.hands[0].reverse(); }, (/** @type {any} */ d) => { d.hands.pop(); },
    (/** @type {any} */ d) => { d.stock.pop(); }, (/** @type {any} */ d) => { d.hands.push([]); }]) {
    expectReport(tampered(change), KEYS, "refuted", { shuffle: "pass", table: "pass", hands: "fail" });
  }
  expectReport(tampered((d) => { for (const name of ["wall", "spare", "throws", "selected", "level"]) delete d[name]; }), KEYS,
    "refuted", { shuffle: "pass", table: "fail", hands: "pass" });
  const asDeck = edited(GOOD.receipt, (copy) => { copy.deal = { order: copy.deal.order }; });
  expectReport(JSON.stringify(asDeck), KEYS, "refuted", { shuffle: "pass", table: "fail", hands: "fail" });
  const deck = finished({ terms: { game: "deck", size: 106, seats: 4, openings: false } });
  const asOkey = edited(deck.receipt, (copy) => { copy.deal = { ...GOOD.deal, order: copy.deal.order }; });
  expectReport(JSON.stringify(asOkey), KEYS, "refuted", { shuffle: "pass", table: "fail", hands: "none" });
  const short = tampered((d) => { d.order.pop(); });
  expectReport(short, KEYS, "refuted", { shuffle: "fail", table: "pass", hands: "pass" });
});

test("what is neither receipt nor record is refused without a report", () => {
  for (const text of ["", "null", "[]", "{}", '"x"', "x", '{"format":"fairdeal/2 receipt"}', '{"format":null}', '{"format":"fairdeal/1 record","format":"fairdeal/1 record"}',
    GOOD.text.replace('"index":5', '"index":5.0'), GOOD.text.slice(0, -1), `\ufeff${GOOD.text}`, `${GOOD.text}${GOOD.text}`]) {
    assert.throws(() => p.verifyText(text), p.MalformedError);
  }
});

test("malformed documents are refuted at format, and nothing else is judged", () => {
  const receipt = (/** @type {(copy: any) => void} */ change) => JSON.stringify(edited(GOOD.receipt, change));
  const texts = [
    receipt((c) => { delete c.deal; }), receipt((c) => { c.more = 1; }), receipt((c) => { c.vkey = null; }), receipt((c) => { c.vkey = "x"; }),
    receipt((c) => { c.checkpoint = ""; }), receipt((c) => { c.checkpoint = c.checkpoint.replace("\n\n", "\nmore\n\n"); }),
    receipt((c) => { c.entries = null; }), receipt((c) => { c.entries = {}; }), receipt((c) => { c.entries[0].index = -1; }),
    receipt((c) => { c.entries[0].index = "5"; }), receipt((c) => { c.entries[0].extra = 1; }), receipt((c) => { c.entries[0].entry = {}; }),
    receipt((c) => { c.entries[0].proof = null; }), receipt((c) => { c.entries[0].proof[0] = "AAAA"; }),
    receipt((c) => { c.entries[0].proof = Array(65).fill(p.toBase64(bytes("x"))); }), receipt((c) => { c.entries = Array(17).fill(c.entries[0]); }),
    receipt((c) => { c.entries[0].entry += " "; }), receipt((c) => { c.deal = []; }), receipt((c) => { c.deal.more = 1; }),
    receipt((c) => { delete c.deal.spare; }), receipt((c) => { c.deal = { wall: [] }; }), receipt((c) => { c.deal.order[0] = 1024; }),
    receipt((c) => { c.deal.order[0] = "1"; }), receipt((c) => { c.deal.dealer = 16; }), receipt((c) => { c.deal.starter = null; }),
    receipt((c) => { c.deal.throws[0][0] = 7; }), receipt((c) => { c.deal.throws[0] = 3; }), receipt((c) => { c.deal.dealer_throws = [[{ seat: 0 }]]; }),
    receipt((c) => { c.deal.hands = [[null]]; }), receipt((c) => { c.deal.order = Array(1025).fill(0); }), receipt((c) => { c.deal.level = -1; }),
    ...[{ hand: "x" }, { hand: "A".repeat(32) }, { terms: {} }, { commitment: "x" }, { server_seed: 1 }, { seals: null }, { seals: [{ seat: 4, seal: hex("x") }] },
      { contributions: [...GOOD.contributions].reverse() }, { contributions: [{ seat: 16, seed: hex("x") }] }, { deal_root: false }, { deal: 1 }, { more: 1 },
      { server_seed: "ab".repeat(31) }, { server_seed: "AB".repeat(32) }].map((change) => recordOf(GOOD, change)),
  ];
  for (const text of texts) {
    const report = p.verifyText(text, KEYS);
    const found = results(report);
    assert.equal(found.format, "fail", text.slice(0, 300));
    assert.ok(p.CHECKS.slice(1).every((name) => found[name] === "absent"));
    assert.deepEqual([report.verdict, report.grinding, report.log_evidence, report.cause], ["refuted", null, "none", "unknown"]);
    assert.ok(String(report.checks[0]?.detail.rule) in p.RULES);
    report.checks.forEach(({ detail }) => met.add(detail.code));
  }
});

test("spacing, order and escapes of the outer JSON are free", () => {
  const { deal, entries, ...rest } = GOOD.receipt;
  const text = JSON.stringify({ deal, entries, ...rest }, null, 2).replaceAll("fairdeal/1", "\\u0066airdeal\\/1");
  expectReport(`\n\t ${text}\r\n`, KEYS, "consistent", ALL_PASS_UNSEEN);
});
const ALL_PASS_UNSEEN = { ...ALL_PASS, seen: "absent" };

test("files are split into documents", () => {
  const pretty = JSON.stringify(GOOD.receipt, null, 2);
  assert.deepEqual(p.splitDocuments(pretty), [pretty]);
  assert.deepEqual(p.splitDocuments(`${GOOD.text}\n\n${recordOf(GOOD)}\r\n`).map((text) => p.verifyText(text).verdict), ["consistent", "consistent"]);
  assert.deepEqual(p.splitDocuments(" \n"), []);
});

test("the checks have no detail code that nothing here brought up", () => {
  expectReport(GOOD.text, { seen: [p.seenCommitment(hex("x"))] }, "refuted", { seen: "fail" });
  expectReport(GOOD.text, { seen: [p.seenSeed(0, GOOD.contributions[0].seed)] }, "consistent", { seen: "absent" });
  assert.deepEqual(p.DETAIL_CODES.filter((code) => !met.has(code)), []);
});
