/**
 * What can be done with a verdict: share it, keep the document, print it, check it offline.
 * @module
 */

import { basePath } from "./address.js";
import { fill, h, icon } from "./dom.js";
import { OFFLINE } from "./environment.js";
import { t } from "./i18n.js";
import { shareOf } from "./share.js";
/** @import { HandView } from "./state.js" */

/**
 * @param {HandView} view
 * @returns {HTMLElement}
 */
export function shareElement({ text, fetched, report }) {
  const told = h("div", { class: "shared", role: "status" });
  const share = async () => {
    const result = await shareOf({ base: globalThis.location.origin + basePath(), hand: fetched, text, offline: OFFLINE });
    if ("why" in result) {
      fill(told, h("p", null, t(`share.${result.why}`)));
      return;
    }
    const copied = await copy(result.link);
    const link = h("input", { type: "text", readonly: true, value: result.link, "aria-label": t("share.link") });
    fill(told, h("p", null, t(copied ? "share.copied" : "share.copy")), link);
    if (!copied) link.select();
  };
  return h("div", { class: "actions" },
    h("div", { class: "buttons" },
      h("button", { type: "button", class: "button", onclick: share }, icon("link"), t("share.title")),
      h("button", { type: "button", class: "button", onclick: printPage }, icon("print"), t("share.print")),
      h("a", { class: "button", href: fileOf(text), download: `fairdeal-${report.facts?.hand ?? "hand"}.json` }, icon("download"), t("share.document"))),
    told);
}

/** The address of the latest document that can be saved; the one before it is given back to the browser. */
let latest = "";

/** @param {string} text */
function fileOf(text) {
  if (latest !== "") URL.revokeObjectURL(latest);
  latest = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  return latest;
}

/**
 * The clipboard exists only where `crypto.subtle` does, and may be refused there.
 * @param {string} text
 */
async function copy(text) {
  try {
    await globalThis.navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Prints the page. */
function printPage() {
  globalThis.print();
}
