// @ts-check
/** The transcript: every announcement, spoken or dropped with the reason. */

import { byId, el, setAttribute } from "./dom.js";
import { Entries } from "./entries.js";

const UNSAID = ["waiting", "dropped"];

export class Transcript {
  /** @param {Speaker} speaker */
  constructor(speaker) {
    this.speaker = speaker;
    this.log = byId("transcript");
    this.list = byId("transcript-lines");
    this.entries = new Entries(this.list, event, this.log);
    this.isCatchingUp = true;
    /** @type {number | null} the event of the last spoken line */
    this.spoken = null;
  }

  /** Handle a new connection: its first entries are old and are not spoken again. */
  connected() {
    this.isCatchingUp = true;
  }

  /** @param {SpokenEvent[]} entries */
  take(entries) {
    if (this.isCatchingUp) this.#catchUp(entries);
    else entries.forEach((entry) => this.#takeOne(entry));
  }

  /** @param {SpokenEvent[]} entries */
  #catchUp(entries) {
    // The log is not live during this; otherwise, a screen reader would read out all old lines.
    this.log.setAttribute("aria-live", "off");
    this.entries.clear();
    this.entries.add(entries);
    this.entries.scrollToEnd();
    this.isCatchingUp = false;
    requestAnimationFrame(() => requestAnimationFrame(() => this.log.setAttribute("aria-live", "polite")));
  }

  /**
   * Show or update an event, and speak the lines that begin.
   * @param {SpokenEvent} entry
   */
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

/** @param {SpokenEvent} entry */
function event({ n, at, language, lines }) {
  const texts = lines.flatMap((line) => [mark(el("span", { lang: language }, line.text), line), " "]);
  return el("li", { "data-n": n, "data-at": at }, ...texts.slice(0, -1));
}

/**
 * Show a line's outcome in attributes only, because a changed text would be read out again.
 * @param {Element} element
 * @param {SpokenLine} line
 */
function mark(element, { topic, fate, why }) {
  setAttribute(element, "data-topic", topic);
  setAttribute(element, "data-fate", fate);
  setAttribute(element, "data-why", why || null);
  return element;
}

/** @param {Element} shown */
function fates(shown) {
  return [...shown.children].map((element) => element.dataset.fate ?? "");
}
