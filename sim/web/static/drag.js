// @ts-check
/**
 * Dragging with mouse or finger: a picture follows the pointer, and possible targets are highlighted.
 * Cards can be dropped on spots; the game's layout adds other elements and targets.
 */

import { el } from "./dom.js";
import { isPlay } from "./view.js";

const FAR_ENOUGH = 7; // CSS pixels; a shorter move is still a click
const PLAY_TAKERS = ":is([data-hand=laid], [data-hand=pile], .banner, .board, .ship)"; // in Play: a card that is dropped there is played
const HELD = ":is(button.card, button[data-drag]):not([aria-disabled])";
/**
 * A pressed or dragged card.
 * @typedef {object} Held
 * @property {HTMLElement} card
 * @property {string} takers  a selector of its possible targets
 * @property {number} pointer  the id of the pointer that holds it
 * @property {number} x  the point where it was pressed
 * @property {number} y
 * @property {string[]} tags  the cards that are dragged together
 * @property {HTMLElement | null} ghost  the picture that follows the pointer, once it is dragged
 */

export class Drag {
  /**
   * @param {Picking} picking
   * @param {Layouts} layouts
   * @param {(event: PointerEvent) => void} onTouch  called when a finger has touched a card without dragging it
   */
  constructor(picking, layouts, onTouch) {
    this.picking = picking;
    this.layouts = layouts;
    this.onTouch = onTouch;
    /** @type {{card: HTMLElement, wasDrag: boolean} | null} the card of a press that was already handled */
    this.handled = null;
    /** @type {Held | null} */
    this.held = null;
    document.addEventListener("pointerdown", (event) => this.#down(event));
    document.addEventListener("pointermove", (event) => this.#move(event));
    document.addEventListener("pointerup", (event) => this.#up(event));
    // The browser started to scroll, or the window lost the pointer: cancel the drag.
    document.addEventListener("pointercancel", () => this.#end());
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.#end());
    document.addEventListener("dragstart", (event) => event.target?.closest?.(".card, [data-drag]") && event.preventDefault());
  }

  /**
   * Return true if a click only ends a drag, or a touch that was already handled. Keyboard clicks
   * (detail 0) never do.
   * @param {MouseEvent} event
   */
  swallowsClick(event) {
    if (event.detail === 0 || !this.handled) return false;
    const { card, wasDrag } = this.handled;
    return wasDrag || event.target?.closest("button.card, button[data-drag]") === card; // a drag's click can be on any element
  }

  /** @param {HTMLElement} card */
  #takersOf(card) {
    return this.layouts.current?.takers?.(card) ?? (isPlay() ? PLAY_TAKERS : "[data-spot]");
  }

  /** @param {PointerEvent} event */
  #down(event) {
    this.handled = null; // later clicks belong to this press
    /** @type {HTMLElement | null | undefined} */
    const card = event.target?.closest?.(HELD);
    if (!card || event.button !== 0 || this.held || isLaid(card)) return;
    const takers = this.#takersOf(card);
    this.held = { card, takers, pointer: event.pointerId, x: event.clientX, y: event.clientY, tags: [], ghost: null };
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const { held } = this;
    if (!held || event.pointerId !== held.pointer) return;
    if (!held.card.isConnected) return this.#end(); // another page has played it
    const isFar = Math.hypot(event.clientX - held.x, event.clientY - held.y) > FAR_ENOUGH;
    if (isFar && !held.takers) this.#end(); // the finger scrolls instead
    else if (!held.ghost && isFar) this.#start(held, event);
    if (held.ghost) this.#follow(held, event);
  }

  /**
   * @param {Held} held
   * @param {PointerEvent} event
   */
  #start(held, event) {
    const { tag = "" } = held.card.dataset;
    const { chosen } = this.picking;
    held.tags = chosen.has(tag) ? [...chosen] : [tag];
    const picture = held.card.querySelector("svg")?.cloneNode(true) ?? "";
    held.ghost = el("div", { class: held.card.matches(".tile, [data-drag=tile]") ? "ghost tile" : "ghost", "aria-hidden": "true" }, picture);
    if (held.tags.length > 1) held.ghost.append(el("span", { class: "ghost-count" }, String(held.tags.length)));
    document.body.append(held.ghost);
    document.body.dataset.dragging = "yes";
    held.card.setPointerCapture?.(event.pointerId);
    this.layouts.current?.lifted?.(held.card);
  }

  /**
   * @param {Held} held
   * @param {PointerEvent} event
   */
  #follow({ ghost, takers }, { clientX, clientY }) {
    if (ghost) ghost.style.transform = `translate(${clientX}px, ${clientY}px) translate(-50%, -60%) rotate(3deg)`;
    const under = takerAt(clientX, clientY, takers);
    for (const taker of document.querySelectorAll(takers)) taker.toggleAttribute("data-under", taker === under);
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const { held } = this;
    if (!held || event.pointerId !== held.pointer) return;
    const taker = held.ghost && takerAt(event.clientX, event.clientY, held.takers); // first, while the layout is known
    this.#end();
    if (!held.ghost && event.pointerType !== "touch") return;
    this.handled = { card: held.card, wasDrag: Boolean(held.ghost) };
    // Chromium sends no click for a touch soon after a quick drag.
    if (!held.ghost) this.onTouch(event);
    else this.#drop(held, taker);
  }

  /**
   * @param {Held} held
   * @param {HTMLElement | null} taker
   */
  #drop({ card, tags }, taker) {
    if (this.layouts.current?.drop?.(card, tags, taker)) return;
    if (isPlay()) {
      if (taker) this.picking.play(tags[0]);
      return;
    }
    this.picking.drop(tags, taker?.dataset.spot ?? null);
  }

  #end() {
    this.held?.ghost?.remove();
    this.held = null;
    delete document.body.dataset.dragging;
    for (const spot of document.querySelectorAll("[data-under]")) spot.removeAttribute("data-under");
  }
}

/** Return true if a card stays on the table in Play: it cannot be dragged, only taken back. @param {Element} card */
export function isLaid(card) {
  return isPlay() && card.closest('[data-hand="laid"]') !== null;
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} takers
 * @returns {HTMLElement | null}
 */
function takerAt(x, y, takers) {
  return document.elementFromPoint(x, y)?.closest(takers) ?? null;
}
