/**
 * The page: header, view, footer, and what happens when something breaks.
 * @module
 */

import { h, icon, fill } from "./dom.js";
import { basePath } from "./address.js";
import { OFFLINE } from "./environment.js";
import { language, preferredLanguage, setLanguage, t } from "./i18n.js";
import { acceptDrops } from "./sources.js";
import { complain, moved, onChange, open, start, state } from "./state.js";
import { applyTheme, chosenTheme, nextTheme } from "./theme.js";
import { headlineOf } from "./verdict.js";
import { sink, viewElements } from "./view.js";

const found = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {"en" | "tr"} chosen */
function languageButton(chosen) {
  return h("button", {
    type: "button", lang: chosen, "aria-pressed": String(language() === chosen), title: t(`language.${chosen}`),
    "aria-label": `${chosen.toUpperCase()} – ${t(`language.${chosen}`)}`,
    onclick: () => {
      setLanguage(chosen, true);
      draw(false);
      found("header").querySelector(`[lang=${chosen}]`)?.dispatchEvent(new Event("refocus"));
    },
    onrefocus: (/** @type {Event} */ event) => /** @type {HTMLElement} */ (event.currentTarget).focus(),
  }, chosen.toUpperCase());
}

function drawHeader() {
  const theme = chosenTheme();
  fill(found("header"),
    h("a", { class: "brand", href: OFFLINE ? "#" : `${basePath()}/verify`, onclick: goHome }, h("span", { class: "mark", "aria-hidden": "true" }), h("span", null, "fairdeal")),
    h("p", { class: "tagline" }, t(OFFLINE ? "header.offline" : "header.tagline")),
    h("div", { class: "switches" },
      h("button", {
        type: "button", class: "switch theme", "aria-label": t(`theme.${theme}`), title: t(`theme.${theme}`),
        onclick: () => { nextTheme(); drawHeader(); /** @type {HTMLElement | null} */ (found("header").querySelector(".theme"))?.focus(); },
      }, icon(/** @type {const} */ ({ auto: "auto", light: "sun", dark: "moon" })[theme])),
      h("div", { class: "switch languages", role: "group", "aria-label": t("language.title") }, languageButton("en"), languageButton("tr"))));
}

/** @param {MouseEvent} event */
function goHome(event) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  start();
}

function drawFooter() {
  fill(found("footer"),
    h("p", { id: "engine" }, t(state.engine === "noble" ? "engine.noble" : state.view.kind === "many" ? "engine.many" : "engine.both")),
    OFFLINE ? h("p", null, t("footer.offline")) : h("p", null, t("footer.verifier"), " ",
      h("a", { href: `${basePath()}/verify/offline.html`, download: "fairdeal-verifier.html" }, icon("download"), t("footer.download"))));
}

/** @returns {string} what the page says at the moment, in a few words */
function summary() {
  const { view } = state;
  switch (view.kind) {
    case "hand":
      return t(headlineOf(view.report, view.linkKept).title);
    case "refused":
      return t("refused.title");
    case "problem":
      return t("problem.title");
    case "loading":
      return t("loading.title");
    case "many":
      return t("many.title");
    case "start":
      return t("start.title");
  }
}

/** @param {boolean} moved whether something else is shown than before */
function draw(moved) {
  document.documentElement.lang = language();
  document.title = `${summary()} – fairdeal`;
  drawHeader();
  const main = found("main");
  const focused = document.activeElement?.id ?? "";
  fill(main, viewElements());
  drawFooter();
  const { view } = state;
  found("live").textContent = view.kind === "hand" ? `${summary()}. ${headlineOf(view.report, view.linkKept).sentence}` : summary();
  document.body.dataset.shown = view.kind;
  if (moved && view.kind !== "loading" && handled) {
    globalThis.scrollTo({ top: 0 });
    // Back in a list, the reader's place is the row that was opened.
    const at = view.kind === "many" ? state.batch?.opened ?? null : null;
    /** @type {HTMLElement | null} */
    const row = at === null ? null : main.querySelector(`[data-at="${at}"]`);
    if (row === null) /** @type {HTMLElement | null} */ (main.querySelector("h1"))?.focus({ preventScroll: true });
    else row.focus();
  } else if (focused !== "") {
    document.getElementById(focused)?.focus({ preventScroll: true });
  }
  if (view.kind !== "loading") handled = true;
}

/** Whether something was shown already: the first screen must not take the focus from the page's beginning. */
let handled = false;

/** @param {unknown} error */
function failed(error) {
  const box = found("failed");
  box.hidden = false;
  box.classList.add("shown");
  found("failed-why").textContent = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  found("live").textContent = found("failed").textContent ?? "";
}

function run() {
  globalThis.addEventListener("error", (event) => failed(event.error ?? event.message));
  globalThis.addEventListener("unhandledrejection", (event) => failed(event.reason));
  applyTheme();
  setLanguage(preferredLanguage());
  onChange(draw);
  found("failed").hidden = true;
  acceptDrops({ ...sink, complain });
  globalThis.addEventListener("popstate", moved);
  globalThis.addEventListener("hashchange", moved);
  void open();
}

run();
