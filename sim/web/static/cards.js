// @ts-check
/**
 * Pictures of cards (60 x 84 units) and tiles (60 x 60), drawn from the deck file's data: kind,
 * value, colour and symbol. This module knows no rules.
 */

import { shipSign } from "./cargo.js";
import { COMMANDS } from "./catalogue.js";
import { el, svg } from "./dom.js";
import { glyphOf, specialGlyph } from "./glyphs.js";
import { isForBoard, mapTile, printedOnMapTile, sidesInWords } from "./tiles.js";

/** Kinds with colours of their own in style.css; others use their colour trait, or none. */
const FAMILIES = ["weight", "carpet", "lamp", "copy", "reverse", "straw", "gol", "jane", "helena", "el", "ring", "roby", "bloom", "cramel"];
const NONE = "none"; // a trait's value in a deck file when the card has no such trait
const COLOURS = ["red", "green", "yellow", "blue", "orange", "purple", "brown", "black", "white"];

/**
 * A button that shows a card's face.
 * @param {import("./catalogue.js").Card} card
 */
export function cardButton(card) {
  return el(
    "button",
    { type: "button", class: card.isTile ? "card tile" : "card", "data-tag": card.tag, "data-card": card.tag, "aria-label": nameOf(card), title: nameOf(card), "aria-pressed": "false", "data-for-board": isForBoard(card) ? "" : null },
    face(card),
  );
}

/** A card's picture. */
export function face(card) {
  if (card.isDown) return tileBack();
  if (printedOnMapTile(card)) return mapTile(card);
  if (card.traits.shape) return cargoPicture(card);
  return card.isTile ? picture(60, look(card), printedOnTile(card)) : picture(84, look(card), printed(card));
}

/** A piece of cargo: its shape and the word for its colour; an unknown piece has only a shape. */
export function cargoPicture(card) {
  const { colour } = card.traits;
  const size = colour ? "translate(6.5 4.5) scale(0.78)" : "translate(3.5 9) scale(0.88)";
  return picture(60, look(card), [svg("g", { class: "glyph", transform: size }, glyphOf(card)), ...(colour ? [text(colour, 30, 54.5, "cargo-colour")] : [])]);
}

/** The back of a face-down card. */
export function back() {
  return picture(84, "back", [svg("path", { d: "M8 8h44v68H8zM8 42L30 8l22 34-22 34zM19 42L30 25l11 17-11 17z", class: "weave" })]);
}

/** The back of a tile, with a paw, and corners that show that it can be turned over. */
export function tileBack() {
  const pads = [[19, 27], [26, 19], [34, 19], [41, 27]].map(([cx, cy]) => svg("ellipse", { cx, cy, rx: 3.6, ry: 4.6, class: "paw" }));
  return picture(60, "back tile-back", [
    svg("path", { d: "M7 20V7h13M40 7h13v13M53 40v13H40M20 53H7V40", class: "weave" }),
    svg("path", { d: "M30 28q6 0 9 7q3 8-4 8q-3 0-5-1q-2 1-5 1q-7 0-4-8q3-7 9-7z", class: "paw" }),
    ...pads,
  ]);
}

function picture(height, kind, drawn) {
  return svg(
    "svg",
    { viewBox: `0 0 60 ${height}`, class: `face ${kind}`, "aria-hidden": "true", focusable: "false" },
    svg("rect", { x: 1, y: 1, width: 58, height: height - 2, rx: 6, class: "paper" }),
    ...drawn,
  );
}

/**
 * The name of a card for people, as in "The 7, copy 2 of 4". It contains the text printed on the card,
 * so that users of speech control can say what they see.
 */
export function nameOf(card) {
  const words = card.words.charAt(0).toUpperCase() + card.words.slice(1);
  const printed = card.isTile ? words : figureOf(card) || shortName(card);
  const isNamed = words.toLowerCase().includes(printed.toLowerCase());
  const paths = isForBoard(card) ? `: paths ${sidesInWords(printedOnMapTile(card).paths)}` : "";
  const full = `${isNamed ? words : `${words} (${printed})`}${paths}`;
  return card.count > 1 ? `${full}, copy ${card.copy} of ${card.count}` : full;
}

function look(card) {
  if (card.game === COMMANDS) return "look-command";
  if (card.game === "") return "look-odd";
  const colour = card.traits.colour ?? card.traits.color;
  if (COLOURS.includes(colour)) return `look-${colour}`;
  const family = card.kind.split("-")[0];
  return FAMILIES.includes(family) ? `look-${family}` : "look-plain";
}

function printed(card) {
  if (card.traits.symbol) return printedWithSymbol(card);
  if (card.traits.colour && card.value) return printedWithArea(card);
  const figure = figureOf(card);
  const glyph = glyphOf(card);
  const copy = card.count > 1 ? [copyMark(card.copy)] : [];
  if (card.value && !glyph) return [text(figure, 30, 46, "huge"), text(shortName(card), 30, 70, nameSize(card)), ...copy];
  if (figure && !glyph) return [text(figure, 30, 52, figure.length > 3 ? "word" : "huge"), ...copy];
  if (figure) return [text(figure, 30, 31, "figure"), placed(glyph, 33), ...copy];
  return [...(glyph ? [placed(glyph, 12)] : []), text(shortName(card), 30, 70, nameSize(card)), ...copy];
}

/**
 * The face of a card with a symbol: the symbol, the word for its colour (so that nobody needs to see
 * colours), and in a dark band its special ability or the symbol's name.
 */
function printedWithSymbol(card) {
  const { symbol, colour = NONE, special = NONE } = card.traits;
  const glyph = glyphOf(card) ?? svg("g");
  const copies = Array.from({ length: card.count > 1 ? Math.min(card.copy, 13) : 0 }, (_, place) => svg("circle", { cx: 55.5, cy: 6 + 4 * place, r: 1.3 }));
  return [
    ...(card.value ? [svg("text", { x: 5, y: 13, class: "corner" }, String(card.value))] : []),
    svg("g", { class: "glyph", transform: "translate(7 12) scale(0.83)" }, glyph),
    ...(special === NONE ? [text(symbol, 30, 65, symbol.length > 7 ? "name longer" : "name")] : [band(special)]),
    ...(colour === NONE ? [] : [text(colour, 30, 78, "colour-name")]),
    svg("g", { class: "copy-mark" }, ...copies),
  ];
}

/** The face of a card for an area of the ship: the number, the area's place, and the word for its colour. */
function printedWithArea({ value, traits }) {
  return [text(value, 30, 28, "area-number"), svg("g", { class: "glyph", transform: "translate(9.600 32) scale(0.68)" }, shipSign(value)), text(traits.colour, 30, 79, "area-colour")];
}

/** A card's special: its glyph and its word. */
function band(special) {
  const glyph = specialGlyph(special);
  const words = special.replace(/^plus/, "+");
  return svg(
    "g",
    { class: "band" },
    svg("rect", { x: 1.6, y: 52, width: 56.8, height: 16 }),
    ...(glyph ? [svg("g", { class: "glyph", transform: "translate(1.500 53.500) scale(0.3)" }, glyph)] : []),
    text(words, glyph ? 38 : 30, 64.5, words.length > 2 ? "special" : "special short"),
  );
}

/** The face of a tile: its picture, and its number in the deck file as dots. */
function printedOnTile(card) {
  const glyph = glyphOf(card);
  const { length } = card.words;
  const size = length > 8 ? "tile-name long" : "tile-name";
  const room = card.value > 0 ? "translate(6.5 5.5) scale(0.87)" : "translate(2.4 4.5) scale(0.92)";
  const drawn = glyph ? [svg("g", { class: "glyph", transform: room }, glyph)] : [];
  return [...drawn, text(card.words, 30, glyph ? 55.5 : 34, size), ...(card.value > 0 ? [dots(card.value)] : [])];
}

/** White dots on a black circle, as on a die. */
const DOTS = { 1: [[0, 0]], 2: [[-3, 0], [3, 0]], 3: [[0, -3.1], [-3, 2.2], [3, 2.2]], 4: [[-2.8, -2.8], [2.8, -2.8], [-2.8, 2.8], [2.8, 2.8]] };

function dots(value) {
  const white = DOTS[value]?.map(([x, y]) => svg("circle", { cx: 10.5 + x, cy: 10.5 + y, r: 2, class: "pip" })) ?? [text(value, 10.5, 14, "pip-figure")];
  return svg("g", {}, svg("circle", { cx: 10.5, cy: 10.5, r: 8.2, class: "pips" }), ...white);
}

/** The big number on a card: its value, or the number in a command card's name; "" if it has none. */
function figureOf(card) {
  if (card.value) return String(card.value).replace("-", "−");
  const number = /-(\d+)$/.exec(card.kind);
  if (number) return number[1];
  return glyphOf(card) ? "" : shortName(card);
}

/** The number of the copy as dots on the lower edge, to tell copies of a kind apart. */
function copyMark(copy) {
  const dots = Array.from({ length: Math.min(copy, 13) }, (_, place) => svg("circle", { cx: 6 + 4 * place, cy: 78.5, r: 1.3 }));
  return svg("g", { class: "copy-mark" }, ...dots);
}

function shortName(card) {
  if (card.game === "") return card.kind === "stranger" ? "stranger" : "random";
  return card.kind.replaceAll("-", " ");
}

function nameSize(card) {
  const { length } = shortName(card);
  return length > 8 ? "name longest" : length > 6 ? "name long" : "name";
}

function placed(glyph, top) {
  return svg("g", { class: "glyph", transform: `translate(0 ${top})` }, glyph);
}

function text(words, x, y, kind) {
  return svg("text", { x, y, class: kind, "text-anchor": "middle" }, String(words));
}
