/** Small helpers to build elements. No markup is ever parsed from data, so nothing needs escaping. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * The element with this id; a page without it is broken, and says so at once.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no element #${id}`);
  return found;
}

/** An HTML element with attributes and children; a child may be a text. */
export function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** An SVG element, likewise. */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** Write a text only where it differs: live regions and focus notice every needless change. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Set an attribute only where it differs, for the same reason; null takes it away. */
export function setAttribute(element, name, value) {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

/**
 * Make *parent*'s children the ones named by *keys*, keeping those that are there already, so that
 * focus, scrolling and a drag survive an update.
 * @param {HTMLElement} parent
 * @param {string[]} keys
 * @param {(key: string) => HTMLElement} make
 */
export function keepChildren(parent, keys, make) {
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  const wanted = keys.map((key) => {
    const child = old.get(key) ?? make(key);
    child.dataset.key = key;
    old.delete(key);
    return child;
  });
  for (const child of old.values()) child.remove();
  wanted.forEach((child, place) => {
    if (parent.children[place] !== child) parent.insertBefore(child, parent.children[place] ?? null);
  });
}
