// @ts-check
/** Short notices, such as a request that the table could not carry out. */

import { byId, el } from "./dom.js";
import { isPlay } from "./view.js";
import { t, translated } from "./words.js";

const STAYS_MS = 8000;
const AT_MOST = 3; // in Lab; Play shows only the newest

/**
 * Show *text* for a while, or until it is closed if it *stays*. Screen readers read it at once. If *rule* is
 * given, a button opens that rule of the game. In Play, notices cover the players' names, where there are no
 * buttons.
 * @param {string} text
 */
export function notify(text, { stays = false, rule = "" } = {}) {
  const notices = byId("notices");
  // Show the notice only once to somebody who taps again and again out of turn.
  if (isPlay() && notices.lastElementChild?.dataset.key === text) return;
  for (const shown of [...notices.children]) if (shown.dataset.key === text) shown.remove();
  const close = el("button", { type: "button", "aria-label": t("Close this notice") }, "×");
  const notice = el("div", { class: "notice", "data-key": text }, el("p", {}, text), ...(rule ? [whyButton(rule)] : []), close);
  if (stays) notice.dataset.stays = "";
  close.addEventListener("click", () => notice.remove());
  notices.append(notice);
  const passing = [...notices.children].filter((shown) => !("stays" in shown.dataset));
  for (const old of passing.slice(0, isPlay() ? -1 : -AT_MOST)) old.remove();
  if (!stays) setTimeout(() => notice.remove(), STAYS_MS);
}

/** Show why something failed. @param {unknown} error */
export function notifyOf(error) {
  const rule = error instanceof Error && "rule" in error && error.rule ? String(error.rule) : "";
  notify(translated(error instanceof Error ? error.message : String(error)), { rule });
}

/** A button that opens the rules card at *rule*. @param {string} rule */
function whyButton(rule) {
  return el("button", { type: "button", class: "notice-why", "data-rules": rule }, t("Why?"));
}
