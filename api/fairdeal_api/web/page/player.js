/**
 * Plays a deal forward and back (§3–§5), with the draws that each step rests on.
 * @module
 */

import { fill, h, icon } from "./dom.js";
import { t } from "./i18n.js";
import { drawList } from "./draw-list.js";
import { sceneElement } from "./table.js";
/** @import { Frame, Phase } from "./frames.js" */
/** @import { Key } from "./i18n.js" */
/** @import { Shown } from "./table.js" */

/** How long a step stays while the deal plays itself, in milliseconds. */
const PAUSE = { shuffle: 90, dealer: 1400, wall: 1600, throws: 1600, hands: 900, stock: 1600 };

/**
 * @param {Frame[]} frames
 * @param {Shown} shown
 * @param {{ at: number | null }} place where the film stands; kept by the caller over a change of language
 * @returns {HTMLElement}
 */
export function playerElement(frames, shown, place) {
  const last = frames.length - 1;
  let at = Math.min(place.at ?? last, last);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  const stage = h("div", { class: "stage" });
  const say = h("p", { class: "say", "aria-live": "polite" });
  const draws = h("div", { class: "say-draws" });
  const slider = h("input", { type: "range", min: 0, max: last, step: 1, "aria-label": t("player.slider") });
  const play = h("button", { type: "button", class: "round play" });
  const button = (/** @type {"first" | "back" | "forward" | "last"} */ name, /** @type {() => number} */ to) =>
    h("button", { type: "button", class: "round", "aria-label": t(`player.${name}`), title: t(`player.${name}`), onclick: () => { stop(); go(to()); } }, icon(name));
  const first = button("first", () => 0);
  const back = button("back", () => at - 1);
  const forward = button("forward", () => at + 1);
  const end = button("last", () => last);

  /** @type {Map<Phase, { button: HTMLButtonElement, from: number }>} */
  const chips = new Map();
  frames.forEach(({ phase }, from) => {
    if (chips.has(phase)) return;
    const chip = h("button", { type: "button", class: "chip", onclick: () => { stop(); go(from); } }, t(/** @type {Key} */ (`phase.${phase}`)));
    chips.set(phase, { button: chip, from });
  });

  /** @param {number} to */
  function go(to) {
    at = Math.max(0, Math.min(last, to));
    place.at = at;
    const frame = /** @type {Frame} */ (frames[at]);
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", t("player.place", { at: at + 1, of: frames.length }));
    fill(say, h("b", null, t("player.place", { at: at + 1, of: frames.length })), " ", t(frame.say, frame.values));
    fill(draws, frame.draws.length > 0 ? drawList(frame.draws) : null);
    for (const [phase, { button: chip }] of chips) {
      if (phase === frame.phase) chip.setAttribute("aria-current", "step");
      else chip.removeAttribute("aria-current");
    }
    // A button that would do nothing stays reachable: taking it away would drop the focus with it.
    for (const [one, idle] of /** @type {const} */ ([[first, at === 0], [back, at === 0], [forward, at === last], [end, at === last]])) {
      one.setAttribute("aria-disabled", String(idle));
    }
    fill(stage, sceneElement(frame.scene(), shown));
  }

  function showPlay() {
    const playing = timer !== undefined;
    say.setAttribute("aria-live", playing ? "off" : "polite");
    play.setAttribute("aria-label", t(playing ? "player.pause" : "player.play"));
    play.setAttribute("title", t(playing ? "player.pause" : "player.play"));
    fill(play, icon(playing ? "pause" : "play"));
  }

  function stop() {
    clearTimeout(timer);
    timer = undefined;
    showPlay();
  }

  function step() {
    if (!stage.isConnected || at === last) {
      stop();
      return;
    }
    go(at + 1);
    timer = setTimeout(step, PAUSE[/** @type {Frame} */ (frames[at]).phase]);
  }

  play.addEventListener("click", () => {
    if (timer !== undefined) {
      stop();
      return;
    }
    if (at === last) go(0);
    timer = setTimeout(step, 300);
    showPlay();
  });
  slider.addEventListener("input", () => {
    stop();
    go(Number(slider.value));
  });
  showPlay();
  go(at);
  return h("div", { class: "player" },
    h("div", { class: "controls", role: "group", "aria-label": t("player.title") },
      h("div", { class: "buttons" }, first, back, play, forward, end), slider,
      h("div", { class: "chips" }, [...chips.values()].map(({ button: chip }) => chip))),
    say, draws, stage);
}
