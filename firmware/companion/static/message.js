// The line of a phone that says whether an act was done.

import { part } from "./elements.js";

export class MessageLine {
  #timer = 0; // of the seconds that are left

  get isCounting() {
    return this.#timer !== 0;
  }

  /**
   * @param {string} text
   * @param {boolean} [isRefused]
   */
  say(text, isRefused = false) {
    clearTimeout(this.#timer);
    this.#timer = 0;
    const line = part("said");
    line.classList.toggle("refused", isRefused);
    line.textContent = text;
    line.hidden = text === "";
  }

  /** Say *text* and how many *seconds* are left, until none are. @param {string} text @param {string} left @param {number} seconds */
  count(text, left, seconds) {
    this.say(`${text} ${left.replace("{seconds}", `${seconds}`)}`);
    if (seconds > 0) this.#timer = setTimeout(() => this.count(text, left, seconds - 1), 1000);
  }
}
