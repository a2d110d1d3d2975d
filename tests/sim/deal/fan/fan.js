// @ts-check
/** The layout of Fan, a game for tests: all cards in a row, and a button that turns it round. */

import { cardButton } from "../cards.js";
import { byId, el, keepChildren } from "../dom.js";
import { notify } from "../notices.js";

export default class Fan {
  /** @param {import("../layouts.js").Tools} tools */
  constructor({ store, connection, catalogue }) {
    this.store = store;
    this.connection = connection;
    this.catalogue = catalogue;
  }

  rows() {
    return this.store.state.deal ? ["fan"] : [];
  }

  build() {
    return el("section", { class: "fan" }, el("button", { type: "button", class: "plain", "data-turn-round": "" }, "Turn round"), el("div", { class: "hand-cards fan-row" }));
  }

  show() {
    const row = byId("hands").querySelector(".fan-row");
    const { deal } = this.store.state;
    if (row && deal) keepChildren(row, deal.row, (tag) => cardButton(this.catalogue().card(tag)));
  }

  /** @param {Element} target */
  click(target) {
    if (!target.closest("[data-turn-round]")) return false;
    this.connection.send({ type: "by-hand", act: "turn-round" }).catch((error) => notify(error.message));
    return true;
  }
}
