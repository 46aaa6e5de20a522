/**
 * Hands that a file shows more than once.
 *
 * That is no fault by itself: one hand has a receipt at each stage. But whoever counts hands must know, and two
 * commitments for one hand cannot both have been made before it.
 * @module
 */

/** @import { Row } from "./checker.js" */
/** @import { Line } from "../protocol/receipt.js" */

/**
 * A row whose hand stands on an earlier line: word for word the `same`, in an `other` document, or with another
 * `commitment`.
 * @typedef {{ kind: "same" | "other" | "commitment", line: number }} Repeat line: of the earlier one, from 1
 */

/**
 * @param {readonly Row[]} rows by place, perhaps with holes
 * @param {readonly Line[]} lines
 * @returns {Map<number, Repeat>} by place
 */
export function repeatsOf(rows, lines) {
  /** @type {Map<string, number[]>} */
  const places = new Map();
  rows.forEach(({ hand, at }) => {
    if (hand === null) return;
    const earlier = places.get(hand.hand);
    if (earlier === undefined) places.set(hand.hand, [at]);
    else earlier.push(at);
  });
  const lineOf = (/** @type {number} */ at) => lines[at]?.line ?? 0;
  /** @type {Map<number, Repeat>} */
  const found = new Map();
  for (const all of places.values()) {
    if (all.length === 1) continue;
    // The first place of each text and of each commitment, in the file's order.
    /** @type {Map<string, number>} */
    const texts = new Map();
    /** @type {Map<string, number>} */
    const commitments = new Map();
    const [first = 0] = all;
    for (const at of all) {
      const text = (lines[at]?.text ?? "").trim();
      const commitment = rows[at]?.hand?.commitment ?? null;
      const against = commitment === null ? undefined : another(commitments, commitment);
      if (against !== undefined) found.set(at, { kind: "commitment", line: lineOf(against[1]) });
      else if (at !== first) found.set(at, { kind: texts.has(text) ? "same" : "other", line: lineOf(texts.get(text) ?? first) });
      if (!texts.has(text)) texts.set(text, at);
      if (commitment !== null && !commitments.has(commitment)) commitments.set(commitment, at);
    }
  }
  return found;
}

/**
 * @param {readonly Row[]} rows
 * @param {ReadonlyMap<number, Repeat>} repeats
 * @returns {{ hands: number, again: number, nameless: number }} which add up to the rows: each hand once, its repeats,
 *   and lines from which no hand can be read
 */
export function tallyOf(rows, repeats) {
  const nameless = rows.filter(({ hand }) => hand === null).length;
  return { hands: rows.length - repeats.size - nameless, again: repeats.size, nameless };
}

/**
 * @param {ReadonlyMap<string, number>} commitments
 * @param {string} mine
 * @returns {[string, number] | undefined} the first that is not mine; it stands among the first two
 */
function another(commitments, mine) {
  for (const one of commitments) if (one[0] !== mine) return one;
  return undefined;
}
