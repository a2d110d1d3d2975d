// @ts-check
/**
 * The layout of a spread: tiles face down in rows and columns, turned over one by one. Face-down tiles are
 * known only to the server; a place shows its face-up tile or a back.
 */

import { placeTag, seenAs } from "../catalogue.js";
import { face } from "../cards/faces.js";
import { byId, el, keepChildren, loadStyle, setAttribute, setText } from "../dom.js";
import { notify, notifyOf } from "../notices.js";
import { counted, nameSeat, parts, playerOf } from "../rows.js";
import { isPlay } from "../view.js";
import { until } from "../wait.js";
import { t } from "../words.js";

await loadStyle("spread.css", "panels.css");

const KEPT_MS = 2500; // how long a tile can be seen at least before it is turned down
const SEEN_MS = 1000; // the longest wait until a tapped tile is face up

export default class Spread {
  /** @param {import("../layouts.js").Tools} tools */
  constructor({ store, connection, catalogue, picking }) {
    this.store = store;
    this.connection = connection;
    this.catalogue = catalogue;
    this.picking = picking;
    this.turning = ""; // the place whose tile is being turned over
    this.queued = ""; // the place whose tile is turned over next
    /** @type {Map<number, {seen: string, until: number}>} by place, tiles of the last turns that can still be seen */
    this.kept = new Map();
    this.game = 0; // the number of the game that they belong to
    this.own = 0; // the seat of the person who plays, or who played last
    this.isMoving = false; // true while the movable tile is selected
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.#choose(false));
    store.on("lying", () => this.#deal?.places && this.#showPlaces());
  }

  get #deal() {
    return /** @type {SpreadDeal | null} */ (this.store.state.deal);
  }

  rows() {
    const deal = this.#deal;
    return deal ? ["spread", ...deal.won.map((_, seat) => `won-${seat}`)] : [];
  }

  /** @param {string} key */
  build(key) {
    if (key !== "spread") return null;
    return el("div", { class: "spread", role: "group", "aria-label": t("Tiles on the table") });
  }

  show() {
    const deal = this.#deal;
    if (deal) this.#keep(deal);
    this.#showPlaces();
    const { view } = this.store.state;
    const isOwn = (/** @type {number | null | undefined} */ seat) => typeof seat === "number" && deal?.robots[seat] === null;
    if (isOwn(view?.turn)) this.own = view?.turn ?? 0;
    else if (!isOwn(this.own)) this.own = deal?.robots.indexOf(null) ?? 0;
    deal?.won.forEach((won, seat) => {
      const count = counted(won.length, "tile");
      showWon(nameSeat(this.store, `won-${seat}`, seat, count), won, this.catalogue());
      if (isPlay()) setText(parts(`won-${seat}`).title, `${playerOf(this.store, seat)}: ${count}`); // the row must not shift from turn to turn
      byId("hands").querySelector(`[data-hand="won-${seat}"]`)?.toggleAttribute("data-own", seat === this.own);
    });
  }

  /** Note the tiles of the last turn, which robots would turn down too soon to be remembered. @param {SpreadDeal} deal */
  #keep({ past, places }) {
    const number = this.store.state.view?.number ?? 0;
    if (number !== this.game) this.kept.clear();
    this.game = number;
    for (const place of past) {
      const seen = places[place - 1];
      if (!seen.includes("/") || this.kept.get(place)?.seen === seen) continue;
      this.kept.set(place, { seen, until: performance.now() + KEPT_MS });
      setTimeout(() => this.#showPlaces(), KEPT_MS);
    }
    for (const place of this.kept.keys()) if (!past.includes(place) && places[place - 1] !== "down") this.kept.delete(place);
  }

  /** The deal with the tiles that can still be seen. @returns {SpreadDeal | null} */
  get #shown() {
    const deal = this.#deal;
    if (!deal?.places) return deal;
    const now = performance.now();
    const down = [...this.kept].filter(([place]) => deal.places[place - 1] === "down");
    for (const [place, { until }] of down) if (until <= now) this.kept.delete(place);
    const open = new Map(down.filter(([, { until }]) => until > now).map(([place, { seen }]) => [place, seen]));
    return { ...deal, places: deal.places.map((seen, at) => open.get(at + 1) ?? seen), past: [...deal.past, ...open.keys()] };
  }

  #showPlaces() {
    const deal = this.#shown;
    const { lying = {} } = this.store.state;
    const board = byId("hands").querySelector(".spread");
    this.isMoving &&= Boolean(deal?.movable);
    if (!board || !deal?.places) return;
    board.style.setProperty("--columns", String(deal.columns));
    board.style.setProperty("--rows", String(Math.ceil(deal.places.length / deal.columns)));
    const tags = deal.places.map((_, at) => placeTag(deal.game, at + 1));
    keepChildren(board, tags, (tag) => el("button", { type: "button", class: "place", "data-tag": tag, "data-stop": "", "data-drag": "tile" }));
    const onMat = Object.values(lying).flat();
    deal.places.forEach((seen, at) => this.#showPlace(deal, board.children[at], seen, at + 1, onMat.includes(tags[at]) || tags[at] === this.queued));
  }

  /**
   * @param {SpreadDeal} deal
   * @param {Element} button
   * @param {string} seen
   * @param {number} place
   * @param {boolean} isOnMat
   */
  #showPlace(deal, button, seen, place, isOnMat) {
    const card = seenAs(this.catalogue(), deal, button.dataset.tag ?? "");
    const state = card.face === "tile-back" ? seen : deal.past.includes(place) ? "past" : "open";
    const isMovable = deal.movable === place;
    const isDown = this.#deal?.places[place - 1] === "down" || state === "past";
    const doesNothing = !isDown && !isMovable && !(state === "free" && this.isMoving);
    const { seen: before = seen } = button.dataset;
    if (button.dataset.seen !== seen) button.replaceChildren(...(state === "free" ? [] : [face(card)]));
    if (before !== seen) button.toggleAttribute("data-turned", state !== "free" && before !== "free");
    button.dataset.seen = seen;
    setAttribute(button, "data-state", state);
    setAttribute(button, "data-movable", isMovable ? "" : null);
    setAttribute(button, "data-on-mat", isOnMat ? "" : null);
    setAttribute(button, "aria-pressed", isMovable ? this.isMoving : null);
    setAttribute(button, "aria-disabled", doesNothing ? "true" : null);
    const where = t("Row {row}, column {column}", { row: Math.ceil(place / deal.columns), column: ((place - 1) % deal.columns) + 1 });
    setAttribute(button, "aria-label", `${where}: ${this.#words(card, state, isMovable)}`);
  }

  /**
   * @param {Card} card
   * @param {string} state
   * @param {boolean} isMovable
   */
  #words(card, state, isMovable) {
    if (state === "down") return t("face down");
    if (state === "free") return this.isMoving ? t("empty, put the tile here") : t("empty");
    if (state === "open") return t("{tile}, open", { tile: card.words });
    return isMovable ? t("{tile}, to be turned down; may go to an empty place", { tile: card.words }) : t("{tile}, to be turned down", { tile: card.words });
  }

  /**
   * Handle a click on a place: turn its tile over, or choose the movable tile and then a free place.
   * @param {Element} target
   */
  click(target) {
    const button = target.closest(".place");
    if (!button) return false;
    for (const kept of this.kept.values()) kept.until = 0; // kept, lest a late state shows the tile again
    this.#showPlaces();
    const { state, tag = "" } = button.dataset;
    if ("movable" in button.dataset) this.#choose(!this.isMoving);
    else if (state === "down" || state === "past") this.#turn(tag);
    else if (state === "open") notify(t("{tile} is open already.", { tile: seenAs(this.catalogue(), /** @type {SpreadDeal} */ (this.#deal), tag).words }));
    else if (this.isMoving) this.#move(button);
    return true;
  }

  /** @param {HTMLElement} held */
  takers(held) {
    if (!held.matches(".place")) return null;
    return "movable" in held.dataset ? ".place[data-state=free]" : "";
  }

  /**
   * @param {HTMLElement} held
   * @param {string[]} _tags
   * @param {HTMLElement | null} taker
   */
  drop(held, _tags, taker) {
    if (!held.matches(".place")) return false;
    if (taker) this.#move(taker);
    return true;
  }

  /**
   * Turn a tile over. A second one waits until the first is face up, and is then turned if the turn has not
   * ended.
   * @param {string} tag
   */
  async #turn(tag) {
    const { mover = null, robots = [] } = this.#deal ?? {};
    const { turn = 0, names = [] } = this.store.state.view ?? {};
    if (isPlay() && mover !== null && robots[turn ?? 0]) return notify(t("{name} decides first.", { name: names[mover] }));
    if (tag === this.turning) return;
    if (this.turning) return this.#queue(tag);
    this.turning = tag;
    await this.picking.play(tag);
    const isSeen = await until(() => !this.#isDown(tag) || this.store.state.view?.turn !== turn, SEEN_MS);
    const next = this.queued;
    this.turning = "";
    this.#queue("");
    const { view } = this.store.state;
    if (next && isSeen && view?.turn === turn && !view?.choices && this.#isDown(next)) this.#turn(next);
  }

  /** @param {string} tag */
  #queue(tag) {
    this.queued = tag;
    this.#showPlaces();
  }

  /** Return true if the tile at the place *tag* is face down, or was open in the last turn. @param {string} tag */
  #isDown(tag) {
    return Boolean(byId("hands").querySelector(`.place[data-tag="${tag}"]:is([data-state=down], [data-state=past])`));
  }

  /** @param {boolean} isMoving */
  #choose(isMoving) {
    this.isMoving = isMoving;
    this.#showPlaces();
  }

  /**
   * Move the movable tile to a free place.
   * @param {Element} button
   */
  #move(button) {
    const from = this.#deal?.movable;
    const to = Number(button.dataset.tag?.split("@")[1]);
    this.#choose(false);
    if (from) this.connection.send({ type: "by-hand", act: "move", from, to }).catch(notifyOf);
  }
}

/**
 * Show in *cards* what a player has won, kind by kind.
 * @param {Element} cards
 * @param {string[]} won
 * @param {Catalogue} catalogue
 */
function showWon(cards, won, catalogue) {
  /** @type {Map<string, Card[]>} */
  const stacks = new Map();
  for (const card of won.map((tag) => catalogue.card(tag))) stacks.set(card.kind, [...(stacks.get(card.kind) ?? []), card]);
  const keys = [...stacks].map(([kind, { length }]) => `${kind} ${length}`);
  keepChildren(cards, keys, (key) => stack(stacks.get(key.split(" ")[0]) ?? []));
}

/** @param {Card[]} cards */
function stack(cards) {
  const [card] = cards;
  return el("span", { class: "stack", role: "img", "aria-label": `${card.words}: ${cards.length}`, title: card.words, "data-several": cards.length > 1 ? "" : null },
    face(card), el("span", { class: "stack-count", "aria-hidden": "true" }, `×${cards.length}`));
}
