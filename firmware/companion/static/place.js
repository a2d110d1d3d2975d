// The place on the page, which stays when a new language loads the page again: the scroll position and the open parts.

const KEY = "tapmat-place"; // in the browser's storage
const PATIENCE_MS = 3000; // the parts of the host come after the first state

/** @returns {HTMLDetailsElement[]} */
const parts = () => [...document.querySelectorAll("details")].filter((each) => each.id !== "");

export function keepPlace() {
  sessionStorage.setItem(KEY, JSON.stringify({ y: scrollY, open: parts().filter((each) => each.open).map(({ id }) => id) }));
}

/** Go back to the place that was kept, once the page is high enough. */
export function returnToPlace() {
  const kept = sessionStorage.getItem(KEY);
  if (kept === null) return;
  sessionStorage.removeItem(KEY);
  const { y, open } = JSON.parse(kept);
  for (const each of parts()) each.open = open.includes(each.id);
  const end = Date.now() + PATIENCE_MS;
  const scroll = () => {
    scrollTo(0, y);
    if (scrollY < y && Date.now() < end) requestAnimationFrame(scroll);
  };
  scroll();
}
