// @ts-check
/** The transcript: every announcement, spoken or dropped with the reason. */

import { byId, el, setAttribute } from "./dom.js";
import { Entries } from "./entries.js";
import { REVEAL, isSecret } from "./news.js";
import { isPlay } from "./view.js";

const UNSAID = ["waiting", "dropped"];
const UNDO = "correction"; // the topic of a line that tells what was taken back

export class Transcript {
  /**
   * @param {Speaker} speaker
   * @param {Store} store
   */
  constructor(speaker, store) {
    this.speaker = speaker;
    this.store = store;
    this.log = byId("transcript");
    this.list = byId("transcript-lines");
    this.entries = new Entries(this.list, event, this.log);
    this.isCatchingUp = true;
    /** @type {number | null} the event of the last spoken line */
    this.spoken = null;
    /** @type {string[]} the numbers that Play says when all cards are turned over */
    this.secrets = [];
    store.on("view", () => this.#show());
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
    this.secrets = [];
    this.#add(entries);
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
    else this.#add([entry]);
    if (entry.lines.some(({ fate }, at) => fate === "interrupted" && fate !== before[at])) this.speaker.stop();
    entry.lines.forEach((line, at) => {
      if (UNSAID.includes(line.fate) || !UNSAID.includes(before[at] ?? "waiting")) return;
      if (this.#hides(line)) this.secrets.push(line.text);
      else this.#say(entry, line);
    });
  }

  /** @param {SpokenEvent} entry @param {SpokenLine} line */
  #say({ n, language }, { topic, text }) {
    if (topic === UNDO) this.secrets.pop();
    if (this.spoken !== n) this.speaker.stop();
    this.spoken = n;
    const secrets = this.store.state.view?.phase === REVEAL ? [] : this.secrets.splice(0);
    for (const each of [...secrets, text]) this.speaker.say(each, language);
  }

  /** @param {SpokenEvent[]} entries */
  #add(entries) {
    for (const { n, lines } of this.entries.add(entries)) {
      const shown = this.list.querySelector(`[data-n="${n}"]`);
      shown?.toggleAttribute("hidden", lines.some((line) => this.#hides(line)));
    }
  }

  /** Return true if *line* tells too early what a player has chosen. @param {SpokenLine} line */
  #hides(line) {
    return isPlay() && isSecret(this.store.state, line);
  }

  /** Show the numbers when all cards are turned over. */
  #show() {
    if (this.store.state.view?.phase === REVEAL) return;
    for (const shown of this.list.querySelectorAll("[hidden]")) shown.removeAttribute("hidden");
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
