// @ts-check
/** The places of a map: which are drawn, and their names. */

import { t } from "./words.js";

/**
 * The columns (axis 0) or rows (1) to draw: all with tiles, and one more on each side.
 * @param {GridCell[]} cells
 * @param {0 | 1} axis
 */
export function extent(cells, axis) {
  const numbers = cells.map(({ at }) => at[axis]);
  const first = Math.min(...numbers) - 1;
  return Array.from({ length: Math.max(...numbers) + 2 - first }, (_, n) => first + n);
}

/**
 * A place in words, relative to the start of the map.
 * @param {string} at
 */
export function where(at) {
  const [column, row] = at.split(",").map(Number);
  const words = [column > 0 && t("{n} right", { n: column }), column < 0 && t("{n} left", { n: -column }), row > 0 && t("{n} down", { n: row }), row < 0 && t("{n} up", { n: -row })].filter(Boolean);
  return words.join(", ") || t("The start");
}
