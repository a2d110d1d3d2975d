/**
 * The ship of Riff Raff: its areas with their cargo, what lies in front of each player and in the
 * box, and the two things that happen to a piece: it holds, or cargo falls. What lies where the
 * server says; without a deal it is what the referee's map says.
 */

import { Buttons } from "./buttons.js";
import { cargoPicture, face } from "./cards.js";
import { byId, el, keepChildren, setAttribute, setText, svg } from "./dom.js";
import { notify } from "./notices.js";

const GAME = "riff-raff";
const AREAS = [9, 10, 7, 8, 5, 6, 1, 2, 3, 4]; // as they are read: from the top, each row from the left
const ROOM = 6; // pieces of an area that are drawn; more are a number
const DOES = {
  ok: { "press ok holds": "It holds", "press ok done": "That is all" },
  action: { "press action fell": "Let cargo fall" },
};
const FALLING = ["fallen", "caught", "which", "tap-caught", "tap-lost"]; // the phases of a fall

export class Ship {
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
    this.buttons = new Buttons(connection);
    this.isTapping = false;
  }

  /** Whether there is a ship to show. */
  get isThere() {
    return Boolean(this.#load);
  }

  /** What lies on it: as it was dealt, or else as the referee's map tells. */
  get #load() {
    const { deal, view } = this.store.state;
    if (deal) return deal.ship ?? null;
    return view?.game === GAME && view.grid ? mapped(view.grid) : null;
  }

  build() {
    return el("section", { class: "voyage", "aria-labelledby": "ship-name" },
      el("h3", { class: "unseen", id: "ship-name" }, "The ship"),
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
      const { ship, answer } = event.target.closest("button")?.dataset ?? {};
      if (ship) this.#press(ship);
      else if (answer) this.#ask({ type: "choose", value: answer });
    });
    return acts;
  }

  // --- what it shows ---

  show() {
    const voyage = byId("hands").querySelector(".voyage");
    const load = this.#load;
    if (!voyage || !load) return;
    const { asks = [], phase } = this.store.state.view ?? {};
    voyage.querySelector(".ship").toggleAttribute("data-falling", FALLING.includes(phase));
    voyage.toggleAttribute("data-loading", load.lit !== null); // then no card is wanted of anybody
    for (const area of load.areas) this.#showArea(voyage.querySelector(`[data-area="${area.area}"]`), area, load);
    this.#showActs(voyage, load, asks);
  }

  #showArea(bay, { area, pieces, most }, load) {
    const isLit = load.lit === area;
    const least = pieces.length;
    const known = pieces.slice(0, ROOM).map((tag) => `${tag} ${isKnown(tag) ? fate(tag, load) : ""}`);
    const handed = isLit && load.inHand ? [`${load.inHand} ${fate(load.inHand, load) || "in-hand"}`] : [];
    keepChildren(bay.querySelector(".bay-pieces"), [...known, ...(most > least ? ["ghost"] : []), ...handed], (key) => this.#pieceSeen(...key.split(" ")));
    setText(bay.querySelector(".bay-tally"), most > least ? (most < Infinity ? `${least}–${most}` : `${least}+`) : least > ROOM ? `×${least}` : "");
    bay.toggleAttribute("data-lit", isLit);
    bay.toggleAttribute("data-many", known.length + handed.length > 3);
    setAttribute(bay, "aria-label", this.#areaWords(area, pieces, most, isLit));
  }

  #pieceSeen(tag, how) {
    if (tag === "ghost") return el("span", { class: "aboard", "data-how": "perhaps" }, cargoPicture(this.#card(`${GAME}/cargo`)));
    return el("span", { class: "aboard", "data-how": how || null }, cargoPicture(this.#card(tag)));
  }

  #areaWords(area, pieces, most, isLit) {
    const what = pieces.map((tag) => this.#card(tag).words).join(", ");
    const more = most > pieces.length ? `${what ? ", " : ""}perhaps ${most < Infinity ? `${most - pieces.length} ` : ""}more` : "";
    return `Area ${area}: ${what}${more}${what || more ? "" : "empty"}${isLit ? "; to load" : ""}`;
  }

  #showActs(voyage, load, asks) {
    const { hint = "", choices = null } = this.store.state.view ?? {};
    setText(voyage.querySelector(".ship-says"), hint);
    const falling = this.#isTelling ? load.movable : [];
    keepChildren(voyage.querySelector(".ship-pieces"), falling, (tag) => this.#button(tag));
    const answers = (choices?.items ?? []).map(([value, words]) => `${value} ${words}`);
    keepChildren(voyage.querySelector(".ship-answers"), answers, (key) => {
      const [value, words] = choices.items.find(([name, text]) => `${name} ${text}` === key);
      return el("button", { type: "button", class: "plain", "data-answer": value }, words);
    });
    voyage.querySelector(".ship-buttons").hidden = choices !== null; // then the controls do something else
    for (const button of voyage.querySelectorAll("[data-ship]")) {
      const words = DOES[button.dataset.ship];
      const ask = asks.find((one) => one in words);
      button.disabled = !ask;
      setText(button, words[ask] ?? Object.values(words)[0]);
    }
  }

  /** Whether pieces that fell are told by tapping each. */
  get #isTelling() {
    return ["tap-caught", "tap-lost"].includes(this.store.state.view?.phase);
  }

  /** In front of a player, beside the hand: the card that was revealed, and the stock. */
  showFront(section, seat) {
    const { deal, view } = this.store.state;
    const front = section.querySelector(".front") ?? section.appendChild(el("div", { class: "front" }, el("div", { class: "revealed" }), el("div", { class: "stock" })));
    const revealed = deal.revealed[seat];
    keepChildren(front.querySelector(".revealed"), revealed ? [revealed] : [], (tag) => this.#picture("card shown", this.#card(tag), face));
    const isLoading = view?.turn === seat && !this.#isTelling;
    this.#showStock(front.querySelector(".stock"), deal.stocks[seat], isLoading ? deal.ship.movable : []);
  }

  #showStock(stock, tags, movable) {
    const keys = tags.map((tag) => `${movable.includes(tag) ? "take" : "see"} ${tag}`);
    keepChildren(stock, keys, (key) => {
      const [how, tag] = key.split(" ");
      return how === "take" ? this.#button(tag) : this.#picture("aboard", this.#card(tag), cargoPicture);
    });
  }

  /** What left the game. */
  showBox({ title, cards }) {
    const { box } = this.store.state.deal;
    setText(title, `Out of the game: ${box.length}`);
    this.#showStock(cards, box, []);
  }

  #picture(kind, card, draw) {
    return el("span", { class: kind, role: "img", "aria-label": card.words, title: card.words }, draw(card));
  }

  #button(tag) {
    const { words } = this.#card(tag);
    return el("button", { type: "button", class: "piece", "data-piece": tag, "aria-label": words, title: words }, cargoPicture(this.#card(tag)));
  }

  #card(tag) {
    return this.catalogue().card(tag);
  }

  // --- what it does ---

  /** Where a piece can be dropped: on the area to load, and when it has a tag on any reader too. */
  get takers() {
    return this.#load?.isTagged ? ".bay[data-lit], [data-spot]" : ".bay[data-lit]";
  }

  /** A piece goes to the ship; one that has a tag is tapped at *spot*, or where one taps. */
  async take(tag, spot) {
    if (!this.#load?.isTagged) this.#ask({ type: "load", piece: tag });
    else if (!this.isTapping) {
      this.isTapping = true; // one at a time: the referee is to hear of each
      await this.picking.tap([tag], spot);
      this.isTapping = false;
    }
  }

  /** What a person does to say so: rock the ship where the table feels that, else press. */
  #press(name) {
    const { buttons, hasTilt } = this.store.table;
    if (name === "action" && hasTilt) this.#ask({ type: "tilt" });
    else if (buttons.includes(name)) this.buttons.press(name);
    else this.picking.tap([`commands/${name}#1`]);
  }

  #ask(message) {
    this.connection.send(message).catch((error) => notify(error.message));
  }
}

/** What everybody saw become of a piece: it fell, and perhaps somebody caught it. */
function fate(tag, { fallen, caught }) {
  return caught.includes(tag) ? "caught" : fallen.includes(tag) ? "fell" : "";
}

/** Whether people know which piece that is; bundles have numbers of their own in every area. */
function isKnown(tag) {
  return !tag.startsWith(`${GAME}/cargo#`);
}

/** What the referee's map says of the ship: nobody dealt, so no piece has a name. */
function mapped({ cells }) {
  const areas = cells.map(({ mark, tally }) => {
    const [least, most = tally.endsWith("+") ? Infinity : least] = (tally || "0").split("-").map((end) => parseInt(end, 10));
    return { area: Number(mark), pieces: Array.from({ length: least }, (_, n) => `${GAME}/cargo#${n + 1}`), most };
  });
  const lit = cells.find((cell) => cell.lit);
  return { areas, lit: lit ? Number(lit.mark) : null, inHand: null, fallen: [], caught: [], movable: [], isTagged: false };
}

/** Hull, mast and yardarms, behind the areas. */
function drawn() {
  const path = (d, kind) => svg("path", { d, class: kind });
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
