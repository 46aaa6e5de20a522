// What a player kept from before the hand (§10.6), and who could have chosen the deal (§10.3).
import assert from "node:assert/strict";
import { test } from "node:test";
import { edited, finished, hex, makeHand, makeReceipt, makeSigner, p, recordOf, results, SIGNER, TERMS } from "./build.js";

const OPEN = { ...TERMS, openings: true };
const GOOD = finished({ terms: OPEN });
const AT_COMMIT = makeHand({ terms: OPEN, stage: "commit" });
const AT_LOCK = makeHand({ terms: OPEN, stage: "lock" });
const OTHER = finished({ terms: OPEN, label: "another hand" });
const OWN = p.seenSeed(2, GOOD.contributions[1].seed);
const BARE = p.seenCommitment(GOOD.commitment);
/** The tree that the finished receipt stands in, so that kept receipts agree about it. */
const kept = (/** @type {any} */ hand, /** @type {any} */ options = {}) => p.seenReceipt(p.parseJson(JSON.stringify(makeReceipt(hand.texts, options)), "kept"));
const faces = (/** @type {number} */ seat) => /** @type {any} */ (GOOD.trueDeal).hands[seat].map(p.tileName);
const opening = (/** @type {string} */ slot) => p.openSlot(GOOD.hand, GOOD.draws, GOOD.terms, GOOD.trueDeal, slot);

/** @param {string} text @param {any[]} seen @returns {any} */
function judged(text, seen) {
  const report = p.verifyText(text, { keys: [SIGNER.verifier], seen });
  for (const one of report.facts?.seen ?? []) assert.ok(p.SEEN_REASONS[one.outcome]?.includes(one.reason), one.reason);
  return { seen: results(report).seen, grinding: report.grinding, reasons: report.facts?.seen.map(({ reason }) => reason), report };
}

/** @type {[string, any[], string, string, string[]][]} */
const AGREEING = [
  ["nothing", [], "absent", "operator-with-all-seats", []],
  ["commitment", [BARE], "pass", "operator-with-all-seats", ["commitment.same"]],
  ["own seed alone", [OWN], "absent", "operator-with-all-seats", ["seed.same"]],
  ["commitment and own seed", [BARE, OWN], "pass", "nobody", ["commitment.same", "seed.same"]],
  ["commit receipt", [kept(AT_COMMIT)], "pass", "operator-with-all-seats", ["receipt.same"]],
  ["commit receipt and own seed", [kept(AT_COMMIT), OWN], "pass", "nobody", ["receipt.same", "seed.same"]],
  ["lock receipt and own seed: kept too late", [kept(AT_LOCK), OWN], "pass", "operator-with-all-seats", ["receipt.same", "seed.same"]],
  ["whole receipt and own seed: kept afterwards", [kept(GOOD, {}), OWN], "absent", "operator-with-all-seats", ["receipt.with-reveal", "seed.same"]],
  ["own tiles in any order", [p.seenTiles(1, faces(1).sort().reverse())], "absent", "operator-with-all-seats", ["tiles.same"]],
  ["openings", [p.seenOpening(opening("hand/1/14")), p.seenOpening(opening("stock/47"))], "absent", "operator-with-all-seats", ["opening.same", "opening.same"]],
  ["all of it", [BARE, kept(AT_COMMIT), kept(AT_LOCK), OWN, p.seenTiles(2, faces(2)), p.seenOpening(opening("indicator"))], "pass", "nobody",
    ["commitment.same", "receipt.same", "receipt.same", "seed.same", "tiles.same", "opening.same"]],
  ["other hands' items are set aside", [kept(OTHER), p.seenOpening({ ...opening("indicator"), hand: OTHER.hand }), BARE], "pass", "operator-with-all-seats",
    ["receipt.other-hand", "opening.other-hand", "commitment.same"]],
];
for (const [name, seen, result, grinding, reasons] of AGREEING) {
  test(`agrees: ${name}`, () => {
    const found = judged(GOOD.text, seen);
    assert.deepEqual([found.seen, found.grinding, found.reasons], [result, grinding, reasons]);
    assert.equal(found.report.verdict, result === "pass" ? "verified" : "consistent");
    // The record says the same of each, having the same hand.
    const record = judged(recordOf(GOOD), seen);
    assert.deepEqual([record.seen, record.grinding, record.reasons], [result, grinding, reasons]);
  });
}

const seat0 = GOOD.contributions[0].seed;
/** @type {[string, any, string][]} */
const DISAGREEING = [
  ["another commitment", p.seenCommitment(hex("x")), "commitment.other"],
  ["a commit with another commitment", kept(makeHand({ terms: OPEN, stage: "commit", commitment: hex("x") })), "receipt.entry"],
  ["a lock with another root", kept(makeHand({ terms: OPEN, stage: "lock", dealRoot: hex("x") })), "receipt.entry"],
  ["the commit at another index", kept(AT_COMMIT, { before: 6 }), "receipt.index"],
  ["own seed, no seal at the seat", p.seenSeed(1, seat0), "seed.no-seal"],
  ["own seed, seal of another", p.seenSeed(2, seat0), "seed.seal"],
  ["own tiles, one other", p.seenTiles(1, [...faces(1).slice(1), "R1"]), "tiles.other"],
  ["own tiles, one missing", p.seenTiles(1, faces(1).slice(1)), "tiles.other"],
  ["own tiles at a seat beyond the table", p.seenTiles(4, faces(1)), "tiles.seat"],
  ["an opening of another tile", p.seenOpening({ ...opening("stock/3"), tile: 5 }), "opening.proof"],
  ["an opening with another salt", p.seenOpening({ ...opening("stock/3"), salt: hex("x") }), "opening.proof"],
  ["an opening of another slot", p.seenOpening({ ...opening("stock/3"), slot: "stock/4" }), "opening.proof"],
  ["an opening at another index", p.seenOpening({ ...opening("stock/3"), index: 5 }), "opening.proof"],
  ["an opening of another size", p.seenOpening({ ...opening("stock/3"), size: 107 }), "opening.proof"],
  ["an opening with a broken path", p.seenOpening({ ...opening("stock/3"), proof: opening("stock/3").proof.slice(1) }), "opening.proof"],
];
for (const [name, item, reason] of DISAGREEING) {
  test(`disagrees: ${name}`, () => {
    const found = judged(GOOD.text, [BARE, OWN, item]);
    assert.deepEqual([found.seen, found.reasons[2]], ["fail", reason]);
    assert.equal(found.report.verdict, "refuted");
    // A kept item that disagrees takes back "nobody".
    assert.equal(found.grinding, "operator-with-all-seats");
  });
}

test("a fork: the same size under another root", () => {
  const finishedHead = p.parseReceipt(p.parseJson(GOOD.text, "x")).checkpoint;
  // The commit where it stands in the finished log, other strangers after it, and as many entries in all.
  const same = makeReceipt(GOOD.texts.slice(0, 1), { before: 5, after: finishedHead.size - 5 - 2 });
  assert.deepEqual(judged(GOOD.text, [p.seenReceipt(same)]).reasons, ["receipt.root"]);
  const elsewhere = makeSigner("elsewhere.example", "else");
  const other = makeReceipt(GOOD.texts.slice(0, 1), { before: 5, after: finishedHead.size - 7, origin: "elsewhere.example", signers: [elsewhere], vkey: elsewhere.vkey });
  assert.deepEqual(judged(GOOD.text, [p.seenReceipt(other)]).reasons, ["receipt.same"]);
});

test("kept receipts against a record, field by field", () => {
  const against = (/** @type {any} */ changes, /** @type {any} */ item) => judged(recordOf(GOOD, changes), [item]).reasons[0];
  assert.equal(against({ terms: { ...OPEN, dice: 2 } }, kept(AT_COMMIT)), "receipt.terms");
  assert.equal(against({ commitment: hex("x") }, kept(AT_COMMIT)), "receipt.commitment");
  assert.equal(against({ seals: GOOD.seals.slice(1) }, kept(AT_COMMIT)), "receipt.seals");
  assert.equal(against({ contributions: [] }, kept(AT_LOCK)), "receipt.contributions");
  assert.equal(against({ deal_root: null }, kept(AT_LOCK)), "receipt.deal-root");
  assert.equal(against({ hand: OTHER.hand }, kept(AT_COMMIT)), "receipt.other-hand");
  const silent = judged(recordOf(GOOD, { commitment: null }), [BARE, kept(AT_COMMIT), OWN]);
  assert.deepEqual([silent.seen, silent.grinding, silent.reasons[0]], ["absent", "operator-with-all-seats", "commitment.not-given"]);
});

test("before the reveal: seals and roots are compared as far as they are there", () => {
  const commit = JSON.stringify(makeReceipt(AT_COMMIT.texts));
  const lock = JSON.stringify(makeReceipt(AT_LOCK.texts));
  assert.deepEqual(judged(commit, [OWN, p.seenOpening(opening("indicator")), p.seenTiles(1, faces(1))]).reasons, ["seed.sealed", "opening.unlocked", "tiles.no-deal"]);
  assert.deepEqual(judged(lock, [OWN, p.seenOpening(opening("indicator"))]).reasons, ["seed.same", "opening.root-only"]);
  const later = judged(commit, [kept(AT_LOCK)]);
  assert.deepEqual([later.seen, later.report.facts?.seen[0].lacking], ["pass", ["lock"]]);
  assert.equal(judged(JSON.stringify(makeReceipt([])), [BARE]).seen, "absent");
});

test("the seat's own seed left out of the lock, or another in its place", () => {
  const dropped = finished({ terms: OPEN, seals: GOOD.seals, contributions: GOOD.contributions.slice(0, 1) });
  assert.deepEqual(judged(dropped.text, [OWN]).reasons, ["seed.contribution"]);
  const swapped = finished({ terms: OPEN, seals: GOOD.seals, contributions: [GOOD.contributions[0], { seat: 2, seed: hex("bot") }] });
  assert.deepEqual(judged(swapped.text, [OWN]).reasons, ["seed.contribution"]);
});

test("openings where the dealer is thrown for hold at any starter's place until the reveal", () => {
  const terms = { ...OPEN, dealer: "throw" };
  const lock = makeHand({ terms, stage: "lock" });
  const whole = finished({ terms });
  const { starter } = /** @type {any} */ (whole.trueDeal);
  for (const slot of ["hand/3/0", "hand/0/0", `hand/${starter}/14`]) {
    const given = p.seenOpening(p.openSlot(whole.hand, whole.draws, whole.terms, whole.trueDeal, slot));
    assert.deepEqual(judged(JSON.stringify(makeReceipt(lock.texts)), [given]).reasons, ["opening.root-only"]);
    assert.deepEqual(judged(whole.text, [given]).reasons, ["opening.same"]);
  }
  // A root built for another starter: its own openings hold, and the reveal gives it away.
  const wrong = { ...whole.trueDeal, starter: (starter + 1) % 4 };
  const hands = /** @type {any} */ (whole.trueDeal).hands;
  const bent = { ...wrong, hands: hands.map((/** @type {number[]} */ hand, /** @type {number} */ seat) =>
    (seat === wrong.starter ? [...hand, hands[starter][14]] : hand.slice(0, 14))) };
  const root = p.toHex(p.dealRoot(whole.draws, whole.terms, /** @type {any} */ (bent)));
  const item = p.seenOpening(p.openSlot(whole.hand, whole.draws, whole.terms, /** @type {any} */ (bent), `hand/${wrong.starter}/14`));
  const cheated = finished({ terms, dealRoot: root });
  assert.deepEqual(judged(cheated.text, [item]).reasons, ["opening.tile"]);
});

test("a deck has no tiles to compare by face, but openings", () => {
  const deck = finished({ terms: { game: "deck", size: 52, seats: 4, openings: true } });
  const item = p.seenOpening(p.openSlot(deck.hand, deck.draws, deck.terms, deck.trueDeal, "order/51"));
  assert.deepEqual(judged(deck.text, [item, p.seenTiles(0, ["R1"])]).reasons, ["opening.same", "tiles.deck"]);
});

test("what is kept is read as strictly as the rest, and said to be unreadable", () => {
  const one = (/** @type {string} */ text) => p.parseSeenText(text).map(({ kind }) => kind);
  assert.deepEqual(one(` ${GOOD.commitment}\n`), ["commitment"]);
  assert.deepEqual(one(`seed:2=${seat0}`), ["seed"]);
  assert.deepEqual(one("tiles:0=R10,K1,J"), ["tiles"]);
  assert.deepEqual(one(GOOD.text), ["receipt"]);
  const openings = [opening("indicator"), opening("stock/0")];
  assert.deepEqual(one(JSON.stringify(openings[0])), ["opening"]);
  assert.deepEqual(one(JSON.stringify(openings)), ["opening", "opening"]);
  assert.deepEqual(one(JSON.stringify({ hand: GOOD.hand, openings })), ["opening", "opening"]);
  assert.deepEqual(one(JSON.stringify({ hand: GOOD.hand, state: "revealed", receipt: GOOD.receipt })), ["receipt"]);
  const strange = makeReceipt([p.canonical({ type: "rake", v: 1 })]);
  for (const text of ["", "x", GOOD.commitment.toUpperCase(), `0x${GOOD.commitment}`, GOOD.commitment.slice(2), "seed:0=", "seed:100=" + seat0, "seed:-1=" + seat0,
    `seed:00=${seat0}`, "tiles:0=", "tiles:0=R10,", "tiles:0=r10", "tiles:0=R10, K1", "{}", "[]", "null", recordOf(GOOD), JSON.stringify(strange),
    JSON.stringify({ openings: [] }), JSON.stringify(edited(GOOD.receipt, (c) => { c.more = 1; })), JSON.stringify({ ...openings[0], slot: "hand/00/1" }),
    JSON.stringify({ ...openings[0], tile: -1 }), JSON.stringify({ ...openings[0], proof: ["AAAA"] }), JSON.stringify({ ...openings[0], more: 1 })]) {
    assert.throws(() => p.parseSeenText(text), p.MalformedError, text.slice(0, 80));
  }
});

test("what was kept must stand in an ended hand: a second story without a lock is refuted", () => {
  const undealt = finished({ terms: OPEN, stage: "unlocked", outcome: "void", reason: "technical" }).text;
  const found = [[kept(AT_LOCK), "receipt.missing"], [p.seenTiles(2, faces(2)), "tiles.undealt"],
    [p.seenOpening(opening("indicator")), "opening.undealt"]];
  assert.deepEqual(judged(undealt, [BARE]).report.verdict, "verified");
  for (const [item, reason] of found) {
    const { seen, reasons, report } = judged(undealt, [BARE, item]);
    assert.deepEqual([seen, report.verdict, reasons?.[1]], ["fail", "refuted", reason]);
  }
});

test("nobody needs a server seed that was committed to, and another kept hand's seed is recognised", () => {
  const record = JSON.parse(recordOf(GOOD));
  record.server_seed = JSON.parse(recordOf(OTHER)).server_seed;
  const { grinding, report } = judged(JSON.stringify(record), [BARE, OWN, kept(OTHER, {})]);
  assert.deepEqual([grinding, report.cause], ["operator-with-all-seats", "other-hands-seed"]);
});
