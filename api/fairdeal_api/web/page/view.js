/**
 * Draws what state.js holds.
 * @module
 */

import { parseHex, traceDeal } from "../protocol/index.js";
import { checksElement } from "./checks.js";
import { disclosure, h, icon } from "./dom.js";
import { OFFLINE } from "./environment.js";
import { finishedScene, framesOf } from "./frames.js";
import { t, tr } from "./i18n.js";
import { keptOf } from "./kept.js";
import { manyElement } from "./many.js";
import { keptWords, mineElement } from "./mine.js";
import { playerElement } from "./player.js";
import { shareElement } from "./actions.js";
import { sourcesElement } from "./sources.js";
import { sceneElement } from "./table.js";
import { handElement, verdictElement } from "./verdict.js";
import * as act from "./state.js";
import { state } from "./state.js";
/** @import { HandView } from "./state.js" */
/** @import { Sink } from "./sources.js" */
/** @import { Facts } from "../protocol/verify.js" */

/** @type {Sink} */
export const sink = {
  take: (text, name) => void act.take(text, name),
  complain: act.complain,
  ...(OFFLINE ? {} : { look: (/** @type {string} */ hand) => void act.look(hand) }),
};

/**
 * What stands below the header.
 * @returns {(HTMLElement | null)[]}
 */
export function viewElements() {
  const { view } = state;
  switch (view.kind) {
    case "start":
      return [welcomeElement(), unreadElement(), complaint(), sourcesElement(sink), limitsElement()];
    case "loading":
      return [h("section", { class: "verdict tone-open loading", "aria-busy": "true" }, h("div", { class: "seal" }, icon("dots")),
        h("div", { class: "verdict-words" }, h("h1", { tabindex: "-1" }, t("loading.title")), h("p", { class: "sentence" }, t("loading.sentence"))))];
    case "refused":
      return [h("section", { class: "verdict tone-refused" }, h("div", { class: "seal" }, icon("stop")),
        h("div", { class: "verdict-words" }, h("h1", { tabindex: "-1" }, t("refused.title")),
          h("p", { class: "sentence" }, t("refused.sentence", { rule: tr(`rule.${view.error.rule}`) })),
          h("p", { class: "advice" }, t("refused.advice")))), complaint(), sourcesElement(sink)];
    case "problem":
      return [problemElement(view), unreadElement(), complaint(), sourcesElement(sink)];
    case "many":
      return state.batch === null ? [] : [complaint(), manyElement(state.batch, (text) => void act.openRow(text)), anotherElement()];
    case "hand":
      return handElements(view);
  }
}

function welcomeElement() {
  return h("section", { class: "welcome" },
    h("h1", { tabindex: "-1" }, t("start.title")), h("p", { class: "sentence" }, t("start.sentence")),
    h("ol", { class: "how" }, (/** @type {const} */ (["before", "play", "after"])).map((step) =>
      h("li", null, h("strong", null, t(`start.${step}`)), h("span", null, t(`start.${step}.words`))))));
}

/** What came with the link and cannot be read was not compared, and the reader must know it. */
function unreadElement() {
  return state.unread ? h("p", { class: "wrong complaint", id: "link-unread", role: "alert" }, icon("warning"), t("link.unread")) : null;
}

function complaint() {
  return state.complaint === "" ? null : h("p", { class: "wrong complaint", role: "alert" }, state.complaint);
}

/** @param {Extract<typeof state.view, { kind: "problem" }>} view */
function problemElement({ key, values, hand }) {
  return h("section", { class: "verdict tone-refused" }, h("div", { class: "seal" }, icon("warning")),
    h("div", { class: "verdict-words" }, h("h1", { tabindex: "-1" }, t("problem.title")), h("p", { class: "sentence" }, t(key, values)),
      h("p", { class: "advice" }, t("problem.advice")),
      hand === null ? null : h("p", null, h("button", { type: "button", class: "button button-main", onclick: () => void act.look(hand) }, t("problem.again")))));
}

/** @param {HandView} view */
function handElements(view) {
  const { report, text, fetched, keptNow, linkKept } = view;
  const { facts } = report;
  const hand = facts?.hand ?? null;
  const kept = hand === null ? null : keptOf(hand);
  const { given, linked } = state;
  const open = facts?.kind === "receipt" && facts.reveal === null && fetched !== null;
  const actions = h("div", { class: "after" },
    keptNow ? h("p", { class: "kept-note" }, icon("eye"), t("kept.now")) : null,
    open && !keptNow && report.verdict !== "refuted" ? h("p", { class: "kept-note" }, icon("warning"), t("kept.not")) : null,
    open && fetched !== null
      ? h("button", { type: "button", class: "button button-main", onclick: () => void act.look(fetched, true) }, t("open.again")) : null,
    report.verdict === "verified" && linkKept && linked !== null
      ? h("button", { type: "button", class: "button button-main", id: "link-confirm", onclick: () => void act.confirmLinked(keptWords(linked)) }, t("claimed.confirm")) : null,
    report.verdict === "consistent"
      ? h("a", { class: "button", href: "#mine", onclick: jumpToMine }, t("consistent.give")) : null,
    shareElement(view));
  return [
    state.batch === null ? null : h("p", { class: "to-list" }, h("button", { type: "button", class: "button", onclick: act.backToMany }, icon("back"), t("many.back"))),
    unreadElement(),
    verdictElement(report, {
      linkKept,
      linkSeed: linked?.seed !== undefined && kept?.seed === undefined && !given.some((one) => one.seen.some(({ kind }) => kind === "seed")),
      keptNow,
    }, actions),
    complaint(),
    facts === null ? null : handElement(facts),
    facts === null ? null : tableElement(facts),
    checksElement(report, state.opened, text),
    facts === null ? null : mineElement({
      hand, seats: facts.terms?.seats ?? 16, kept, linked, given, outcomes: facts.seen,
      ownKey: facts.vkey,
    }, {
      add: (one) => void act.addGiven(one), remove: (one) => void act.removeGiven(one), forget: () => void act.forgetKept(),
      dropLinked: () => void act.dropLinked(), keysChanged: () => void act.recheck(),
    }),
    limitsElement(),
    h("details", { class: "raw more" }, h("summary", null, t("raw.title")), h("pre", { class: "text", tabindex: "0" }, text)),
    anotherElement(),
  ];
}

/** @param {Event} event */
function jumpToMine(event) {
  event.preventDefault();
  const section = document.getElementById("mine");
  section?.scrollIntoView();
  section?.focus({ preventScroll: true });
}

/**
 * The deal on the table: what the seeds give, or, where that differs or cannot be told, what the document says.
 * @param {Facts} facts
 * @returns {HTMLElement | null}
 */
function tableElement(facts) {
  const { givenDeal, trueDeal, terms, key } = facts;
  const deal = trueDeal ?? givenDeal;
  if (deal === null || terms === null) return null;
  const differ = trueDeal !== null && givenDeal !== null && JSON.stringify(sorted(trueDeal)) !== JSON.stringify(sorted(givenDeal));
  const own = facts.seen.find(({ kind, outcome }) => kind === "seed" && outcome === "agree")?.seat ?? null;
  const seating = (/** @type {import("../protocol/deal.js").Deal} */ of) => ({
    seats: terms.seats, dealer: "dealer" in of ? of.dealer : null, starter: "starter" in of ? of.starter : null, you: own,
  });
  const cards = terms.game === "deck";
  const stage = h("div", null);
  const draw = () => {
    const given = state.side === "given" && givenDeal !== null;
    const shown = given ? givenDeal : deal;
    const against = differ ? (given ? trueDeal : givenDeal) : null;
    const look = { deal: shown, against, seating: seating(shown), cards };
    if (given || trueDeal === null || key === null) stage.replaceChildren(sceneElement(finishedScene(shown), look));
    else stage.replaceChildren(playerElement(framesOf(trueDeal, terms, traceDeal(parseHex(key, "key", 32), terms).draws), look, state.place));
  };
  const choices = /** @type {const} */ (["truth", "given"]).map((side) => h("button", {
    type: "button", class: "chip", "aria-pressed": String(state.side === side),
    onclick: (/** @type {Event} */ event) => {
      state.side = side;
      for (const one of choices) one.setAttribute("aria-pressed", String(one === event.currentTarget));
      draw();
    },
  }, t(`table.side.${side}`)));
  draw();
  return h("section", { class: "table", "aria-labelledby": "table-title" },
    h("h2", { id: "table-title" }, t(cards ? "table.title.deck" : "table.title")),
    trueDeal === null ? h("p", { class: "wrong" }, t("table.unchecked")) : null,
    differ ? h("div", { class: "differ" }, h("p", { class: "wrong" }, icon("warning"), t("table.differ")), h("div", { class: "chips", role: "group", "aria-label": t("table.sides") }, choices)) : null,
    stage,
    cards ? null : h("p", { class: "legend hint" }, t("table.legend")));
}

/**
 * @param {object} deal
 * @returns {[string, unknown][]}
 */
function sorted(deal) {
  return Object.entries(deal).sort(([a], [b]) => (a < b ? -1 : 1));
}

function limitsElement() {
  return disclosure(t("limits.title"), () => [
    h("p", null, t("limits.lead")),
    h("ul", { class: "plain" }, (/** @type {const} */ (["eyes", "time", "people", "turned", "page"])).map((one) => h("li", null, t(`limits.${one}`)))),
  ], { class: "more limits" });
}

function anotherElement() {
  return h("p", { class: "another" }, h("button", { type: "button", class: "button", onclick: act.start }, t("another")));
}
