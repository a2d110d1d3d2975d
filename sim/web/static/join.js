// @ts-check
/** How a guest joins with a phone: the QR code, the address and the digits, before and during a game. */

import { byId, closeOn, setText } from "./dom.js";
import { t } from "./words.js";

const QUIET = 4; // light squares around a QR code, without which phones do not find it

/** @param {Store} store */
export function startJoin(store) {
  const [dialog, opener] = [byId("join"), byId("join-open")];
  const show = () => {
    const { join } = store.state;
    opener.hidden = !join;
    if (!join) return dialog.close();
    byId("join-code").hidden = join.qr.length === 0;
    byId("join-code").innerHTML = picture(join.qr);
    setText(byId("join-place"), join.qr.length ? t("Scan the code with a phone, or open {place} on it.", { place: join.place }) : t("Open {place} on a phone.", { place: join.place }));
    setText(byId("join-digits"), t("If the phone asks for digits: {code}.", { code: join.code }));
  };
  opener.addEventListener("click", () => dialog.showModal());
  closeOn(dialog, byId("join-close"));
  store.on("join", show);
  show();
}

/** Return the picture of a QR code. @param {string[]} rows */
function picture(rows) {
  const size = rows.length + 2 * QUIET;
  const dark = rows.flatMap((row, y) => [...row].map((square, x) => (square === "1" ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : ""))).join("");
  return `<svg viewBox="0 0 ${size} ${size}" role="img" aria-labelledby="join-title"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${dark}"/></svg>`;
}
