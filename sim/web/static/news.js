// @ts-check
/** The news of Play: what happened last, in the table's own announcements. Screen readers hear the transcript. */

import { byId, el } from "./dom.js";

const SHOWN = 2; // announcements; a narrow screen shows only the last one
const NEWS = ["news", "result", "direction", "card"]; // topics; the banner shows the others itself

export class News {
  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    /** @type {Map<number, SpokenEvent>} the last events, by number */
    this.events = new Map();
    this.isNew = true; // true until the first events of a connection, which are old
  }

  connected() {
    this.isNew = true;
  }

  /** @param {SpokenEvent[]} entries */
  take(entries) {
    if (this.isNew) this.events.clear();
    for (const entry of entries) this.events.set(entry.n, entry);
    for (const n of [...this.events.keys()].slice(0, -50)) this.events.delete(n);
    this.isNew = false;
    const texts = this.#events.map((event) => textOf(event, NEWS)).filter(Boolean);
    byId("news").replaceChildren(...texts.slice(-SHOWN).map((text) => el("span", {}, text)));
  }

  /** The last events in the table's language, which somebody may have changed. */
  get #events() {
    return [...this.events.values()].filter(({ language }) => language === this.store.table.language);
  }

  /** The newest announced result: one text for each line. */
  get result() {
    const event = this.#events.filter(({ lines }) => lines.some(({ topic }) => topic === "result")).at(-1);
    return event?.lines.filter(({ topic }) => NEWS.includes(topic)).map(({ text }) => text) ?? [];
  }
}

/**
 * @param {SpokenEvent} event
 * @param {string[]} topics
 */
function textOf({ lines }, topics) {
  return lines.filter(({ topic }) => topics.includes(topic)).map(({ text }) => text).join(" ");
}
