/** Trouble: what can break at a table, part by part, and the plug. */

import { spotName } from "./catalogue.js";
import { byId, el, setAttribute, setText } from "./dom.js";
import { notify } from "./notices.js";

const WORDS = {
  "reader-dead": ["Unplugged", "its data wire is off: it reads 00h"],
  "reader-brownout": ["Brown-out", "its registers fall to their reset values"],
  garbled: ["Metal", "no answer of a sticker arrives whole"],
  flicker: ["Flicker", "three answers in ten are lost"],
  "display-lost": ["Unplugged", "it no longer acknowledges"],
};

export function startTrouble(store, connection) {
  const ask = (message) => connection.send(message).catch((error) => notify(error.message));
  store.on("table", () => build(store, ask));
  store.on(["table", "faults"], () => show(store.state.faults ?? []));
  for (const plug of document.querySelectorAll("[data-power]")) {
    plug.addEventListener("click", () => ask({ type: "power", on: !store.state.power }));
  }
  store.on("power", () => showPower(store.state.power));
}

function showPower(isOn) {
  setAttribute(document.body, "data-dark", isOn ? null : "yes");
  for (const name of document.querySelectorAll("[data-power-name]")) setText(name, isOn ? "Pull the plug" : "Plug in");
}

function build(store, ask) {
  const offered = store.table.faults.filter(({ name }) => name !== "none");
  const parts = [...new Set(offered.flatMap((fault) => fault.parts))];
  byId("faults").replaceChildren(...parts.map((part) => partSet(part, offered, store, ask)));
}

function partSet(part, offered, store, ask) {
  const faults = offered.filter((fault) => fault.parts.includes(part));
  return el("fieldset", {}, el("legend", {}, title(part)), ...faults.map(({ name }) => toggle(name, part, store, ask)));
}

function title(part) {
  return part === "display" ? "Display" : `Reader ${spotName(part)}`;
}

function toggle(name, part, store, ask) {
  const [words, help] = WORDS[name] ?? [name.replaceAll("-", " "), ""];
  const made = el("button", { type: "button", class: "fault", role: "switch", "aria-checked": "false", "data-fault": name, "data-part": part },
    el("span", { class: "knob-switch", "aria-hidden": "true" }), el("span", {}, el("b", {}, words), help && el("small", {}, help)));
  made.addEventListener("click", () => change(name, part, store, ask));
  return made;
}

/** `none` mends everything a part has; what else was broken on it is broken again. */
async function change(name, part, store, ask) {
  const now = (store.state.faults ?? []).filter((fault) => fault.part === part).map((fault) => fault.name);
  if (!now.includes(name)) return ask({ type: "fault", name, part });
  await ask({ type: "fault", name: "none", part });
  for (const other of now.filter((fault) => fault !== name)) await ask({ type: "fault", name: other, part });
}

function show(faults) {
  for (const made of document.querySelectorAll("[data-fault]")) {
    const { fault, part } = made.dataset;
    setAttribute(made, "aria-checked", faults.some((on) => on.name === fault && on.part === part));
  }
}
