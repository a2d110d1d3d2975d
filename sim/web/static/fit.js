// @ts-check
/**
 * The size of the banner's texts. The banner has a fixed height, so a long text gets a smaller font until all
 * of it is visible. play.css has the sizes.
 */

import { byId, findIn } from "./dom.js";
import { isPlay } from "./view.js";

const SMALLEST = 5;

/** Fit the texts now, and whenever they or the banner change. */
export function startFit() {
  const banner = byId("banner");
  const changes = new MutationObserver(() => fit(banner));
  changes.observe(banner, { subtree: true, childList: true, characterData: true, attributeFilter: ["hidden", "data-refused", "data-numbers"] });
  new ResizeObserver(() => fit(banner)).observe(banner);
}

/** @param {HTMLElement} banner */
function fit(banner) {
  if (!isPlay() || !banner.checkVisibility()) return; // the second question costs a layout
  const news = [...byId("news").children].sort((one, other) => Number(one.matches("[data-result]")) - Number(other.matches("[data-result]")));
  for (const each of news) each.removeAttribute("data-old");
  banner.dataset.fit = "0";
  // Older news are hidden first, and results last.
  for (const each of news.slice(0, -1)) if (isCut(banner)) each.setAttribute("data-old", "");
  for (let step = 1; step <= SMALLEST && isCut(banner); step++) banner.dataset.fit = String(step);
}

/** Return true if there is no room for the texts, or for the figure and its caption. @param {HTMLElement} banner */
function isCut(banner) {
  const text = findIn(banner, ".banner-text");
  if (text.scrollHeight > text.clientHeight + 1) return true;
  const [room, words, acts, state, gauge] = [banner, text, byId("banner-acts"), findIn(banner, ".banner-state"), byId("gauge")].map((each) => each.getBoundingClientRect());
  const isBelow = acts.height > 0 && acts.top >= words.bottom - 1;
  const isOver = gauge.bottom > state.top + 1 && gauge.right > state.left; // on a phone, it is above
  return state.height > 0 && (isOver || state.top < room.top || state.bottom > (isBelow ? acts.top : room.bottom) + 1);
}
