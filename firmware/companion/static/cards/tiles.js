// @ts-check
/**
 * Pictures of map tiles in 60 x 60 units. A tile's content is in its kind's name, `forest-ne` or
 * `helper-forest-water`, or in the columns `paths` and `landscape` of the deck file. A landscape has a colour and, so that
 * nobody needs to see colours, a sign in every corner. Paths cross the middle of the tile's edges.
 */

import { group, path, svg } from "./svg.js";


/**
 * The sign of each landscape, in a field of 20 x 20 units.
 * @type {Record<string, () => Element>}
 */
const SIGNS = {
  forest: () => group(path("M9 15h2v4H9z", "sign-dark"), path("M10 1l6 8h-3l4 6H3l4-6H4z", "sign")),
  grain: () => group(path("M10 19V4", "sign-line"), path("M10 1q3 3 0 6q-3-3 0-6zM11 11q0-5 5-6q1 5-5 6zM9 11q0-5-5-6q-1 5 5 6zM11 16q0-5 5-6q1 5-5 6zM9 16q0-5-5-6q-1 5 5 6z", "sign")),
  lavender: () => group(...[0, 72, 144, 216, 288].map((turn) => svg("ellipse", { cx: 10, cy: 4.8, rx: 3.4, ry: 4.2, class: "sign", transform: `rotate(${turn} 10 10)` })), svg("circle", { cx: 10, cy: 10, r: 2.6, class: "sign-dark" })),
  village: () => group(path("M4 9h12v10H4z", "sign-light"), path("M1 10L10 2l9 8z", "sign"), path("M8 13h4v6H8z", "sign-dark")),
  water: () => path("M1 6q3-4 6 0t6 0t6 0M1 12q3-4 6 0t6 0t6 0M1 18q3-4 6 0t6 0t6 0", "sign-wave"),
};
const NAMED = new RegExp(`^(${Object.keys(SIGNS).join("|")})-([nesw]+)$`);
const HELPER = /^helper-([a-z]+)-([a-z]+)$/;
const CORNERS = [[3, 3], [39, 3], [3, 39], [39, 39]];
/** @type {Record<string, string>} */
const WAYS = { n: "M30 30V0", e: "M30 30H60", s: "M30 30V60", w: "M30 30H0" };

/**
 * The print of a tile: its `landscape` and `paths`, or the landscapes that it `helps`; null if it is not a tile of a map.
 * @typedef {{landscape: string, paths: string, helps: string[]}} Print
 * @param {Card} card
 * @returns {Print | null}
 */
function printOf({ kind, traits, face }) {
  if (face !== "map-tile") return null;
  const [, landscape = "", paths = ""] = NAMED.exec(kind) ?? [];
  if (landscape) return { landscape, paths, helps: [] };
  const [, ...helps] = HELPER.exec(kind) ?? [];
  if (helps.length > 0 && helps.every((one) => SIGNS[one])) return { landscape, paths, helps };
  return traits.paths ? { landscape: traits.landscape ?? "none", paths: traits.paths, helps } : null;
}

/** The paths of a tile that can be placed on a board; "" for other cards. @param {Card} card */
export function pathsOf(card) {
  return printOf(card)?.paths ?? "";
}

/**
 * The picture of a tile of a map, or null for another card.
 * @param {Card} card
 * @param {string} [paths]  the paths if the tile is turned from the position in the deck file
 */
export function mapTile(card, paths) {
  const printed = printOf(card);
  if (!printed) return null;
  const drawn = printed.landscape ? landscape(card, printed.landscape, paths ?? printed.paths) : helper(printed.helps);
  return svg("svg", { viewBox: "0 0 60 60", class: `face map-tile land-${printed.landscape || "helper"}`, "aria-hidden": "true", focusable: "false" }, ...drawn);
}

/** @param {Card} card @param {string} name @param {string} paths */
function landscape(card, name, paths) {
  const ways = [...paths].map((side) => WAYS[side]).join("");
  const signs = SIGNS[name] ? CORNERS.map(([x, y]) => svg("g", { transform: `translate(${x} ${y}) scale(0.9)` }, SIGNS[name]())) : [];
  return [
    svg("rect", { x: 0.6, y: 0.6, width: 58.8, height: 58.8, rx: 4, class: "paper" }),
    path(ways, "way-edge"),
    path(ways, "way"),
    svg("circle", { cx: 30, cy: 30, r: 6, class: "way-middle" }),
    ...signs,
    ...(SIGNS[name] ? [] : [middle(card)]),
  ];
}

/** The sign in the middle of a tile without a landscape: an exclamation mark, or a star at the start. @param {Card} card */
function middle(card) {
  if (card.kind === "emergency") return group(svg("circle", { cx: 30, cy: 30, r: 12, class: "alarm-ring" }), svg("text", { x: 30, y: 38, class: "alarm", "text-anchor": "middle" }, "!"));
  return path("M30 17l3.500 9.500L43 30l-9.500 3.500L30 43l-3.500-9.500L17 30l9.500-3.500z", "star");
}

/** A helper tile: two landscapes, each in one half, without paths. @param {string[]} helps */
function helper([one, other]) {
  /** @param {string} name @param {string} d @param {number} x @param {number} y */
  const half = (name, d, x, y) => svg("g", { class: `land-${name}` }, path(d, "half"), svg("g", { transform: `translate(${x} ${y}) scale(1.200)` }, SIGNS[name]()));
  return [
    half(one, "M1 5q0-4 4-4h54L1 59z", 4, 4),
    half(other, "M59 55q0 4-4 4H1L59 1z", 32, 32),
    svg("rect", { x: 1.5, y: 1.5, width: 57, height: 57, rx: 5, class: "rim" }),
    path("M3 57L57 3", "rim"),
  ];
}

/** The back of a tile. */
export function mapBack() {
  const reeds = [12, 22, 32, 42].map((x) => `M${x} 50q-2-18 4-38`).join("");
  return svg("svg", { viewBox: "0 0 60 60", class: "face back", "aria-hidden": "true", focusable: "false" }, svg("rect", { x: 1, y: 1, width: 58, height: 58, rx: 5, class: "paper" }), path(`M8 8h44v44H8z${reeds}`, "weave"));
}
