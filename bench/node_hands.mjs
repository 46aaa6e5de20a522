// The same work in Node: commitment, deal key and shuffle of hands with createHmac. Prints hands a second.
import { createHash, createHmac, randomBytes } from "node:crypto";

const labels = Array.from({ length: 106 }, (_, i) => `r:${i}`);

function holds(seed, transcript, commitment, order) {
  if (!createHash("sha256").update(seed).digest().equals(commitment)) return false;
  const key = createHmac("sha256", seed).update(transcript).digest();
  return shuffled(key).equals(order);
}

function shuffled(key) {
  const tiles = Buffer.from(labels.map((_, i) => i));
  for (let i = 105; i > 0; i -= 1) {
    const mac = createHmac("sha256", key).update(labels[i]).digest();
    // 256 bits modulo i + 1, 32 bits at a time: exact in a double.
    let j = 0;
    for (let k = 0; k < 32; k += 4) j = (j * 4294967296 + mac.readUInt32BE(k)) % (i + 1);
    [tiles[i], tiles[j]] = [tiles[j], tiles[i]];
  }
  return tiles;
}

const count = Number(process.argv[2] ?? 4000);
const hands = Array.from({ length: count }, () => {
  const seed = randomBytes(32);
  const transcript = randomBytes(96);
  const key = createHmac("sha256", seed).update(transcript).digest();
  return [seed, transcript, createHash("sha256").update(seed).digest(), shuffled(key)];
});
const start = process.hrtime.bigint();
const good = hands.filter((hand) => holds(...hand)).length;
const seconds = Number(process.hrtime.bigint() - start) / 1e9;
if (good !== count) throw new Error("a hand that holds did not");
console.log(Math.round(count / seconds));
