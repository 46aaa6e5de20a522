/**
 * Every word that a report may use, so that a page can be tested for having a text for each.
 *
 * A check's detail is a code with values, never a sentence: pages write the sentence in their reader's language.
 * @module
 */

/** The checks in the order they are made and shown (§10.1). */
export const CHECKS = Object.freeze(/** @type {const} */ ([
  "format", "signature", "inclusion", "sequence", "commitment", "seals", "key", "shuffle", "table", "hands",
  "openings", "seen",
]));
/** @typedef {typeof CHECKS[number]} CheckName */

/** How a check ends (§10.1). */
export const RESULTS = Object.freeze(/** @type {const} */ (["pass", "fail", "absent", "none"]));
/** @typedef {typeof RESULTS[number]} Result */

/** What a report concludes (§10.2). */
export const VERDICTS = Object.freeze(/** @type {const} */ (["refuted", "incomplete", "consistent", "verified"]));
/** @typedef {typeof VERDICTS[number]} Verdict */

/** Who could have chosen the deal by trying seeds (§10.3). */
export const GRINDING = Object.freeze(/** @type {const} */ (["operator", "operator-with-all-seats", "nobody"]));
/** @typedef {typeof GRINDING[number]} Grinding */

/** What the log shows (§10.2). */
export const LOG_EVIDENCE = Object.freeze(/** @type {const} */ ([
  "a key that was given", "only the receipt's own key", "none",
]));
/** @typedef {typeof LOG_EVIDENCE[number]} LogEvidence */

/** What explains a refutation, in the order they are tried (§10.4). */
export const CAUSES = Object.freeze(/** @type {const} */ ([
  "commitment-as-seed", "seed-as-hex-text", "other-hands-seed", "other-terms", "contribution-dropped",
  "contribution-changed", "seed-used-as-key", "little-endian-draws", "ascending-shuffle", "shuffle-off-by-one",
  "naive-shuffle", "tile-twice", "false-joker-as-indicator", "okey-is-indicator", "stock-from-wrong-end",
  "hands-misdealt", "unknown",
]));
/** @typedef {typeof CAUSES[number]} Cause */

/**
 * Detail codes by check. `not-checked` follows a malformed document, `no-commit` a receipt without a readable commit.
 *
 * Values beside the code:
 * - `format.malformed`: field, rule (a key of RULES); `format.unsupported`: entries (their places)
 * - `signature.*`: origin, and keys or vkey; `inclusion.bad`: entry; `sequence.*`: entry, kinds, given, expected
 * - `commitment.fail`, `openings.fail`: given, expected (hex); `seals.fail`: unopened, wrong, unsealed (seats)
 * - `shuffle.fail`: at, given, expected; `table.fail`: fields, each name, given, expected; `table.kind`,
 *   `hands.kind`: given, expected; `hands.fail`: seats that differ, stock and indicator (true where it differs)
 * - `seen.*`: agree, disagree, aside, uncompared, each a list of SeenOutcome
 * @type {Readonly<Record<CheckName, readonly string[]>>}
 */
export const DETAILS = Object.freeze({
  format: ["format.receipt", "format.record", "format.malformed", "format.unsupported"],
  signature: ["not-checked", "signature.record", "signature.given", "signature.bad", "signature.unsigned",
    "signature.own", "signature.own-other-name", "signature.own-bad"],
  inclusion: ["not-checked", "inclusion.record", "inclusion.empty", "inclusion.bad", "inclusion.given",
    "inclusion.own", "inclusion.unsigned"],
  sequence: ["not-checked", "sequence.record", "sequence.empty", "sequence.unsupported", "sequence.pass",
    "sequence.kinds", "sequence.hand", "sequence.index", "sequence.time", "sequence.prev", "sequence.unlocked-play",
    "sequence.silent-seat"],
  commitment: ["not-checked", "no-commit", "commitment.unrevealed", "commitment.lost", "commitment.not-given",
    "commitment.pass", "commitment.fail"],
  seals: ["not-checked", "no-commit", "seals.ended", "seals.unlocked", "seals.pass", "seals.empty", "seals.fail"],
  key: ["not-checked", "no-commit", "key.ended", "key.unlocked", "key.no-seed", "key.commitment", "key.seals",
    "key.no-commitment", "key.pass"],
  shuffle: ["not-checked", "no-commit", "shuffle.ended", "shuffle.dealt", "shuffle.no-key", "shuffle.no-deal",
    "shuffle.pass", "shuffle.fail"],
  table: ["not-checked", "no-commit", "table.ended", "table.no-key", "table.no-deal", "table.kind", "table.deck",
    "table.pass", "table.fail"],
  hands: ["not-checked", "no-commit", "hands.ended", "hands.deck", "hands.no-key", "hands.no-deal", "hands.kind",
    "hands.pass", "hands.fail"],
  openings: ["not-checked", "no-commit", "openings.ended", "openings.unlocked", "openings.not-used",
    "openings.unexpected", "openings.missing", "openings.no-key", "openings.pass", "openings.fail"],
  seen: ["not-checked", "no-commit", "seen.nothing", "seen.pass", "seen.no-commitment", "seen.fail"],
});

/**
 * What became of one kept item (§10.6): how it compares, and why.
 * @type {Readonly<Record<"agree" | "disagree" | "aside" | "uncompared", readonly string[]>>}
 */
export const SEEN_REASONS = Object.freeze({
  agree: ["commitment.same", "receipt.same", "receipt.with-reveal", "seed.same", "seed.sealed", "tiles.same",
    "opening.same", "opening.root-only"],
  disagree: ["commitment.other", "receipt.entry", "receipt.index", "receipt.root", "receipt.terms",
    "receipt.commitment", "receipt.seals", "receipt.contributions", "receipt.deal-root", "seed.no-seal", "seed.seal",
    "receipt.missing", "seed.contribution", "tiles.seat", "tiles.other", "tiles.undealt", "opening.proof",
    "opening.tile", "opening.undealt"],
  aside: ["receipt.other-hand", "opening.other-hand"],
  uncompared: ["commitment.not-given", "receipt.empty", "tiles.no-deal", "tiles.deck", "opening.unlocked"],
});

/** All detail codes, each once. */
export const DETAIL_CODES = Object.freeze([...new Set(CHECKS.flatMap((check) => DETAILS[check]))]);
