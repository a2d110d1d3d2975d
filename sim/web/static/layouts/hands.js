// @ts-check
/** The layout of hands and a draw pile, with the laid cards and a gift to choose. */

import { showGift } from "../gift.js";
import { nameOf, parts, showHand, showLaid, showPile } from "../rows.js";

export default class Hands {
  /** @param {import("../layouts.js").Tools} tools */
  constructor({ store, catalogue }) {
    this.store = store;
    this.catalogue = catalogue;
  }

  get #deal() {
    return /** @type {HandsDeal | null} */ (this.store.state.deal);
  }

  rows() {
    const deal = this.#deal;
    return deal ? [...deal.hands.map((_, seat) => `hand-${seat}`), "pile", "laid"] : [];
  }

  show() {
    const deal = this.#deal;
    if (!deal) return;
    const cards = this.catalogue();
    deal.hands.forEach((hand, seat) => {
      if (deal.gift?.giver === seat) showGift(parts(`hand-${seat}`), deal.gift, (at) => nameOf(this.store, at), cards);
      else showHand(this.store, cards, seat, hand);
    });
    showPile(deal);
    showLaid(deal, cards);
  }
}
