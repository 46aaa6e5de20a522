/**
 * What the visitor kept from before the hand, and the log keys that they trust (§10.6, §10.1).
 * @module
 */

import { MalformedError, parseSeenText } from "../protocol/index.js";
import { fill, h, icon } from "./dom.js";
import { moment, t, tr } from "./i18n.js";
import { seenOf } from "./kept.js";
import { pinKey, pinnedKeys, unpinKey } from "./keys.js";
import { seatName } from "./seats.js";
/** @import { Key } from "./i18n.js" */
/** @import { Kept } from "./kept.js" */
/** @import { SeenOutcome } from "../protocol/compare.js" */
/** @import { Seen } from "../protocol/seen.js" */

/** @typedef {{ label: string, seen: Seen[] }} Given something handed over in this visit */
/**
 * @typedef {object} Mine
 * @property {string | null} hand
 * @property {number} seats
 * @property {Kept | null} kept what this browser kept
 * @property {Kept | null} linked what came with the link
 * @property {Given[]} given
 * @property {readonly SeenOutcome[]} outcomes of all of them, in the order kept, given, linked
 * @property {string | null} ownKey the key inside the receipt
 */
/**
 * @typedef {object} Acts
 * @property {(given: Given) => void} add
 * @property {(given: Given) => void} remove
 * @property {() => void} forget
 * @property {() => void} dropLinked
 * @property {() => void} keysChanged
 */

/**
 * @param {Mine} mine
 * @param {Acts} acts
 * @returns {HTMLElement}
 */
export function mineElement(mine, acts) {
  return h("section", { class: "mine", id: "mine", tabindex: "-1", "aria-labelledby": "mine-title" },
    h("h2", { id: "mine-title" }, t("mine.title")),
    h("p", { class: "hint" }, t("mine.hint")),
    keptList(mine, acts), giveForm(mine, acts),
    h("h3", null, t("keys.title")), h("p", { class: "hint" }, t("keys.hint")), keysForm(mine, acts));
}

/**
 * @param {Mine} mine
 * @param {Acts} acts
 */
function keptList({ kept, linked, given, outcomes }, acts) {
  const items = [];
  const keptParts = kept === null ? 0 : seenOf(kept).length;
  const start = (/** @type {number} */ k) => keptParts + given.slice(0, k).reduce((sum, { seen }) => sum + seen.length, 0);
  const line = (/** @type {string} */ words, /** @type {() => void} */ remove, /** @type {Key} */ label, /** @type {number} */ from, /** @type {number} */ to) =>
    h("li", null, icon("eye"), h("span", null, words, asideWords(outcomes.slice(from, to))),
      h("button", { type: "button", class: "link", onclick: remove, "aria-label": `${t(label)}: ${words}` }, t(label)));
  if (kept !== null) items.push(line(t(kept.confirmed === true ? "mine.confirmed" : "mine.kept", { what: keptWords(kept), time: moment(kept.at) }), acts.forget, "mine.forget", 0, keptParts));
  if (linked !== null) items.push(line(linked.at === 0 ? t("mine.linked.since", { what: keptWords(linked) })
    : t("mine.linked", { what: keptWords(linked), time: moment(linked.at) }), acts.dropLinked, "mine.remove", start(given.length), outcomes.length));
  for (const [k, one] of given.entries()) items.push(line(one.label, () => acts.remove(one), "mine.remove", start(k), start(k + 1)));
  return items.length === 0 ? h("p", { class: "nothing" }, t("mine.nothing")) : h("ul", { class: "items" }, items);
}

/**
 * What was set aside shows nothing of this hand, and its item says why.
 * @param {readonly SeenOutcome[]} outcomes
 */
function asideWords(outcomes) {
  const aside = outcomes.find(({ outcome }) => outcome === "aside");
  return aside === undefined ? null : h("strong", { class: "aside" }, " – ", t(/** @type {Key} */ (`seen.aside.${aside.reason}`)));
}

/** @param {Kept} kept */
export function keptWords(kept) {
  const words = [];
  if (kept.receipt !== undefined) words.push(t("kept.receipt"));
  if (kept.lock !== undefined) words.push(t("kept.lock"));
  if (kept.commitment !== undefined) words.push(t("kept.commitment"));
  if (kept.seed !== undefined) words.push(t("kept.seed", { seat: seatName(kept.seat ?? 0) }));
  return words.join(", ");
}

/**
 * @param {Mine} mine
 * @param {Acts} acts
 */
function giveForm({ seats }, acts) {
  const kind = h("select", { id: "mine-kind", onchange: () => showKind() },
    (/** @type {const} */ (["any", "seed", "tiles"])).map((value) => h("option", { value }, t(`give.${value}`))));
  const seat = h("select", { id: "mine-seat" }, Array.from({ length: seats }, (_, i) => h("option", { value: i }, seatName(i))));
  const seatField = h("div", { class: "field" }, h("label", { for: "mine-seat" }, t("give.seat")), seat);
  const text = h("textarea", { id: "mine-text", rows: 3, spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-describedby": "mine-text-hint" });
  const hint = h("p", { class: "hint", id: "mine-text-hint" });
  const wrong = h("p", { class: "wrong", role: "alert" });
  const file = h("input", { type: "file", id: "mine-file" });
  function showKind() {
    seatField.hidden = kind.value === "any";
    hint.textContent = t(/** @type {Key} */ (`give.${kind.value}.hint`));
  }
  /**
   * @param {string} value
   * @param {string} label
   */
  function give(value, label) {
    try {
      acts.add({ label, seen: parseSeenText(value) });
      wrong.textContent = "";
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
      wrong.textContent = t("give.wrong", { rule: tr(`rule.${error.rule}`) });
      text.setAttribute("aria-invalid", "true");
      text.focus();
    }
  }
  file.addEventListener("change", async () => {
    const chosen = file.files?.[0];
    if (chosen !== undefined) give(await chosen.text(), chosen.name);
  });
  showKind();
  return h("form", {
    class: "give", novalidate: true,
    onsubmit: (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      const value = text.value.trim();
      const name = seatName(Number(seat.value));
      if (kind.value === "seed") give(`seed:${seat.value}=${value.replace(/\s/g, "").toLowerCase()}`, t("give.label.seed", { seat: name }));
      else if (kind.value === "tiles") give(`tiles:${seat.value}=${tileText(value)}`, t("give.label.tiles", { seat: name }));
      else give(value, t("give.label.any", { start: value.slice(0, 24) }));
    },
  },
  h("h3", null, t("give.title")),
  h("div", { class: "columns" }, h("div", { class: "field" }, h("label", { for: "mine-kind" }, t("give.kind")), kind), seatField),
  h("div", { class: "field" }, h("label", { for: "mine-text" }, t("give.text")), hint, text), wrong,
  h("div", { class: "inline" }, h("button", { class: "button button-main" }, t("give.compare")),
    h("label", { for: "mine-file", class: "or" }, t("give.file")), file));
}

/**
 * Tiles as people write them: any case, any separators.
 * @param {string} text
 */
function tileText(text) {
  return text.split(/[\s,;]+/).filter((one) => one !== "").map((one) => one.replace(/^[a-zıİ]/i, (letter) => letter.toUpperCase())).join(",");
}

/**
 * @param {Mine} mine
 * @param {Acts} acts
 */
function keysForm({ ownKey }, acts) {
  const wrong = h("p", { class: "wrong", role: "alert" });
  const input = h("input", { id: "keys-text", type: "text", spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-describedby": "keys-own" });
  const list = h("ul", { class: "items" });
  const keys = pinnedKeys();
  fill(list, keys.map((key) => h("li", null, icon("key"), h("code", { class: "hex" }, key),
    h("button", { type: "button", class: "link", "aria-label": `${t("keys.remove")}: ${key}`, onclick: () => { unpinKey(key); acts.keysChanged(); } }, t("keys.remove")))));
  return h("div", null,
    keys.length === 0 ? h("p", { class: "nothing" }, t("keys.none")) : list,
    h("form", {
      class: "field", novalidate: true,
      onsubmit: (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        try {
          if (pinKey(input.value)) acts.keysChanged();
          else wrong.textContent = t("keys.closed");
        } catch (error) {
          if (!(error instanceof MalformedError)) throw error;
          wrong.textContent = t("keys.wrong");
          input.setAttribute("aria-invalid", "true");
          input.focus();
        }
      },
    },
    h("label", { for: "keys-text" }, t("keys.add")),
    h("p", { class: "hint", id: "keys-own" }, ownKey === null ? t("keys.own.none") : t("keys.own"), " ", ownKey === null ? null : h("code", { class: "hex" }, ownKey)),
    h("div", { class: "inline" }, input, h("button", { class: "button" }, t("keys.trust"))), wrong));
}
