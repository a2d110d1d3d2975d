// The parts of the board that are drawn from the state: the load, what is asked, the last pieces and the scores.

import { box } from "./box.js";
import { beforePaint, fill, made, part } from "./elements.js";

/**
 * @typedef {{kind: string, seat: number | null, text: string, worth: number | null}} Play
 * @typedef {{entry: number, seat: number | null, text: string, news: string[], is_counted: boolean}} RecentAct
 * @typedef {{title: string, names: string[], scores: number[], winners: number[], score_unit: string}} Final
 * @typedef {{game: string, phase: string, headline: string, limit: number | null, round: number | null, hint: string, active: number[], winners: number[],
 *   caption: string, names: string[], robots: number[], goal: number | null, scores: number[], score_unit: string, result: string[], gains: number[], counted: (number | null)[], plays: Play[],
 *   acts: RecentAct[], advice: string, final: Final | null}} Scored
 */

const ENROLLING = "enrolling"; // the phase in which stickers are enrolled
const ROUND_OVER = "round-over"; // the phase between two rounds
const NEAR = 0.8; // from this share of a limit on, the bar warns

/** The hands are counted, but no card yet: the moment to say how the round ended. @param {Scored} state */
const isJustOver = ({ counted }) => counted.length > 0 && counted.every((points) => points === null);

/** Return true while cards are played, and not counted. @param {Scored} state */
export const isPlay = ({ phase, counted, winners }) => phase !== ROUND_OVER && counted.length === 0 && winners.length === 0;

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
  if (!game && phase === ENROLLING) return state.hint;
  if (!game) return words[state.final ? "board.ended" : "board.idle"];
  if (phase === ROUND_OVER && round !== null) return words["board.round-over"].replace("{number}", `${round}`);
  if (isJustOver(state)) return result.join(" ") || caption;
  if (counted.length) return withNames("board.counts", active).replace("{number}", `${counted[active[0]] ?? 0}`);
  return active.includes(own) ? withNames("phone.your-turn", [own]) : withNames("board.turn", active);
}

/** What is asked now; of others with their names, because they would not know it from a bare imperative. @param {Scored} state @param {number} own */
export function hintText({ active, names, hint }, own) {
  const others = active.includes(own) ? [] : active.map((seat) => names[seat]);
  return others.length === 0 || names.some((name) => hint.includes(name)) ? hint : `${others.join(", ")}: ${hint}`;
}

/** What is asked now, and what can be played; or how the round or game ended; or the aim before the first piece. @param {Scored} state @param {Record<string, string>} words */
export function askText(state, words) {
  const { game, phase, result, winners, plays, round, advice, final } = state;
  const hint = isJustOver(state) ? hintText(state, -1) : state.hint; // the line above says whose turn it is
  if (!game) return [final ? words["board.idle"] : "", words["board.how-to-join"]].filter(Boolean).join(" ");
  if (winners.length) return result.join(" ");
  if (phase === ROUND_OVER) return [...result, hint].join(" ");
  const isFirst = plays.length === 0 && (round ?? 1) === 1;
  return [hint, isFirst ? box.contents?.goal : advice].filter(Boolean).join(" ");
}

/** The bar below a number that has a limit. @param {Scored} state */
export function drawLoad({ headline, limit }) {
  const share = limit === null ? 0 : Number(headline) / limit;
  part("load").hidden = limit === null;
  part("load").classList.toggle("near", share >= NEAR && share < 1);
  part("load").classList.toggle("over", share >= 1);
  part("load").style.setProperty("--share", `${Math.min(Math.max(share, 0), 1) || 0}`);
}

/** The scores with their unit; without a game, those of the one before. @param {Scored} state @param {Record<string, string>} words @param {number} own */
export function drawScores(state, words, own = -1) {
  const { gains, active, game } = state;
  const { names, scores, winners, score_unit } = (!game && state.final) || state;
  part("scores").style.setProperty("--seats", `${names.length || 1}`);
  part("scores").dataset.unit = names.length ? words[`unit.${score_unit}`] : "";
  const rows = names.map((name, seat) => {
    const kind = [active.includes(seat) ? "active" : "", winners.includes(seat) ? "won" : "", seat === own ? "own" : ""].filter(Boolean).join(" ");
    const gain = gains[seat] === undefined ? [] : [made("span", { className: "gain", textContent: `${gains[seat] < 0 ? "−" : "+"}${Math.abs(gains[seat])}` })];
    const robot = game && state.robots.includes(seat) ? [made("small", { textContent: words["board.robot"] })] : [];
    return made("li", { className: kind }, made("span", { textContent: name }), ...robot, ...gain, made("span", { textContent: `${scores[seat] ?? ""}` }));
  });
  fill(part("scores"), rows);
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

/**
 * The acts to tell: the last one of the player at *own*, and all since; for others, all that are known.
 * @param {RecentAct[]} acts  the newest first
 * @param {number} own
 */
export function actsSince(acts, own) {
  const others = acts.findIndex(({ seat }) => seat !== own);
  const before = acts.findIndex(({ seat }, at) => at > others && seat === own);
  return others < 0 || before < 0 ? acts : acts.slice(0, before + 1);
}

/** The sentences about *acts*, the newest at the bottom. @param {RecentAct[]} acts @param {string[]} names @param {Record<string, string>} words */
export function drawActs(acts, names, words) {
  const place = part("last");
  const lines = acts.map(({ entry, seat, text, news, is_counted }) => {
    const said = is_counted && text && seat !== null ? words["board.counts"].replace("{names}", names[seat]).replace("{number}", text) : text;
    const more = news.length ? [made("b", { textContent: news.join(" ") })] : [];
    const line = made("p", { id: `act-${entry}` }, said, said && more.length ? " " : "", ...more);
    const before = document.getElementById(line.id); // screen readers read what is new
    return before?.innerHTML === line.innerHTML ? before : line;
  });
  for (const old of [...place.children]) if (!lines.includes(/** @type {HTMLElement} */ (old))) old.remove();
  lines.forEach((line, at) => place.children[at] === line || place.insertBefore(line, place.children[at] ?? null));
  beforePaint("acts", () => {
    const { top } = place.getBoundingClientRect();
    const tops = lines.map((line) => line.getBoundingClientRect().top);
    lines.forEach((line, at) => line.classList.toggle("out", at > 0 && tops[at] < top - 1)); // not seen whole
  });
}
