/**
 * Picking cards up: which are chosen, and laying, lifting and tapping them. Mouse, touch and
 * keyboard all end here, so they can do the same things.
 */

import { PLAY } from "./catalogue.js";
import { setAttribute } from "./dom.js";
import { notify } from "./notices.js";

const TAP_MS = 300; // a card is held on the reader about this long when somebody taps it
const TWICE_MS = 400;
const AT_ONCE = 12; // the most tags the table takes in one message

export class Picking {
  constructor(store, connection) {
    this.store = store;
    this.connection = connection;
    this.chosen = new Set();
    this.isSeveral = false;
    this.lastClick = { tag: null, at: 0 };
    store.on(["lying", "table"], () => this.show());
  }

  /** The spot a tap goes to: `play`, or the only one a strange table has. */
  get playSpot() {
    const { spots } = this.store.table;
    return spots.includes(PLAY) ? PLAY : (spots[0] ?? PLAY);
  }

  /** Where *tag* is tapped when nobody says where: of one who races, or joins in another's turn, on the own seat's reader. */
  #spotFor(tag) {
    const { deal, view } = this.store.state;
    const seat = deal?.hands?.findIndex((hand) => hand.includes(tag)) ?? -1;
    const own = `seat-${seat + 1}`;
    const isRacing = view?.turn === null && view.active.includes(seat);
    const isOwn = isRacing || Boolean(deal?.others?.includes(seat));
    return isOwn && this.store.table.spots.includes(own) ? own : this.playSpot;
  }

  /** Where a card lies now; none if it is in the tray or a hand. */
  spotOf(tag) {
    const lying = Object.entries(this.store.state.lying ?? {});
    return lying.find(([, tags]) => tags.includes(tag))?.[0] ?? null;
  }

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

  /** One click chooses; a second on the same card soon after is a tap. */
  click(tag, isMore) {
    const isTwice = this.lastClick.tag === tag && performance.now() - this.lastClick.at < TWICE_MS;
    this.lastClick = { tag: isTwice ? null : tag, at: performance.now() };
    if (isTwice && !isMore && !this.isSeveral) this.tap([tag]);
    else this.choose(tag, { isMore });
  }

  /** The chosen cards go on *spot*; without any, say how. */
  layChosen(spot) {
    if (this.chosen.size === 0) notify("Choose a card first, then the spot.");
    else this.lay([...this.chosen], spot);
  }

  /** Lay cards that are nowhere on the mat, and leave them there. */
  async lay(tags, spot) {
    const free = tags.filter((tag) => this.spotOf(tag) === null).slice(0, AT_ONCE);
    this.clear();
    if (free.length === 0) return false;
    return this.#ask({ type: "lay", tags: free, spot });
  }

  async lift(tags, spot) {
    if (tags.length > 0) await this.#ask({ type: "lift", tags, spot });
  }

  /** Lay and lift again, as a hand that taps a card on the reader. */
  async tap(tags, spot = this.#spotFor(tags[0])) {
    if (!(await this.lay(tags, spot))) return;
    await new Promise((passed) => setTimeout(passed, TAP_MS));
    const still = tags.filter((tag) => this.spotOf(tag) === spot);
    await this.lift(still, spot);
  }

  /** Put a card that was dragged: from where it lies, if it does, to *spot* or off the mat. */
  async drop(tags, spot) {
    const from = this.spotOf(tags[0]);
    if (from === spot) return;
    if (from !== null) await this.lift(tags, from);
    if (spot === null) return;
    if (from === null) await this.lay(tags, spot);
    else await this.#ask({ type: "lay", tags, spot });
  }

  async #ask(message) {
    try {
      await this.connection.send(message);
      return true;
    } catch (error) {
      notify(error.message);
      return false;
    }
  }

  /** Mark every drawn card: chosen, lying elsewhere, or free. */
  show() {
    const away = new Map(
      Object.entries(this.store.state.lying ?? {}).flatMap(([spot, tags]) => tags.map((tag) => [tag, spot])),
    );
    for (const tag of away.keys()) this.chosen.delete(tag);
    for (const card of document.querySelectorAll("button.card")) this.#mark(card, away);
    setAttribute(document.body, "data-chosen", this.chosen.size > 0 ? this.chosen.size : null);
  }

  #mark(card, away) {
    const { tag } = card.dataset;
    const isSlot = away.has(tag) && !card.closest("[data-spot]");
    setAttribute(card, "aria-disabled", isSlot ? "true" : null);
    // While a card lies on the mat its place in the tray stays, so that the focus stays too; but the
    // name data-card belongs to the card itself.
    setAttribute(card, "data-card", isSlot ? null : tag);
    if (!card.closest("[data-spot]")) setAttribute(card, "aria-pressed", this.chosen.has(tag));
  }
}
