/**
 * A record from fields typed by hand (§9.2). What is left out stays out, and the verdict says so.
 * @module
 */

import { MalformedError, MAX_DECK, MIN_DECK, parseJson, parseRecord, RECORD_FORMAT } from "../protocol/index.js";
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
  /** @type {Map<string, string>} */
  const labels = new Map();
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
      ...(kind === "number" ? { min: MIN_DECK, max: MAX_DECK, value: 52 } : {}),
    });
    inputs.set(name, element);
    labels.set(name, label);
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
  const wrong = h("p", { class: "wrong", role: "alert", id: "fields-wrong" });

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

  /**
   * Says what is wrong with a field, at the field.
   * @param {string} name
   * @param {string} words
   */
  function refuse(name, words) {
    const element = name === "deal" ? deal : inputs.get(name) ?? selects.get(name);
    element?.after(wrong);
    wrong.textContent = words;
    element?.setAttribute("aria-invalid", "true");
    element?.setAttribute("aria-describedby", "fields-wrong");
    element?.focus();
  }

  function accept() {
    wrong.textContent = "";
    for (const element of [...inputs.values(), ...selects.values(), deal]) {
      element.removeAttribute("aria-invalid");
      element.removeAttribute("aria-describedby");
    }
  }

  function submit() {
    accept();
    // Only what stands around it is cut off: hex is taken as it is written, or refused (§8.3).
    const typed = (/** @type {string} */ name) => inputs.get(name)?.value.trim() || null;
    const count = Number(chosen("seats"));
    const deck = chosen("game") === "deck";
    const openings = chosen("openings") === "true";
    const all = Array.from({ length: count }, (_, seat) => ({ seat, seal: typed(`seal-${seat}`), seed: typed(`seed-${seat}`) }));
    const names = ["hand", "commitment", "server_seed", ...all.flatMap(({ seat }) => [`seal-${seat}`, `seed-${seat}`]), "deal_root"];
    for (const name of names) {
      const rule = hexRule(typed(name), name === "hand" ? 32 : 64, name === "hand");
      if (rule === null) continue;
      const place = /^se(?:al|ed)-(\d+)$/.exec(name);
      const field = place === null ? labels.get(name) ?? name : `${seatName(Number(place[1]))}, ${labels.get(name)}`;
      return refuse(name, t("field.wrong", { field, rule }));
    }
    const alone = all.find(({ seal, seed }) => seed !== null && seal === null);
    if (alone !== undefined) return refuse(`seal-${alone.seat}`, t("field.seal-missing", { seat: seatName(alone.seat) }));
    const dealText = deal.value.trim();
    try {
      const record = {
        format: RECORD_FORMAT,
        hand: typed("hand"),
        terms: deck ? { game: "deck", size: Number(inputs.get("size")?.value), seats: count, openings }
          : {
            game: chosen("game"), layout: chosen("layout"), seats: count,
            dealer: chosen("dealer") === "throw" ? "throw" : Number(chosen("dealer")), dice: Number(chosen("dice")), openings,
          },
        commitment: typed("commitment"),
        server_seed: typed("server_seed"),
        seals: all.flatMap(({ seat, seal }) => (seal === null ? [] : [{ seat, seal }])),
        contributions: all.flatMap(({ seat, seed }) => (seed === null ? [] : [{ seat, seed }])),
        deal_root: typed("deal_root"),
        deal: dealText === "" ? null : parseJson(dealText, "record.deal"),
      };
      parseRecord(record);
      sink.take(JSON.stringify(record), t("source.typed"));
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
      const field = error.field.replace(/^record\./, "");
      const name = /^deal\b/.test(field) ? "deal" : field.replace(/^terms\./, "");
      // Written as one types them: without a thousands separator, which is another one in each language.
      const rule = name === "size" ? t("field.size.range", { least: String(MIN_DECK), most: String(MAX_DECK) }) : tr(`rule.${error.rule}`);
      refuse(name, t("field.wrong", { field: labels.get(name) ?? field, rule }));
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

/**
 * What is wrong with hex as it was typed.
 * @param {string | null} text
 * @param {number} length characters that it must have
 * @param {boolean} needed whether it may be left out
 * @returns {string | null} null where nothing is
 */
function hexRule(text, length, needed) {
  if (text === null) return needed ? t("field.hex.needed", { length }) : null;
  // Capitals are how one seed turns into the text of another: they are refused here as everywhere.
  if (/^[0-9A-Fa-f]+$/.test(text) && /[A-F]/.test(text)) return t("field.hex.capitals");
  if (!/^[0-9a-f]+$/.test(text)) return t("field.hex.characters");
  return text.length === length ? null : t("field.hex.length", { length, given: text.length });
}
