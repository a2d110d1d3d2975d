// @ts-check
/** Settings that the browser stores between visits, if it allows that. */

/** @param {string} name @returns {string | null} the stored setting, if any */
export function readSetting(name) {
  try {
    return localStorage.getItem(`tapmat.${name}`);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string} value @returns {string} the same value */
export function keepSetting(name, value) {
  try {
    localStorage.setItem(`tapmat.${name}`, value);
  } catch {
    // In a private window the setting lasts until the page is closed.
  }
  return value;
}

/** @param {string} name @param {boolean} standard */
export function readSwitch(name, standard) {
  return (readSetting(name) ?? (standard ? "on" : "off")) === "on";
}

/** @param {string} name @param {boolean} isOn */
export function keepSwitch(name, isOn) {
  keepSetting(name, isOn ? "on" : "off");
}

const PLAYERS = "players"; // the setting with the players of the last game

/** The players of a game by seat: each has a name, "" for the usual one, and the style of a robot or null. @typedef {[string, string | null][]} Players */

/** @returns {Players} the players of the last game that was started in this browser */
export function readPlayers() {
  try {
    return JSON.parse(readSetting(PLAYERS) || "[]");
  } catch {
    return []; // it was not this page that wrote it
  }
}

/** @param {Players} players */
export function keepPlayers(players) {
  keepSetting(PLAYERS, JSON.stringify(players));
}
