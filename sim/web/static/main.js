/**
 * The page of the virtual table. It shows what the server tells and sends what people do; which
 * messages there are stands in docs/virtual-table.md. No rule of any game is in here.
 */

import { Board, savePicture } from "./board.js";
import { Catalogue } from "./catalogue.js";
import { Connection } from "./connection.js";
import { startControls } from "./controls.js";
import { startDeal } from "./deal.js";
import { byId, setAttribute, setText } from "./dom.js";
import { startGestures } from "./gestures.js";
import { Journal } from "./journal.js";
import { startMat } from "./mat.js";
import { notify } from "./notices.js";
import { startOled } from "./oled.js";
import { startPairing } from "./pairing.js";
import { Picking } from "./picking.js";
import { Ship } from "./ship.js";
import { Speaker, startBuzzer } from "./sound.js";
import { Spread } from "./spread.js";
import { Store } from "./store.js";
import { startTabs } from "./tabs.js";
import { Transcript } from "./transcript.js";
import { startTray } from "./tray.js";
import { startTrouble } from "./trouble.js";

const store = new Store();
const scheme = location.protocol === "https:" ? "wss:" : "ws:";
const connection = new Connection(`${scheme}//${location.host}/ws`);
const transcript = new Transcript(new Speaker());
const journal = new Journal(connection);

let cards = new Catalogue(store.table);
store.on("table", () => {
  cards = new Catalogue(store.table); // first of all listeners: the others draw with it
  setText(byId("title"), store.table.title ?? "tapmat");
});
const catalogue = () => cards;

const picking = new Picking(store, connection);
startTabs();
startMat(store, catalogue, picking);
startOled(store);
startControls(store, connection);
startTray(store, catalogue, picking);
const spread = new Spread(store, connection, catalogue, picking);
const built = {
  spread,
  board: new Board(store, connection, catalogue, picking),
  ship: new Ship(store, connection, catalogue, picking),
};
startDeal(store, connection, catalogue, picking, built);
startTrouble(store, connection);
startPairing(store, connection);
startBuzzer(store);
startGestures(picking, built);

const TAKES = {
  table: (message) => store.takeTable(message),
  state: (message) => store.takeState(message),
  said: ({ entries }) => transcript.take(entries),
  journal: ({ entries }) => journal.take(entries),
  picture: ({ png }) => savePicture(png),
  rehearsal: ({ text }) => journal.takeRehearsal(text),
  error: ({ text }) => notify(text),
};

connection.addEventListener("message", ({ detail }) => TAKES[detail.type]?.(detail));
connection.addEventListener("open", () => {
  transcript.connected();
  journal.connected();
  showConnection("open", "connected");
});
connection.addEventListener("lost", () => {
  showConnection("lost", "no connection");
  store.takeState({ tone: null }); // nobody would tell the buzzer to stop
});

function showConnection(state, words) {
  setAttribute(byId("connection"), "data-state", state);
  setAttribute(document.body, "data-connection", state);
  setText(byId("connection"), words);
}

connection.connect();
