// @ts-check
/**
 * The description of a special card: a tip on hover, focus or a long press, and a text for screen readers. A
 * click, a tap or a drag still plays the card. Only a long press that has shown the tip does not.
 */

import { describedBy } from "./cards.js";
import { byId, el } from "./dom.js";

const REST_MS = 400; // of the mouse on a card
const PRESS_MS = 600; // of a finger on a card
const FAR_ENOUGH = 7; // CSS pixels; a finger that moves further drags or scrolls
const GAP = 8; // CSS pixels between card, tip and the edges of the page

/** @param {Store} store */
export function startTips(store) {
  const tips = new Tips(store);
  store.on("table", () => tips.describe());
  store.on(["deal", "view"], () => tips.hideIfGone());
}

class Tips {
  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    this.tip = byId("tip");
    /** @type {HTMLElement | null} the card that the tip is about */
    this.card = null;
    /** @type {{card: HTMLElement, x: number, y: number} | null} the finger on a card */
    this.pressed = null;
    /** @type {HTMLElement | null} the card under the mouse */
    this.under = null;
    this.at = ""; // the place of the mouse: a card that moves there opens no tip
    this.isRead = false; // true if the last press has shown the tip
    document.addEventListener("focusin", (event) => this.#focused(event));
    document.addEventListener("focusout", (event) => event.target === this.card && !this.isRead && this.hide());
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.hide());
    document.addEventListener("scroll", (event) => this.card && /** @type {Node} */ (event.target).contains(this.card) && this.hide(), true);
    document.documentElement.addEventListener("pointerleave", ({ pointerType }) => pointerType === "mouse" && this.hide());
    document.addEventListener("pointerdown", (event) => this.#down(event), true);
    document.addEventListener("pointermove", (event) => this.#move(event), true);
    document.addEventListener("pointerup", (event) => this.#up(event), true);
    document.addEventListener("pointercancel", () => this.#cancel(), true);
    document.addEventListener("click", (event) => this.#click(event), true);
    document.addEventListener("contextmenu", (event) => this.pressed && event.preventDefault());
  }

  /** Write the descriptions that the cards' `aria-describedby` names. */
  describe() {
    const texts = this.store.table.games.flatMap(({ name, does }) => Object.entries(does ?? {}).map(([effect, { text }]) => el("p", { id: describedBy(name, effect) }, text)));
    byId("descriptions").replaceChildren(...texts);
  }

  hideIfGone() {
    if (this.card && !this.card.isConnected) this.hide();
  }

  hide() {
    clearTimeout(this.timer);
    this.tip.hidden = true;
    this.card = null;
  }

  /**
   * @param {HTMLElement} card
   * @param {number} wait_ms
   */
  #soon(card, wait_ms) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#show(card), wait_ms);
  }

  /** @param {HTMLElement} card */
  #show(card) {
    const text = card.getAttribute("aria-description") ?? document.getElementById(card.getAttribute("aria-describedby") ?? "")?.textContent;
    if (!text || !card.checkVisibility() || document.body.dataset.dragging) return;
    this.card = card;
    this.isRead = this.pressed?.card === card;
    this.tip.replaceChildren(el("b", {}, card.getAttribute("aria-label") ?? ""), text);
    this.tip.hidden = false;
    this.#place(card.getBoundingClientRect(), (card.closest('[data-hand^="hand-"]') ?? card).getBoundingClientRect());
  }

  /** Put the tip above the hand, or below it if it would cover the banner's buttons and there is room. @param {DOMRect} card @param {DOMRect} hand */
  #place(card, hand) {
    const { width, height } = this.tip.getBoundingClientRect();
    const left = Math.min(Math.max(card.left + card.width / 2 - width / 2, GAP), innerWidth - width - GAP);
    const [above, below] = [hand.top - height - GAP, hand.bottom + GAP];
    const { bottom } = byId("banner").getBoundingClientRect(); // 0 in Lab
    const isAbove = above >= (bottom < hand.top ? bottom : 0) || below + height > innerHeight;
    this.tip.style.left = `${Math.max(left, GAP)}px`;
    this.tip.style.top = `${isAbove ? Math.max(above, GAP) : below}px`;
  }

  /** Return true if the mouse is over the tip. The tip lets clicks through to the element below it. @param {PointerEvent} event */
  #isOnTip({ clientX: x, clientY: y }) {
    const { left, right, top, bottom } = this.tip.getBoundingClientRect();
    return x >= left && x <= right && y >= top && y <= bottom;
  }

  /** @param {PointerEvent} event */
  #over(event) {
    const at = `${event.clientX} ${event.clientY}`;
    if (event.pointerType !== "mouse" || event.buttons || at === this.at) return;
    this.at = at;
    const card = cardIn(event);
    if (card && card === this.under) return;
    this.under = card;
    if (card && card !== this.card) this.#soon(card, REST_MS);
    // The mouse may go onto the tip, for example under a magnifier.
    else if (!card && !this.#isOnTip(event)) this.hide();
  }

  /** @param {FocusEvent} event */
  #focused(event) {
    const card = cardIn(event);
    if (!card?.matches(":focus-visible")) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => card === document.activeElement && this.#show(card), 0); // a play may move the focus on at once
  }

  /** @param {PointerEvent} event */
  #down(event) {
    this.hide();
    this.isRead = false;
    this.under = cardIn(event);
    this.at = `${event.clientX} ${event.clientY}`;
    const card = event.isPrimary && event.pointerType !== "mouse" ? cardIn(event) : null;
    this.pressed = card && { card, x: event.clientX, y: event.clientY };
    if (card?.matches("button")) this.#soon(card, PRESS_MS);
    else if (card) this.#show(card); // a tap on it does nothing else
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const { clientX, clientY } = event;
    this.#over(event);
    if (this.pressed && Math.hypot(clientX - this.pressed.x, clientY - this.pressed.y) > FAR_ENOUGH) this.#cancel();
  }

  /** @param {PointerEvent} event */
  #up(event) {
    if (!this.pressed) return;
    this.pressed = null;
    // A press that has shown the tip must not play the card, so cancel the drag that has begun with it.
    if (this.isRead) event.target?.dispatchEvent(new PointerEvent("pointercancel", { bubbles: true, pointerId: event.pointerId }));
    else this.hide();
  }

  /** Cancel the press, because the finger drags or scrolls. */
  #cancel() {
    if (!this.pressed) return;
    this.pressed = null;
    this.isRead = false;
    this.hide();
  }

  /** @param {MouseEvent} event */
  #click(event) {
    if (!this.isRead || event.detail === 0) return;
    this.isRead = false;
    event.preventDefault();
    event.stopPropagation();
  }
}

/**
 * The card with a description that an event is about.
 * @param {Event} event
 * @returns {HTMLElement | null}
 */
function cardIn(event) {
  return event.target?.closest?.(".card[aria-describedby], [aria-description]") ?? null;
}
