// The box of the game in progress: what everybody may know of its pieces and rules, and pictures of its pieces.

import { face } from "./cards/faces.js";
import { fill, made } from "./elements.js";

/**
 * @typedef {{title: string, text: string}} Effect
 * @typedef {{name: string, value: number, words: string, traits: Record<string, string>, face: string, does: string}} Kind
 * @typedef {{title: string, parts: {title: string, text: string, kinds: string[]}[], special: string, numbered: string, rules: {number: string, text: string}[]}} Card
 * @typedef {{title: string, goal: string, does: Record<string, Effect>, printed: Record<string, string>, kinds: Kind[], rules: Card | null}} Contents
 */

class Box {
  #game = "";
  /** @type {Contents | null} */
  contents = null;

  /** Load the box of *game* unless it is here, then call *done*. A page in another language is a new page. @param {string} game @param {() => void} done */
  async load(game, done) {
    if (game === this.#game) return;
    this.#game = game;
    this.contents = null;
    if (!game) return;
    try {
      const answer = await fetch(`/box/${game}`);
      const contents = answer.ok ? await answer.json() : null;
      if (game !== this.#game) return; // another game was started meanwhile
      this.contents = contents;
    } catch {
      if (game === this.#game) this.#game = ""; // try again with the next state
    }
    if (this.contents) done();
  }

  /** The picture of a piece of *kind*, or null if the box is not known. @param {string | null | undefined} name */
  picture(name) {
    const kind = this.contents?.kinds.find((each) => each.name === name);
    if (!kind) return null;
    return face({ ...kind, kind: kind.name, game: this.#game, tag: "", copy: 1, count: 1, printed: this.contents?.printed ?? {} });
  }

  /** Show the picture of a piece of *kind* in *place*, or nothing if there is none. @param {HTMLElement} place @param {string | null | undefined} kind */
  show(place, kind) {
    const picture = this.picture(kind);
    fill(place, picture ? [made("span", {}, picture)] : []);
  }
}

export const box = new Box();
