// @ts-check
/**
 * Drawings of cargo, in the field that glyphs.js describes, and of the ship on cards. Each piece has its own
 * outline, so that people can tell them apart without colour.
 */

import { circle, group, path, svg } from "./svg.js";


const boat = () => group(path("M5 26h50q-4 15-14 15H19Q9 41 5 26z", "body"), path("M28 23V3l19 20zM25 23V8L12 23z", "inlay"), path("M9 31h42", "line"));

const barrel = () =>
  group(
    path("M17 4h26q8 18 0 36H17q-8-18 0-36z", "body"),
    path("M13.500 14h33M13.500 30h33", "hoops"),
    path("M25 5q-4 17 0 34M35 5q4 17 0 34", "line"),
  );

const flask = () => group(path("M25 3h10v11l12 22q2 5-4 5H17q-6 0-4-5l12-22z", "inlay"), path("M19.500 25h21l6.500 12q1 4-4 4H17q-5 0-4-4z", "body"), path("M22 3h16", "hoops"), circle(26, 33, 2, "inlay"), circle(34, 30, 1.6, "inlay"));

const crate = () => group(path("M11 4h38v37H11z", "body"), path("M17 10h26v25H17z", "inlay"), path("M17 35l26-25M17 10l26 25M11 10h38M11 35h38", "line"));

const sailor = () =>
  group(
    path("M13 41q0-15 17-15t17 15z", "body"),
    path("M20 31h20M17 36h26", "line"),
    circle(30, 18, 9, "inlay"),
    path("M19 12q0-9 11-9t11 9z", "white"),
    path("M18 9.500h24v4.500H18z", "body"),
    circle(26.5, 19, 1.3, "dot"),
    circle(33.5, 19, 1.3, "dot"),
    path("M26 23q4 3 8 0", "line"),
  );

const plank = () => group(path("M3 29L49 8l8 9L11 38z", "body"), path("M12 29l30-13.500M18 31l32-14.500M27 23q3-1 4 1", "line"), circle(9, 32.500, 1.5, "dot"), circle(51, 14, 1.5, "dot"));

const rat = () =>
  group(
    path("M44 35q13 4 12-7q-1-8-8-5", "tail"),
    path("M4 33q5-11 14-14q16-9 27 5q4 8 1 15H14q-7-1-10-6z", "body"),
    circle(21, 15.500, 6, "inlay"),
    circle(14, 27, 1.7, "dot"),
    path("M5 33l-4-3M6 35l-5 1M19 39v3M25 39v3M37 39v3M43 39v3", "line"),
  );

const chest = () => group(path("M8 20q0-15 13-15h18q13 0 13 15z", "body"), path("M8 20h44v21H8z", "body"), path("M17 6v35M43 6v35M8 20h44", "line"), path("M25 16h10v12H25z", "spark"), circle(30, 21, 1.8, "dot"), path("M30 22v4", "line"));

/** An unknown piece: a bundle under a tarpaulin. */
const cargo = () => group(path("M8 40q-1-22 8-29q14-9 28 0q9 7 8 29z", "body"), path("M30 7v33M9 27q21-9 42 0", "line"));

/** The drawings by the trait `shape`. */
export const CARGO = { boat, barrel, flask, crate, sailor, plank, rat, chest, cargo };

// --- the ship on a card ---------------------------------------------------------------------------

/**
 * The places of the areas, from the bottom: four on deck, and two on each of three yardarms.
 * @type {Record<number, [number, number]>}
 */
const SIGNS = { 1: [12, 36], 2: [24, 36], 3: [36, 36], 4: [48, 36], 5: [17, 25], 6: [43, 25], 7: [20, 15], 8: [40, 15], 9: [23, 5], 10: [37, 5] };

/** A small ship with the area of this number marked. @param {number} area */
export function shipSign(area) {
  const mark = area in SIGNS ? [svg("rect", { x: SIGNS[area][0] - 4, y: SIGNS[area][1] - 4, width: 8, height: 7, rx: 1.5, class: "spark" })] : [];
  return group(path("M30 3v34M10 29h40M14 19h32M18 9h24", "rig"), path("M4 40h52l-6 10H12z", "body"), ...mark);
}
