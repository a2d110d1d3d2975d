// The answers of a phone's player: buttons in a row, numbers in columns, or the places of a map.

import { beforePaint, button, fill, made, part } from "./elements.js";

/**
 * @typedef {{place: [number, number], icon: string[], mark: string, paths: string, text: string}} Cell
 * @typedef {{answers: [any, string][], question: string, map: Cell[], sure: string[], claims: boolean[], marks: string[] | null}} Asked
 */

const NUMBER = /^\d+$/;
const PICTURE = 9; // the width and height of the picture of a tile, in dots
const EDGE = 2; // dots between its edge and its icon
const PATHS = { n: [4, 0, 1, EDGE], e: [7, 4, EDGE, 1], s: [4, 7, 1, EDGE], w: [0, 4, EDGE, 1] }; // x, y, width, height

/**
 * Return the HTML of a rectangle in a picture.
 * @param {number[]} place
 */
const dots = ([x, y, width, height]) => `<rect x="${x}" y="${y}" width="${width}" height="${height}"/>`;

/** Return the picture of the tile in *cell*, as the table's display draws it. @param {Cell} cell */
function tile({ icon, mark, paths }) {
  const element = made("span", { className: "tile" });
  const drawn = icon.flatMap((row, y) => [...row].map((dot, x) => (dot === "#" ? dots([x + EDGE, y + EDGE, 1, 1]) : "")));
  const ways = [...paths].map((side) => dots(PATHS[/** @type {keyof typeof PATHS} */ (side)]));
  if (mark) element.textContent = mark;
  else element.innerHTML = `<svg viewBox="0 0 ${PICTURE} ${PICTURE}">${[...drawn, ...ways].join("")}</svg>`;
  element.setAttribute("aria-hidden", "true"); // each place is named by its distance from the start tile
  return element;
}

export class Answers {
  #asked = ""; // the answers that were in view

  /**
   * @param {Record<string, string>} words
   * @param {(given: unknown) => unknown} answer  sends an answer to the table
   */
  constructor(words, answer) {
    this.answer = answer;
    part("answers").setAttribute("aria-label", words["phone.yours"]);
  }

  /** @param {Asked | null} mine */
  draw(mine) {
    const { answers, question, map, sure, claims, marks } = mine ?? { answers: [], question: "", map: [], sure: [], claims: [], marks: null };
    const canLay = marks?.some(Boolean) ?? true; // then a button in place of a card is not the usual answer
    const place = part("answers");
    const hadMap = place.classList.contains("map");
    part("question").textContent = question;
    part("hint").hidden = question !== ""; // the hint is for the table's controls
    place.classList.toggle("numbers", answers.every(([, text]) => NUMBER.test(text)));
    place.classList.toggle("map", map.length > 0);
    fill(place, map.length > 0 ? this.#cells(answers, map) : answers.map((each, at) => this.#button(each, sure[at], claims[at] || (canLay && each[0].press === "action"))));
    const asked = JSON.stringify([question, answers]);
    if (answers.length > 0 && asked !== this.#asked) beforePaint("answers", () => place.scrollIntoView({ block: "nearest" }));
    this.#asked = asked;
    if (map.length > 0 && !hadMap) place.scrollTo((place.scrollWidth - place.clientWidth) / 2, (place.scrollHeight - place.clientHeight) / 2);
  }

  /**
   * @param {[any, string]} answer
   * @param {string} [sure]  a question before it
   * @param {boolean} [isRare]  it is not the usual answer
   */
  #button([given, text], sure, isRare) {
    return button(text, () => (!sure || confirm(sure)) && this.answer(given), sure || isRare ? "quiet" : "answer");
  }

  /**
   * Return the cells of *map*, row by row, and below them the answers that are no places.
   * @param {[any, string][]} answers
   * @param {Cell[]} map
   */
  #cells(answers, map) {
    const [left, top] = [0, 1].map((axis) => Math.min(...map.map(({ place }) => place[axis])));
    const inRows = [...map].sort((one, other) => one.place[1] - other.place[1] || one.place[0] - other.place[0]);
    const cells = inRows.map((cell) => {
      const answer = answers.find(([given]) => given.place?.join() === cell.place.join());
      const element = answer ? this.#button(answer) : tile(cell);
      if (answer) element.textContent = cell.text;
      if (answer) element.setAttribute("aria-label", answer[1]);
      element.style.gridArea = `${cell.place[1] - top + 1} / ${cell.place[0] - left + 1}`;
      return element;
    });
    return [...cells, ...answers.filter(([given]) => !given.place).map((each) => this.#button(each))];
  }
}
