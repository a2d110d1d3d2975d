/**
 * What the server last said about the table. The page invents nothing: it shows this and asks.
 * Whoever shows a part of it subscribes to that part's key and is called when the key arrives.
 */
export class Store {
  constructor() {
    /** The last `table` message. */
    this.table = { spots: [], lamps: [], buttons: [], games: [], commands: [], faults: [] };
    /** All keys of the last `state` messages. */
    this.state = { power: true, oled: null, lamps: {}, tone: null, lying: {}, view: {}, deal: null, faults: [] };
    this.listeners = new Map();
  }

  /** Call *listener* with the key's value whenever one of *keys* (or "table") arrives. */
  on(keys, listener) {
    for (const key of [keys].flat()) {
      this.listeners.set(key, [...(this.listeners.get(key) ?? []), listener]);
    }
  }

  takeTable(message) {
    this.table = { ...this.table, ...message };
    this.#tell(["table"]);
  }

  takeState({ type, ...changed }) {
    this.state = { ...this.state, ...changed };
    this.#tell(Object.keys(changed));
  }

  #tell(keys) {
    const once = new Set(keys.flatMap((key) => this.listeners.get(key) ?? []));
    for (const listener of once) listener();
  }
}
