// @ts-check
/** The names and printed values of all cards, from the `table` message. */

import { COMMANDS } from "./cards/faces.js";
import { withMinus } from "./words.js";

export { COMMANDS };
export const PLAY = "play";
const ODD_TAGS = { stranger: "Stranger’s tag", "random-uid": "Random UID: a tag that changes it" };

export class Catalogue {
  /** @param {PageTable} table */
  constructor(table) {
    /** @type {Map<string, Card>} */
    this.cards = new Map();
    for (const game of table.games) for (const kind of game.kinds) this.#addKind(game.name, kind, game.printed);
    for (const { name } of table.commands) this.#addKind(COMMANDS, { name, words: commandWords(name) });
    for (const [tag, words] of Object.entries(ODD_TAGS)) this.#add({ ...unlisted(tag), words });
  }

  /** @param {string} game @param {Partial<PageKind> & Pick<PageKind, "name" | "words">} kind @param {Record<string, string>} [printed] */
  #addKind(game, { name, words, count = 1, value = 0, traits = {}, face = "card", does = "" }, printed = {}) {
    for (let copy = 1; copy <= count; copy++) {
      this.#add({ tag: `${game}/${name}#${copy}`, game, kind: name, copy, count, value, words: withMinus(words), traits, face, printed, does });
    }
  }

  /** @param {Card} card */
  #add(card) {
    this.cards.set(card.tag, card);
  }

  /** The card of a tag; a tag that the table did not list gets a plain card. @param {string} tag */
  card(tag) {
    return this.cards.get(tag) ?? unlisted(tag);
  }

  all() {
    return [...this.cards.values()];
  }
}

/**
 * @param {string} tag
 * @returns {Card}
 */
function unlisted(tag) {
  const [, game = "", kind = tag, copy = "1"] = /^(?:([^/]*)\/)?([^#]*)(?:#(\d+))?$/.exec(tag) ?? [];
  return { tag, game, kind, copy: Number(copy), count: 1, value: 0, words: kind, traits: {}, face: "card", does: "" };
}

/** The kind of a piece. @param {string} tag */
export function kindOf(tag) {
  return unlisted(tag).kind;
}

/** @param {string} name */
function commandWords(name) {
  return `command card ${name.replaceAll("-", " ")}`;
}

/**
 * The tag of the face-down tile at *place*, which is counted from 1.
 * @param {string} game
 * @param {number} place
 */
export function placeTag(game, place) {
  return `${game}/@${place}`;
}

/**
 * The card to show for *tag* during *deal*. For the tag of a place, it is the face-up tile there, or a back.
 * @param {Catalogue} catalogue
 * @param {Deal | null} deal
 * @param {string} tag
 * @returns {Card}
 */
export function seenAs(catalogue, deal, tag) {
  const [, game, place] = /^(.*)\/@(\d+)$/.exec(tag) ?? [];
  if (!place) return catalogue.card(tag);
  const seen = deal?.game === game ? deal.places?.[Number(place) - 1] : null;
  return seen?.includes("/") ? { ...catalogue.card(seen), tag } : { ...unlisted(tag), words: "a tile, face down", face: "tile-back" };
}

/** A spot's name for people, as in "seat 1" for `seat-1`. @param {string} spot */
export function spotName(spot) {
  return spot.replaceAll("-", " ");
}

/**
 * Return true if the card's names and printed data contain every word in *typed*.
 * @param {Card} card
 * @param {string} typed
 */
export function matches(card, typed) {
  const traits = Object.values(card.traits).join(" ");
  const hay = `${card.kind} ${card.words} ${card.value} ${card.game} ${traits}`.toLowerCase();
  return typed.toLowerCase().split(/\s+/).every((word) => hay.includes(word));
}
