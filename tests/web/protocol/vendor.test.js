// The vendored files are the published ones, and the protocol modules reach no further than they may.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const web = new URL("../../../api/fairdeal_api/web/", import.meta.url);
const SUMS = {
  "noble-curves/LICENSE": "4f221aee6e072336700c408c68ab3b96a3fc09f6aebe6f48f1bd99e5ef13faec",
  "noble-curves/abstract/curve.d.ts": "933792b8c0e73b795ec3a97c69a7f8a506fd37f9fecc54135bbb1a796b9a8aff",
  "noble-curves/abstract/curve.js": "dbaeee3b41ff47efb76b78e14170fe4dda7c7ecdc387c402f16c5118e0bac356",
  "noble-curves/abstract/edwards.d.ts": "217506fe30ac0b6995cbb92d50da92d3e31a54f2eaba2f7c76d2d54bbda5aa40",
  "noble-curves/abstract/edwards.js": "f24a9c221a549a8fff259eb8f245ab0dc17679b13c532c3970d91acc4df9fffd",
  "noble-curves/abstract/modular.d.ts": "e8203a44185131417db537c76874dd5284874ece85905360e7ffb5d37553ec8c",
  "noble-curves/abstract/modular.js": "9ced3aa10598277a735e54f7b61d88e929d565da884ba5385f9006ebb3b6aab2",
  "noble-curves/utils.d.ts": "3ded73d3c7fd593b5c66676478b7751c4c791f4f438d72b4d43f705f93baa465",
  "noble-curves/utils.js": "6a66bcce57ddabddd68776ea5211be52c226984723c440cd79d795ccecb0f0d1",
  "noble-hashes/LICENSE": "4f221aee6e072336700c408c68ab3b96a3fc09f6aebe6f48f1bd99e5ef13faec",
  "noble-hashes/_md.d.ts": "f5ffc0d52997445b4531a0e1e67ee0f6f376e0ed5c66f978e80288973d50cd06",
  "noble-hashes/_md.js": "60cf3010fda89e3e4d3f0e7ff1ce249e9c467f34b4fd41b6fd6101d9f69be763",
  "noble-hashes/_u64.d.ts": "78744410de5b7594879963d315b7a339a06ecafa73b0a0ddf63fdabdb926dd25",
  "noble-hashes/_u64.js": "b09da8c07fe8187c07649494cdb7cd0bcf13df90b506a9473d19e4d5f8c2e102",
  "noble-hashes/sha2.d.ts": "5b1c09cb23f0c1e7018d31d28f4eec2b18eec6454f07c0f69ff2eb3c8decdb21",
  "noble-hashes/sha2.js": "471746bba6ec4c6238ca41358d1d3b40b6ff31cf3363f0b4d550c649c1a8e83b",
  "noble-hashes/utils.d.ts": "cfccade8c719b698bd8b0313ff996941f5d5a384654ec2886d9141224f6db439",
  "noble-hashes/utils.js": "037ad49adb78168b6b699598fd33f85f7877456b1d28b4d032e2a1a16807947c",
};

test("each vendored file stands as it was taken", () => {
  const found = readdirSync(new URL("vendor/", web), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "README.md")
    .map((entry) => `${entry.parentPath ?? entry.path}/${entry.name}`);
  const sums = Object.fromEntries(found.map((path) =>
    [path.split("/vendor/").at(-1)?.replace("//", "/"), createHash("sha256").update(readFileSync(path)).digest("hex")]));
  assert.deepEqual(sums, SUMS);
});

test("protocol modules use no DOM, no network, no clock, no randomness, and import only each other and the vendor folder", () => {
  const names = readdirSync(new URL("protocol/", web)).filter((name) => name.endsWith(".js"));
  assert.ok(names.length > 20);
  for (const name of names) {
    const source = readFileSync(new URL(`protocol/${name}`, web), "utf8");
    const code = source.replace(/\/\*[^]*?\*\/|\/\/.*/g, "");
    assert.doesNotMatch(code, /\b(document\.(?:body|cookie|create|get|query)|window\.|navigator|fetch|XMLHttpRequest|WebSocket|localStorage|Date|Math\.random|getRandomValues|setTimeout|console|(?<!this\.)process|eval|Function)\b/, name);
    for (const [, from = ""] of code.matchAll(/from "([^"]+)"/g)) assert.match(from, /^\.\/[a-z0-9-]+\.js$|^\.\.\/vendor\/noble-/, name);
    assert.ok(source.split("\n").length <= 400, `${name} is too long`);
  }
});

test("index.js exports a sorted, known surface", async () => {
  const index = await import(new URL("protocol/index.js", web).href);
  for (const name of ["verify", "verifyText", "engine", "traceDeal", "parseSeenText", "makeDeal", "DETAIL_CODES", "RULES", "SEEN_REASONS"]) {
    assert.ok(name in index, name);
  }
  const pack = JSON.parse(readFileSync(new URL("package.json", web), "utf8"));
  assert.deepEqual([pack.type, pack.dependencies, pack.exports["."]], ["module", undefined, "./protocol/index.js"]);
});
