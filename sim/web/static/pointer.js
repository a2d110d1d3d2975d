// @ts-check
/** The words for what people do with mouse or finger. */

import { t } from "./words.js";

/**
 * Return *text* of the table with "tap" instead of "click" if people use a finger.
 * @param {string} text
 */
export function forPointer(text) {
  if (!matchMedia("(pointer: coarse)").matches) return text;
  return text.replaceAll(t("Click"), t("Tap")).replaceAll(t("click"), t("tap"));
}
