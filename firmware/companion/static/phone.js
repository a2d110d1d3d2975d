// The part of the page for a phone: its player, the player's answers and hand, and the host's buttons.

import { Answers } from "./answers.js";
import { startEar } from "./ear.js";
import { box } from "./box.js";
import { button, fill, part } from "./elements.js";
import { Hand } from "./hand.js";
import { HostPart } from "./host.js";
import { MessageLine } from "./message.js";
import { startRules } from "./rules.js";
import { hintText, isPlay } from "./scoreboard.js";
import { forgetKey, hasKey, loadSealing } from "./sealing.js";
import { Seats } from "./seats.js";

/**
 * @typedef {import("./sealing.js").Sealing} Sealing
 * @typedef {{player: string, isHost: boolean, isRemoved: boolean, taken: string[]}} You  taken: the players that have a phone
 * @typedef {{moment: number, is_turn: boolean, can_take_back: boolean} & import("./hand.js").Held & import("./answers.js").Asked & import("./ear.js").Ear} Mine
 * @typedef {import("./host.js").Host} Host
 * @typedef {import("./host.js").Phone} Phone
 * @typedef {import("./results.js").Reply} Reply
 */

const ASKED_S = 30; // so long, the table asks if this phone may join

class PhonePart {
  /** @type {Sealing | null} */
  #sealing = null;
  /** @type {You} */
  #you = { player: "", isHost: false, isRemoved: false, taken: [] };
  /** @type {Mine | null} */
  #mine = null;
  /** @type {Host | null} */
  #host = null;
  /** @type {Phone[]} */
  #phones = [];
  #watching = ""; // the link for watching
  /** @type {string[]} */
  #names = [];
  /** @type {string | undefined} the game in view; undefined before the first state */
  #game;
  #hint = ""; // what is asked now
  #isPlay = false; // true while cards are played
  #isReplaced = false; // true while a robot plays for this phone's player
  /** @type {Promise<Reply | null> | null} */
  #underWay = null; // the reply to the request before
  #message = new MessageLine();
  /** @type {HostPart} */
  #hosting;

  /**
   * @param {Record<string, string>} words
   * @param {() => void} reopen
   * @param {() => unknown} redraw
   */
  constructor(words, reopen, redraw) {
    this.words = words;
    this.reopen = reopen;
    this.redraw = redraw;
    this.#hosting = new HostPart(words, (act) => this.#act(act, this.#host), (change) => this.#change(change), (request) => this.#send(request), () => this.#request({ do: "results" }));
    this.answers = new Answers(words, (given) => this.#act(given));
    this.ear = startEar(words, (act) => this.#act(act), () => this.#sealing?.send({ do: "here" }).catch(() => null));
    this.seats = new Seats(words, (request) => this.#ask(request));
    this.hand = new Hand(words, (text) => this.#message.say(text));
    part("seat").setAttribute("aria-label", words["phone.yours"]);
    startRules(words);
    if (hasKey()) void this.#load();
  }

  query() {
    return this.#sealing ? `&key=${encodeURIComponent(this.#sealing.key)}` : "";
  }

  /** @param {EventSource} stream */
  listen(stream) {
    stream.addEventListener("key", (event) => this.#sealing?.begin(JSON.parse(event.data)));
    stream.addEventListener("sealed", (event) => {
      const message = this.#sealing?.open(JSON.parse(event.data));
      if (message) this.#take(message.kind, message.value);
    });
  }

  /** The seat in which this phone's player plays in *state*; -1 if there is none, or a robot plays there. @param {import("./scoreboard.js").Scored} state */
  seatIn({ names, game, robots }) {
    const seat = game ? names.indexOf(this.#you.player) : -1;
    return robots.includes(seat) ? -1 : seat;
  }

  /** @param {import("./scoreboard.js").Scored} state */
  draw(state) {
    const { names, game, robots, goal } = state;
    this.#isReplaced = Boolean(game) && robots.includes(names.indexOf(this.#you.player));
    part("replaced").textContent = this.#isReplaced ? this.words["phone.robot"] : "";
    this.#names = game ? names.filter((_name, seat) => !robots.includes(seat) && seat !== goal) : [];
    if (game && this.#game === "") scrollTo(0, 0); // its heading is new
    this.#game = game;
    part("rules-open").hidden = !box.contents?.rules;
    this.#hint = game && hintText(state, this.seatIn(state));
    this.#isPlay = Boolean(game) && isPlay(state);
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
    const { moment } = this.#shown ?? {};
    if (kind === "you") this.#takeRole(value);
    if (kind === "mine") this.#mine = value;
    if (kind === "host") this.#host = value;
    if (kind === "phones") this.#phones = value;
    if (kind === "watching") this.#watching = value;
    if (this.#shown && this.#shown.moment !== moment && !this.#message.isCounting) this.#message.say(""); // it was about the game before
    if (kind === "asked") this.#message.count(this.words["phone.press"].replace("{code}", value), this.words["phone.left"], ASKED_S);
    this.#show();
    if (kind === "you") this.redraw();
  }

  /** The state that offers this phone's acts. */
  get #shown() {
    return this.#mine ?? this.#host;
  }

  /** @param {You} you */
  #takeRole(you) {
    const { player, isHost } = this.#you;
    this.#you = you;
    const lost = you.isRemoved && (player || isHost) ? this.words["phone.removed"] : player && !you.player ? this.words["phone.lost-seat"].replace("{names}", player) : "";
    if (lost && !this.#underWay) this.#message.say(lost, true);
  }

  /**
   * Send *request*, and show why if it was refused. Return the reply, if there is one.
   * @param {Record<string, unknown>} request
   * @param {string} [done]  what to say if it was not refused
   */
  async #request(request, done = "") {
    try {
      const reply = await this.#sealing?.send(request);
      if (!reply) this.#message.say(this.words["phone.lost"], true);
      else if (reply.text || reply.code) this.#message.say(reply.text ?? this.words[`phone.${reply.code}`] ?? "", true);
      else this.#message.say(done);
      return reply ?? null;
    } catch {
      this.#message.say(this.words["phone.lost"], true);
      return null;
    }
  }

  /** Send *request*, unless the one before is under way; return the reply. @param {Record<string, unknown>} request @param {string} [done] */
  async #send(request, done) {
    if (this.#underWay) return null;
    this.#message.say("");
    this.#underWay = this.#request(request, done);
    const reply = await this.#underWay;
    this.#underWay = null;
    return reply;
  }

  /** Change one thing for the host, after the request that is under way: no change is lost. @param {unknown} act */
  async #change(act) {
    while (this.#underWay) await this.#underWay;
    return this.#act(act, this.#host);
  }

  /**
   * @param {unknown} act
   * @param {{moment: number} | null} [shown]  the state that offers the act
   */
  #act(act, shown = this.#shown) {
    const done = act === "say-again" ? this.words["phone.said-again"] : "";
    return this.#send({ do: "act", act, moment: shown?.moment ?? 0 }, done);
  }

  /** Ask to be a player's or the host's phone; make a key pair first if there is none. @param {Record<string, unknown>} request */
  async #ask(request) {
    if (!this.#sealing?.session) {
      if (!this.#sealing) await this.#load();
      for (let tries = 0; tries < 50 && !this.#sealing?.session; tries += 1) await new Promise((done) => setTimeout(done, 100));
    }
    return this.#send(request);
  }

  async #leave() {
    if (!confirm(this.words["phone.leave-sure"])) return;
    const reply = await this.#send({ do: "leave" });
    if (!reply || reply.code) return;
    forgetKey();
    location.reload();
  }

  #show() {
    const { words } = this;
    const { player, isHost } = this.#you;
    const mine = player ? this.#mine : null;
    part("seat").hidden = mine === null;
    part("mine").hidden = false;
    this.ear.draw(mine, this.#isPlay);
    const fits = mine?.marks?.some(Boolean) ? words["phone.drawn"] : words["phone.nothing-fits"];
    part("hint").textContent = mine?.has_drawn ? fits : this.#hint;
    document.body.classList.toggle("own", Boolean(mine?.is_turn) && !this.#isReplaced);
    const roles = [player, isHost ? words["phone.host"] : ""].filter(Boolean);
    part("you").textContent = roles.length ? words["phone.you"].replace("{names}", roles.join(", ")) : "";
    this.answers.draw(mine);
    this.hand.draw(mine);
    fill(part("tools"), this.#tools(mine));
    part("language").textContent = isHost ? "" : words["phone.language"];
    this.seats.draw(this.#game ? this.#names : null, this.#you.taken, mine !== null, isHost, player !== "");
    const others = this.#phones.filter((phone) => phone.key !== this.#sealing?.key);
    this.#hosting.draw(isHost ? this.#host : null, isHost ? others : [], this.#watching);
  }

  /** @param {Mine | null} mine */
  #tools(mine) {
    const { words } = this;
    const { player, isHost } = this.#you;
    const made = [];
    const own = mine ?? (isHost ? this.#host : null);
    if (own && this.#game) made.push(Object.assign(button(words["phone.take-back"], () => this.#act("take-back")), { disabled: !own.can_take_back }));
    if (own) made.push(button(words["phone.say-again"], () => this.#act("say-again")));
    if (isHost) made.push(...this.#hosting.tools(this.#host));
    if (player || isHost) made.push(button(words["phone.leave"], () => this.#leave()));
    return made;
  }
}

/**
 * @param {Record<string, string>} words
 * @param {() => void} reopen  opens the stream again
 * @param {() => unknown} redraw  draws the state again
 */
export function startPhone(words, reopen, redraw) {
  return new PhonePart(words, reopen, redraw);
}
