// @ts-check
/** The player in each seat: a person, or a robot with a style. The server lists each game's styles. */

import { el, findIn, setAttribute } from "./dom.js";
import { t } from "./words.js";

export const COUNTING = "scoring"; // the phase in which hands are counted

/**
 * Return true if only robots may act now, and one of them will. Then nobody should play for them by mistake.
 * @param {PageState} state
 */
export function isRobotsTurn({ view }) {
  return Boolean(view?.isRobotsTurn);
}

/** The sentence that says whose turn it is. @param {PageState} state */
export function turnWords({ view }) {
  return t("It is {names}’s turn.", { names: view?.active.map((seat) => view.names[seat]).join(", ") ?? "" });
}

/**
 * Return the list of styles in a seat's row; other rows have none.
 * @param {string} key
 */
export function seatChooser(key) {
  const seat = /^(?:hand|won)-(\d+)$/.exec(key);
  return seat ? [el("select", { class: "sitter", lang: "en", "data-sitter": Number(seat[1]) + 1, hidden: "" })] : [];
}

/**
 * Show the player in *seat*; hide the list if the game has no robots.
 * @param {HTMLElement} section
 * @param {number} seat
 * @param {Store} store
 * @param {string} name
 */
export function showSitter(section, seat, store, name) {
  const list = /** @type {HTMLSelectElement} */ (findIn(section, ".sitter"));
  const { deal } = store.state;
  const styles = store.table.games.find((game) => game.name === deal?.game)?.robots ?? [];
  list.hidden = styles.length === 0;
  if (list.options.length !== styles.length + 1) {
    list.replaceChildren(el("option", { value: "" }, "Person"), ...styles.map((style) => el("option", { value: style }, `Robot: ${style}`)));
  }
  setAttribute(list, "aria-label", `Who plays for ${name}`);
  const style = deal?.robots[seat] ?? "";
  if (list.value !== style) list.value = style;
}

/**
 * What a seat does now: "races", "is counted", "to play", or "".
 * @param {number} seat
 * @param {PageView} view
 */
export function doing(seat, { turn, active, asks, phase, result }) {
  if (result) return ""; // after a round, `turn` is only the next dealer
  if (turn === null && asks.includes("race") && active.includes(seat)) return t("races");
  if (turn !== seat && !active.includes(seat)) return "";
  return phase === COUNTING ? t("is counted") : t("to play");
}
