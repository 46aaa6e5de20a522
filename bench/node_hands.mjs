// The same work in Node: commitment, deal key and shuffle of hands with createHmac. Prints hands a second.
import { createHash, createHmac, randomBytes } from "node:crypto";
import { shuffled } from "./node_shuffle.mjs";

function holds(seed, transcript, commitment, order) {
  if (!createHash("sha256").update(seed).digest().equals(commitment)) return false;
  const key = createHmac("sha256", seed).update(transcript).digest();
  return Buffer.from(shuffled(key)).equals(order);
}

const count = Number(process.argv[2] ?? 4000);
const hands = Array.from({ length: count }, () => {
  const seed = randomBytes(32);
  const transcript = randomBytes(96);
  const key = createHmac("sha256", seed).update(transcript).digest();
  return [seed, transcript, createHash("sha256").update(seed).digest(), Buffer.from(shuffled(key))];
});
const start = process.hrtime.bigint();
const good = hands.filter((hand) => holds(...hand)).length;
const seconds = Number(process.hrtime.bigint() - start) / 1e9;
if (good !== count) throw new Error("a hand that holds did not");
console.log(Math.round(count / seconds));
