/**
 * Dragging with mouse or finger: a picture follows, and what takes it shows that. Cards go on spots,
 * tiles with paths also on a board, a tile of a spread that may be moved to a free place, and cargo to
 * the area that is loaded.
 */

import { el } from "./dom.js";

const FAR_ENOUGH = 7; // CSS pixels; less is a click with an unsteady hand
const HELD = ":is(button.card, button.place, button.piece):not([aria-disabled])";
const LATE_CLICK_MS = 400; // a browser may still make a click of a touch after this long

export class Drag {
  /** *onTouch* is called when a finger touched a card without dragging it. */
  constructor(picking, { spread, board, ship }, onTouch) {
    this.picking = picking;
    this.spread = spread;
    this.board = board;
    this.ship = ship;
    this.onTouch = onTouch;
    this.touched = null;
    this.wasDrag = false;
    this.held = null;
    this.endedAt = -Infinity;
    document.addEventListener("pointerdown", (event) => this.#down(event));
    document.addEventListener("pointermove", (event) => this.#move(event));
    document.addEventListener("pointerup", (event) => this.#up(event));
    // The browser took the finger over for scrolling, or the window lost it: nothing was dropped.
    document.addEventListener("pointercancel", () => this.#end());
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.#end());
    document.addEventListener("dragstart", (event) => event.target.closest?.(".card, .place, .piece") && event.preventDefault());
  }

  /**
   * Whether a click is only the end of a drag, or of a touch that was acted on already; clicks made by
   * the keyboard (detail 0) never are.
   */
  swallowsClick(event) {
    if (event.detail === 0) return false;
    const passed_ms = performance.now() - this.endedAt;
    if (this.wasDrag) return passed_ms < 60; // wherever the browser thinks that both ends lie
    return passed_ms < LATE_CLICK_MS && event.target.closest("button.card, button.place, button.piece") === this.touched;
  }

  #takersOf(card) {
    if (card.matches(".place")) return ".place[data-state=free]";
    if (card.matches(".piece")) return this.ship.takers;
    return card.matches("[data-for-board]") ? "[data-spot], .site" : "[data-spot]";
  }

  #down(event) {
    const card = event.target.closest?.(HELD);
    if (!card || event.button !== 0 || this.held) return;
    const takers = this.#takersOf(card);
    this.held = { card, takers, pointer: event.pointerId, x: event.clientX, y: event.clientY, ghost: null };
  }

  #move(event) {
    const { held } = this;
    if (!held || event.pointerId !== held.pointer) return;
    if (!held.card.isConnected) return this.#end(); // another page played it meanwhile
    const isFar = Math.hypot(event.clientX - held.x, event.clientY - held.y) > FAR_ENOUGH;
    if (isFar && held.card.matches(".place:not([data-movable])")) this.#end(); // a finger that scrolls
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
    this.endedAt = performance.now();
    this.touched = held.card;
    this.wasDrag = Boolean(held.ghost);
    // Chromium makes no click of a touch that comes soon after a quick drag.
    if (!held.ghost) this.onTouch(event);
    else this.#drop(held, takerAt(event.clientX, event.clientY, held.takers));
  }

  #drop({ card, tags }, taker) {
    if (taker?.matches(".site")) this.board.place(tags[0], taker);
    else if (card.matches(".piece")) taker && this.ship.take(card.dataset.piece, taker.dataset.spot);
    else if (!card.matches(".place")) this.picking.drop(tags, taker?.dataset.spot ?? null);
    else if (taker) this.spread.move(taker);
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
