// @ts-check
/** The Trouble panel: the faults of each part, and the plug. */

import { spotName } from "./catalogue.js";
import { byId, el, setAttribute, setText } from "./dom.js";
import { notifyOf } from "./notices.js";

/**
 * @param {Store} store
 * @param {Connection} connection
 */
export function startTrouble(store, connection) {
  /** @type {Ask} */
  const ask = (message) => connection.send(message).catch(notifyOf);
  store.on("table", () => build(store, ask));
  store.on(["table", "faults"], () => show(store.state.faults ?? []));
  for (const plug of document.querySelectorAll("[data-power]")) {
    plug.addEventListener("click", () => ask({ type: "power", on: !store.state.power }));
  }
  store.on("power", () => showPower(store.state.power));
}

/** @param {boolean} isOn */
function showPower(isOn) {
  setAttribute(document.body, "data-dark", isOn ? null : "yes");
  for (const name of document.querySelectorAll("[data-power-name]")) setText(name, isOn ? "Pull the plug" : "Plug in");
}

/**
 * @param {Store} store
 * @param {Ask} ask
 */
function build(store, ask) {
  const offered = store.table.faults;
  const parts = new Map(offered.flatMap((fault) => fault.parts.map((part) => /** @type {const} */ ([part, fault.kind]))));
  byId("faults").replaceChildren(...[...parts].map(([part, kind]) => partSet(part, kind, offered, store, ask)));
}

/**
 * @param {string} part
 * @param {string} kind
 * @param {PageFault[]} offered
 * @param {Store} store
 * @param {Ask} ask
 */
function partSet(part, kind, offered, store, ask) {
  const faults = offered.filter((fault) => fault.parts.includes(part));
  return el("fieldset", {}, el("legend", {}, title(part, kind)), ...faults.map((fault) => toggle(fault, part, store, ask)));
}

/**
 * @param {string} part
 * @param {string} kind
 */
function title(part, kind) {
  if (kind === "spot") return `Reader ${spotName(part)}`;
  if (kind === "button") return `Button ${part === "ok" ? "OK" : part}`;
  return part[0].toUpperCase() + part.slice(1);
}

/**
 * @param {PageFault} fault
 * @param {string} part
 * @param {Store} store
 * @param {Ask} ask
 */
function toggle({ name, title: label, words }, part, store, ask) {
  const made = el("button", { type: "button", class: "fault", role: "switch", "aria-checked": "false", "data-fault": name, "data-part": part },
    el("span", { class: "knob-switch", "aria-hidden": "true" }), el("span", {}, el("b", {}, label), el("small", {}, words)));
  made.addEventListener("click", () => change(name, part, store, ask));
  return made;
}

/**
 * Switch one fault on or off. Off needs `none`, which repairs the whole part, so set its other faults again.
 * @param {string} name
 * @param {string} part
 * @param {Store} store
 * @param {Ask} ask
 */
async function change(name, part, store, ask) {
  const now = (store.state.faults ?? []).filter((fault) => fault.part === part).map((fault) => fault.name);
  if (!now.includes(name)) {
    await ask({ type: "fault", name, part });
    return;
  }
  await ask({ type: "fault", name: "none", part });
  for (const other of now.filter((fault) => fault !== name)) await ask({ type: "fault", name: other, part });
}

/** @param {PageState["faults"]} faults */
function show(faults) {
  for (const made of document.querySelectorAll("[data-fault]")) {
    const { fault, part } = made.dataset;
    setAttribute(made, "aria-checked", faults.some((on) => on.name === fault && on.part === part));
  }
}
