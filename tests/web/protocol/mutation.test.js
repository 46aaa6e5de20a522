// One change anywhere in a good receipt or record never goes unnoticed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { edited, finished, p, recordOf, SIGNER, TERMS } from "./build.js";

const GOOD = finished({ terms: { ...TERMS, openings: true } });
const OPTIONS = { keys: [SIGNER.verifier], seen: [p.seenCommitment(GOOD.commitment), p.seenSeed(0, GOOD.contributions[0].seed)] };

/**
 * Every copy of a JSON value with one value changed, dropped, repeated or added, at any depth.
 * @param {any} value
 * @returns {Generator<any>}
 */
function* mutants(value) {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      // Long lists of tiles are covered by a few of their places, the last among them.
      if (value.length > 8 && i % 23 !== 0 && i !== value.length - 1) continue;
      for (const changed of mutants(value[i])) yield [...value.slice(0, i), changed, ...value.slice(i + 1)];
      yield value.filter((_, j) => j !== i);
      yield [...value.slice(0, i + 1), value[i], ...value.slice(i + 1)];
      if (i > 0) yield [...value.slice(0, i - 1), value[i], value[i - 1], ...value.slice(i + 1)];
    }
    yield [...value, null];
    yield [...value, 0];
  } else if (value !== null && typeof value === "object") {
    for (const name of Object.keys(value)) {
      for (const changed of mutants(value[name])) yield { ...value, [name]: changed };
      const { [name]: _, ...rest } = value;
      yield rest;
    }
    yield { ...value, extra: 1 };
  } else if (typeof value === "number") {
    yield* [value + 1, value - 1, value + 0.5, String(value), null, true];
  } else if (typeof value === "string") {
    const at = Math.floor(value.length / 2);
    yield value.slice(0, at) + (value[at] === "0" ? "1" : "0") + value.slice(at + 1);
    yield* [value.slice(1), value.slice(0, -1), `${value} `, value.toUpperCase() === value ? value.toLowerCase() : value.toUpperCase(), "", null, 0];
  } else if (typeof value === "boolean") {
    yield* [!value, null, Number(value)];
  } else {
    yield* [0, "", false, {}];
  }
}

/** @param {string} text */
function noticed(text) {
  let report;
  try {
    report = p.verifyText(text, OPTIONS);
  } catch (error) {
    return error instanceof p.MalformedError ? "refused" : assert.fail(String(error));
  }
  return report.verdict;
}

test("receipt: any single change is refused, refuted or incomplete", () => {
  assert.equal(noticed(GOOD.text), "verified");
  let count = 0;
  for (const mutant of mutants(GOOD.receipt)) {
    const text = JSON.stringify(mutant);
    if (text === GOOD.text) continue;
    const found = noticed(text);
    // The receipt's own key is not looked at where a trusted one is given, so another valid key could stand there.
    assert.ok(["refused", "refuted", "incomplete"].includes(found), `${found}: ${text.slice(0, 2000)}`);
    count++;
  }
  assert.ok(count > 500, String(count));
});

test("record: any single change is refused, refuted or incomplete", () => {
  const good = recordOf(GOOD);
  assert.equal(noticed(good), "verified");
  for (const mutant of mutants(JSON.parse(good))) {
    const text = JSON.stringify(mutant);
    if (text !== good) assert.ok(["refused", "refuted", "incomplete"].includes(noticed(text)), text.slice(0, 2000));
  }
});

test("entries: any single change inside breaks the log's proof", () => {
  GOOD.receipt.entries.forEach((logged, i) => {
    for (const mutant of mutants(JSON.parse(logged.entry))) {
      const entry = p.canonical(mutant);
      if (entry === logged.entry) continue;
      const text = JSON.stringify(edited(GOOD.receipt, (copy) => { copy.entries[i].entry = entry; }));
      assert.ok(["refuted", "refused"].includes(noticed(text)), entry);
    }
  });
});

test("characters: any cut or flipped character of the text", () => {
  for (let at = 0; at < GOOD.text.length; at += 41) {
    assert.notEqual(noticed(GOOD.text.slice(0, at)), "verified");
    const flipped = String.fromCharCode(GOOD.text.charCodeAt(at) ^ 1);
    const text = GOOD.text.slice(0, at) + flipped + GOOD.text.slice(at + 1);
    assert.ok(["refused", "refuted", "incomplete"].includes(noticed(text)), `${at}: ${GOOD.text[at]} to ${flipped}`);
  }
});
