// @ts-check
/**
 * Dragging with mouse or finger: a picture follows the pointer, and possible targets are highlighted.
 * Cards can be dropped on spots; the game's layout adds other elements and targets.
 */

import { el } from "./dom.js";

const FAR_ENOUGH = 7; // CSS pixels; a shorter move is still a click
const HELD = ":is(button.card, button.place, button.piece):not([aria-disabled])";

export class Drag {
  /** *onTouch* is called when a finger has touched a card without dragging it. */
  constructor(picking, layouts, onTouch) {
    this.picking = picking;
    this.layouts = layouts;
    this.onTouch = onTouch;
    /** @type {any} what the last press did here already: the card, and whether it was dragged */
    this.handled = null;
    /** @type {any} the dragged card, its possible targets, and the pointer */
    this.held = null;
    document.addEventListener("pointerdown", (event) => this.#down(event));
    document.addEventListener("pointermove", (event) => this.#move(event));
    document.addEventListener("pointerup", (event) => this.#up(event));
    // The browser started to scroll, or the window lost the pointer: cancel the drag.
    document.addEventListener("pointercancel", () => this.#end());
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.#end());
    document.addEventListener("dragstart", (event) => event.target?.closest?.(".card, .place, .piece") && event.preventDefault());
  }

  /**
   * Return true if a click only ends a drag, or a touch that was already handled. Keyboard clicks
   * (detail 0) never do.
   */
  swallowsClick(event) {
    if (event.detail === 0 || !this.handled) return false;
    const { card, wasDrag } = this.handled;
    return wasDrag || event.target.closest("button.card, button.place, button.piece") === card; // a drag's click can be on any element
  }

  #takersOf(card) {
    return this.layouts.current?.takers?.(card) ?? "[data-spot]";
  }

  #down(event) {
    this.handled = null; // a click from here on belongs to this press, however late it comes
    const card = event.target.closest?.(HELD);
    if (!card || event.button !== 0 || this.held) return;
    const takers = this.#takersOf(card);
    this.held = { card, takers, pointer: event.pointerId, x: event.clientX, y: event.clientY, ghost: null };
  }

  #move(event) {
    const { held } = this;
    if (!held || event.pointerId !== held.pointer) return;
    if (!held.card.isConnected) return this.#end(); // another page has played it
    const isFar = Math.hypot(event.clientX - held.x, event.clientY - held.y) > FAR_ENOUGH;
    if (isFar && held.card.matches(".place:not([data-movable])")) this.#end(); // the finger scrolls instead
    else if (!held.ghost && isFar) this.#start(held, event);
    if (held.ghost) this.#follow(held, event);
  }

  #start(held, event) {
    const { tag } = held.card.dataset;
    const { chosen } = this.picking;
    held.tags = chosen.has(tag) ? [...chosen] : [tag];
    held.ghost = el("div", { class: held.card.matches(".tile, .place, .piece") ? "ghost tile" : "ghost", "aria-hidden": "true" }, held.card.querySelector("svg").cloneNode(true));
    if (held.tags.length > 1) held.ghost.append(el("span", { class: "ghost-count" }, String(held.tags.length)));
    document.body.append(held.ghost);
    document.body.dataset.dragging = "yes";
    held.card.setPointerCapture?.(event.pointerId);
  }

  #follow({ ghost, takers }, { clientX, clientY }) {
    ghost.style.transform = `translate(${clientX}px, ${clientY}px) translate(-50%, -60%) rotate(3deg)`;
    const under = takerAt(clientX, clientY, takers);
    for (const taker of document.querySelectorAll(takers)) taker.toggleAttribute("data-under", taker === under);
  }

  #up(event) {
    const { held } = this;
    if (!held || event.pointerId !== held.pointer) return;
    this.#end();
    if (!held.ghost && event.pointerType !== "touch") return;
    this.handled = { card: held.card, wasDrag: Boolean(held.ghost) };
    // Chromium sends no click for a touch soon after a quick drag.
    if (!held.ghost) this.onTouch(event);
    else this.#drop(held, takerAt(event.clientX, event.clientY, held.takers));
  }

  #drop({ card, tags }, taker) {
    if (this.layouts.current?.drop?.(card, tags, taker)) return;
    this.picking.drop(tags, taker?.dataset.spot ?? null);
  }

  #end() {
    this.held?.ghost?.remove();
    this.held = null;
    delete document.body.dataset.dragging;
    for (const spot of document.querySelectorAll("[data-under]")) spot.removeAttribute("data-under");
  }
}

function takerAt(x, y, takers) {
  return document.elementFromPoint(x, y)?.closest(takers) ?? null;
}
