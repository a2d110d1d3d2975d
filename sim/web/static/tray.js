// @ts-check
/** The tray: all cards of a deck, the command cards and two foreign tags, with a filter. */

import { COMMANDS, matches } from "./catalogue.js";
import { cardButton } from "./cards.js";
import { byId, keepChildren, setAttribute, setText } from "./dom.js";
import { startGameList } from "./games.js";
import { keepOneTabStop } from "./gestures.js";

/**
 * @param {Store} store
 * @param {() => Catalogue} catalogue
 * @param {Picking} picking
 */
export function startTray(store, catalogue, picking) {
  /** @type {string | undefined} the game whose deck is dealt */
  let dealt;
  const show = () => {
    dealt = store.state.deal?.game;
    filter(catalogue(), dealt);
  };
  store.on("table", () => fillTray(store, catalogue()));
  startGameList(store, byId("tray-game"), show);
  store.on("table", show);
  store.on("deal", () => store.state.deal?.game !== dealt && show());
  byId("filter").addEventListener("input", show);
  byId("tray-tools").addEventListener("submit", (event) => event.preventDefault());
  byId("filter").addEventListener("keydown", (event) => toFirstCard(event));
  byId("tray").addEventListener("wheel", sideways, { passive: false });
  startSeveral(picking);
}

/** @param {Picking} picking */
function startSeveral(picking) {
  const several = byId("several");
  several.addEventListener("click", () => {
    picking.isSeveral = !picking.isSeveral;
    setAttribute(several, "aria-pressed", picking.isSeveral);
    if (!picking.isSeveral) picking.clear();
  });
}

/**
 * @param {Store} store
 * @param {Catalogue} catalogue
 */
function fillTray(store, catalogue) {
  const tags = catalogue.all().map((card) => card.tag);
  keepChildren(byId("tray"), tags, (tag) => trayCard(catalogue.card(tag)));
  byId("tray-game").hidden = store.table.games.length < 2;
}

/** The tray is in English, but games name their cards in the table's language. @param {Card} card */
function trayCard(card) {
  const button = cardButton(card);
  if (card.game !== "" && card.game !== COMMANDS) button.lang = document.documentElement.lang;
  return button;
}

/**
 * Show the cards that match the filter; hide a dealt deck, which would reveal the hands.
 * @param {Catalogue} catalogue
 * @param {string | undefined} dealt
 */
function filter(catalogue, dealt) {
  const typed = byId("filter").value.trim();
  const game = byId("tray-game").value;
  let shown = 0;
  for (const button of byId("tray").children) {
    const card = catalogue.card(button.dataset.tag ?? "");
    const isOther = card.game !== "" && card.game !== COMMANDS && card.game !== game;
    button.hidden = isOther || card.game === dealt || !matches(card, typed);
    if (!button.hidden) shown++;
  }
  keepOneTabStop(byId("tray"));
  setText(byId("tray-note"), note(shown, dealt));
}

/**
 * @param {number} shown
 * @param {string | undefined} dealt
 */
function note(shown, dealt) {
  if (shown === 0) return dealt ? "The deck is dealt: its cards are under Deal." : "No card matches.";
  return dealt ? "The deck is dealt: its cards are under Deal. Command cards are here." : "";
}

/**
 * Move from the filter to the first card on Enter or arrow down.
 * @param {KeyboardEvent} event
 */
function toFirstCard(event) {
  if (event.key !== "Enter" && event.key !== "ArrowDown") return;
  event.preventDefault();
  byId("tray").querySelector("button.card:not([hidden])")?.focus();
}

/**
 * Scroll the tray sideways by the mouse wheel.
 * @param {WheelEvent} event
 */
function sideways(event) {
  const tray = byId("tray");
  if (event.ctrlKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
  if (tray.scrollWidth <= tray.clientWidth) return;
  tray.scrollLeft += event.deltaY * (event.deltaMode === 0 ? 1 : 30);
  event.preventDefault();
}
