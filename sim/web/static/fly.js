// @ts-check
/**
 * The animation of cards that move. Before the page shows a new deal, the places of all cards are noted.
 * Afterwards, each card that has moved flies from its old place to the new one. With reduced motion, there is
 * no animation.
 */

import { byId } from "./dom.js";
import { isPlay } from "./view.js";

const FLIGHT_MS = 260;
const CARDS = "#hands button[data-tag]";
const still = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * Begin to note the places of cards. Call this before the modules that show the deal, and `land` after them.
 * @param {Store} store
 * @returns {{land: () => void}}
 */
export function startFlights(store) {
  /** @type {Map<string, DOMRect>} the place of each card before the change, by its tag */
  let before = new Map();
  /** @type {Element | null} the player who acted; unknown cards fly from there */
  let actor = null;
  store.on(["view", "deal"], () => {
    before = isPlay() && !still.matches && store.state.deal ? places() : new Map();
    actor = document.querySelector(".player[data-turn]");
  });
  return {
    land: () =>
      store.on(["view", "deal"], () => {
        // Run this after the observers, which read the page's layout, because flights change the layout.
        if (before.size > 0) queueMicrotask(() => requestAnimationFrame(() => fly(before, actor)));
      }),
  };
}

function places() {
  /** @type {Map<string, DOMRect>} */
  const found = new Map();
  for (const card of document.querySelectorAll(CARDS)) {
    const box = card.getBoundingClientRect();
    if (box.width > 0) found.set(card.dataset.tag ?? "", box);
  }
  return found;
}

/**
 * @param {Map<string, DOMRect>} before
 * @param {Element | null} actor
 */
function fly(before, actor) {
  // All places are read before the first card flies, so that the browser lays out the page once.
  const pile = byId("hands").querySelector('[data-hand="pile"] .card')?.getBoundingClientRect();
  const place = actor?.getBoundingClientRect();
  const cards = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(CARDS))];
  const flights = cards.map((card) => {
    const isNewest = card.matches('[data-hand="laid"] :first-child');
    return { card, from: before.get(card.dataset.tag ?? "") ?? (isNewest ? place : pile), to: card.getBoundingClientRect() };
  });
  for (const { card, from, to } of flights) {
    if (!from || to.width === 0 || isSame(from, to)) continue;
    const [x, y, size] = [from.x - to.x, from.y - to.y, from.width > to.width * 3 ? 0.3 : from.width / to.width];
    // Browsers draw a move of `transform` alone without laying out or painting again.
    card.style.zIndex = "5";
    const flight = card.animate([{ transformOrigin: "0 0", transform: `translate(${x}px, ${y}px) scale(${size})` }, { transformOrigin: "0 0", transform: "none" }], { duration: FLIGHT_MS, easing: "cubic-bezier(0.2, 0.7, 0.3, 1)" });
    flight.addEventListener("finish", () => (card.style.zIndex = ""));
  }
}

/**
 * @param {DOMRect} one
 * @param {DOMRect} other
 */
function isSame(one, other) {
  return Math.hypot(one.x - other.x, one.y - other.y) < 2 && Math.abs(one.width - other.width) < 2;
}
