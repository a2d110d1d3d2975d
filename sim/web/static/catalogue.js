// @ts-check
/** The names and printed values of all cards, from the `table` message. */

import { printedOnMapTile } from "./tiles.js";

export const COMMANDS = "commands";
export const PLAY = "play";
const ODD_TAGS = { stranger: "Stranger’s tag", "random-uid": "Random UID: a tag that changes it" };

/**
 * @typedef {object} Card
 * @property {string} tag    the server's name for it: `straw/weight-7#2`, `commands/ok#1`, `stranger`
 * @property {string} game   `straw`, `commands`, or "" for a tag of no deck
 * @property {string} kind
 * @property {number} copy
 * @property {number} count  the number of cards of its kind in the box
 * @property {number} value
 * @property {string} words  the table's words for it: "the 7"
 * @property {object} traits
 * @property {boolean} isTile  square, as tiles of a spread or map and cargo are
 * @property {boolean} isDown  face down
 */
export class Catalogue {
  constructor(table) {
    this.cards = new Map();
    for (const game of table.games) for (const kind of game.kinds) this.#addKind(game.name, kind, Boolean(game.spread) || printedOnMapTile(kind) !== null);
    for (const { name } of table.commands) this.#addKind(COMMANDS, { name, words: commandWords(name) });
    for (const [tag, words] of Object.entries(ODD_TAGS)) this.#add({ tag, kind: tag, words });
  }

  /** @param {string} game @param {any} kind @param {boolean} isTile */
  #addKind(game, { name, count = 1, value = 0, words = name, traits = {} }, isTile = false) {
    for (let copy = 1; copy <= count; copy++) {
      this.#add({ tag: `${game}/${name}#${copy}`, game, kind: name, copy, count, value, words, traits, isTile: isTile || Boolean(traits.shape) });
    }
  }

  #add(card) {
    this.cards.set(card.tag, { game: "", copy: 1, count: 1, value: 0, traits: {}, ...card });
  }

  /** The card of a tag; a tag that the table did not list gets a plain card. */
  card(tag) {
    return this.cards.get(tag) ?? unlisted(tag);
  }

  all() {
    return [...this.cards.values()];
  }
}

function unlisted(tag) {
  const [, game = "", kind, copy = "1"] = /^(?:([^/]*)\/)?([^#]*)(?:#(\d+))?$/.exec(tag) ?? [null, "", tag];
  return { tag, game, kind, copy: Number(copy), count: 1, value: 0, words: kind, traits: {} };
}

function commandWords(name) {
  return `command card ${name.replaceAll("-", " ")}`;
}

/** The tag of a place, counted from 1; it stands for the unknown tile there. */
export function placeTag(game, place) {
  return `${game}/@${place}`;
}

/** The card to show for *tag* during *deal*; for a place, its face-up tile, or a back. */
export function seenAs(catalogue, deal, tag) {
  const [, game, place] = /^(.*)\/@(\d+)$/.exec(tag) ?? [];
  if (!place) return catalogue.card(tag);
  const seen = deal?.game === game ? deal.places?.[Number(place) - 1] : null;
  return seen?.includes("/") ? { ...catalogue.card(seen), tag } : { ...unlisted(tag), words: "a tile, face down", isTile: true, isDown: true };
}

/** A spot's name for people, as in "seat 1" for `seat-1`. */
export function spotName(spot) {
  return spot.replaceAll("-", " ");
}

/** Return true if the card's names and printed data contain every word in *typed*. */
export function matches(card, typed) {
  const traits = Object.values(card.traits).join(" ");
  const hay = `${card.kind} ${card.words} ${card.value} ${card.game} ${traits}`.toLowerCase();
  return typed.toLowerCase().split(/\s+/).every((word) => hay.includes(word));
}
