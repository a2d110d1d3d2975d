/** Deal: the virtual shuffled deck. The server shuffles and keeps it; here are the hands, or the spread. */

import { back, cardButton } from "./cards.js";
import { byId, el, keepChildren, setText } from "./dom.js";
import { startGameList } from "./games.js";
import { keepOneTabStop } from "./gestures.js";
import { notify } from "./notices.js";
import { showWon } from "./spread.js";
import { openTab } from "./tabs.js";

export function startDeal(store, connection, catalogue, picking, spread) {
  const ask = (message) => connection.send(message).catch((error) => notify(error.message));
  startGameList(store, byId("deal-game"), () => {
    fillPlayers(store);
    showForm(store);
  });
  store.on(["table", "deal", "view"], () => {
    showDeal(store, catalogue(), spread);
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
}

function fillPlayers(store) {
  const seats = chosenGame(store)?.seats ?? [];
  byId("deal-players").replaceChildren(...seats.map((count) => el("option", { value: count }, String(count))));
  if (seats.includes(3)) byId("deal-players").value = "3";
}

function chosenGame(store) {
  return store.table.games.find(({ name }) => name === byId("deal-game").value);
}

function showDeal(store, catalogue, spread) {
  const { deal } = store.state;
  showForm(store);
  const place = focusPlace();
  keepChildren(byId("hands"), keysOf(deal), (key) => (key === "spread" ? spread.build() : row(key)));
  if (!deal) return;
  if (deal.places) {
    spread.show();
    deal.won.forEach((won, seat) => showWon(nameSeat(store, `won-${seat}`, seat, counted(won.length, "tile")), won, catalogue));
  } else {
    deal.hands.forEach((hand, seat) => showHand(store, catalogue, seat, hand));
    showPile(deal);
    showLaid(deal, catalogue);
  }
  keepOneTabStop(byId("hands"));
  restoreFocus(place);
}

function keysOf(deal) {
  if (!deal) return [];
  if (deal.places) return ["spread", ...deal.won.map((_, seat) => `won-${seat}`)];
  return [...deal.hands.map((_, seat) => `hand-${seat}`), "pile", "laid"];
}

/** With a deck dealt there is room for the hands alone: other players need it put back first. */
function showForm(store) {
  const { deal } = store.state;
  byId("undeal").hidden = !deal;
  byId("deal-game-label").hidden = Boolean(deal) || store.table.games.length < 2;
  byId("deal-players-label").hidden = Boolean(deal);
  byId("hot-seat-label").hidden = Boolean(deal) || Boolean(chosenGame(store)?.spread); // nobody holds a hand
  setText(byId("deal"), deal ? "Deal again" : "Deal");
}

function row(key) {
  return el(
    "section",
    { class: "hand", "data-hand": key, "aria-labelledby": `${key}-name` },
    el("h3", { id: `${key}-name` }),
    el("div", { class: "hand-cards" }),
  );
}

function parts(key) {
  const section = byId("hands").querySelector(`[data-hand="${key}"]`);
  return { section, title: section.querySelector("h3"), cards: section.querySelector(".hand-cards") };
}

/** Say whose a row is, how much is in it, and whether it is that seat's turn; its cards go in what it returns. */
function nameSeat(store, key, seat, count) {
  const { section, title, cards } = parts(key);
  const view = store.state.view ?? {};
  const isTurn = view.turn === seat;
  setText(title, `${view.names?.[seat] ?? `Seat ${seat + 1}`}: ${count}${isTurn ? ", to play" : ""}`);
  section.toggleAttribute("data-turn", isTurn);
  return cards;
}

function showHand(store, catalogue, seat, hand) {
  const cards = nameSeat(store, `hand-${seat}`, seat, counted(hand.length));
  // A face-down card has no name; its place in the hand serves as its key.
  const keys = hand.map((tag, place) => tag ?? `down-${place}`);
  keepChildren(cards, keys, (key) => (hand.includes(key) ? cardButton(catalogue.card(key)) : el("span", { class: "card down" }, back())));
}

function showPile(deal) {
  const { title, cards } = parts("pile");
  setText(title, `Draw pile: ${counted(deal.pile)}`);
  keepChildren(cards, deal.pile > 0 ? ["pile"] : [], () => el("span", { class: "card down" }, back()));
}

/** What was laid, the newest first: an undone card is taken from here. */
function showLaid(deal, catalogue) {
  const laid = [...(deal.laid ?? [])].reverse();
  const { section, title, cards } = parts("laid");
  section.hidden = laid.length === 0;
  setText(title, `Laid: ${counted(laid.length)}`);
  keepChildren(cards, laid, (tag) => cardButton(catalogue.card(tag)));
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
  const hands = byId("hands");
  const own = [...hands.querySelectorAll("[data-turn] button.card")];
  const cards = own.length > 0 ? own : [...hands.querySelectorAll("button.card")];
  cards[Math.min(place, cards.length - 1)]?.focus();
}
