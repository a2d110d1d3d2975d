// @ts-check
/** The WebSocket to the table. It reconnects by itself, and numbers its messages. */

import { t } from "./words.js";

const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 8000;

export class Connection extends EventTarget {
  /**
   * Events: "open", "lost", and "message" with the parsed message as detail.
   * @param {string} url
   */
  constructor(url) {
    super();
    this.url = url;
    this.wait_ms = FIRST_WAIT_MS;
    this.lastId = 0;
    /** @type {Map<number | null, {done: (value: void) => void, failed: (reason?: Error) => void}>} */
    this.waiting = new Map();
    // Reconnect at once when a phone wakes up or is back on the network.
    addEventListener("online", () => this.#again());
    document.addEventListener("visibilitychange", () => document.hidden || this.#again());
  }

  get isOpen() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  connect() {
    clearTimeout(this.timer);
    this.timer = undefined;
    const socket = new WebSocket(this.url);
    this.socket = socket;
    socket.addEventListener("open", () => this.#opened());
    socket.addEventListener("message", (event) => this.#take(event.data));
    socket.addEventListener("close", () => socket === this.socket && this.#lost());
  }

  /**
   * Send a request to the table. Without a connection it fails at once: a card that moves only when the network
   * is back would surprise people.
   * @param {PageRequest} message
   * @returns {Promise<void>} fulfilled when the server answers `done`; rejected with the table's error, which
   * has
   *   `wait_s` if the same request may be sent again after that many seconds, and `rule` if a rule forbids it
   */
  send(message) {
    if (!this.socket || !this.isOpen) return Promise.reject(new Error(t("No connection to the table. Try again when it is back.")));
    const id = ++this.lastId;
    this.socket.send(JSON.stringify({ ...message, id }));
    return new Promise((done, failed) => this.waiting.set(id, { done, failed }));
  }

  #opened() {
    this.wait_ms = FIRST_WAIT_MS;
    this.dispatchEvent(new Event("open"));
  }

  /** @param {string} received */
  #take(received) {
    /** @type {ServerMessage} */
    const message = JSON.parse(received);
    if (message.type === "done") this.#settle(message.about);
    else if (message.type === "error" && this.waiting.has(message.about)) {
      const { text, wait_s, rule } = message;
      this.#settle(message.about, Object.assign(new Error(text), { wait_s, rule }));
    } else this.dispatchEvent(new CustomEvent("message", { detail: message }));
  }

  /**
   * @param {number | null} id
   * @param {Error} [error]  why the table did not do it
   */
  #settle(id, error) {
    const asker = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) asker?.failed(error);
    else asker?.done();
  }

  #lost() {
    for (const id of [...this.waiting.keys()]) {
      this.#settle(id, new Error(t("The connection was lost before the table answered.")));
    }
    this.dispatchEvent(new Event("lost"));
    // The random part keeps the phones of a table from reconnecting at the same moment.
    this.timer = setTimeout(() => this.connect(), this.wait_ms * (0.75 + Math.random() / 2));
    this.wait_ms = Math.min(this.wait_ms * 2, LONGEST_WAIT_MS);
  }

  #again() {
    if (this.timer === undefined) return;
    this.wait_ms = FIRST_WAIT_MS;
    this.connect();
  }
}
