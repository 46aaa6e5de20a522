/**
 * Numbers of the checks that look at the log: form, signature, Merkle paths, sequence (§8).
 * @module
 */

import { comparison, fact, facts } from "./compare.js";
import { disclosure, h } from "./dom.js";
import { moment, number, t, tr } from "./i18n.js";
/** @import { Check, EntryFacts, Facts } from "../protocol/verify.js" */

/**
 * @param {EntryFacts} entry
 * @returns {string}
 */
function entryName({ type, index }) {
  return t("number.entry", { type: tr(`entry.${type ?? "unknown"}`), index });
}

/**
 * The exact text that was hashed.
 * @param {EntryFacts} entry
 */
function entryText(entry) {
  return disclosure(t("number.entry.text", { entry: entryName(entry) }), () =>
    h("pre", { class: "text", tabindex: "0" }, entry.text), { class: "more" });
}

/**
 * @param {Facts} all
 * @returns {Node[]}
 */
export function formatNumbers({ kind, entries, hand }) {
  return [
    facts(fact(t("number.kind"), t(`number.kind.${kind}`)), hand === null ? null : fact(t("hand.id"), hand)),
    ...entries.map(entryText),
  ];
}

/**
 * @param {Facts} all
 * @param {Check} check
 * @param {string} text the document, well-formed
 * @returns {(Node | null)[]}
 */
export function signatureNumbers({ checkpoint, vkey }, { detail }, text) {
  if (checkpoint === null) return [];
  const given = Array.isArray(detail.keys) ? /** @type {string[]} */ (detail.keys) : [];
  return [facts(
    fact(t("number.origin"), checkpoint.origin),
    fact(t("number.size"), checkpoint.size),
    fact(t("number.root"), checkpoint.root),
    ...given.map((key) => fact(t("number.key.given"), key)),
    vkey === null ? null : fact(t("number.key.own"), vkey),
    fact(t("number.note"), h("pre", { class: "text", tabindex: "0" }, String(JSON.parse(text).checkpoint))),
  )];
}

/**
 * @param {Facts} all
 * @returns {Node[]}
 */
export function inclusionNumbers({ entries, checkpoint }) {
  if (checkpoint === null) return [];
  return entries.map((entry) => h("section", { class: "path" },
    h("h3", null, entryName(entry)),
    facts(fact(t("number.leaf"), entry.leaf)),
    entry.path === null
      ? h("p", { class: "wrong" }, t("number.path.unfit", { index: entry.index, size: checkpoint.size }))
      : pathElement(entry.path),
    comparison(t("number.path.head"), entry.path?.at(-1)?.result ?? entry.leaf, t("number.root"), checkpoint.root)));
}

/**
 * The walk from the leaf to the head: each step's sibling, its side, and the hash of both.
 * @param {NonNullable<EntryFacts["path"]>} path
 */
function pathElement(path) {
  if (path.length === 0) return h("p", null, t("number.path.none"));
  return h("ol", { class: "steps" }, path.map(({ side, sibling, result }) => h("li", null,
    h("span", null, t(`number.side.${side}`)), h("code", { class: "hex" }, sibling),
    h("span", null, t("number.gives")), h("code", { class: "hex" }, result))));
}

/**
 * @param {Facts} all
 * @returns {Node[]}
 */
export function sequenceNumbers({ entries }) {
  return entries.flatMap((entry, i) => {
    const before = entries[i - 1];
    const prev = prevOf(entry.text);
    return [
      h("section", { class: "path" },
        h("h3", null, entryName(entry)),
        facts(
          fact(t("number.index"), number(entry.index)),
          entry.at === null ? null : fact(t("number.at"), h("span", null, `${moment(entry.at)} `, h("code", null, String(entry.at)))),
        ),
        before !== undefined && prev !== null ? comparison(t("number.prev"), prev, t("number.leaf.before"), before.leaf) : null),
    ].filter((node) => node !== null);
  });
}

/**
 * @param {string} text an entry's
 * @returns {string | null}
 */
function prevOf(text) {
  return /"prev":"([0-9a-f]{64})"/.exec(text)?.[1] ?? null;
}
