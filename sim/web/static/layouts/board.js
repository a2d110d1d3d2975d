// @ts-check
/**
 * The layout of a board: the game's map with pictures of its tiles, and empty places around it. The referee
 * decides where a tile may go: the page sends a place, and the table's own controls turn to it.
 */

import { cardButton, face } from "../cards.js";
import { byId, el, findIn, keepChildren, setAttribute, setText } from "../dom.js";
import { rove } from "../gestures.js";
import { notify } from "../notices.js";
import { counted, parts, showHand, showLaid, showPile } from "../rows.js";
import { isForBoard, mapTile, sidesInWords } from "../tiles.js";

const ASKED_MS = 4000; // the longest wait for the question where a tile goes; a refusal has its own notice

export default class Board {
  /** @param {import("../layouts.js").Tools} tools */
  constructor({ store, connection, catalogue, picking }) {
    this.store = store;
    this.connection = connection;
    this.catalogue = catalogue;
    this.picking = picking;
    this.calls = 0;
    this.seen = "";
    byId("board-picture").addEventListener("click", () => connection.send({ type: "picture" }).catch((error) => notify(error.message)));
  }

  /** The current game's map, if its tiles have paths. */
  get grid() {
    const grid = this.store.state.view?.grid ?? null;
    return grid?.cells.some(({ paths }) => paths) ? grid : null;
  }

  get #deal() {
    return /** @type {BoardDeal | null} */ (this.store.state.deal);
  }

  rows() {
    const deal = this.#deal;
    const map = this.grid ? ["board"] : [];
    return deal ? [...map, ...deal.hands.map((_, seat) => `hand-${seat}`), "pile", "laid", "apart"] : map;
  }

  build(key) {
    if (key !== "board") return null;
    return el("div", { class: "spread board", role: "group", "aria-label": "The board", "data-own-keys": "" }, el("div", { class: "sites" }));
  }

  show() {
    const deal = this.#deal;
    if (deal) {
      deal.hands.forEach((hand, seat) => showHand(this.store, this.catalogue(), seat, hand));
      showPile(deal);
      showLaid(deal, this.catalogue());
      showApart(deal, this.catalogue());
    }
    this.#showBoard();
  }

  hide() {
    byId("board-picture").hidden = true;
  }

  #showBoard() {
    const board = byId("hands").querySelector(".board");
    byId("board-picture").hidden = !board;
    if (!board || !this.grid) return;
    const sites = findIn(board, ".sites");
    const hadFocus = board.contains(document.activeElement);
    const { columns, rows } = extent(this.grid.cells);
    const cells = new Map(this.grid.cells.map((cell) => [String(cell.at), cell]));
    const keys = rows.flatMap((row) => columns.map((column) => `${column},${row}`)).map((at) => `${at} ${cells.get(at)?.piece ?? ""}`);
    for (const [name, count] of [["--columns", columns.length], ["--rows", rows.length]]) board.style.setProperty(String(name), String(count));
    keepChildren(sites, keys, (key) => this.#site(cells.get(key.split(" ")[0]), key.split(" ")[0]));
    for (const site of sites.children) this.#showSite(site, cells.get(site.dataset.at));
    this.#markTiles();
    const free = [...sites.querySelectorAll("button")];
    rove(free, free.find((site) => site === document.activeElement) ?? free.find((site) => "cursor" in site.dataset) ?? free[0]);
    if (hadFocus && !board.contains(document.activeElement)) byId("hands").querySelector("[data-turn] button.card")?.focus({ preventScroll: true });
    this.#scroll(board, sites);
  }

  #site(cell, at) {
    if (!cell) return el("button", { type: "button", class: "site", "data-at": at }, el("span", { class: "trial" }), el("span", { class: "points" }));
    const { view, deal } = this.store.state;
    const card = this.catalogue().card(`${deal?.game ?? view?.game}/${cell.piece}`);
    const words = `${where(at)}: ${card.words}${cell.paths ? `, paths ${sidesInWords(cell.paths)}` : ""}`;
    return el("span", { class: "site", "data-at": at, role: "img", "aria-label": words, title: words }, cell.piece ? mapTile(card, cell.paths) : "");
  }

  #showSite(site, cell) {
    const { cursor, places } = this.grid;
    const { waiting = null, points = [] } = this.#deal ?? {};
    const { at } = site.dataset;
    const isOffered = places.some((place) => String(place) === at);
    const isHere = cursor !== null && String(cursor) === at;
    setAttribute(site, "data-lit", cell?.lit ? "" : null);
    setAttribute(site, "data-cursor", isHere ? "" : null);
    setAttribute(site, "data-offered", isOffered ? "" : null);
    if (cell) return;
    const worth = isOffered ? (points.find(([column, row]) => `${column},${row}` === at)?.[2] ?? "") : "";
    setText(site.querySelector(".points"), worth);
    const trial = isHere && waiting ? this.catalogue().card(waiting) : null;
    // A tile that may be turned has no direction before it is placed.
    keepChildren(site.querySelector(".trial"), waiting && trial && !trial.traits.paths ? [waiting] : [], () => face(trial));
    const words = isOffered ? `the tile may go here${worth ? `, ${worth} point${worth === "1" ? "" : "s"}` : ""}` : "empty";
    setAttribute(site, "aria-label", `${where(at)}: ${words}${isHere ? "; the controls are here" : ""}`);
  }

  /** Mark in the hands the tile to be placed, and tiles that were shown. */
  #markTiles() {
    const { waiting = null, shown = [] } = this.#deal ?? {};
    for (const card of byId("hands").querySelectorAll("button.card")) {
      const { tag } = card.dataset;
      setAttribute(card, "data-mark", tag === waiting ? "now" : tag && shown.includes(tag) ? "shown" : null);
    }
  }

  /** Scroll the board to the cursor or focus, without scrolling the page. */
  #scroll(board, sites) {
    const { cursor, focus } = this.grid;
    const at = String(cursor ?? focus);
    const site = [...sites.children].find((one) => one.dataset.at === at);
    if (!site || this.seen === `${at} ${sites.children.length}`) return;
    this.seen = `${at} ${sites.children.length}`;
    const [box, room] = [site, board].map((element) => element.getBoundingClientRect());
    if (box.left < room.left || box.right > room.right) board.scrollLeft += (box.left + box.right - room.left - room.right) / 2;
    if (box.top < room.top || box.bottom > room.bottom) board.scrollTop += (box.top + box.bottom - room.top - room.bottom) / 2;
  }

  /** Place the chosen tile, or the one that the referee asks about, at a clicked place. */
  click(target) {
    const site = target.closest(".site");
    if (!site) return false;
    const tag = [...this.picking.chosen].find((one) => isForBoard(this.catalogue().card(one)));
    if (!tag && this.grid.places.length === 0) notify("Choose a tile first, then its place.");
    else this.#place(tag ?? null, site);
    return true;
  }

  takers(held) {
    return held.matches("[data-for-board]") ? "[data-spot], .site" : null;
  }

  drop(_held, tags, taker) {
    if (!taker?.matches(".site")) return false;
    this.#place(tags[0], taker);
    return true;
  }

  /** Tap the tile *tag* unless it was tapped; when the table asks where it goes, send the place of *site*. */
  async #place(tag, site) {
    const call = ++this.calls;
    const at = site.dataset.at.split(",").map(Number);
    const isTapped = () => this.grid?.places.length > 0 && (tag === null || tag === this.#deal?.waiting);
    if (!isTapped()) await this.#tap(tag);
    else this.picking.clear();
    if (!(await this.#until(isTapped)) || call !== this.calls) return;
    await this.connection.send({ type: "place", at }).catch((error) => notify(error.message));
  }

  /** Lift the tile first if it is on a spot, then tap it. */
  async #tap(tag) {
    const spot = this.picking.spotOf(tag);
    if (spot !== null) await this.picking.lift([tag], spot);
    await this.picking.tap([tag]);
  }

  async #until(isSo) {
    for (const end = performance.now() + ASKED_MS; !isSo(); ) {
      if (performance.now() > end) return false;
      await new Promise((passed) => setTimeout(passed, 30));
    }
    return true;
  }
}

/** Show the tiles beside the board that no player holds. */
function showApart(deal, catalogue) {
  const { section, title, cards } = parts("apart");
  section.hidden = deal.apart.length === 0;
  setText(title, `Beside the board: ${counted(deal.apart.length, "tile")}`);
  keepChildren(cards, deal.apart, (tag) => cardButton(catalogue.card(tag)));
}

/** The columns and rows to draw: all that have tiles, and one more on every side. */
function extent(cells) {
  const [columns, rows] = [0, 1].map((axis) => span(cells.map(({ at }) => at[axis])));
  return { columns, rows };
}

function span(numbers) {
  const first = Math.min(...numbers) - 1;
  return Array.from({ length: Math.max(...numbers) + 2 - first }, (_, n) => first + n);
}

/** A place in words, relative to the start of the map. */
function where(at) {
  const [column, row] = at.split(",").map(Number);
  const words = [column && `${Math.abs(column)} ${column > 0 ? "right" : "left"}`, row && `${Math.abs(row)} ${row > 0 ? "down" : "up"}`].filter(Boolean);
  return words.join(", ") || "The start";
}
