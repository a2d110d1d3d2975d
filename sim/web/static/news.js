// @ts-check
/**
 * The news of Play: what was played last, and what the table announced about it. Screen readers hear the
 * transcript.
 */

import { byId, el } from "./dom.js";

const LEAST = 2; // texts; fit.js hides the oldest ones if there is no room
const MOST = 12; // texts since one's own last play
const KEPT = 50; // events
const UNDO = "correction"; // the topic of an event that took a play back
const NEWS = ["news", "result", "direction", "card"]; // topics; the banner shows the others itself

export class News {
  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    /** @type {Map<number, SpokenEvent>} the last events, by number */
    this.events = new Map();
    /** @type {Map<string, number>} the order of plays and events: of each the number of the input, or of the event */
    this.order = new Map();
    /** @type {Map<number, {text: string, language: string, seat: number}>} the last plays in words, by the number of the input */
    this.plays = new Map();
    this.isNew = true; // true until the first events of a connection, which are old
    this.lastOfRound = 0; // the number of the last event before the round in progress
    this.lastOfStart = 0; // the number of the last event before the first play
    this.hasResult = false;
    store.on(["table", "view"], () => this.#takePlay());
  }

  connected() {
    this.isNew = true;
  }

  /** @param {SpokenEvent[]} entries */
  take(entries) {
    if (this.isNew) this.events.clear();
    for (const entry of entries) {
      this.events.set(entry.n, entry);
      this.#put(`event ${entry.n}`, entry.n);
    }
    for (const n of [...this.events.keys()].slice(0, -KEPT)) this.events.delete(n);
    this.isNew = false;
    this.#show();
  }

  /** Note what was played, and forget what was undone. */
  #takePlay() {
    const hasResult = Boolean(this.store.state.view?.result);
    if (this.hasResult && !hasResult) this.lastOfRound = this.#newest;
    this.hasResult = hasResult;
    const played = this.store.state.view?.played ?? null;
    for (const n of [...this.plays.keys()].filter((n) => n > (played?.n ?? 0))) {
      this.plays.delete(n);
      this.order.delete(`play ${n}`);
    }
    if (played) {
      this.plays.set(played.n, played);
      this.#put(`play ${played.n}`, played.n);
    }
    this.#show();
  }

  /**
   * @param {string} key
   * @param {number} n
   */
  #put(key, n) {
    if (!this.order.has(key)) this.order.set(key, n);
    for (const old of [...this.order.keys()].slice(0, -2 * KEPT)) this.order.delete(old);
  }

  /** The number of the newest event; 0 without one. */
  get #newest() {
    return Math.max(...this.events.keys(), 0);
  }

  /** The number of the last event that took something back; 0 without one. Earlier events may not have happened. */
  get #lastUndo() {
    return Math.max(...[...this.events.values()].filter(({ lines }) => lines.some(({ topic }) => topic === UNDO)).map(({ n }) => n), 0);
  }

  #show() {
    const { view } = this.store.state;
    // Before the first play the table says how to deal, which the page has done.
    if (view && view.plays === 0 && !view.played) this.lastOfStart = this.#newest;
    const texts = [...this.order].map(([key, n]) => (key.startsWith("play") ? this.#playOf(n) : this.#textOf(n))).filter(Boolean);
    const shown = texts.filter((text, at) => !isIn(text, texts[at - 1] ?? ""));
    byId("news").replaceChildren(...shown.slice(-this.#shown(shown)).map((text) => el("span", {}, text)));
  }

  /** The number of texts to show: all since the last play of a person. @param {string[]} shown */
  #shown(shown) {
    const { deal } = this.store.state;
    const own = [...this.plays.values()].filter(({ seat }) => !deal?.robots[seat]).at(-1)?.text ?? "";
    const since = own ? shown.length - 1 - shown.findLastIndex((text) => isIn(own, text)) : MOST;
    return Math.min(Math.max(LEAST, since), MOST);
  }

  /** The words for the play of input *n*, if they are in the table's language. @param {number} n */
  #playOf(n) {
    const play = this.plays.get(n);
    return play && play.language === this.store.table.language ? play.text : "";
  }

  /** The news of an event. @param {number} n */
  #textOf(n) {
    const event = this.events.get(n);
    return event && event.n > Math.max(this.lastOfStart, this.#lastUndo) && this.#isOfNow(event) ? textOf(event, NEWS) : "";
  }

  /** True if *event* is of the game in progress, and in the table's language. @param {SpokenEvent} event */
  #isOfNow({ language, game }) {
    return language === this.store.table.language && game === (this.store.state.view?.number ?? null);
  }

  /** How the round ended, as announced: first the play that ended it. One text for each line. */
  get result() {
    const events = [...this.events.values()].filter((event) => this.#isOfNow(event) && event.n > this.lastOfRound);
    const last = events.filter(hasResult).at(-1);
    const earlier = events.filter((event) => event !== last).flatMap(({ lines }) => lines.filter(({ topic }) => topic === "result"));
    const shown = last?.lines.filter(({ topic }) => NEWS.includes(topic)) ?? [];
    return [...earlier, ...shown].map(({ text }) => text);
  }
}

/** True if *text*, without its full stop, is a part of *longer*. @param {string} text @param {string} longer */
function isIn(text, longer) {
  return longer.includes(text.replace(/\.$/, ""));
}

/** @param {SpokenEvent} event */
function hasResult({ lines }) {
  return lines.some(({ topic }) => topic === "result");
}

/**
 * @param {SpokenEvent} event
 * @param {string[]} topics
 */
function textOf({ lines }, topics) {
  return lines.filter(({ topic }) => topics.includes(topic)).map(({ text }) => text).join(" ");
}
