/**
 * Numbers of the checks on seeds: commitment, seals, deal key, openings (§1, §2, §7).
 * @module
 */

import { canonicalTerms, parseHex, sealOf, sha256, toHex, utf8 } from "../protocol/index.js";
import { comparison, fact, facts } from "./compare.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { seatName } from "./seats.js";
/** @import { Check, Facts } from "../protocol/verify.js" */

/**
 * @param {Facts} all
 * @returns {Node[]}
 */
export function commitmentNumbers({ serverSeed, commitment, computedCommitment }) {
  const nodes = [facts(
    fact(t("number.seed"), serverSeed ?? t("number.secret")),
    fact(t("number.commitment"), commitment),
  )];
  if (computedCommitment !== null && commitment !== null) {
    nodes.push(comparison("SHA-256(seed)", computedCommitment, t("number.commitment"), commitment));
  }
  return nodes;
}

/**
 * @param {Facts} all
 * @returns {Node[]}
 */
export function sealsNumbers({ seals, contributions }) {
  const seats = [...new Set([...seals, ...(contributions ?? [])].map(({ seat }) => seat))].sort((a, b) => a - b);
  if (seats.length === 0) return [h("p", null, t("number.seals.none"))];
  return seats.map((seat) => {
    const seal = seals.find((one) => one.seat === seat)?.seal ?? "";
    const seed = contributions?.find((one) => one.seat === seat)?.seed;
    return h("section", { class: "path" },
      h("h3", null, seatName(seat)),
      facts(fact(t("number.client-seed"), seed ?? t(contributions === null ? "number.unopened.yet" : "number.unopened"))),
      seed === undefined
        ? facts(fact(t("number.seal"), seal))
        : comparison("SHA-256(seed)", toHex(sealOf(parseHex(seed, "seed", 32))), t("number.seal"), seal));
  });
}

/**
 * The 96 bytes under the deal key, part by part (§2.3).
 * @param {Facts} all
 * @returns {Node[]}
 */
export function keyNumbers({ terms, transcript, key, serverSeed }) {
  if (terms === null || transcript === null) return [];
  const text = canonicalTerms(terms);
  return [
    h("p", null, t("number.transcript.hint")),
    facts(
      fact(t("number.transcript.label"), transcript.slice(0, 32)),
      fact(t("number.transcript.hand"), transcript.slice(32, 64)),
      fact(t("number.terms"), text),
      fact(t("number.transcript.terms"), toHex(sha256(utf8(text)))),
      fact(t("number.transcript.contributions"), transcript.slice(128)),
      fact(t("number.seed"), serverSeed ?? t("number.secret")),
      fact(t("number.deal-key"), key ?? t("number.secret")),
    ),
  ];
}

/**
 * @param {Facts} all
 * @param {Check} check
 * @returns {Node[]}
 */
export function openingsNumbers({ dealRoot }, { detail }) {
  const { expected } = detail;
  if (typeof expected === "string" && dealRoot !== null) {
    return [comparison(t("number.root.computed"), expected, t("number.root.lock"), dealRoot)];
  }
  return dealRoot === null ? [] : [facts(fact(t("number.root.lock"), dealRoot))];
}
