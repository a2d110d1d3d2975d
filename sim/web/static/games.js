// @ts-check
/** Lists of games. Each shows the game in progress, until somebody chooses another. */

import { el } from "./dom.js";

/**
 * Keep *list* filled with the table's games.
 * @param {Store} store
 * @param {HTMLSelectElement} list
 * @param {() => void} changed  called whenever the chosen game may have changed
 */
export function startGameList(store, list, changed) {
  /** @type {string | null} */
  let followed = null;
  store.on("table", () => {
    const { games } = store.table;
    const chosen = list.value;
    list.replaceChildren(...games.map(({ name, title }) => el("option", { value: name }, title)));
    if (games.some(({ name }) => name === chosen)) list.value = chosen;
    changed();
  });
  store.on("view", () => {
    const game = store.state.view?.game ?? null;
    if (game === followed) return;
    followed = game;
    if (game === null) return;
    list.value = game;
    changed();
  });
  list.addEventListener("change", changed);
}
