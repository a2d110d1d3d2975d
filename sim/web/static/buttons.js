// @ts-check
/** The mat's buttons. Each press and each release is sent to the table as a message. */

import { notifyOf } from "./notices.js";

export class Buttons {
  /** @param {Connection} connection */
  constructor(connection) {
    this.connection = connection;
    /** @type {Map<string, Set<string | number>>} the pointers and keys that hold each button down */
    this.holders = new Map();
    // If a key or finger is released outside the page, no event reports it.
    addEventListener("blur", () => this.releaseAll());
    document.addEventListener("visibilitychange", () => document.hidden && this.releaseAll());
  }

  /**
   * @param {string} button
   * @param {string | number} holder
   */
  down(button, holder) {
    const holders = this.holders.get(button) ?? new Set();
    this.holders.set(button, holders);
    if (holders.size === 0) this.#edge("down", button);
    holders.add(holder);
    this.#show(button);
  }

  /**
   * @param {string} button
   * @param {string | number} holder
   */
  up(button, holder) {
    const holders = this.holders.get(button);
    if (!holders?.delete(holder)) return;
    if (holders.size === 0) this.#edge("up", button);
    this.#show(button);
  }

  /** @param {string} button */
  press(button) {
    this.down(button, "press");
    this.up(button, "press");
  }

  releaseAll() {
    for (const [button, holders] of this.holders) for (const holder of [...holders]) this.up(button, holder);
  }

  /**
   * Let *element* hold *button* down by pointer, by Space and Enter, or by a screen reader's click.
   * @param {HTMLElement} element
   * @param {string} button
   */
  bind(element, button) {
    element.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      element.setPointerCapture(event.pointerId);
      this.down(button, event.pointerId);
    });
    for (const end of /** @type {const} */ (["pointerup", "pointercancel", "lostpointercapture"])) {
      element.addEventListener(end, (event) => this.up(button, event.pointerId));
    }
    element.addEventListener("contextmenu", (event) => event.preventDefault()); // otherwise a long press opens a menu
    this.#bindKeys(element, button);
  }

  /**
   * @param {HTMLElement} element
   * @param {string} button
   */
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

  /**
   * @param {"down" | "up"} type
   * @param {string} button
   */
  #edge(type, button) {
    this.connection.send({ type, button }).catch(notifyOf);
  }

  /** @param {string} button */
  #show(button) {
    const isHeld = (this.holders.get(button)?.size ?? 0) > 0;
    for (const shown of document.querySelectorAll(`[data-button="${button}"]`)) {
      shown.toggleAttribute("data-held", isHeld);
    }
  }
}
