// @ts-check
/** The start page of Play: choose a game and who plays, and begin. It is shown while nothing is dealt. */

import { face } from "./cards/faces.js";
import { byId, el, findIn, keepChildren, setText } from "./dom.js";
import { notifyOf } from "./notices.js";
import { answersTo } from "./refusals.js";
import { keepPlayers, keepSetting, keepSwitch, readPlayers, readSetting, readSwitch } from "./settings.js";
import { styleInWords } from "./styles.js";
import { t } from "./words.js";

const PERSON = "";
const USUAL_PLAYERS = 3;
const GAME = "game"; // the setting with the name of the game that was chosen last
const LEARN = "learn"; // the switch for a game that the table teaches

export class Start {
  /**
   * @param {Store} store
   * @param {Connection} connection
   * @param {() => Catalogue} catalogue
   */
  constructor(store, connection, catalogue) {
    this.store = store;
    this.connection = connection;
    this.catalogue = catalogue;
    /** @type {string | null} the chosen game's name */
    this.game = null;
    /** @type {string[]} by seat: the style of its robot, or "" for a person */
    this.sitters = [];
    /** @type {string[]} the names that were typed, by seat */
    this.names = [];
    this.oldNotice = ""; // the table's notice when the new game was asked for
    this.isAsked = false; // true if somebody asked for a new game while one is dealt
    store.on("table", () => this.#build());
    store.on(["table", "view", "deal", "power"], () => this.#show());
    byId("start-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#begin().catch(notifyOf);
    });
    byId("start-go-on").addEventListener("click", () => this.#goOn().catch(notifyOf));
    byId("start-games").addEventListener("change", () => this.#choose(keepSetting(GAME, findIn(byId("start-games"), ":checked").getAttribute("value") ?? "")));
    byId("start-learn").checked = readSwitch(LEARN, false);
    byId("start-learn").addEventListener("change", () => keepSwitch(LEARN, byId("start-learn").checked));
    byId("start-fewer").addEventListener("click", () => this.#setPlayers(this.sitters.length - 1));
    byId("start-more").addEventListener("click", () => this.#setPlayers(this.sitters.length + 1));
    byId("start-seats").addEventListener("change", ({ target }) => {
      const list = /** @type {HTMLSelectElement} */ (target);
      if (list.dataset.chair) this.sitters[Number(list.dataset.chair)] = list.value;
      else this.names = this.#typed;
      this.#showSeats();
    });
  }

  /** The names on the form, by seat. */
  get #typed() {
    return [.../** @type {NodeListOf<HTMLInputElement>} */ (byId("start-seats").querySelectorAll("input"))].map(({ value }) => value.trim());
  }

  get #chosen() {
    return this.store.table.games.find(({ name }) => name === this.game);
  }

  #build() {
    const { games } = this.store.table;
    byId("start-games").replaceChildren(...games.map((game) => this.#gameChoice(game)));
    if (!this.#chosen) {
      this.#seat(readPlayers());
      return this.#choose((games.find(({ name }) => name === readSetting(GAME)) ?? games[0])?.name ?? "");
    }
    const before = answers().map(({ value }) => value);
    this.#showChosen();
    answers().forEach((field, at) => (field.value = before[at] ?? field.value));
  }

  /** @param {PageGame} game */
  #gameChoice({ name, title, seats, minutes, kinds }) {
    const shown = kinds.filter(({ count = 1 }) => count > 0).slice(0, 3);
    const pictures = shown.map((kind) => face(this.catalogue().card(`${name}/${kind.name}#1`)));
    return el("label", { class: "start-game" },
      el("input", { type: "radio", name: "game", value: name }),
      el("span", { class: "start-picture", "aria-hidden": "true" }, ...pictures),
      el("span", { class: "start-title" }, title),
      el("span", { class: "start-size" }, t("{least} to {most} players", { least: seats[0], most: seats.at(-1) ?? 0 })),
      ...(minutes ? [el("span", { class: "start-size" }, t("{minutes} min", { minutes }))] : []));
  }

  /**
   * Choose a game. People keep their seats, as do robots of a level that the game has.
   * @param {string} name
   */
  #choose(name) {
    this.game = name;
    const { seats = [], robots = [] } = this.#chosen ?? {};
    const players = [this.sitters.length, USUAL_PLAYERS].find((count) => seats.includes(count)) ?? seats[0] ?? 0;
    const before = this.sitters.map((style) => (style === PERSON || robots.includes(style) ? style : undefined));
    this.sitters = this.#sitters(players, before);
    this.#showChosen();
  }

  /** Who sits where: as *before*, and else a person and robots. @param {number} players @param {(string | undefined)[]} before */
  #sitters(players, before) {
    const usual = this.#chosen?.robots[0] ?? PERSON;
    return Array.from({ length: players }, (_, seat) => before[seat] ?? (seat === 0 ? PERSON : usual));
  }

  /** @param {import("./settings.js").Players} players */
  #seat(players) {
    this.names = players.map(([name]) => name);
    this.sitters = players.map(([, style]) => style ?? PERSON);
  }

  /** Fill in the form for another game like the one on the table. */
  #repeat() {
    const { view, deal } = this.store.state;
    if (!view?.game || view.names.length === 0) return;
    this.#seat(view.names.map((name, seat) => [name, deal?.robots[seat] ?? null]));
    byId("start-seats").replaceChildren();
    this.#choose(view.game);
  }

  #showChosen() {
    const input = /** @type {HTMLInputElement | null} */ (byId("start-games").querySelector(`[value="${CSS.escape(this.game ?? "")}"]`));
    if (input) input.checked = true;
    byId("start-learn").parentElement?.toggleAttribute("hidden", !this.#chosen?.hasLessons);
    this.#showSeats();
    this.#showOptions();
    this.#show();
  }

  /** @param {number} players */
  #setPlayers(players) {
    if (!this.#chosen?.seats.includes(players)) return;
    this.sitters = this.#sitters(players, this.sitters);
    this.#showSeats();
  }

  #showSeats() {
    const { seats = [], robots = [] } = this.#chosen ?? {};
    const { length } = this.sitters;
    setText(byId("start-count"), String(length));
    byId("start-fewer").toggleAttribute("disabled", !seats.includes(length - 1));
    byId("start-more").toggleAttribute("disabled", !seats.includes(length + 1));
    keepChildren(byId("start-seats"), this.sitters.map((_, seat) => `${this.game} ${seat}`), (key) => {
      const seat = Number(key.split(" ").at(-1));
      const name = this.names[seat] || usualName(this.store, seat);
      const list = el("select", { "data-chair": seat, "aria-label": t("Who plays in seat {seat}", { seat: seat + 1 }) }, el("option", { value: PERSON }, t("person")), ...robots.map((style) => el("option", { value: style }, t("robot: {style}", { style: styleInWords(style) }))));
      return el("div", { class: "start-seat" }, el("input", { value: name, maxlength: 10, "aria-label": t("Name in seat {seat}", { seat: seat + 1 }), autocomplete: "off", spellcheck: "false" }), list);
    });
    for (const [seat, style] of this.sitters.entries()) /** @type {HTMLSelectElement} */ (findIn(byId("start-seats"), `[data-chair="${seat}"]`)).value = style;
    byId("start-quick").parentElement?.toggleAttribute("hidden", this.sitters.every((style) => style === PERSON));
  }

  #showOptions() {
    const { options = [] } = this.#chosen ?? {};
    keepChildren(byId("start-options"), options.map(({ name }) => `${this.game} ${name}`), (key) => {
      const option = options.find(({ name }) => key.endsWith(` ${name}`));
      return option ? optionChoice(option) : el("p");
    });
  }

  /** True if a game is in progress. */
  get #isOpen() {
    const { view } = this.store.state;
    return view !== null && view.game !== null && view.winners.length === 0 && view.names.length > 0;
  }

  #show() {
    const { view, deal, power } = this.store.state;
    // Before the first state it is unknown if a game is in progress.
    const isStart = power && view !== null && (deal === null || this.isAsked);
    if (document.body.hasAttribute("data-start") !== isStart) {
      document.body.toggleAttribute("data-start", isStart);
      scrollTo(0, 0);
      byId("start-fields").scrollTop = 0;
    }
    const notice = view?.notice; // such as the code for a phone that wants to join
    setText(byId("start-notice"), notice && !notice.isRefusal && notice.happened !== this.oldNotice ? [notice.happened, notice.do].filter(Boolean).join(" ") : "");
    const answers = answersTo(this.store.state);
    keepChildren(byId("start-answers"), answers.map(({ key }) => key), (key) => this.#answer(answers.find((each) => each.key === key)));
    byId("start-again").hidden = !this.#isOpen;
    if (this.#isOpen && view) setText(byId("start-again-words"), t("{game}: {names}. This game is not over yet.", { game: view.title, names: view.names.join(", ") }));
    const game = this.#chosen?.title ?? "";
    const isAgain = this.#isOpen && view?.game === this.game;
    setText(byId("start-begin"), isAgain ? t("Start {game} again", { game }) : this.#isOpen ? t("End {open}, and start {game}", { open: view?.title ?? "", game }) : t("Start {game}", { game }));
    byId("start-how").hidden = !this.#chosen?.hasRules;
    setText(byId("start-how"), t("Rules: {game}", { game }));
  }

  /** A button for an answer to a question of the table. @param {Act | undefined} act */
  #answer(act) {
    const button = el("button", { type: "button", class: act?.isQuiet ? "act quiet" : "act" }, act?.words ?? "");
    button.addEventListener("click", () => act?.messages?.forEach((message) => this.connection.send(message).catch(notifyOf)));
    return button;
  }

  /** Go on with the game in progress; deal its cards if they are not on this page yet. */
  async #goOn() {
    const { view, deal } = this.store.state;
    if (deal === null && view?.game) await this.connection.send({ type: "deal", game: view.game, players: view.names.length, hotSeat: true });
    this.ask(false);
  }

  /** Open the start page over the game (*isAsked*), or close it. @param {boolean} isAsked */
  ask(isAsked) {
    this.isAsked = isAsked;
    this.oldNotice = this.store.state.view?.notice?.happened ?? "";
    if (isAsked) this.#repeat();
    this.#show();
  }

  async #begin() {
    if (this.game === null) return;
    const names = this.#typed.map((name, seat) => name || usualName(this.store, seat));
    const robots = this.sitters.map((style) => style || null);
    keepPlayers(this.#typed.map((name, seat) => [name === usualName(this.store, seat) ? "" : name, robots[seat]]));
    /** @type {NodeListOf<HTMLSelectElement>} */
    const lists = byId("start-options").querySelectorAll("select");
    const changed = [...lists].filter((list) => list.value !== list.dataset.standard);
    const options = Object.fromEntries(changed.map((list) => [list.name, list.value]));
    byId("start-begin").toggleAttribute("disabled", true);
    try {
      await this.connection.send({ type: "begin", game: this.game, names, robots, options, quick: byId("start-quick").checked, learn: this.#chosen?.hasLessons === true && byId("start-learn").checked, handsOver: true });
      this.ask(false);
    } finally {
      byId("start-begin").toggleAttribute("disabled", false);
    }
  }
}

/** The names and house rules on the form. */
function answers() {
  return [.../** @type {NodeListOf<HTMLInputElement | HTMLSelectElement>} */ (byId("start-form").querySelectorAll(".start-seat input, .start-option select"))];
}

/**
 * @param {Store} store
 * @param {number} seat
 */
function usualName(store, seat) {
  return store.table.names?.[seat] ?? t("Player {n}", { n: seat + 1 });
}

/** @param {PageOption} option */
function optionChoice({ name, title, help, values, default: standard }) {
  const list = el("select", { name, "data-standard": standard }, ...values.map(([value, words]) => el("option", { value }, value === standard ? t("{value} (usual)", { value: words }) : words)));
  list.value = standard;
  return el("label", { class: "start-option" }, el("span", {}, el("b", {}, title), " ", el("small", {}, help)), list);
}
