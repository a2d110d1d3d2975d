// @ts-check
/** The layout of hands and a draw pile, with the laid cards and the choice of a card to give away. */

import { nameOf } from "../cards.js";
import { face } from "../cards/faces.js";
import { byId, el, findIn, keepChildren, setAttribute, setText } from "../dom.js";
import { handedTo, showAt } from "../handing.js";
import { notify, notifyOf } from "../notices.js";
import { isRobotsTurn } from "../robots.js";
import { counted, parts, playerOf, putFirst, showHand, showPieces, showPile } from "../rows.js";
import { isPlay } from "../view.js";
import { t } from "../words.js";

const DRAWS = ["press action draw", "press action take"]; // the values of `asks` while a player may or must draw

export default class Hands {
  /** @param {import("../layouts.js").Tools} tools */
  constructor({ store, connection, catalogue }) {
    this.store = store;
    this.connection = connection;
    this.catalogue = catalogue;
    this.last = ""; // the card that was laid last
    this.newest = ""; // the new card that the hand was scrolled to
  }

  get #deal() {
    return /** @type {HandsDeal | null} */ (this.store.state.deal);
  }

  rows() {
    const deal = this.#deal;
    return deal ? [...deal.hands.map((_, seat) => `hand-${seat}`), "pile", "laid"] : [];
  }

  show() {
    const deal = this.#deal;
    if (!deal) return;
    const cards = this.catalogue();
    deal.hands.forEach((hand, seat) => {
      if (deal.gift?.giver === seat && deal.gift.choices.length > 0) this.#showGift(deal.gift);
      else showHand(this.store, cards, seat, hand);
    });
    this.#markFresh(deal);
    showPile(deal.pile);
    parts("pile").section.toggleAttribute("data-draws", this.#mayDraw);
    // The newest card comes first.
    const owner = deal.counted.at(-1);
    const shown = owner === undefined ? [...deal.laid] : deal.laid.slice(-deal.counted.length).filter((_, at) => deal.counted[at] === owner);
    showPieces("laid", owner === undefined ? t("Laid: {cards}", { cards: counted(shown.length, "card") }) : this.#sumOf(owner, shown.length), shown.reverse(), cards, deal);
    const last = deal.laid.at(-1) ?? "";
    if (last !== this.last) requestAnimationFrame(() => parts("laid").cards.scrollTo({ left: 0, top: 0, behavior: "instant" }));
    this.last = last;
  }

  /** The cards of *seat* that are counted, in words: "Ben: 2 cards = 13 points". @param {number} seat @param {number} count */
  #sumOf(seat, count) {
    const points = this.store.state.view?.counted[seat];
    return t("{names}: {words}", { names: playerOf(this.store, seat), words: [counted(count, "card"), ...(typeof points === "number" ? [counted(points, "point")] : [])].join(" = ") });
  }

  /**
   * Show the giver's hand as choices, with the chosen gift marked. The mat does not sense which card it is.
   * @param {Gift} gift
   */
  #showGift(gift) {
    const { section, title, note, cover, cards } = parts(`hand-${gift.giver}`);
    const receiver = playerOf(this.store, gift.receiver);
    const catalogue = this.catalogue();
    section.removeAttribute("data-turn");
    section.removeAttribute("data-uncovered");
    cover.hidden = true;
    setText(title, t("{giver} gives {receiver} a card. Which one?", { giver: playerOf(this.store, gift.giver), receiver }));
    setText(note, gift.isChosen ? t("It is {card}, until you choose another.", { card: catalogue.card(gift.card ?? "").words }) : "");
    keepChildren(cards, gift.choices.map((tag) => `give ${tag}`), (key) => choice(catalogue.card(key.slice("give ".length))));
    for (const button of cards.children) {
      const isGiven = gift.isChosen && button.dataset.give === gift.card;
      setAttribute(button, "aria-pressed", isGiven);
      setText(findIn(button, ".for"), isGiven ? t("for {receiver}", { receiver }) : "");
    }
    putFirst(section, "data-gift", true);
  }

  /** Mark the cards that each player got with the last draw or gift. @param {HandsDeal} deal */
  #markFresh({ fresh }) {
    for (const card of byId("hands").querySelectorAll('[data-hand^="hand-"] button.card')) {
      const words = fresh.includes(card.dataset.tag ?? "") ? t("new") : null;
      setAttribute(card, "data-fresh", words);
      if (words) setAttribute(card, "aria-label", `${card.getAttribute("aria-label")}, ${words}`);
    }
    const newest = fresh.at(-1) ?? "";
    if (isPlay() && newest !== this.newest) byId("hands").querySelector(`[data-tag="${newest}"]`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.newest = newest;
  }

  /** Return true if the current player is a person and may draw a card now. */
  get #mayDraw() {
    return isPlay() && Boolean(this.store.state.view?.asks.some((ask) => DRAWS.includes(ask))) && !isRobotsTurn(this.store.state) && handedTo(this.store.state) === null;
  }

  /** Return true if players draw cards only by playing others. */
  get #isDrawnFrom() {
    const { view } = this.store.state;
    return isPlay() && view?.phase === "play" && view.scoreUnit === "point" && !view.asks.some((ask) => DRAWS.includes(ask) || ask === "press action pass") && !isRobotsTurn(this.store.state);
  }

  /**
   * Choose a gift, or draw from the pile as the banner's button does.
   * @param {Element} target
   */
  click(target) {
    if (showAt(this, target)) return true;
    if (target.closest('[data-hand="pile"] .card') && this.#mayDraw) {
      for (const type of /** @type {const} */ (["down", "up"])) this.connection.send({ type, button: "action" }).catch(notifyOf);
      return true;
    }
    if (target.closest('[data-hand="pile"] .card') && this.#isDrawnFrom) {
      notify(t("The table draws for you."));
      return true;
    }
    const { give } = target.closest("button")?.dataset ?? {};
    if (!give) return false;
    this.connection.send({ type: "by-hand", act: "give", card: give }).catch(notifyOf);
    return true;
  }
}

/** @param {Card} card */
function choice(card) {
  return el("button", { type: "button", class: "choice", "data-give": card.tag, "data-stop": "", "data-next": "", "aria-label": nameOf(card), title: nameOf(card) },
    face(card), el("span", { class: "for", "aria-hidden": "true" }));
}
