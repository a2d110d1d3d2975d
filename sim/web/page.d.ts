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
  "start-learn": HTMLInputElement;
  code: HTMLInputElement;
  "deal-game": HTMLSelectElement;
  "deal-players": HTMLSelectElement;
  "tray-game": HTMLSelectElement;
  language: HTMLSelectElement;
  rehearsal: HTMLTextAreaElement;
  pairing: HTMLDialogElement;
  join: HTMLDialogElement;
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

type Ask = (message: PageRequest) => Promise<unknown>;

/** A button of the banner. */
interface Act {
  key: string;
  words: string;
  /** What is bad about it, although the rules allow it. */
  warning?: string;
  /** True if another act is more likely. */
  isQuiet?: boolean;
  /** True if it can be done at other times only. */
  isOff?: boolean;
  /** What is sent to the table. */
  messages?: PageRequest[];
  /** What the page asks about first; null if this answers that question. */
  doubt?: string | null;
  /** Pieces to tap, all at once. */
  tags?: string[];
}

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

// --- the messages: protocol.d.ts has their types, made from protocol.schema.json ---

/** The last `table` message, which has not arrived at first. */
type PageTable = Partial<TableMessage> & Pick<TableMessage, "spots" | "lamps" | "buttons" | "games" | "commands" | "faults">;

/** All keys of the last `state` messages. */
type PageState = Required<Omit<StateMessage, "type" | "pairing" | "language" | "deal">> &
  Pick<StateMessage, "pairing" | "language"> & {
    deal: Deal | null;
    /** The page's own: while the banner asks if somebody means it, the piece to play, or the name of another act. */
    doubt?: string | null;
    /** The page's own: what it shows of a race. During the countdown nobody can play a card. */
    race?: "countdown" | "finish" | null;
    /** The page's own: the seat of the player whose card came too late in the race. */
    late?: number | null;
    /** The page's own: the play that won the last race, by the number of its input, and the words for that. */
    won?: { n: number; words: string } | null;
    /** The page's own: the piece that it refused last, although the table would accept it, or what it says about a click. */
    refused?: string | PageNotice | null;
    /** The page's own: the notice, as JSON, that a question of the page has replaced. */
    hushed?: string | null;
    /** The page's own: the tag of the piece beside which there is no room for a lesson about it. */
    unplaced?: string | null;
  };

/** The server's messages of this `type`. */
type OfKind<Kind, Message = ServerMessage> = Message extends { type: infer Type } ? (Kind extends Type ? Message : never) : never;

/** A function for each kind of message that the server sends by itself. */
type Takes = { [Kind in Exclude<ServerMessage["type"], "done">]: (message: OfKind<Kind>) => void };
