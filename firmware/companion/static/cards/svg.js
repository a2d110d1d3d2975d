// @ts-check
/** Helpers to build drawings. Data is never parsed as markup, so it needs no escaping. */

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Record<string, string | number | boolean | null | undefined>} Attributes */

/**
 * Return a new SVG element with attributes and children.
 * @param {string} name
 * @param {Attributes} [attributes]
 * @param {...(Node | string)} children
 * @returns {SVGElement}
 */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

/** A path of an SVG drawing. @param {string} d @param {string} kind */
export const path = (d, kind) => svg("path", { d, class: kind });

/** A circle of an SVG drawing. @param {number} cx @param {number} cy @param {number} r @param {string} kind */
export const circle = (cx, cy, r, kind) => svg("circle", { cx, cy, r, class: kind });

/** A group of the parts of an SVG drawing. @param {...Element} children */
export const group = (...children) => svg("g", {}, ...children);

/**
 * Give *element* attributes and children; return it.
 * @template {Element} E
 * @param {E} element
 * @param {Attributes} attributes
 * @param {(Node | string)[]} children
 */
export function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}
