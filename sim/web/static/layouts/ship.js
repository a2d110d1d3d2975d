// @ts-check
/**
 * The layout of a ship: its areas with their cargo, the players' stocks, the box, and buttons for a
 * piece that holds or falls. The server sends the places of all pieces; without a deal, they come from
 * the referee's counts.
 */

import { Buttons } from "../buttons.js";
import { cargoPicture, face } from "../cards.js";
import { byId, el, findIn, keepChildren, path, setAttribute, setText, svg } from "../dom.js";
import { notifyOf } from "../notices.js";
import { isRobotsTurn } from "../robots.js";
import { counted, parts, showHand } from "../rows.js";
import { isPlay } from "../view.js";
import { t } from "../words.js";

const AREAS = [9, 10, 7, 8, 5, 6, 1, 2, 3, 4]; // in reading order: rows from the top, each from left to right
const ROOM = 6; // pieces drawn in an area; more are shown as a number
/** @type {Record<string, Record<string, () => string>>} */
const DOES = {
  ok: { "press ok holds": () => t("It holds"), "press ok done": () => t("That is all") },
  action: { "press action fell": () => t("Let cargo fall") },
};

export default class Ship {
  /** @param {import("../layouts.js").Tools} tools */
  constructor({ store, connection, catalogue, picking }) {
    this.store = store;
    this.connection = connection;
    this.catalogue = catalogue;
    this.picking = picking;
    this.buttons = new Buttons(connection);
    this.isTapping = false;
  }

  get #deal() {
    return /** @type {ShipDeal | null} */ (this.store.state.deal);
  }

  /**
   * The ship's cargo: from the deal, or from the referee's counts.
   * @returns {ShipLoad | null}
   */
  get #load() {
    const { view } = this.store.state;
    return (this.#deal ?? view?.undealt)?.ship ?? null;
  }

  rows() {
    const deal = this.#deal;
    if (!deal) return this.#load ? ["ship"] : [];
    return ["ship", ...deal.hands.map((_, seat) => `hand-${seat}`), "box"];
  }

  /** @param {string} key */
  build(key) {
    if (key !== "ship") return null;
    return el("section", { class: "voyage", "aria-labelledby": "ship-name" },
      el("h3", { class: "unseen", id: "ship-name" }, t("The ship")),
      el("div", { class: "ship" }, drawn(), ...AREAS.map((area) => el("div", { class: "bay", "data-area": area, role: "img" }, el("span", { class: "bay-pieces" }), el("span", { class: "bay-number" }, String(area)), el("span", { class: "bay-tally" })))),
      this.#buildActs(),
    );
  }

  #buildActs() {
    const acts = el("div", { class: "ship-acts" },
      el("p", { class: "ship-says", role: "status" }),
      el("div", { class: "ship-pieces" }),
      el("div", { class: "ship-answers" }),
      el("div", { class: "ship-buttons" }, ...["ok", "action"].map((name) => el("button", { type: "button", class: "plain", "data-ship": name }))),
    );
    acts.addEventListener("click", (event) => {
      const { ship, answer } = event.target?.closest("button")?.dataset ?? {};
      if (ship) this.#press(ship);
      else if (answer) this.#ask({ type: "choose", value: answer });
    });
    return acts;
  }

  // --- showing ---

  show() {
    const deal = this.#deal;
    if (deal) {
      deal.hands.forEach((hand, seat) => showHand(this.store, this.catalogue(), seat, hand, { more: counted(deal.stocks[seat].length, "piece") }));
      this.#showCargo(deal);
    }
    this.#showShip();
  }

  /**
   * Show the players' stocks, the box, and the captain.
   * @param {ShipDeal} deal
   */
  #showCargo(deal) {
    deal.hands.forEach((_, seat) => {
      const { section, note } = parts(`hand-${seat}`);
      setText(note, deal.captain === seat ? t("captain") : "");
      this.#showFront(deal, section, seat);
    });
    const { title, cards } = parts("box");
    setText(title, t("Out of the game: {n}", { n: deal.box.length }));
    this.#showStock(cards, deal.box, []);
  }

  hide() {
    for (const front of byId("hands").querySelectorAll(".front")) front.remove(); // the rows are used again
  }

  #showShip() {
    const voyage = byId("hands").querySelector(".voyage");
    const load = this.#load;
    if (!voyage || !load) return;
    findIn(voyage, ".ship").toggleAttribute("data-falling", load.isFalling);
    voyage.toggleAttribute("data-loading", load.lit !== null); // no cards are played during this phase
    for (const area of load.areas) this.#showArea(findIn(voyage, `[data-area="${area.area}"]`), area, load);
    this.#showActs(voyage, load);
  }

  /**
   * @param {Element} bay
   * @param {ShipArea} area
   * @param {ShipLoad} load
   */
  #showArea(bay, area, load) {
    const { pieces, most } = area;
    const isLit = load.lit === area.area;
    const least = pieces.length;
    const known = pieces.slice(0, ROOM).map((tag) => `${tag} ${isKnown(tag) ? fate(tag, load) : ""}`);
    const handed = isLit && load.inHand ? [`${load.inHand} ${fate(load.inHand, load) || "in-hand"}`] : [];
    keepChildren(findIn(bay, ".bay-pieces"), [...known, ...(most > least ? ["ghost"] : []), ...handed], (key) => {
      const [tag, how] = key.split(" ");
      return this.#pieceSeen(tag, how);
    });
    setText(findIn(bay, ".bay-tally"), most > least ? (most < Infinity ? `${least}–${most}` : `${least}+`) : least > ROOM ? `×${least}` : "");
    bay.toggleAttribute("data-lit", isLit);
    bay.toggleAttribute("data-many", known.length + handed.length > 3);
    setAttribute(bay, "aria-label", this.#areaWords(area, isLit));
  }

  /**
   * @param {string} tag
   * @param {string} [how]
   */
  #pieceSeen(tag, how) {
    if (tag === "ghost") return el("span", { class: "aboard", "data-how": "perhaps" }, cargoPicture(this.#card("/cargo")));
    return el("span", { class: "aboard", "data-how": how || null }, cargoPicture(this.#card(tag)));
  }

  /**
   * @param {ShipArea} area
   * @param {boolean} isLit
   */
  #areaWords({ area, pieces, most }, isLit) {
    const what = pieces.map((tag) => this.#card(tag).words);
    const more = most > pieces.length ? [most < Infinity ? t("perhaps {n} more", { n: most - pieces.length }) : t("perhaps more")] : [];
    const words = t("Area {area}: {cargo}", { area, cargo: [...what, ...more].join(", ") || t("empty") });
    return isLit ? `${words}; ${t("to load")}` : words;
  }

  /**
   * @param {Element} voyage
   * @param {ShipLoad} load
   */
  #showActs(voyage, load) {
    const { hint = "", choices = null, asks = [] } = this.store.state.view ?? {};
    setText(findIn(voyage, ".ship-says"), hint);
    const falling = this.#isReporting ? load.movable : [];
    keepChildren(findIn(voyage, ".ship-pieces"), falling, (tag) => this.#button(tag));
    const answers = new Map(choices?.items.map((item) => [item.join(" "), item]));
    keepChildren(findIn(voyage, ".ship-answers"), [...answers.keys()], (key) => {
      const [value, words] = answers.get(key) ?? ["", ""];
      return el("button", { type: "button", class: "plain", "data-answer": value }, words);
    });
    findIn(voyage, ".ship-buttons").hidden = choices !== null; // while a list is open, answer it instead
    for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (voyage.querySelectorAll("button[data-ship]"))) {
      const words = DOES[button.dataset.ship ?? ""];
      const ask = asks.find((one) => one in words);
      button.disabled = !ask;
      setText(button, (words[ask ?? ""] ?? Object.values(words)[0])());
    }
  }

  /** True while fallen pieces are reported by tapping each. */
  get #isReporting() {
    return Boolean(this.#load?.isReporting);
  }

  /**
   * Show a player's revealed card and stock beside the hand.
   * @param {ShipDeal} deal
   * @param {Element} section
   * @param {number} seat
   */
  #showFront(deal, section, seat) {
    const { view } = this.store.state;
    const front = section.querySelector(".front") ?? section.appendChild(el("div", { class: "front" }, el("div", { class: "revealed" }), el("div", { class: "stock" })));
    const revealed = deal.revealed[seat];
    keepChildren(findIn(front, ".revealed"), revealed ? [revealed] : [], (tag) => this.#picture("card shown", this.#card(tag), face));
    const isLoading = view?.turn === seat && !this.#isReporting;
    this.#showStock(findIn(front, ".stock"), deal.stocks[seat], isLoading ? deal.ship.movable : []);
  }

  /**
   * @param {Element} stock
   * @param {string[]} tags
   * @param {string[]} movable
   */
  #showStock(stock, tags, movable) {
    const keys = tags.map((tag) => `${movable.includes(tag) ? "take" : "see"} ${tag}`);
    keepChildren(stock, keys, (key) => {
      const [how, tag] = key.split(" ");
      return how === "take" ? this.#button(tag) : this.#picture("aboard", this.#card(tag), cargoPicture);
    });
  }

  /**
   * @param {string} kind
   * @param {Card} card
   * @param {(card: Card) => Element} draw
   */
  #picture(kind, card, draw) {
    return el("span", { class: kind, role: "img", "aria-label": card.words, title: card.words }, draw(card));
  }

  /** @param {string} tag */
  #button(tag) {
    const { words } = this.#card(tag);
    return el("button", { type: "button", class: "piece", "data-piece": tag, "data-stop": "", "data-drag": "tile", "data-next": "", "aria-label": words, title: words }, cargoPicture(this.#card(tag)));
  }

  /** @param {string} tag */
  #card(tag) {
    return this.catalogue().card(tag);
  }

  // --- acting ---

  /** @param {Element} target */
  click(target) {
    const piece = target.closest("button.piece");
    if (piece) this.#take(piece.dataset.piece ?? "");
    return Boolean(piece);
  }

  /**
   * The targets for a piece: the area to load, and any reader if it has a tag.
   * @param {HTMLElement} held
   */
  takers(held) {
    if (!held.matches(".piece")) return null;
    return this.#load?.isTagged ? ".bay[data-lit], [data-spot]" : ".bay[data-lit]";
  }

  /**
   * @param {HTMLElement} held
   * @param {string[]} _tags
   * @param {HTMLElement | null} taker
   */
  drop(held, _tags, taker) {
    if (!held.matches(".piece")) return false;
    if (taker) this.#take(held.dataset.piece ?? "", taker.dataset.spot);
    return true;
  }

  /**
   * Move a piece to the ship; a piece with a tag is tapped on *spot*, or on the usual spot.
   * @param {string} tag
   * @param {string} [spot]
   */
  async #take(tag, spot) {
    if (isPlay() && isRobotsTurn(this.store.state)) return; // it loads its own cargo
    if (!this.#load?.isTagged) this.#ask({ type: "by-hand", act: "load", piece: tag });
    else if (!this.isTapping) {
      this.isTapping = true; // one at a time, so that the referee receives each
      await this.picking.tap([tag], spot);
      this.isTapping = false;
    }
  }

  /**
   * Do what the button *name* does: rock the ship for *action* if it has a tilt switch, press, or tap its command card.
   * @param {string} name
   */
  #press(name) {
    const { buttons, hasTilt } = this.store.table;
    if (name === "action" && hasTilt) this.#ask({ type: "tilt" });
    else if (buttons.includes(name)) this.buttons.press(name);
    else this.picking.tap([`commands/${name}#1`]);
  }

  /** @param {Message} message */
  #ask(message) {
    this.connection.send(message).catch(notifyOf);
  }
}

/**
 * The outcome of a piece: "caught", "fell", or "" if it is still aboard.
 * @param {string} tag
 * @param {ShipLoad} load
 */
function fate(tag, { fallen, caught }) {
  return caught.includes(tag) ? "caught" : fallen.includes(tag) ? "fell" : "";
}

/**
 * Return true if a piece is known; the numbers of plain bundles mean nothing.
 * @param {string} tag
 */
function isKnown(tag) {
  return !/(^|\/)cargo#/.test(tag);
}

/** Hull, mast and yardarms, behind the areas. */
function drawn() {
  return svg("svg", { viewBox: "0 0 400 400", class: "hull", "aria-hidden": "true", focusable: "false" },
    path("M0 372q25-14 50 0t50 0t50 0t50 0t50 0t50 0t50 0t50 0v28H0z", "sea"),
    path("M200 8v320M200 12l34 7-34 8", "mast"),
    path("M200 14L56 320M200 14l144 306", "rope"),
    path("M112 92h176M78 172h244M44 252h312", "yard"),
    path("M112 96q88 26 176 0l-6 20q-82 20-164 0zM78 176q122 30 244 0l-8 20q-114 24-228 0zM44 256q156 34 312 0l-8 18q-148 26-296 0z", "sail"),
    path("M12 328h376q-8 22-22 44q-10 14-24 14H58q-14 0-24-14q-14-22-22-44z", "planks"),
    path("M20 344h360M29 360h342", "seam"),
    path("M0 384q25-14 50 0t50 0t50 0t50 0t50 0t50 0t50 0t50 0v16H0z", "sea near"),
  );
}
