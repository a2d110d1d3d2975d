/** What the table said, and what it dropped and why: always to be read, also when nobody hears it. */

import { byId, el, setAttribute } from "./dom.js";
import { Entries } from "./entries.js";

const UNSAID = ["waiting", "dropped"];

export class Transcript {
  constructor(speaker) {
    this.speaker = speaker;
    this.log = byId("transcript");
    this.list = byId("transcript-lines");
    this.entries = new Entries(this.list, event, this.log);
    this.isCatchingUp = true;
    this.spoken = null; // the event that was spoken of last
  }

  /** A new connection: what comes first was said before, and is not spoken again. */
  connected() {
    this.isCatchingUp = true;
  }

  take(entries) {
    if (this.isCatchingUp) this.#catchUp(entries);
    else entries.forEach((entry) => this.#takeOne(entry));
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

  /** Show an event, or what became of its lines since, and speak those that begin. */
  #takeOne(entry) {
    const shown = this.list.querySelector(`[data-n="${entry.n}"]`);
    const before = shown ? fates(shown) : [];
    if (shown) [...shown.children].forEach((element, at) => mark(element, entry.lines[at]));
    else this.entries.add([entry]);
    if (entry.lines.some(({ fate }, at) => fate === "interrupted" && fate !== before[at])) this.speaker.stop();
    entry.lines.forEach(({ text, fate }, at) => {
      if (UNSAID.includes(fate) || !UNSAID.includes(before[at] ?? "waiting")) return;
      if (this.spoken !== entry.n) this.speaker.stop();
      this.spoken = entry.n;
      this.speaker.say(text, entry.language);
    });
  }
}

function event({ n, at, language, lines }) {
  const texts = lines.flatMap((line) => [mark(el("span", { lang: language }, line.text), line), " "]);
  return el("li", { "data-n": n, "data-at": at }, ...texts.slice(0, -1));
}

/** What became of a line stands in its attributes: a changed text would be read out again. */
function mark(element, { topic, fate, why }) {
  setAttribute(element, "data-topic", topic);
  setAttribute(element, "data-fate", fate);
  setAttribute(element, "data-why", why || null);
  return element;
}

function fates(shown) {
  return [...shown.children].map((element) => element.dataset.fate);
}
