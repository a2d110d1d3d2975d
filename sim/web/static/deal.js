/** Deal: the virtual shuffled deck. The server shuffles and keeps it; here are the hands, or the spread. */

import { back, cardButton, face } from "./cards.js";
import { byId, el, keepChildren, setAttribute, setText } from "./dom.js";
import { startGameList } from "./games.js";
import { putFirst, showGift } from "./gift.js";
import { keepOneTabStop } from "./gestures.js";
import { doing } from "./mat.js";
import { notify } from "./notices.js";
import { seatChooser, showSitter } from "./robots.js";
import { showWon } from "./spread.js";
import { openTab } from "./tabs.js";
import { mapBack } from "./tiles.js";

export function startDeal(store, connection, catalogue, picking, { spread, board, ship }) {
  const ask = (message) => connection.send(message).catch((error) => notify(error.message));
  startGameList(store, byId("deal-game"), () => {
    fillPlayers(store);
    showForm(store);
  });
  store.on(["table", "deal", "view"], () => {
    showDeal(store, catalogue(), { spread, board, ship });
    picking.show();
  });
  let wasDealt = false;
  store.on("deal", () => {
    const isDealt = Boolean(store.state.deal);
    // The tray then lacks that deck, so whoever looks at the tray wants the hands.
    if (isDealt && !wasDealt && byId("tab-cards").ariaSelected === "true") openTab("deal");
    wasDealt = isDealt;
  });
  byId("deal-form").addEventListener("submit", (event) => {
    event.preventDefault();
    ask({ type: "deal", game: byId("deal-game").value, players: Number(byId("deal-players").value), hotSeat: byId("hot-seat").checked });
  });
  byId("undeal").addEventListener("click", () => ask({ type: "undeal" }));
  byId("hands").addEventListener("change", ({ target }) => {
    const { sitter } = target.dataset;
    if (sitter) ask({ type: "robot", seat: Number(sitter), style: target.value || null }).then(() => showDeal(store, catalogue(), { spread, board, ship }));
  });
  byId("hands").addEventListener("click", (event) => {
    const { show, cover, give } = event.target.closest("button")?.dataset ?? {};
    if (show) ask({ type: "show", seat: Number(show) });
    else if (cover) ask({ type: "cover" });
    else if (give) ask({ type: "give", card: give });
  });
}

function fillPlayers(store) {
  const seats = chosenGame(store)?.seats ?? [];
  byId("deal-players").replaceChildren(...seats.map((count) => el("option", { value: count }, String(count))));
  if (seats.includes(3)) byId("deal-players").value = "3";
}

function chosenGame(store) {
  return store.table.games.find(({ name }) => name === byId("deal-game").value);
}

function showDeal(store, catalogue, built) {
  const { spread, board, ship } = built;
  const { deal } = store.state;
  showForm(store);
  const place = focusPlace();
  keepChildren(byId("hands"), keysOf(deal, board, ship), (key) => built[key]?.build() ?? row(key));
  ship.show();
  if (!deal) return board.show();
  if (deal.places) {
    spread.show();
    deal.won.forEach((won, seat) => showWon(nameSeat(store, `won-${seat}`, seat, counted(won.length, "tile")), won, catalogue));
  } else {
    deal.hands.forEach((hand, seat) => {
      if (deal.gift?.giver === seat) showGift(parts(`hand-${seat}`), deal.gift, (at) => nameOf(store, at), catalogue);
      else showHand(store, catalogue, seat, hand);
    });
    if (deal.ship) showCargo(deal, ship);
    else {
      showPile(deal);
      showLaid(deal, catalogue);
    }
    if (deal.fronts) showApart(deal, catalogue);
  }
  board.show();
  keepOneTabStop(byId("hands"));
  restoreFocus(place);
}

function keysOf(deal, board, ship) {
  const map = ship.isThere || deal?.ship ? ["ship"] : board.grid ? ["board"] : [];
  if (!deal) return map;
  if (deal.ship) return [...map, ...deal.hands.map((_, seat) => `hand-${seat}`), "box"];
  if (deal.places) return ["spread", ...deal.won.map((_, seat) => `won-${seat}`)];
  return [...map, ...deal.hands.map((_, seat) => `hand-${seat}`), "pile", "laid", ...(deal.fronts ? ["apart"] : [])];
}

/** With a deck dealt there is room for the hands alone: other players need it put back first. */
function showForm(store) {
  const { deal } = store.state;
  byId("undeal").hidden = !deal;
  byId("robots-note").hidden = !chosenGame(store) || chosenGame(store).robots.length > 0;
  byId("deal-game-label").hidden = Boolean(deal) || store.table.games.length < 2;
  byId("deal-players-label").hidden = Boolean(deal);
  byId("hot-seat-label").hidden = Boolean(deal) || Boolean(chosenGame(store)?.spread); // nobody holds a hand
  setText(byId("deal"), deal ? "Deal again" : "Deal");
}

function row(key) {
  return el(
    "section",
    { class: "hand", "data-hand": key, "aria-labelledby": `${key}-name` },
    el("div", { class: "hand-head" }, el("h3", { id: `${key}-name` }), el("p", { class: "note" }), el("button", { type: "button", class: "plain", hidden: "" }), ...seatChooser(key)),
    el("div", { class: "hand-cards" }),
  );
}

function parts(key) {
  const section = byId("hands").querySelector(`[data-hand="${key}"]`);
  const [title, note, cover] = section.querySelector(".hand-head").children;
  return { section, title, note, cover, cards: section.querySelector(".hand-cards") };
}

function nameOf(store, seat) {
  return store.state.view?.names?.[seat] ?? `Seat ${seat + 1}`;
}

/** Say whose a row is, how much is in it, and whether that seat may act; its cards go in what it returns. */
function nameSeat(store, key, seat, count) {
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

function showHand(store, catalogue, seat, hand) {
  const { deal } = store.state;
  const stock = deal.stocks ? [counted(deal.stocks[seat].length, "piece")] : [];
  const count = [counted(hand.length, piecesOf(deal)), ...stock].join(", ");
  const cards = nameSeat(store, `hand-${seat}`, seat, count);
  const front = deal.fronts?.[seat] ? [`front ${deal.fronts[seat]}`] : [];
  // A face-down card has no name; its place in the hand serves as its key.
  const keys = hand.map((tag, place) => tag ?? `down-${place}`);
  keepChildren(cards, [...keys, ...front], (key) => {
    if (front.includes(key)) return inFront(catalogue.card(deal.fronts[seat]));
    return hand.includes(key) ? cardButton(catalogue.card(key)) : downCard(deal);
  });
  showCover(store, seat, hand);
}

/** Where several act on one screen, no hand lies open before its player wants to see it. */
function showCover(store, seat, hand) {
  const { section, cover } = parts(`hand-${seat}`);
  const mayShow = store.state.deal.mayShow.includes(seat);
  const isOpen = hand.some((tag) => tag !== null);
  cover.hidden = !mayShow;
  putFirst(section, "data-uncovered", mayShow && isOpen);
  setText(cover, `${isOpen ? "Cover" : "Show"} ${nameOf(store, seat)}’s hand`);
  setAttribute(cover, "data-show", isOpen ? null : seat + 1);
  setAttribute(cover, "data-cover", isOpen ? seat + 1 : null);
}

/** What lies in front of the players and in the box, and who is captain. */
function showCargo(deal, ship) {
  deal.hands.forEach((_, seat) => {
    const { section, note } = parts(`hand-${seat}`);
    setText(note, deal.captain === seat ? "captain" : "");
    ship.showFront(section, seat);
  });
  ship.showBox(parts("box"));
}

function showPile(deal) {
  const { title, note, cards } = parts("pile");
  setText(title, `Draw pile: ${counted(deal.pile, piecesOf(deal))}`);
  setText(note, deal.out ? `${counted(deal.out, piecesOf(deal))} left out, unseen.` : "");
  keepChildren(cards, deal.pile > 0 ? ["pile"] : [], () => downCard(deal));
}

/** What was laid, the newest first: an undone card is taken from here. */
function showLaid(deal, catalogue) {
  const laid = [...(deal.laid ?? [])].reverse();
  const { section, title, cards } = parts("laid");
  section.hidden = laid.length === 0;
  setText(title, `${deal.fronts ? "Put aside" : "Laid"}: ${counted(laid.length, piecesOf(deal))}`);
  keepChildren(cards, laid, (tag) => cardButton(catalogue.card(tag)));
}

/** Tiles beside the board that nobody holds. */
function showApart(deal, catalogue) {
  const { section, title, cards } = parts("apart");
  section.hidden = deal.apart.length === 0;
  setText(title, `Beside the board: ${counted(deal.apart.length, "tile")}`);
  keepChildren(cards, deal.apart, (tag) => cardButton(catalogue.card(tag)));
}

/** A tile that lies in front of its player. */
function inFront(card) {
  const words = `In front: ${card.words}`;
  return el("span", { class: "card tile in-front", role: "img", "aria-label": words, title: words }, face(card));
}

function downCard(deal) {
  return deal.fronts ? el("span", { class: "card tile down" }, mapBack()) : el("span", { class: "card down" }, back());
}

function piecesOf(deal) {
  return deal.fronts ? "tile" : "card";
}

function counted(count, what = "card") {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}

/** Which card of which hand has the focus: when it is played, the focus must not fall off the page. */
function focusPlace() {
  const cards = document.activeElement?.closest("#hands .hand-cards");
  return cards ? [...cards.children].indexOf(document.activeElement) : -1;
}

function restoreFocus(place) {
  if (place < 0 || document.activeElement?.closest("#hands")) return;
  const all = (wanted) => [...byId("hands").querySelectorAll(wanted)];
  const cards = [all("button.choice"), all("button.piece"), all("[data-turn] .hand-cards button.card")].find((found) => found.length > 0);
  if (cards) cards[Math.min(place, cards.length - 1)].focus();
  else (all("[data-show]:not([hidden])")[0] ?? all("button.card")[0])?.focus({ preventScroll: true });
}
