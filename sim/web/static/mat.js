// @ts-check
/** The mat from above: spots with their cards, the seats around it, and the lamps. */

import { seenAs, spotName } from "./catalogue.js";
import { cardButton, nameOf } from "./cards.js";
import { byId, el, findIn, keepChildren, setAttribute, setText } from "./dom.js";
import { svg } from "./cards/svg.js";
import { doing } from "./robots.js";
import { t } from "./words.js";

/** @type {Record<string, string>} */
const ARROWS = { "counter-clockwise": "M38 34a16 16 0 1 0-27-6", clockwise: "M10 34a16 16 0 1 1 27-6" };
/** @type {Record<string, string>} */
const HEADS = { "counter-clockwise": "M4 22l15 3-10 12z", clockwise: "M44 22l-15 3 10 12z" };
/** @type {Record<string, string | undefined>} */
const MARKS = { accepted: "✓", refused: "✕" };
const LEFT = ["counter-clockwise", "accepted"];

/**
 * Build the mat and update its lamps, seats and cards when the state changes.
 * @param {Store} store
 * @param {() => Catalogue} catalogue
 * @param {Picking} picking
 */
export function startMat(store, catalogue, picking) {
  store.on("table", () => build(store.table, picking));
  store.on(["table", "lamps"], () => showLamps(store.state.lamps));
  store.on(["table", "view", "deal"], () => showSeats(store.state.view, store.state.deal?.robots ?? []));
  store.on(["table", "lying", "deal"], () => {
    showLying(store, catalogue());
    picking.show();
  });
  store.on("power", () => {
    byId("dark").hidden = store.state.power;
  });
}

// --- building ------------------------------------------------------------------------------------

/**
 * @param {PageTable} table
 * @param {Picking} picking
 */
function build(table, picking) {
  const seats = seatNumbers(table);
  const far = Math.ceil(seats.length / 2);
  // Clockwise, seen from above: left to right on the far side, then right to left on the near side.
  byId("seats-top").replaceChildren(...seats.slice(0, far).map((number) => seat(number, table)));
  byId("seats-bottom").replaceChildren(...seats.slice(far).reverse().map((number) => seat(number, table)));
  placeLamps(table.lamps.filter((name) => !isSeat(name)));
  placeSpots(table.spots.filter((name) => !isSeat(name)), picking.playSpot);
}

/** @param {string} name */
function isSeat(name) {
  return /^seat-\d+$/.test(name);
}

/** @param {PageTable} table */
function seatNumbers({ lamps, spots }) {
  const named = [...lamps, ...spots].filter(isSeat).map((name) => Number(name.slice("seat-".length)));
  return [...new Set(named)].sort((one, other) => one - other);
}

/**
 * @param {number} number
 * @param {PageTable} table
 */
function seat(number, table) {
  const name = `seat-${number}`;
  const plate = el(
    "div",
    { class: "plate" },
    ...(table.lamps.includes(name) ? [lamp(name, `Lamp of seat ${number}`)] : []),
    el("span", { class: "seat-name" }, `Seat ${number}`),
    el("span", { class: "seat-score" }),
    el("span", { class: "seat-note unseen" }),
  );
  return el("li", { class: "seat", "data-seat": number }, plate, ...(table.spots.includes(name) ? [spot(name, false)] : []));
}

/**
 * @param {string} name
 * @param {string} words
 * @param {...Element} inside
 */
function lamp(name, words, ...inside) {
  return el("span", { class: "lamp", "data-lamp": name, "data-level": "0", role: "img", "aria-label": `${words}: dark`, "data-words": words }, ...inside);
}

/** @param {string[]} names */
function placeLamps(names) {
  byId("lamps-left").replaceChildren(...names.filter((name) => LEFT.includes(name)).map(tableLamp));
  byId("lamps-right").replaceChildren(...names.filter((name) => !LEFT.includes(name)).map(tableLamp));
}

/** @param {string} name */
function tableLamp(name) {
  const words = `Lamp ${name.replaceAll("-", " ")}`;
  if (ARROWS[name]) {
    const arrow = svg("svg", { viewBox: "0 0 48 40", "aria-hidden": "true" }, svg("path", { d: ARROWS[name], class: "arc" }), svg("path", { d: HEADS[name], class: "head" }));
    return lamp(name, words, arrow);
  }
  return lamp(name, words, el("span", { "aria-hidden": "true" }, MARKS[name] ?? name.slice(0, 3)));
}

/**
 * @param {string[]} names
 * @param {string} main
 */
function placeSpots(names, main) {
  const others = names.filter((name) => name !== main);
  byId("spots-centre").replaceChildren(...(names.includes(main) ? [spot(main, true)] : []));
  byId("spots-left").replaceChildren(...others.filter((_, place) => place % 2 === 0).map((name) => spot(name, false)));
  byId("spots-right").replaceChildren(...others.filter((_, place) => place % 2 === 1).map((name) => spot(name, false)));
}

/**
 * @param {string} name
 * @param {boolean} isMain
 */
function spot(name, isMain) {
  return el(
    "div",
    { class: isMain ? "spot main" : "spot", "data-spot": name, role: "group", "aria-label": `Spot ${spotName(name)}` },
    el("button", { type: "button", class: "pad" }, el("span", { class: "spot-name" }, spotName(name))),
    el("div", { class: "lying" }),
    el("div", { class: "spot-tools" },
      el("button", { type: "button", class: "spot-tool", "data-tap": "" }, "Tap"),
      el("button", { type: "button", class: "spot-tool", "data-lift-all": "" }, "Lift all"),
    ),
  );
}

// --- showing -------------------------------------------------------------------------------------

/** @param {Record<string, PageLamp>} lamps */
function showLamps(lamps) {
  for (const shown of document.querySelectorAll("[data-lamp]")) {
    const { level, colour = "" } = lamps[shown.dataset.lamp ?? ""] ?? { level: 0 };
    setAttribute(shown, "data-level", Math.round(level * 100) / 100);
    const whole = shown.closest(".seat") ?? shown; // the whole seat glows
    whole.style.setProperty("--level", String(level));
    for (const lit of [shown, whole]) lit.style.setProperty("--lamp", colour); // if there is no colour, the style sheet's is used
    setAttribute(shown, "aria-label", `${shown.dataset.words}: ${level === 0 ? "dark" : "lit"}`);
  }
}

/**
 * Show names and scores. A seat is lit only by its lamp, as on a real table.
 * @param {PageView | null} view
 * @param {(string | null)[]} robots
 */
function showSeats(view, robots) {
  const { names = [], scores = [], winners = [] } = view ?? {};
  for (const shown of document.querySelectorAll("[data-seat]")) {
    const place = Number(shown.dataset.seat) - 1;
    const isTaken = place < names.length;
    shown.toggleAttribute("data-empty", names.length > 0 && !isTaken);
    shown.toggleAttribute("data-wins", winners.includes(place));
    setText(findIn(shown, ".seat-name"), isTaken ? names[place] : `Seat ${place + 1}`);
    setText(findIn(shown, ".seat-score"), isTaken ? String(scores[place] ?? "") : "");
    const does = winners.includes(place) ? t("wins") : view ? doing(place, view) : "";
    shown.toggleAttribute("data-robot", Boolean(robots[place]));
    findIn(shown, ".seat-note").lang = document.documentElement.lang;
    setText(findIn(shown, ".seat-note"), [robots[place] ? t("robot") : "", does].filter(Boolean).join(", "));
  }
}

/**
 * @param {Store} store
 * @param {Catalogue} catalogue
 */
function showLying(store, catalogue) {
  for (const shown of document.querySelectorAll("[data-spot]")) {
    const name = shown.dataset.spot ?? "";
    const tags = store.state.lying[name] ?? [];
    const cards = tags.map((tag) => seenAs(catalogue, store.state.deal, tag));
    const keys = cards.map((card) => `${card.tag} ${card.kind}`);
    keepChildren(findIn(shown, ".lying"), [...new Set(keys)], (key) => lyingCard(cards[keys.indexOf(key)]));
    shown.toggleAttribute("data-several", tags.length > 1);
    const words = cards.map((card) => card.words).join(", ");
    setAttribute(findIn(shown, ".pad"), "aria-label", `Lay on ${spotName(name)}; ${words ? `here: ${words}` : "empty"}`);
  }
}

/** @param {Card} card */
function lyingCard(card) {
  const button = cardButton(card);
  button.removeAttribute("aria-pressed");
  button.title = `Lift: ${nameOf(card)}`;
  button.setAttribute("aria-label", button.title);
  return button;
}
