// @ts-check
/**
 * The layout of the current game. The server sends its name (`deal.layout`, or `view.layout` while nothing is
 * dealt), and this module loads it by that name. No other module depends on a layout.
 */

import { notify } from "./notices.js";
import { t } from "./words.js";

/**
 * The argument of a layout's constructor.
 * @typedef {object} Tools
 * @property {Store} store
 * @property {Connection} connection
 * @property {() => Catalogue} catalogue
 * @property {Picking} picking
 */

/**
 * A layout: `layouts/<name>.js` has a class of this shape as its default export. Attributes of its own buttons
 * have these effects: arrow keys move between buttons with `data-stop`; a button with `data-drag` can be
 * dragged (the value `tile` makes the dragged picture square); after a card was played, the focus moves to the
 * first button with `data-next`.
 * @typedef {object} Layout
 * @property {() => string[]} rows  the keys of its rows in the Deal panel, in order
 * @property {(key: string) => HTMLElement | null} [build]  returns its own element for a key; null for an ordinary row
 * @property {() => void} show  updates its elements; called when the deal or the view changes
 * @property {() => void} [hide]  called when another layout replaces it
 * @property {(target: Element) => boolean} [click]  handles a click on one of its elements; returns true if it did
 * @property {(held: HTMLElement) => string | null} [takers]  a selector of the targets for a dragged element; null for the usual ones, "" if it cannot be dragged
 * @property {(held: HTMLElement) => void} [lifted]  called when a drag begins
 * @property {(held: HTMLElement, tags: string[], taker: HTMLElement | null) => boolean} [drop]  handles a drop; returns true if it did
 */

export class Layouts {
  /**
   * @param {Tools} tools
   * @param {() => void} changed  called when a layout has been loaded
   */
  constructor(tools, changed) {
    this.tools = tools;
    this.changed = changed;
    /** @type {Map<string, Layout>} */
    this.loaded = new Map();
    /** @type {string | null} */
    this.name = null;
  }

  /** The layout to show, or null if there is none or it is still loading. */
  get current() {
    return this.loaded.get(this.name ?? "") ?? null;
  }

  /** Switch to the layout that the server names. */
  follow() {
    const { deal, view } = this.tools.store.state;
    const name = deal?.layout ?? view?.layout ?? null;
    if (name === this.name) return;
    this.current?.hide?.();
    this.name = name;
    if (name !== null && !this.loaded.has(name)) this.#load(name);
  }

  /** @param {string} name */
  async #load(name) {
    try {
      const module = await import(`./layouts/${name}.js`);
      this.loaded.set(name, new module.default(this.tools));
    } catch (error) {
      notify(t("The layout “{name}” cannot be shown: {error}", { name, error: String(error instanceof Error ? error.message : error) }), { stays: true });
      return;
    }
    this.changed();
  }
}
