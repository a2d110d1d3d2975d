// @ts-check
/** The instruments of Lab: mat, display, controls, tray and Trouble panel. Play does not load this module. */

import { startControls } from "./controls.js";
import { loadStyle } from "./dom.js";
import { startMat } from "./mat.js";
import { startOled } from "./oled.js";
import { startTray } from "./tray.js";
import { startTrouble } from "./trouble.js";

await loadStyle("lab.css", "style.css");

/**
 * @param {Store} store
 * @param {Connection} connection
 * @param {() => Catalogue} catalogue
 * @param {Picking} picking
 */
export function startLab(store, connection, catalogue, picking) {
  startMat(store, catalogue, picking);
  startOled(store);
  startControls(store, connection);
  startTray(store, catalogue, picking);
  startTrouble(store, connection);
  store.on("table", () => picking.show());
}
