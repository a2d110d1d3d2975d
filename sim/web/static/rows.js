// @ts-check
/** Rows of the Deal panel: hands with their players, and piles. Layouts combine them. */

import { back, cardButton, face } from "./cards.js";
import { byId, el, findIn, keepChildren, setAttribute, setText } from "./dom.js";
import { putFirst } from "./gift.js";
import { doing } from "./mat.js";
import { seatChooser, showSitter } from "./robots.js";
import { mapBack } from "./tiles.js";

export function row(key) {
  return el(
    "section",
    { class: "hand", "data-hand": key, "aria-labelledby": `${key}-name` },
    el("div", { class: "hand-head" }, el("h3", { id: `${key}-name` }), el("p", { class: "note" }), el("button", { type: "button", class: "plain", hidden: "" }), ...seatChooser(key)),
    el("div", { class: "hand-cards" }),
  );
}

export function parts(key) {
  const section = findIn(byId("hands"), `[data-hand="${key}"]`);
  const [title, note, cover] = findIn(section, ".hand-head").children;
  return { section, title, note, cover, cards: findIn(section, ".hand-cards") };
}

export function nameOf(store, seat) {
  return store.state.view?.names?.[seat] ?? `Seat ${seat + 1}`;
}

/** Show a row's player, its number of cards, and if the seat may act; return the element for its cards. */
export function nameSeat(store, key, seat, count) {
  const { section, title, note, cards } = parts(key);
  const isActive = (store.state.view?.active ?? []).includes(seat);
  const isOther = store.state.deal.others?.includes(seat);
  const does = doing(seat, store.state.view ?? {}) || (isOther ? "may join in" : "");
  setText(title, [`${nameOf(store, seat)}: ${count}`, does].filter(Boolean).join(", "));
  section.toggleAttribute("data-turn", isActive);
  putFirst(section, "data-gift", false);
  setText(note, "");
  showSitter(section, seat, store, nameOf(store, seat));
  return cards;
}

export function showHand(store, catalogue, seat, hand) {
  const { deal } = store.state;
  const stock = deal.stocks ? [counted(deal.stocks[seat].length, "piece")] : [];
  const count = [counted(hand.length, deal.fronts ? "tile" : "card"), ...stock].join(", ");
  const cards = nameSeat(store, `hand-${seat}`, seat, count);
  const front = deal.fronts?.[seat] ? [`front ${deal.fronts[seat]}`] : [];
  // A face-down card has no name, so its key is its place in the hand.
  const keys = hand.map((tag, place) => tag ?? `down-${place}`);
  keepChildren(cards, [...keys, ...front], (key) => {
    if (front.includes(key)) return inFront(catalogue.card(deal.fronts[seat]));
    return hand.includes(key) ? cardButton(catalogue.card(key)) : downCard(deal);
  });
  showCover(store, seat, hand);
}

/** Update the button that shows or covers a hand, which is hidden unless its player may use it. */
export function showCover(store, seat, hand) {
  const { section, cover } = parts(`hand-${seat}`);
  const mayShow = store.state.deal.mayShow.includes(seat);
  const isOpen = hand.some((tag) => tag !== null);
  cover.hidden = !mayShow;
  putFirst(section, "data-uncovered", mayShow && isOpen);
  setText(cover, `${isOpen ? "Cover" : "Show"} ${nameOf(store, seat)}’s hand`);
  setAttribute(cover, "data-show", isOpen ? null : seat + 1);
  setAttribute(cover, "data-cover", isOpen ? seat + 1 : null);
}

export function showPile(deal) {
  const { title, note, cards } = parts("pile");
  setText(title, `Draw pile: ${counted(deal.pile, deal.fronts ? "tile" : "card")}`);
  setText(note, deal.out ? `${counted(deal.out, deal.fronts ? "tile" : "card")} left out, unseen.` : "");
  keepChildren(cards, deal.pile > 0 ? ["pile"] : [], () => downCard(deal));
}

/** The laid cards, newest first; after an undo, a card is taken from here. */
export function showLaid(deal, catalogue) {
  const laid = [...(deal.laid ?? [])].reverse();
  const { section, title, cards } = parts("laid");
  section.hidden = laid.length === 0;
  setText(title, `${deal.fronts ? "Put aside" : "Laid"}: ${counted(laid.length, deal.fronts ? "tile" : "card")}`);
  keepChildren(cards, laid, (tag) => cardButton(catalogue.card(tag)));
}

/** Return a picture of the tile in front of a player. */
export function inFront(card) {
  const words = `In front: ${card.words}`;
  return el("span", { class: "card tile in-front", role: "img", "aria-label": words, title: words }, face(card));
}

export function downCard(deal) {
  return deal.fronts ? el("span", { class: "card tile down" }, mapBack()) : el("span", { class: "card down" }, back());
}

export function counted(count, what = "card") {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}
