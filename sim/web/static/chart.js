// @ts-check
/** The players' points in a result: a table of the rounds, and a line chart. */

import { el } from "./dom.js";
import { svg } from "./cards/svg.js";
import { t, withMinus } from "./words.js";

const [WIDTH, HEIGHT] = [520, 220]; // units of the drawing
const [LEFT, RIGHT, TOP, BOTTOM] = [34, 96, 18, 12];
const LABEL = 15; // the least distance between two names
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/**
 * @param {string[]} names  by seat
 * @param {number[]} winners
 * @param {GameResult} result
 */
export function pointsOf(names, winners, { hasRounds, scores, colours }) {
  if (!hasRounds) return [chart(names, scores, colours)];
  return [table(names, scores, winners), chart(names, [scores[0].map(() => 0), ...scores], colours)]; // rounds begin with no points
}

/**
 * The points after each round.
 * @param {string[]} names
 * @param {number[][]} scores
 * @param {number[]} winners
 */
function table(names, scores, winners) {
  const head = el("tr", {}, el("th", { scope: "col" }, t("Round")), ...names.map((name, seat) => el("th", { scope: "col", class: winners.includes(seat) ? "wins" : "" }, name)));
  const rows = scores.map((row, n) => el("tr", {}, el("th", { scope: "row" }, String(n + 1)), ...row.map((points, seat) => el("td", {}, withMinus(String(points)), n === 0 ? "" : el("small", {}, ` ${signed(points - scores[n - 1][seat])}`)))));
  return el("table", { class: "result-table" }, el("thead", {}, head), el("tbody", {}, ...rows));
}

/** @param {number} points */
function signed(points) {
  return points < 0 ? withMinus(String(points)) : `+${points}`;
}

/**
 * A line for each player, in their own colour if they have one. Lines also differ in their dashes, and each
 * ends with its player's name.
 * @param {string[]} names  by seat
 * @param {number[][]} scores  by time, then by seat
 * @param {string[]} colours  by seat, if the game gives them any
 */
function chart(names, scores, colours) {
  const all = [0, ...scores.flat()];
  const [low, high] = [Math.min(...all), Math.max(...all, 1)];
  /** @param {number} at */
  const x = (at) => LEFT + ((WIDTH - LEFT - RIGHT) * at) / Math.max(scores.length - 1, 1);
  /** @param {number} value */
  const y = (value) => TOP + ((HEIGHT - TOP - BOTTOM) * (high - value)) / (high - low);
  const rules = ticks(low, high).flatMap((value) => [
    svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value), class: "chart-rule" }),
    text(LEFT - 6, y(value), String(value), "end"),
  ]);
  const lines = names.map((_, seat) => svg("polyline", { class: `chart-line look-${seat} look-${colours[seat] || "none"}`, points: scores.map((row, at) => `${x(at)},${y(row[seat] ?? 0)}`).join(" ") }));
  const last = scores.at(-1) ?? [];
  const labels = apart(names.map((_, seat) => y(last[seat] ?? 0))).map((at, seat) => text(WIDTH - RIGHT + 8, at, `${names[seat]} ${last[seat]}`, "start", `look-${seat}`));
  return el("div", { class: "chart" }, svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" }, ...rules, ...lines, ...labels));
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} words
 * @param {string} anchor
 * @param {string} [look]
 */
function text(x, y, words, anchor, look = "") {
  return svg("text", { x, y: y + 4, "text-anchor": anchor, class: look }, withMinus(words));
}

/**
 * At most five values to mark on a scale from *low* to *high*.
 * @param {number} low
 * @param {number} high
 */
function ticks(low, high) {
  const step = STEPS.find((size) => (high - low) / size <= 4) ?? (high - low) / 4;
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, n) => (first + n) * step);
}

/**
 * Return *heights* moved apart, so that the names do not cover each other.
 * @param {number[]} heights  by seat
 */
function apart(heights) {
  const moved = [...heights];
  const order = heights.map((_, seat) => seat).sort((one, other) => heights[one] - heights[other]);
  order.forEach((seat, n) => {
    if (n > 0) moved[seat] = Math.max(moved[seat], moved[order[n - 1]] + LABEL);
  });
  let lowest = HEIGHT - BOTTOM;
  for (const seat of order.reverse()) {
    moved[seat] = Math.min(moved[seat], lowest);
    lowest = moved[seat] - LABEL;
  }
  return moved;
}
