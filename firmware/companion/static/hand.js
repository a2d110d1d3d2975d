// The hand of a phone's player: pictures of the cards, and what the table knows of each.

import { box } from "./box.js";
import { fill, made, part } from "./elements.js";

/** @typedef {{hand: string[] | null, kinds: string[] | null, marks: string[] | null, fresh: boolean[], has_drawn: boolean, is_turn: boolean, line: {kind: string} | null}} Held */

export class Hand {
  /**
   * @param {Record<string, string>} words
   * @param {(text: string) => void} say
   */
  constructor(words, say) {
    this.words = words;
    this.say = say;
    part("hand-title").textContent = words["phone.hand"];
  }

  /** @param {Held | null} mine */
  draw(mine) {
    const hand = mine?.hand ?? [];
    const isMarked = mine?.line?.kind === "playable" || mine?.has_drawn; // until the game goes on
    fill(part("hand"), hand.map((text, at) => this.#card(text, mine?.kinds?.[at], isMarked ? (mine?.marks?.[at] ?? "") : "", mine?.fresh[at] ?? false, Boolean(mine?.is_turn) && mine?.marks?.[at] === "")));
    part("hand-title").hidden = hand.length === 0;
  }

  /**
   * A card of the hand as a picture, and in words for a screen reader.
   * @param {string} text
   * @param {string | undefined} name  of its kind
   * @param {string} mark
   * @param {boolean} isFresh  the player has just got it
   * @param {boolean} isBarred  it cannot be played in this turn
   */
  #card(text, name, mark, isFresh, isBarred) {
    const picture = box.picture(name);
    const fresh = isFresh ? [" ", made("b", { textContent: this.words["phone.new"] })] : [];
    const card = made("button", { type: "button" }, ...(picture ? [picture] : []), made("span", { textContent: text }), ...fresh);
    const className = [picture ? "drawn" : "", mark].join(" ").trim();
    return made("li", { className, title: text, onclick: () => this.#explain(text, name, isBarred) }, card);
  }

  /** Say what the card does, and that it is laid at the table, or cannot be. @param {string} text @param {string | undefined} name @param {boolean} isBarred */
  #explain(text, name, isBarred) {
    const kind = box.contents?.kinds.find((each) => each.name === name);
    const does = box.contents?.does[kind?.does ?? ""]?.text ?? "";
    this.say([`${text}.`, does, this.words[isBarred ? "phone.not-now" : "phone.lay-real"]].filter(Boolean).join(" "));
  }
}
