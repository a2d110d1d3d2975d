// @ts-check
/** The mat's buttons. The table receives each press and release as an edge of the pin. */

import { notify } from "./notices.js";

export class Buttons {
  constructor(connection) {
    this.connection = connection;
    this.holders = new Map(); // button -> what holds it: a pointer, a key
    // If a key or finger is released outside the page, no event reports it.
    addEventListener("blur", () => this.releaseAll());
    document.addEventListener("visibilitychange", () => document.hidden && this.releaseAll());
  }

  down(button, holder) {
    const holders = this.holders.get(button) ?? new Set();
    this.holders.set(button, holders);
    if (holders.size === 0) this.#edge("down", button);
    holders.add(holder);
    this.#show(button);
  }

  up(button, holder) {
    const holders = this.holders.get(button);
    if (!holders?.delete(holder)) return;
    if (holders.size === 0) this.#edge("up", button);
    this.#show(button);
  }

  press(button) {
    this.down(button, "press");
    this.up(button, "press");
  }

  releaseAll() {
    for (const [button, holders] of this.holders) for (const holder of [...holders]) this.up(button, holder);
  }

  /** Let *element* hold *button* down by pointer, by Space and Enter, or by a screen reader's click. */
  bind(element, button) {
    element.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      element.setPointerCapture(event.pointerId);
      this.down(button, event.pointerId);
    });
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
      element.addEventListener(end, (event) => this.up(button, event.pointerId));
    }
    element.addEventListener("contextmenu", (event) => event.preventDefault()); // no menu on a long press
    this.#bindKeys(element, button);
  }

  #bindKeys(element, button) {
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault(); // otherwise a click follows and presses again
      if (!event.repeat) this.down(button, event.key);
    });
    element.addEventListener("keyup", (event) => this.up(button, event.key));
    element.addEventListener("blur", () => ["Enter", " "].forEach((key) => this.up(button, key)));
    element.addEventListener("click", (event) => event.detail === 0 && this.press(button));
  }

  #edge(type, button) {
    this.connection.send({ type, button }).catch((error) => notify(error.message));
  }

  #show(button) {
    const isHeld = (this.holders.get(button)?.size ?? 0) > 0;
    for (const shown of document.querySelectorAll(`[data-button="${button}"]`)) {
      shown.toggleAttribute("data-held", isHeld);
    }
  }
}
