// Strict text: one reading or none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { p } from "./build.js";

const refused = (/** @type {() => unknown} */ act, /** @type {string} */ rule) =>
  assert.throws(act, (error) => error instanceof p.MalformedError && error.rule === rule && error.rule in p.RULES);

test("JSON is read as written", () => {
  const text = ' {"a" : [1, -2, 0, 9007199254740991, true, false, null], "b":{"\\u0061":"\\ud83c\\udc04\\n\\/"} }\n';
  assert.equal(p.canonical(p.parseJson(text, "x")),
    '{"a":[1,-2,0,9007199254740991,true,false,null],"b":{"a":"🀄\\n/"}}');
  assert.equal(p.parseJson(p.utf8('"ş"'), "x"), "ş");
  const object = /** @type {any} */ (p.parseJson('{"__proto__":1,"constructor":2}', "x"));
  assert.deepEqual([Object.keys(object), object.__proto__], [["__proto__", "constructor"], 1]);
});

for (const [text, rule] of /** @type {[string, string][]} */ ([
  ["", "json"], [" ", "json"], ["{", "json"], ["[1,]", "json"], ["[1 2]", "json"], ['{"a":1,}', "json"], ["{a:1}", "json"],
  ["{'a':1}", "json"], ['{"a" 1}', "json"], ["[1]]", "json"], ["1 1", "json"], ["tru", "json"], ["True", "json"],
  ["nul", "json"], ["NaN", "json"], ["Infinity", "json"], ["-", "json"], ["+1", "json"], [".5", "json"], ["01", "json"],
  ["-01", "json"], ["0x10", "json"], ["1_0", "json"], ["\u00a01", "json"], ["\ufeff1", "json-mark"], ["\ufeff", "json-mark"], ["1\ufeff", "json"], [" \ufeff1", "json"], ["[\ufeff1]", "json"], ["1\u0000", "json"],
  ["٣", "json"], ["1.0", "json-number"], ["1.", "json-number"], ["1e3", "json-number"], ["1E3", "json-number"],
  ["-0", "json-number"], ["9007199254740992", "json-number"], ["9007199254740993", "json-number"], ["9999999999999999", "json-number"],
  ["00", "json"], ['"a\\', "json"], ['"a\\"', "json"], ['"\\\\\\"', "json"], ['"\\n\n"', "json"], ['"\\"x', "json"], ['"\\u00"', "json"], ["-9007199254740992", "json-number"],
  ["123456789012345678901234567890", "json-number"], ['"a', "json"], ['"\u0001"', "json"], ['"a\nb"', "json"],
  ['"\\x41"', "json"], ['"\\u12"', "json"], ['"\\u12g4"', "json"], ['"\\', "json"], ["// x\n1", "json"],
  ['{"a":1,"a":1}', "json-repeated"], ['{"a":1,"\\u0061":2}', "json-repeated"],
  ['{"__proto__":1,"__proto__":2}', "json-repeated"], ['"\\ud800"', "json-surrogate"], ['"\\udc00\\ud800"', "json-surrogate"],
  ['"\ud800"', "json-surrogate"], ['{"\\ud800":1}', "json-surrogate"], ["[".repeat(33) + "]".repeat(33), "json-depth"],
  ['{"a":'.repeat(33) + "1" + "}".repeat(33), "json-depth"],
])) {
  test(`JSON refused: ${JSON.stringify(text).slice(0, 40)}`, () => refused(() => p.parseJson(text, "x"), rule));
}

test("strings end at their own quote", () => {
  for (const text of ["\\", "\"", "a\\\"b", "\\\\", "\\\"", "\t\n\u0000", "\u2028\u2029", "é🀄", "\\u0022", "/", ""]) {
    assert.deepEqual(p.parseJson(JSON.stringify([text, "b", { [text]: text }]), "x"), [text, "b", Object.assign(Object.create(null), { [text]: text })]);
  }
  assert.equal(p.parseJson('"\\u0022\\u005c\\/"', "x"), '"\\/');
});

test("numbers are exact up to the last one allowed", () => {
  for (const text of ["9007199254740990", "9007199254740991", "-9007199254740991", "1000000000000000", "0"]) {
    assert.equal(String(p.parseJson(text, "x")), text);
  }
});

test("32 levels are still read, and bytes that are no UTF-8 are not", () => {
  assert.ok(p.parseJson("[".repeat(32) + "]".repeat(32), "x"));
  refused(() => p.parseJson(Uint8Array.of(0x22, 0xff, 0x22), "x"), "json");
  refused(() => p.parseJson(Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22), "x"), "json");
  refused(() => p.parseJson(Uint8Array.of(0xef, 0xbb, 0xbf, 0x31), "x"), "json-mark");
});

test("canonical form sorts by UTF-16 code units and escapes as RFC 8785", () => {
  // The sorting example of RFC 8785 §3.2.3.
  const value = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\u{1f600}": 5, "\u0080": 6, "\u00f6": 7 };
  assert.equal(p.canonical(value), '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"\u{1f600}":5,"\ufb33":3}');
  assert.equal(p.canonical("\b\t\n\f\r\"\\/\u0007\u007f"), '"\\b\\t\\n\\f\\r\\"\\\\/\\u0007\u007f"');
  for (const text of ['{"b":1,"a":2}', '{"a": 1}', '"\\u0061"', '"\\/"', "[1 ]"]) refused(() => p.parseCanonical(text, "x"), "canonical");
  assert.deepEqual(p.parseCanonical("[1,2]", "x"), [1, 2]);
});

test("hex is lower case and of one length", () => {
  assert.deepEqual([...p.parseHex("00ff7f80", "x", 4)], [0, 255, 127, 128]);
  for (const text of ["", "0", "zz", "FF", "0xff", " ff", "ff ", "fff", "ffff", "\u0660\u0660", '"ff"', null, 255, ["ff"]]) {
    refused(() => p.parseHex(text, "x", 1), "hex");
  }
  for (const size of [31, 33]) refused(() => p.parseHex("0".repeat(2 * size), "x", 32), "hex");
});

test("base64 has one text for each value", () => {
  for (let size = 0; size < 40; size++) {
    const bytes = Uint8Array.from({ length: size }, (_, i) => (i * 37 + size) & 255);
    const text = p.toBase64(bytes);
    assert.equal(text, Buffer.from(bytes).toString("base64"));
    assert.deepEqual(p.parseBase64(text, "x"), bytes);
    assert.deepEqual(p.parseBase64(text, "x", size), bytes);
    refused(() => p.parseBase64(text, "x", size + 1), "base64");
  }
  for (const text of ["A", "AA", "AAA", "AB==", "AAB=", "A===", "====", "AA=A", "AA==AAAA", "AA\n=", " AAA", "AA-_", "AAAA\n", "ĀAAA", 1, null]) {
    refused(() => p.parseBase64(text, "x"), "base64");
  }
});

test("seeds of another length are refused everywhere", () => {
  const terms = p.parseTerms({ game: "deck", size: 2, seats: 1, openings: false });
  for (const size of [0, 31, 33, 64]) {
    const bytes = new Uint8Array(size);
    assert.throws(() => p.commitmentOf(bytes), p.UsageError);
    assert.throws(() => p.sealOf(bytes), p.UsageError);
    assert.throws(() => p.luckySeed(bytes, "x"), p.UsageError);
    assert.throws(() => p.dealKey(bytes, "00".repeat(16), terms, []), p.UsageError);
    assert.throws(() => new p.Draws(bytes), p.UsageError);
  }
  assert.throws(() => p.luckySeed(new Uint8Array(32), "\ud800"), p.UsageError);
});

test("lucky words go in as typed", () => {
  const random = new Uint8Array(32).fill(9);
  const of = (/** @type {string} */ words) => p.toHex(p.luckySeed(random, words));
  const words = ["", " ", "şans", "s\u0327ans", "ŞANS", "ısı", "isi", "İ", "🀄", "a+b%2B&c=#", "undefined", "x".repeat(10_000)];
  assert.equal(new Set(words.map(of)).size, words.length);
  assert.equal(of("şans"), p.toHex(p.sha256(random, new TextEncoder().encode("şans"))));
});

test("terms: every field, and no other", () => {
  const okey = { game: "okey", layout: "wall", seats: 4, dealer: "throw", dice: 1, openings: false };
  const deck = { game: "deck", size: 52, seats: 16, openings: true };
  assert.deepEqual({ ...p.parseTerms(okey) }, okey);
  assert.deepEqual({ ...p.parseTerms(deck) }, deck);
  for (const change of [{ game: "Okey" }, { layout: "stack" }, { seats: 1 }, { seats: 5 }, { seats: "4" }, { dealer: 4 },
    { dealer: -1 }, { dealer: null }, { dealer: "0" }, { dice: 0 }, { dice: 3 }, { dice: 1.5 }, { openings: 0 }, { size: 106 }]) {
    assert.throws(() => p.parseTerms({ ...okey, ...change }), p.MalformedError, JSON.stringify(change));
  }
  for (const change of [{ size: 1 }, { size: 1025 }, { seats: 0 }, { seats: 17 }, { openings: null }, { layout: "wall" }]) {
    assert.throws(() => p.parseTerms({ ...deck, ...change }), p.MalformedError, JSON.stringify(change));
  }
  for (const value of [null, [], "okey", 1, {}]) assert.throws(() => p.parseTerms(value), p.MalformedError);
  const { dice, ...without } = okey;
  assert.throws(() => p.parseTerms(without), p.MalformedError);
});

test("tiles and okeys as §3.6 and §3.7 name them", () => {
  assert.deepEqual([0, 12, 13, 51, 52, 103, 104, 105].map(p.tileName), ["R1", "R13", "Y1", "K13", "R1", "K13", "J", "J"]);
  for (let tile = 0; tile < 106; tile++) assert.ok(p.copiesOf(p.tileName(tile)).includes(tile));
  const okey = (/** @type {string} */ face) => p.okeyOf(p.copiesOf(face)[0]).map(p.tileName);
  assert.deepEqual([okey("R10"), okey("R13"), okey("Y6"), okey("K1"), okey("K13")],
    [["R11", "R11"], ["R1", "R1"], ["Y7", "Y7"], ["K2", "K2"], ["K1", "K1"]]);
  assert.deepEqual(p.okeyOf(103), [39, 91]);
  assert.throws(() => p.okeyOf(104), p.UsageError);
  for (const face of ["r10", "R0", "R14", "R01", "G1", "", "JJ", "R", null]) assert.throws(() => p.parseFace(face), p.MalformedError);
  for (const tile of [-1, 106, 1.5]) assert.throws(() => p.tileName(tile), p.UsageError);
});
