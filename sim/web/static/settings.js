/** What this browser remembers between visits. A browser that keeps nothing still plays. */

/** @returns {boolean} the kept switch, or *standard* */
export function readSwitch(name, standard) {
  try {
    const kept = localStorage.getItem(`tapmat.${name}`);
    return kept === null ? standard : kept === "on";
  } catch {
    return standard;
  }
}

export function keepSwitch(name, isOn) {
  try {
    localStorage.setItem(`tapmat.${name}`, isOn ? "on" : "off");
  } catch {
    // A private window: the switch holds until the page is closed.
  }
}
