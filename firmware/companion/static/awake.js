// Keeps the screen on during a game. Browsers allow that only to secure pages: on the table's own
// computer or over HTTPS. Elsewhere there is no `navigator.wakeLock`, and this does nothing.

/** @type {WakeLockSentinel | null} */
let lock = null;
let isWanted = false;
let isBusy = false;

/** Keep the screen on from now on, or let it sleep. @param {boolean} isOn */
export function keepAwake(isOn) {
  isWanted = isOn;
  void update();
}

async function update() {
  if (isBusy || !navigator.wakeLock) return;
  isBusy = true;
  try {
    for (;;) {
      const isHeld = lock !== null && !lock.released; // a hidden page loses it
      const isRight = isHeld === (isWanted && !document.hidden);
      if (isRight) break;
      if (isHeld) await lock?.release();
      else lock = await navigator.wakeLock.request("screen");
    }
  } catch {
    // The browser refuses, for example because the battery is low. The next state asks again.
  } finally {
    isBusy = false;
  }
}

document.addEventListener("visibilitychange", () => void update());
