// @ts-check
/** People at one page pass it on: the hand of the next one lies face down until its player asks to see it. */

/**
 * The seat of the player who gets the page now, or null.
 * @param {PageState} state
 */
export function handedTo({ view, deal }) {
  const [seat, ...others] = view?.active ?? [];
  const isCovered = seat !== undefined && deal?.hands?.[seat]?.includes(null);
  return isCovered && others.length === 0 && deal?.mayShow?.includes(seat) ? seat : null;
}

/** The message that shows the hand of *seat*. @param {number} seat @returns {PageRequest} */
export function showing(seat) {
  return { type: "show", seat: seat + 1 };
}
