// @ts-check
/**
 * The OLED: one canvas pixel for each of the chip's visible pixels. CSS enlarges the canvas by a whole
 * number of device pixels, so all OLED pixels are sharp squares of the same size.
 */

import { byId, setAttribute } from "./dom.js";

const GLASS = [6, 10, 18];
const LIT = [150, 215, 255];
const DIMMEST = 0.3; // the brightness at contrast 0, which is not dark on an SSD1306
const LARGEST = 6; // CSS pixels per OLED pixel at most; larger ones are hard to read

/**
 * Draw `state.oled` on the canvas when it changes.
 * @param {Store} store
 */
export function startOled(store) {
  const canvas = byId("oled");
  const glass = byId("glass");
  store.on("table", () => resize(canvas, store.table.display));
  store.on(["table", "oled", "power"], () => draw(canvas, store));
  store.on(["table", "view", "oled", "power"], () => label(canvas, store));
  new ResizeObserver(() => fit(canvas, glass)).observe(glass);
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {PageTable["display"]} display
 */
function resize(canvas, display) {
  byId("glass").hidden = !display;
  if (!display) return;
  if (canvas.width !== display.width) canvas.width = display.width;
  if (canvas.height !== display.height) canvas.height = display.height;
  fit(canvas, byId("glass"));
}

/**
 * Enlarge the canvas by the largest whole number of device pixels that fits.
 * @param {HTMLCanvasElement} canvas
 * @param {HTMLElement} glass
 */
function fit(canvas, glass) {
  const room = glass.clientWidth - rimOf(canvas);
  if (room <= 0) return;
  const dots = devicePixelRatio || 1;
  const scale = Math.max(1, Math.floor(Math.min((room * dots) / canvas.width, LARGEST * dots)));
  canvas.style.width = `${(canvas.width * scale) / dots}px`;
  canvas.style.height = `${(canvas.height * scale) / dots}px`;
}

/**
 * The width of the canvas's own rim.
 * @param {HTMLCanvasElement} canvas
 */
function rimOf(canvas) {
  const style = getComputedStyle(canvas);
  const sides = [style.paddingLeft, style.paddingRight, style.borderLeftWidth, style.borderRightWidth];
  return sides.reduce((sum, side) => sum + parseFloat(side), 0);
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Store} store
 */
function draw(canvas, store) {
  const { oled, power } = store.state;
  const isLit = Boolean(oled?.on && power);
  setAttribute(canvas, "data-on", isLit);
  setAttribute(canvas, "data-inverted", Boolean(oled?.inverted));
  setAttribute(canvas, "data-contrast", oled?.contrast ?? 0);
  const image = new ImageData(canvas.width, canvas.height);
  paint(image, oled && isLit ? bytesOf(oled.rows) : null, litColour(oled?.contrast ?? 0));
  canvas.getContext("2d")?.putImageData(image, 0, 0);
}

/** @param {string} base64 */
function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

/** @param {number} contrast */
function litColour(contrast) {
  const level = DIMMEST + (1 - DIMMEST) * (contrast / 255);
  return LIT.map((lit, part) => Math.round(GLASS[part] + (lit - GLASS[part]) * level));
}

/**
 * Draw `rows`, the visible pixels; the chip's inversion is already applied to them.
 * @param {ImageData} image
 * @param {Uint8Array | null} rows
 * @param {number[]} lit
 */
function paint(image, rows, lit) {
  const pitch = Math.ceil(image.width / 8);
  for (let y = 0; y < image.height; y++) {
    for (let x = 0; x < image.width; x++) {
      const isLit = rows !== null && (rows[y * pitch + (x >> 3)] >> (7 - (x & 7))) & 1;
      image.data.set([...(isLit ? lit : GLASS), 255], (y * image.width + x) * 4);
    }
  }
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Store} store
 */
function label(canvas, store) {
  setAttribute(canvas, "aria-label", `Display: ${words(store.state)}`);
}

/** @param {PageState} state */
function words({ power, oled, view }) {
  if (!power || !oled?.on) return "off";
  if (!view) return "on";
  const scores = view.names.map((name, seat) => `${name} ${view.scores[seat] ?? ""}`.trim());
  const turn = view.names[view.turn ?? -1];
  return [view.phase, turn && `${turn} to play`, view.direction, ...scores].filter(Boolean).join(", ") || "on";
}
