// @ts-check
/** The Deal panel: a form that deals the virtual deck, and the game's layout, which shows it. */

import { byId, el, keepChildren, setAttribute, setText } from "./dom.js";
import { startGameList } from "./games.js";
import { isLaid } from "./drag.js";
import { moveOn } from "./focus.js";
import { isRepeated, keepOneTabStop } from "./gestures.js";
import { notifyOf } from "./notices.js";
import { row } from "./rows.js";
import { openTab } from "./tabs.js";
import { isPlay } from "./view.js";

/**
 * @param {Store} store
 * @param {Connection} connection
 * @param {Picking} picking
 * @param {Layouts} layouts
 */
export function startDeal(store, connection, picking, layouts) {
  /** @type {Ask} */
  const ask = (message) => connection.send(message).catch(notifyOf);
  startGameList(store, byId("deal-game"), () => {
    fillPlayers(store);
    showForm(store);
  });
  store.on(["table", "deal", "view"], () => {
    showDeal(store, layouts);
    picking.show();
  });
  let wasDealt = false;
  store.on("deal", () => {
    const isDealt = Boolean(store.state.deal);
    // The tray hides a dealt deck, so go from the tray to the hands.
    if (isDealt && !wasDealt && byId("tab-cards").ariaSelected === "true") openTab("deal");
    wasDealt = isDealt;
  });
  byId("deal-form").addEventListener("submit", (event) => {
    event.preventDefault();
    ask({ type: "deal", game: byId("deal-game").value, players: Number(byId("deal-players").value), hotSeat: byId("hot-seat").checked });
  });
  byId("undeal").addEventListener("click", () => ask({ type: "undeal" }));
  byId("hands").addEventListener("change", (event) => {
    const list = /** @type {HTMLSelectElement} */ (event.target);
    const { sitter } = list.dataset;
    if (sitter) ask({ type: "robot", seat: Number(sitter), style: list.value || null }).then(() => showDeal(store, layouts));
  });
  byId("hands").addEventListener("click", (event) => {
    if (isPlay() && isRepeated(event)) return;
    const { show, cover } = event.target?.closest("button")?.dataset ?? {};
    if (show) ask({ type: "show", seat: Number(show) });
    else if (cover) ask({ type: "cover" });
  });
}

/** @param {Store} store */
function fillPlayers(store) {
  const seats = chosenGame(store)?.seats ?? [];
  byId("deal-players").replaceChildren(...seats.map((count) => el("option", { value: count }, String(count))));
  if (seats.includes(3)) byId("deal-players").value = "3";
}

/** @param {Store} store */
function chosenGame(store) {
  return store.table.games.find(({ name }) => name === byId("deal-game").value);
}

/**
 * Let the game's layout show the deal, or what it can show without a deal.
 * @param {Store} store
 * @param {Layouts} layouts
 */
export function showDeal(store, layouts) {
  layouts.follow();
  const layout = layouts.current;
  showForm(store);
  const place = focusPlace();
  const rows = layout?.rows() ?? [];
  // Style sheets ask these for the rows. With :has, each change of the page would cost milliseconds.
  for (const part of [document.body, byId("table"), byId("panel-deal"), byId("hands")]) setAttribute(part, "data-rows", rows.join(" ") || null);
  keepChildren(byId("hands"), rows, (key) => layout?.build?.(key) ?? row(key));
  layout?.show();
  if (!store.state.deal) return;
  keepOneTabStop(byId("hands"));
  restoreFocus(place);
}

/**
 * Show the form; while a deck is dealt, hide the fields that cannot change.
 * @param {Store} store
 */
function showForm(store) {
  const { deal } = store.state;
  byId("undeal").hidden = !deal;
  const game = chosenGame(store);
  byId("robots-note").hidden = !game || game.robots.length > 0;
  byId("deal-game-label").hidden = Boolean(deal) || store.table.games.length < 2;
  byId("deal-players-label").hidden = Boolean(deal);
  byId("hot-seat-label").hidden = Boolean(deal) || game?.hasHands === false;
  setText(byId("deal"), deal ? "Deal again" : "Deal");
}

/** The index of the focused card in its hand, to restore the focus after the card is played; -1 if none. */
function focusPlace() {
  const focused = document.activeElement;
  const cards = focused?.closest('#hands [data-hand^="hand-"] .hand-cards');
  return focused && cards ? [...cards.children].indexOf(focused) : -1;
}

/** @param {number} place */
function restoreFocus(place) {
  const now = document.activeElement;
  if (place < 0 || (now?.closest("#hands") && !isLaid(now))) return;
  /** @param {string} wanted */
  const all = (wanted) => [...byId("hands").querySelectorAll(wanted)];
  const cards = [all("[data-next]"), all("[data-turn] .hand-cards button.card")].find((found) => found.length > 0);
  if (cards) cards[Math.min(place, cards.length - 1)].focus();
  else if (isPlay()) moveOn();
  else (all("[data-show]:not([hidden])")[0] ?? all("button.card")[0])?.focus({ preventScroll: true });
}
