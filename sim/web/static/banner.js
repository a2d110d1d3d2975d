// @ts-check
/**
 * The banner of Play: whose turn it is, what can be done, and a button with words for every answer. The texts
 * are the table's own.
 */

import { byId, el, keepChildren, setText } from "./dom.js";
import { momentOf } from "./moments.js";
import { forgetTurn, notifyOf } from "./notices.js";
import { isRobotsTurn } from "./robots.js";
import { listed, t, tn } from "./words.js";

const COUNTING = "scoring"; // the phase in which hands are counted
const COUNTED_AT_ONCE = 4;
const CLAIM = "claim"; // the doubt if somebody says that nothing can be played
const LONG = 44; // letters; a longer hint is written smaller on a phone
const NUMBER = /^\d+$/;
const AT_ONCE_MS = 400; // a robot that plays within this time is not shown as thinking

/**
 * A button of the banner.
 * @typedef {object} Act
 * @property {string} key
 * @property {string} words
 * @property {boolean} [isQuiet]  true if another act is more likely
 * @property {PageRequest[]} [messages]  what is sent to the table
 * @property {string | null} [doubt]  what the page asks about first; null if this answers that question
 * @property {string[]} [tags]  pieces to tap, all at once
 */

/** @param {string} button @returns {PageRequest[]} */
const press = (button) => [{ type: "down", button }, { type: "up", button }];

/** @param {string} value @returns {PageRequest[]} */
const choose = (value) => [{ type: "choose", value }];

/**
 * @param {Store} store
 * @param {Connection} connection
 * @param {Picking} picking
 * @param {() => Catalogue} catalogue
 */
export function startBanner(store, connection, picking, catalogue) {
  /** @type {Map<string, Act>} */
  let acts = new Map();
  let active = "";
  store.on(["view", "power"], () => {
    const now = String(store.state.view?.active);
    if (now !== active || !store.state.power) {
      store.state.doubt = null; // the turn is over
      forgetTurn();
    }
    active = now;
  });
  store.on(["table", "view", "deal", "power", "doubt", "race"], () => {
    const moment = store.state.power ? momentOf(store, catalogue()) : {};
    acts = new Map((moment.acts ?? actsOf(store)).map((act) => [act.key, act]));
    show(store, acts, moment);
  });
  byId("banner-acts").addEventListener("click", (event) => {
    const act = acts.get(event.target?.closest("button")?.dataset.key ?? "");
    if (act?.doubt !== undefined) store.takeState({ doubt: act.doubt });
    if (act?.tags) picking.tap(act.tags).catch(notifyOf);
    for (const message of act?.messages ?? []) connection.send(message).catch(notifyOf);
  });
}

/**
 * @param {Store} store
 * @returns {Act[]}
 */
function actsOf({ state }) {
  const { view, deal, power } = state;
  if (!power) return [{ key: "power", words: t("Switch the table on"), messages: [{ type: "power", on: true }] }];
  if (!view?.game) return [];
  const { ok, choices, page: { action } } = view;
  if (costOf(state)) return [{ key: "doubt no", words: t("Keep it"), doubt: null }, { key: "doubt yes", words: t("Play it anyway"), doubt: null, tags: [String(state.doubt)], isQuiet: true }];
  if (isClaiming(state)) return [{ key: "claim no", words: t("Look again"), doubt: null }, { key: "claim yes", words: action, doubt: null, messages: press("action"), isQuiet: true }];
  /** @type {Act} */
  const back = { key: "back", words: t("Take back"), messages: [{ type: "take-back" }], isQuiet: true };
  const isQuiet = Boolean(deal?.playable?.length); // "draw" must not look like the best choice
  // Robots use their own buttons, but a person who joins in may be asked. A place on a map is chosen there.
  const isAsked = choices && deal?.others?.some((seat) => !deal.robots[seat]);
  if ((isRobotsTurn(state) && !isAsked) || view.grid?.places.length) return view.plays > 0 ? [back] : [];
  if (choices) return [...choices.items.map(([value, words]) => ({ key: `choose ${value} ${words}`, words, messages: choose(value), isQuiet: choices.usual !== "" && value !== choices.usual })), back];
  const ship = /** @type {ShipDeal | null} */ (deal)?.ship;
  if (isToLoad(state)) return view.plays > 0 ? [back] : [];
  const counted = view.phase === COUNTING ? handOf(state) : [];
  return [
    ...(counted.length > 0 ? [{ key: `count ${counted}`, words: t("Count the hand"), tags: counted }] : []),
    // A hand that is in sight is counted whole.
    ...(ok && counted.length === 0 ? [{ key: `ok ${ok}`, words: ok, messages: press("ok") }] : []),
    ...(action && counted.length === 0 ? [{ key: `action ${action} ${isQuiet}`, words: action, ...(isDoubtful(state) ? { doubt: CLAIM } : { messages: press("action") }), isQuiet: isQuiet || view.isVain || Boolean(ship) }] : []),
    ...(view.plays > 0 ? [back] : []),
  ];
}

/** The next cards of the hand that is being counted. @param {PageState} state */
function handOf({ view, deal }) {
  const hand = view && view.turn !== null ? (deal?.hands?.[view.turn] ?? []) : [];
  return hand.filter((tag) => tag !== null).slice(0, COUNTED_AT_ONCE);
}

/**
 * True if the next act is to choose a piece of cargo.
 * @param {PageState} state
 */
function isToLoad({ deal }) {
  const ship = /** @type {ShipDeal | null} */ (deal)?.ship;
  return Boolean(ship && !ship.inHand && !ship.isReporting && ship.movable.length > 0);
}

/**
 * @param {Store} store
 * @param {Map<string, Act>} acts
 * @param {import("./moments.js").Moment} moment
 */
function show({ state }, acts, { hint, more }) {
  const { view, power } = state;
  const { notice = null } = view ?? {};
  const { headline = "", caption = "" } = view?.page ?? {};
  setText(byId("banner-figure"), headline);
  setText(byId("banner-caption"), caption);
  const words = hint ?? [hintOf(state), more].filter(Boolean).join(" ");
  showHint(power ? words : t("The table is off."), power && isRobotsTurn(state) && hint === undefined && !view?.asks.includes("race") ? thinkers(state) : []);
  setText(byId("banner-wrong"), notice ? [notice.happened, notice.do].filter(Boolean).join(" ") : "");
  byId("banner").toggleAttribute("data-refused", Boolean(notice?.isRefusal));
  const answers = [...acts.values()].filter(({ key }) => key.startsWith("choose "));
  byId("banner-acts").toggleAttribute("data-numbers", answers.length > 0 && answers.every(({ words }) => NUMBER.test(words)));
  keepChildren(byId("banner-acts"), [...acts.keys()], (key) => el("button", { type: "button", class: acts.get(key)?.isQuiet ? "act quiet" : "act" }, capital(acts.get(key)?.words ?? "")));
}

/** @type {string[]} */
let thinkingNow = []; // the names of the robots that think, if they do
let isDue = 0; // the timer until they are shown

/**
 * Show what to do now; or, if robots take their time, that the *thinking* players think.
 * @param {string} words
 * @param {string[]} thinking
 */
function showHint(words, thinking) {
  thinkingNow = thinking;
  byId("banner").toggleAttribute("data-long", thinking.length === 0 && words.length > LONG);
  if (thinking.length === 0) {
    clearTimeout(isDue);
    isDue = 0;
    setText(byId("banner-hint"), words);
  } else if (isDue === 0) isDue = window.setTimeout(showThinking, AT_ONCE_MS);
}

/** One robot after the other may act quickly: then the one that thinks now is named. */
function showThinking() {
  isDue = 0;
  setText(byId("banner-hint"), tn(thinkingNow.length, "{names} is thinking", "{names} are thinking", { names: listed(thinkingNow) }));
}

/** The names of the robots that may act now. @param {PageState} state */
function thinkers({ view }) {
  return (view?.active ?? []).map((seat) => view?.names[seat] ?? "");
}

/** The penalty for the doubtful piece, if there is one. @param {PageState} state */
function costOf({ deal, doubt }) {
  return deal?.costs?.[doubt ?? ""] ?? null;
}

/** True if the players can play a piece that is in sight, but may claim that they cannot. @param {PageState} state */
function isDoubtful({ view, deal }) {
  return Boolean(view?.isClaim && deal?.playable?.length);
}

/** True if somebody claims that nothing can be played, and the page asks about it. @param {PageState} state */
function isClaiming(state) {
  return isDoubtful(state) && state.doubt === CLAIM;
}

/** @param {PageState} state */
function hintOf(state) {
  const cost = costOf(state);
  if (cost) return `${cost.why} ${tn(cost.n, "This costs you 1 card. Play it anyway?", "This costs you {n} cards. Play it anyway?")}`;
  if (isClaiming(state)) return t("But what is lit can be played.");
  return withNames(state.view, wanted(state));
}

/**
 * What to do now, in the words for a page.
 * @param {PageState} state
 */
function wanted(state) {
  const { view } = state;
  if (!view) return "";
  if (view.choices?.prompt && view.choices.prompt !== view.hint) return view.choices.prompt;
  if (isToLoad(state)) return t("Choose a piece and load it.");
  const isBetweenRounds = view.result !== null && view.winners.length === 0;
  return isBetweenRounds ? "" : view.page.hint; // between rounds, it says how to shuffle and deal by hand
}

/**
 * A text of the table after the names of the players who may act, unless it names somebody itself.
 * @param {PageView | null} view
 * @param {string} words
 */
function withNames(view, words) {
  const { names = [], active = [] } = view ?? {};
  if (words === "" || names.some((name) => words.includes(name))) return words;
  const actors = active.map((seat) => names[seat]).join(", ");
  return actors ? t("{names}: {words}", { names: actors, words }) : words;
}

/** @param {string} words */
function capital(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
