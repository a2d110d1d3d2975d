// @ts-check
/**
 * A lesson about a piece on the table, in Play: the piece is framed, and the text is in a bubble beside it,
 * until the next play or a tap. The bubble lets clicks through to the element below it. Screen readers read the
 * transcript instead.
 */

import { byId, el, loadStyle, setAttribute } from "./dom.js";
import { forPointer } from "./pointer.js";
import { isPlay } from "./view.js";
import { withMinus } from "./words.js";

await loadStyle("lesson.css");

const GAP = 10; // CSS pixels between piece and bubble, with room for the pointer
const EDGE = 4; // CSS pixels between the bubble and the edges of the page or anything that it must not cover
const WIDTHS = [300, 240, 180, 130]; // CSS pixels, the best first
const STILL = 3; // the number of frames in which a piece must not move before the bubble is shown
const NARROW = 0.2; // the cost of a CSS pixel of width less, in CSS pixels of distance
const COVERED = 0.01; // the cost of a covered square pixel of a piece or place
const KEEPS_FREE = '.bar, #banner, .hand[data-hand^="hand-"]';
const LIKES_FREE = "#hands .card, #hands :is(span.site, .site[data-offered]), #hands .place, #hands .bay";
const SIDES = /** @type {const} */ (["right", "left", "top", "bottom"]);
const ALONG = [0.5, 0, 1]; // where the bubble is along the side of the piece

/** @typedef {{left: number, top: number, right: number, bottom: number}} Box */
/** @typedef {{key: string, tag: string, text: string}} Shown */

/** @param {Store} store */
export function startLesson(store) {
  return new Lesson(store);
}

class Lesson {
  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    /** @type {Shown | null} the lesson in the bubble */
    this.shown = null;
    this.over = ""; // the last lesson that somebody tapped away, as JSON
    /** @type {Element | null} the framed piece */
    this.piece = null;
    this.frame = 0; // the next look at the piece
    this.bubble = document.body.appendChild(el("div", { class: "lesson", "aria-hidden": "true", hidden: "" }));
    store.on(["table", "view", "deal", "power"], () => this.#look());
    document.addEventListener("pointerdown", () => this.#end(), true);
    document.addEventListener("keydown", ({ key }) => key === "Escape" && this.#end());
    addEventListener("resize", () => this.#settle());
    document.addEventListener("scroll", () => this.#settle(), true);
    new MutationObserver(() => this.#settle()).observe(document.body, { attributeFilter: ["data-view"] });
  }

  /** Show the lesson of the last input, or end the one before. */
  #look() {
    const { view, power } = this.store.state;
    const { number, round, played, plays, phase, turn, notice } = view ?? {};
    const key = JSON.stringify([number, round, played?.n, plays, phase, turn, power, this.store.table.language]);
    if (notice?.tag) {
      const lesson = { key, tag: notice.tag, text: withMinus(forPointer([notice.happened, notice.do].filter(Boolean).join(" "))) };
      this.shown = JSON.stringify(lesson) === this.over ? null : lesson;
    } else if (this.shown?.key !== key) this.shown = null;
    this.#settle();
  }

  /** End the lesson, because somebody does something else. */
  #end() {
    if (!this.shown) return;
    this.over = JSON.stringify(this.shown);
    this.shown = null;
    this.#settle();
  }

  /** Place the bubble when the piece no longer moves. */
  #settle() {
    cancelAnimationFrame(this.frame);
    const piece = this.shown && isPlay() ? pieceOf(this.shown.tag) : null;
    if (piece !== this.piece) this.piece?.removeAttribute("data-lesson");
    this.piece = piece;
    if (piece) setAttribute(piece, "data-lesson", "");
    const before = { at: "", still: 0 };
    const look = () => {
      const { x = 0, y = 0, width = 0 } = this.piece?.getBoundingClientRect() ?? {};
      const at = `${x} ${y} ${width}`;
      before.still = at === before.at ? before.still + 1 : 0;
      before.at = at;
      if (before.still < STILL) this.frame = requestAnimationFrame(look);
      else this.#place();
    };
    if (this.shown) look();
    else this.#place();
  }

  /** Put the bubble beside the piece. If there is no room, the banner shows the text. */
  #place() {
    const { shown, piece, bubble } = this;
    bubble.hidden = !shown || !piece;
    if (bubble.textContent !== (shown?.text ?? "")) bubble.textContent = shown?.text ?? "";
    const isPlaced = bubble.hidden || this.#fit(/** @type {Element} */ (piece).getBoundingClientRect());
    if (!isPlaced) bubble.hidden = true;
    const unplaced = shown && isPlay() && bubble.hidden ? shown.tag : null;
    if ((this.store.state.unplaced ?? null) !== unplaced) this.store.takeState({ unplaced });
  }

  /** Return false if there is no room beside *piece*. @param {Box} piece */
  #fit(piece) {
    const { bubble } = this;
    const [free, liked] = [boxesOf(KEEPS_FREE), boxesOf(LIKES_FREE)];
    const tries = WIDTHS.filter((width) => width <= innerWidth - 2 * EDGE).flatMap((width) => {
      bubble.style.maxWidth = `${width}px`;
      const size = { width: bubble.offsetWidth, height: bubble.offsetHeight };
      return SIDES.flatMap((side) => ALONG.map((along) => ({ side, width, box: beside(piece, side, along, size, free) })));
    });
    const fitting = tries.filter(({ box }) => isFree(box, [...free, piece]));
    const cost = (/** @type {{box: Box, width: number}} */ { box, width }) =>
      distance(box, piece) + (WIDTHS[0] - width) * NARROW + liked.reduce((sum, each) => sum + shared(box, each), 0) * COVERED;
    const [best] = fitting.sort((one, other) => cost(one) - cost(other));
    if (!best) return false;
    const { side, width, box } = best;
    const isBeside = side === "left" || side === "right";
    const middle = isBeside ? (piece.top + piece.bottom) / 2 - box.top : (piece.left + piece.right) / 2 - box.left;
    Object.assign(bubble.style, { maxWidth: `${width}px`, left: `${box.left}px`, top: `${box.top}px` });
    bubble.style.setProperty("--at", `${Math.min(Math.max(middle, 14), (isBeside ? box.bottom - box.top : box.right - box.left) - 14)}px`);
    setAttribute(bubble, "data-side", side);
    return true;
  }
}

/** The visible element of the piece *tag*. @param {string} tag */
function pieceOf(tag) {
  const piece = tag.slice(tag.indexOf("/") + 1);
  const found = byId("hands").querySelectorAll(`[data-tag="${tag}"], .revealed [data-key="${tag}"], .site[data-key$=" ${piece}"]`);
  return [...found].find((each) => each.checkVisibility()) ?? null;
}

/** The boxes of the visible elements that *selector* finds, as far as they are in their panel. @param {string} selector @returns {Box[]} */
function boxesOf(selector) {
  const panel = byId("panel-deal").getBoundingClientRect();
  return [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility()).map((each) => {
    const { left, top, right, bottom } = each.getBoundingClientRect();
    return each.closest("#panel-deal") ? { left, top: Math.max(top, panel.top), right, bottom: Math.min(bottom, panel.bottom) } : { left, top, right, bottom };
  });
}

/**
 * The box of a bubble on one *side* of *piece*, beyond anything that it must not cover there.
 * @param {Box} piece
 * @param {typeof SIDES[number]} side
 * @param {number} along
 * @param {{width: number, height: number}} size
 * @param {Box[]} free
 * @returns {Box}
 */
function beside(piece, side, along, { width, height }, free) {
  /** @param {number} wanted @param {number} size @param {number} room */
  const within = (wanted, size, room) => Math.max(Math.min(wanted, room - size - EDGE), EDGE);
  const isBeside = side === "left" || side === "right";
  let left = isBeside ? (side === "left" ? piece.left - GAP - width : piece.right + GAP) : within(piece.left + (piece.right - piece.left - width) * along, width, innerWidth);
  let top = isBeside ? within(piece.top + (piece.bottom - piece.top - height) * along, height, innerHeight) : side === "top" ? piece.top - GAP - height : piece.bottom + GAP;
  for (const box of free) {
    if (shared({ left, top, right: left + width, bottom: top + height }, box) === 0) continue;
    if (side === "left") left = box.left - EDGE - width;
    else if (side === "right") left = box.right + EDGE;
    else if (side === "top") top = box.top - EDGE - height;
    else top = box.bottom + EDGE;
  }
  return { left, top, right: left + width, bottom: top + height };
}

/** Return true if *box* is on the page and covers none of *others*. @param {Box} box @param {Box[]} others */
function isFree(box, others) {
  const isOnPage = box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight;
  return isOnPage && others.every((other) => shared(box, other) === 0);
}

/** The area that two boxes share. @param {Box} one @param {Box} other */
function shared(one, other) {
  const [across, down] = [Math.min(one.right, other.right) - Math.max(one.left, other.left), Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)];
  return across > 0 && down > 0 ? across * down : 0;
}

/** The distance between two boxes. @param {Box} one @param {Box} other */
function distance(one, other) {
  return Math.hypot(Math.max(one.left - other.right, other.left - one.right, 0), Math.max(one.top - other.bottom, other.top - one.bottom, 0));
}
