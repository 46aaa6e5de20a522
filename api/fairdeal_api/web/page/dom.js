/**
 * Elements, made in one call. Text goes in as text nodes only: nothing here parses HTML.
 * @module
 */

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Properties */

/**
 * An element. A property that starts with `on` is a listener, `true` an attribute without value, `false`, null and
 * undefined are left out.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Properties | null} [properties]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  append(element, children);
  return element;
}

/**
 * @param {Element | DocumentFragment} parent
 * @param {(Child | Child[])[]} children
 */
export function append(parent, children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : String(child));
  }
}

/**
 * Replaces what an element holds.
 * @param {Element} parent
 * @param {...(Child | Child[])} children
 */
export function fill(parent, ...children) {
  parent.replaceChildren();
  append(parent, children);
}

const SVG = "http://www.w3.org/2000/svg";

/**
 * An icon: paths on a square of 24, drawn in the colour of the text around it, hidden from screen readers.
 * @param {keyof typeof ICONS} name
 * @param {string} [className]
 * @returns {SVGSVGElement}
 */
export function icon(name, className = "icon") {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", className);
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("focusable", "false");
  for (const d of ICONS[name]) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
}

/** Stroked paths; each says by its form what the words beside it say. */
export const ICONS = Object.freeze({
  check: ["M4.5 12.5 9.5 17.5 19.5 6.5"],
  cross: ["M6 6 18 18", "M18 6 6 18"],
  approx: ["M4.5 9.5c2.5-3 5-3 7.5 0s5 3 7.5 0", "M4.5 15.5c2.5-3 5-3 7.5 0s5 3 7.5 0"],
  dots: ["M5.5 12h.01", "M12 12h.01", "M18.5 12h.01"],
  dash: ["M6 12h12"],
  question: ["M8.8 9.2a3.2 3.2 0 1 1 4.7 2.8c-1 .6-1.5 1.2-1.5 2.5", "M12 18h.01"],
  clock: ["M12 7v5.2l3.2 2", "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17Z"],
  stop: ["M6.5 6.5 17.5 17.5", "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17Z"],
  warning: ["M12 4 21 19.5H3Z", "M12 10v4.5", "M12 17h.01"],
  eye: ["M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12Z", "M12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5Z"],
  log: ["M5 4.5h14v15H5Z", "M8.5 9h7", "M8.5 12.5h7", "M8.5 16h4"],
  hand: ["M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17Z", "M8.5 12.5l2.5 2.5 4.5-5.5"],
  dice: ["M5 5h14v14H5Z", "M9 9h.01", "M15 15h.01", "M12 12h.01", "M15 9h.01", "M9 15h.01"],
  link: ["M10 14a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.7l-1 1", "M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1-1"],
  download: ["M12 4v11", "M7.5 11 12 15.5 16.5 11", "M5 19.5h14"],
  print: ["M7.5 8.5v-5h9v5", "M7.5 16.5h-3v-8h15v8h-3", "M7.5 13.5h9v7h-9Z"],
  first: ["M6 5v14", "M18 6 10 12l8 6Z"],
  back: ["M15.5 5.5 8.5 12l7 6.5"],
  forward: ["M8.5 5.5 15.5 12l-7 6.5"],
  last: ["M18 5v14", "M6 6l8 6-8 6Z"],
  play: ["M8 5.5 18.5 12 8 18.5Z"],
  pause: ["M8.5 5.5v13", "M15.5 5.5v13"],
  sun: ["M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8Z", "M12 2.5v2", "M12 19.5v2", "M2.5 12h2", "M19.5 12h2", "M5.3 5.3l1.4 1.4", "M17.3 17.3l1.4 1.4", "M5.3 18.7l1.4-1.4", "M17.3 6.7l1.4-1.4"],
  moon: ["M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10Z"],
  auto: ["M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17Z", "M12 3.5v17", "M12 8l5.5 5.5", "M12 13l4 4"],
  file: ["M6.5 3.5h7l4 4v13h-11Z", "M13.5 3.5v4h4"],
  key: ["M8 11.5a4 4 0 1 0 0 1.01", "M11.5 12H21", "M17.5 12v3.5", "M20.5 12v2.5"],
});

/**
 * Text for screen readers alone.
 * @param {string} text
 * @returns {HTMLSpanElement}
 */
export function hidden(text) {
  return h("span", { class: "sr" }, text);
}

/**
 * A disclosure. Its content is made when it is first opened, or printed.
 * @param {Child | Child[]} summary
 * @param {() => Child | Child[]} content
 * @param {Properties} [properties]
 * @returns {HTMLDetailsElement}
 */
export function disclosure(summary, content, properties = {}) {
  const body = h("div", { class: "disclosed" });
  const element = h("details", properties, h("summary", null, ...[summary].flat()), body);
  let made = false;
  const make = () => {
    if (made || !element.open) return;
    made = true;
    append(body, [content()]);
  };
  element.addEventListener("toggle", make);
  make();
  return element;
}
