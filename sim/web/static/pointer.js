// @ts-check
/** The words for what a pointer does. */

import { t } from "./words.js";

/**
 * Return a *text* of the table in the words of the pointer: a finger taps what a mouse clicks.
 * @param {string} text
 */
export function forPointer(text) {
  if (!matchMedia("(pointer: coarse)").matches) return text;
  return text.replaceAll(t("Click"), t("Tap")).replaceAll(t("click"), t("tap"));
}
