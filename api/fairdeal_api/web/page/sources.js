/**
 * Where a document comes from: a file, the clipboard, fields typed by hand.
 * @module
 */

import { fromUtf8, MalformedError } from "../protocol/index.js";
import { disclosure, h, icon } from "./dom.js";
import { fieldsElement } from "./fields.js";
import { t } from "./i18n.js";

/** Bytes in a file at most; more is work for `fairdeal audit`. */
export const LARGEST = 256 * 1024 * 1024;

/**
 * @typedef {object} Sink
 * @property {(text: string, name: string) => void} take a document, or a file of many
 * @property {(message: string) => void} complain
 * @property {(hand: string) => void} [look] fetches a hand of this server; missing in the offline file
 */

/**
 * Reads a file as strict UTF-8.
 * @param {File} file
 * @param {Sink} sink
 */
export async function readFile(file, sink) {
  if (file.size > LARGEST) {
    sink.complain(t("source.large"));
    return;
  }
  try {
    sink.take(fromUtf8(new Uint8Array(await file.arrayBuffer()), "document"), file.name);
  } catch (error) {
    sink.complain(t(error instanceof MalformedError ? "source.binary" : "source.unreadable"));
  }
}

/**
 * Files may be dropped anywhere on the page.
 * @param {Sink} sink
 */
export function acceptDrops(sink) {
  const over = (/** @type {boolean} */ on) => document.documentElement.classList.toggle("dropping", on);
  document.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    over(true);
  });
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) over(false);
  });
  document.addEventListener("drop", (event) => {
    over(false);
    const file = event.dataTransfer?.files[0];
    if (file === undefined) return;
    event.preventDefault();
    void readFile(file, sink);
  });
}

/**
 * The panel that takes a document.
 * @param {Sink} sink
 * @returns {HTMLElement}
 */
export function sourcesElement(sink) {
  const file = h("input", { type: "file", id: "source-file", accept: ".json,.jsonl,.ndjson,.txt,application/json" });
  file.addEventListener("change", () => {
    const chosen = file.files?.[0];
    if (chosen !== undefined) void readFile(chosen, sink);
    file.value = "";
  });
  const text = h("textarea", { id: "source-text", rows: 6, spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-describedby": "source-text-hint" });
  const verify = () => {
    if (text.value.trim() === "") {
      sink.complain(t("source.empty"));
      text.focus();
    } else {
      sink.take(text.value, t("source.pasted"));
    }
  };
  // Pasting is the whole intent: the verdict follows at once.
  text.addEventListener("paste", () => setTimeout(() => { if (text.value.trim() !== "") verify(); }));
  return h("section", { class: "sources", "aria-labelledby": "sources-title" },
    h("h2", { id: "sources-title" }, t("source.title")),
    sink.look === undefined ? null : handForm(sink.look),
    h("div", { class: "source-drop" },
      icon("file"), h("div", null,
        h("label", { for: "source-file" }, t("source.file")), h("p", { class: "hint" }, t("source.file.hint")), file)),
    h("div", { class: "field" },
      h("label", { for: "source-text" }, t("source.text")),
      h("p", { class: "hint", id: "source-text-hint" }, t("source.text.hint")), text,
      h("button", { type: "button", class: "button button-main", onclick: verify }, t("source.verify"))),
    disclosure(t("source.fields"), () => fieldsElement(sink), { class: "more source-fields" }));
}

/**
 * @param {(hand: string) => void} look
 * @returns {HTMLElement}
 */
function handForm(look) {
  const input = h("input", {
    id: "source-hand", type: "text", spellcheck: "false", autocapitalize: "off", autocomplete: "off",
    "aria-describedby": "source-hand-hint",
  });
  const wrong = h("p", { class: "wrong", role: "alert" });
  return h("form", {
    class: "field", novalidate: true,
    onsubmit: (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      const hand = /[0-9a-f]{32}/.exec(input.value.toLowerCase())?.[0];
      wrong.textContent = hand === undefined ? t("source.hand.wrong") : "";
      input.setAttribute("aria-invalid", String(hand === undefined));
      if (hand === undefined) input.focus();
      else look(hand);
    },
  },
  h("label", { for: "source-hand" }, t("source.hand")),
  h("p", { class: "hint", id: "source-hand-hint" }, t("source.hand.hint")),
  h("div", { class: "inline" }, input, h("button", { class: "button button-main" }, t("source.look"))), wrong);
}
