/**
 * Stands in for environment.js in the offline file: no network, and a worker made from the file's own script.
 * @module
 */

/** Whether this is the offline file, which fetches nothing. */
export const OFFLINE = true;

/** @returns {Worker} a worker that checks many hands */
export function startWorker() {
  const script = document.getElementById("verifier")?.textContent ?? "";
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  return new Worker(address);
}
