// @ts-check
/** A gift: a card that one player gave another. The mat does not sense it, so the giver chooses it here. */

import { face, nameOf } from "./cards.js";
import { el, keepChildren, setAttribute, setText } from "./dom.js";

/**
 * Show the giver's hand in its row as choices, with the current gift marked.
 * @param {{section: Element, title: Element, note: Element, cover: Element, cards: Element}} row
 * @param {{giver: number, receiver: number, card: string, choices: string[]}} gift
 * @param {(seat: number) => string} name
 */
export function showGift({ section, title, note, cover, cards }, gift, name, catalogue) {
  const receiver = name(gift.receiver);
  section.removeAttribute("data-turn");
  section.removeAttribute("data-uncovered");
  cover.hidden = true;
  setText(title, `${name(gift.giver)} gives ${receiver} a card. Which one?`);
  setText(note, `It is ${catalogue.card(gift.card).words}, until you choose another.`);
  keepChildren(cards, gift.choices.map((tag) => `give ${tag}`), (key) => choice(catalogue.card(key.slice("give ".length))));
  for (const button of cards.children) {
    const isGiven = button.dataset.give === gift.card;
    setAttribute(button, "aria-pressed", isGiven);
    setText(button.querySelector(".for"), isGiven ? `for ${receiver}` : "");
  }
  putFirst(section, "data-gift", true);
}

function choice(card) {
  return el("button", { type: "button", class: "choice", "data-give": card.tag, "aria-label": nameOf(card), title: nameOf(card) },
    face(card), el("span", { class: "for", "aria-hidden": "true" }));
}

/** Mark a row with *attribute*, so that style.css shows it first, and scroll to it. */
export function putFirst(section, attribute, isFirst) {
  const wasFirst = section.hasAttribute(attribute);
  section.toggleAttribute(attribute, isFirst);
  if (!isFirst || wasFirst) return;
  const panel = section.closest(".panel");
  const [row, seen] = [section, panel].map((element) => element.getBoundingClientRect());
  if (row.top < seen.top || row.bottom > seen.bottom) panel.scrollTop += row.top - seen.top;
}
