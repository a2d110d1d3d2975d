// @ts-check
/**
 * The notice in the banner: the table's own, or the page's refusal of a piece that the table would accept. A
 * question of the page, and the answer to it, hide an older notice. A lesson about a piece is shown there if it
 * has no room at the piece.
 */

import { press } from "./doubts.js";
import { notify, notifyOf } from "./notices.js";
import { turnWords } from "./robots.js";
import { isPlay } from "./view.js";
import { translated } from "./words.js";

/**
 * The notice to show in the banner: what was refused, or what has happened; null if there is none.
 * @param {PageState} state
 * @returns {PageNotice | null}
 */
export function noticeOf({ view, deal, refused, hushed, unplaced }) {
  if (refused && typeof refused === "object") return refused;
  const bar = deal?.barred?.[refused ?? ""];
  if (bar) return { happened: bar.why, do: "", rule: bar.rule, isRefusal: true, answers: [] };
  const notice = view?.notice ?? null;
  const isHidden = notice?.tag ? notice.tag !== unplaced : JSON.stringify(notice) === hushed;
  return isHidden ? null : notice;
}

/**
 * Say why a click did nothing: in Play in the banner, until the next click that does something.
 * @param {Store} store
 * @param {string} happened
 */
export function refuse(store, happened, rule = "") {
  if (isPlay()) store.takeState({ refused: { happened, do: "", rule, isRefusal: true, answers: [] } });
  else notify(happened, { rule });
}

/** Say whose turn it is, because a click out of turn did nothing. @param {Store} store */
export function refuseTurn(store) {
  refuse(store, turnWords(store.state));
}

/**
 * Say why a rule forbids what a click asked for; show any other error in a notice.
 * @param {Store} store
 * @param {unknown} error
 */
export function refuseFor(store, error) {
  const rule = error instanceof Error && "rule" in error ? String(error.rule ?? "") : "";
  if (error instanceof Error && rule) refuse(store, translated(error.message), rule);
  else notifyOf(error);
}

/**
 * The answers to a question of the table, such as whether a phone may join; none if it asks none.
 * @param {PageState} state
 * @returns {Act[]}
 */
export function answersTo({ view }) {
  const [yes, no] = view?.notice?.answers ?? [];
  if (!yes) return [];
  return [{ key: `yes ${yes}`, words: yes, messages: press("ok") }, { key: `no ${yes}`, words: no, messages: press("back"), isQuiet: true }];
}

/**
 * Forget old refusals when a question of the page opens or is answered. Start this before the modules that show refusals.
 * @param {Store} store
 */
export function startRefusals(store) {
  let doubt = store.state.doubt ?? null;
  store.on("view", () => (store.state.refused = null));
  store.on("doubt", () => {
    const now = store.state.doubt ?? null;
    if (now === doubt) return;
    doubt = now;
    store.state.refused = null;
    store.state.hushed = JSON.stringify(store.state.view?.notice ?? null);
  });
}
