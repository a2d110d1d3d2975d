// @ts-check
/** A list that grows at its end and stays scrolled there, unless its reader has scrolled up. */

import { isPlay } from "./view.js";

const NEAR = 24; // CSS pixels; a list scrolled closer to its end than this stays at the end
const KEPT = 500;

/** @template {{n: number}} E */
export class Entries {
  /**
   * @param {HTMLElement} list
   * @param {(entry: E) => HTMLElement} draw
   * @param {HTMLElement} scroller  the element that scrolls, by default the list
   */
  constructor(list, draw, scroller = list) {
    this.list = list;
    this.scroller = scroller;
    this.draw = draw;
    this.last = -Infinity;
    this.isAtEnd = true;
    scroller.addEventListener("scroll", () => (this.isAtEnd = this.#isNearEnd()));
    // Turning a phone or opening a tab changes the list's size.
    new ResizeObserver(() => this.isAtEnd && this.scrollToEnd()).observe(scroller);
  }

  #isNearEnd() {
    const { scrollHeight, scrollTop, clientHeight } = this.scroller;
    return scrollHeight - scrollTop - clientHeight < NEAR;
  }

  /** Remove all entries, because the server sends them again after a new connection. */
  clear() {
    this.list.replaceChildren();
    this.last = -Infinity;
  }

  /**
   * Add the new ones of *entries*, and return them.
   * @param {E[]} entries
   */
  add(entries) {
    const fresh = entries.filter(({ n }) => n > this.last);
    if (fresh.length === 0) return fresh;
    this.last = fresh[fresh.length - 1].n;
    this.list.append(...fresh.map((entry) => this.draw(entry)));
    while (this.list.children.length > KEPT) this.list.firstElementChild?.remove();
    // Later, because it reads the layout, and other modules still change the page. Play hides the list, which
    // scrolls when its size changes.
    if (this.isAtEnd && !isPlay()) requestAnimationFrame(() => this.scrollToEnd());
    return fresh;
  }

  scrollToEnd() {
    this.scroller.scrollTop = this.scroller.scrollHeight;
  }
}
