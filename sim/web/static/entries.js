/** A list that grows at its end and stays scrolled there, unless somebody is reading further up. */

const NEAR = 24; // CSS pixels from the end that still count as being there
const KEPT = 500;

export class Entries {
  /**
   * @param {HTMLElement} list
   * @param {(entry: object) => HTMLElement} draw
   * @param {HTMLElement} scroller  what scrolls, where it is not the list itself
   */
  constructor(list, draw, scroller = list) {
    this.list = list;
    this.scroller = scroller;
    this.draw = draw;
    this.last = -Infinity;
    this.isAtEnd = true;
    scroller.addEventListener("scroll", () => (this.isAtEnd = this.#isNearEnd()));
    // A turned phone, or a tab that opens, gives the list another size.
    new ResizeObserver(() => this.isAtEnd && this.scrollToEnd()).observe(scroller);
  }

  #isNearEnd() {
    const { scrollHeight, scrollTop, clientHeight } = this.scroller;
    return scrollHeight - scrollTop - clientHeight < NEAR;
  }

  /** Forget everything: after connecting the server tells all it kept. */
  clear() {
    this.list.replaceChildren();
    this.last = -Infinity;
  }

  /** Add those of *entries* that are new; returns them. */
  add(entries) {
    const fresh = entries.filter(({ n }) => n > this.last);
    if (fresh.length === 0) return fresh;
    this.last = fresh.at(-1).n;
    this.list.append(...fresh.map((entry) => this.draw(entry)));
    while (this.list.children.length > KEPT) this.list.firstElementChild.remove();
    if (this.isAtEnd) this.scrollToEnd();
    return fresh;
  }

  scrollToEnd() {
    this.scroller.scrollTop = this.scroller.scrollHeight;
  }
}
