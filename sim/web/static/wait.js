// @ts-check
/** Waiting until the server's messages have changed something. */

const STEP_MS = 30;

/**
 * Wait until *isSo* returns true, and return true; or return false after *longest* milliseconds.
 * @param {() => boolean} isSo
 * @param {number} longest
 */
export async function until(isSo, longest) {
  for (const end = performance.now() + longest; !isSo(); ) {
    if (performance.now() > end) return false;
    await new Promise((passed) => setTimeout(passed, STEP_MS));
  }
  return true;
}
