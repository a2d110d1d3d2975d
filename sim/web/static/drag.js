/** Dragging cards with mouse or finger: a picture of the card follows, and spots show that they take it. */

import { el } from "./dom.js";

const FAR_ENOUGH = 7; // CSS pixels; less is a click with an unsteady hand
const LATE_CLICK_MS = 400; // a browser may still make a click of a touch after this long

export class Drag {
  /** *onTouch* is called when a finger touched a card without dragging it. */
  constructor(picking, onTouch) {
    this.picking = picking;
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
    document.addEventListener("dragstart", (event) => event.target.closest?.(".card") && event.preventDefault());
  }

  /**
   * Whether a click is only the end of a drag, or of a touch that was acted on already; clicks made by
   * the keyboard (detail 0) never are.
   */
  swallowsClick(event) {
    if (event.detail === 0) return false;
    const passed_ms = performance.now() - this.endedAt;
    if (this.wasDrag) return passed_ms < 60; // wherever the browser thinks that both ends lie
    return passed_ms < LATE_CLICK_MS && event.target.closest("button.card") === this.touched;
  }

  #down(event) {
    const card = event.target.closest?.("button.card:not([aria-disabled])");
    if (!card || event.button !== 0 || this.held) return;
    this.held = { card, pointer: event.pointerId, x: event.clientX, y: event.clientY, ghost: null };
  }

  #move(event) {
    const { held } = this;
    if (!held || event.pointerId !== held.pointer) return;
    const isFar = Math.hypot(event.clientX - held.x, event.clientY - held.y) > FAR_ENOUGH;
    if (!held.ghost && isFar) this.#start(held, event);
    if (held.ghost) this.#follow(held.ghost, event);
  }

  #start(held, event) {
    const { tag } = held.card.dataset;
    const { chosen } = this.picking;
    held.tags = chosen.has(tag) ? [...chosen] : [tag];
    held.ghost = el("div", { class: "ghost", "aria-hidden": "true" }, held.card.querySelector("svg").cloneNode(true));
    if (held.tags.length > 1) held.ghost.append(el("span", { class: "ghost-count" }, String(held.tags.length)));
    document.body.append(held.ghost);
    document.body.dataset.dragging = "yes";
    held.card.setPointerCapture?.(event.pointerId);
  }

  #follow(ghost, { clientX, clientY }) {
    ghost.style.transform = `translate(${clientX}px, ${clientY}px) translate(-50%, -60%) rotate(3deg)`;
    const under = spotAt(clientX, clientY);
    for (const spot of document.querySelectorAll("[data-spot]")) {
      spot.toggleAttribute("data-under", spot === under);
    }
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
    else this.picking.drop(held.tags, spotAt(event.clientX, event.clientY)?.dataset.spot ?? null);
  }

  #end() {
    this.held?.ghost?.remove();
    this.held = null;
    delete document.body.dataset.dragging;
    for (const spot of document.querySelectorAll("[data-under]")) spot.removeAttribute("data-under");
  }
}

function spotAt(x, y) {
  return document.elementFromPoint(x, y)?.closest("[data-spot]") ?? null;
}
