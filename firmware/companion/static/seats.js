// The roles that a phone can ask for: the players of the game, and the host.

import { button, fill, part } from "./elements.js";

const TAKEN = "taken"; // the reply about a player who has a phone

export class Seats {
  /**
   * @param {Record<string, string>} words
   * @param {(request: Record<string, unknown>) => Promise<{code?: string} | null>} ask
   */
  constructor(words, ask) {
    this.words = words;
    this.ask = ask;
  }

  /**
   * @param {string[] | null} names  of the players; null without a game
   * @param {string[]} taken  the players that have a phone
   * @param {boolean} isSeated
   * @param {boolean} isHost
   * @param {boolean} isPlayers  the phone is a player's, also without a game
   */
  draw(names, taken, isSeated, isHost, isPlayers) {
    const { words } = this;
    /** @param {string} name */
    const title = (name) => (taken.includes(name) ? words["phone.has-phone"].replace("{names}", name) : name);
    const seats = isSeated ? [] : (names ?? []).map((name) => button(title(name), () => this.#sit(name), "choice"));
    if (!isHost) seats.push(button(words["phone.host"], () => this.ask({ do: "host" }), "choice"));
    part("seats-title").textContent = isPlayers || seats.length === 0 ? "" : words[isHost ? "phone.here" : "phone.whose"];
    part("wait").textContent = names || isHost || isPlayers ? "" : words["phone.wait"];
    fill(part("seats"), seats);
  }

  /** Ask to be *player*'s phone; if there is one already, only after a question. @param {string} player */
  async #sit(player) {
    const reply = await this.ask({ do: "sit", player });
    if (reply?.code !== TAKEN || !confirm(this.words["phone.instead"].replace("{names}", player))) return;
    await this.ask({ do: "sit", player, instead: true });
  }
}
