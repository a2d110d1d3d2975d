/** What the page knows of every card, out of the `table` message: names and printed values. */

import { printedOnMapTile } from "./tiles.js";

export const COMMANDS = "commands";
export const PLAY = "play";
const ODD_TAGS = { stranger: "Stranger’s tag", "random-uid": "Random UID: a tag that changes it" };

/**
 * @typedef {object} Card
 * @property {string} tag    as the server names it: `straw/weight-7#2`, `commands/ok#1`, `stranger`
 * @property {string} game   `straw`, `commands`, or "" for a tag of no deck
 * @property {string} kind
 * @property {number} copy
 * @property {number} count  how many of its kind the box holds
 * @property {number} value
 * @property {string} words  as the table says it: "the 7"
 * @property {object} traits
 * @property {boolean} isTile  square: one that is laid out in rows and columns, or on a map, or cargo
 * @property {boolean} isDown  all that can be seen of it is its back
 */
export class Catalogue {
  constructor(table) {
    this.cards = new Map();
    for (const game of table.games) for (const kind of game.kinds) this.#addKind(game.name, kind, Boolean(game.spread) || printedOnMapTile(kind) !== null);
    for (const { name } of table.commands) this.#addKind(COMMANDS, { name, words: commandWords(name) });
    for (const [tag, words] of Object.entries(ODD_TAGS)) this.#add({ tag, kind: tag, words });
  }

  #addKind(game, { name, count = 1, value = 0, words = name, traits = {} }, isTile = false) {
    for (let copy = 1; copy <= count; copy++) {
      this.#add({ tag: `${game}/${name}#${copy}`, game, kind: name, copy, count, value, words, traits, isTile: isTile || Boolean(traits.shape) });
    }
  }

  #add(card) {
    this.cards.set(card.tag, { game: "", copy: 1, count: 1, value: 0, traits: {}, ...card });
  }

  /** The card of a tag; one the table did not list still gets a face and a name. */
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

/** The tag of a place, counted from 1: whoever turns a tile over does not know which it is. */
export function placeTag(game, place) {
  return `${game}/@${place}`;
}

/** What can be seen of *tag* while *deal* lies on the table: at a place, the tile that lies open there. */
export function seenAs(catalogue, deal, tag) {
  const [, game, place] = /^(.*)\/@(\d+)$/.exec(tag) ?? [];
  if (!place) return catalogue.card(tag);
  const seen = deal?.game === game ? deal.places?.[place - 1] : null;
  return seen?.includes("/") ? { ...catalogue.card(seen), tag } : { ...unlisted(tag), words: "a tile, face down", isTile: true, isDown: true };
}

/** A spot's name for people: `seat-1` is "seat 1". */
export function spotName(spot) {
  return spot.replaceAll("-", " ");
}

/** Whether every word typed is found in the card's names or printed data. */
export function matches(card, typed) {
  const traits = Object.values(card.traits).join(" ");
  const hay = `${card.kind} ${card.words} ${card.value} ${card.game} ${traits}`.toLowerCase();
  return typed.toLowerCase().split(/\s+/).every((word) => hay.includes(word));
}
