// @ts-check
/** Helpers to build elements. Data is never parsed as markup, so it needs no escaping. */

import { fill } from "./cards/svg.js";

/** @typedef {import("./cards/svg.js").Attributes} Attributes */

/**
 * Return the element with this id; throw an error if there is none.
 * @template {string} K
 * @param {K} id
 * @returns {K extends keyof PageElements ? PageElements[K] : HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no element #${id}`);
  return /** @type {any} */ (found);
}

/**
 * Return the first element in *parent* that *selector* finds; throw an error if there is none.
 * @param {Element} parent
 * @param {string} selector
 * @returns {HTMLElement}
 */
export function findIn(parent, selector) {
  const found = parent.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`the page has no element ${selector}`);
  return found;
}

/**
 * Load a style sheet that only some games or views need. It is put before *next*, whose rules take precedence.
 * @param {string} name
 * @param {string} next
 * @returns {Promise<void>}
 */
export function loadStyle(name, next = "play.css") {
  const link = el("link", { rel: "stylesheet", href: `/static/${name}` });
  document.querySelector(`link[href$="${next}"]`)?.before(link);
  return new Promise((done, failed) => {
    link.addEventListener("load", () => done());
    link.addEventListener("error", () => failed(new Error(`${name} cannot be fetched`)));
  });
}

/**
 * Return a new HTML element with attributes and children; a child may be a text.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Attributes} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** Let a click on *closer*, or beside *dialog*, close it. @param {HTMLDialogElement} dialog @param {HTMLElement} closer */
export function closeOn(dialog, closer) {
  closer.addEventListener("click", () => dialog.close());
  // A click beside the dialog is a click on the dialog's own element.
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
}

/**
 * Set a text only if it differs, because live regions read out every change.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Set an attribute only if it differs, because live regions read out every change; null removes it.
 * @param {Element} element
 * @param {string} name
 * @param {string | number | boolean | null} value
 */
export function setAttribute(element, name, value) {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
}

/**
 * Give *parent* one child for each of *keys*, in order. Existing children are reused, so that focus, scrolling
 * and drags survive an update; but children with texts in another language are made again.
 * @param {Element} parent
 * @param {string[]} keys
 * @param {(key: string) => Element} make
 */
export function keepChildren(parent, keys, make) {
  const { lang } = document.documentElement;
  if (parent.dataset.words !== lang) parent.replaceChildren();
  parent.dataset.words = lang;
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

/**
 * The element to which an arrow key, Home or End leads from *now* in the row *all*, in a circle; undefined for another key.
 * @template {Element} T
 * @param {T[]} all
 * @param {Element | null} now
 * @param {string} key
 */
export function inRow(all, now, key) {
  const at = all.findIndex((each) => each === now);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[key];
  return to === undefined || at < 0 ? undefined : all[(to + all.length) % all.length];
}
