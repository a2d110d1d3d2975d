// @ts-check
/** The journal: accepted and refused inputs with their times, and the game's export as a rehearsal. */

import { byId, el } from "./dom.js";
import { Entries } from "./entries.js";
import { notify, notifyOf } from "./notices.js";

/** @type {Record<string, string | undefined>} */
const WORDS = { start: "start", input: "accepted", undo: "taken back", end: "end", refused: "refused" };

export class Journal {
  /** @param {Connection} connection */
  constructor(connection) {
    this.entries = new Entries(byId("journal"), line);
    this.isCatchingUp = true;
    byId("export").addEventListener("click", () => connection.send({ type: "export" }).catch(notifyOf));
    byId("download").addEventListener("click", download);
    byId("copy").addEventListener("click", copy);
  }

  connected() {
    this.isCatchingUp = true;
  }

  /** @param {JournalEntry[]} entries */
  take(entries) {
    if (this.isCatchingUp) this.entries.clear();
    this.isCatchingUp = false;
    this.entries.add(entries);
  }

  /**
   * Show the exported rehearsal.
   * @param {string} text
   */
  takeRehearsal(text) {
    byId("rehearsal").value = text;
    for (const id of ["rehearsal-label", "download", "copy"]) byId(id).hidden = false;
    byId("rehearsal").focus();
  }
}

/** @param {JournalEntry} entry */
function line({ n, at, kind, text }) {
  return el(
    "li",
    { "data-n": n, "data-kind": kind },
    el("time", { datetime: at }, clock(at)),
    el("b", {}, WORDS[kind] ?? kind),
    el("span", {}, text),
  );
}

/** @param {string} at */
function clock(at) {
  const moment = new Date(at);
  return Number.isNaN(moment.getTime()) ? at : moment.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

function download() {
  const url = URL.createObjectURL(new Blob([byId("rehearsal").value], { type: "text/plain" }));
  el("a", { href: url, download: "game.mat" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000); // later, because the browser reads it after the click
}

async function copy() {
  const text = byId("rehearsal");
  try {
    await navigator.clipboard.writeText(text.value);
    notify("Copied.");
  } catch {
    // Without https a page cannot use the clipboard, so mark the text for Ctrl+C.
    text.focus();
    text.select();
    notify("This browser does not let the page copy. The text is selected: press Ctrl+C.");
  }
}
