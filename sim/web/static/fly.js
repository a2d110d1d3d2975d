// @ts-check
/**
 * Cards fly to where they lie next. Before the page shows a new deal, their places are noted; afterwards each
 * card that has moved starts from its old place. With reduced motion they are simply there.
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
  /** @type {Element | null} where an unknown card comes from: the player who acted */
  let actor = null;
  store.on(["view", "deal"], () => {
    before = isPlay() && !still.matches && store.state.deal ? places() : new Map();
    actor = document.querySelector(".player[data-turn]");
  });
  return {
    land: () =>
      store.on(["view", "deal"], () => {
        if (before.size > 0) requestAnimationFrame(() => fly(before, actor));
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
  const pile = byId("hands").querySelector('[data-hand="pile"] .card')?.getBoundingClientRect();
  for (const card of document.querySelectorAll(CARDS)) {
    const to = card.getBoundingClientRect();
    const isNewest = card.matches('[data-hand="laid"] :first-child');
    const from = before.get(card.dataset.tag ?? "") ?? (isNewest ? actor?.getBoundingClientRect() : pile);
    if (!from || to.width === 0 || isSame(from, to)) continue;
    const [x, y, size] = [from.x - to.x, from.y - to.y, from.width > to.width * 3 ? 0.3 : from.width / to.width];
    card.animate([{ transformOrigin: "0 0", transform: `translate(${x}px, ${y}px) scale(${size})`, zIndex: 5 }, { transformOrigin: "0 0", transform: "none", zIndex: 5 }], { duration: FLIGHT_MS, easing: "cubic-bezier(0.2, 0.7, 0.3, 1)" });
  }
}

/**
 * @param {DOMRect} one
 * @param {DOMRect} other
 */
function isSame(one, other) {
  return Math.hypot(one.x - other.x, one.y - other.y) < 2 && Math.abs(one.width - other.width) < 2;
}
