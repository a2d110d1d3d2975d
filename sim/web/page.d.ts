/**
 * Types that the page's scripts assume beside the browser's own: every element found by a selector or an
 * event is an HTML element, and each id of index.html has one kind of element.
 */

interface Element extends ElementCSSInlineStyle, HTMLOrSVGElement {
  hidden: boolean;
}

interface EventTarget {
  closest<E extends Element = Element>(selectors: string): E | null;
  readonly dataset: DOMStringMap;
}

/** The elements of index.html that are of a special kind, by id. */
interface PageElements {
  shortcuts: HTMLInputElement;
  filter: HTMLInputElement;
  "hot-seat": HTMLInputElement;
  "start-quick": HTMLInputElement;
  code: HTMLInputElement;
  "deal-game": HTMLSelectElement;
  "deal-players": HTMLSelectElement;
  "tray-game": HTMLSelectElement;
  "start-language": HTMLSelectElement;
  rehearsal: HTMLTextAreaElement;
  pairing: HTMLDialogElement;
  rules: HTMLDialogElement;
  oled: HTMLCanvasElement;
}

// --- the page's own classes and values ---

type Buttons = import("./static/buttons.js").Buttons;
type Catalogue = import("./static/catalogue.js").Catalogue;
type Connection = import("./static/connection.js").Connection;
type Encoder = import("./static/encoder.js").Encoder;
type News = import("./static/news.js").News;
type Layouts = import("./static/layouts.js").Layouts;
type Picking = import("./static/picking.js").Picking;
type Speaker = import("./static/sound.js").Speaker;
type Store = import("./static/store.js").Store;

/** A message to the server; docs/virtual-table-inside.md lists them. */
type Message = { type: string } & Record<string, unknown>;
type Ask = (message: Message) => Promise<unknown>;

type Drawing = Element;
type Point = readonly [number, number];

/** A card with its printed values; tiles and cargo are cards too. */
interface Card {
  /** The server's name for it: `straw/weight-7#2`, `commands/ok#1`, `stranger`. */
  tag: string;
  /** `straw`, `commands`, or "" for a tag of no deck. */
  game: string;
  kind: string;
  copy: number;
  /** The number of cards of its kind in the box. */
  count: number;
  value: number;
  /** The table's words for it: "the 7". */
  words: string;
  traits: Record<string, string>;
  /** The words of the deck file that are printed on it, in the table's language. */
  printed?: Record<string, string>;
  /** The name of its drawing in cards.js. */
  face: string;
  /** The name of its special effect in `PageGame.does`, or "". */
  does: string;
}

// --- the server's messages, by the code that writes them ---

/** The fields of the `table` message that do not change, from sim/web/table.py. */
interface PageTable {
  title?: string;
  /** The table's language, and its texts by the English text; see words.js. */
  language?: string;
  words?: Record<string, string | string[]>;
  /** All languages: each code with its name. */
  languages?: [string, string][];
  /** The players' usual names. */
  names?: string[];
  spots: string[];
  lamps: string[];
  buttons: string[];
  display?: { width: number; height: number } | null;
  games: PageGame[];
  commands: { name: string }[];
  faults: PageFault[];
  hasEncoder?: boolean;
  hasTilt?: boolean;
}

interface PageGame {
  name: string;
  title: string;
  seats: number[];
  /** The usual length of a game; 0 if nobody knows. */
  minutes: number;
  robots: string[];
  hasHands: boolean;
  /** House rules, each with its texts. */
  options: PageOption[];
  /** The words of the deck file that are printed on cards, in the table's language. */
  printed?: Record<string, string>;
  /** True if the server has a rules card for it. */
  hasRules: boolean;
  /** What special pieces do, by the effect's name. */
  does: Record<string, { title: string; text: string }>;
  kinds: PageKind[];
}

interface PageOption {
  name: string;
  title: string;
  help: string;
  values: [string, string][];
  default: string;
}

interface PageKind {
  name: string;
  words: string;
  count?: number;
  value?: number;
  traits?: Record<string, string>;
  face?: string;
  does?: string;
}

/** The rules card of a game, from sim/web/rules.py. */
interface RulesCard {
  title: string;
  parts: { title: string; text: string; kinds: string[] }[];
  /** The heading of the special pieces. */
  special: string;
  /** The heading of the rules. */
  numbered: string;
  rules: { number: string; text: string }[];
}

interface PageFault {
  name: string;
  title: string;
  words: string;
  kind: string;
  parts: string[];
}

/** The state that the server sends, by key: `LiveMat._look` in live.py. */
interface PageState {
  pairing?: boolean;
  power: boolean;
  oled: { on: boolean; inverted: boolean; contrast: number; rows: string } | null;
  lamps: Record<string, PageLamp>;
  tone: number | null;
  lying: Record<string, string[]>;
  view: PageView | null;
  deal: Deal | null;
  /** The page's own: the costly piece that somebody wants to play, while the banner asks if they mean it. */
  doubt?: string | null;
  faults: { name: string; part: string }[];
}

/** `LiveMat._lamp_data` in live.py: only a lit lamp on an LED strip has a colour. */
interface PageLamp {
  level: number;
  colour?: string;
}

/** `LiveMat._view` in live.py. */
interface PageView {
  game: string | null;
  layout: string | null;
  undealt: { ship?: ShipLoad };
  title: string;
  headline: string;
  /** The most that the headline may be, if there is a limit. */
  limit: number | null;
  caption: string;
  notice: { happened: string; do: string; rule: string; isRefusal: boolean } | null;
  /** What the buttons OK and action do now; empty if nothing. */
  ok: string;
  action: string;
  /** The number of pieces in each player's hand; null if the table does not count them. */
  held: (number | null)[];
  /** The number of inputs that can be taken back. */
  /** The number of the game in progress. */
  number: number | null;
  plays: number;
  /** The last piece that was played, in words, and the number of that input. */
  played: { n: number; text: string; language: string } | null;
  page: { headline: string; caption: string; hint: string };
  phase: string;
  turn: number | null;
  active: number[];
  direction: string | null;
  names: string[];
  scores: number[];
  winners: number[];
  /** Not null when a round or the game is over. */
  result: GameResult | null;
  grid: Grid | null;
  hint: string;
  asks: string[];
  choices: { prompt: string; items: [string, string][] } | null;
}

/** `result_data` in result.py. */
interface GameResult {
  hasRounds: boolean;
  /** By time, then by seat. */
  scores: number[][];
  /** The fields of `begin` for another such game. */
  again: { game: string; names: string[]; robots: (string | null)[]; options: Record<string, string>; quick: boolean };
}

/** A map; each place is its column and row. */
interface Grid {
  cells: GridCell[];
  focus: Point | null;
  cursor: Point | null;
  places: Point[];
}

interface GridCell {
  at: Point;
  piece: string | null;
  paths: string;
  lit: boolean;
}

/** An entry of the journal, and an event of the transcript with its lines. */
interface JournalEntry {
  n: number;
  at: string;
  kind: string;
  text: string;
}

interface SpokenEvent {
  n: number;
  at: number;
  language: string;
  /** The number of the game in which it was announced. */
  game: number | null;
  lines: SpokenLine[];
}

interface SpokenLine {
  topic: string;
  text: string;
  fate: string;
  why: string;
}

/**
 * The dealt deck. Each layout adds its own fields; its `page_data` in sim/deal/layouts writes them. All layouts
 * use the fields here in the same way, if they have them.
 */
interface Deal {
  game: string;
  layout: string;
  robots: (string | null)[];
  /** The hand by seat; a card that is face down is null. */
  hands?: (string | null)[][];
  /** The pieces in face-up hands that the rules would take now. */
  playable?: string[];
  /** The pieces in face-up hands that are fouls now, with the number of pieces that each would cost its player. */
  costs?: Record<string, number>;
  /** The seats that may show their hand. */
  mayShow?: number[];
  /** The seats that may tap a piece out of turn. */
  others?: number[];
  /** Places with a tile that is hidden until it is turned over: `down`, `free`, or the tag of the face-up tile. */
  places?: string[];
}

interface DealtHands extends Deal {
  hands: (string | null)[][];
  mayShow: number[];
}

interface HandsDeal extends DealtHands {
  pile: number;
  laid: string[];
  gift: Gift | null;
}

/** A card that one player gave another; the giver may choose another of the `choices`. */
interface Gift {
  giver: number;
  receiver: number;
  card: string;
  choices: string[];
}

interface SpreadDeal extends Deal {
  columns: number;
  places: string[];
  past: number[];
  movable: number | null;
  won: string[][];
}

interface BoardDeal extends DealtHands {
  pile: number;
  fronts: (string | null)[];
  apart: string[];
  laid: string[];
  out: number;
  waiting: string | null;
  shown: string[];
  others: number[];
  points: [number, number, string][];
}

interface ShipDeal extends DealtHands {
  revealed: (string | null)[];
  captain: number;
  stocks: string[][];
  box: string[];
  ship: ShipLoad;
}

interface ShipLoad {
  areas: ShipArea[];
  lit: number | null;
  inHand: string | null;
  fallen: string[];
  caught: string[];
  movable: string[];
  isTagged: boolean;
  isFalling: boolean;
  isReporting: boolean;
  /** In degrees; positive to the right. */
  tilt: number;
  /** How far pieces have slid within their area, from -1 (left) to 1, by tag. */
  slid: Record<string, number>;
  /** The side to which each piece falls, by tag: -1 for the left, 1 for the right. */
  sides: Record<string, number>;
  /** True if cargo has fallen and the message `report` tells the referee so. */
  canReport: boolean;
}

interface ShipArea {
  area: number;
  pieces: string[];
  most: number;
}
