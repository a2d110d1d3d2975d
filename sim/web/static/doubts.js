// @ts-check
/**
 * Doubts: questions that the banner asks before the page sends an act. They are about a piece that costs cards,
 * a piece that the game warns of or asks about, and taking back a round's end.
 */

import { kindOf } from "./catalogue.js";
import { t, tn } from "./words.js";

/** The name of the doubt about taking back what ended a round. */
export const SEEN = "seen";

/**
 * Return true if the page asks a question before *tag* is played.
 * @param {PageState} state
 * @param {string} tag
 */
export function isRisky(state, tag) {
  return state.view?.choices === null && (costOf(state, tag) !== null || dangerOf(state, tag) !== "" || questionOf(state, tag) !== "");
}

/**
 * Press and release *button*, to answer a question of the game after *inputs*; of the table, without them.
 * @param {string} button
 * @param {number} [inputs]
 * @returns {PageRequest[]}
 */
export const press = (button, inputs) => [{ type: "down", button, ...(inputs === undefined ? {} : { inputs }) }, { type: "up", button }];

/**
 * The answers to the open question, the safe one first; null if no question is open.
 * @param {PageState} state
 * @returns {Act[] | null}
 */
export function doubtActs(state) {
  const { doubt } = state;
  if (doubt && isRisky(state, doubt)) return [{ key: "doubt no", words: t("Keep it"), doubt: null }, { key: "doubt yes", words: questionOf(state, doubt) ? t("Yes") : t("Play it anyway"), doubt: null, tags: [doubt], isQuiet: warningOfAll(state) === "" }];
  if (isReopening(state)) return [{ key: "seen no", words: t("Leave it"), doubt: null }, { key: "seen yes", words: t("Take back"), doubt: null, messages: [{ type: "take-back" }], isQuiet: true }];
  return null;
}

/**
 * The open question in words, or "".
 * @param {PageState} state
 * @param {Catalogue} catalogue
 */
export function doubtWords(state, catalogue) {
  const tag = state.doubt ?? "";
  const cost = costOf(state, tag);
  if (cost) return `${cost.why} ${tn(cost.n, "This costs you 1 card. Play it anyway?", "This costs you {n} cards. Play it anyway?")}`;
  const question = isRisky(state, tag) ? questionOf(state, tag) : "";
  if (question) return question;
  const warning = isRisky(state, tag) ? dangerOf(state, tag) : "";
  if (warning) return t("{card} {warning}. Play it anyway?", { card: catalogue.card(tag).words, warning });
  return isReopening(state) ? t("All hands were shown. Take it back anyway?") : "";
}

/** The penalty for *tag*, if there is one. @param {PageState} state @param {string} tag */
function costOf({ deal }, tag) {
  return deal?.costs?.[tag] ?? null;
}

/** The game's question before the current player plays *tag*, or "". @param {PageState} state @param {string} tag */
function questionOf({ view, deal }, tag) {
  const hand = deal?.hands?.[view?.turn ?? -1] ?? [];
  return (hand.includes(tag) && view?.questions[kindOf(tag)]) || "";
}

/**
 * The game's warning about playing *tag* from a hand, or "".
 * @param {PageState} state
 * @param {string} tag
 */
function dangerOf({ view, deal }, tag) {
  return (deal?.hands?.some((hand) => hand.includes(tag)) && view?.warnings[kindOf(tag)]) || "";
}

/** The warning that every piece has which the current player may play, or "". @param {PageState} state */
export function warningOfAll({ view, deal }) {
  const hand = (view && view.turn !== null && deal?.hands?.[view.turn]) || [];
  const warnings = new Set(hand.filter((tag) => tag !== null && deal?.playable?.includes(tag)).map((tag) => view?.warnings[kindOf(tag ?? "")] ?? ""));
  const [warning = ""] = warnings;
  return warnings.size === 1 ? warning : "";
}

/** Return true if a round or a game with hidden hands has just ended. @param {PageState} state */
export function hasEnded({ view, deal }) {
  return Boolean(view?.result && deal?.layout === "hands");
}

/** Return true if the open question is about taking back the end of a round. @param {PageState} state */
function isReopening(state) {
  return hasEnded(state) && state.doubt === SEEN;
}
