/**
 * Errors of the protocol modules, split by whose fault it is.
 *
 * - `MalformedError`: what was given is not written as the protocol asks (§8.3). `UnsupportedError` is
 *   its milder kind: well written, but of a version or type that this code does not know.
 * - `EvidenceError`: well written, but it does not prove what it claims (a bad signature, a bad proof).
 * - `UsageError`: the calling code asked for something that cannot be.
 * - `EngineError`: two cryptographic engines disagree. Never a verdict: nothing computed here can be trusted.
 *
 * No message repeats the value it complains about, for values may be seeds.
 * @module
 */

/**
 * Every rule that a malformed value can break: the code, and what it says in English.
 * Pages translate by the code.
 * @type {Readonly<Record<string, string>>}
 */
export const RULES = Object.freeze({
  "json": "not JSON as RFC 8259 writes it",
  "json-mark": "begins with a byte order mark, which is no part of JSON (RFC 8259)",
  "json-number": "a number must be a whole number from -(2^53-1) to 2^53-1, in plain digits",
  "json-repeated": "a member name is repeated",
  "json-surrogate": "text holds half of a surrogate pair",
  "json-depth": "nested more than 32 deep",
  "canonical": "not in canonical form (RFC 8785)",
  "too-long": "longer than allowed",
  "too-short": "shorter than allowed",
  "object": "must be an object",
  "members": "members are missing or unknown",
  "integer": "must be a whole number in its range",
  "boolean": "must be true or false",
  "list": "must be a list",
  "string": "must be text",
  "hex": "must be lower-case hex of the right length",
  "base64": "must be base64 of the right length, in its only form",
  "choice": "is none of the allowed values",
  "ascending": "must be strictly ascending by seat",
  "seat-range": "names a seat beyond the table",
  "name": "is not a valid name",
  "window": "must lie between one minute and 30 days after the entry",
  "outcome": "outcome, reason and seed do not belong together",
  "format": "is neither a fairdeal/1 receipt nor a fairdeal/1 record",
  "deal-members": "has the members of no kind of deal",
  "tile-name": "is not a tile such as R10, K1 or J",
  "slot": "is not a slot of a deal",
  "note": "is not a signed note",
  "checkpoint": "is not a checkpoint",
  "key": "is not a verifier key",
  "key-id": "the key id does not belong to the key",
  "key-type": "is a key of another kind than Ed25519",
  "unsupported": "is of a type or version that this verifier does not know",
  "seen": "is nothing that can be kept from before a hand",
});

/** The root of all errors that these modules throw on purpose; `code` is stable. */
export class FairdealError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.name = new.target.name;
    this.code = code;
  }
}

/** The input is not written as the protocol asks; `field` says where, `rule` is a key of {@link RULES}. */
export class MalformedError extends FairdealError {
  /**
   * @param {string} field
   * @param {string} rule
   * @param {string} [code]
   */
  constructor(field, rule, code = "malformed") {
    super(code, `${field}: ${RULES[rule] ?? rule}`);
    this.field = field;
    this.rule = rule;
  }
}

/** Well written, but of a type or version unknown here (§8.3). */
export class UnsupportedError extends MalformedError {
  /** @param {string} field */
  constructor(field) {
    super(field, "unsupported", "unsupported");
  }
}

/** Well written evidence that does not hold; `code` is `bad-signature`, `bad-proof` or `bad-opening`. */
export class EvidenceError extends FairdealError {}

/** The caller's mistake. */
export class UsageError extends FairdealError {
  /** @param {string} message */
  constructor(message) {
    super("usage", message);
  }
}

/** The engines at hand compute different results. */
export class EngineError extends FairdealError {
  /** @param {string} what */
  constructor(what) {
    super("engine", `two cryptographic engines disagree: ${what}`);
  }
}
