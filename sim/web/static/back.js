// @ts-check
/** Tiles of a board that are not on it: the one that came back into a hand, and those in front of players. */

import { describedBy } from "./cards.js";
import { face } from "./cards/faces.js";
import { el } from "./dom.js";
import { t } from "./words.js";

/** Finds the tile that was taken back into a hand. */
export class Back {
  constructor() {
    /** @type {string[]} the tiles out of hands at the last look */
    this.played = [];
    this.game = 0; // the number of their game
    this.returned = "";
  }

  /** The tile that was taken back since the last play, or "". @param {PageState} state */
  tile({ view, deal }) {
    const { waiting = null, fronts = [], hands = [], game = "" } = /** @type {Partial<BoardDeal>} */ (deal ?? {});
    const number = view?.number ?? 0;
    const played = [waiting, ...fronts, ...(view?.grid?.cells ?? []).map(({ piece }) => `${game}/${piece}`)].filter((tag) => tag !== null);
    const isSame = number === this.game && played.length === this.played.length && played.every((tag) => this.played.includes(tag));
    if (!isSame) this.returned = (number === this.game && this.played.find((tag) => !played.includes(tag) && hands.flat().includes(tag))) || "";
    [this.played, this.game] = [played, number];
    return this.returned;
  }
}

/**
 * A picture of the tile in front of a player.
 * @param {Card} card
 */
export function inFront(card) {
  const words = t("In front: {tile}", { tile: card.words });
  const about = card.does ? { "aria-describedby": describedBy(card.game, card.does) } : { title: words };
  return { key: `front ${card.tag}`, make: () => el("span", { class: "card tile in-front", role: "img", "aria-label": words, ...about }, face(card)) };
}
