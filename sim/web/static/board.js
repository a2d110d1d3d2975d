/**
 * A board on which tiles are placed: the game's map with its tiles as pictures, and empty places round it. What may lie where
 * the referee knows: a place is asked for, and the table's own controls turn to it.
 */

import { face } from "./cards.js";
import { byId, el, keepChildren, setAttribute, setText } from "./dom.js";
import { rove } from "./gestures.js";
import { notify } from "./notices.js";
import { isForBoard, mapTile, sidesInWords } from "./tiles.js";

const ASKED_MS = 4000; // no referee takes so long to ask where a tile goes; a refusal is told by itself

export class Board {
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
    this.calls = 0;
    this.seen = "";
    byId("board-picture").addEventListener("click", () => connection.send({ type: "picture" }).catch((error) => notify(error.message)));
  }

  /** The map of the game that is on, if it is one of tiles with paths. */
  get grid() {
    const grid = this.store.state.view?.grid ?? null;
    return grid?.cells.some(({ paths }) => paths) ? grid : null;
  }

  build() {
    return el("div", { class: "spread board", role: "group", "aria-label": "The board", "data-own-keys": "" }, el("div", { class: "sites" }));
  }

  show() {
    const board = byId("hands").querySelector(".board");
    byId("board-picture").hidden = !board;
    if (!board || !this.grid) return;
    const sites = board.querySelector(".sites");
    const hadFocus = board.contains(document.activeElement);
    const { columns, rows } = extent(this.grid.cells);
    const cells = new Map(this.grid.cells.map((cell) => [String(cell.at), cell]));
    const keys = rows.flatMap((row) => columns.map((column) => `${column},${row}`)).map((at) => `${at} ${cells.get(at)?.piece ?? ""}`);
    for (const [name, count] of [["--columns", columns.length], ["--rows", rows.length]]) board.style.setProperty(name, count);
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
    const card = this.catalogue().card(`${deal?.game ?? view.game}/${cell.piece}`);
    const words = `${where(at)}: ${card.words}${cell.paths ? `, paths ${sidesInWords(cell.paths)}` : ""}`;
    return el("span", { class: "site", "data-at": at, role: "img", "aria-label": words, title: words }, cell.piece ? mapTile(card, cell.paths) : "");
  }

  #showSite(site, cell) {
    const { cursor, places } = this.grid;
    const { waiting = null, points = [] } = this.store.state.deal ?? {};
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
    // How a tile is turned that may be turned, nobody knows before it lies.
    keepChildren(site.querySelector(".trial"), trial && !trial.traits.paths ? [waiting] : [], () => face(trial));
    const words = isOffered ? `the tile may go here${worth ? `, ${worth} point${worth === "1" ? "" : "s"}` : ""}` : "empty";
    setAttribute(site, "aria-label", `${where(at)}: ${words}${isHere ? "; the controls stand here" : ""}`);
  }

  /** In the hands: the tile that looks for its place, and those that were shown. */
  #markTiles() {
    const { waiting = null, shown = [] } = this.store.state.deal ?? {};
    for (const card of byId("hands").querySelectorAll("button.card")) {
      const { tag } = card.dataset;
      setAttribute(card, "data-mark", tag === waiting ? "now" : shown.includes(tag) ? "shown" : null);
    }
  }

  /** Bring what is in question in sight, without moving the page. */
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

  /** A place is chosen for the tile that is chosen, or for the one that waits. */
  click(site) {
    const tag = [...this.picking.chosen].find((one) => isForBoard(this.catalogue().card(one)));
    if (!tag && this.grid.places.length === 0) notify("Choose a tile first, then its place.");
    else this.place(tag ?? null, site);
  }

  /** Tap the tile *tag*, if it was not tapped; and when the table asks where it goes, choose the place of *site*. */
  async place(tag, site) {
    const call = ++this.calls;
    const at = site.dataset.at.split(",").map(Number);
    const isTapped = () => this.grid?.places.length > 0 && (tag === null || tag === this.store.state.deal?.waiting);
    if (!isTapped()) await this.#tap(tag);
    else this.picking.clear();
    if (!(await this.#until(isTapped)) || call !== this.calls) return;
    await this.connection.send({ type: "place", at }).catch((error) => notify(error.message));
  }

  /** As a hand does: a tile that lies on a spot is taken off before it is tapped. */
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

/** A picture of the whole board, to be kept. */
export function savePicture(png) {
  el("a", { href: `data:image/png;base64,${png}`, download: "board.png" }).click();
}

/** Columns and rows to draw: all with a tile, and one more on every side. */
function extent(cells) {
  const [columns, rows] = [0, 1].map((axis) => span(cells.map(({ at }) => at[axis])));
  return { columns, rows };
}

function span(numbers) {
  const first = Math.min(...numbers) - 1;
  return Array.from({ length: Math.max(...numbers) + 2 - first }, (_, n) => first + n);
}

/** Where a place is, seen from the start of the map. */
function where(at) {
  const [column, row] = at.split(",").map(Number);
  const words = [column && `${Math.abs(column)} ${column > 0 ? "right" : "left"}`, row && `${Math.abs(row)} ${row > 0 ? "down" : "up"}`].filter(Boolean);
  return words.join(", ") || "The start";
}
