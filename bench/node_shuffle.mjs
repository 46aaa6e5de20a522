// The protocol's shuffle in Node (docs/protocol.md, section 3), for the benches that stand beside ours.
import { createHmac } from "node:crypto";

const labels = Array.from({ length: 106 }, (_, i) => `r:${i}`);

export function shuffled(key) {
  const tiles = Array.from(labels, (_, i) => i);
  for (let i = 105; i > 0; i -= 1) {
    const mac = createHmac("sha256", key).update(labels[i]).digest();
    // 256 bits modulo i + 1, 32 bits at a time: exact in a double.
    let j = 0;
    for (let k = 0; k < 32; k += 4) j = (j * 4294967296 + mac.readUInt32BE(k)) % (i + 1);
    [tiles[i], tiles[j]] = [tiles[j], tiles[i]];
  }
  return tiles;
}
