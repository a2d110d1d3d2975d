// @ts-check
/**
 * Pictures of cards (60 x 84 units) and tiles (60 x 60), drawn from the deck file's data, such as kind, value,
 * colour and symbol. This module applies no rules.
 */

import { shipSign } from "./cargo.js";
import { glyphOf, specialGlyph } from "./glyphs.js";
import { svg } from "./svg.js";
import { mapTile } from "./tiles.js";

export const COMMANDS = "commands"; // in place of a game's name
const LONGEST = 54; // the width of the longest names
const NONE = "none"; // the value in a deck file if a card does not have a trait
const SQUARE = ["tile", "tile-back", "map-tile", "cargo"]; // the drawings that are as wide as they are high

/** A card's picture, in the form that the server names in `face`. @param {Card} card */
export function face(card) {
  switch (card.face) {
    case "tile": return picture(60, look(card), printedOnTile(card));
    case "tile-back": return tileBack();
    case "map-tile": return mapTile(card) ?? picture(60, look(card), printedOnTile(card));
    case "cargo": return cargoPicture(card);
    case "area": return picture(84, look(card), printedWithArea(card));
  }
  return picture(84, look(card), printed(card));
}

/** @param {Card} card */
export function isTile(card) {
  return SQUARE.includes(card.face);
}

/** A cargo picture: the shape and the word for its colour; an unknown piece has only a shape. @param {Card} card */
export function cargoPicture(card) {
  const { colour } = card.traits;
  const size = colour ? "translate(6.5 4.5) scale(0.78)" : "translate(3.5 9) scale(0.88)";
  return picture(60, look(card), [svg("g", { class: "glyph", transform: size }, glyphOf(card) ?? ""), ...(colour ? [text(inWords(card, colour), 30, 54.5, "cargo-colour")] : [])]);
}

/** The back of a face-down card. */
export function back() {
  return picture(84, "back", [svg("path", { d: "M8 8h44v68H8zM8 42L30 8l22 34-22 34zM19 42L30 25l11 17-11 17z", class: "weave" })]);
}

/** The back of a tile, with a paw, and corners that show that it can be turned over. */
function tileBack() {
  const pads = [[19, 27], [26, 19], [34, 19], [41, 27]].map(([cx, cy]) => svg("ellipse", { cx, cy, rx: 3.6, ry: 4.6, class: "paw" }));
  return picture(60, "back tile-back", [
    svg("path", { d: "M7 20V7h13M40 7h13v13M53 40v13H40M20 53H7V40", class: "weave" }),
    svg("path", { d: "M30 28q6 0 9 7q3 8-4 8q-3 0-5-1q-2 1-5 1q-7 0-4-8q3-7 9-7z", class: "paw" }),
    ...pads,
  ]);
}

/** @param {number} height @param {string} kind @param {Element[]} drawn */
function picture(height, kind, drawn) {
  return svg(
    "svg",
    { viewBox: `0 0 60 ${height}`, class: `face ${kind}`, "aria-hidden": "true", focusable: "false" },
    svg("rect", { x: 1, y: 1, width: 58, height: height - 2, rx: 6, class: "paper" }),
    ...drawn,
  );
}

/** The CSS class of a card's colours: its colour, or the part of its kind's name before a hyphen. @param {Card} card */
function look(card) {
  if (card.game === COMMANDS) return "look-command";
  if (card.game === "") return "look-odd";
  const { color = NONE, colour = color } = card.traits;
  return `look-${colour === NONE ? card.kind.split("-")[0] : colour}`;
}

/** @param {Card} card */
function printed(card) {
  if (card.traits.symbol) return printedWithSymbol(card);
  const figure = figureOf(card);
  const glyph = glyphOf(card);
  const range = card.printed?.[`${card.kind}.figure`];
  if (range && glyph) return [text(range, 30, 20, "range"), svg("g", { class: "glyph", transform: "translate(7.500 22) scale(0.75)" }, glyph), text(shortName(card), 30, 70, nameSize(card))];
  if (card.value && !glyph) return [text(figure, 30, 46, "huge"), text(shortName(card), 30, 70, nameSize(card))];
  if (figure && !glyph) return [text(figure, 30, 52, figure.length > 3 ? "word" : "huge")];
  if (figure && glyph) return [text(figure, 30, 31, "figure"), placed(glyph, 33)];
  return [...(glyph ? [placed(glyph, 12)] : []), text(shortName(card), 30, 70, nameSize(card))];
}

/**
 * The face of a card with a symbol: the symbol, the word for its colour (for people who cannot tell colours
 * apart), and in a dark band its special ability or the symbol's name.
 * @param {Card} card
 */
function printedWithSymbol(card) {
  const { symbol, colour = NONE, special = NONE } = card.traits;
  const glyph = glyphOf(card) ?? svg("g");
  return [
    ...(card.value ? [svg("text", { x: 5, y: 13, class: "corner" }, String(card.value))] : []),
    svg("g", { class: "glyph", transform: "translate(7 12) scale(0.83)" }, glyph),
    ...(special === NONE ? [text(inWords(card, symbol), 30, 65, inWords(card, symbol).length > 8 ? "name longest" : inWords(card, symbol).length > 6 ? "name longer" : "name")] : [band(card, special)]),
    ...(colour === NONE ? [] : [text(inWords(card, colour), 30, 78, "colour-name")]),
  ];
}

/** The face of a card for an area of the ship: the number, the area's place, and the word for its colour. @param {Card} card */
function printedWithArea(card) {
  const { value, traits } = card;
  return [text(value, 30, 28, "area-number"), svg("g", { class: "glyph", transform: "translate(9.600 32) scale(0.68)" }, shipSign(value)), text(inWords(card, traits.colour ?? ""), 30, 79, "area-colour")];
}

/** The band with a card's special: its glyph and its word. @param {Card} card @param {string} special */
function band(card, special) {
  const words = inWords(card, special).replace(/^plus/, "+");
  const glyph = words.length > 5 ? null : specialGlyph(special); // a long word needs the whole band
  return svg(
    "g",
    { class: "band" },
    svg("rect", { x: 1.6, y: 52, width: 56.8, height: 16 }),
    ...(glyph ? [svg("g", { class: "glyph", transform: "translate(1.500 53.500) scale(0.3)" }, glyph)] : []),
    text(words, glyph ? 38 : 30, 64.5, words.length > 7 ? "special long" : words.length > 2 ? "special" : "special short"),
  );
}

/** The face of a tile: its picture, and its number in the deck file as dots. @param {Card} card */
function printedOnTile(card) {
  const glyph = glyphOf(card);
  const { length } = card.words;
  const size = length > 11 ? "tile-name longest" : length > 8 ? "tile-name long" : "tile-name";
  const room = card.value > 0 ? "translate(6.5 5.5) scale(0.87)" : "translate(2.4 4.5) scale(0.92)";
  const drawn = glyph ? [svg("g", { class: "glyph", transform: room }, glyph)] : [];
  return [...drawn, text(card.words, 30, glyph ? 55.5 : 34, size), ...(card.value > 0 ? [dots(card.value)] : [])];
}

/** White dots on a black circle, as on a die. @type {Record<number, [number, number][]>} */
const DOTS = { 1: [[0, 0]], 2: [[-3, 0], [3, 0]], 3: [[0, -3.1], [-3, 2.2], [3, 2.2]], 4: [[-2.8, -2.8], [2.8, -2.8], [-2.8, 2.8], [2.8, 2.8]] };

/** @param {number} value */
function dots(value) {
  const white = DOTS[value]?.map(([x, y]) => svg("circle", { cx: 10.5 + x, cy: 10.5 + y, r: 2, class: "pip" })) ?? [text(value, 10.5, 14, "pip-figure")];
  return svg("g", {}, svg("circle", { cx: 10.5, cy: 10.5, r: 8.2, class: "pips" }), ...white);
}

/** The big number on a card: its value, or the number in a command card's name; "" if it has none. @param {Card} card */
export function figureOf(card) {
  if (card.value) return String(card.value).replace("-", "−");
  const number = /-(\d+)$/.exec(card.kind);
  if (number) return number[1];
  return glyphOf(card) ? "" : shortName(card);
}

/** @param {Card} card */
export function shortName(card) {
  if (card.game === "") return card.kind === "stranger" ? "stranger" : "random";
  return inWords(card, card.kind).replaceAll("-", " ");
}

/** A word of the deck file as it is printed on a card, in the table's language. @param {Card} card @param {string} word */
export function inWords(card, word) {
  return card.printed?.[word] ?? word;
}

/** @param {Card} card */
function nameSize(card) {
  const { length } = shortName(card);
  return length > 8 ? "name longest" : length > 6 ? "name long" : "name";
}

/** @param {Element} glyph @param {number} top */
function placed(glyph, top) {
  return svg("g", { class: "glyph", transform: `translate(0 ${top})` }, glyph);
}

/** @param {string | number} words @param {number} x @param {number} y @param {string} kind */
function text(words, x, y, kind) {
  const fitted = kind === "name longest" ? { textLength: LONGEST, lengthAdjust: "spacingAndGlyphs" } : {};
  return svg("text", { x, y, class: kind, "text-anchor": "middle", ...fitted }, String(words));
}
