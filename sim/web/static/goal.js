// @ts-check
/** The aim of the game, which the banner shows until a person has played. */

import { byId, setText } from "./dom.js";

/** @param {Store} store */
export function startGoal(store) {
  store.on(["table", "view", "deal", "power"], () => setText(byId("banner-goal"), goalOf(store)));
}

/** @param {Store} store */
function goalOf({ state: { view, deal, power }, table }) {
  const isFirst = power && deal !== null && view?.game === deal.game && view.plays === 0 && view.result === null;
  return (isFirst && table.games.find(({ name }) => name === deal.game)?.goal) || "";
}
