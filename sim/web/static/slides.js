// @ts-check
/**
 * Hands and names that are wider than the screen. An edge fades if more is hidden behind it, and two arrow
 * buttons beside a hand scroll to it. The two arrows are for mouse users: fingers can swipe, and the arrow keys
 * move from card to card.
 */

import { byId, el, setAttribute } from "./dom.js";

const STEP = 0.8; // the part of the visible cards that an arrow scrolls by
const STRIPS = "#hands .hand-cards, #round-players";
const SLACK = 2; // CSS pixels: scrolling may end at a fraction of one

/** The arrows of a hand; they are hidden while the whole hand is visible. */
export function slides() {
  const arrow = (/** @type {number} */ way, /** @type {string} */ sign) => el("button", { type: "button", class: "slide", tabindex: -1, "data-slide": way }, sign);
  return el("span", { class: "slides", "aria-hidden": "true" }, arrow(-1, "\u2039"), arrow(1, "\u203a"));
}

export function startSlides() {
  const hands = byId("hands");
  const showAll = () => requestAnimationFrame(() => document.querySelectorAll(STRIPS).forEach(show));
  for (const part of [hands, byId("round-players")]) {
    new MutationObserver(showAll).observe(part, { childList: true, subtree: true });
    new ResizeObserver(showAll).observe(part);
    part.addEventListener("scroll", ({ target }) => target instanceof Element && target.matches(STRIPS) && show(target), true);
  }
  hands.addEventListener("click", (event) => {
    const arrow = event.target?.closest("[data-slide]");
    const cards = arrow?.closest(".hand")?.querySelector(".hand-cards");
    const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
    cards?.scrollBy({ left: Number(arrow?.dataset.slide) * STEP * cards.clientWidth, behavior });
  });
}

/** Mark the edges of *strip* behind which there is more. @param {Element} strip */
function show(strip) {
  const { scrollLeft, clientWidth, scrollWidth } = strip;
  const edges = [scrollLeft > SLACK && "left", scrollLeft + clientWidth < scrollWidth - SLACK && "right"];
  setAttribute(strip, "data-more", edges.filter(Boolean).join(" ") || null);
}
