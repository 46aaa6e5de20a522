/**
 * RFC 6962 Merkle trees: heads, inclusion, consistency (§7.2, §8.2).
 *
 * Indices and sizes reach 2^53−1, so they are halved by division: shifts would cut them to 32 bits.
 * @module
 */

import { EvidenceError } from "./errors.js";
import { equalBytes, sha256 } from "./hash.js";

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** The head of a tree without leaves: SHA-256 of nothing. */
export const EMPTY_ROOT = sha256();

/**
 * @param {Uint8Array} data
 * @returns {Uint8Array} 32 bytes
 */
export function leafHash(data) {
  return sha256(LEAF, data);
}

/**
 * @param {Uint8Array} left
 * @param {Uint8Array} right
 * @returns {Uint8Array} 32 bytes
 */
export function nodeHash(left, right) {
  return sha256(NODE, left, right);
}

/**
 * The largest power of two below n.
 * @param {number} n at least 2
 */
function split(n) {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

/**
 * The head of a tree over leaf hashes.
 * @param {readonly Uint8Array[]} leaves
 * @returns {Uint8Array} 32 bytes
 */
export function merkleRoot(leaves) {
  if (leaves.length === 0) return EMPTY_ROOT;
  // Pairing up level by level, an odd last node moving up as it is, gives the same tree as splitting at powers of two.
  let level = leaves;
  while (level.length > 1) {
    const next = [];
    for (let i = 0; i < level.length; i += 2) {
      const left = /** @type {Uint8Array} */ (level[i]);
      const right = level[i + 1];
      next.push(right === undefined ? left : nodeHash(left, right));
    }
    level = next;
  }
  return /** @type {Uint8Array} */ (level[0]);
}

/**
 * The inclusion proof of one leaf (RFC 9162 §2.1.3.1), nearest sibling first.
 * @param {readonly Uint8Array[]} leaves
 * @param {number} index
 * @returns {Uint8Array[]}
 */
export function inclusionProof(leaves, index) {
  if (leaves.length <= 1) return [];
  const k = split(leaves.length);
  const left = leaves.slice(0, k);
  const right = leaves.slice(k);
  return index < k
    ? [...inclusionProof(left, index), merkleRoot(right)]
    : [...inclusionProof(right, index - k), merkleRoot(left)];
}

/**
 * The consistency proof from an earlier size (RFC 9162 §2.1.4.1).
 * @param {readonly Uint8Array[]} leaves
 * @param {number} old
 * @returns {Uint8Array[]}
 */
export function consistencyProof(leaves, old) {
  if (old === 0 || old === leaves.length) return [];
  return subproof(leaves, old, true);
}

/**
 * @param {readonly Uint8Array[]} leaves
 * @param {number} old
 * @param {boolean} whole whether the old tree's head is known to the reader at this node
 * @returns {Uint8Array[]}
 */
function subproof(leaves, old, whole) {
  if (old === leaves.length) return whole ? [] : [merkleRoot(leaves)];
  const k = split(leaves.length);
  const left = leaves.slice(0, k);
  const right = leaves.slice(k);
  return old <= k
    ? [...subproof(left, old, whole), merkleRoot(right)]
    : [...subproof(right, old - k, false), merkleRoot(left)];
}

/** @typedef {{ side: "left" | "right", sibling: Uint8Array, result: Uint8Array }} PathStep */

/**
 * Walks an inclusion proof (RFC 9162 §2.1.3.2): each step's sibling, the side it stands on, and the hash so far.
 * @param {number} index
 * @param {number} size
 * @param {Uint8Array} leaf the leaf's hash
 * @param {readonly Uint8Array[]} proof
 * @returns {PathStep[]} the last result is the head; without steps the leaf is
 * @throws {EvidenceError} the proof is too long or too short for this place
 */
export function inclusionPath(index, size, leaf, proof) {
  if (index >= size) throw new EvidenceError("bad-proof", "the index is not below the tree's size");
  let place = index;
  let last = size - 1;
  let result = leaf;
  /** @type {PathStep[]} */
  const steps = [];
  for (const sibling of proof) {
    if (last === 0) throw new EvidenceError("bad-proof", "the proof is too long");
    if (place % 2 === 1 || place === last) {
      result = nodeHash(sibling, result);
      steps.push({ side: "left", sibling, result });
      while (place % 2 === 0 && place !== 0) {
        place /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      result = nodeHash(result, sibling);
      steps.push({ side: "right", sibling, result });
    }
    place = Math.floor(place / 2);
    last = Math.floor(last / 2);
  }
  if (last !== 0) throw new EvidenceError("bad-proof", "the proof is too short");
  return steps;
}

/**
 * Checks an inclusion proof.
 * @param {number} index
 * @param {number} size
 * @param {Uint8Array} leaf the leaf's hash
 * @param {readonly Uint8Array[]} proof
 * @param {Uint8Array} root
 * @throws {EvidenceError}
 */
export function verifyInclusion(index, size, leaf, proof, root) {
  const steps = inclusionPath(index, size, leaf, proof);
  const head = steps[steps.length - 1]?.result ?? leaf;
  if (!equalBytes(head, root)) throw new EvidenceError("bad-proof", "the path does not lead to the tree's head");
}

/**
 * Checks that a tree only grew (RFC 9162 §2.1.4.2). Anything grows from the empty tree.
 * @param {number} old
 * @param {number} size
 * @param {readonly Uint8Array[]} proof
 * @param {Uint8Array} oldRoot
 * @param {Uint8Array} root
 * @throws {EvidenceError}
 */
export function verifyConsistency(old, size, proof, oldRoot, root) {
  const bad = (/** @type {string} */ why) => new EvidenceError("bad-proof", why);
  if (old > size) throw bad("the earlier tree is larger");
  if (old === 0 || old === size) {
    if (proof.length !== 0) throw bad("the proof is too long");
    if (old === 0 && !equalBytes(oldRoot, EMPTY_ROOT)) throw bad("the empty tree has another head");
    if (old === size && !equalBytes(oldRoot, root)) throw bad("equal sizes with different heads");
    return;
  }
  let place = old - 1;
  let last = size - 1;
  while (place % 2 === 1) {
    place = Math.floor(place / 2);
    last = Math.floor(last / 2);
  }
  // Where the old tree is a full subtree its own head starts the walk and is not in the proof.
  const path = place === 0 ? [oldRoot, ...proof] : proof;
  const [first, ...rest] = path;
  if (first === undefined) throw bad("the proof is too short");
  let oldHead = first;
  let head = first;
  for (const sibling of rest) {
    if (last === 0) throw bad("the proof is too long");
    if (place % 2 === 1 || place === last) {
      oldHead = nodeHash(sibling, oldHead);
      head = nodeHash(sibling, head);
      while (place % 2 === 0 && place !== 0) {
        place /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      head = nodeHash(head, sibling);
    }
    place = Math.floor(place / 2);
    last = Math.floor(last / 2);
  }
  if (last !== 0) throw bad("the proof is too short");
  if (!equalBytes(oldHead, oldRoot)) throw bad("the path does not lead to the earlier head");
  if (!equalBytes(head, root)) throw bad("the path does not lead to the later head");
}
