// @ts-check
/**
 * The ship that tilts under its cargo: hull and areas turn together, the sea does not. The server says how far the
 * ship tilts, what has slid, and what falls on which side.
 */

import { cargoPicture } from "./cards/faces.js";
import { path, svg } from "./cards/svg.js";
import { el, findIn, keepChildren, setAttribute, setText } from "./dom.js";
import { t } from "./words.js";

const AREAS = [9, 10, 7, 8, 5, 6, 1, 2, 3, 4]; // in reading order: rows from the top, each from left to right
const ROOM = 6; // pieces drawn in an area; more are shown as a number
const WEIGHTS = [() => t("light"), () => t("medium"), () => t("heavy"), () => t("very heavy")];
const BUNDLE = "/cargo"; // a piece that is not known

export function buildShip() {
  return el("div", { class: "ship" },
    sea("far", "M-25 372q25-14 50 0t50 0t50 0t50 0t50 0t50 0t50 0t50 0t50 0v28H-25z"),
    el("div", { class: "vessel" }, hull(), ...AREAS.map((area) => el("div", { class: "bay", "data-area": area, role: "img" }, el("span", { class: "bay-pieces" }), el("span", { class: "bay-number" }, String(area)), el("span", { class: "bay-tally" })))),
    sea("near", "M-50 384q25-14 50 0t50 0t50 0t50 0t50 0t50 0t50 0t50 0t50 0t50 0v16H-50z"),
    el("div", { class: "lean", role: "img" }),
  );
}

/** How heavy a piece is, in words. @param {Card} card @param {ShipLoad} load */
export function heaviness({ traits }, { weights }) {
  return WEIGHTS[(weights[traits.shape] ?? 0) - 1]?.() ?? null;
}

/**
 * @param {HTMLElement} ship
 * @param {ShipLoad} load
 * @param {Catalogue} catalogue
 */
export function showLoad(ship, load, catalogue) {
  ship.toggleAttribute("data-falling", load.isFalling || load.canReport);
  const { tilt, limit } = load;
  ship.style.setProperty("--tilt", String(tilt));
  ship.style.setProperty("--limit", String(limit));
  const lean = findIn(ship, ".lean");
  lean.hidden = limit === null;
  const words = t("Lean: {tilt}°. Cargo slides from {limit}°.", { tilt: Math.abs(tilt), limit: limit ?? 0 });
  for (const name of ["aria-label", "title"]) setAttribute(lean, name, words);
  for (const area of load.areas) showArea(findIn(ship, `[data-area="${area.area}"]`), area, load, catalogue);
}

/**
 * @param {HTMLElement} bay
 * @param {ShipArea} area
 * @param {ShipLoad} load
 * @param {Catalogue} catalogue
 */
function showArea(bay, area, load, catalogue) {
  const { pieces, most } = area;
  const isLit = load.lit === area.area;
  const least = pieces.length;
  const known = pieces.filter((tag, n) => n < ROOM || fate(tag, load)).map((tag) => `${tag} ${isKnown(tag) ? fate(tag, load) : ""}`);
  const handed = isLit && load.inHand ? [`${load.inHand} ${fate(load.inHand, load) || "in-hand"}`] : [];
  const shown = findIn(bay, ".bay-pieces");
  keepChildren(shown, [...known, ...(most > least ? ["ghost"] : []), ...handed], (key) => {
    const [tag, how] = key.split(" ");
    return tag === "ghost" ? seen(catalogue.card(BUNDLE), "perhaps") : seen(catalogue.card(tag), how, tag);
  });
  for (const piece of /** @type {NodeListOf<HTMLElement>} */ (shown.querySelectorAll("[data-aboard]"))) move(piece, piece.dataset.aboard ?? "", load);
  setText(findIn(bay, ".bay-tally"), most > least ? (most < Infinity ? `${least}–${most}` : `${least}+`) : least > ROOM ? `×${least}` : "");
  bay.toggleAttribute("data-lit", isLit);
  bay.toggleAttribute("data-many", known.length + handed.length > 3);
  setAttribute(bay, "aria-label", areaWords(area, isLit, catalogue));
}

/**
 * @param {Card} card
 * @param {string} how
 * @param {string} [tag]
 */
function seen(card, how, tag) {
  return el("span", { class: "aboard", "data-how": how || null, "data-aboard": tag }, cargoPicture(card));
}

/**
 * Show how far a piece has slid, and where and when it falls.
 * @param {HTMLElement} piece
 * @param {string} tag
 * @param {ShipLoad} load
 */
function move({ style }, tag, { slid, sides, fallen }) {
  style.setProperty("--slid", String(slid[tag] ?? 0));
  style.setProperty("--side", String(sides[tag] ?? 1));
  style.setProperty("--nth", String(Math.max(fallen.indexOf(tag), 0)));
}

/**
 * @param {ShipArea} area
 * @param {boolean} isLit
 * @param {Catalogue} catalogue
 */
function areaWords({ area, pieces, most }, isLit, catalogue) {
  const what = pieces.map((tag) => catalogue.card(tag).words);
  const more = most > pieces.length ? [most < Infinity ? t("perhaps {n} more", { n: most - pieces.length }) : t("perhaps more")] : [];
  const words = t("Area {area}: {cargo}", { area, cargo: [...what, ...more].join(", ") || t("empty") });
  return isLit ? `${words}; ${t("to load")}` : words;
}

/**
 * The outcome of a piece: "caught", "fell", or "" if it is still aboard.
 * @param {string} tag
 * @param {ShipLoad} load
 */
function fate(tag, { fallen, caught }) {
  return caught.includes(tag) ? "caught" : fallen.includes(tag) ? "fell" : "";
}

/**
 * Return true if *tag* is a known piece, and not a plain bundle for an unknown one.
 * @param {string} tag
 */
function isKnown(tag) {
  return !/(^|\/)cargo#/.test(tag);
}

/** @param {string} kind @param {string} d */
function sea(kind, d) {
  return svg("svg", { viewBox: "0 0 400 400", class: `waves ${kind}`, "aria-hidden": "true", focusable: "false" }, path(d, `sea ${kind}`));
}

/** Hull, mast and yardarms, behind the areas. */
function hull() {
  return svg("svg", { viewBox: "0 0 400 400", class: "hull", "aria-hidden": "true", focusable: "false" },
    path("M200 8v320M200 12l34 7-34 8", "mast"),
    path("M200 14L56 320M200 14l144 306", "rope"),
    path("M112 92h176M78 172h244M44 252h312", "yard"),
    path("M112 96q88 26 176 0l-6 20q-82 20-164 0zM78 176q122 30 244 0l-8 20q-114 24-228 0zM44 256q156 34 312 0l-8 18q-148 26-296 0z", "sail"),
    path("M12 328h376q-8 22-22 44q-10 14-24 14H58q-14 0-24-14q-14-22-22-44z", "planks"),
    path("M20 344h360M29 360h342", "seam"),
  );
}
