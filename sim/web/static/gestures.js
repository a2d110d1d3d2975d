// @ts-check
/** Mouse, finger and keyboard events of cards and spots, handled for the whole page. */

import { Drag } from "./drag.js";

const STOPS = "button.card, button.place, button.choice, button.site, button.piece"; // the elements that arrow keys move between

/**
 * @param {import("./picking.js").Picking} picking
 * @param {import("./layouts.js").Layouts} layouts
 */
export function startGestures(picking, layouts) {
  const drag = new Drag(picking, layouts, (event) => clicked(event, picking, layouts));
  document.addEventListener("click", (event) => {
    if (!drag.swallowsClick(event)) clicked(event, picking, layouts);
  });
  document.addEventListener("keydown", (event) => keyed(event, picking));
}

function cardIn(event) {
  return event.target.closest?.("button.card:not([aria-disabled])") ?? null;
}

function clicked(event, picking, layouts) {
  const card = cardIn(event);
  const spot = event.target.closest("[data-spot]");
  if (layouts.current?.click?.(event.target)) return;
  if (event.target.closest("[data-tap]")) picking.tap([...picking.chosen], spot.dataset.spot);
  else if (event.target.closest("[data-lift-all]")) liftAll(spot, picking);
  else if (card && !spot) picking.click(card.dataset.tag, event.ctrlKey || event.metaKey || event.shiftKey);
  else if (card && picking.chosen.size === 0) picking.lift([card.dataset.tag], spot.dataset.spot);
  else if (spot) picking.layChosen(spot.dataset.spot);
}

function liftAll(spot, picking) {
  picking.lift([...(picking.store.state.lying[spot.dataset.spot] ?? [])], spot.dataset.spot);
}

function keyed(event, picking) {
  if (event.key === "Escape") picking.clear();
  const spot = event.target.closest?.("[data-spot]");
  const card = cardIn(event);
  if (spot) spotKey(event, spot, card, picking);
  else if (card) cardKey(event, card.dataset.tag, picking);
  if (event.key.startsWith("Arrow")) step(event);
}

function cardKey(event, tag, picking) {
  if (event.key === "Enter") {
    event.preventDefault();
    if (event.repeat) return;
    const tags = picking.chosen.has(tag) ? [...picking.chosen] : [tag];
    if (event.shiftKey) picking.lay(tags, picking.playSpot);
    else picking.tap(tags);
  } else if (event.key === " " && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    picking.choose(tag, { isMore: true });
  }
}

function spotKey(event, spot, card, picking) {
  if (event.key !== "Delete" && event.key !== "Backspace") return;
  event.preventDefault();
  const lying = picking.store.state.lying[spot.dataset.spot] ?? [];
  const tags = event.shiftKey ? [...lying] : [card?.dataset.tag ?? lying.at(-1)].filter(Boolean);
  picking.lift(tags, spot.dataset.spot);
  spot.querySelector(".pad").focus(); // the card's own button will be removed
}

/** Move the focus to the nearest card in the arrow's direction. */
function step(event) {
  const from = event.target.closest?.(`[data-own-keys] :is(${STOPS})`);
  if (!from || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  const cards = [...from.closest("[data-own-keys]").querySelectorAll(STOPS)];
  const next = nearest(from, cards.filter((card) => card !== from && card.offsetParent), event.key);
  if (!next) return;
  rove(cards, next);
  next.focus();
  next.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function nearest(from, others, key) {
  const [isSideways, sign] = { ArrowLeft: [true, -1], ArrowRight: [true, 1], ArrowUp: [false, -1], ArrowDown: [false, 1] }[key] ?? [];
  if (sign === undefined) return null;
  const here = centre(from);
  const ranked = others
    .map((card) => ({ card, at: centre(card) }))
    .map(({ card, at }) => ({
      card,
      along: sign * (isSideways ? at.x - here.x : at.y - here.y),
      across: Math.abs(isSideways ? at.y - here.y : at.x - here.x),
    }))
    .filter(({ along }) => along > 8)
    .sort((one, other) => one.along + 4 * one.across - other.along - 4 * other.across);
  return ranked[0]?.card ?? null;
}

function centre(element) {
  const box = element.getBoundingClientRect();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Keep one card of a group in the tab order: the one that had the focus last. */
export function rove(cards, current) {
  for (const card of cards) card.tabIndex = card === current ? 0 : -1;
}

/** Put one visible card of *group* into the tab order, if none is. */
export function keepOneTabStop(group) {
  const cards = [...group.querySelectorAll(STOPS)].filter((card) => card.closest("[data-own-keys]") === group);
  const seen = cards.filter((card) => !card.hidden);
  rove(cards, seen.find((card) => card === document.activeElement) ?? seen.find((card) => card.tabIndex === 0 && card.dataset.roved) ?? seen[0]);
  for (const card of cards) card.dataset.roved = "yes";
}
