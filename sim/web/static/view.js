// @ts-check
/**
 * The two views of the page. *Play* has what players need: the table, the hands and the banner. *Lab* has the
 * mat's instruments: readers, display, encoder, transcript, journal and trouble.
 */

import { byId, setText } from "./dom.js";
import { keepSwitch, readSwitch } from "./settings.js";
import { t } from "./words.js";

const LAB = "lab"; // the key of the setting, and the name in the address: ?view=lab

/**
 * @param {Store} store
 * @param {() => void} openLab  called each time when people go to Lab
 */
export function startView(store, openLab) {
  /** @param {boolean} isLab */
  const change = (isLab) => {
    show(isLab);
    if (isLab) openLab();
  };
  const named = new URLSearchParams(location.search).get("view");
  change(named === null ? readSwitch(LAB, false) : named === LAB);
  store.on("table", () => show(!isPlay()));
  /** @param {boolean} isLab */
  const go = (isLab) => {
    change(isLab);
    keepSwitch(LAB, isLab);
  };
  // The browser's *Back* leads from Lab to the game.
  byId("view-switch").addEventListener("click", () => {
    if (history.state === LAB) return history.back();
    if (isPlay()) history.pushState(LAB, "");
    go(isPlay());
  });
  let { hash } = location;
  addEventListener("popstate", () => {
    if (hash === location.hash) go(history.state === LAB);
    hash = location.hash; // a link within the page changes it, and comes here too
  });
}

/** Return true if the page shows Play. */
export function isPlay() {
  return document.body.dataset.view === "play";
}

/** @param {boolean} isLab */
function show(isLab) {
  document.body.dataset.view = isLab ? LAB : "play";
  byId("transcript").tabIndex = isLab ? 0 : -1; // in Play, it is read out but not seen
  setText(byId("view-name"), isLab ? t("Play") : t("Lab"));
  byId("view-switch").title = isLab ? t("Back to the game") : t("Lab: readers, display, sensors");
}
