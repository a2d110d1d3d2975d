// @ts-check
/** The result of a finished round or game in Play: who won, why, and the points. */

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
    const { names, winners, colours } = view;
    const { scores, hasRounds } = result;
    setText(byId("result-title"), winners.length > 0 ? `★ ${winnersOf(winners.map((seat) => names[seat]))}` : t("Round {n}", { n: scores.length }));
    byId("result").toggleAttribute("data-over", winners.length > 0);
    const told = this.news.result;
    keepChildren(byId("result-told"), told, (told) => el("li", {}, told));
    const points = hasRounds ? [table(names, scores, winners)] : [];
    byId("result-points").replaceChildren(...points);
    import("./chart.js").then(({ chart }) => {
      if (this.store.state.view?.result === result) byId("result-points").replaceChildren(...points, chart(names, withStart(scores, hasRounds), colours));
    }).catch(notifyOf);
    byId("result-again").hidden = winners.length === 0;
  }
}

/** @param {string[]} winners */
function winnersOf(winners) {
  const names = listed(winners);
  return winners.length === 1 ? t("{name} wins!", { name: names }) : t("{names} share the win!", { names });
}

/**
 * A chart of rounds begins with no points.
 * @param {number[][]} scores
 * @param {boolean} hasRounds
 */
function withStart(scores, hasRounds) {
  return hasRounds ? [scores[0].map(() => 0), ...scores] : scores;
}

/**
 * The points after each round.
 * @param {string[]} names
 * @param {number[][]} scores
 * @param {number[]} winners
 */
function table(names, scores, winners) {
  const head = el("tr", {}, el("th", { scope: "col" }, t("Round")), ...names.map((name, seat) => el("th", { scope: "col", class: winners.includes(seat) ? "wins" : "" }, name)));
  const rows = scores.map((row, n) => el("tr", {}, el("th", { scope: "row" }, String(n + 1)), ...row.map((points, seat) => el("td", {}, String(points), n === 0 ? "" : el("small", {}, ` ${signed(points - scores[n - 1][seat])}`)))));
  return el("table", { class: "result-table" }, el("thead", {}, head), el("tbody", {}, ...rows));
}

/** @param {number} points */
function signed(points) {
  return points < 0 ? `−${-points}` : `+${points}`;
}
