// @ts-check
/** The styles of robots in words. Styles of other distributions' games are shown by name. */

import { t } from "./words.js";

/** @type {Record<string, () => string>} */
const WORDS = {
  "straw good": () => t("strong"),
  "straw random": () => t("easy, plays anything"),
  "straw careful": () => t("cautious"),
  "straw breaker": () => t("likes to break the back"),
  "straw specials first": () => t("special cards first"),
  "straw exactly 50": () => t("aims at exactly 50"),
  "straw greedy": () => t("after points"),
  "straw mixed": () => t("different each time"),
  "ciao careful": () => t("saves its best cards"),
  "ciao greedy": () => t("high cards first"),
  "ciao racer": () => t("likes races"),
  "ciao chainer": () => t("+3 first"),
  "ciao finisher": () => t("special cards last"),
  "cramel rememberer": () => t("strong, good memory"),
  "cramel careful": () => t("stops early"),
  "cramel greedy": () => t("stops late"),
  "cramel blind": () => t("easy, remembers nothing"),
  "riff-raff careful": () => t("strong, steady hands"),
  "riff-raff nimble": () => t("catches most pieces"),
  "riff-raff greedy": () => t("daring"),
  "riff-raff random": () => t("average"),
  "riff-raff climbers": () => t("likes the yardarms"),
  "riff-raff single": () => t("drops single pieces"),
  "riff-raff clumsy": () => t("easy, drops a lot"),
  "camargue greedy": () => t("strong, most points"),
  "camargue careful": () => t("few open paths"),
  "camargue saver": () => t("saves its helpers"),
  "camargue joiner": () => t("likes to copy"),
  "camargue leveller": () => t("easy, keeps it close"),
  "camargue closer": () => t("closes paths"),
  "camargue sprawler": () => t("builds far out"),
};

/**
 * @param {string} game
 * @param {string} style
 */
export function styleInWords(game, style) {
  return WORDS[`${game} ${style}`]?.() ?? style;
}
