// @ts-check
/**
 * The layout of a board: the game's map with pictures of its tiles, and empty places around it. The referee
 * decides where a tile may go: the page sends a place, and the server turns the table's encoder to it.
 */

import { Back, inFront } from "../back.js";
import { face } from "../cards/faces.js";
import { byId, el, findIn, keepChildren, loadStyle, setAttribute, setText } from "../dom.js";
import { rove } from "../gestures.js";
import { handedTo, showAt } from "../handing.js";
import { notifyOf } from "../notices.js";
import { refuse, refuseFor, refuseTurn } from "../refusals.js";
import { isRobotsTurn } from "../robots.js";
import { counted, showHand, showPieces, showPile } from "../rows.js";
import { extent, where } from "../sites.js";
import { mapBack, mapTile, pathsOf } from "../cards/tiles.js";
import { sidesInWords } from "../cards.js";
import { isPlay } from "../view.js";
import { until } from "../wait.js";
import { t, tn } from "../words.js";

await loadStyle("spread.css", "panels.css");

const ASKED_MS = 4000; // the longest wait until the table asks where a tapped tile goes; it does not ask if it refuses the tile
const TILES = { what: "tile", down: () => el("span", { class: "card tile down" }, mapBack()) };

export default class Board {
  /** @param {import("../layouts.js").Tools} tools */
  constructor({ store, connection, catalogue, picking }) {
    this.store = store;
    this.connection = connection;
    this.catalogue = catalogue;
    this.picking = picking;
    this.calls = 0;
    this.seen = "";
    this.back = new Back();
    byId("board-picture").addEventListener("click", () => connection.send({ type: "picture" }).catch(notifyOf));
  }

  /** The current game's map, if its tiles have paths. */
  get grid() {
    const grid = this.store.state.view?.grid ?? null;
    return grid?.cells.some(({ paths }) => paths) ? grid : null;
  }

  /** The places that people may choose now; empty while a robot chooses one, or the hand is covered. */
  get #places() {
    return isPlay() && (isRobotsTurn(this.store.state) || handedTo(this.store.state) !== null) ? [] : (this.grid?.places ?? []);
  }

  get #deal() {
    return /** @type {BoardDeal | null} */ (this.store.state.deal);
  }

  rows() {
    const deal = this.#deal;
    const map = this.grid ? ["board"] : [];
    return deal ? [...map, ...deal.hands.map((_, seat) => `hand-${seat}`), "pile", "laid", "apart"] : map;
  }

  /** @param {string} key */
  build(key) {
    if (key !== "board") return null;
    return el("div", { class: "spread board", role: "group", "aria-label": t("The board"), "data-own-keys": "" }, el("div", { class: "sites" }));
  }

  show() {
    const deal = this.#deal;
    if (deal) {
      const cards = this.catalogue();
      deal.hands.forEach((hand, seat) => {
        const front = deal.fronts[seat];
        showHand(this.store, cards, seat, hand, { ...TILES, mayJoin: deal.others.includes(seat) && hand.some((tag) => tag === null || deal.playable.includes(tag)), front: front ? inFront(cards.card(front)) : null });
      });
      showPile(deal.pile, { ...TILES, note: deal.out ? t("{tiles} left out, unseen.", { tiles: counted(deal.out, "tile") }) : "" });
      showPieces("laid", t("Put aside: {tiles}", { tiles: counted(deal.laid.length, "tile") }), [...deal.laid].reverse(), cards);
      showPieces("apart", t("Emergency tiles: {n}", { n: deal.apart.length }), deal.apart, cards);
      byId("hands").querySelector('[data-hand="apart"]')?.toggleAttribute("data-wanted", deal.isApartWanted);
    }
    this.#showBoard();
  }

  hide() {
    byId("board-picture").hidden = true;
  }

  #showBoard() {
    const board = byId("hands").querySelector(".board");
    byId("board-picture").hidden = !board;
    const { grid } = this;
    if (!board || !grid) return;
    const sites = findIn(board, ".sites");
    const hadFocus = board.contains(document.activeElement);
    const [columns, rows] = [extent(grid.cells, 0), extent(grid.cells, 1)];
    const cells = new Map(grid.cells.map((cell) => [String(cell.at), cell]));
    const keys = rows.flatMap((row) => columns.map((column) => `${column},${row}`)).map((at) => `${at} ${cells.get(at)?.piece ?? ""}`);
    board.style.setProperty("--columns", String(columns.length));
    board.style.setProperty("--rows", String(rows.length));
    keepChildren(sites, keys, (key) => this.#site(cells.get(key.split(" ")[0]), key.split(" ")[0]));
    for (const site of sites.children) this.#showSite(grid, site, cells.get(site.dataset.at ?? ""));
    this.#markTiles();
    const free = [...sites.querySelectorAll("button")];
    rove(free, free.find((site) => site === document.activeElement) ?? free.find((site) => "next" in site.dataset) ?? free[0]);
    if (hadFocus && !board.contains(document.activeElement)) byId("hands").querySelector("[data-turn] button.card")?.focus({ preventScroll: true });
    this.#scroll(grid, board, sites);
  }

  /**
   * @param {GridCell | undefined} cell
   * @param {string} at
   */
  #site(cell, at) {
    if (!cell) return el("button", { type: "button", class: "site", "data-at": at, "data-stop": "" }, el("span", { class: "trial" }), el("span", { class: "points" }));
    const { view, deal } = this.store.state;
    const card = this.catalogue().card(`${deal?.game ?? view?.game}/${cell.piece}`);
    const words = `${where(at)}: ${cell.paths ? t("{tile}, paths {sides}", { tile: card.words, sides: sidesInWords(cell.paths) }) : card.words}`;
    return el("span", { class: "site", "data-at": at, role: "img", "aria-label": words, title: words }, cell.piece ? (mapTile(card, cell.paths) ?? "") : "");
  }

  /**
   * @param {Grid} grid
   * @param {Element} site
   * @param {GridCell | undefined} cell
   */
  #showSite({ cursor }, site, cell) {
    const places = this.#places;
    const { waiting = null, points = [] } = this.#deal ?? {};
    const { at = "" } = site.dataset;
    const isOffered = places.some((place) => String(place) === at);
    const isFirst = cursor !== null && String(cursor) === at && places.length > 0;
    const isHere = isFirst && !isPlay(); // in Play nobody turns the controls, so all places look alike
    setAttribute(site, "data-lit", cell?.lit ? "" : null);
    setAttribute(site, "data-cursor", isHere ? "" : null);
    setAttribute(site, "data-offered", isOffered ? "" : null);
    setAttribute(site, "data-next", isFirst && isOffered ? "" : null);
    // While a tile waits for its place, the Tab key moves through the places that are legal for it.
    setAttribute(site, "data-tab", isOffered ? "" : null);
    if (!cell) setAttribute(site, "data-stop", isOffered || places.length === 0 ? "" : null);
    if (cell) return;
    const worth = isOffered ? (points.find(([column, row]) => `${column},${row}` === at)?.[2] ?? "") : "";
    setText(findIn(site, ".points"), worth);
    const trial = isHere && waiting ? [waiting] : [];
    // A tile that may be turned is not drawn here, because its direction is unknown before it is placed.
    keepChildren(findIn(site, ".trial"), trial.filter((tag) => !this.catalogue().card(tag).traits.paths), (tag) => face(this.catalogue().card(tag)));
    const offer = worth ? tn(Number(worth), "the tile may go here, 1 point", "the tile may go here, {n} points") : t("the tile may go here");
    const words = [isOffered ? offer : t("empty"), isHere ? t("the controls are here") : ""].filter(Boolean).join("; ");
    setAttribute(site, "aria-label", `${where(at)}: ${words}`);
  }

  /** Mark the tile to be placed, and the tiles that were shown, in the hands. */
  #markTiles() {
    const { waiting = null, shown = [] } = this.#deal ?? {};
    const returned = this.back.tile(this.store.state);
    for (const card of byId("hands").querySelectorAll("button.card")) {
      const { tag } = card.dataset;
      setAttribute(card, "data-fresh", tag && tag === returned ? t("is back") : null);
      setAttribute(card, "data-mark", tag === waiting ? "now" : tag && shown.includes(tag) ? "shown" : null);
    }
  }

  /**
   * Scroll the board to the cursor or focus, without scrolling the page.
   * @param {Grid} grid
   * @param {Element} board
   * @param {Element} sites
   */
  #scroll({ cursor, focus }, board, sites) {
    const at = String(cursor ?? focus);
    const site = [...sites.children].find((one) => one.dataset.at === at);
    if (!site || this.seen === `${at} ${sites.children.length}`) return;
    this.seen = `${at} ${sites.children.length}`;
    const [box, room] = [site, board].map((element) => element.getBoundingClientRect());
    if (box.left < room.left || box.right > room.right) board.scrollLeft += (box.left + box.right - room.left - room.right) / 2;
    if (box.top < room.top || box.bottom > room.bottom) board.scrollTop += (box.top + box.bottom - room.top - room.bottom) / 2;
  }

  /**
   * Place the chosen tile, or the one that the referee asks about, at a clicked place. In Play, a click on the
   * board outside all drawn places counts as a click on a place without neighbours, so that the referee says
   * why no tile may go there.
   * @param {Element} target
   */
  click(target) {
    if (showAt(this, target)) return true;
    const site = target.closest(".site");
    if (!site && !(isPlay() && target.closest(".board"))) return false;
    const at = site?.dataset.at ?? this.#beyond;
    const { state } = this.store, tag = [...this.picking.chosen].find((one) => pathsOf(this.catalogue().card(one)));
    if (tag) this.#place(tag, at);
    else if (this.#places.length > 0 || this.picking.isTapping) this.#place(null, at);
    else if (isPlay() && isRobotsTurn(state)) refuseTurn(this.store);
    else if (!state.view?.winners.length) refuse(this.store, t("Choose a tile first, then its place."));
    return true;
  }

  /** A place without neighbours, which is not drawn. */
  get #beyond() {
    const cells = this.grid?.cells ?? [];
    return [extent(cells, 0)[0] - 1, extent(cells, 1)[0] - 1].join();
  }

  /** In Play, tap a dragged tile, so that the board shows the places where it may go. @param {HTMLElement} held */
  lifted({ dataset: { tag = "" } }) {
    const { view, deal } = this.store.state;
    const isOwn = view !== null && view.turn !== null && deal?.hands?.[view.turn].includes(tag) && deal.playable?.includes(tag);
    if (isPlay() && isOwn && view.choices === null && pathsOf(this.catalogue().card(tag))) this.picking.play(tag);
  }

  /** @param {HTMLElement} held */
  takers(held) {
    return pathsOf(this.catalogue().card(held.dataset.tag ?? "")) ? "[data-spot], .site" : null;
  }

  /**
   * @param {HTMLElement} _held
   * @param {string[]} tags
   * @param {HTMLElement | null} taker
   */
  drop(_held, tags, taker) {
    if (!taker?.matches(".site")) return false;
    this.#place(tags[0], taker.dataset.at ?? "");
    return true;
  }

  /**
   * Tap the tile *tag* unless it was tapped; when the table asks where it goes, send the place *at*.
   * @param {string | null} tag
   * @param {string} at
   */
  async #place(tag, at) {
    const call = ++this.calls;
    const [column, row] = at.split(",").map(Number);
    const isTapped = () => Boolean(this.grid?.places.length) && (tag === null || tag === this.#deal?.waiting);
    if (isTapped()) this.picking.clear();
    else if (tag !== null && !this.picking.hasTapped(tag)) await this.#tap(tag);
    if (!(await until(isTapped, ASKED_MS)) || call !== this.calls) return;
    await this.connection.send({ type: "place", at: [column, row] }).catch((error) => refuseFor(this.store, error));
  }

  /**
   * Lift the tile first if it is on a spot, then tap it.
   * @param {string} tag
   */
  async #tap(tag) {
    const spot = this.picking.spotOf(tag);
    if (spot !== null) await this.picking.lift([tag], spot);
    await this.picking.play(tag);
  }
}
