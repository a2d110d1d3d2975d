// The results of finished games on the host's phone, as files that the browser saves.

import { made, part, when } from "./elements.js";

/**
 * @typedef {{number: number, title: string, ended: string, players: [string, number, boolean][], link: string, bgsplay: string, csv: string, json: string}} Result
 * @typedef {{text?: string, code?: string, results?: Result[]}} Reply
 */

const TYPES = /** @type {const} */ ({ bgsplay: "application/octet-stream", csv: "text/csv", json: "application/json" });

export class Results {
  /** @type {string[]} */
  #files = []; // the addresses of the files in the page
  #isHost = false;
  #isOver = false;

  /**
   * @param {Record<string, string>} words
   * @param {() => Promise<Reply | null>} get
   */
  constructor(words, get) {
    this.words = words;
    this.get = get;
    const place = /** @type {HTMLDetailsElement} */ (part("results-part"));
    place.ontoggle = () => place.open && this.#ask();
  }

  /**
   * @param {boolean} isHost
   * @param {boolean} isOver  no game is in progress, so there may be a new result
   */
  draw(isHost, isOver) {
    const [isNew, hasEnded] = [isHost !== this.#isHost, isOver && !this.#isOver];
    [this.#isHost, this.#isOver] = [isHost, isOver];
    if (isNew) this.#fill([]);
    if (!isNew && !hasEnded) return;
    if (isHost && /** @type {HTMLDetailsElement} */ (part("results-part")).open) void this.#ask();
  }

  async #ask() {
    if (part("results").childElementCount === 0) this.#fill([made("p", { textContent: this.words["results.wait"] })]);
    const { results } = (await this.get()) ?? {};
    if (!results || !this.#isHost) return;
    this.#fill(results.length ? results.map((each) => this.#item(each)) : [made("p", { textContent: this.words["results.none"] })]);
  }

  /** @param {HTMLElement[]} items */
  #fill(items) {
    const shown = new Set(items.flatMap((item) => [...item.querySelectorAll("a")].map(({ href }) => href)));
    this.#files.filter((file) => !shown.has(file)).forEach((file) => URL.revokeObjectURL(file));
    this.#files = this.#files.filter((file) => shown.has(file));
    part("results").replaceChildren(...items);
  }

  /** @param {Result} result */
  #item(result) {
    const { words } = this;
    const players = result.players.map(([name, score, won]) => `${won ? "★ " : ""}${name} ${score}`).join(", ");
    const title = made("h3", { textContent: `${result.title}, ${when(result.ended)}` });
    const links = made(
      "p",
      { className: "links" },
      made("a", { href: result.link, textContent: words["results.link"], rel: "noreferrer" }),
      this.#file(result, "bgsplay", words["results.file"]),
      this.#file(result, "csv", words["results.csv"]),
      this.#file(result, "json", words["results.json"]),
    );
    return made("article", {}, title, made("p", { textContent: players }), links);
  }

  /**
   * @param {Result} result
   * @param {keyof typeof TYPES} kind
   * @param {string} text
   */
  #file(result, kind, text) {
    const href = URL.createObjectURL(new Blob([result[kind]], { type: TYPES[kind] }));
    this.#files.push(href);
    return made("a", { href, textContent: text, download: `tapmat-${result.number}.${kind}` });
  }
}
