// @ts-check
/** The result of a finished round or game in Play: who won, why, and the points. */

import { pointsOf } from "./chart.js";
import { byId, el, keepChildren, loadStyle, setText } from "./dom.js";
import { winLine } from "./news.js";
import { notifyOf } from "./notices.js";
import { t } from "./words.js";

await loadStyle("result.css");

const SEEN_MS = 3000; // so long, people see what ended the round: the last play, or the last hand

export class Result {
  /**
   * @param {Store} store
   * @param {Connection} connection
   * @param {News} news
   */
  constructor(store, connection, news) {
    this.store = store;
    this.news = news;
    this.due = 0; // the timer until the result is shown; 0 without a result
    store.on(["table", "view"], () => this.show());
    byId("play-again").addEventListener("click", () => {
      const again = store.state.view?.result?.again;
      if (again) connection.send({ type: "begin", ...again, handsOver: true }).catch(notifyOf);
    });
  }

  show() {
    const { view } = this.store.state;
    const result = view?.result ?? null;
    if (!view || !result) {
      clearTimeout(this.due);
      this.due = 0;
      document.body.removeAttribute("data-result");
      return;
    }
    this.due ||= window.setTimeout(() => document.body.setAttribute("data-result", ""), SEEN_MS);
    const { names, winners } = view;
    setText(byId("result-title"), winners.length > 0 ? winLine(view) : t("Round {n}", { n: result.scores.length }));
    byId("result").toggleAttribute("data-over", winners.length > 0);
    const lines = this.news.result;
    keepChildren(byId("result-told"), lines, (text) => el("li", {}, text));
    byId("result-points").replaceChildren(...pointsOf(names, winners, result));
    byId("result-again").hidden = winners.length === 0;
  }
}
