// The parts of the board that are drawn from the state: the load, what is asked, the last pieces and the scores.

import { box } from "./box.js";
import { fill, made, part } from "./elements.js";

/**
 * @typedef {{kind: string, seat: number | null, text: string, worth: number | null}} Play
 * @typedef {{title: string, names: string[], scores: number[], winners: number[], score_unit: string}} Final
 * @typedef {{game: string, phase: string, headline: string, limit: number | null, round: number | null, hint: string, active: number[], winners: number[],
 *   caption: string, names: string[], scores: number[], score_unit: string, result: string[], gains: number[], counted: (number | null)[], plays: Play[],
 *   advice: string, final: Final | null}} Scored
 */

const ROUND_OVER = "round-over"; // the phase between two rounds
const NEAR = 0.8; // from this share of a limit on, the bar warns

/** The hands are counted, but no card yet: the moment to say how the round ended. @param {Scored} state */
const isJustOver = ({ counted }) => counted.length > 0 && counted.every((points) => points === null);

/**
 * Whose turn it is, or what happens instead.
 * @param {Scored} state
 * @param {Record<string, string>} words
 * @param {number} own  the seat of the phone that shows this; -1 if it has none
 */
export function turnText(state, words, own = -1) {
  const { game, phase, active, round, result, caption, counted } = state;
  const { names, winners } = (!game && state.final) || state;
  /** @param {string} code @param {number[]} seats */
  const withNames = (code, seats) => (seats.length ? words[code].replace("{names}", seats.map((seat) => names[seat] ?? `${seat + 1}`).join(", ")) : "");
  if (winners.length) return withNames("board.won", winners);
  if (!game) return state.hint || words["board.idle"];
  if (phase === ROUND_OVER && round !== null) return words["board.round-over"].replace("{number}", `${round}`);
  if (isJustOver(state)) return result.join(" ") || caption;
  if (counted.length) return withNames("board.counts", active).replace("{number}", `${counted[active[0]] ?? 0}`);
  return active.includes(own) ? withNames("phone.your-turn", [own]) : withNames("board.turn", active);
}

/** What is asked now, and what can be played; or how the round or game ended; or the aim before the first piece. @param {Scored} state @param {Record<string, string>} words */
export function askText({ game, phase, hint, result, winners, plays, round, advice, final }, words) {
  if (!game) return [final?.winners.length ? hint : "", words["board.how-to-join"]].filter(Boolean).join(" ");
  if (winners.length) return result.join(" ");
  if (phase === ROUND_OVER) return [...result, hint].join(" ");
  const isFirst = plays.length === 0 && (round ?? 1) === 1;
  return [hint, isFirst ? box.contents?.goal : advice].filter(Boolean).join(" ");
}

/** The bar below a number that has a limit. @param {Scored} state */
export function drawLoad({ headline, limit }) {
  const share = limit === null ? 0 : Number(headline) / limit;
  part("load").hidden = limit === null;
  part("limit").textContent = limit === null ? "" : `/ ${limit}`;
  part("load").classList.toggle("near", share >= NEAR && share < 1);
  part("load").classList.toggle("over", share >= 1);
  part("load").style.setProperty("--share", `${Math.min(Math.max(share, 0), 1) || 0}`);
}

/** The scores with their unit; without a game, those of the one before. @param {Scored} state @param {Record<string, string>} words @param {number} own */
export function drawScores(state, words, own = -1) {
  const { gains, active, game } = state;
  const { names, scores, winners, score_unit } = (!game && state.final) || state;
  part("scores").dataset.unit = names.length ? words[`unit.${score_unit}`] : "";
  const rows = names.map((name, seat) => {
    const kind = [active.includes(seat) ? "active" : "", winners.includes(seat) ? "won" : "", seat === own ? "own" : ""].filter(Boolean).join(" ");
    const gain = gains[seat] === undefined ? [] : [made("span", { className: "gain", textContent: `${gains[seat] < 0 ? "−" : "+"}${Math.abs(gains[seat])}` })];
    return made("li", { className: kind }, made("span", { textContent: name }), ...gain, made("span", { textContent: `${scores[seat] ?? ""}` }));
  });
  part("scores").replaceChildren(...rows);
}

/** The pictures of the last pieces, the newest first. @param {Scored} state */
export function drawPlays({ plays, names }) {
  const figures = plays.flatMap(({ kind, seat, worth }) => {
    const picture = box.picture(kind);
    const badge = worth === null ? [] : [made("b", { textContent: `= ${worth}` })];
    return picture ? [made("li", {}, picture, ...badge, made("span", { textContent: seat === null ? "" : (names[seat] ?? "") }))] : [];
  });
  fill(part("plays"), figures);
}
