/**
 * Light, dark, or as the system has it.
 * @module
 */

import { read, write } from "./storage.js";

/** @typedef {"auto" | "light" | "dark"} Theme */

const STORED = "fairdeal:theme";
const NEXT = /** @type {const} */ ({ auto: "light", light: "dark", dark: "auto" });

/** @returns {Theme} */
export function chosenTheme() {
  const stored = read(STORED);
  return stored === "light" || stored === "dark" ? stored : "auto";
}

/** Puts the choice on the document, where the styles look for it. */
export function applyTheme(theme = chosenTheme()) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** Goes on to the next choice and keeps it. */
export function nextTheme() {
  const theme = NEXT[chosenTheme()];
  write(STORED, theme === "auto" ? null : theme);
  applyTheme(theme);
}
