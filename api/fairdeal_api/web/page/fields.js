/**
 * A record from fields typed by hand (§9.2). What is left out stays out, and the verdict says so.
 * @module
 */

import { MalformedError, parseRecord, RECORD_FORMAT } from "../protocol/index.js";
import { fill, h } from "./dom.js";
import { capital, t, tr } from "./i18n.js";
import { seatName } from "./seats.js";
/** @import { Key } from "./i18n.js" */
/** @import { Sink } from "./sources.js" */

/**
 * @param {Sink} sink
 * @returns {HTMLElement}
 */
export function fieldsElement(sink) {
  /** @type {Map<string, HTMLInputElement>} */
  const inputs = new Map();
  /** @type {Map<string, HTMLSelectElement>} */
  const selects = new Map();

  /**
   * @param {string} name
   * @param {string} label
   * @param {string} [kind]
   */
  const input = (name, label, kind = "text") => {
    const element = inputs.get(name) ?? h("input", {
      id: `field-${name}`, type: kind, spellcheck: "false", autocapitalize: "off", autocomplete: "off",
      ...(kind === "number" ? { min: 2, max: 1024, value: 52 } : {}),
    });
    inputs.set(name, element);
    return h("div", { class: "field" }, h("label", { for: `field-${name}` }, label), element);
  };
  /**
   * @param {string} name
   * @param {Key} label
   * @param {[string, string][]} options
   */
  const select = (name, label, options) => {
    const before = selects.get(name)?.value;
    const element = h("select", { id: `field-${name}`, onchange: () => draw(name) },
      options.map(([value, words]) => h("option", { value, selected: value === before }, words)));
    selects.set(name, element);
    return h("div", { class: "field" }, h("label", { for: `field-${name}` }, capital(t(label))), element);
  };
  const chosen = (/** @type {string} */ name) => selects.get(name)?.value ?? "";
  const numbers = (/** @type {number} */ from, /** @type {number} */ to) =>
    Array.from({ length: to - from + 1 }, (_, i) => /** @type {[string, string]} */ ([String(from + i), String(from + i)]));

  const terms = h("div", { class: "columns" });
  const seats = h("div", { class: "seat-fields" });
  const wrong = h("p", { class: "wrong", role: "alert" });

  /** @param {string} [changed] */
  function draw(changed) {
    const deck = chosen("game") === "deck";
    const count = Number(chosen("seats") || 4);
    fill(terms,
      select("game", "field.game", [["okey", t("game.okey")], ["okey101", t("game.okey101")], ["deck", t("field.deck")]]),
      deck ? input("size", capital(t("field.size")), "number") : select("layout", "field.layout", [["wall", t("field.wall")], ["plain", t("field.plain")]]),
      select("seats", "field.seats", deck ? numbers(1, 16) : numbers(2, 4)),
      ...(deck ? [] : [
        select("dealer", "field.dealer", [["throw", t("field.throw")], ...numbers(0, count - 1).map(([value]) => /** @type {[string, string]} */ ([value, seatName(Number(value))]))]),
        select("dice", "field.dice", numbers(1, 2)),
      ]),
      select("openings", "field.openings", [["false", t("field.no")], ["true", t("field.yes")]]));
    const seatsSelect = /** @type {HTMLSelectElement} */ (selects.get("seats"));
    if (changed === undefined) seatsSelect.value = "4";
    const shown = Number(seatsSelect.value);
    fill(seats, Array.from({ length: shown }, (_, seat) => h("fieldset", null, h("legend", null, seatName(seat)),
      input(`seal-${seat}`, t("number.seal")), input(`seed-${seat}`, t("number.client-seed")))));
    if (changed !== undefined) selects.get(changed)?.focus();
  }

  function submit() {
    const hex = (/** @type {string} */ name) => {
      const value = (inputs.get(name)?.value ?? "").replace(/\s/g, "").toLowerCase();
      return value === "" ? null : value;
    };
    const count = Number(chosen("seats"));
    const deck = chosen("game") === "deck";
    const openings = chosen("openings") === "true";
    const all = Array.from({ length: count }, (_, seat) => ({ seat, seal: hex(`seal-${seat}`), seed: hex(`seed-${seat}`) }));
    const alone = all.find(({ seal, seed }) => seed !== null && seal === null);
    if (alone !== undefined) {
      wrong.textContent = t("field.seal-missing", { seat: seatName(alone.seat) });
      inputs.get(`seal-${alone.seat}`)?.focus();
      return;
    }
    const dealText = deal.value.trim();
    try {
      const record = {
        format: RECORD_FORMAT,
        hand: hex("hand"),
        terms: deck ? { game: "deck", size: Number(inputs.get("size")?.value), seats: count, openings }
          : {
            game: chosen("game"), layout: chosen("layout"), seats: count,
            dealer: chosen("dealer") === "throw" ? "throw" : Number(chosen("dealer")), dice: Number(chosen("dice")), openings,
          },
        commitment: hex("commitment"),
        server_seed: hex("server_seed"),
        seals: all.flatMap(({ seat, seal }) => (seal === null ? [] : [{ seat, seal }])),
        contributions: all.flatMap(({ seat, seed }) => (seed === null ? [] : [{ seat, seed }])),
        deal_root: hex("deal_root"),
        deal: dealText === "" ? null : JSON.parse(dealText),
      };
      parseRecord(record);
      wrong.textContent = "";
      sink.take(JSON.stringify(record), t("source.typed"));
    } catch (error) {
      const [field, rule] = error instanceof MalformedError ? [error.field, error.rule] : ["deal", "json"];
      wrong.textContent = t("field.wrong", { field: field.replace(/^record\./, ""), rule: tr(`rule.${rule}`) });
      inputs.get(field.replace(/^record\./, ""))?.focus();
    }
  }

  const deal = h("textarea", { id: "field-deal", rows: 4, spellcheck: "false" });
  draw();
  return h("form", { class: "fields", novalidate: true, onsubmit: (/** @type {SubmitEvent} */ event) => { event.preventDefault(); submit(); } },
    h("p", { class: "hint" }, t("source.fields.hint")),
    input("hand", t("hand.id")), input("commitment", t("number.commitment")), input("server_seed", t("number.seed")),
    terms, h("p", { class: "hint" }, t("field.seats.hint")), seats,
    input("deal_root", t("number.root.lock")),
    h("div", { class: "field" }, h("label", { for: "field-deal" }, t("field.deal")), deal),
    wrong, h("button", { class: "button button-main" }, t("source.verify")));
}
