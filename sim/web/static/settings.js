// @ts-check
/** Settings that the browser stores between visits, if it allows that. */

/**
 * @param {string} name
 * @param {boolean} standard
 * @returns {boolean} the stored setting, or *standard*
 */
export function readSwitch(name, standard) {
  try {
    const kept = localStorage.getItem(`tapmat.${name}`);
    return kept === null ? standard : kept === "on";
  } catch {
    return standard;
  }
}

/**
 * @param {string} name
 * @param {boolean} isOn
 */
export function keepSwitch(name, isOn) {
  try {
    localStorage.setItem(`tapmat.${name}`, isOn ? "on" : "off");
  } catch {
    // In a private window the setting lasts until the page is closed.
  }
}
