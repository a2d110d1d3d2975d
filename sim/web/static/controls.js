// @ts-check
/** The table's controls: the encoder and buttons that table.toml names, and their keyboard shortcuts. */

import { Buttons } from "./buttons.js";
import { byId, el } from "./dom.js";
import { Encoder } from "./encoder.js";
import { keepSwitch, readSwitch } from "./settings.js";
import { openTab } from "./tabs.js";
import { isPlay } from "./view.js";

/** @type {Record<string, string>} */
const KEYS = { o: "ok", b: "back", a: "action" };
const TYPING = "input:not([type=checkbox]), textarea, select, [contenteditable]";

/**
 * @param {Store} store
 * @param {Connection} connection
 */
export function startControls(store, connection) {
  const buttons = new Buttons(connection);
  const encoder = new Encoder(connection, buttons);
  store.on("table", () => build(store.table, buttons, encoder));
  startShortcuts(store, buttons, encoder);
}

/**
 * @param {PageTable} table
 * @param {Buttons} buttons
 * @param {Encoder} encoder
 */
function build({ buttons: names, hasEncoder }, buttons, encoder) {
  const own = names.filter((name) => !(hasEncoder && name === "ok"));
  const made = own.map((name) => button(name, buttons));
  byId("controls").replaceChildren(...(hasEncoder ? [encoder.build(names.includes("ok"))] : []), ...made);
}

/**
 * @param {string} name
 * @param {Buttons} buttons
 */
function button(name, buttons) {
  const key = Object.keys(KEYS).find((letter) => KEYS[letter] === name);
  const made = el("button", { type: "button", class: "cap", "data-button": name, "aria-keyshortcuts": key },
    el("span", { class: "cap-top", "aria-hidden": "true" }), el("span", {}, name));
  buttons.bind(made, name);
  return made;
}

// --- shortcuts -----------------------------------------------------------------------------------

/**
 * @param {Store} store
 * @param {Buttons} buttons
 * @param {Encoder} encoder
 */
function startShortcuts(store, buttons, encoder) {
  const isOn = byId("shortcuts");
  isOn.checked = readSwitch("shortcuts", true);
  isOn.addEventListener("change", () => keepSwitch("shortcuts", isOn.checked));
  document.addEventListener("keydown", (event) => {
    if (!isPlay() && isOn.checked && isFree(event)) keyDown(event, store.table, buttons, encoder);
  });
  document.addEventListener("keyup", (event) => buttons.up(KEYS[event.key.toLowerCase()], `key ${event.key.toLowerCase()}`));
}

/**
 * Return true if a shortcut may use the key: nothing else has handled it, and no text field has the focus.
 * @param {KeyboardEvent} event
 */
function isFree(event) {
  return !event.defaultPrevented && !event.ctrlKey && !event.altKey && !event.metaKey && !event.target?.closest?.(TYPING) && !document.querySelector("dialog[open]");
}

/**
 * @param {KeyboardEvent} event
 * @param {PageTable} table
 * @param {Buttons} buttons
 * @param {Encoder} encoder
 */
function keyDown(event, table, buttons, encoder) {
  const key = event.key.toLowerCase();
  if (table.buttons.includes(KEYS[key])) {
    if (!event.repeat) buttons.down(KEYS[key], `key ${key}`);
  } else if (key === "arrowleft" || key === "arrowright") {
    turn(event, key === "arrowright" ? 1 : -1, table, buttons, encoder);
  } else if (key === "/") {
    event.preventDefault();
    openTab("cards");
    byId("filter").select();
  } else if (key === "m") byId("speech").click();
  else if (key === "?") openTab("help", true);
}

/**
 * Turn the encoder, or press left or right, unless the focused element uses arrow keys itself.
 * @param {KeyboardEvent} event
 * @param {number} steps
 * @param {PageTable} table
 * @param {Buttons} buttons
 * @param {Encoder} encoder
 */
function turn(event, steps, table, buttons, encoder) {
  if (event.target?.closest("[data-own-keys], [role=tablist], [tabindex='0']:not(button)")) return;
  if (table.hasEncoder) {
    event.preventDefault();
    encoder.turn(steps);
  } else {
    const name = steps > 0 ? "right" : "left";
    if (table.buttons.includes(name)) buttons.press(name);
  }
}
