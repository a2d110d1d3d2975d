// The board and the overlay: draw the state that the companion sends, and show the form for the code if the
// companion asks for it. The browser reconnects a stream of server-sent events by itself; this script opens a
// new one if that fails.

import { keepAwake } from "./awake.js";
import { box } from "./box.js";
import { part } from "./elements.js";
import { keepPlace, returnToPlace } from "./place.js";
import { actsSince, askText, drawActs, drawLoad, drawPlays, drawScores, turnText } from "./scoreboard.js";
import { hasKey } from "./sealing.js";

/**
 * @typedef {{language: string, title: string,
 *   direction: string | null, notice: {happened: string, do: string, is_refusal: boolean, piece: string | null} | null, fault: string}
 *   & import("./scoreboard.js").Scored} State
 */

const LAST_MS = 8000; // how long the overlay shows the last card
const QUIET_MS = 25000; // the companion sends something every 10 s
const RETRY_MS = 2000;
const SLOW_MS = 3000; // if the check of a code takes longer, people at the table are being asked
const DRIFT_MS = 60000; // how often the picture moves; one that never moves burns into some screens
const DRIFT_PX = 12;

/** @type {Record<string, string>} */
const words = JSON.parse(document.body.dataset.words ?? "{}");
const isOverlay = document.documentElement.classList.contains("overlay");
const isPhone = document.documentElement.classList.contains("phone");
const isBoard = !isOverlay && !isPhone;
const phone = isPhone ? (await import("./phone.js")).startPhone(words, () => open(), () => latest && draw(latest)) : null;

/** @type {EventSource | null} */
let stream = null;
let heard = Date.now(); // the time of the last message
/** @type {string | undefined} */
let told; // the newest act; undefined until the first state
/** @type {State | null} */
let latest = null;
let lastTimer = 0;
let retryTimer = 0;

/**
 * @param {string} id
 * @param {string} text
 */
function write(id, text) {
  const place = part(id);
  if (place.textContent !== text) place.textContent = text; // screen readers read changes
  place.hidden = text === "";
}

/** Show the newest act for a while, over a stream. @param {State} state */
function drawNewest(state) {
  const newest = JSON.stringify(state.acts);
  if (newest === told) return;
  part("last").hidden = told === undefined || state.acts.length === 0;
  told = newest;
  clearTimeout(lastTimer);
  lastTimer = setTimeout(() => (part("last").hidden = true), LAST_MS);
}

/** The table's notice; if it is a lesson about a piece, with a picture of that piece. @param {State["notice"]} notice */
function drawNotice(notice) {
  write("notice-text", notice ? `${notice.happened} ${notice.do}` : "");
  box.show(part("notice-piece"), notice?.piece);
  part("notice").hidden = notice === null;
  part("notice").classList.toggle("refused", Boolean(notice?.is_refusal));
}

/** @param {State | null} state */
function draw(state) {
  part("join").hidden = true;
  part("table").hidden = state === null;
  keepAwake(!isOverlay && Boolean(state?.game));
  if (state === null) phone?.forget();
  write("trouble", state === null ? words["board.off"] : state.fault);
  if (state === null) return;
  if (state.language !== document.documentElement.lang) {
    keepPlace();
    return location.reload(); // the server puts the words into the page
  }
  latest = state;
  void box.load(state.game, () => draw(latest));
  phone?.draw(state);
  const arrow = state.direction === "clockwise" ? "↻ " : "↺ ";
  const own = phone?.seatIn(state) ?? -1;
  write("title", state.title || state.final?.title || "tapmat");
  write("direction", state.direction ? arrow + words[`direction.${state.direction}`] : "");
  const isPlayed = Boolean(state.game) && state.winners.length === 0; // a winner is larger than any number
  document.body.classList.toggle("over", !isPlayed);
  write("headline", isPlayed ? state.headline : "");
  write("caption", isPlayed ? state.caption : "");
  write("round", state.game && state.round !== null ? words["board.round"].replace("{number}", `${state.round}`) : "");
  write("turn", turnText(state, words, own));
  write("ask", askText(state, words));
  drawNotice(isOverlay ? null : state.notice);
  part("headline").style.setProperty("--letters", `${state.headline.length || 1}`);
  part("headline").classList.toggle("long", state.headline.length > 5);
  const title = [state.title, part("turn").textContent].filter(Boolean).join(": ") || "tapmat";
  if (document.title !== title) document.title = title; // to set it takes a browser longer than to draw the rest
  drawLoad(state);
  drawScores(state, words, own);
  drawPlays(state);
  drawActs(isOverlay ? state.acts.slice(0, 1) : actsSince(state.acts, own), state.names, words);
  if (isOverlay) drawNewest(state);
  else part("last").hidden = isPhone && !state.game;
  if (isPhone) returnToPlace();
}

async function askForCode() {
  part("table").hidden = true;
  write("trouble", "");
  if (!part("join").hidden) return;
  part("join").hidden = false;
  await send({});
}

/**
 * Return true if the companion has done what *body* asks for; show why if it has not.
 * @param {{code?: string, secret?: string}} body
 */
async function send(body) {
  write("answer", "");
  const slow = setTimeout(() => write("answer", words["join.people"]), SLOW_MS);
  try {
    const answer = await fetch("/join", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const said = await answer.json();
    clearTimeout(slow);
    if (said.error) {
      const code = said.error === "off" ? "board.off" : `join.${said.error}`;
      write("answer", words[code].replace("{seconds}", said.wait_s));
    }
    return !said.error;
  } catch {
    write("answer", words["board.lost"]);
    return false;
  } finally {
    clearTimeout(slow);
  }
}

function open() {
  stream?.close();
  heard = Date.now();
  const opened = (stream = new EventSource(`/events?only=state${phone?.query() ?? ""}`));
  phone?.listen(opened);
  opened.addEventListener("state", (event) => {
    heard = Date.now();
    draw(JSON.parse(event.data));
  });
  opened.addEventListener("beat", () => {
    heard = Date.now();
  });
  opened.addEventListener("error", () => {
    if (part("join").hidden) write("trouble", words["board.lost"]);
    if (opened.readyState === EventSource.CLOSED) void again();
  });
}

/** Open the stream again after a refusal, or ask for the code if that is the reason. */
async function again() {
  try {
    const answer = await fetch("/state");
    if (answer.status === 401) return await askForCode();
  } catch {
    // The companion does not answer; the code below tries again.
  }
  clearTimeout(retryTimer); // of an answer that came late
  retryTimer = setTimeout(open, RETRY_MS);
}

function drift() {
  const [x, y] = [0, 0].map(() => Math.round((Math.random() * 2 - 1) * DRIFT_PX));
  for (const id of ["table", "trouble"]) part(id).style.transform = `translate(${x}px, ${y}px)`;
}

/**
 * Join with the secret of the QR code, which is removed from the address and the history.
 * @param {string} secret
 */
async function joinBySecret(secret) {
  history.replaceState(null, "", isPhone ? "/phone" : "/");
  await send({ secret });
  open(); // it asks for the code if the secret has expired
}

for (const [selector, code] of [["#join label", "join.ask"], ["#send", isPhone ? "join.in" : "join.send"], ["#send-player", "phone.here"], ["#show", "join.show"]]) {
  const place = document.querySelector(selector);
  if (place) place.textContent = words[code];
}
part("show").addEventListener("click", async () => {
  if (await send({})) write("answer", words["join.look"]);
});
part("join").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { value } = /** @type {HTMLInputElement} */ (part("code"));
  const isPlayer = event.submitter === part("send-player");
  if (!(await send({ code: value }))) return;
  if (isPlayer) location.assign("/phone");
  else open();
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && part("join").hidden && Date.now() - heard > QUIET_MS) open();
});
setInterval(() => {
  if (part("join").hidden && Date.now() - heard > QUIET_MS) open();
}, RETRY_MS);
part("here").textContent = words["phone.here"];
part("here").hidden = isOverlay || isPhone;
if (isOverlay) {
  const size = Number(new URLSearchParams(location.search).get("size"));
  if (size >= 25 && size <= 400) document.documentElement.style.fontSize = `${size / 100 * 24}px`;
} else if (isBoard) {
  setInterval(drift, DRIFT_MS);
}
const secret = /^#([\w-]{22})$/.exec(location.hash)?.[1];
if (secret) void joinBySecret(secret);
else if (document.body.dataset.asks) void askForCode();
else if (hasKey() && getComputedStyle(part("here")).display !== "none") location.replace("/phone"); // only a phone shows that link
else open();
export {};
