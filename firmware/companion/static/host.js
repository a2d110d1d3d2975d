// The host's part of a phone's page: starting and ending games, settings, and the other phones.

import { button, choice, fill, made, part } from "./elements.js";
import { Results } from "./results.js";
import { Upkeep } from "./upkeep.js";

/**
 * @typedef {{name: string, title: string, now: string, values: [string, string][]}} Setting
 * @typedef {Setting & {help: string}} Rule
 * @typedef {{game: string, title: string, why_not: string, seats: number[], players: number, names: string[], dealer: number, rules: Rule[], is_last: boolean, who: [string, string][], seated: string[]}} Offer
 * @typedef {{moment: number, can_take_back: boolean, can_end: boolean, settings: Setting[], next_round: string,
 *   can_rematch: boolean, games: Offer[], busy: string, is_preparing: boolean, hand_reader_of: string, robots: Setting[]} & import("./upkeep.js").Kept} Host
 * @typedef {{key: string, player: string, isHost: boolean}} Phone
 * @typedef {import("./results.js").Reply} Reply
 * @typedef {{players: number, names: string[], dealer: number, rules: Record<string, string>, who: string[]}} Draft
 */

/** The parts of the host's page, each with its title. @type {[string, string][]} */
const PARTS = [
  ["start", "start.title"],
  ["robots", "phone.robots"],
  ["settings", "phone.settings"],
  ["results", "results.show"],
  ["phones", "phone.phones"],
  ["watch", "watch.title"],
  ["stickers", "stickers.title"],
  ["parts", "parts.title"],
];

export class HostPart {
  #shown = ""; // the games that the form was made of
  /** @type {Host | null} */
  #host = null;
  #game = "";
  /** @type {Record<string, Draft>} */
  #drafts = {};

  /**
   * @param {Record<string, string>} words
   * @param {(act: unknown) => unknown} act
   * @param {(act: unknown) => unknown} change  as *act*, but waits for the act before
   * @param {(request: Record<string, unknown>) => unknown} send
   * @param {() => Promise<Reply | null>} getResults
   */
  constructor(words, act, change, send, getResults) {
    this.words = words;
    this.act = act;
    this.change = change;
    this.send = send;
    this.results = new Results(words, getResults);
    this.upkeep = new Upkeep(words, act);
    for (const [id, code] of PARTS) part(`${id}-part`).firstElementChild?.replaceChildren(words[code]);
    part("start").onsubmit = (event) => {
      event.preventDefault();
      this.#start();
    };
  }

  /**
   * @param {Host | null} host
   * @param {Phone[]} others
   * @param {string} watching  the link for watching, or empty
   */
  draw(host, others, watching) {
    this.#host = host;
    part("hosting").hidden = host === null;
    this.#fillPart("robots", host ? this.#seats(host) : []);
    this.#fillPart("settings", host ? this.#settings(host) : []);
    this.#fillPart("phones", this.#phoneList(others));
    this.#fillPart("watch", host ? this.#watchers(watching) : []);
    this.results.draw(host !== null, Boolean(host && (host.can_rematch || !host.can_end)));
    this.upkeep.draw(host);
    const games = JSON.stringify([host?.games ?? [], host?.busy ?? ""]);
    if (games === this.#shown) return; // what is being typed stays
    this.#shown = games;
    this.#drafts = {};
    this.#drawForm();
  }

  /** Fill a part of the page; without contents it is not shown. @param {string} id @param {HTMLElement[]} contents */
  #fillPart(id, contents) {
    part(`${id}-part`).hidden = contents.length === 0;
    fill(part(id), contents);
  }

  /** @param {Host | null} host */
  tools(host) {
    const { words } = this;
    const buttons = [];
    if (host?.next_round) buttons.push(button(host.next_round, () => this.act("next-round"), "answer"));
    if (host?.can_rematch) buttons.push(button(words["phone.rematch"], () => this.act("rematch"), "answer"));
    if (host?.hand_reader_of) buttons.push(button(words["phone.free-reader"].replace("{names}", host.hand_reader_of), () => this.act("free-hand-reader")));
    const isSure = () => host?.can_rematch || confirm(words["phone.sure"]); // nothing of a finished game is lost
    if (host?.can_end) buttons.push(button(words["phone.end-game"], () => isSure() && this.act("end-game")));
    return buttons;
  }

  // --- the form ---

  /** @returns {Offer | undefined} */
  get #offer() {
    const games = this.#host?.games ?? [];
    return games.find(({ game }) => game === this.#game) ?? games.find((each) => each.is_last && !each.why_not) ?? games.find((each) => !each.why_not) ?? games[0];
  }

  /** @param {Offer} offer */
  #draft(offer) {
    const rules = Object.fromEntries(offer.rules.map(({ name, now }) => [name, now]));
    return (this.#drafts[offer.game] ??= { players: offer.players, names: [...offer.names], dealer: offer.dealer, rules, who: offer.names.map((_name, seat) => offer.seated[seat] ?? "") });
  }

  #drawForm() {
    const { words } = this;
    const offer = this.#offer;
    const busy = this.#host?.busy;
    const place = /** @type {HTMLDetailsElement} */ (part("start-part"));
    if (place.hidden) place.open = true; // without a game, most hosts want to start one
    place.hidden = !offer && !busy;
    /** @type {HTMLElement[]} */
    const parts = [];
    if (busy) parts.push(made("p", { textContent: busy }));
    if (offer) {
      const titles = (this.#host?.games ?? []).map(({ game, title }) => /** @type {[string, string]} */ ([game, title]));
      parts.push(choice(words["start.game"], offer.game, titles, (game) => this.#redraw(() => (this.#game = game))));
      parts.push(...(offer.why_not ? [made("p", { textContent: offer.why_not })] : this.#fields(offer)));
    }
    part("start").replaceChildren(...parts);
  }

  /** Change what the form shows, and draw it again with the focus at the same field. @param {() => void} change */
  #redraw(change) {
    const place = part("start");
    const at = [...place.querySelectorAll("select, input")].findIndex((each) => each === document.activeElement);
    change();
    this.#drawForm();
    const field = place.querySelectorAll("select, input")[at];
    if (field instanceof HTMLElement) field.focus();
  }

  /** @param {Offer} offer */
  #fields(offer) {
    const { words } = this;
    const draft = this.#draft(offer);
    /** @type {[string, string][]} */
    const seats = offer.seats.map((count) => [`${count}`, `${count}`]);
    const players = choice(words["start.players"], `${draft.players}`, seats, (count) =>
      this.#redraw(() => Object.assign(draft, { players: Number(count), dealer: Number(count) - 1 })));
    /** @type {[string, string][]} */
    const dealers = draft.names.slice(0, draft.players).map((name, seat) => [`${seat}`, name]);
    const dealer = choice(words["start.dealer"], `${draft.dealer}`, dealers, (seat) => (draft.dealer = Number(seat)));
    const names = draft.names.slice(0, draft.players).map((value, seat) => {
      const field = made("input", { value, maxLength: 10, required: true, autocomplete: "off" });
      field.oninput = () => {
        draft.names[seat] = field.value.trim().replace(/\s+/g, " ");
        /** @type {HTMLSelectElement} */ (dealer.lastChild).options[seat].textContent = draft.names[seat];
      };
      const title = words["start.name"].replace("{number}", `${seat + 1}`);
      return made("div", {}, made("label", {}, title, field), ...(offer.who.length ? [this.#who(offer, draft, seat)] : []));
    });
    const rules = made("details", {}, made("summary", { textContent: words["start.rules"] }), ...offer.rules.map((rule) => this.#rule(rule, draft)));
    const start = made("button", { textContent: words["start.go"], className: "answer" });
    return [players, made("div", { className: "names" }, ...names), dealer, ...(offer.rules.length ? [rules] : []), start];
  }

  /**
   * Return the list of who plays at *seat*.
   * @param {Offer} offer
   * @param {Draft} draft
   * @param {number} seat
   */
  #who({ who }, draft, seat) {
    const list = choice("", draft.who[seat], who, (value) => (draft.who[seat] = value));
    list.querySelector("select")?.setAttribute("aria-label", `${this.words["phone.robots"]}: ${seat + 1}`);
    return list;
  }

  /**
   * @param {Rule} rule
   * @param {Draft} draft
   */
  #rule({ name, title, help, values }, draft) {
    const note = made("small", { id: `rule-${name}`, textContent: help });
    if (values.map(([value]) => value).join() !== "off,on") {
      const label = choice(title, draft.rules[name], values, (value) => (draft.rules[name] = value));
      label.querySelector("select")?.setAttribute("aria-describedby", note.id);
      return made("div", {}, label, note);
    }
    const box = made("input", { type: "checkbox", checked: draft.rules[name] === "on" });
    box.onchange = () => (draft.rules[name] = box.checked ? "on" : "off");
    box.setAttribute("aria-describedby", note.id);
    return made("div", {}, made("label", { className: "switch" }, box, title), note);
  }

  #start() {
    const offer = this.#offer;
    if (!offer || offer.why_not) return;
    if (this.#host?.is_preparing && !confirm(this.words["start.instead"])) return;
    const { players, names, dealer, rules, who } = this.#draft(offer);
    this.act({ start: offer.game, names: names.slice(0, players), dealer, rules, ...(offer.who.length && { who: who.slice(0, players) }) });
  }

  // --- settings and phones ---

  /** @param {Host} host */
  #settings({ settings }) {
    return settings.map(({ name, title, now, values }) => choice(title, now, values, (value) => this.change({ setting: name, value })));
  }

  /** Return a list for each seat of the virtual table: a person, or a robot. @param {Host} host */
  #seats({ robots }) {
    return robots.map(({ name, title, now, values }) => choice(title, now, values, (robot) => this.change({ robot, seat: Number(name) })));
  }

  /** @param {string} url */
  #watchers(url) {
    const { words } = this;
    if (!url) return [button(words["watch.share"], () => this.send({ do: "share-link" }))];
    const link = made("a", { href: url, textContent: url, target: "_blank" });
    return [made("p", { textContent: words["watch.open"] }), link, button(words["watch.end"], () => this.send({ do: "end-link" }))];
  }

  /** @param {Phone[]} others */
  #phoneList(others) {
    const { words } = this;
    return others.map(({ key, player, isHost }) => {
      const whose = [player, isHost ? words["phone.host"] : ""].filter(Boolean).join(", ");
      const text = words["phone.remove"].replace("{names}", whose);
      return button(text, () => confirm(`${text}?`) && this.send({ do: "remove", key }));
    });
  }
}
