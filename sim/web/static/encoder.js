// @ts-check
/** The encoder. People turn it by wheel, by dragging its ring, by its arrows or by keys, and push it for OK. */

import { el } from "./dom.js";
import { svg } from "./cards/svg.js";
import { notifyOf } from "./notices.js";

const DETENT_DEGREES = 15; // 24 detents per turn, as on common modules
const WHEEL_DETENT = 50; // pixels of scrolling per detent; a mouse wheel's notch has at least as many
const MOST_STEPS = 20; // in one message
const GATHER_MS = 25; // steps within this time go into one message, since trackpads scroll 100 times a second
/** @type {Record<string, number | undefined>} */
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

export class Encoder {
  /**
   * @param {Connection} connection
   * @param {Buttons} buttons
   */
  constructor(connection, buttons) {
    this.connection = connection;
    this.buttons = buttons;
    this.steps = 0;
    this.angle = 0;
    this.scrolled = 0;
  }

  /**
   * Turn by *steps* detents; clockwise is positive.
   * @param {number} steps
   */
  turn(steps) {
    this.steps += steps;
    this.angle += steps * DETENT_DEGREES;
    if (this.ring) this.ring.style.transform = `rotate(${this.angle}deg)`;
    this.timer ??= setTimeout(() => this.#send(), GATHER_MS);
  }

  #send() {
    this.timer = undefined;
    const steps = Math.max(-MOST_STEPS, Math.min(MOST_STEPS, this.steps));
    this.steps -= steps;
    if (steps !== 0) this.connection.send({ type: "turn", steps }).catch(notifyOf);
    if (this.steps !== 0) this.timer = setTimeout(() => this.#send(), GATHER_MS);
  }

  /**
   * Return a new element for the encoder; *hasPush* is true if a push on it means OK.
   * @param {boolean} hasPush
   */
  build(hasPush) {
    this.ring = svg("svg", { viewBox: "0 0 100 100", class: "ring", "aria-hidden": "true" }, ...ridges());
    const knob = el("div", { class: "knob" }, this.ring);
    if (hasPush) knob.append(this.#push());
    const group = el("div", { id: "encoder", class: "encoder", role: "group", "aria-label": "Encoder" },
      this.#arrow(-1, "‹", "Turn counter-clockwise"), knob, this.#arrow(1, "›", "Turn clockwise"));
    group.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    group.addEventListener("keydown", (event) => this.#key(event));
    this.#dragRound(knob);
    return group;
  }

  #push() {
    const push = el("button", { type: "button", class: "push", "data-button": "ok", "aria-keyshortcuts": "o" }, "OK");
    this.buttons.bind(push, "ok");
    return push;
  }

  /**
   * @param {number} steps
   * @param {string} sign
   * @param {string} words
   */
  #arrow(steps, sign, words) {
    const arrow = el("button", { type: "button", class: "turn", "aria-label": words, title: words }, sign);
    arrow.addEventListener("click", () => this.turn(steps));
    return arrow;
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    if (event.ctrlKey) return; // zooming
    event.preventDefault();
    const delta = (event.deltaY || event.deltaX) * (event.deltaMode === 0 ? 1 : WHEEL_DETENT);
    this.scrolled += Math.max(-WHEEL_DETENT, Math.min(WHEEL_DETENT, delta));
    if (Math.abs(this.scrolled) < WHEEL_DETENT) return;
    this.turn(Math.sign(this.scrolled));
    this.scrolled = 0;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const steps = STEPS[event.key];
    if (!steps || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.turn(steps);
  }

  /** @param {HTMLElement} knob */
  #dragRound(knob) {
    /** @type {number | null} */
    let last = null;
    let rest = 0;
    knob.addEventListener("pointerdown", (event) => {
      if (event.target?.closest(".push") || event.button !== 0) return;
      knob.setPointerCapture(event.pointerId);
      last = bearing(knob, event);
      rest = 0;
    });
    knob.addEventListener("pointermove", (event) => {
      if (last === null) return;
      const now = bearing(knob, event);
      rest += ((now - last + 540) % 360) - 180; // in the shorter direction
      last = now;
      const steps = Math.trunc(rest / DETENT_DEGREES);
      rest -= steps * DETENT_DEGREES;
      if (steps !== 0) this.turn(steps);
    });
    for (const end of ["pointerup", "pointercancel"]) knob.addEventListener(end, () => (last = null));
  }
}

/**
 * The direction from the knob's middle to the pointer, in degrees, clockwise from the right.
 * @param {HTMLElement} knob
 * @param {PointerEvent} event
 */
function bearing(knob, event) {
  const box = knob.getBoundingClientRect();
  const [x, y] = [event.clientX - box.x - box.width / 2, event.clientY - box.y - box.height / 2];
  return (Math.atan2(y, x) * 180) / Math.PI;
}

function ridges() {
  const marks = Array.from({ length: 24 }, (_, place) =>
    svg("path", { d: "M50 2v7", class: place === 0 ? "mark" : "ridge", transform: `rotate(${place * DETENT_DEGREES} 50 50)` }),
  );
  return [svg("circle", { cx: 50, cy: 50, r: 49, class: "disc" }), ...marks];
}
