// @ts-check
/** Pairing: a page on another computer sends the code that the table's display shows. */

import { byId, setText } from "./dom.js";
import { t, translated } from "./words.js";

/**
 * @param {Store} store
 * @param {Connection} connection
 */
export function startPairing(store, connection) {
  const dialog = byId("pairing");
  const show = () => {
    if (store.state.pairing && !dialog.open) dialog.showModal();
    if (!store.state.pairing && dialog.open) dialog.close();
  };
  store.on("pairing", show);
  show();
  // The dialog cannot be cancelled: an unpaired page shows nothing else.
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  byId("pairing-form").addEventListener("submit", (event) => {
    event.preventDefault();
    send(connection, byId("code"));
  });
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/**
 * @param {Connection} connection
 * @param {HTMLInputElement} code
 */
async function send(connection, code) {
  clearTimeout(timer);
  setText(byId("pairing-error"), "");
  try {
    await connection.send({ type: "pair", code: code.value.trim() });
    code.value = "";
  } catch (caught) {
    const error = /** @type {Error & { wait_s?: number }} */ (caught);
    if (error.wait_s) {
      setText(byId("pairing-error"), t("After a wrong code you must wait. This code will be sent in {seconds} s.", { seconds: error.wait_s }));
      timer = setTimeout(() => send(connection, code), error.wait_s * 1000);
      return;
    }
    setText(byId("pairing-error"), translated(error.message));
    code.select();
  }
}
