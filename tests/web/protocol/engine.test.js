// Which engines computed a verdict, and that they never disagree silently.
import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import { test } from "node:test";
import { finished, p, SIGNER } from "./build.js";

const MODULE = "../../../api/fairdeal_api/web/protocol/index.js";
const GOOD = finished();
const OPTIONS = { keys: [SIGNER.verifier] };
// Node 18 keeps Web Crypto out of the globals.
const real = globalThis.crypto ?? /** @type {any} */ (webcrypto);
globalThis.crypto ??= real;

/**
 * Runs with another `crypto`. A query on the module's address loads it anew, as engines are looked for once.
 * @param {unknown} crypto
 * @param {(fresh: typeof p) => Promise<void>} act
 */
async function under(crypto, act) {
  Object.defineProperty(globalThis, "crypto", { value: crypto, configurable: true, writable: true });
  try {
    await act(await import(`${MODULE}?${Math.random()}`));
  } finally {
    Object.defineProperty(globalThis, "crypto", { value: real, configurable: true, writable: true });
  }
}

/** `crypto.subtle` with some calls replaced. @param {Record<string, Function>} changes */
const bent = (changes) => ({
  subtle: Object.fromEntries(["digest", "sign", "verify", "importKey"].map((name) => [name,
    changes[name] ?? ((/** @type {any[]} */ ...args) => /** @type {any} */ (real.subtle)[name](...args))])),
});

test("with crypto.subtle both engines take part", async () => {
  assert.deepEqual(await p.engine(), { name: "subtle+noble", ed25519: true });
  const report = await p.verify(GOOD.text, OPTIONS);
  assert.deepEqual([report.verdict, report.engine], ["consistent", "subtle+noble"]);
  const { engine, ...rest } = p.verifyText(GOOD.text, OPTIONS);
  assert.equal(engine, "noble");
  assert.deepEqual({ ...report, engine }, { ...rest, engine });
});

for (const [name, crypto] of /** @type {[string, unknown][]} */ ([["plain http", { getRandomValues() {} }], ["no crypto at all", undefined]])) {
  test(`${name}: the vendored engine alone, and the report says so`, () => under(crypto, async (fresh) => {
    assert.deepEqual(await fresh.engine(), { name: "noble", ed25519: false });
    const report = await fresh.verify(GOOD.text, OPTIONS);
    assert.deepEqual([report.verdict, report.engine], ["consistent", "noble"]);
  }));
}

test("an engine that fails its known answers stops everything", async () => {
  for (const call of ["digest", "sign"]) {
    await under(bent({ [call]: async () => new ArrayBuffer(32) }), async (fresh) => {
      await assert.rejects(fresh.engine(), { code: "engine" });
      await assert.rejects(fresh.verify(GOOD.text, OPTIONS), { code: "engine" });
    });
  }
});

test("an engine that goes wrong later is an error and no verdict", async () => {
  for (const call of ["digest", "sign", "verify"]) {
    let calls = 0;
    const later = async (/** @type {any[]} */ ...args) => {
      calls++;
      if (calls === 1) return /** @type {any} */ (real.subtle)[call](...args);
      return call === "verify" ? false : new ArrayBuffer(32);
    };
    await under(bent({ [call]: later }), async (fresh) => {
      await fresh.engine();
      await assert.rejects(fresh.verify(GOOD.text, OPTIONS), { code: "engine" });
    });
  }
});

test("a bad signature is bad for both engines", async () => {
  const text = GOOD.text.replace(/(\\n\\n— log\.example\/one [A-Za-z0-9+/]{30})(.)/u, (_, before, c) => before + (c === "A" ? "B" : "A"));
  assert.notEqual(text, GOOD.text);
  const report = await p.verify(text, OPTIONS);
  assert.deepEqual([report.verdict, report.checks[1]?.result, report.engine], ["refuted", "fail", "subtle+noble"]);
});

test("refusals come through the promise", async () => {
  await assert.rejects(p.verify("{}"), p.MalformedError);
});
