// The part of the page for a phone: whose it is, the player's answers and hand, and what the host can do.

import { startEar } from "./ear.js";
import { hasKey, loadSealing } from "./sealing.js";

/**
 * @typedef {import("./sealing.js").Sealing} Sealing
 * @typedef {{player: string, isHost: boolean}} You
 * @typedef {{moment: number, is_turn: boolean, answers: [unknown, string][], can_take_back: boolean, hand: string[] | null} & import("./ear.js").Ear} Mine
 * @typedef {{name: string, title: string, now: string, values: [string, string][]}} Setting
 * @typedef {{moment: number, can_take_back: boolean, can_end: boolean, settings: Setting[]}} Host
 * @typedef {{key: string, player: string, isHost: boolean}} Phone
 */

const NUMBER = /^\d+$/;

/** @param {string} id */
const part = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * Fill *place* with *made*, unless it looks the same: then the focus and the finger stay where they are.
 * @param {HTMLElement} place
 * @param {HTMLElement[]} made
 */
function fill(place, made) {
  const next = document.createElement(place.tagName);
  next.append(...made);
  if (place.innerHTML === next.innerHTML) {
    made.forEach((each, at) => Object.assign(place.children[at] ?? {}, { onclick: each.onclick, onchange: each.onchange }));
  } else {
    place.replaceChildren(...made);
  }
}

/**
 * @param {string} text
 * @param {() => unknown} onclick
 * @param {string} [kind]
 */
function button(text, onclick, kind = "quiet") {
  return Object.assign(document.createElement("button"), { type: "button", textContent: text, className: kind, onclick });
}

class PhonePart {
  /** @type {Sealing | null} */
  #sealing = null;
  /** @type {You} */
  #you = { player: "", isHost: false };
  /** @type {Mine | null} */
  #mine = null;
  /** @type {Host | null} */
  #host = null;
  /** @type {Phone[]} */
  #phones = [];
  /** @type {string[]} */
  #names = [];
  #isBusy = false;

  /**
   * @param {Record<string, string>} words
   * @param {() => void} reopen
   */
  constructor(words, reopen) {
    this.words = words;
    this.reopen = reopen;
    this.ear = startEar(words, (act) => this.#act(act));
    part("hand-title").textContent = words["phone.hand"];
    part("seat").setAttribute("aria-label", words["phone.yours"]);
    part("answers").setAttribute("aria-label", words["phone.yours"]);
    if (hasKey()) void this.#load();
  }

  query() {
    return this.#sealing ? `?key=${encodeURIComponent(this.#sealing.key)}` : "";
  }

  /** @param {EventSource} stream */
  listen(stream) {
    stream.addEventListener("key", (event) => this.#sealing?.begin(JSON.parse(event.data)));
    stream.addEventListener("sealed", (event) => {
      const message = this.#sealing?.open(JSON.parse(event.data));
      if (message) this.#take(message.kind, message.value);
    });
  }

  /** @param {{names: string[], game: string, hint: string}} state */
  draw(state) {
    this.#names = state.game ? state.names : [];
    part("hint").textContent = state.game ? state.hint : "";
    this.#show();
  }

  forget() {
    this.#mine = null;
    this.#host = null;
  }

  async #load() {
    this.#sealing = await loadSealing();
    this.reopen();
  }

  /**
   * @param {string} kind
   * @param {any} value
   */
  #take(kind, value) {
    if (kind === "you") this.#you = value;
    if (kind === "mine") this.#mine = value;
    if (kind === "host") this.#host = value;
    if (kind === "phones") this.#phones = value;
    if (kind === "asked") this.#say(this.words["phone.press"].replace("{code}", value));
    this.#show();
  }

  /** @param {string} text */
  #say(text) {
    part("said").textContent = text;
    part("said").hidden = text === "";
  }

  /** @param {Record<string, unknown>} request */
  async #send(request) {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#say("");
    try {
      const reply = await this.#sealing?.send(request);
      if (!reply) this.#say(this.words["phone.lost"]);
      else this.#say(reply.text ?? (reply.code ? this.words[`phone.${reply.code}`] : ""));
    } catch {
      this.#say(this.words["phone.lost"]);
    } finally {
      this.#isBusy = false;
    }
  }

  /** @param {unknown} act */
  #act(act) {
    const moment = this.#mine?.moment ?? this.#host?.moment ?? 0;
    return this.#send({ do: "act", act, moment });
  }

  /** Ask for a role. A phone that has no key yet makes one. @param {Record<string, unknown>} request */
  async #ask(request) {
    if (!this.#sealing?.session) {
      if (!this.#sealing) await this.#load();
      for (let tries = 0; tries < 50 && !this.#sealing?.session; tries += 1) await new Promise((done) => setTimeout(done, 100));
    }
    await this.#send(request);
  }

  #show() {
    const { words } = this;
    const { player, isHost } = this.#you;
    const mine = player ? this.#mine : null;
    part("seat").hidden = mine === null;
    part("mine").hidden = false;
    this.ear.draw(mine);
    document.body.classList.toggle("own", Boolean(mine?.is_turn));
    const roles = [player, isHost ? words["phone.host"] : ""].filter(Boolean);
    part("you").textContent = roles.length ? words["phone.you"].replace("{names}", roles.join(", ")) : words["phone.whose"];
    fill(part("answers"), (mine?.answers ?? []).map(([given, text]) => button(text, () => this.#act(given), "answer")));
    part("answers").classList.toggle("numbers", (mine?.answers ?? []).every(([, text]) => NUMBER.test(text)));
    fill(part("hand"), (mine?.hand ?? []).map((text) => Object.assign(document.createElement("li"), { textContent: text })));
    part("hand-title").hidden = !mine?.hand?.length;
    fill(part("tools"), this.#tools(mine));
    part("hosting").hidden = !isHost;
    fill(part("hosting"), isHost ? [...this.#settings(), ...this.#phoneList()] : []);
  }

  /** @param {Mine | null} mine */
  #tools(mine) {
    const { words } = this;
    const { player, isHost } = this.#you;
    const made = [];
    if (mine?.can_take_back ?? (isHost && this.#host?.can_take_back)) made.push(button(words["phone.take-back"], () => this.#act("take-back")));
    if (mine || (isHost && this.#host)) made.push(button(words["phone.say-again"], () => this.#act("say-again")));
    if (isHost && this.#host?.can_end) made.push(button(words["phone.end-game"], () => confirm(words["phone.sure"]) && this.#act("end-game")));
    const free = this.#names.filter((name) => name !== player);
    const seats = player && mine ? [] : free.map((name) => button(name, () => this.#ask({ do: "sit", player: name }), "choice"));
    made.push(...seats);
    if (!isHost) made.push(button(words["phone.host"], () => this.#ask({ do: "host" }), "choice"));
    if (player || isHost) made.push(button(words["phone.leave"], () => this.#send({ do: "leave" })));
    return made;
  }

  #settings() {
    return (this.#host?.settings ?? []).map(({ name, title, now, values }) => {
      const select = document.createElement("select");
      select.append(...values.map(([value, text]) => {
        const option = Object.assign(document.createElement("option"), { value, textContent: text });
        option.toggleAttribute("selected", value === now);
        return option;
      }));
      const label = document.createElement("label");
      label.append(title, select);
      label.onchange = (event) => this.#act({ setting: name, value: /** @type {HTMLSelectElement} */ (event.target).value });
      return label;
    });
  }

  #phoneList() {
    const { words } = this;
    const others = this.#phones.filter((phone) => phone.key !== this.#sealing?.key);
    if (others.length === 0) return [];
    const title = Object.assign(document.createElement("h2"), { textContent: words["phone.phones"] });
    const buttons = others.map(({ key, player, isHost }) => {
      const whose = [player, isHost ? words["phone.host"] : ""].filter(Boolean).join(", ");
      return button(words["phone.remove"].replace("{names}", whose), () => this.#send({ do: "remove", key }));
    });
    return [title, ...buttons];
  }
}

/**
 * @param {Record<string, string>} words
 * @param {() => void} reopen  opens the stream again
 */
export function startPhone(words, reopen) {
  return new PhonePart(words, reopen);
}
