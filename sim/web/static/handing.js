// @ts-check
/** People at one page pass it on: the hand of the next one lies face down until its player asks to see it. */

import { notifyOf } from "./notices.js";

/**
 * The seat of the player who gets the page now, or null.
 * @param {PageState} state
 */
export function handedTo({ view, deal }) {
  const { gift = null } = /** @type {Partial<HandsDeal>} */ (deal ?? {});
  const [seat, ...others] = gift && !gift.isChosen ? [gift.giver] : (view?.active ?? []);
  const isCovered = seat !== undefined && deal?.hands?.[seat]?.includes(null);
  return isCovered && others.length === 0 && deal?.mayShow?.includes(seat) ? seat : null;
}

/**
 * Show the hand of the player who gets the page now, if *target* is a face-down card of it; return true if it is.
 * @param {{store: Store, connection: Connection}} page
 * @param {Element} target
 */
export function showAt({ store, connection }, target) {
  const next = handedTo(store.state);
  if (next === null || !target.closest(`[data-hand="hand-${next}"] .down`)) return false;
  connection.send(showing(next)).catch(notifyOf);
  return true;
}

/** The message that shows the hand of *seat*. @param {number} seat @returns {PageRequest} */
export function showing(seat) {
  return { type: "show", seat: seat + 1 };
}
