/** Pairing: a page on another computer sends the code that the table's display shows. */

import { byId, setText } from "./dom.js";

export function startPairing(store, connection) {
  const dialog = byId("pairing");
  store.on("pairing", () => {
    if (store.state.pairing && !dialog.open) dialog.showModal();
    if (!store.state.pairing && dialog.open) dialog.close();
  });
  // Without a code there is nothing to go back to.
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  byId("pairing-form").addEventListener("submit", (event) => {
    event.preventDefault();
    send(connection, byId("code"));
  });
}

async function send(connection, code) {
  setText(byId("pairing-error"), "");
  try {
    await connection.send({ type: "pair", code: code.value.trim() });
    code.value = "";
  } catch (error) {
    setText(byId("pairing-error"), error.message);
    code.select();
  }
}
