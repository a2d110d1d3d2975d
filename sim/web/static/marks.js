// @ts-check
/** The marks of the card buttons: chosen, on the mat, or free. */

import { setAttribute } from "./dom.js";

/**
 * @param {Set<string>} chosen
 * @param {Set<string>} away  the cards on the mat
 */
export function markCards(chosen, away) {
  for (const card of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("button.card"))) mark(card, chosen, away);
  setAttribute(document.body, "data-chosen", chosen.size > 0 ? chosen.size : null);
}

/**
 * @param {HTMLElement} card
 * @param {Set<string>} chosen
 * @param {Set<string>} away
 */
function mark(card, chosen, away) {
  const { tag = "" } = card.dataset;
  const isOnSpot = card.closest("[data-spot]") !== null;
  const isSlot = away.has(tag) && !isOnSpot;
  setAttribute(card, "aria-disabled", isSlot ? "true" : null);
  // A card on the mat keeps its button in the tray, so that the focus stays; but data-card marks the
  // button on the mat.
  setAttribute(card, "data-card", isSlot ? null : tag);
  if (!isOnSpot) setAttribute(card, "aria-pressed", chosen.has(tag));
}
