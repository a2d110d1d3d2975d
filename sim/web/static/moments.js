// @ts-check
/**
 * The banner's texts and buttons in special moments, in which the table's own texts are not enough. The page
 * has more information than the table: the cards in hands, what fell from the ship, and the countdown.
 */

import { kindOf } from "./catalogue.js";
import { press, warningOfAll } from "./doubts.js";
import { winLine } from "./news.js";
import { isRobotsTurn } from "./robots.js";
import { counted } from "./rows.js";
import { pathsOf } from "./cards/tiles.js";
import { capital, listed, t } from "./words.js";

const WHOSE = ["racer", "owner", "whose"]; // the phases in which the table asks whose piece was played; the page or a robot answers
const ANSWERED_MS = 4000; // how long the page waits for that answer before people are asked
const CANNOT = "cannot"; // the name of the doubt if the only person in a race has no card
const [PASSES, DRAWS, HOLDS] = ["press action pass", "press action draw", "press ok holds"]; // values of `asks`

/**
 * A moment. Without `acts`, the banner has the table's buttons; it always has *Take back*.
 * @typedef {{hint?: string, more?: string, acts?: Act[]}} Moment
 */

/**
 * The special moment now; an empty object if there is none.
 * @param {Store} store
 * @param {Catalogue} catalogue
 * @returns {Moment}
 */
export function momentOf(store, catalogue) {
  const { state } = store;
  const { view, deal } = state;
  if (!view || !deal || view.game !== deal.game) return {};
  if (view.winners.length > 0) return { hint: winLine(view) };
  return whose(store, view) ?? gift(state) ?? race(state) ?? ship(state, catalogue) ?? move(state, catalogue) ?? copy(state, catalogue) ?? colour(state) ?? reveal(state) ?? unplayable(state) ?? risky(state) ?? {};
}

let asked = ""; // the open question whose piece was played, or ""
let askedAt = 0;

/** Return true if the table asks whose piece was played. @param {PageView} view */
export function asksWhose({ phase, asks }) {
  return WHOSE.includes(phase) && asks.some((ask) => ask.startsWith("seat "));
}

/**
 * The moment while the page or a robot answers whose piece was played: the question is not shown.
 * @param {Store} store
 * @param {PageView} view
 * @returns {Moment | null}
 */
function whose(store, view) {
  const question = asksWhose(view) ? `${view.number} ${view.played?.n} ${view.phase}` : "";
  if (question !== asked) {
    asked = question;
    askedAt = performance.now();
    if (question) setTimeout(() => store.takeState({ doubt: store.state.doubt ?? null }), ANSWERED_MS);
  }
  return question && performance.now() - askedAt < ANSWERED_MS - 50 ? { hint: view.played?.text ?? "", acts: [] } : null;
}

/** The moment while a person chooses the card to give away. @param {PageState} state @returns {Moment | null} */
function gift(state) {
  const { view, deal } = state;
  const { gift } = /** @type {HandsDeal} */ (deal);
  if (!gift || gift.isChosen || gift.choices.length === 0 || !view) return null;
  return { hint: t("{giver}: click the card for {receiver}.", { giver: view.names[gift.giver], receiver: view.names[gift.receiver] }), acts: [] };
}

/** The moment of a race. @param {PageState} state @returns {Moment | null} */
function race(state) {
  const { view, deal, doubt } = state;
  if (!view || view.turn !== null || !view.asks.includes("race")) return null;
  if (state.race === "countdown") return { hint: t("Get ready: the race begins at “Go!”. Then the first to play a fitting card wins."), acts: [] };
  const people = view.names.map((_, seat) => seat).filter((seat) => !deal?.robots[seat]);
  if (people.length !== 1) return deal?.mayShow?.length ? { more: t("Show your own hand, and play if you can.") } : null;
  const [me] = people;
  if (!view.active.includes(me)) return { hint: t("The others race now."), acts: [] };
  const isAlone = view.active.length === 1;
  if (deal?.hands?.[me].some((tag) => tag !== null && deal.playable?.includes(tag))) return isAlone ? null : { acts: [] };
  if (doubt === CANNOT) return { hint: t("Then the others decide."), acts: [] };
  return { hint: t("None of your cards beats it."), acts: [{ key: "cannot", words: t("I can’t"), ...(isAlone ? { messages: press("action", view.inputs) } : { doubt: CANNOT }) }] };
}

/** The moment after the ship on the screen has decided what falls. @param {PageState} state @param {Catalogue} catalogue @returns {Moment | null} */
function ship(state, catalogue) {
  const { view, deal } = state;
  const load = /** @type {ShipDeal} */ (deal).ship;
  if (!load || !view) return null;
  if (load.canReport) return { hint: fallWords(state, load, catalogue), ...(isRobotsTurn(state) ? {} : { acts: [{ key: "report", words: t("Go on"), messages: [{ type: "report" }] }] }) };
  if (!load.inHand || !view.asks.includes(HOLDS) || isRobotsTurn(state)) return null;
  return {
    hint: [t("{cargo} holds.", { cargo: capital(catalogue.card(load.inHand).words) }), load.movable.length > 1 ? t("Click another piece to change it, or go on.") : ""].filter(Boolean).join(" "),
    acts: [{ key: "holds", words: t("Go on"), messages: press("ok", view.inputs) }],
  };
}

/** The sentence about what fell, and where it goes. @param {PageState} state @param {ShipLoad} load @param {Catalogue} catalogue */
export function fallWords({ view }, { fallen, caught, inHand }, catalogue) {
  /** @param {string[]} tags */
  const names = (tags) => listed(tags.map((tag) => catalogue.card(tag).words));
  const lost = fallen.filter((tag) => !caught.includes(tag));
  const mayReturn = caught.length === 1 && caught[0] === inHand; // the table decides this by the house rule
  const name = view?.names[view.turn ?? 0] ?? "";
  return [
    lost.length > 0 ? t("The ship tipped. {name} was loading, and takes what fell: {cargo}.", { name, cargo: names(lost) }) : t("The ship tipped."),
    caught.length === 0 ? "" : mayReturn ? t("Caught: {cargo}.", { cargo: names(caught) }) : t("Caught, and out of the game: {cargo}.", { cargo: names(caught) }),
  ].filter(Boolean).join(" ");
}

/** The moment in which a person may move a tile. @param {PageState} state @param {Catalogue} catalogue @returns {Moment | null} */
function move({ view, deal }, catalogue) {
  const { mover = null, movable: from = null, places } = /** @type {SpreadDeal} */ (deal);
  if (mover === null || from === null || !view) return null;
  const hint = t("{name} may move {tile}: click the framed tile, then a lit place.", { name: view.names[mover], tile: catalogue.card(places[from - 1]).words });
  return { hint, acts: [{ key: "leave", words: t("Leave it here"), messages: [{ type: "by-hand", act: "move", from, to: from }], isQuiet: true }] };
}

/** The moment in which a player may copy points with a helper that is face up. @param {PageState} state @param {Catalogue} catalogue @returns {Moment | null} */
function copy(state, catalogue) {
  const { view, deal, doubt } = state;
  const { others, hands, playable, placed } = /** @type {BoardDeal} */ (deal);
  if (!others || !view || view.choices || doubt) return null;
  /** @param {string | null} tag */
  const copies = (tag) => tag !== null && playable.includes(tag) && !pathsOf(catalogue.card(tag)) && !view.questions[kindOf(tag)];
  const seats = view.turn === null || view.phase !== "play" ? others : [...others, view.turn];
  const copier = seats.find((seat) => hands[seat].some(copies));
  if (copier !== undefined) {
    const [seat = 0, n = 0] = placed ?? [];
    const facts = { name: view.names[copier], who: view.names[seat], points: counted(n, "point") };
    const words = copier === view.turn
      ? t("{name}: click a framed helper to copy {points} from {who}; then you lay no tile this turn.", facts)
      : t("{name}: click a framed helper to copy {points} from {who}; then you lay no tile in your next turn.", facts);
    return isRobotsTurn(state) ? { hint: words } : { more: words };
  }
  const mine = view.turn === null || view.phase !== "play" ? [] : hands[view.turn];
  if (mine.some((tag) => tag !== null && playable.includes(tag) && view.questions[kindOf(tag)])) return { more: t("Or click a helper.") };
  const isHidden = others.some((seat) => !deal?.robots[seat] && hands[seat].includes(null));
  return isHidden && !isRobotsTurn(state) ? { more: t("With a matching helper, others may copy these points.") } : null;
}

/** The moment in which a player must show a colour first. @param {PageState} state @returns {Moment | null} */
function colour(state) {
  const { view, deal } = state;
  const tag = view?.phase === "colours" && view.turn !== null ? deal?.hands?.[view.turn].find((one) => one !== null) : null;
  if (!tag || !view || view.turn === null || isRobotsTurn(state)) return null;
  return { hint: t("{name} has these cards and this cargo.", { name: view.names[view.turn] }), acts: [{ key: `start ${tag}`, words: t("Go on"), tags: [tag] }] };
}

/** The moment in which people choose a card to reveal, unseen by others. @param {PageState} state @returns {Moment | null} */
function reveal({ view, deal }) {
  if (view?.phase === "reveal" && deal?.mayShow?.length && view.active.every((seat) => deal.hands?.[seat]?.includes(null))) return { more: t("Show your own hand; the others look away.") };
  const isRobot = (/** @type {number} */ seat) => Boolean(deal?.robots[seat]);
  return view?.phase === "reveal" && view.active.some(isRobot) && !view.active.every(isRobot) ? { more: t("Robots choose without seeing your card.") } : null;
}

/** The moment in which every piece that a player may play has the same warning. @param {PageState} state @returns {Moment | null} */
function risky(state) {
  const warning = warningOfAll(state);
  return warning ? { more: t("Every card {warning}.", { warning }) } : null;
}

/** The moment in which a player has no card that fits. @param {PageState} state @returns {Moment | null} */
function unplayable(state) {
  const { view, deal } = state;
  const hand = view && view.turn !== null && (view.asks.includes(PASSES) || view.asks.includes(DRAWS)) && !view.choices ? deal?.hands?.[view.turn] : null;
  if (!hand || hand.includes(null) || isRobotsTurn(state) || hand.some((tag) => tag !== null && deal?.playable?.includes(tag))) return null;
  const { fresh = [] } = /** @type {Partial<HandsDeal>} */ (deal);
  const passes = fresh.length > 0 ? t("The new card does not fit: pass.") : t("Nothing fits: pass.");
  return { hint: `${view?.names[view.turn ?? 0]}: ${view?.asks.includes(DRAWS) ? t("None of your cards beats it.") : passes}` };
}
