// @ts-check
/**
 * Pictures of the people and things on tiles, drawn in the field that glyphs.js describes. Each has its own
 * shape (hair, hat, ears, a box), so that people can tell them apart without colour.
 */

import { circle, group, path } from "./svg.js";

/** @param {number} y */
const eyes = (y, apart = 5) => group(circle(30 - apart, y, 1.9, "dot"), circle(30 + apart, y, 1.9, "dot"));

/** A bald man with a mighty moustache. */
function gol() {
  return group(
    circle(14, 23, 4, "inlay"),
    circle(46, 23, 4, "inlay"),
    path("M15 22a15 17 0 0 1 30 0q0 20-15 20t-15-20z", "inlay"),
    path("M24 9q5-3 11 0M20 15q3-3 7-1M33 14q4-2 7 1", "line"),
    eyes(20),
    path("M30 27q-7-5-11 0q-4 4-9 1q1 9 10 8q7-1 10-5q3 4 10 5q9 1 10-8q-5 3-9-1q-4-5-11 0z", "body"),
    path("M28 23q2 3 4 0", "line"),
  );
}

/** A girl with two plaits, tied with bows. */
function jane() {
  return group(
    path("M17 17q-12 2-12 14q0 7 5 10q6-6 4-12q4-4 6-10zM43 17q12 2 12 14q0 7-5 10q-6-6-4-12q-4-4-6-10z", "body"),
    circle(30, 24, 15, "inlay"),
    path("M14 24q-1-21 16-21t16 21q-4-9-9-12q-8 7-19 5q-3 3-4 7z", "body"),
    path("M15 17l-8-5v10zM15 17l3-7 4 6zM45 17l8-5v10zM45 17l-3-7-4 6z", "spark"),
    eyes(24),
    path("M24 30q6 6 12 0", "line"),
  );
}

/** A lady with long hair, parted in the middle, and a flower in it. */
function helena() {
  return group(
    path("M30 2Q11 2 12 22q0 12-6 19q12 3 24-1q12 4 24 1q-6-7-6-19Q49 2 30 2z", "body"),
    path("M18 23a12 14 0 0 1 24 0q0 15-12 17q-12-2-12-17z", "inlay"),
    path("M30 7q-3 13-14 18q-2-18 14-18zM30 7q3 13 14 18q2-18-14-18z", "body"),
    path("M22 24q3-4 6 0M32 24q3-4 6 0M26 32q4 4 8 0", "line"),
    path("M43 3q4-3 5 2q5 0 3 5q3 4-2 5q-2 4-6 1q-5 1-4-4q-4-3 0-6q0-4 4-3z", "spark"),
    circle(44.5, 9.5, 2.2, "inlay"),
  );
}

/** Somebody with a cloud of curls and a headband. */
function elEl() {
  const curls = [[12, 30], [10, 20], [15, 10], [24, 5], [36, 5], [45, 10], [50, 20], [48, 30]];
  return group(
    ...curls.map(([x, y]) => circle(x, y, 7, "body")),
    path("M13 30q-3-24 17-24t17 24z", "plain-body"),
    path("M17 24a13 14 0 0 1 26 0q0 17-13 17t-13-17z", "inlay"),
    path("M16 20q14-7 28 0l-1-6q-13-6-26 0z", "spark"),
    eyes(26),
    path("M23 31q7 8 14 0z", "mouth"),
  );
}

/** A boy with freckles under a cap worn sideways. */
function roby() {
  return group(
    path("M14 20q-3 5 0 11l5-2zM46 20q3 5 0 11l-5-2z", "body"),
    circle(30, 27, 15, "inlay"),
    path("M14 20q1-17 17-17q13 0 15 12q10 0 12 5q-14-2-22 0z", "spark"),
    path("M31 3q-5 6-5 16M31 3v-2M24 33q6 5 12 0", "line"),
    eyes(26),
    ...[[20, 30], [22.500, 32.500], [40, 30], [37.500, 32.500]].map(([x, y]) => circle(x, y, 0.9, "dot")),
  );
}

/** The housekeeper: a bun, spectacles, and a stern look. */
function bloom() {
  return group(
    circle(30, 6, 6, "body"),
    path("M14 27q-3-19 16-19t16 19l-4 6H18z", "body"),
    path("M18 25q0-9 12-11q12 2 12 11q0 14-12 14t-12-14z", "inlay"),
    path("M20 3l5 3M40 3l-5 3", "line"),
    circle(24.5, 25, 4.8, "glass"),
    circle(35.5, 25, 4.8, "glass"),
    path("M20 18l7 2M40 18l-7 2M29.300 25h1.400M26 35q4-2.500 8 0", "line"),
    circle(24.5, 25.500, 1.6, "dot"),
    circle(35.5, 25.500, 1.6, "dot"),
    path("M30 39l-13-1 3 6h20l3-6z", "white"),
  );
}

/** The cat. */
function cramel() {
  return group(
    path("M12 2l11 7q7-2 14 0l11-7q3 9 0 18q4 10-3 17q-6 6-15 6t-15-6q-7-7-3-17q-3-9 0-18z", "body"),
    path("M15 8l5 4-5 5zM45 8l-5 4 5 5z", "spark"),
    path("M30 9v7M24.500 10l1.500 5M35.500 10L34 15", "line"),
    path("M17 24q6-6 10 1q-6 4-10-1zM43 24q-6-6-10 1q6 4 10-1z", "inlay"),
    path("M23 21.500v5M37 21.500v5", "line"),
    path("M27 29h6l-3 3.500z", "spark"),
    path("M30 32.500q-1 5-6 4M30 32.500q1 5 6 4M19 31L4 28M19 34L5 37M41 31l15-3M41 34l14 3", "line"),
  );
}

/** A ring in its open box. */
function ringBox() {
  return group(
    path("M13 1h34l6 26H7z", "body"),
    path("M17 5h26l4 21H13z", "inlay"),
    circle(30, 23, 8.5, "hoop"),
    path("M25.500 6h9l4 4-8.500 8-8.500-8z", "spark"),
    path("M21.500 10h17M27.500 10l2.500 8 2.500-8", "line"),
    path("M6 27h48v15H6z", "body"),
    path("M6 31h48M26 31v5h8v-5", "line"),
  );
}

/** The pictures by kind. */
export const PORTRAITS = { gol, jane, helena, "el-el": elEl, roby, bloom, cramel, "ring-box": ringBox };
