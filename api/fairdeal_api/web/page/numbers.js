/**
 * The numbers behind each check.
 * @module
 */

import { formatNumbers, inclusionNumbers, sequenceNumbers, signatureNumbers } from "./numbers-log.js";
import { commitmentNumbers, keyNumbers, openingsNumbers, sealsNumbers } from "./numbers-seeds.js";
import { handsNumbers, shuffleNumbers, tableNumbers } from "./numbers-deal.js";
import { seenNumbers } from "./numbers-seen.js";
import { facts, fact } from "./compare.js";
import { t } from "./i18n.js";
/** @import { Facts } from "../protocol/verify.js" */
/** @import { Check, Report } from "../protocol/verify.js" */

/** @typedef {(facts: Facts, check: Check, text: string) => (Node | null)[]} Numbers `text` is the document */

/** @type {Readonly<Record<Check["name"], Numbers>>} */
const NUMBERS = {
  format: formatNumbers,
  signature: signatureNumbers,
  inclusion: inclusionNumbers,
  sequence: sequenceNumbers,
  commitment: commitmentNumbers,
  seals: sealsNumbers,
  key: keyNumbers,
  shuffle: shuffleNumbers,
  table: tableNumbers,
  hands: handsNumbers,
  openings: openingsNumbers,
  seen: seenNumbers,
};

/**
 * @param {Check} check
 * @param {Report} report
 * @param {string} text the document
 * @returns {(Node | null)[]}
 */
export function numbersOf(check, report, text) {
  if (report.facts === null) {
    const { field, rule } = check.detail;
    return typeof field === "string" ? [facts(fact(t("number.field"), field), fact(t("number.rule"), String(rule)))] : [];
  }
  return NUMBERS[check.name](report.facts, check, text);
}
