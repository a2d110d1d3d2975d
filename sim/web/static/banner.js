// @ts-check
/**
 * The banner of the view Play: whose turn it is, what can be done, and a button for every answer. The server
 * sends the texts.
 */

import { byId, el, keepChildren, setText } from "./dom.js";
import { SEEN, doubtActs, doubtWords, hasEnded, press } from "./doubts.js";
import { hasJustMoved } from "./focus.js";
import { momentOf } from "./moments.js";
import { notifyOf } from "./notices.js";
import { isRepeated } from "./gestures.js";
import { handedTo, showing } from "./handing.js";
import { forPointer } from "./pointer.js";
import { answersTo, noticeOf, startRefusals } from "./refusals.js";
import { COUNTING, isRobotsTurn } from "./robots.js";
import { capital, listed, t, tn, withMinus } from "./words.js";

const COUNTED_AT_ONCE = 4;
const NUMBER = /^\d+$/;
const PATIENCE_MS = 8000; // if nothing has changed after this time, an act can be sent again
const AT_ONCE_MS = 400; // a robot that plays within this time is not shown as thinking

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
  /** The last act that was sent: its button's key, the view and the deal at that time, and the time. */
  let sent = { key: "", view: store.state.view, deal: store.state.deal, at: -Infinity };
  store.on(["view", "power"], () => {
    const now = `${store.state.view?.round} ${store.state.view?.active}`;
    if (now !== active || !store.state.power) store.state.doubt = null; // its player's turn is over
    active = now;
  });
  startRefusals(store);
  store.on(["table", "view", "deal", "power", "doubt", "race", "refused", "hushed", "unplaced"], () => {
    const moment = store.state.power ? momentOf(store, catalogue()) : {};
    acts = new Map(actsOf(store, moment).map((act) => [act.key, act]));
    show(store, acts, moment, moment.acts ? "" : doubtWords(store.state, catalogue()));
  });
  /** @param {Act | undefined} act */
  const take = (act) => {
    // Ignore a second click before the table has reacted, because it would answer the next question.
    const { view, deal } = store.state;
    if (act?.key === sent.key && view === sent.view && deal === sent.deal && performance.now() - sent.at < PATIENCE_MS) return;
    if (act?.messages) sent = { key: act.key, view, deal, at: performance.now() };
    if (act?.doubt !== undefined) store.takeState({ doubt: act.doubt });
    if (act?.tags) picking.tap(act.tags).catch(notifyOf);
    for (const message of act?.messages ?? []) connection.send(message).catch(notifyOf);
  };
  byId("banner-acts").addEventListener("click", (event) => {
    const act = acts.get(event.target?.closest("button")?.dataset.key ?? "");
    const isHasty = event.detail === 0 && hasJustMoved() && act?.key.startsWith("show "); // it may be somebody else's hand
    if (!isRepeated(event) && !isHasty) take(act);
  });
  // A click on a player's box is an answer too, if a button has that player's name.
  byId("round-players").addEventListener("click", (event) => {
    const name = event.target?.closest(".player")?.querySelector(".player-name")?.textContent ?? "";
    take([...acts.values()].find(({ key }) => name && key.startsWith(`choose ${name} `)));
  });
}

/**
 * The acts that are possible now. *Take back* comes last, so that no other button ever has its place. It is
 * left out while the page asks about an act that was not sent yet.
 * @param {Store} store
 * @param {import("./moments.js").Moment} moment
 * @returns {Act[]}
 */
function actsOf({ state }, moment) {
  const { view, power } = state;
  if (!power) return [{ key: "power", words: t("Switch the table on"), messages: [{ type: "power", on: true }] }];
  const asked = answersTo(state);
  if (asked.length > 0 || !view?.game) return asked;
  const doubts = moment.acts ? null : doubtActs(state);
  const isOff = view.plays === 0 || doubts !== null;
  const key = doubts ? "back hidden" : isOff ? "back off" : "back";
  return [...(moment.acts ?? doubts ?? answersOf(state, view)), { key, words: t("Take back"), ...(hasEnded(state) ? { doubt: SEEN } : { messages: [{ type: "take-back" }] }), isQuiet: true, isOff }];
}

/**
 * @param {PageState} state
 * @param {PageView} view
 * @returns {Act[]}
 */
function answersOf(state, view) {
  const { deal } = state;
  const { ok, choices, inputs, page: { action } } = view;
  const isQuiet = Boolean(deal?.playable?.length); // "draw" must not look like the best choice
  const isUntrue = view.isClaim && isQuiet; // the claim that nothing can be played, while a piece that is face up can be
  // Robots choose from lists themselves, but a person who joins in may be asked. Places are chosen on the map.
  const next = handedTo(state);
  if (next !== null) return [{ key: `show ${next}`, words: t("Show {player}’s hand", { player: view.names[next] }), messages: [showing(next)] }];
  const isAsked = choices && deal?.others?.some((seat) => !deal.robots[seat]);
  if ((isRobotsTurn(state) && !isAsked) || view.grid?.places.length) return [];
  if (choices) return choices.items.map(([value, words]) => ({ key: ["choose", value, words, view.warnings[value]].filter(Boolean).join(" "), words, warning: view.warnings[value], messages: [{ type: "choose", value, inputs }], isQuiet: choices.usual !== "" && value !== choices.usual }));
  const ship = /** @type {ShipDeal | null} */ (deal)?.ship;
  if (isToLoad(state)) return [];
  const counted = view.phase === COUNTING ? handOf(state) : [];
  return [
    ...(counted.length > 0 ? [{ key: `count ${counted}`, words: t("Count the hand"), tags: counted }] : []),
    // The page can count a visible hand to its end, so it has no button that ends the count early.
    ...(ok && counted.length === 0 ? [{ key: `ok ${ok}`, words: ok, messages: press("ok", inputs) }] : []),
    ...(action && counted.length === 0 && !isUntrue ? [{ key: `action ${action} ${isQuiet}`, words: action, messages: press("action", inputs), isQuiet: isQuiet || view.isVain || Boolean(ship) || hasCovered(state) }] : []),
  ];
}

/** Return true if a player may still look at their hand. @param {PageState} state */
function hasCovered({ deal }) {
  return Boolean(deal?.mayShow?.some((seat) => deal.hands?.[seat]?.includes(null)));
}

/** The next cards of the hand that is being counted. @param {PageState} state */
function handOf({ view, deal }) {
  const hand = view && view.turn !== null ? (deal?.hands?.[view.turn] ?? []) : [];
  return hand.filter((tag) => tag !== null).slice(0, COUNTED_AT_ONCE);
}

/**
 * Return true if the next act is to choose a piece of cargo.
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
 * @param {string} doubt  the page's open question about an act, or ""
 */
function show({ state }, acts, { hint, more }, doubt) {
  const { view, power } = state;
  const notice = noticeOf(state);
  const { headline = "", caption = "" } = view?.page ?? {};
  setText(byId("banner-figure"), withMinus(headline));
  byId("banner-figure").style.setProperty("--letters", `${headline.length || 1}`);
  setText(byId("banner-caption"), caption);
  const warning = [...acts.values()].find((act) => act.warning)?.warning;
  const words = capital(doubt) || (hint ?? [handedTo(state) === null ? withNames(view, wanted(state), state.deal?.robots ?? []) : wanted(state), more, warning && `\u26A0\uFE0E ${warning}.`].filter(Boolean).join(" "));
  showHint(power ? words : t("The table is off."), power && isRobotsTurn(state) && hint === undefined && !view?.asks.includes("race") && view?.phase !== COUNTING ? thinkers(state) : []);
  setText(byId("banner-wrong"), notice ? forPointer([notice.happened, notice.do].filter(Boolean).join(" ")) : "");
  byId("banner").toggleAttribute("data-refused", Boolean(notice?.isRefusal));
  const answers = [...acts.values()].filter(({ key }) => key.startsWith("choose "));
  byId("banner-acts").toggleAttribute("data-numbers", answers.length > 0 && answers.every(({ words }) => NUMBER.test(words)));
  keepChildren(byId("banner-acts"), [...acts.keys()], (key) => {
    const { words = "", warning = "", isQuiet = false, isOff = false } = acts.get(key) ?? {};
    return el("button", { type: "button", class: isQuiet ? "act quiet" : "act", disabled: isOff, ...(warning ? { "data-warning": warning, "aria-label": `${words}, ${warning}`, title: warning } : {}) }, capital(words));
  });
}

/** @type {string[]} */
let thinkingNow = []; // the names of the robots that think now
let isDue = 0; // the timer after which they are shown
let isThinking = false; // true if they are shown

/**
 * Show what to do now. If robots take longer than AT_ONCE_MS, show that the *thinking* players think.
 * @param {string} words
 * @param {string[]} thinking
 */
function showHint(words, thinking) {
  thinkingNow = thinking;
  if (thinking.length === 0) {
    clearTimeout(isDue);
    isDue = 0;
    isThinking = false;
    setText(byId("banner-hint"), withMinus(forPointer(words)));
  } else if (isThinking) showThinking();
  else if (isDue === 0) isDue = window.setTimeout(showThinking, AT_ONCE_MS);
}

/** Show the robots that think at this moment; others may have acted since the timer was started. */
function showThinking() {
  isDue = 0;
  isThinking = true;
  setText(byId("banner-hint"), tn(thinkingNow.length, "{names} is thinking", "{names} are thinking", { names: listed(thinkingNow) }));
}

/** The names of the robots that may act now. @param {PageState} state */
function thinkers({ view }) {
  return (view?.active ?? []).map((seat) => view?.names[seat] ?? "");
}

/**
 * What to do now, in the table's words for pages.
 * @param {PageState} state
 */
function wanted(state) {
  const { view } = state;
  if (!view) return "";
  const next = handedTo(state);
  if (next !== null) return t("Pass the screen to {player}.", { player: view.names[next] });
  if (view.choices?.prompt && view.choices.prompt !== view.hint) return view.choices.prompt;
  if (isToLoad(state)) return t("Choose a piece and load it. The ship decides what falls.");
  return view.result && view.page.hint === view.hint ? "" : view.page.hint; // the table's own hint between rounds is about dealing by hand
}

/**
 * *words* after the names of the people who may act, or else of the robots, unless the text has one of them already.
 * @param {PageView | null} view
 * @param {string} words
 * @param {(string | null)[]} robots
 */
function withNames(view, words, robots) {
  const { names = [], active = [] } = view ?? {};
  const people = active.filter((seat) => !robots[seat]);
  const named = (people.length > 0 ? people : active).map((seat) => names[seat]);
  if (words === "" || view?.result || active.some((seat) => words.includes(names[seat]))) return words;
  return named.length > 0 ? t("{names}: {words}", { names: named.join(", "), words }) : words;
}
