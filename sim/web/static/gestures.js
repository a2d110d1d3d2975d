// @ts-check
/** Mouse, finger and keyboard events of cards and spots, handled for the whole page. */

import { findIn } from "./dom.js";
import { Drag, isLaid } from "./drag.js";
import { isPlay } from "./view.js";

const DOUBLE_TAP_MS = 500; // the longest time between two taps, as of a child
const DOUBLE_TAP_PX = 24;
const STOPS = "button.card, button[data-stop]"; // the elements that arrow keys move between

/** @param {Element} group */
function stopsIn(group) {
  return [.../** @type {NodeListOf<HTMLElement>} */ (group.querySelectorAll(STOPS))];
}

/**
 * @param {Picking} picking
 * @param {Layouts} layouts
 */
export function startGestures(picking, layouts) {
  const drag = new Drag(picking, layouts, (event) => clicked(event, picking, layouts));
  document.addEventListener("click", stopStray, true);
  document.addEventListener("click", (event) => {
    if (!drag.swallowsClick(event)) clicked(event, picking, layouts);
  });
  document.addEventListener("keydown", (event) => keyed(event, picking));
}

/**
 * @param {Event} event
 * @returns {HTMLElement | null}
 */
function cardIn(event) {
  return event.target?.closest?.("button.card:not([aria-disabled])") ?? null;
}

/**
 * @param {MouseEvent} event
 * @param {Picking} picking
 * @param {Layouts} layouts
 */
function clicked(event, picking, layouts) {
  if (isPlay() && isRepeated(event)) return;
  const target = /** @type {Element} */ (event.target);
  const { tag } = cardIn(event)?.dataset ?? {};
  const { spot } = target.closest("[data-spot]")?.dataset ?? {};
  if (layouts.current?.click?.(target)) return;
  if (!spot) {
    if (isPlay() && tag) playCard(target, tag, picking);
    else if (tag) picking.click(tag, event.ctrlKey || event.metaKey || event.shiftKey, event.timeStamp);
  } else if (target.closest("[data-tap]")) picking.tap([...picking.chosen], spot);
  else if (target.closest("[data-lift-all]")) liftAll(spot, picking);
  else if (tag && picking.chosen.size === 0) picking.lift([tag], spot);
  else picking.layChosen(spot);
}

/** @type {MouseEvent | null} */
let last = null; // the last click or touch
let isAgain = false; // true if it repeated another one

/**
 * Return true for the second click of a double click, or the second tap of a double tap (browsers do not count
 * taps). The caller ignores it, because another card or button may have moved there.
 * @param {MouseEvent} event
 */
export function isRepeated(event) {
  if (event === last) return isAgain; // another listener has asked
  isAgain = follows(event, last);
  last = event;
  return isAgain;
}

/** Return true if *event* is the second click or tap after *before*. @param {MouseEvent} event @param {MouseEvent | null} before */
function follows(event, before) {
  if (/** @type {PointerEvent} */ (event).pointerType !== "touch") return event.detail > 1;
  return before !== null && event.timeStamp - before.timeStamp < DOUBLE_TAP_MS && Math.hypot(event.x - before.x, event.y - before.y) < DOUBLE_TAP_PX;
}

/** @type {{event: MouseEvent | null, button: Element | null}} */
let clickedLast = { event: null, button: null }; // also clicks that no other listener gets, as after a long press

/**
 * In Play, stop the second click of a double click if the first one has put another button there.
 * @param {MouseEvent} event
 */
function stopStray(event) {
  const button = /** @type {Element} */ (event.target).closest("button");
  const isStray = isPlay() && follows(event, clickedLast.event) && button !== clickedLast.button;
  clickedLast = { event, button };
  if (!isStray) return;
  event.preventDefault();
  event.stopPropagation();
}

/**
 * Tap a card of a hand. In Play, do nothing with a card that lies on the table: only "Take back" removes it.
 * @param {Element} target
 * @param {string} tag
 * @param {Picking} picking
 */
function playCard(target, tag, picking) {
  if (target.closest('[data-hand^="hand-"]')) picking.play(tag);
}

/**
 * @param {string} spot
 * @param {Picking} picking
 */
function liftAll(spot, picking) {
  picking.lift([...(picking.store.state.lying[spot] ?? [])], spot);
}

/**
 * @param {KeyboardEvent} event
 * @param {Picking} picking
 */
function keyed(event, picking) {
  if (event.key === "Escape") picking.clear();
  /** @type {HTMLElement | null | undefined} */
  const spot = event.target?.closest?.("[data-spot]");
  const card = cardIn(event);
  if (spot) spotKey(event, spot, card, picking);
  else if (card?.dataset.tag) cardKey(event, card.dataset.tag, picking);
  if (/^(Arrow.*|Home|End)$/.test(event.key)) step(event);
}

/**
 * @param {KeyboardEvent} event
 * @param {string} tag
 * @param {Picking} picking
 */
function cardKey(event, tag, picking) {
  if (event.key === "Enter") {
    event.preventDefault();
    if (event.repeat) return;
    const tags = picking.chosen.has(tag) ? [...picking.chosen] : [tag];
    if (event.shiftKey) picking.lay(tags, picking.playSpot);
    else if (!isPlay()) picking.tap(tags);
    else if (event.target && !isLaid(/** @type {Element} */ (event.target))) picking.play(tag);
  } else if (event.key === " " && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    picking.choose(tag, { isMore: true });
  }
}

/**
 * @param {KeyboardEvent} event
 * @param {HTMLElement} spot
 * @param {HTMLElement | null} card
 * @param {Picking} picking
 */
function spotKey(event, spot, card, picking) {
  if (event.key !== "Delete" && event.key !== "Backspace") return;
  event.preventDefault();
  const name = spot.dataset.spot ?? "";
  const lying = picking.store.state.lying[name] ?? [];
  picking.lift(event.shiftKey ? [...lying] : card?.dataset.tag ? [card.dataset.tag] : lying.slice(-1), name);
  findIn(spot, ".pad").focus(); // the card's own button will be removed
}

/**
 * Move the focus to the nearest card in the arrow's direction; with Home or End, to the first or last card of its row.
 * @param {KeyboardEvent} event
 */
function step(event) {
  /** @type {HTMLElement | null | undefined} */
  const from = event.target?.closest?.(`[data-own-keys] :is(${STOPS})`);
  const group = from?.closest("[data-own-keys]");
  if (!from || !group || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  const cards = stopsIn(group);
  const shown = cards.filter((card) => card !== from && card.offsetParent);
  const row = cards.filter((card) => card.offsetParent && card.parentElement === from.parentElement);
  const next = event.key === "Home" ? row[0] : event.key === "End" ? row.at(-1) : nearest(from, shown, event.key);
  if (!next) return;
  rove(cards, next);
  next.focus();
  next.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/**
 * @param {HTMLElement} from
 * @param {HTMLElement[]} others
 * @param {string} key
 */
function nearest(from, others, key) {
  const isSideways = key === "ArrowLeft" || key === "ArrowRight";
  const sign = key === "ArrowLeft" || key === "ArrowUp" ? -1 : 1;
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

/** @param {HTMLElement} element */
function centre(element) {
  const box = element.getBoundingClientRect();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/**
 * Keep one card of a group in the tab order, the one that had the focus last, and all cards with `data-tab`.
 * @param {HTMLElement[]} cards
 * @param {HTMLElement | undefined} current
 */
export function rove(cards, current) {
  for (const card of cards) card.tabIndex = card === current || "tab" in card.dataset ? 0 : -1;
}

/**
 * Put one visible card of *group* into the tab order, if none is.
 * @param {HTMLElement} group
 */
export function keepOneTabStop(group) {
  const cards = stopsIn(group).filter((card) => card.closest("[data-own-keys]") === group);
  const visible = cards.filter((card) => card.checkVisibility());
  const seen = visible.length > 0 ? visible : cards.filter((card) => !card.hidden); // all are invisible in a closed tab
  const own = seen.filter((card) => card.closest("[data-turn]")); // a card that was played is no longer the player's
  const better = own.length > 0 ? own : seen;
  rove(cards, seen.find((card) => card === document.activeElement) ?? better.find((card) => card.tabIndex === 0 && card.dataset.roved) ?? better[0]);
  for (const card of cards) card.dataset.roved = "yes";
}
