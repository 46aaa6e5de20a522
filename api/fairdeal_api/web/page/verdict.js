/**
 * The verdict as a person reads it: one word, one sentence, and what it rests on (§10.2, §10.3).
 * @module
 */

import { append, h, icon } from "./dom.js";
import { capital, list, moment, t, tr } from "./i18n.js";
import { seatName } from "./seats.js";
/** @import { Key } from "./i18n.js" */
/** @import { ICONS } from "./dom.js" */
/** @import { Facts, Report } from "../protocol/verify.js" */

/**
 * Names of checks in a sentence; they hold "and" themselves.
 * @param {readonly string[]} names
 */
const quoted = (names) => list(names.map((name) => `“${t(/** @type {Key} */ (`check.${name}`))}”`));

/**
 * Where what was kept comes from, which decides how much a reader may build on it.
 * @typedef {object} Origins
 * @property {boolean} linkKept no commitment was kept but the one that came with the link
 * @property {boolean} linkSeed the client seed did
 * @property {boolean} keptNow it was kept by this very visit, so that there was nothing to compare it with yet
 */
/** @typedef {"verified" | "claimed" | "consistent" | "incomplete" | "refuted" | "open" | "ended"} Tone */
/**
 * @typedef {object} Headline
 * @property {Tone} tone
 * @property {keyof typeof ICONS} icon
 * @property {Key} title
 * @property {string} sentence
 * @property {string | null} advice
 */

/**
 * What to say of a report first.
 * @param {Report} report
 * @param {boolean} linkKept whether no commitment was kept but the one that came with the link
 * @returns {Headline}
 */
export function headlineOf(report, linkKept) {
  const { verdict, facts } = report;
  if (verdict === "refuted") {
    return { tone: "refuted", icon: "cross", title: "verdict.refuted", sentence: refutation(report), advice: t("advice.refuted") };
  }
  if (facts?.kind === "receipt" && facts.commit !== null && report.checks[0]?.result !== "absent") {
    const state = stateHeadline(report, facts, linkKept);
    if (state !== null) return state;
  }
  if (verdict === "verified" && linkKept) {
    return { tone: "claimed", icon: "link", title: "verdict.claimed", sentence: t("sentence.claimed", { commitment: shortHex(facts?.commitment) }), advice: null };
  }
  if (verdict === "verified") {
    return { tone: "verified", icon: "check", title: "verdict.verified", sentence: t("sentence.verified"), advice: null };
  }
  if (verdict === "consistent") {
    const gave = (facts?.seen.length ?? 0) > 0;
    return {
      tone: "consistent", icon: "approx", title: "verdict.consistent",
      sentence: t(gave ? "sentence.consistent.gave" : "sentence.consistent"), advice: t("advice.consistent"),
    };
  }
  return { tone: "incomplete", icon: "question", title: "verdict.incomplete", sentence: missing(report), advice: report.checks[0]?.result === "absent" ? null : t("advice.incomplete") };
}

/**
 * Both ends of it: enough to compare with a note.
 * @param {string | null | undefined} hex
 */
const shortHex = (hex) => (hex == null ? "" : `${hex.slice(0, 8)}…${hex.slice(-8)}`);

/**
 * Hands that nobody can judge as dealt: still open, never dealt, or their seed lost.
 * @param {Report} report
 * @param {Facts} facts
 * @param {boolean} linkKept
 * @returns {Headline | null}
 */
function stateHeadline({ verdict }, { commit, lock, reveal, entries, commitment }, linkKept) {
  if (entries.some(({ type }) => type === null)) return null;
  if (reveal === null) {
    const state = lock === null ? "committed" : "locked";
    const until = lock === null ? commit?.lock_by : lock.reveal_by;
    return {
      tone: "open", icon: "clock", title: `state.${state}`,
      sentence: t(`sentence.${state}`), advice: until === undefined ? null : t(`advice.${state}`, { time: moment(until) }),
    };
  }
  if (reveal.outcome === "lost") {
    return { tone: "ended", icon: "warning", title: "state.lost", sentence: t("sentence.lost"), advice: t("advice.lost") };
  }
  if (lock !== null) return null;
  return {
    tone: "ended", icon: "stop", title: "state.undealt",
    sentence: `${tr(`ended.${reveal.reason ?? reveal.outcome}`)} ${verdict !== "verified" ? t("sentence.undealt") : linkKept ? t("sentence.claimed", { commitment: shortHex(commitment) }) : t("sentence.undealt.kept")}`,
    advice: null,
  };
}

/**
 * @param {Report} report
 * @returns {string}
 */
function refutation({ cause, checks, facts }) {
  const format = checks[0];
  if (facts === null && format?.detail.code === "format.malformed") {
    return t("sentence.malformed", { field: String(format.detail.field), rule: tr(`rule.${format.detail.rule}`) });
  }
  if (cause !== null && cause !== "unknown") return t(/** @type {Key} */ (`cause.${cause}`));
  const failed = checks.filter(({ result }) => result === "fail").map(({ name }) => name);
  const onlySeen = checks.every(({ name, result }) => result !== "fail" || name === "seen");
  if (onlySeen) return t("sentence.refuted.seen");
  return `${t("cause.unknown")} ${t("sentence.failed", { checks: quoted(failed) })}`;
}

/**
 * @param {Report} report
 * @returns {string}
 */
function missing({ checks }) {
  if (checks[0]?.result === "absent") return t("sentence.unsupported");
  const absent = checks.filter(({ name, result }) => result === "absent" && !["signature", "inclusion", "sequence", "seen"].includes(name));
  return t("sentence.incomplete", { checks: quoted(absent.map(({ name }) => name)) });
}

/**
 * The card at the top of the page.
 * @param {Report} report
 * @param {Origins} given
 * @param {HTMLElement | null} actions
 * @returns {HTMLElement}
 */
export function verdictElement(report, given, actions) {
  const headline = headlineOf(report, given.linkKept);
  const card = h("section", { class: `verdict tone-${headline.tone}`, "aria-labelledby": "verdict-title" },
    h("div", { class: "seal" }, icon(headline.icon)),
    h("div", { class: "verdict-words" },
      h("p", { class: "eyebrow" }, t("verdict.eyebrow", { verdict: capital(t(`word.${report.verdict}`)) })),
      h("h1", { id: "verdict-title", tabindex: "-1" }, t(headline.title)),
      h("p", { class: "sentence" }, headline.sentence),
      headline.advice === null ? null : h("p", { class: "advice" }, headline.advice),
      stopped(report)));
  append(card, [restsOn(report, given), actions]);
  return card;
}

/**
 * A hand that was dealt and then stopped is judged as dealt; the reader is told.
 * @param {Report} report
 * @returns {HTMLElement | null}
 */
function stopped({ facts }) {
  if (facts?.lock == null || facts.reveal == null || facts.reveal.outcome === "played" || facts.reveal.outcome === "lost") return null;
  return h("p", { class: "advice" }, tr(`stopped.${facts.reveal.reason ?? facts.reveal.outcome}`));
}

/**
 * Three statements that stand beside every verdict.
 * @param {Report} report
 * @param {Origins} given
 * @returns {HTMLElement | null}
 */
function restsOn({ checks, facts, grinding, log_evidence }, { linkKept, linkSeed, keptNow }) {
  if (facts === null) return null;
  const seen = checks.find(({ name }) => name === "seen");
  const logWords = { "a key that was given": "given", "only the receipt's own key": "own", none: "none" };
  const before = keptNow && seen?.result !== "fail" ? "rests.seen.now" : seen?.result === "pass" ? (linkKept ? "rests.seen.link" : "rests.seen.pass") : seen?.result === "fail" ? "rests.seen.fail"
    : facts.seen.length > 0 ? "rests.seen.partly" : "rests.seen.absent";
  const log = facts.kind === "record" ? "record" : logWords[log_evidence];
  const bad = checks.some(({ name, result }) => (name === "signature" || name === "inclusion") && result === "fail");
  return h("ul", { class: "rests" },
    restItem("eye", "rests.seen", t(before), linkKept && seen?.result === "pass" ? "absent" : seen?.result ?? "absent"),
    restItem("log", "rests.log", t(bad ? "rests.log.bad" : /** @type {Key} */ (`rests.log.${log}`)), bad ? "fail" : log === "given" ? "pass" : "absent"),
    restItem("dice", "rests.grinding", grindingWords(grinding, facts, linkKept || linkSeed), grinding === "nobody" && !linkKept && !linkSeed ? "pass" : "absent"));
}

/**
 * @param {keyof typeof ICONS} name
 * @param {Key} title
 * @param {string} words
 * @param {string} result
 */
function restItem(name, title, words, result) {
  return h("li", { class: `rest rest-${result}` }, icon(name), h("div", null, h("strong", null, t(title)), h("p", null, words)));
}

/**
 * @param {Report["grinding"]} grinding
 * @param {Facts} facts
 * @param {boolean} linked whether that rests on what came with the link
 * @returns {string}
 */
function grindingWords(grinding, facts, linked) {
  if (grinding === null) return t("grinding.none");
  if (grinding === "nobody" && linked) return t("grinding.nobody.link");
  const seats = list((facts.contributions ?? []).map(({ seat }) => seatName(seat)));
  return t(/** @type {Key} */ (`grinding.${grinding}`), { seats });
}

/**
 * Operator, table, number, times.
 * @param {Facts} facts
 * @returns {HTMLElement | null}
 */
export function handElement({ hand, commit, lock, reveal, terms }) {
  if (hand === null) return null;
  const item = (/** @type {Key} */ key, /** @type {string | number | Node} */ value) => h("div", null, h("dt", null, t(key)), h("dd", null, value));
  return h("dl", { class: "about-hand" },
    commit && item("hand.table", `${commit.operator} / ${commit.table}`),
    commit && item("hand.number", t("hand.number.value", { number: commit.number })),
    terms && item("hand.game", gameWords(terms)),
    commit && item("hand.committed", moment(commit.at)),
    lock && item("hand.locked", moment(lock.at)),
    reveal && item("hand.revealed", moment(reveal.at)),
    item("hand.id", h("code", { class: "hex" }, hand)));
}

/**
 * @param {import("../protocol/terms.js").Terms} terms
 * @returns {string}
 */
function gameWords(terms) {
  if (terms.game === "deck") return t("game.deck", { size: terms.size, seats: terms.seats });
  return t(terms.layout === "wall" ? "game.wall" : "game.plain", {
    game: t(`game.${terms.game}`), seats: terms.seats, dice: t("game.dice", { n: terms.dice }),
  });
}
