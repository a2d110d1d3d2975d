// @ts-check
/**
 * The symbols on cards and tiles, drawn in a field 60 wide and 44 high with its centre at (30, 22). The name of
 * a kind selects its symbol, so a card named "reverse" has the turning arrows in every game.
 */

import { CARGO } from "./cargo.js";
import { group, path, svg } from "./svg.js";
import { PORTRAITS } from "./portraits.js";


/** A roped bundle, bigger for a heavier weight. @param {{value?: number}} card */
function bundle({ value = 0 }) {
  const size = 0.62 + 0.04 * Math.min(Math.max(value, 0), 10);
  const drawn = group(
    path("M14 40q-6-15 8-24l-3-8 6 3 5-5 5 5 6-3-3 8q14 9 8 24z", "body"),
    path("M21 16q9 5 18 0M13 30q17 8 34 0M26 18q-7 10-4 22M34 18q7 10 4 22", "line"),
  );
  drawn.setAttribute("transform", `translate(30 42) scale(${size}) translate(-30 -41)`);
  return drawn;
}

/** A woven carpet with fringes. */
function carpet() {
  const fringes = [16, 20, 24, 28, 32, 36, 40, 44].map((x) => `M${x} 4v4M${x} 36v4`).join("");
  return group(
    path(fringes, "line"),
    path("M12 8h36v28H12z", "body"),
    path("M15 11h30v22H15z", "inlay"),
    path("M15 16l5-5 5 5 5-5 5 5 5-5 5 5M15 28l5 5 5-5 5 5 5-5 5 5 5-5", "line"),
    path("M30 16l7 6-7 6-7-6z", "spark"),
  );
}

/** An oil lamp with its flame. */
function lamp() {
  return group(
    path("M51 3q5 6 0 10q-5-4 0-10z", "spark"),
    path("M12 22h28q5 0 11-6q-2 18-16 20l4 4H17l4-4Q10 33 12 22z", "body"),
    path("M12 24q-9-1-7 6q2 5 9 3M19 22q7-9 14 0M26 17v-4", "line"),
  );
}

/** Two identical sheets. */
function copy() {
  return group(
    path("M14 4h21v27H14z", "inlay"),
    path("M25 13h21v27H25z", "body"),
    path("M30 21h11M30 27h11M30 33h7", "line"),
  );
}

/** Two arrows in a circle. */
function reverse() {
  return group(
    path("M13 22a17 15 0 0 1 30-10M47 22a17 15 0 0 1-30 10", "stroke"),
    path("M47 4v13H34zM13 40V27h13z", "body"),
  );
}

/** A stalk of straw. */
function straw() {
  const ear = [0, 5, 10, 15]
    .map((n) => `M${40 - n} ${8 + n * 0.8}q7-6 11-4q-3 6-11 4q-3-9 1-12q4 5-1 12`)
    .join("");
  return group(path("M12 42L41 7", "stroke"), path(ear, "spark"));
}

function paper() {
  return group(path("M16 4h21l8 8v28H16z", "body"), path("M37 4v8h8M22 19h17M22 26h17M22 33h10", "line"));
}

function rock() {
  return group(path("M10 36l5-19 12-9 14 4 10 15-4 11z", "body"), path("M27 8l-3 14 12 6 15-1M24 22l-9 14", "line"));
}

function scissors() {
  /** @param {string} kind */
  const drawn = (kind) => [
    path("M17 4l20 26M43 4L23 30", `${kind} stroke`),
    ...[20, 40].map((cx) => svg("circle", { cx, cy: 35, r: 5.5, class: `${kind} ring` })),
  ];
  return group(...drawn("edge"), ...drawn("inside"));
}

/** A fool's cap with its bells. */
function joker() {
  return group(
    path("M12 35Q2 21 13 10q4 10 11 11Q25 9 30 3q5 6 6 18q7-1 11-11q11 11 1 25z", "body"),
    path("M24 21l-3 14M36 21l3 14", "line"),
    path("M11 34h38v8H11z", "inlay"),
    ...[[12, 9], [30, 4], [48, 9]].map(([cx, cy]) => svg("circle", { cx, cy, r: 3.6, class: "spark" })),
  );
}

/** A millstone, with its furrows. */
function millstone() {
  const furrows = [0, 45, 90, 135, 180, 225, 270, 315].map((angle) => svg("path", { d: "M30 14q4-4 2-10", class: "line", transform: `rotate(${angle} 30 22)` }));
  return group(svg("circle", { cx: 30, cy: 22, r: 20, class: "body" }), ...furrows, path("M25 17h10v10H25z", "inlay"));
}

/** An arrow that bends back to its start. */
const again = () => group(path("M46 16A18 17 0 1 0 48 26", "stroke"), path("M51 4v16H35z", "body"));

/** A parcel with its bow. */
const parcel = () =>
  group(
    path("M12 16h36v25H12z", "body"),
    path("M9 12h42v9H9z", "inlay"),
    path("M26 12h8v29h-8zM30 12q-14 1-13-6t13 6q14 1 13-6t-13 6z", "spark"),
  );

/** Two arrows that pass each other. */
const swap = () => group(path("M12 13h28M48 31H20", "stroke"), path("M38 3l14 10-14 10zM22 21L8 31l14 10z", "body"));

const ok = () => path("M12 24l12 13L48 8", "stroke");
const back = () => group(path("M20 14h16a12 12 0 0 1 0 24H22", "stroke"), path("M24 4v20L9 14z", "body"));
const action = () => path("M34 2L14 26h13l-3 17 21-25H32z", "body");
const speaker = () =>
  group(path("M10 15h10l13-11v36L20 29H10z", "body"), path("M39 15q5 7 0 14M45 9q10 13 0 26", "stroke"));
const chair = () => path("M18 3h6v18h20v6h-2v15h-5V29H23v13h-5z", "body");
const stranger = () =>
  group(
    svg("circle", { cx: 30, cy: 22, r: 19, class: "ring" }),
    path("M23 17q0-7 7-7t7 6.500q0 4-4.500 6.500q-2.500 1.500-2.500 5M30 33v2", "stroke"),
  );
const changing = () =>
  group(
    svg("circle", { cx: 30, cy: 22, r: 19, class: "ring" }),
    path("M19 17q6-8 11 0t11 0M19 28q6-8 11 0t11 0", "stroke"),
  );

/**
 * The symbols by a kind's name, or by its part before a hyphen.
 * @type {Record<string, ((card: {value?: number}) => SVGElement) | undefined>}
 */
const BY_NAME = {
  weight: bundle, carpet, lamp, copy, reverse, straw, paper, rock, scissors, joker, obstacle: millstone,
  again, speed: action, give: parcel, swap,
  ok, back, action, "say-again": speaker, seat: chair, stranger, "random-uid": changing,
  ...PORTRAITS, ...CARGO,
};

/**
 * The symbol of a card: by its `symbol` or `shape` trait, or by its kind's name; null if neither is known.
 * @param {Card} card
 * @returns {SVGElement | null}
 */
export function glyphOf(card) {
  for (const name of [card.traits.symbol, card.traits.shape, card.kind].filter(Boolean)) {
    const draw = BY_NAME[name] ?? BY_NAME[name.split("-")[0]];
    if (draw) return draw(card);
  }
  return null;
}

/** The glyph of a special, by the trait `special`; null if it is not known. @param {string} special */
export function specialGlyph(special) {
  return BY_NAME[special]?.({}) ?? null;
}
