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
const transcript = new Transcript(new Speaker());
const journal = new Journal(connection);
const news = new News(store);

let cards = new Catalogue(store.table);
store.on("table", () => {
  cards = new Catalogue(store.table); // this comes before all other listeners, because they use it
  setText(byId("title"), store.table.title ?? "tapmat");
});
const catalogue = () => cards;

const picking = new Picking(store, connection);
/** @type {Promise<void> | null} */
let lab = null;
startView(store, () => {
  lab ??= import("./lab.js").then(({ startLab }) => store.startLate(() => startLab(store, connection, catalogue, picking)));
  lab.catch((error) => {
    lab = null; // the next time it may work
    notifyOf(error);
  });
});
startFocus(store);
startTabs();
const flights = startFlights(store);
startRound(store, catalogue);
startBanner(store, connection, picking, catalogue);
startGauge(store);
startGoal(store);
startFit();
startSlides();
/** @type {Promise<unknown> | null} */
let race = null; // no other layout has races
store.on("view", () => {
  if (store.state.view?.layout !== "hands") return;
  race ??= import("./race.js").then(({ Race }) => store.startLate(() => new Race(store))).catch((error) => {
    race = null; // the next time it may work
    notifyOf(error);
  });
});
/** @type {Promise<import("./result.js").Result | null> | null} */
let result = null;
async function loadResult() {
  try {
    const { Result } = await import("./result.js");
    return store.startLate(() => new Result(store, connection, news));
  } catch (error) {
    result = null; // the next time it may work
    notifyOf(error);
    return null;
  }
}
store.on("view", () => {
  if (store.state.view?.result) result ??= loadResult();
});
startLanguage(store, connection);
/** @type {import("./start.js").Start | null} */
let start = null;
/** @type {Promise<void> | null} */
let starting = null; // while nothing is dealt, or if somebody wants a new game
function openStart() {
  starting ??= import("./start.js").then(({ Start }) => {
    start = store.startLate(() => new Start(store, connection, catalogue));
  });
  return starting.catch((error) => {
    starting = null; // the next time it may work
    notifyOf(error);
  });
}
store.on(["view", "deal"], () => {
  if (store.state.view && store.state.deal === null) openStart();
});
byId("new-game").addEventListener("click", () => openStart().then(() => start?.ask(true)));
startRules(store, catalogue, () => start?.game ?? null);
startTips(store);
const layouts = new Layouts({ store, connection, catalogue, picking }, () => {
  showDeal(store, layouts);
  picking.show();
});
startDeal(store, connection, picking, layouts);
flights.land();
/** @type {Promise<void> | null} */
let pairing = null; // only a page on another computer has to send a code
store.on("pairing", () => {
  if (!store.state.pairing) return;
  pairing ??= import("./pairing.js").then(({ startPairing }) => startPairing(store, connection)).catch((error) => {
    pairing = null; // the next time it may work
    notifyOf(error);
  });
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
    result?.then((shown) => shown?.show());
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
