// @ts-check
/**
 * The layout of a ship: its areas with their cargo, the players' stocks, the box, and buttons for a piece that holds or
 * falls. The server sends the places of all pieces; without a deal, they come from the referee's counts.
 */

import { Buttons } from "../buttons.js";
import { back, cargoPicture, face } from "../cards/faces.js";
import { byId, el, findIn, keepChildren, loadStyle, setText } from "../dom.js";
import { fallWords } from "../moments.js";
import { notify, notifyOf } from "../notices.js";
import { refuseTurn } from "../refusals.js";
import { isRobotsTurn } from "../robots.js";
import { counted, parts, showHand } from "../rows.js";
import { buildShip, heaviness, showLoad } from "../vessel.js";
import { isPlay } from "../view.js";
import { t } from "../words.js";

await loadStyle("ship.css");

/** @type {Record<string, Record<string, () => string>>} */
const DOES = {
  report: { report: () => t("Report it") },
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

  /** The ship's cargo: from the deal, or from the referee's counts. @returns {ShipLoad | null} */
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
      buildShip(),
      this.#buildActs(),
    );
  }

  #buildActs() {
    const acts = el("div", { class: "ship-acts" },
      el("p", { class: "ship-says", role: "status" }),
      el("p", { class: "ship-fall", role: "status" }),
      el("div", { class: "ship-pieces" }),
      el("div", { class: "ship-answers" }),
      el("div", { class: "ship-buttons" }, ...["report", "ok", "action"].map((name) => el("button", { type: "button", class: "plain", "data-ship": name }))),
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
      deal.hands.forEach((hand, seat) => showHand(this.store, this.catalogue(), seat, hand, { more: counted(this.store.state.view?.scores[seat] ?? deal.stocks[seat].length, "piece") }));
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
    for (const front of byId("hands").querySelectorAll(".front")) front.remove(); // the rows are reused for the next game
  }

  #showShip() {
    const voyage = byId("hands").querySelector(".voyage");
    const load = this.#load;
    if (!voyage || !load) return;
    voyage.toggleAttribute("data-loading", load.lit !== null); // no cards are played during this phase
    showLoad(findIn(voyage, ".ship"), load, this.catalogue());
    this.#showActs(voyage, load);
  }

  /** @param {Element} voyage @param {ShipLoad} load */
  #showActs(voyage, load) {
    const { hint = "", choices = null, asks = [] } = this.store.state.view ?? {};
    setText(findIn(voyage, ".ship-says"), hint);
    setText(findIn(voyage, ".ship-fall"), load.canReport ? fallWords(this.store.state, load, this.catalogue()) : "");
    const falling = this.#load?.isReporting ? load.movable : [];
    keepChildren(findIn(voyage, ".ship-pieces"), falling, (tag) => this.#button(tag));
    const answers = new Map(choices?.items.map((item) => [item.join(" "), item]));
    keepChildren(findIn(voyage, ".ship-answers"), [...answers.keys()], (key) => {
      const [value, words] = answers.get(key) ?? ["", ""];
      return el("button", { type: "button", class: "plain", "data-answer": value }, words);
    });
    findIn(voyage, ".ship-buttons").hidden = choices !== null; // while a list is open, answer it instead
    for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (voyage.querySelectorAll("button[data-ship]"))) {
      const words = DOES[button.dataset.ship ?? ""];
      const ask = [...asks, ...(load.canReport ? ["report"] : [])].find((one) => one in words);
      button.disabled = !ask;
      button.hidden = button.dataset.ship === "report" && !ask;
      setText(button, (words[ask ?? ""] ?? Object.values(words)[0])());
    }
  }

  /**
   * Show a player's revealed card and stock beside the hand.
   * @param {ShipDeal} deal
   * @param {Element} section
   * @param {number} seat
   */
  #showFront(deal, section, seat) {
    const { view } = this.store.state;
    const front = section.querySelector(".front") ?? section.appendChild(el("div", { class: "front" }, el("div", { class: "revealed" }), el("div", { class: "stock" }), el("p", { class: "kept" })));
    setText(findIn(front, ".kept"), deal.hands[seat].length > 0 ? t("The other cards are for the next round.") : "");
    const revealed = deal.revealed[seat];
    const isHidden = isPlay() && view?.phase === "reveal"; // all cards are turned over together
    keepChildren(findIn(front, ".revealed"), revealed ? [isHidden ? "back" : revealed] : [], (tag) => (tag === "back" ? el("span", { class: "card shown" }, back()) : this.#picture("card shown", this.catalogue().card(tag), face)));
    const isLoading = view?.turn === seat && !this.#load?.isReporting && !(isPlay() && isRobotsTurn(this.store.state));
    this.#showStock(findIn(front, ".stock"), deal.stocks[seat], isLoading ? deal.ship.movable : []);
  }

  /** @param {Element} stock @param {string[]} tags @param {string[]} movable */
  #showStock(stock, tags, movable) {
    const keys = tags.map((tag) => `${movable.includes(tag) ? "take" : "see"} ${tag}`);
    keepChildren(stock, keys, (key) => {
      const [how, tag] = key.split(" ");
      return how === "take" ? this.#button(tag) : this.#picture("aboard", this.catalogue().card(tag), cargoPicture);
    });
  }

  /** @param {string} kind @param {Card} card @param {(card: Card) => Element} draw */
  #picture(kind, card, draw) {
    return el("span", { class: kind, role: "img", "aria-label": card.words, title: card.words }, draw(card));
  }

  /** @param {string} tag */
  #button(tag) {
    const card = this.catalogue().card(tag);
    return el("button", { type: "button", class: "piece", "data-piece": tag, "data-stop": "", "data-drag": "tile", "data-next": "", "aria-label": card.words, "aria-description": this.#load && heaviness(card, this.#load) }, cargoPicture(card));
  }

  // --- acting ---

  /** @param {Element} target */
  click(target) {
    const piece = target.closest("button.piece");
    if (piece) this.#take(piece.dataset.piece ?? "");
    else if (target.closest(".ship, .stock .aboard")) this.#refuse();
    return Boolean(piece);
  }

  /**
   * A selector of the targets for a piece: the area to load, and all readers if the piece has a tag.
   * @param {HTMLElement} held
   */
  takers(held) {
    if (!held.matches(".piece")) return null;
    return this.#load?.isTagged ? ".bay, [data-spot]" : ".bay";
  }

  /**
   * @param {HTMLElement} held
   * @param {string[]} _tags
   * @param {HTMLElement | null} taker
   */
  drop(held, _tags, taker) {
    if (!held.matches(".piece")) return false;
    if (taker?.matches("[data-lit], [data-spot]")) this.#take(held.dataset.piece ?? "", taker.dataset.spot);
    else this.#refuse();
    return true;
  }

  /** Say where a piece is loaded, or what must be done first: the banner's first sentence. */
  #refuse() {
    const load = this.#load;
    if (isRobotsTurn(this.store.state)) refuseTurn(this.store);
    else if (load?.movable.length && !load.isReporting) notify(t("Click a piece: it goes to area {area}.", { area: load.lit ?? "" }));
    else if (isPlay()) notify(byId("banner-hint").textContent?.split(/(?<=[.?!]) /)[0] ?? "");
  }

  /**
   * Load a piece on the ship. A piece with a tag is tapped on *spot*, by default on the usual spot.
   * @param {string} tag
   * @param {string} [spot]
   */
  async #take(tag, spot) {
    if (isPlay() && isRobotsTurn(this.store.state)) return; // the robot loads its own cargo
    if (!this.#load?.isTagged) this.#ask({ type: "by-hand", act: "load", piece: tag });
    else if (!this.isTapping) {
      this.isTapping = true; // one at a time, so that the referee receives each
      await this.picking.tap([tag], spot);
      this.isTapping = false;
    }
  }

  /**
   * Do what the button *name* does. `report` sends a report. `action` rocks the ship if there is a tilt switch.
   * All others press the mat's button, or tap its command card if the mat has none.
   * @param {string} name
   */
  #press(name) {
    const { buttons, hasTilt } = this.store.table;
    if (name === "report") this.#ask({ type: "report" });
    else if (name === "action" && hasTilt) this.#ask({ type: "tilt" });
    else if (buttons.includes(name)) this.buttons.press(name);
    else this.picking.tap([`commands/${name}#1`]);
  }

  /** @param {PageRequest} message */
  #ask(message) {
    this.connection.send(message).catch(notifyOf);
  }
}
