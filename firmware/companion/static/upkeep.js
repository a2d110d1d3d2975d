// The stickers and the parts of the table on the host's phone.

import { button, choice, fill, made, part, when } from "./elements.js";

/**
 * @typedef {{step: number, asked: string, progress: string, done: number, total: number, buttons: [string, string][], items: [string, string][]}} OpenBox
 * @typedef {{boxes: [string, string][], why_not: string, box: OpenBox | null}} Stickers
 * @typedef {{name: string, state: string, since: string, do: string}} Part
 * @typedef {{stickers: Stickers, parts: Part[], check: {at: string, text: string}}} Kept
 */

export class Upkeep {
  #chosen = ""; // the box in the list
  #wasOpen = false; // true if a box was open

  /**
   * @param {Record<string, string>} words
   * @param {(act: unknown) => unknown} act
   */
  constructor(words, act) {
    this.words = words;
    this.act = act;
  }

  /** @param {Kept | null} host */
  draw(host) {
    const isOpen = Boolean(host?.stickers.box);
    if (isOpen && !this.#wasOpen) /** @type {HTMLDetailsElement} */ (part("stickers-part")).open = true;
    this.#wasOpen = isOpen;
    this.#drawStickers(host?.stickers ?? { boxes: [], why_not: "", box: null });
    fill(part("parts"), host ? this.#parts(host) : []);
  }

  /** @param {Stickers} stickers */
  #drawStickers({ boxes, why_not, box }) {
    const asked = box?.asked ?? why_not;
    if (part("asked").textContent !== asked) part("asked").textContent = asked;
    part("enrolled").hidden = box === null;
    part("enrolled-text").textContent = box?.progress ?? "";
    Object.assign(part("enrolled-bar"), { max: Math.max(box?.total ?? 1, box?.done ?? 0), value: box?.done ?? 0 });
    const tools = part("sticker-tools");
    const hadFocus = tools.contains(document.activeElement);
    fill(tools, box ? this.#buttons(box) : boxes.length ? this.#list(boxes) : []);
    if (hadFocus && !tools.contains(document.activeElement)) tools.querySelector("button")?.focus();
  }

  /** @param {[string, string][]} boxes */
  #list(boxes) {
    const { words } = this;
    if (!boxes.some(([value]) => value === this.#chosen)) this.#chosen = boxes[0][0];
    const list = choice(words["stickers.box"], this.#chosen, boxes, (value) => (this.#chosen = value));
    const help = made("p", { textContent: words["stickers.help"] });
    return [help, list, button(words["stickers.open"], () => this.act({ stickers: "open", value: this.#chosen, step: 0 }))];
  }

  /** @param {OpenBox} box */
  #buttons({ step, buttons, items }) {
    const choices = items.map(([value, text]) => button(text, () => this.act({ stickers: "choose", value, step }), "choice"));
    return [...choices, ...buttons.map(([value, text]) => button(text, () => this.act({ stickers: "press", value, step })))];
  }

  /** @param {Kept} host */
  #parts({ parts, check }) {
    const { words } = this;
    const items = parts.map(({ name, state, since, do: advice }) => {
      const text = words[`parts.${state}`].replace("{since}", since && when(since));
      return made("li", { className: state }, `${name}: ${text} ${advice}`.trim());
    });
    const title = check.at ? `${words["parts.check"]} (${when(check.at)}): ` : `${words["parts.check"]}: `;
    return [made("ul", {}, ...items), made("p", { textContent: title + check.text })];
  }
}
