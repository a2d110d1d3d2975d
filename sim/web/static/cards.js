// @ts-check
/** Buttons that show a card, and its name for people. The drawings are the companion's, in `cards/`. */

import { face, figureOf, inWords, isTile, shortName } from "./cards/faces.js";
import { pathsOf } from "./cards/tiles.js";
import { el } from "./dom.js";
import { capital, listed, t } from "./words.js";

/** @type {Record<string, () => string>} */
const SIDES = { n: () => t("top"), e: () => t("right"), s: () => t("bottom"), w: () => t("left") };

/**
 * A button that shows a card's face.
 * @param {Card} card
 */
export function cardButton(card) {
  return el(
    "button",
    { type: "button", class: isTile(card) ? "card tile" : "card", "data-tag": card.tag, "data-card": card.tag, "aria-label": nameOf(card), "aria-pressed": "false",
      ...(card.does ? { "aria-describedby": describedBy(card.game, card.does) } : { title: nameOf(card) }) },
    face(card),
  );
}

/**
 * A copy of *card* that shows *symbol*, which it stands for. Its own symbol is in the band.
 * @param {Card} card
 * @param {string} symbol
 * @returns {Card}
 */
export function standingFor(card, symbol) {
  return { ...card, words: `${card.words}: ${inWords(card, symbol)}`, traits: { ...card.traits, symbol, special: card.traits.symbol } };
}

/**
 * A copy of *card* that shows *number*, which it counts as.
 * @param {Card} card
 * @param {string} number
 * @returns {Card}
 */
export function countingAs(card, number) {
  const figure = `= ${number.replace("-", "−")}`;
  return { ...card, words: `${card.words} ${figure}`, printed: { ...card.printed, [`${card.kind}.figure`]: figure } };
}

/**
 * The id of the description of a special effect; tip.js writes it.
 * @param {string} game
 * @param {string} effect
 */
export function describedBy(game, effect) {
  return `does-${game}-${effect}`;
}

/**
 * The name of a card for people, as in "The 7, copy 2 of 4". It contains the text printed on the card,
 * so that users of speech control can say what they see.
 * @param {Card} card
 */
export function nameOf(card) {
  const words = capital(card.words);
  const printed = isTile(card) ? words : figureOf(card) || shortName(card);
  const isNamed = words.toLowerCase().includes(printed.toLowerCase());
  const paths = pathsOf(card);
  const name = isNamed ? words : `${words} (${printed})`;
  const full = paths ? t("{tile}, paths {sides}", { tile: name, sides: sidesInWords(paths) }) : name;
  return card.count > 1 ? t("{card}, {copy} of {count}", { card: full, copy: card.copy, count: card.count }) : full;
}

/** The sides of *paths* in words, as in "top and right". @param {string} paths */
export function sidesInWords(paths) {
  return listed([...paths].map((side) => SIDES[side]()));
}
