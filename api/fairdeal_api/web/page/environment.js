/**
 * What differs between the page that a service serves and the offline file. The offline file is made with
 * environment-offline.js in this module's place.
 * @module
 */

/** Whether this is the offline file, which fetches nothing. */
export const OFFLINE = false;

/** @returns {Worker} a worker that checks many hands */
export function startWorker() {
  return new Worker(new URL("../worker.js", import.meta.url), { type: "module" });
}
