// @ts-check
/** The players round the table: names, scores, cards in hand, whose turn it is, and the direction of play. */

import { byId, el, findIn, keepChildren, setAttribute, setText } from "./dom.js";
import { path, svg } from "./cards/svg.js";
import { REVEAL } from "./news.js";
import { doing } from "./robots.js";
import { counted } from "./rows.js";
import { t } from "./words.js";

/** @type {Record<string, () => string>} */
const DIRECTIONS = { clockwise: () => t("Play goes clockwise"), "counter-clockwise": () => t("Play goes counter-clockwise") };
const UNORDERED = [REVEAL, "captain"]; // phases in which nobody is first yet
const LEAP = "M3 18Q11 0 20 15M20 15V8M20 15L13 13"; // from one player over to the next; play.css turns it round

/**
 * @param {Store} store
 * @param {() => Catalogue} catalogue
 */
export function startRound(store, catalogue) {
  store.on(["table", "view", "deal"], () => show(store, catalogue));
  addEventListener("resize", showTurn);
}

/**
 * @param {Store} store
 * @param {() => Catalogue} catalogue
 */
function show({ state: { view, deal }, table }, catalogue) {
  const { names = [], scores = [], scoreUnit = "point", winners = [], held: hands = [], direction = null } = view ?? {};
  const { gift = null } = /** @type {Partial<HandsDeal>} */ (deal ?? {});
  const giver = gift && !gift.isChosen ? gift.giver : null; // until then, nothing is given
  const counts = giver === null ? hands : (deal?.hands ?? []).map(({ length }) => length);
  const { mover = null, movable = null } = /** @type {Partial<SpreadDeal>} */ (deal ?? {});
  const chooser = giver ?? (movable === null ? null : mover); // the others wait for this player
  const { revealed = [], captain = -1, colours = [], order = [] } = /** @type {Partial<ShipDeal>} */ (deal ?? {});
  const numbers = revealed.map((tag) => (tag ? catalogue().card(tag).value : 0));
  // By number; of the same number, first the captain, then those whom the captain has chosen.
  const places = numbers.map((number, seat) => 9 * -number - (seat === captain ? 8 : order.includes(seat) ? 7 - order.indexOf(seat) : 0));
  const printed = table.games.find(({ name }) => name === deal?.game)?.printed ?? {};
  keepChildren(byId("round-players"), names.map((_, seat) => String(seat)), player);
  names.forEach((name, seat) => {
    const shown = byId("round-players").children[seat];
    const does = winners.includes(seat) ? t("wins") : chooser !== null ? (chooser === seat ? t("to play") : "") : view ? doing(seat, view) : "";
    const held = scoreUnit === "card" || view?.result ? null : (counts[seat] ?? null); // omit the cards in hand where they are the score
    shown.toggleAttribute("data-turn", does !== "" && winners.length === 0);
    shown.toggleAttribute("data-wins", winners.includes(seat));
    shown.toggleAttribute("data-robot", Boolean(deal?.robots[seat]));
    setText(findIn(shown, ".player-name"), name);
    const score = giver !== null && scoreUnit === "card" ? (counts[seat] ?? undefined) : scores[seat];
    const points = view?.result ? null : (view?.counted[seat] ?? null); // of the hand that is or was counted
    const more = points === null ? "" : `${points < 0 ? "−" : "+"}${Math.abs(points)}`;
    setText(findIn(shown, ".player-number"), String(score ?? "").replace("-", "−"));
    setText(findIn(shown, ".player-points"), score === undefined ? "" : counted(score, scoreUnit));
    setText(findIn(shown, ".player-hand"), held === null ? "" : String(held));
    const number = numbers[seat] ?? 0;
    // All numbers are turned over together, when the last one is there.
    const isHidden = view?.phase === REVEAL;
    shown.toggleAttribute("data-turned", number > 0 && !isHidden);
    setText(findIn(shown, ".player-revealed"), number ? (isHidden ? "?" : String(number)) : more);
    const place = number && !UNORDERED.includes(view?.phase ?? "") ? 1 + places.filter((other) => other < places[seat]).length : 0;
    setAttribute(findIn(shown, ".player-name"), "data-place", place ? `${place}.` : null);
    const colour = colours[seat] ?? "";
    const named = printed[colour] ?? colour;
    setAttribute(shown, "class", colour ? `player look-${colour}` : "player");
    setAttribute(shown, "data-colour", named || null);
    const note = [named, held === null ? "" : counted(held, view?.layout === "board" ? "tile" : "card"), deal?.robots[seat] ? t("robot") : "", does].filter(Boolean).join(", ");
    setText(findIn(shown, ".player-note"), note);
    setAttribute(shown, "title", note || null);
  });
  setAttribute(document.body, "data-unit", scoreUnit);
  requestAnimationFrame(showTurn); // wait until all modules have changed the page, because this reads the layout
  const words = DIRECTIONS[direction ?? ""]?.() ?? null;
  setAttribute(byId("round-way"), "data-way", words && direction);
  keepChildren(byId("round-way"), words ? ["leap"] : [], () => svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, path(LEAP, "")));
  for (const name of ["aria-label", "title"]) setAttribute(byId("round-way"), name, words);
}

/** Scroll the names so that the current player's is visible. */
function showTurn() {
  const list = byId("round-players");
  /** @type {HTMLElement | null} */
  const shown = list.querySelector("[data-turn]");
  if (shown) list.scrollLeft = shown.offsetLeft - (list.clientWidth - shown.offsetWidth) / 2;
}

function player() {
  return el("li", { class: "player" },
    el("span", { class: "player-name" }), el("span", { class: "player-revealed", "aria-hidden": "true" }), el("span", { class: "player-score" }, el("span", { class: "player-number" }), el("span", { class: "player-points" })), el("span", { class: "player-hand", "aria-hidden": "true" }), el("span", { class: "player-note unseen" }));
}
