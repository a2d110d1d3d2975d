/** What the table said: always to be read, also when nobody hears it. */

import { byId, el } from "./dom.js";
import { Entries } from "./entries.js";

export class Transcript {
  constructor(speaker) {
    this.speaker = speaker;
    this.log = byId("transcript");
    this.entries = new Entries(byId("transcript-lines"), line, this.log);
    this.isCatchingUp = true;
  }

  /** A new connection: what comes first was said before, and is not spoken again. */
  connected() {
    this.isCatchingUp = true;
  }

  take(entries) {
    if (this.isCatchingUp) this.#catchUp(entries);
    else this.#speak(this.entries.add(entries));
  }

  #catchUp(entries) {
    // Not live meanwhile: a screen reader would read the whole evening out.
    this.log.setAttribute("aria-live", "off");
    this.entries.clear();
    this.entries.add(entries);
    this.entries.scrollToEnd();
    this.isCatchingUp = false;
    requestAnimationFrame(() => requestAnimationFrame(() => this.log.setAttribute("aria-live", "polite")));
  }

  #speak(entries) {
    if (entries.length === 0) return;
    this.speaker.say(entries.map(({ text }) => text).join(" "), entries.at(-1).language);
  }
}

function line({ n, at, language, text }) {
  return el("li", { "data-n": n, "data-at": at }, el("span", { lang: language }, text));
}
