// @ts-check
/** The choice of the table's language, on the start page and during a game. */

import { byId, el, setText } from "./dom.js";
import { notifyOf } from "./notices.js";

/**
 * @param {Store} store
 * @param {Connection} connection
 */
export function startLanguage(store, connection) {
  const list = byId("language");
  const show = () => {
    const { languages = [], language = "" } = store.table;
    if (list.options.length !== languages.length) list.replaceChildren(...languages.map(([code, name]) => el("option", { value: code, lang: code }, name)));
    list.value = language;
    setText(byId("language-name"), languages.find(([code]) => code === language)?.[1] ?? "");
  };
  store.on("table", show);
  list.addEventListener("change", () => connection.send({ type: "language", code: list.value }).catch((error) => {
    notifyOf(error);
    show();
  }));
}
