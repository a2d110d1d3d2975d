// @ts-check
/**
 * The page of the virtual table. It shows the server's state and sends people's acts. It applies no rules of
 * any game. docs/virtual-table-inside.md lists the messages.
 */

import { startBanner } from "./banner.js";
import { Catalogue } from "./catalogue.js";
import { Connection } from "./connection.js";
import { showDeal, startDeal } from "./deal.js";
import { byId, el, setAttribute, setText } from "./dom.js";
import { startFocus } from "./focus.js";
import { startFit } from "./fit.js";
import { startFlights } from "./fly.js";
import { startGauge } from "./gauge.js";
import { startGestures } from "./gestures.js";
import { startGoal } from "./goal.js";
import { Journal } from "./journal.js";
import { startLanguage } from "./language.js";
import { Layouts } from "./layouts.js";
import { News } from "./news.js";
import { notify, notifyOf } from "./notices.js";
import { Picking } from "./picking.js";
import { startRound } from "./round.js";
import { startRules } from "./rules_buttons.js";
import { startSlides } from "./slides.js";
import { Speaker, startBuzzer } from "./sound.js";
import { Store } from "./store.js";
import { startTabs } from "./tabs.js";
import { startTips } from "./tip.js";
import { Transcript } from "./transcript.js";
import { startView } from "./view.js";
import { startWords, t, translated } from "./words.js";

const store = new Store();
startWords(store);
const scheme = location.protocol === "https:" ? "wss:" : "ws:";
const connection = new Connection(`${scheme}//${location.host}/ws`);
const transcript = new Transcript(new Speaker(), store);
const journal = new Journal(connection);
const news = new News(store);

let cards = new Catalogue(store.table);
store.on("table", () => {
  cards = new Catalogue(store.table); // this comes before all other listeners, because they use it
});
store.on(["table", "view"], () => {
  const game = store.table.games.find(({ name }) => name === store.state.view?.game);
  const { title = "tapmat" } = store.table;
  setText(byId("title"), game?.title ?? title);
  document.title = game ? `${game.title}: ${title}` : title;
});
const catalogue = () => cards;

const picking = new Picking(store, connection);
/**
 * Return a function that loads a part of the page when it is called first, and starts it.
 * @template T
 * @param {() => Promise<() => T>} load  returns a function that starts the part
 */
function late(load) {
  /** @type {Promise<T | null> | null} */
  let part = null;
  return () => {
    part ??= load().then((start) => store.startLate(start)).catch((error) => {
      part = null; // the next time it may work
      notifyOf(error);
      return null;
    });
    return part;
  };
}

startView(store, late(async () => {
  const { startLab } = await import("./lab.js");
  return () => startLab(store, connection, catalogue, picking);
}));
startFocus(store);
startTabs();
const flights = startFlights(store);
startRound(store, catalogue);
startBanner(store, connection, picking, catalogue);
startGauge(store);
startGoal(store);
startFit();
startSlides();
const openRace = late(async () => {
  const { Race } = await import("./race.js");
  return () => new Race(store);
});
store.on("view", () => {
  if (store.state.view?.layout === "hands") openRace(); // no other layout has races
});
/** @type {import("./result.js").Result | null} */
let result = null;
const openResult = late(async () => {
  const { Result } = await import("./result.js");
  return () => (result = new Result(store, connection, news));
});
store.on("view", () => {
  if (store.state.view?.result) openResult();
});
const openLesson = late(async () => {
  const { startLesson } = await import("./lesson.js");
  return () => startLesson(store);
});
store.on("view", () => {
  if (store.state.view?.notice?.tag) openLesson();
});
startLanguage(store, connection);
/** @type {import("./start.js").Start | null} */
let start = null;
const openStart = late(async () => {
  const { Start } = await import("./start.js");
  return () => (start = new Start(store, connection, catalogue));
});
store.on(["view", "deal"], () => {
  if (store.state.view && store.state.deal === null) openStart();
});
byId("new-game").addEventListener("click", () => {
  if (document.querySelector("[data-cover]:not([hidden])")) connection.send({ type: "cover" }).catch(notifyOf); // others may go on
  openStart().then((opened) => opened?.ask(true));
});
startRules(store, catalogue, () => start?.game ?? null);
startTips(store);
const layouts = new Layouts({ store, connection, catalogue, picking }, () => {
  showDeal(store, layouts);
  picking.show();
});
startDeal(store, connection, picking, layouts);
flights.land();
const openPairing = late(async () => {
  const { startPairing } = await import("./pairing.js");
  return () => startPairing(store, connection);
});
store.on("pairing", () => {
  if (store.state.pairing) openPairing(); // only a page on another computer has to send a code
});
const openJoin = late(async () => {
  const { startJoin } = await import("./join.js");
  return () => startJoin(store);
});
store.on("join", () => {
  if (store.state.join) openJoin();
});
startBuzzer(store);
startGestures(picking, layouts);

/** @type {Takes} */
const TAKES = {
  table: (message) => store.takeTable(message),
  state: (message) => store.takeState(message),
  said: ({ entries }) => {
    transcript.take(entries);
    news.take(entries);
    result?.show();
  },
  journal: ({ entries }) => journal.take(entries),
  picture: ({ png }) => savePicture(png),
  rehearsal: ({ text }) => journal.takeRehearsal(text),
  error: ({ text }) => notify(translated(text)),
  failed: ({ text }) => notify(translated(text), { stays: true }),
  stopped: ({ text }) => notify(translated(text), { stays: true }),
};

connection.addEventListener("message", (event) => {
  const { detail } = /** @type {CustomEvent<OfKind<keyof Takes>>} */ (event);
  const take = /** @type {(message: ServerMessage) => void} */ (TAKES[detail.type]);
  take?.(detail);
});
connection.addEventListener("open", () => {
  transcript.connected();
  news.connected();
  journal.connected();
  showConnection("open");
});
connection.addEventListener("lost", () => {
  showConnection("lost");
  store.takeState({ type: "state", tone: null }); // otherwise the buzzer would not stop
});

/**
 * Download a picture of the whole board.
 * @param {string} png
 */
function savePicture(png) {
  el("a", { href: `data:image/png;base64,${png}`, download: "board.png" }).click();
}

store.on("table", () => showConnection(document.body.dataset.connection ?? ""));

/** @param {string} state */
function showConnection(state) {
  setAttribute(byId("connection"), "data-state", state);
  setAttribute(document.body, "data-connection", state);
  setText(byId("connection"), state === "open" ? t("connected") : t("no connection"));
}

connection.connect();
