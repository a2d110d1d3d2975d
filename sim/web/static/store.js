// @ts-check
/**
 * The table's last state from the server. Modules subscribe to the keys that they show, and are called when the
 * server sends one of them.
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
    this.state = { power: true, oled: null, join: null, lamps: {}, tone: null, lying: {}, view: null, deal: null, faults: [] };
    /** @type {Map<string, (() => void)[]>} */
    this.listeners = new Map();
  }

  /**
   * Call *listener* whenever one of *keys* (or "table") arrives.
   * @param {string | string[]} keys
   * @param {() => void} listener
   */
  on(keys, listener) {
    for (const key of [keys].flat()) {
      this.listeners.set(key, [...(this.listeners.get(key) ?? []), listener]);
    }
  }

  /**
   * Call *start* and return its result. If the table's state has arrived already, call each listener that
   * *start* added.
   * @template T
   * @param {() => T} start
   */
  startLate(start) {
    const earlier = this.listeners;
    this.listeners = new Map();
    const started = start();
    const late = this.listeners;
    this.listeners = earlier;
    for (const [key, added] of late) for (const listener of added) this.on(key, listener);
    const isHere = this.table.games.length > 0;
    if (isHere) for (const listener of new Set([...late.values()].flat())) listener();
    return started;
  }

  /** @param {Partial<PageTable>} message */
  takeTable(message) {
    this.table = { ...this.table, ...message };
    this.#tell(["table"]);
  }

  /** @param {Partial<PageState> & {type?: string}} message */
  takeState({ type: _type, ...changed }) {
    this.state = { ...this.state, ...changed };
    this.#tell(Object.keys(changed));
  }

  /** @param {string[]} keys */
  #tell(keys) {
    const once = new Set(keys.flatMap((key) => this.listeners.get(key) ?? []));
    for (const listener of once) listener();
  }
}
