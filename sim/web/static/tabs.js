// @ts-check
/** The tabs above the panels, with the keys of the ARIA practices. */

import { byId, inRow } from "./dom.js";

const tabs = () => [...byId("tabs").querySelectorAll("[role=tab]")];

export function startTabs() {
  byId("tabs").addEventListener("click", (event) => {
    const tab = event.target?.closest("[role=tab]");
    if (tab?.dataset.tab) openTab(tab.dataset.tab);
  });
  byId("tabs").addEventListener("keydown", keyed);
  openTab("cards");
}

/**
 * Show a panel; if *hasFocus*, focus its tab.
 * @param {string} name
 */
export function openTab(name, hasFocus = false) {
  document.body.dataset.open = name;
  for (const tab of tabs()) {
    const isOpen = tab.dataset.tab === name;
    tab.setAttribute("aria-selected", String(isOpen));
    tab.tabIndex = isOpen ? 0 : -1;
    byId(tab.getAttribute("aria-controls") ?? "").hidden = !isOpen;
    if (isOpen && hasFocus) tab.focus();
  }
}

/** @param {KeyboardEvent} event */
function keyed(event) {
  const next = inRow(tabs(), document.activeElement, event.key);
  if (!next) return;
  event.preventDefault();
  openTab(next.dataset.tab ?? "", true);
}
