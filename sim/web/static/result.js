// @ts-check
/** The result of a finished round or game in Play: who won, why, and the points. */

import { pointsOf } from "./chart.js";
import { byId, el, keepChildren, setText } from "./dom.js";
import { notifyOf } from "./notices.js";
import { listed, t } from "./words.js";

export class Result {
  /**
   * @param {Store} store
   * @param {Connection} connection
   * @param {News} news
   */
  constructor(store, connection, news) {
    this.store = store;
    this.news = news;
    store.on(["table", "view"], () => this.show());
    byId("play-again").addEventListener("click", () => {
      const again = store.state.view?.result?.again;
      if (again) connection.send({ type: "begin", ...again }).catch(notifyOf);
    });
  }

  show() {
    const { view } = this.store.state;
    const result = view?.result ?? null;
    document.body.toggleAttribute("data-result", result !== null);
    if (!view || !result) return;
    const { names, winners } = view;
    setText(byId("result-title"), winners.length > 0 ? `★ ${winnersOf(winners.map((seat) => names[seat]))}` : t("Round {n}", { n: result.scores.length }));
    byId("result").toggleAttribute("data-over", winners.length > 0);
    const lines = this.news.result;
    keepChildren(byId("result-told"), lines, (text) => el("li", {}, text));
    byId("result-points").replaceChildren(...pointsOf(names, winners, result));
    byId("result-again").hidden = winners.length === 0;
  }
}

/** @param {string[]} winners */
function winnersOf(winners) {
  const names = listed(winners);
  return winners.length === 1 ? t("{name} wins!", { name: names }) : t("{names} share the win!", { names });
}
