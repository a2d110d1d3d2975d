// The private ear of a player's phone: lines for this player alone, read aloud if the player wants that, and always as text
// for the phone's own screen reader. One large button needs no looking: press, press twice, press long.

import { box as cards } from "./box.js";
import { part } from "./elements.js";

/**
 * @typedef {{number: number, kind: string, text: string, piece: string | null}} Line
 * @typedef {{is_listening: boolean, hand: string[] | null, line: Line | null}} Ear
 */

const TWICE_MS = 350; // a second press within this time asks for the overview
const LONG_MS = 600; // a press as long says the last line again
const AGAIN_MS = 60; // screen readers notice a text that was away for this time
const WISH = "tapmat-listen"; // in the browser's storage, so that the phone listens again after a restart of the table
const HERE_MS = 30_000; // between two signs of life, without which the table frees the hand reader after two minutes
const ALOUD = "tapmat-aloud";

/** @param {string} id */
const box = (id) => /** @type {HTMLInputElement} */ (document.getElementById(id));

class EarPart {
  /** @type {number | undefined} the last line that the phone has, or undefined before the first state */
  #number;
  #text = "";
  #isAsking = false;
  #once = 0;
  #long = 0;
  #wasLong = false;

  /**
   * @param {Record<string, string>} words
   * @param {(act: string) => Promise<unknown>} act
   * @param {() => unknown} beat
   */
  constructor(words, act, beat) {
    this.act = act;
    setInterval(() => box("listen").checked && !part("ear").hidden && beat(), HERE_MS);
    for (const [id, code] of [["listen", "listen"], ["aloud", "aloud"]]) part(`${id}-text`).textContent = words[`phone.${code}`];
    part("listen-for").textContent = words["phone.listen-for"];
    part("no-voice").textContent = words["phone.no-voice"];
    part("gestures").textContent = words["phone.gestures"];
    for (const [id, code, done] of /** @type {[string, string, () => unknown][]} */ ([
      ["ask-playable", "phone.playable", () => this.act("what-can-i-play")],
      ["ask-overview", "phone.overview", () => this.act("where-are-we")],
      ["tell-again", "phone.last", () => this.#tell()],
    ])) {
      part(id).textContent = words[code];
      part(id).onclick = done;
    }
    box("aloud").checked = localStorage.getItem(ALOUD) !== null;
    box("aloud").onchange = () => this.#chooseAloud(box("aloud").checked);
    box("listen").onchange = () => this.#chooseListening(box("listen").checked);
    this.#watch(part("gestures"));
  }

  /** Show what the table says of this player, and say a line that is new. @param {Ear | null} mine @param {boolean} isPlay */
  draw(mine, isPlay) {
    part("ear").hidden = mine === null;
    if (mine === null) return;
    box("listen").checked = mine.is_listening;
    part("listening").hidden = !mine.is_listening;
    const before = part(mine.is_listening ? "gestures" : "told-here"); // the answer is right above what asks for it
    if (part("told").nextElementSibling !== before) before.before(part("told"));
    part("told").hidden = !mine.is_listening && !mine.hand;
    part("ask-playable").hidden = part("told").hidden || !isPlay;
    if (localStorage.getItem(WISH) !== null && !mine.is_listening) void this.#listenAgain();
    cards.show(part("told-piece"), mine.line?.piece);
    const number = mine.line?.number ?? 0;
    if (number === this.#number) return;
    const isNew = this.#number !== undefined && mine.line !== null;
    this.#number = number;
    this.#text = mine.line?.text ?? "";
    if (isNew) this.#tell();
    else part("told-text").textContent = this.#text;
  }

  /** @param {boolean} isOn */
  #chooseListening(isOn) {
    if (isOn) localStorage.setItem(WISH, "1");
    else localStorage.removeItem(WISH);
    void this.act(isOn ? "listen" : "stop-listening");
  }

  /** @param {boolean} isOn */
  #chooseAloud(isOn) {
    if (isOn) localStorage.setItem(ALOUD, "1");
    else localStorage.removeItem(ALOUD);
    this.#speak(isOn ? this.#text : ""); // some browsers speak later only if they did so at a touch
  }

  async #listenAgain() {
    if (this.#isAsking) return;
    this.#isAsking = true;
    await this.act("listen");
    this.#isAsking = false;
  }

  /** Say the last line once more. */
  #tell() {
    part("told-text").textContent = "";
    setTimeout(() => (part("told-text").textContent = this.#text), AGAIN_MS);
    this.#speak(this.#text);
  }

  /** Read *text* aloud if the player wants that and the phone can. @param {string} text */
  #speak(text) {
    const speech = /** @type {SpeechSynthesis | undefined} */ (window.speechSynthesis);
    const language = document.documentElement.lang;
    const voices = speech?.getVoices() ?? [];
    const voice = voices.find((each) => each.lang.toLowerCase().startsWith(language)) ?? null;
    const isOn = box("aloud").checked;
    const canSpeak = speech !== undefined && (voice !== null || voices.length === 0); // some load their voices late
    part("no-voice").hidden = !isOn || canSpeak;
    speech?.cancel();
    if (!isOn || !canSpeak || text === "") return;
    const said = new SpeechSynthesisUtterance(text);
    Object.assign(said, { lang: voice?.lang ?? language, voice });
    speech.speak(said);
  }

  /** @param {HTMLElement} button */
  #watch(button) {
    button.onpointerdown = () => {
      this.#wasLong = false;
      this.#long = setTimeout(() => {
        this.#wasLong = true;
        this.#tell();
      }, LONG_MS);
    };
    button.onpointerup = button.onpointercancel = button.onpointerleave = () => clearTimeout(this.#long);
    button.oncontextmenu = (event) => event.preventDefault();
    button.onclick = () => {
      if (this.#wasLong) return;
      if (this.#once) {
        clearTimeout(this.#once);
        this.#once = 0;
        void this.act("where-are-we");
      } else {
        this.#once = setTimeout(() => {
          this.#once = 0;
          void this.act("what-can-i-play");
        }, TWICE_MS);
      }
    };
  }
}

/**
 * @param {Record<string, string>} words
 * @param {(act: string) => Promise<unknown>} act  sends an act to the table
 * @param {() => unknown} beat  tells the table that the phone is on
 */
export function startEar(words, act, beat) {
  return new EarPart(words, act, beat);
}
