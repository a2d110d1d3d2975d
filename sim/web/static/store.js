// @ts-check
/**
 * The table's last state from the server. Modules subscribe to the keys that they show, and are called
 * when one of them arrives.
 */
export class Store {
  constructor() {
    /**
     * The last `table` message.
     * @type {PageTable}
     */
    this.table = { spots: [], lamps: [], buttons: [], games: [], commands: [], faults: [] };
    /**
     * All keys of the last `state` messages.
     * @type {PageState}
     */
    this.state = { power: true, oled: null, lamps: {}, tone: null, lying: {}, view: {}, deal: null, faults: [] };
    this.listeners = new Map();
  }

  /** Call *listener* whenever one of *keys* (or "table") arrives. */
  on(keys, listener) {
    for (const key of [keys].flat()) {
      this.listeners.set(key, [...(this.listeners.get(key) ?? []), listener]);
    }
  }

  takeTable(message) {
    this.table = { ...this.table, ...message };
    this.#tell(["table"]);
  }

  takeState({ type: _type, ...changed }) {
    this.state = { ...this.state, ...changed };
    this.#tell(Object.keys(changed));
  }

  #tell(keys) {
    const once = new Set(keys.flatMap((key) => this.listeners.get(key) ?? []));
    for (const listener of once) listener();
  }
}
