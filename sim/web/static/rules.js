// @ts-check
/**
 * The rules card of a game: a page to learn it, with its special pieces, and a page with its rules by number. All texts of a game are the server's.
 */

import { face } from "./cards/faces.js";
import { byId, closeOn, el, findIn, loadStyle, setText } from "./dom.js";
import { t } from "./words.js";

await loadStyle("rules.css");

const NUMBER = /\d+\.\d+/; // the number in a refusal's rule, such as "RULES 4.1"

export class Rules {
  /** @param {() => Catalogue} catalogue */
  constructor(catalogue) {
    this.catalogue = catalogue;
    /** @type {HTMLElement | null} the element that had the focus before */
    this.opener = null;
    this.dialog = byId("rules");
    closeOn(this.dialog, byId("rules-close"));
    this.dialog.addEventListener("keydown", (event) => this.#keyed(event));
    this.dialog.addEventListener("close", () => this.#giveFocusBack());
    for (const tab of this.#tabs) tab.addEventListener("click", () => this.#show(tab));
  }

  get #tabs() {
    return [...this.dialog.querySelectorAll("[role=tab]")];
  }

  /**
   * Open the rules card of *game*, at the rule *named* if there is such a rule.
   * @param {HTMLElement} opener  the element that gets the focus back
   * @param {PageGame} game
   * @param {string} named
   * @param {string} language
   */
  async open(opener, game, named, language) {
    this.opener = opener;
    const number = NUMBER.exec(named)?.[0];
    const card = await fetchCard(game.name, language);
    this.#fill(game, card);
    if (!this.dialog.open) this.dialog.showModal();
    const rule = number && this.dialog.querySelector(`[data-rule="${number}"]`);
    this.#show(byId(rule ? "rules-tab-details" : "rules-tab-learn"));
    if (!rule) return;
    rule.setAttribute("aria-current", "true");
    rule.scrollIntoView({ block: "center" });
    rule.focus({ preventScroll: true });
  }

  /**
   * @param {PageGame} game
   * @param {RulesCard} card
   */
  #fill(game, { title, parts, special, numbered, rules }) {
    setText(byId("rules-title"), title);
    const effects = Object.entries(game.does).map(([name, { title, text }]) => {
      const kind = game.kinds.find(({ does }) => does === name)?.name ?? "";
      return el("li", {}, this.#pictures(game.name, [kind]), el("p", {}, el("b", {}, title), " ", text));
    });
    byId("rules-learn").replaceChildren(
      ...parts.map((part) => el("section", { class: "rules-part" }, el("h3", {}, part.title), this.#pictures(game.name, part.kinds), el("p", {}, part.text))),
      ...(effects.length > 0 ? [el("h3", {}, special), el("ul", { class: "rules-special" }, ...effects)] : []));
    byId("rules-details").replaceChildren(
      el("h3", {}, numbered),
      el("ul", { class: "rules-numbered" }, ...rules.map(({ number, text }) => el("li", { "data-rule": number, tabindex: -1 }, el("b", {}, number), " ", el("span", {}, text)))),
    );
  }

  /**
   * Pictures of pieces. Their names are in the texts, or printed on the pieces.
   * @param {string} game
   * @param {string[]} kinds
   */
  #pictures(game, kinds) {
    return el("span", { class: "rules-pictures", "aria-hidden": "true" }, ...kinds.map((kind) => face(this.catalogue().card(`${game}/${kind}#1`))));
  }

  /** @param {Element} shown  the tab whose page is shown */
  #show(shown) {
    for (const tab of this.#tabs) {
      tab.setAttribute("aria-selected", String(tab === shown));
      tab.tabIndex = tab === shown ? 0 : -1;
      byId(tab.getAttribute("aria-controls") ?? "").hidden = tab !== shown;
    }
    findIn(this.dialog, "[role=tabpanel]:not([hidden])").scrollTop = 0;
    /** @type {HTMLElement} */ (shown).focus();
  }

  /** @param {KeyboardEvent} event */
  #keyed(event) {
    event.stopPropagation(); // the page's own keys press buttons of the mat
    if (event.target?.closest?.("[role=tab]") && /^(Arrow(Left|Right)|Home|End)$/.test(event.key)) {
      event.preventDefault();
      const next = this.#tabs.find((tab) => tab !== event.target);
      if (next) this.#show(next);
    }
  }

  /** Focus the element that opened the card. The button of a refusal may have been removed. */
  #giveFocusBack() {
    const wanted = [this.opener, byId("rules-open"), byId("start-how")];
    wanted.find((element) => element?.isConnected && element.checkVisibility())?.focus();
  }
}

/** @type {Map<string, Promise<RulesCard>>} */
const cards = new Map();

/**
 * Fetch the rules card of a game once; try again if that failed.
 * @param {string} game
 * @param {string} language
 * @returns {Promise<RulesCard>}
 */
function fetchCard(game, language) {
  const address = `/rules/${encodeURIComponent(game)}?language=${encodeURIComponent(language)}`;
  const fetched = cards.get(address) ?? fetch(address).then((response) => {
    if (!response.ok) throw new Error(t("The rules cannot be fetched now."));
    return response.json();
  });
  cards.set(address, fetched);
  fetched.catch(() => cards.delete(address));
  return fetched;
}
