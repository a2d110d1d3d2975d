// @ts-check
/** The levels of robots in words. Styles of other distributions' games are shown by name. */

import { t } from "./words.js";

/** @type {Record<string, () => string>} */
const WORDS = {
  "child": () => t("child"),
  "easy": () => t("easy"),
  "good": () => t("good"),
  "expert": () => t("expert"),
};

/** @param {string} style */
export function styleInWords(style) {
  return WORDS[style]?.() ?? style;
}
