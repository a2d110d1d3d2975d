// @ts-check
/** Sound: the buzzer's tone with WebAudio, and announcements with the browser's own voice. */

import { byId, setAttribute } from "./dom.js";
import { keepSwitch, readSwitch } from "./settings.js";

const LOUDNESS = 0.06; // low, because a square wave is loud
const SLOPE_S = 0.004; // the fade in and out, because an abrupt tone clicks

/**
 * A switch in the page's header that the browser remembers.
 * @param {string} id
 * @param {(isOn: boolean) => void} changed
 */
function startSwitch(id, changed) {
  const element = byId(id);
  /** @param {boolean} isOn */
  const show = (isOn) => {
    setAttribute(element, "aria-checked", isOn);
    changed(isOn);
  };
  element.addEventListener("click", () => {
    const isOn = element.getAttribute("aria-checked") !== "true";
    keepSwitch(id, isOn);
    show(isOn);
  });
  show(readSwitch(id, true));
}

/**
 * Play `state.tone` until it changes.
 * @param {Store} store
 */
export function startBuzzer(store) {
  const buzzer = new Buzzer();
  startSwitch("buzzer", (isOn) => buzzer.allow(isOn));
  store.on("tone", () => buzzer.sound(store.state.tone));
  // Browsers allow sound only after the user has touched the page.
  for (const gesture of ["pointerdown", "keydown"]) {
    addEventListener(gesture, () => buzzer.wake(), { capture: true });
  }
}

class Buzzer {
  wake() {
    if (!this.context) this.#build();
    if (this.context?.state === "suspended") this.context.resume();
  }

  /** @param {boolean} isOn */
  allow(isOn) {
    this.isOn = isOn;
    if (!isOn) this.sound(null);
  }

  /**
   * @param {number | null} frequency_hz
   */
  sound(frequency_hz) {
    if (!this.context || !this.oscillator || !this.gain) return;
    const now = this.context.currentTime;
    if (frequency_hz) this.oscillator.frequency.setValueAtTime(frequency_hz, now);
    this.gain.gain.setTargetAtTime(frequency_hz && this.isOn ? LOUDNESS : 0, now, SLOPE_S);
  }

  #build() {
    if (typeof AudioContext === "undefined") return;
    this.context = new AudioContext();
    this.gain = new GainNode(this.context, { gain: 0 });
    this.oscillator = new OscillatorNode(this.context, { type: "square" });
    this.oscillator.connect(this.gain).connect(this.context.destination);
    this.oscillator.start();
  }
}

/** A speaker that says one line after the other; the transcript cancels lines. */
export class Speaker {
  constructor() {
    this.synthesis = window.speechSynthesis;
    this.held = new Set(); // Chromium drops an utterance and its end event if nothing refers to it
    startSwitch("speech", (isOn) => this.#allow(isOn));
  }

  /**
   * @param {string} text
   * @param {string} language
   */
  say(text, language) {
    if (!this.isOn || !this.synthesis) return;
    const spoken = new SpeechSynthesisUtterance(text);
    spoken.lang = language;
    spoken.voice = this.synthesis.getVoices().find(({ lang }) => lang.startsWith(language)) ?? null;
    spoken.onend = spoken.onerror = () => this.held.delete(spoken);
    this.held.add(spoken);
    this.synthesis.speak(spoken);
  }

  /** Stop speaking, and drop all waiting lines. */
  stop() {
    this.synthesis?.cancel();
  }

  /** @param {boolean} isOn */
  #allow(isOn) {
    this.isOn = isOn;
    if (!isOn) this.stop();
  }
}
