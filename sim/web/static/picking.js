// @ts-check
/** Chosen cards, and laying, lifting and tapping them. Mouse, touch and keyboard all use this module. */

import { PLAY } from "./catalogue.js";
import { isRisky } from "./doubts.js";
import { markCards } from "./marks.js";
import { asksWhose } from "./moments.js";
import { notify, notifyOf } from "./notices.js";
import { refuseTurn } from "./refusals.js";
import { isRobotsTurn } from "./robots.js";
import { isPlay } from "./view.js";

const TAP_MS = 300; // how long a tapped card stays on the reader
const ASKED_MS = 4000; // the longest wait for a question about a tapped card
const TWICE_MS = 400;
const AT_ONCE = 12; // the most tags that the table accepts in one message

export class Picking {
  /**
   * @param {Store} store
   * @param {Connection} connection
   */
  constructor(store, connection) {
    this.store = store;
    this.connection = connection;
    /** @type {Set<string>} */
    this.chosen = new Set();
    this.isSeveral = false;
    this.isMarking = false; // true until the next microtask
    this.lastClick = { tag: "", at: 0 };
    this.lastTap = { tag: "", at: 0, seat: -1 };
    /** @type {Set<string>} the pieces whose play is under way */
    this.playing = new Set();
    this.played = Promise.resolve(); // done when the last play is
    store.on(["lying", "table"], () => this.show());
    store.on("view", () => this.#answerWhose());
  }

  /** The usual spot for a tap: `play`, or the first spot if a table has no `play`. */
  get playSpot() {
    const { spots } = this.store.table;
    return spots.includes(PLAY) ? PLAY : (spots[0] ?? PLAY);
  }

  /** True if a card was tapped just now and is still in a hand, so that the table may ask about it next. */
  get isTapping() {
    const { tag, at } = this.lastTap;
    return performance.now() - at < ASKED_MS && Boolean(this.store.state.deal?.hands?.some((hand) => hand.includes(tag)));
  }

  /** True if *tag* was tapped just now. @param {string} tag */
  hasTapped(tag) { return this.isTapping && this.lastTap.tag === tag; }

  /** The spot for a tap on *tag* without a chosen spot: its player's own spot in a race or out of turn. @param {string} tag */
  #spotFor(tag) {
    const { deal, view } = this.store.state;
    const seat = this.#seatOf(tag);
    const own = `seat-${seat + 1}`;
    const isRacing = view?.turn === null && view.active.includes(seat);
    const isOwn = isRacing || Boolean(deal?.others?.includes(seat));
    return isOwn && this.store.table.spots.includes(own) ? own : this.playSpot;
  }

  /** The seat of the player who holds *tag*; -1 if nobody does. @param {string} tag */
  #seatOf(tag) {
    return this.store.state.deal?.hands?.findIndex((hand) => hand.includes(tag)) ?? -1;
  }

  /** The spot that a card is on, if it is on the mat. @param {string} tag */
  spotOf(tag) {
    const lying = Object.entries(this.store.state.lying);
    return lying.find(([, tags]) => tags.includes(tag))?.[0] ?? null;
  }

  /** @param {string} tag */
  choose(tag, { isMore = false } = {}) {
    const more = isMore || this.isSeveral;
    const was = this.chosen.has(tag);
    if (!more) this.chosen.clear();
    if (was) this.chosen.delete(tag);
    else this.chosen.add(tag);
    this.show();
  }

  clear() {
    this.chosen.clear();
    this.show();
  }

  /**
   * Choose a card by one click; a second click on it soon after taps it.
   * @param {string} tag
   * @param {boolean} isMore
   * @param {number} at  when it was clicked, in ms; a busy page handles clicks late
   */
  click(tag, isMore, at) {
    const isTwice = this.lastClick.tag === tag && at - this.lastClick.at < TWICE_MS;
    this.lastClick = { tag: isTwice ? "" : tag, at };
    if (isTwice && !isMore && !this.isSeveral) this.tap([tag]);
    else this.choose(tag, { isMore });
  }

  /** Lay the chosen cards on *spot*; if none is chosen, show how to choose one. @param {string} spot */
  layChosen(spot) {
    if (this.chosen.size === 0) notify("Choose a card first, then the spot.");
    else this.lay([...this.chosen], spot);
  }

  /**
   * Lay cards that are not on the mat yet, and leave them there.
   * @param {string[]} tags
   * @param {string} spot
   */
  async lay(tags, spot) {
    const free = tags.filter((tag) => this.spotOf(tag) === null).slice(0, AT_ONCE);
    this.clear();
    if (free.length === 0) return false;
    return this.#ask({ type: "lay", tags: free, spot });
  }

  /** @param {string[]} tags @param {string} spot */
  async lift(tags, spot) {
    if (tags.length > 0) await this.#ask({ type: "lift", tags, spot });
  }

  /**
   * Tap cards: lay them, and lift them again after `TAP_MS`.
   * @param {string[]} tags
   * @param {string} [spot]
   */
  async tap(tags, spot = this.#spotFor(tags[0])) {
    this.lastTap = { tag: tags[0] ?? "", at: performance.now(), seat: this.#seatOf(tags[0] ?? "") };
    if (!(await this.lay(tags, spot))) return;
    await new Promise((passed) => setTimeout(passed, TAP_MS));
    // On a busy table, the state may not show the card yet: then it counts as lying on *spot*.
    const still = tags.filter((tag) => (this.spotOf(tag) ?? spot) === spot);
    if (still.length === 0) return;
    try {
      await this.connection.send({ type: "lift", tags: still, spot });
    } catch (error) {
      // Show no notice if somebody else has already lifted the card.
      if (still.some((tag) => this.spotOf(tag) === spot)) notifyOf(error);
    }
  }

  /** Tap a piece in Play; do nothing if this piece is being played already. @param {string} tag */
  async play(tag) {
    if (!isPlay()) return this.tap([tag]);
    if (this.playing.has(tag)) return;
    const turn = this.store.state.view?.turn ?? null;
    const before = turn !== null && this.playing.size > 0 ? this.played : null; // in a race, plays do not wait for each other
    this.playing.add(tag);
    this.played = this.#playAfter(before, tag, turn).finally(() => this.playing.delete(tag));
    await this.played;
  }

  /** @param {Promise<unknown> | null} before  the play before @param {string} tag @param {number | null} turn  whose turn it must still be */
  async #playAfter(before, tag, turn) {
    if (before) await before;
    if (turn === null || turn === this.store.state.view?.turn) await this.#playOnce(tag);
  }

  /**
   * Tap a piece, unless the page has a question or a refusal for it, or it is a robot's turn.
   * @param {string} tag
   */
  async #playOnce(tag) {
    const { view, deal, race } = this.store.state;
    const seat = this.#seatOf(tag);
    const mayJoin = Boolean(deal?.others?.includes(seat) && deal.playable?.includes(tag));
    if (race === "countdown") return;
    if (race === "finish" && !mayJoin && !view?.active.includes(seat)) this.store.takeState({ late: seat });
    else if (isRobotsTurn(this.store.state) && !mayJoin) refuseTurn(this.store);
    else if (deal?.barred?.[tag]) this.store.takeState({ doubt: null, refused: tag });
    else if (this.#isAnother(tag)) {
      if (await this.#ask({ type: "take-back" })) await this.tap([tag]);
    } else if (isRisky(this.store.state, tag)) this.store.takeState({ doubt: tag });
    else {
      this.store.takeState({ doubt: null, refused: null });
      const { hushed } = this.store.state;
      await this.tap([tag]);
      // Show the refusal again if it is the same one, unless the page has asked a question meanwhile.
      if (this.store.state.hushed === hushed) this.store.takeState({ hushed: null });
    }
  }

  /** Return true if *tag* is another tile of the player whose tapped tile waits for its place. @param {string} tag */
  #isAnother(tag) {
    const { view, deal } = this.store.state;
    const waiting = /** @type {BoardDeal | null} */ (deal)?.waiting;
    return Boolean(waiting && waiting !== tag && view?.grid?.places.length && view.turn === this.#seatOf(tag));
  }

  /**
   * Move a dragged card to *spot*, or off the mat (null).
   * @param {string[]} tags
   * @param {string | null} spot
   */
  async drop(tags, spot) {
    const from = this.spotOf(tags[0]);
    if (from === spot) return;
    if (from !== null) await this.lift(tags, from);
    if (spot === null) return;
    if (from === null) await this.lay(tags, spot);
    else await this.#ask({ type: "lay", tags, spot });
  }

  /** In Play, answer the table's question whose card was tapped on a shared spot. */
  #answerWhose() {
    const { view } = this.store.state;
    const { at, seat } = this.lastTap;
    const name = view?.names[seat];
    if (!isPlay() || !name || performance.now() - at > ASKED_MS || !asksWhose(view) || !view.choices?.items.some(([value]) => value === name)) return;
    this.lastTap.seat = -1;
    this.#ask({ type: "choose", value: name });
  }

  /** @param {PageRequest} message */
  async #ask(message) {
    try {
      await this.connection.send(message);
      return true;
    } catch (error) {
      notifyOf(error);
      return false;
    }
  }

  /** Mark each card button as chosen, as on a spot, or as free: once, when all modules have handled the message. */
  show() {
    if (!this.isMarking) queueMicrotask(() => this.#mark());
    this.isMarking = true;
  }

  #mark() {
    this.isMarking = false;
    const away = new Set(Object.values(this.store.state.lying).flat());
    for (const tag of away) this.chosen.delete(tag);
    markCards(this.chosen, away);
  }
}
