/** Short notices: what the table could not do, and why. */

import { byId, el } from "./dom.js";

const STAYS_MS = 8000;
const AT_MOST = 3;

/** Show *text* for a while, never twice at a time; read out at once by a screen reader. */
export function notify(text) {
  const notices = byId("notices");
  for (const shown of [...notices.children]) if (shown.dataset.key === text) shown.remove();
  const close = el("button", { type: "button", "aria-label": "Close this notice" }, "×");
  const notice = el("div", { class: "notice", "data-key": text }, el("p", {}, text), close);
  close.addEventListener("click", () => notice.remove());
  notices.append(notice);
  while (notices.children.length > AT_MOST) notices.firstElementChild.remove();
  setTimeout(() => notice.remove(), STAYS_MS);
}
