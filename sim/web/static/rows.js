// @ts-check
/** Rows of the Deal panel: hands with their players, and piles. Layouts combine them. */

import { cardButton, countingAs, nameOf, standingFor } from "./cards.js";
import { back } from "./cards/faces.js";
import { byId, el, findIn, keepChildren, setAttribute, setText } from "./dom.js";
import { handedTo } from "./handing.js";
import { doing, seatChooser, showSitter } from "./robots.js";
import { slides } from "./slides.js";
import { t, tn, withMinus } from "./words.js";

/**
 * The pieces in a row.
 * @typedef {object} Pieces
 * @property {string} [what]  the word for one of them; "card" by default
 * @property {() => Element} [down]  makes a picture of one that is face down; a card's back by default
 */

/**
 * What a layout may add to a hand.
 * @typedef {object} HandParts
 * @property {string} [more]  the player's other pieces in words
 * @property {boolean} [mayJoin]  true if the player may act out of turn
 * @property {{key: string, make: () => Element} | null} [front]  a picture after the hand
 */

/** @param {string} key */
export function row(key) {
  return el(
    "section",
    { class: "hand", "data-hand": key, "aria-labelledby": `${key}-name` },
    el("div", { class: "hand-head" }, el("h3", { id: `${key}-name` }), el("p", { class: "note" }), el("button", { type: "button", class: "plain", hidden: "" }), ...seatChooser(key), slides()),
    el("div", { class: "hand-cards" }),
  );
}

/** @param {string} key */
export function parts(key) {
  const section = findIn(byId("hands"), `[data-hand="${key}"]`);
  const [title, note, cover] = findIn(section, ".hand-head").children;
  return { section, title, note, cover, cards: findIn(section, ".hand-cards") };
}

/**
 * The name of the player in *seat*.
 * @param {Store} store
 * @param {number} seat
 */
export function playerOf(store, seat) {
  return store.state.view?.names[seat] ?? t("Seat {seat}", { seat: seat + 1 });
}

/**
 * Show a row's player, its number of cards, and if the seat may act; return the element for its cards.
 * @param {Store} store
 * @param {string} key
 * @param {number} seat
 * @param {string} count
 * @param {boolean} [mayJoin]  true if the seat may act out of turn
 */
export function nameSeat(store, key, seat, count, mayJoin = false) {
  const { section, title, note, cards } = parts(key);
  const { view } = store.state;
  const does = (view && doing(seat, view)) || (mayJoin ? t("may join in") : "");
  setText(title, [`${playerOf(store, seat)}: ${count}`, does].filter(Boolean).join(", "));
  section.toggleAttribute("data-turn", Boolean(view?.active.includes(seat)));
  section.toggleAttribute("data-joins", mayJoin);
  putFirst(section, "data-gift", false);
  setText(note, "");
  showSitter(section, seat, store, playerOf(store, seat));
  return cards;
}

/**
 * Show the hand of *seat*; a card that is face down is null.
 * @param {Store} store
 * @param {Catalogue} catalogue
 * @param {number} seat
 * @param {(string | null)[]} hand
 * @param {Pieces & HandParts} [parts]
 */
export function showHand(store, catalogue, seat, hand, { what = "card", down = downCard, more = "", mayJoin = false, front = null } = {}) {
  const count = [counted(hand.length, what), more].filter(Boolean).join(", ");
  const cards = nameSeat(store, `hand-${seat}`, seat, count, mayJoin);
  // A face-down card has no name, so its key is its place in the hand.
  const keys = hand.map((tag, place) => tag ?? `down-${place}`);
  keepChildren(cards, front ? [...keys, front.key] : keys, (key) => {
    if (key === front?.key) return front.make();
    return hand.includes(key) ? cardButton(catalogue.card(key)) : down();
  });
  const mayAct = mayJoin || Boolean(store.state.view?.active.includes(seat));
  for (const card of cards.querySelectorAll("button.card")) {
    const isPlayable = Boolean(store.state.deal?.playable?.includes(card.dataset.tag ?? "")) && (mayJoin || !store.state.view?.choices); // a question comes first
    card.toggleAttribute("data-idle", mayAct && !isPlayable);
    warn(card, catalogue.card(card.dataset.tag ?? ""), mayAct && isPlayable ? store.state.view : null);
  }
  showWarning(`hand-${seat}`);
  showCover(store, seat, hand);
}

/**
 * Write the game's warning about playing a card now, if there is one, into the card's attributes.
 * @param {Element} button
 * @param {Card} card
 * @param {PageView | null} view
 */
function warn(button, card, view) {
  const warning = (view?.game === card.game && view.warnings[card.kind]) || null;
  setAttribute(button, "data-warning", warning);
  setAttribute(button, "aria-label", [nameOf(card), warning].filter(Boolean).join(", "));
}

/** Show the text of a warning above the hand, because its cards only have room for a mark. @param {string} key */
function showWarning(key) {
  const { note, cards } = parts(key);
  const words = cards.querySelector("[data-warning]")?.getAttribute("data-warning") ?? "";
  note.toggleAttribute("data-warning", words !== "");
  if (words) setText(note, `\u26A0\uFE0E ${words}`);
}

/**
 * Update the button that shows or covers a hand, which is hidden unless its player may use it.
 * @param {Store} store
 * @param {number} seat
 * @param {(string | null)[]} hand
 */
function showCover(store, seat, hand) {
  const { section, cover } = parts(`hand-${seat}`);
  const mayShow = Boolean(store.state.deal?.mayShow?.includes(seat));
  const isOpen = hand.some((tag) => tag !== null);
  section.toggleAttribute("data-handed", handedTo(store.state) === seat); // in Play, the banner has the button then
  cover.hidden = !mayShow || hand.length === 0;
  putFirst(section, "data-uncovered", mayShow && isOpen);
  setText(cover, isOpen ? t("Cover {player}’s hand", { player: playerOf(store, seat) }) : t("Show {player}’s hand", { player: playerOf(store, seat) }));
  setAttribute(cover, "data-show", isOpen ? null : seat + 1);
  setAttribute(cover, "data-cover", isOpen ? seat + 1 : null);
}

/**
 * Show a draw pile of *count* pieces.
 * @param {number} count
 * @param {Pieces & {note?: string}} [pieces]
 */
export function showPile(count, { what = "card", down = downCard, note: words = "" } = {}) {
  const { title, note, cards } = parts("pile");
  setText(title, t("Draw pile: {cards}", { cards: counted(count, what) }));
  setText(note, words);
  keepChildren(cards, count > 0 ? ["pile"] : [], down);
}

/**
 * Show pieces that no player holds, face up; hide the row if there are none.
 * @param {string} key
 * @param {string} words
 * @param {string[]} tags
 * @param {Catalogue} catalogue
 * @param {{standing?: Record<string, string>, worth?: Record<string, number>}} [played]  the symbols that pieces stand for, and the numbers that they count for, if they are not printed on them
 */
export function showPieces(key, words, tags, catalogue, { standing = {}, worth = {} } = {}) {
  const { section, title, cards } = parts(key);
  section.hidden = tags.length === 0;
  setText(title, words);
  const keys = tags.map((tag) => `${tag} ${standing[tag] ?? ""} ${worth[tag] ?? ""}`);
  keepChildren(cards, keys, (key) => {
    const [tag, symbol, number] = key.split(" ");
    const card = catalogue.card(tag);
    return cardButton(symbol ? standingFor(card, symbol) : number ? countingAs(card, number) : card);
  });
}

function downCard() {
  return el("span", { class: "card down" }, back());
}

/** @type {Record<string, (n: number) => string>} */
const COUNTS = {
  card: (n) => tn(n, "1 card", "{n} cards"),
  point: (n) => tn(n, "1 point", "{n} points"),
  tile: (n) => tn(n, "1 tile", "{n} tiles"),
  piece: (n) => tn(n, "1 piece", "{n} pieces"),
};

/**
 * @param {number} count
 * @param {string} what  "card", "point", "tile" or "piece", or a layout's own word in English
 */
export function counted(count, what) {
  return COUNTS[what] ? withMinus(COUNTS[what](count)) : (count === 1 ? `1 ${what}` : `${count} ${what}s`);
}

/**
 * Mark a row with *attribute*, so that style.css shows it first, and scroll to it.
 * @param {HTMLElement} section
 * @param {string} attribute
 * @param {boolean} isFirst
 */
export function putFirst(section, attribute, isFirst) {
  const wasFirst = section.hasAttribute(attribute);
  section.toggleAttribute(attribute, isFirst);
  const panel = section.closest(".panel");
  if (!panel || !isFirst || wasFirst) return;
  const [row, seen] = [section, panel].map((element) => element.getBoundingClientRect());
  if (row.top < seen.top || row.bottom > seen.bottom) panel.scrollTop += row.top - seen.top;
}
