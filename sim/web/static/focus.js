// @ts-check
/**
 * The keyboard's focus in Play. A button that has the focus may disappear after it was used, and a play may
 * raise a question. In both cases, the focus moves to the next useful element, so that nobody has to start from
 * the top of the page.
 */

import { byId, inRow } from "./dom.js";
import { isPlay } from "./view.js";

const HERE = "#banner, #hands, #start, #result";
/** The cards and pieces that the focus may go to, the best first: one that can be used, then the current player's. */
const CARDS = ["#hands [data-turn] button:is(.card, .piece):not([data-idle])", '#hands [data-turn] [tabindex="0"]', '#hands [tabindex="0"]'];
/** The elements that the focus may go to, the best first. */
const NEXT = ["#hands [data-next]", "#banner-acts .act:not(.quiet)", "#play-again", ...CARDS, "#banner-acts .act:enabled"];

/**
 * Begin to move the focus when needed. Call this before the modules that show the view and the deal.
 * @param {Store} store
 */
export function startFocus(store) {
  let wasAsked = false;
  store.on(["table", "view", "deal", "power", "doubt", "race"], () => {
    const { view } = store.state;
    const isAsked = Boolean(view?.choices);
    const isNew = isAsked && !wasAsked;
    wasAsked = isAsked;
    const from = document.activeElement;
    // After all modules have shown the change.
    const isRaised = isNew && Boolean(from?.closest("#hands")); // by the piece that has the focus and may now disappear
    if (isPlay() && (isAstray || from?.closest(HERE))) queueMicrotask(() => moveFocus(isRaised));
  });
  // Focus a card itself, so that arrow keys work at once.
  document.querySelector(".skip")?.addEventListener("click", (event) => {
    const next = isPlay() && CARDS.map(firstSeen).find(Boolean);
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
  byId("banner-acts").addEventListener("keydown", (event) => {
    const next = inRow([...byId("banner-acts").querySelectorAll("button:enabled")], document.activeElement, event.key);
    next?.focus();
    // A key that is held down must not answer the question that its first press raised.
    if (next || event.repeat) event.preventDefault();
  });
}

const HASTY_MS = 500; // the longest time between two quick presses of a key
let movedAt = -Infinity;

/** Return true if the focus was moved here so recently that a press of a key may be meant for what had it before. */
export function hasJustMoved() {
  return performance.now() - movedAt < HASTY_MS;
}

let isAstray = false; // true while the focus is lost, because no element could get it

/** Move the focus to the next useful element, if there is one, after all modules have shown the change. */
export function moveOn() {
  queueMicrotask(() => moveFocus(true));
}

/** @param {boolean} isRaised  true if a piece that had the focus raised a question */
function moveFocus(isRaised) {
  const now = document.activeElement;
  const isLost = now === document.body || !now?.checkVisibility();
  if (isLost || isRaised) {
    NEXT.map(firstSeen).find(Boolean)?.focus({ preventScroll: true });
    movedAt = performance.now();
  }
  isAstray = document.activeElement === document.body;
}

/** The first element that can be used now. @param {string} wanted */
function firstSeen(wanted) {
  return [...document.querySelectorAll(wanted)].find((each) => each.checkVisibility() && !each.ariaDisabled);
}
