/**
 * The example's game client: four buttons around the badge.
 * @module
 */

import { FairDealBadge } from "./badge.js";

await customElements.whenDefined("fair-deal-badge");
const badge = /** @type {FairDealBadge} */ (document.querySelector("fair-deal-badge"));
badge.setAttribute("server", globalThis.location.origin);

const input = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ (document.getElementById(id));

/**
 * Runs a step and shows what went wrong with it.
 * @param {() => void | Promise<void>} step
 */
async function attempt(step) {
  const trouble = /** @type {HTMLElement} */ (document.getElementById("trouble"));
  trouble.textContent = "";
  try {
    await step();
  } catch (error) {
    trouble.textContent = error instanceof Error ? error.message : String(error);
  }
}

input("prepare").addEventListener("click", () => attempt(() => {
  badge.setAttribute("seat", input("seat").value);
  input("seal").value = badge.prepare({ words: input("words").value }).seal;
}));
input("check").addEventListener("click", () => attempt(async () => {
  await badge.committed(input("receipt").value);
}));
input("open").addEventListener("click", () => attempt(() => {
  input("seed").value = badge.open().seed;
}));
badge.addEventListener("fair-deal-state", (event) => {
  const { hand, state } = /** @type {CustomEvent<{ hand: string, state: string }>} */ (event).detail;
  /** @type {HTMLElement} */ (document.getElementById("state")).textContent = `Hand ${hand}: ${state}`;
});
