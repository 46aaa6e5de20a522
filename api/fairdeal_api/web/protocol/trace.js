/**
 * Every draw of a deal, written out, for a view that plays the deal step by step.
 * @module
 */

import { toHex } from "./encoding.js";
import { makeDeal } from "./deal.js";
import { Draws } from "./draws.js";
/** @import { Deal } from "./deal.js" */
/** @import { Terms } from "./terms.js" */

/**
 * One draw (§3.1): `value` is the MAC modulo `m`. A shuffle draw swaps the places `swap` (i, then j, which may be
 * equal); for a die, `value` is one less than what it shows.
 * @typedef {{ label: string, mac: string, m: number, value: number, swap: [number, number] | null }} TracedDraw
 */

class TracingDraws extends Draws {
  /** @type {TracedDraw[]} */
  traced = [];

  /**
   * @override
   * @param {string} label
   * @param {number} m
   * @returns {number}
   */
  pick(label, m) {
    const mac = this.mac(label);
    const value = this.reduce(mac, m);
    const at = label.startsWith("r:") ? Number(label.slice(2)) : null;
    this.traced.push({ label, mac: toHex(mac), m, value, swap: at === null ? null : [at, value] });
    return value;
  }
}

/**
 * The deal, with every draw in the order it is made (§3).
 * @param {Uint8Array} key the deal key, 32 bytes
 * @param {Terms} terms
 * @returns {{ draws: TracedDraw[], deal: Deal }}
 */
export function traceDeal(key, terms) {
  const draws = new TracingDraws(key);
  return { deal: makeDeal(draws, terms), draws: draws.traced };
}
