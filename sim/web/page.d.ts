/**
 * Types that the page's scripts assume beside the browser's own: every element found by a selector or an
 * event is an HTML element, and each id of index.html has one kind of element.
 */

interface Element extends ElementCSSInlineStyle, HTMLOrSVGElement {
  hidden: boolean;
}

interface EventTarget {
  closest: any;
  readonly dataset: DOMStringMap;
  value: any;
}

/** The elements of index.html that are of a special kind, by id. */
interface PageElements {
  shortcuts: HTMLInputElement;
  filter: HTMLInputElement;
  "hot-seat": HTMLInputElement;
  code: HTMLInputElement;
  "deal-game": HTMLSelectElement;
  "deal-players": HTMLSelectElement;
  "tray-game": HTMLSelectElement;
  rehearsal: HTMLTextAreaElement;
  pairing: HTMLDialogElement;
  oled: HTMLCanvasElement;
}

/** The fields of the `table` message that do not change, from sim/web/table.py. */
interface PageTable {
  title?: string;
  language?: string;
  spots: string[];
  lamps: string[];
  buttons: string[];
  games: any[];
  commands: { name: string }[];
  faults: any[];
  hasEncoder?: boolean;
  hasTilt?: boolean;
}

/** The state that the server sends, by key. `view` has the fields that `Live._view` in live.py writes. */
interface PageState {
  power: boolean;
  oled: any;
  lamps: Record<string, number>;
  tone: number | null;
  lying: Record<string, string[]>;
  view: any;
  deal: Deal | null;
  faults: any[];
}

/** The dealt deck. Each layout adds its own fields; its `page_data` in sim/deal/layouts writes them. */
interface Deal {
  game: string;
  layout: string;
  robots: (string | null)[];
}

/** A hand by seat; a card that is face down is null. */
interface DealtHands {
  hands: (string | null)[][];
  mayShow: number[];
}

interface HandsDeal extends Deal, DealtHands {
  pile: number;
  laid: string[];
  gift: { giver: number; receiver: number; card: string; choices: string[] } | null;
}

interface SpreadDeal extends Deal {
  columns: number;
  places: string[];
  past: number[];
  movable: number | null;
  won: string[][];
}

interface BoardDeal extends Deal, DealtHands {
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

interface ShipDeal extends Deal, DealtHands {
  revealed: (string | null)[];
  captain: number;
  stocks: string[][];
  box: string[];
  ship: ShipLoad;
}

interface ShipLoad {
  areas: { area: number; pieces: string[]; most: number }[];
  lit: number | null;
  inHand: string | null;
  fallen: string[];
  caught: string[];
  movable: string[];
  isTagged: boolean;
  isFalling: boolean;
  isReporting: boolean;
}
