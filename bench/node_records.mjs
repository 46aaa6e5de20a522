// The audit of plain records in Node with createHmac: parse, commitment, deal key, shuffle, hands and stock.
//   node node_records.mjs records.jsonl [lines]     prints records a second, reading included
import { createHash, createHmac } from "node:crypto";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { shuffled } from "./node_shuffle.mjs";

const sha256 = (data) => createHash("sha256").update(data).digest();
const hex = (text) => Buffer.from(text, "hex");

// Terms hold no text that JSON would escape and no nesting: sorting their names is RFC 8785's form.
const canonical = (terms) => JSON.stringify(terms, Object.keys(terms).sort());

function dealt(order, terms) {
  const starter = (terms.dealer + 1) % terms.seats;
  const hands = [];
  let taken = 0;
  for (let q = 0; q < terms.seats; q += 1) {
    const count = 14 + (q === 0 ? 1 : 0);
    hands[(starter + q) % terms.seats] = order.slice(taken, taken + count);
    taken += count;
  }
  let at = 105;
  while (order[at] >= 104) at -= 1;
  const first = Math.floor((order[at] % 52) / 13) * 13 + (((order[at] % 13) + 1) % 13);
  const stock = [...order.slice(taken, at), ...order.slice(at + 1)];
  return { starter, hands, stock, indicator: order[at], okey: [first, first + 52] };
}

const same = (a, b) => a.length === b.length && a.every((value, k) => value === b[k]);

function holds(record) {
  const seed = hex(record.server_seed);
  if (!sha256(seed).equals(hex(record.commitment)) || record.contributions.length) return false;
  const transcript = [Buffer.from("fairdeal/1 deal\n"), hex(record.hand), sha256(canonical(record.terms)), sha256("")];
  const key = createHmac("sha256", seed).update(Buffer.concat(transcript)).digest();
  const order = shuffled(key);
  const { deal } = record;
  if (!same(order, deal.order)) return false;
  const truth = dealt(order, record.terms);
  return (
    truth.starter === deal.starter && truth.indicator === deal.indicator && same(truth.okey, deal.okey) &&
    same(truth.stock, deal.stock) && truth.hands.every((tiles, seat) => same(tiles, deal.hands[seat]))
  );
}

const most = Number(process.argv[3] ?? Infinity);
const start = process.hrtime.bigint();
let count = 0;
for await (const line of createInterface({ input: createReadStream(process.argv[2]) })) {
  if (!holds(JSON.parse(line))) throw new Error(`line ${count + 1} does not hold`);
  count += 1;
  if (count >= most) break;
}
console.log(Math.round(count / (Number(process.hrtime.bigint() - start) / 1e9)));
process.exit();
