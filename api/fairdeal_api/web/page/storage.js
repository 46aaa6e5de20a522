/**
 * The browser's own store for this site, which may be missing (private windows, files, strict settings).
 * @module
 */

/**
 * @param {string} key
 * @returns {string | null} null where nothing is stored or the store is closed to us
 */
export function read(key) {
  try {
    return globalThis.localStorage.getItem(key);
  } catch {
    return null;
  }
}

/**
 * @param {string} key
 * @param {string | null} value null removes it
 * @returns {boolean} whether it is stored now
 */
export function write(key, value) {
  try {
    if (value === null) globalThis.localStorage.removeItem(key);
    else globalThis.localStorage.setItem(key, value);
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {string} prefix
 * @returns {string[]} the stored keys that start so
 */
export function keys(prefix) {
  try {
    const store = globalThis.localStorage;
    return Array.from({ length: store.length }, (_, i) => store.key(i) ?? "").filter((key) => key.startsWith(prefix));
  } catch {
    return [];
  }
}
