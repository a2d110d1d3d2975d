/**
 * A spread: tiles face down in rows and columns, to be turned over one by one. Where which tile lies
 * the server alone knows; a place shows what lies open there, or nothing but a back.
 */

import { placeTag, seenAs } from "./catalogue.js";
import { face } from "./cards.js";
import { byId, el, keepChildren, setAttribute, setText } from "./dom.js";
import { notify } from "./notices.js";

export class Spread {
  /**
   * @param {import("./store.js").Store} store
   * @param {import("./connection.js").Connection} connection
   * @param {() => import("./catalogue.js").Catalogue} catalogue
   * @param {import("./picking.js").Picking} picking
   */
  constructor(store, connection, catalogue, picking) {
    this.store = store;
    this.connection = connection;
    this.catalogue = catalogue;
    this.picking = picking;
    this.isTurning = false;
    this.isMoving = false; // whether the tile that may be moved is chosen
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.#choose(false));
    store.on("lying", () => this.show());
  }

  build() {
    return el("div", { class: "spread", role: "group", "aria-label": "Tiles on the table" });
  }

  show() {
    const { deal, lying = {} } = this.store.state;
    const board = byId("hands").querySelector(".spread");
    this.isMoving &&= Boolean(deal?.movable);
    if (!board || !deal?.places) return;
    board.style.setProperty("--columns", deal.columns);
    board.style.setProperty("--rows", Math.ceil(deal.places.length / deal.columns));
    const tags = deal.places.map((_, at) => placeTag(deal.game, at + 1));
    keepChildren(board, tags, (tag) => el("button", { type: "button", class: "place", "data-tag": tag }));
    const onMat = Object.values(lying).flat();
    deal.places.forEach((seen, at) => this.#showPlace(board.children[at], seen, at + 1, onMat.includes(tags[at])));
  }

  #showPlace(button, seen, place, isOnMat) {
    const { deal } = this.store.state;
    const card = seenAs(this.catalogue(), deal, button.dataset.tag);
    const state = card.isDown ? seen : deal.past.includes(place) ? "past" : "open";
    const isMovable = deal.movable === place;
    const doesNothing = state !== "down" && !isMovable && !(state === "free" && this.isMoving);
    if (button.dataset.seen !== seen) button.replaceChildren(...(state === "free" ? [] : [face(card)]));
    button.dataset.seen = seen;
    setAttribute(button, "data-state", state);
    setAttribute(button, "data-movable", isMovable ? "" : null);
    setAttribute(button, "data-on-mat", isOnMat ? "" : null);
    setAttribute(button, "aria-pressed", isMovable ? this.isMoving : null);
    setAttribute(button, "aria-disabled", doesNothing ? "true" : null);
    const where = `Row ${Math.ceil(place / deal.columns)}, column ${((place - 1) % deal.columns) + 1}`;
    setAttribute(button, "aria-label", `${where}: ${this.#words(card, state, isMovable)}`);
  }

  #words(card, state, isMovable) {
    if (state === "down") return "face down";
    if (state === "free") return this.isMoving ? "empty, put the tile here" : "empty";
    if (state === "open") return `${card.words}, open`;
    return `${card.words}, to be turned down${isMovable ? "; may go to an empty place" : ""}`;
  }

  /** A tile that lies face down is turned over; one that may be moved is chosen, then a free place. */
  click(button) {
    if ("movable" in button.dataset) this.#choose(!this.isMoving);
    else if (button.dataset.state === "down") this.#turn(button.dataset.tag);
    else if (button.dataset.state === "free" && this.isMoving) this.move(button);
  }

  /** One at a time: what a tile brings is to be seen before the next one is turned. */
  async #turn(tag) {
    if (this.isTurning) return;
    this.isTurning = true;
    await this.picking.tap([tag]);
    this.isTurning = false;
  }

  #choose(isMoving) {
    this.isMoving = isMoving;
    this.show();
  }

  /** Put the tile that may be moved on a free place. */
  move(button) {
    const { deal } = this.store.state;
    const to = Number(button.dataset.tag.split("@")[1]);
    this.#choose(false);
    this.connection.send({ type: "move", from: deal.movable, to }).catch((error) => notify(error.message));
  }
}

/** What somebody has won, kind by kind, in *cards*. */
export function showWon(cards, won, catalogue) {
  const stacks = new Map();
  for (const card of won.map((tag) => catalogue.card(tag))) stacks.set(card.kind, [...(stacks.get(card.kind) ?? []), card]);
  const keys = [...stacks].map(([kind, { length }]) => `${kind} ${length}`);
  keepChildren(cards, keys, (key) => stack(stacks.get(key.split(" ")[0])));
}

function stack(cards) {
  const [card] = cards;
  return el("span", { class: "stack", role: "img", "aria-label": `${card.words}: ${cards.length}`, title: card.words, "data-several": cards.length > 1 ? "" : null },
    face(card), el("span", { class: "stack-count", "aria-hidden": "true" }, `×${cards.length}`));
}
