// @ts-check
/**
 * A race in Play: a countdown before it, and a photo finish after it. People can lay cards only after the
 * countdown, and robots wait as long.
 */

import { byId, el, loadStyle, setAttribute } from "./dom.js";
import { isPlay } from "./view.js";
import { inSeconds, t } from "./words.js";

await loadStyle("race.css", "hands.css");

const STEPS = 3;
const STEP_MS = 700; // sim/deal/seats.py has the time of all steps as COUNTDOWN_S
const GO_MS = 600; // how long the last word is shown
const FINISH_MS = 3000; // how long the photo finish is shown, and a late card counts
const TRACK_MS = 1000; // the time that the track covers; cards that come later are drawn at its beginning

/** Who laid a card, and how long after the countdown. @typedef {{seat: number, ms: number}} Arrival */

export class Race {
  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    /** @type {number[] | null} the seats in the race in progress, if any; null before the first state */
    this.racers = null;
    this.game = 0; // the number of its game
    this.goAt = 0; // when the countdown ends, as performance.now(); 0 without a countdown
    this.laidAt = 0; // when the last card was laid, or 0
    /** @type {Arrival[]} the winner first */
    this.arrivals = [];
    this.due = 0; // the timer for the next picture
    store.on("view", () => this.#look());
    store.on("late", () => this.#arriveLate());
  }

  #look() {
    const { view } = this.store.state;
    const { turn = null, active = [], asks = [], choices = null, played = null, number: game = 0 } = view ?? {};
    if (game !== null && game !== this.game) {
      if (this.game !== 0) this.store.takeState({ won: null });
      this.game = game;
      this.racers = null;
    }
    const isOpen = turn === null && asks.includes("race"); // each racer may lay a card
    const before = this.racers;
    if (before?.length && !isOpen) {
      this.laidAt ||= performance.now();
      if (turn === null && choices) return; // the race goes on while the table asks about the card
    }
    this.racers = isOpen ? active : [];
    if (isOpen) this.laidAt = 0;
    if (before === null) return;
    // A new racer means a new race: its first card was laid by the winner of the last one. After a wrong card,
    // there are only fewer racers.
    if (isOpen && active.some((seat) => !before.includes(seat))) this.#begin(active.length > 1 && isPlay());
    else if (before.length > 0 && !isOpen) this.#end(turn === null ? null : (played?.seat ?? null));
  }

  /** @param {boolean} hasCountdown */
  #begin(hasCountdown) {
    this.goAt = hasCountdown ? performance.now() + STEPS * STEP_MS : 0;
    if (hasCountdown) this.#count(STEPS);
    else this.#clear();
  }

  /** @param {number} left  the steps that are left */
  #count(left) {
    const words = left > 0 ? String(left) : t("Go!");
    this.#show(left > 0 ? "countdown" : null, ...(left > 0 ? [el("b", {}, t("Race!"))] : []), el("span", { class: "race-count" }, words));
    this.#next(left > 0 ? STEP_MS : GO_MS, () => (left > 0 ? this.#count(left - 1) : this.#clear()));
  }

  /** @param {number | null} winner */
  #end(winner) {
    this.#clear();
    if (winner === null || this.goAt === 0 || this.laidAt < this.goAt) return;
    this.arrivals = [{ seat: winner, ms: this.laidAt - this.goAt }];
    this.#showFinish();
    const { names = [], played } = this.store.state.view ?? {};
    if (played) this.store.takeState({ won: { n: played.n, words: t("{name} wins the race!", { name: names[winner] ?? "" }) } });
  }

  /** Add the player whose card came too late. */
  #arriveLate() {
    const { late = null, race } = this.store.state;
    if (race !== "finish" || late === null || this.arrivals.some(({ seat }) => seat === late)) return;
    this.arrivals.push({ seat: late, ms: performance.now() - this.goAt });
    this.#showFinish();
  }

  #showFinish() {
    const names = this.store.state.view?.names ?? [];
    const [{ seat, ms: first }] = this.arrivals;
    const tracks = this.arrivals.map(({ seat, ms }) => {
      const track = el("li", {}, el("span", {}, names[seat] ?? ""), " ", el("span", {}, ms === first ? inSeconds(ms) : `+${inSeconds(ms - first)}`));
      track.style.setProperty("--behind", String(Math.min((ms - first) / TRACK_MS, 1)));
      return track;
    });
    // A photo needs a second player, who may still come.
    this.#show("finish", el("b", {}, t("{name} wins the race!", { name: names[seat] ?? "" })), ...(tracks.length > 1 ? [el("ol", { class: "race-finish" }, ...tracks)] : []));
    this.#next(FINISH_MS, () => this.#clear());
  }

  #clear() {
    clearTimeout(this.due);
    this.arrivals = [];
    this.#show(null);
  }

  /**
   * @param {"countdown" | "finish" | null} race
   * @param {...Element} parts
   */
  #show(race, ...parts) {
    if (race !== (this.store.state.race ?? null)) this.store.takeState({ race });
    setAttribute(document.body, "data-race", race);
    byId("race").replaceChildren(...parts);
  }

  /**
   * @param {number} wait_ms
   * @param {() => void} act
   */
  #next(wait_ms, act) {
    clearTimeout(this.due);
    this.due = window.setTimeout(act, wait_ms);
  }
}
