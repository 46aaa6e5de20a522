/**
 * The page's address: what it names, and how it comes to tell what is shown.
 * @module
 */

import { OFFLINE } from "./environment.js";

/** The path that the service stands under: empty, unless a proxy puts it below a folder. */
export function basePath() {
  const { pathname } = globalThis.location;
  const at = pathname.lastIndexOf("/verify");
  return OFFLINE || at < 0 ? "" : pathname.slice(0, at);
}

/** @returns {string | null} the hand in the page's address */
export function addressedHand() {
  return OFFLINE ? null : /\/verify\/([0-9a-f]{32})\/?$/.exec(globalThis.location.pathname)?.[1] ?? null;
}

/** @returns {boolean} whether the page's address names a hand by what is no number of one */
export function addressedWrongly() {
  return !OFFLINE && addressedHand() === null && /\/verify\/+[^/]/.test(globalThis.location.pathname);
}

/** @returns {string} what of the page's address names something to show; a jump within the page is nothing of it */
function address() {
  const { pathname, hash } = globalThis.location;
  return pathname + (/^#(?:doc|kept|commitment|seed)=/.test(hash) ? hash : "");
}

/** The address of what is shown. */
let opened = "";

/**
 * Makes the page's address tell what is shown, so that going back, loading again and sharing find it.
 * @param {string} path
 */
export function go(path) {
  if (OFFLINE) return;
  const whole = basePath() + path;
  if (globalThis.location.pathname !== whole || address() !== whole) globalThis.history.pushState(null, "", whole);
  opened = address();
}

/** What is shown is what the address names. */
export function arrived() {
  opened = address();
}

/** @returns {boolean} whether the address names something else now than what is shown */
export function movedAway() {
  return address() !== opened;
}
