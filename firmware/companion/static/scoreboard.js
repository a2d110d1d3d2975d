// The parts of the board that are drawn from the state: the load, what is asked, the last pieces and the scores.

import { box } from "./box.js";
import { fill, made, part } from "./elements.js";

/**
 * @typedef {{kind: string, seat: number | null, text: string}} Play
 * @typedef {{game: string, phase: string, headline: string, limit: number | null, round: number | null, hint: string, active: number[], winners: number[],
 *   names: string[], scores: number[], result: string[], gains: number[], plays: Play[]}} Scored
 */

const ROUND_OVER = "round-over"; // the phase between two rounds

/** @param {Scored} state @param {Record<string, string>} words */
export function turnText({ game, phase, names, active, winners, round, hint }, words) {
  /** @param {string} code @param {number[]} seats */
  const withNames = (code, seats) => (seats.length ? words[code].replace("{names}", seats.map((seat) => names[seat] ?? `${seat + 1}`).join(", ")) : "");
  if (winners.length) return withNames("board.won", winners);
  if (!game) return hint || words["board.idle"];
  if (phase === ROUND_OVER && round !== null) return words["board.round-over"].replace("{number}", `${round}`);
  return withNames("board.turn", active);
}

/** What is asked now, in one sentence; or how the round or game ended; or the aim before the first piece. @param {Scored} state */
export function askText({ game, phase, hint, result, winners, plays, round }) {
  if (!game) return "";
  if (winners.length) return result.join(" ");
  if (phase === ROUND_OVER) return [...result, hint].join(" ");
  const isFirst = plays.length === 0 && (round ?? 1) === 1;
  return [hint, isFirst ? box.contents?.goal : ""].filter(Boolean).join(" ");
}

/** The bar below a number that has a limit. @param {Scored} state */
export function drawLoad({ headline, limit }) {
  const share = limit === null ? 0 : Number(headline) / limit;
  part("load").hidden = limit === null;
  part("limit").textContent = limit === null ? "" : `/ ${limit}`;
  part("load").classList.toggle("over", share > 1);
  part("load").style.setProperty("--share", `${Math.min(Math.max(share, 0), 1) || 0}`);
}

/** @param {Scored} state */
export function drawScores({ names, scores, gains, active, winners }) {
  const rows = names.map((name, seat) => {
    const kind = [active.includes(seat) ? "active" : "", winners.includes(seat) ? "won" : ""].join(" ").trim();
    const gain = gains[seat] === undefined ? [] : [made("span", { className: "gain", textContent: `${gains[seat] < 0 ? "−" : "+"}${Math.abs(gains[seat])}` })];
    return made("li", { className: kind }, made("span", { textContent: name }), ...gain, made("span", { textContent: `${scores[seat] ?? ""}` }));
  });
  part("scores").replaceChildren(...rows);
}

/** The pictures of the last pieces, the newest first. @param {Scored} state */
export function drawPlays({ plays, names }) {
  const figures = plays.flatMap(({ kind, seat }) => {
    const picture = box.picture(kind);
    return picture ? [made("li", {}, picture, made("span", { textContent: seat === null ? "" : (names[seat] ?? "") }))] : [];
  });
  fill(part("plays"), figures);
}
