// @ts-check
/**
 * The news in Play: what was played last, and what the table announced about it. Screen readers read the
 * transcript instead.
 */

import { byId, el } from "./dom.js";
import { listed, t, withMinus } from "./words.js";

const LEAST = 2; // the least number of texts; fit.js hides the oldest ones if there is no room
const MOST = 12; // the most texts
const RESULTS = 2; // the most results of a round or game
const KEPT = 50; // the number of events that are stored
export const REVEAL = "reveal"; // the phase in which players reveal cards; the numbers are shown when all are open
const UNDO = "correction"; // the topic of an event that took a play back
const NEWS = ["news", "result", "direction", "card"]; // the topics of news; other parts of the banner show the rest
const TOTAL = "total"; // the topic of a number, which is news only if the text says whose it is

export class News {
  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    /** @type {Map<number, SpokenEvent>} the last events, by number */
    this.events = new Map();
    /** @type {Map<string, number>} plays and events in order, each with the number of its input or event */
    this.order = new Map();
    /** @type {Map<number, {text: string, language: string, seat: number}>} the last plays in words, by the number of the input */
    this.plays = new Map();
    /** @type {Element[]} what was shown before a card was given away */
    this.beforeGift = [];
    this.isNew = true; // true until the first events of a connection have arrived, which are old
    store.on(["table", "view", "deal", "won"], () => this.#takePlay());
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

  /** Record the last play, and forget plays that were undone. */
  #takePlay() {
    const { view, deal } = this.store.state;
    // Where cards are laid and none lies there yet, the last play was in the round before.
    const isNewRound = deal?.layout === "hands" && /** @type {HandsDeal} */ (deal).laid.length === 0;
    const played = isNewRound ? null : (view?.played ?? null);
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

  /** The number of the last event that took something back, or 0. Earlier events may be undone, so they are not shown. */
  get #lastUndo() {
    return Math.max(...[...this.events.values()].filter(({ lines }) => lines.some(({ topic }) => topic === UNDO)).map(({ n }) => n), 0);
  }

  #show() {
    const { view, deal, won } = this.store.state;
    const { gift = null } = /** @type {Partial<HandsDeal>} */ (deal ?? {});
    if (gift && !gift.isChosen) { // it is not given yet, or was taken back
      byId("news").replaceChildren(...this.beforeGift);
      return;
    }
    const results = new Set(won && won.n === view?.played?.n ? [this.#playOf(won.n)] : []);
    const hint = view?.page.hint ?? "";
    /** @type {string[]} */
    const shown = [];
    for (const [key, n] of this.order) {
      const last = shown.at(-1) ?? "";
      const lines = key.startsWith("play") ? [this.#playOf(n)] : this.#linesOf(n);
      const text = lines.filter((line) => !isIn(line, last) && !isIn(line, hint)).join(" "); // an event names the piece again
      if (text) shown.push(text);
      if (text && key.startsWith("event") && (hasResult(this.events.get(n)) || lines.some((line) => isOfTwo(line, view?.names ?? [])))) results.add(text);
    }
    byId("news").replaceChildren(...shown.slice(-this.#shown(shown)).map((text) => el("span", { "data-result": results.has(text) ? "" : null }, text)));
    if (!gift) this.beforeGift = [...byId("news").children];
  }

  /** The number of texts to show: all since the last play of a person. @param {string[]} shown */
  #shown(shown) {
    const { deal } = this.store.state;
    const own = [...this.plays.values()].filter(({ seat }) => !deal?.robots[seat]).at(-1)?.text ?? "";
    const since = own ? shown.length - 1 - shown.findLastIndex((text) => isIn(own, text)) : LEAST;
    return Math.min(Math.max(LEAST, since), MOST);
  }

  /** The words for the play of input *n*, if they are in the table's language. @param {number} n */
  #playOf(n) {
    const play = this.plays.get(n);
    const { won, view } = this.store.state; // who won a race is news until the next play
    return play && play.language === this.store.table.language ? `${won?.n === n && n === view?.played?.n ? `${won.words} ` : ""}${withMinus(play.text)}` : "";
  }

  /** The news of an event, line by line. What is announced before the first play is how to deal, and the page has dealt. @param {number} n */
  #linesOf(n) {
    const event = this.events.get(n);
    return event && !event.is_start && event.n > this.#lastUndo && this.#isOfNow(event) ? this.#wordsOf(event) : [];
  }

  /** @param {SpokenEvent} event */
  #wordsOf({ lines }) {
    const names = this.store.state.view?.names ?? [];
    const isNews = (/** @type {{topic: string, text: string}} */ { topic, text }) => NEWS.includes(topic) || (topic === TOTAL && names.some((name) => text.includes(name)));
    return lines.filter((line) => isNews(line) && !isSecret(this.store.state, line)).map(({ text }) => withMinus(text));
  }

  /** Return true if the event belongs to the round in progress and is in the table's language. @param {SpokenEvent} event */
  #isOfNow({ language, game, round }) {
    const { view } = this.store.state;
    return language === this.store.table.language && game === (view?.number ?? null) && round === (view?.round ?? 0);
  }

  /** The announcements of how the round ended, one text for each line: the last results, and the news after them. The table of points tells those with numbers, and the title who has won. */
  get result() {
    const events = [...this.events.values()].filter((event) => this.#isOfNow(event) && event.n > this.#lastUndo);
    const { names = [], winners = [] } = this.store.state.view ?? {};
    /** @param {SpokenEvent[]} said @param {string} wanted */
    const textsOf = (said, wanted) => said.flatMap(({ lines }) => lines).filter(({ topic }) => topic === wanted).map(({ text }) => text);
    const hasNumber = (/** @type {string} */ text) => /\d/.test(names.reduce((left, name) => left.replaceAll(name, ""), text)); // names may have numbers
    const results = textsOf(events, "result");
    const wins = winners.length === 1 ? results.filter((text) => isIn(bare(winWords([names[winners[0]]])), text)) : results.splice(-winners.length, winners.length);
    const told = results.filter((text) => !hasNumber(text) && !wins.includes(text)).slice(-RESULTS);
    return [...new Set([...told, ...textsOf(events.filter(hasResult).slice(-1), "news").filter((text) => !hasNumber(text))])];
  }
}

/** The words about who has won. @param {string[]} names */
function winWords(names) {
  return names.length === 1 ? t("{name} wins!", { name: names[0] }) : t("{names} share the win!", { names: listed(names) });
}

/** The line about who has won in *view*. @param {{names: string[], winners: number[]}} view */
export function winLine({ names, winners }) {
  return `★ ${winWords(winners.map((seat) => names[seat]))}`;
}

/** *text* without the marks before and after it. @param {string} text */
function bare(text) {
  return text.replace(/^\P{L}+|\P{L}+$/gu, "");
}

/** Return true if *text*, without its full stop, is a part of *longer*. @param {string} text @param {string} longer */
function isIn(text, longer) {
  return longer.includes(text.replace(/\.$/, ""));
}

/**
 * Return true if *line* tells a number that others may not know yet: all are turned over together.
 * @param {PageState} state
 * @param {{text: string}} line
 */
export function isSecret({ view }, { text }) {
  return view?.phase === REVEAL && view.names.some((name) => isNumberOf(name, text));
}

/** Return true if *text* has nothing but *name* and a number: "Ann: 6." @param {string} name @param {string} text */
function isNumberOf(name, text) {
  return text.startsWith(name) && /^\P{L}*\d\P{L}*$/u.test(text.slice(name.length));
}

/** Return true if *text* is about two players: "Ben and Ann swap hands." @param {string} text @param {string[]} names */
function isOfTwo(text, names) {
  return names.filter((name) => text.includes(name)).length > 1;
}

/** @param {SpokenEvent | undefined} event */
function hasResult(event) {
  return Boolean(event?.lines.some(({ topic }) => topic === "result"));
}
