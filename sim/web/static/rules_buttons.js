// @ts-check
/** The buttons that open the rules card of a game. The card itself is fetched when somebody opens it. */

import { byId } from "./dom.js";
import { notifyOf } from "./notices.js";
import { noticeOf } from "./refusals.js";

/**
 * @param {Store} store
 * @param {() => Catalogue} catalogue
 * @param {() => string | null} chosen  the game that is chosen on the start page
 */
export function startRules(store, catalogue, chosen) {
  /** The game whose rules are wanted now. */
  const wanted = () => {
    const name = document.body.hasAttribute("data-start") ? chosen() : (store.state.view?.game ?? chosen());
    return store.table.games.find((game) => game.name === name && game.hasRules);
  };
  const show = () => {
    const { deal, doubt } = store.state;
    const wrong = deal?.costs?.[doubt ?? ""] ?? noticeOf(store.state);
    const rule = wrong?.rule && wanted() ? wrong.rule : "";
    byId("rules-open").hidden = !wanted();
    byId("banner-why").hidden = !rule;
    byId("banner-why").dataset.rules = rule;
  };
  /** @type {Promise<import("./rules.js").Rules> | null} */
  let rules = null;
  /** @param {HTMLElement} opener */
  const open = async (opener) => {
    const [game, rule] = [wanted(), opener.dataset.rules ?? ""];
    if (!game) return;
    rules ??= import("./rules.js").then(({ Rules }) => new Rules(catalogue));
    rules.catch(() => (rules = null)); // the next time it may work
    await (await rules).open(opener, game, rule, store.table.language ?? "");
  };
  store.on(["table", "view", "deal", "doubt", "refused", "hushed"], show);
  document.addEventListener("click", (event) => {
    /** @type {HTMLElement | null | undefined} */
    const opener = event.target?.closest?.("[data-rules]");
    if (opener) open(opener).catch(notifyOf);
  });
}
