/** The messages of the server and the pages. Made from protocol.schema.json by npm run types. */

/**
 * The messages between a page and the server of the virtual table, JSON objects through one WebSocket; and the rules card, which the page fetches. Seats count from 0, unless a field says otherwise. A tag is the name of a piece in pages, such as `straw/weight-7#2`.
 */
type Protocol = PageRequest | ServerMessage | RulesCard;
/**
 * A message from a page. A whole number is written without a decimal point. `begin` must have as many `robots` as `names`, which this schema cannot say.
 */
type PageRequest =
  | LayRequest
  | HoldRequest
  | ReleaseRequest
  | TurnRequest
  | PlaceRequest
  | PowerRequest
  | FaultRequest
  | DealRequest
  | BeginRequest
  | ByHandRequest
  | ChooseRequest
  | ShowRequest
  | RobotRequest
  | LanguageRequest
  | PairRequest
  | BareRequest;
/**
 * The page's number for a message; the answer repeats it in `about`.
 */
type Id = number;
/**
 * The name of a card, spot or part, or a value in a list.
 */
type Word = string;
/**
 * A number of inputs of the game in progress; 0 without a game. A request whose number differs from that of the table answers an older question, and does nothing.
 */
type Inputs = number;
/**
 * A place of a map: its column and row, from the middle. No board grows larger.
 *
 * @minItems 2
 * @maxItems 2
 */
type Place = readonly [number, number];
/**
 * A seat, counted from 1, or the number of players.
 */
type Ordinal = number;
/**
 * A text or null for each seat.
 *
 * @minItems 1
 * @maxItems 6
 */
type Sitters = (Word | null)[];
/**
 * A value of an act by hand: a text, such as a tag; tags, such as of all cargo that can fall at once; or a number, such as a place. No box holds more.
 */
type Value = Word | Word[] | number;
/**
 * A message from the server.
 */
type ServerMessage =
  TableMessage | WordsMessage | StateMessage | SaidMessage | JournalMessage | TextMessage | PictureMessage | DoneMessage | ErrorMessage;
/**
 * A value and its words.
 *
 * @minItems 2
 * @maxItems 2
 */
type Pair = [string, string];
/**
 * The style of the robot by seat; null for a person.
 */
type Robots = (string | null)[];
/**
 * The hand of each seat; a card that is face down is null.
 */
type Hands = (string | null)[][];
/**
 * The pieces in face-up hands that the rules would take now.
 */
type Playable = string[];
/**
 * The seats that may show their hand.
 */
type MayShow = number[];
/**
 * Row by row: `down`, `free`, or the tag of the face-up tile.
 */
type TilePlaces = string[];
/**
 * The seats that may tap a piece out of turn.
 */
type Others = number[];
/**
 * @minItems 3
 * @maxItems 3
 */
type PlacePoints = [number, number, string];
/**
 * The `id` of the message that this answers; null if it had none.
 */
type About = number | null;

/**
 * Lay cards on a spot, or lift them off it.
 */
interface LayRequest {
  type: "lay" | "lift";
  id?: Id;
  /**
   * A spot never holds more cards. Repeats are ignored.
   *
   * @minItems 1
   * @maxItems 12
   */
  tags: Word[];
  spot: Word;
}
/**
 * Press a button and keep it down.
 */
interface HoldRequest {
  type: "down";
  id?: Id;
  button: Word;
  inputs?: Inputs;
}
/**
 * Release a button.
 */
interface ReleaseRequest {
  type: "up";
  id?: Id;
  button: Word;
}
/**
 * Turn the encoder.
 */
interface TurnRequest {
  type: "turn";
  id?: Id;
  /**
   * Detents; clockwise is positive.
   */
  steps: number;
}
/**
 * Turn the encoder to a place of the map, and press OK.
 */
interface PlaceRequest {
  type: "place";
  id?: Id;
  at: Place;
}
/**
 * Plug the mat in, or pull the plug.
 */
interface PowerRequest {
  type: "power";
  id?: Id;
  on: boolean;
}
/**
 * Break a part.
 */
interface FaultRequest {
  type: "fault";
  id?: Id;
  /**
   * A fault in `table`, or `none` to repair the part.
   */
  name: Word;
  part: Word;
}
/**
 * Deal a shuffled deck; if no game is in progress, start one first.
 */
interface DealRequest {
  type: "deal";
  id?: Id;
  game: Word;
  players: Ordinal;
  /**
   * True if each hand is face up only in its turn.
   */
  hotSeat: boolean;
}
/**
 * End the game in progress, if any, start another and deal it.
 */
interface BeginRequest {
  type: "begin";
  id?: Id;
  game: Word;
  /**
   * By seat; null for a player without a name.
   */
  names: Sitters;
  /**
   * The style of the robot by seat; null for a person.
   */
  robots: Sitters;
  /**
   * House rules by name, as in a rehearsal. Those left out have their defaults. No game has more.
   */
  options?: {
    [k: string]: Word;
  };
  /**
   * True if robots make short pauses.
   */
  quick?: boolean;
  /**
   * True if the table teaches the game.
   */
  learn?: boolean;
  /**
   * True if people at one page pass it on, and each asks to see their hand.
   */
  handsOver?: boolean;
}
/**
 * An act that the mat does not sense. Each layout has its own acts and their values.
 */
interface ByHandRequest {
  type: "by-hand";
  id?: Id;
  act: Word;
  [k: string]: Value | "by-hand" | Id | Word | undefined;
}
/**
 * Turn the encoder to an item of the open list, and press OK.
 */
interface ChooseRequest {
  type: "choose";
  id?: Id;
  value: Word;
  inputs?: Inputs;
}
/**
 * Turn a hand face up for its player.
 */
interface ShowRequest {
  type: "show";
  id?: Id;
  seat: Ordinal;
}
/**
 * Seat a robot, or a person.
 */
interface RobotRequest {
  type: "robot";
  id?: Id;
  seat: Ordinal;
  /**
   * The robot's style; null or nothing for a person.
   */
  style?: Word | null;
}
/**
 * Change the table's language.
 */
interface LanguageRequest {
  type: "language";
  id?: Id;
  /**
   * Such as `de`.
   */
  code: Word;
}
/**
 * Pair the page.
 */
interface PairRequest {
  type: "pair";
  id?: Id;
  /**
   * The code on the mat's display.
   */
  code: Word;
}
/**
 * `cover` turns the shown hand face down again, `export` asks for the message `rehearsal`, `picture` for `picture`, `report` tells the referee which cargo fell, as the page shows it, `take-back` undoes the last play by a person and all after it, `tilt` rocks the tilt switch, and `undeal` puts the deck back.
 */
interface BareRequest {
  type: "cover" | "export" | "picture" | "report" | "take-back" | "tilt" | "undeal";
  id?: Id;
}
/**
 * The table's parts, games and texts; sent once, and again when the language changes.
 */
interface TableMessage {
  type: "table";
  title: string;
  /**
   * The table's language, such as `de`.
   */
  language: string;
  words: PageWords;
  /**
   * All languages: each code with its name.
   */
  languages: Pair[];
  /**
   * The players' usual names.
   */
  names: string[];
  spots: string[];
  lamps: string[];
  buttons: string[];
  hasEncoder: boolean;
  hasTilt: boolean;
  /**
   * The display's size in pixels; null without a display.
   */
  display: DisplaySize | null;
  games: PageGame[];
  /**
   * The command cards.
   */
  commands: {
    name: string;
  }[];
  faults: PageFault[];
}
/**
 * The page's texts by the English text; see words.js. A text with a plural has three forms: for 0, 1 and 2.
 */
interface PageWords {
  [k: string]: string | string[];
}
interface DisplaySize {
  width: number;
  height: number;
}
interface PageGame {
  name: string;
  title: string;
  /**
   * The name of its layout, or "".
   */
  layout: string;
  /**
   * The possible numbers of players.
   */
  seats: number[];
  /**
   * The usual length of a game; 0 if nobody knows.
   */
  minutes: number;
  /**
   * The styles of its robots.
   */
  robots: string[];
  hasHands: boolean;
  /**
   * House rules, each with its texts.
   */
  options: PageOption[];
  /**
   * The words of the deck file that are printed on cards, in the table's language.
   */
  printed: {
    [k: string]: string;
  };
  /**
   * The aim of the game in a sentence, or "".
   */
  goal: string;
  /**
   * True if the server has a rules card for it.
   */
  hasRules: boolean;
  /**
   * True if the table can teach it.
   */
  hasLessons: boolean;
  /**
   * What special pieces do, by the effect's name.
   */
  does: {
    [k: string]: {
      title: string;
      text: string;
    };
  };
  kinds: PageKind[];
}
interface PageOption {
  name: string;
  title: string;
  help: string;
  /**
   * Each value with its words.
   */
  values: Pair[];
  default: string;
}
/**
 * A kind of piece in a game's box.
 */
interface PageKind {
  name: string;
  /**
   * The number of pieces of this kind in the box.
   */
  count: number;
  value: number;
  /**
   * The table's words for it: "the 7".
   */
  words: string;
  /**
   * Values of its traits in the deck file.
   */
  traits: {
    [k: string]: string;
  };
  /**
   * The name of its drawing in faces.js.
   */
  face: string;
  /**
   * The name of its special effect in `PageGame.does`, or "".
   */
  does: string;
}
interface PageFault {
  name: string;
  title: string;
  words: string;
  /**
   * The kind of part.
   */
  kind: string;
  /**
   * The table's parts that can have it.
   */
  parts: string[];
}
/**
 * The part of `table` that a page needs to ask for the pairing code.
 */
interface WordsMessage {
  type: "table";
  language: string;
  words: PageWords;
}
/**
 * The state that pages show: all keys once, then those that changed. A page that is not paired gets only `pairing`.
 */
interface StateMessage {
  type: "state";
  /**
   * True if the page must send the code first.
   */
  pairing?: boolean;
  language?: string;
  power?: boolean;
  /**
   * Null without a display.
   */
  oled?: PageOled | null;
  /**
   * How to join with a phone. Null without a companion.
   */
  join?: PageJoin | null;
  lamps?: {
    [k: string]: PageLamp;
  };
  /**
   * The buzzer's frequency in Hz; null while it is silent.
   */
  tone?: number | null;
  /**
   * The tags on each spot.
   */
  lying?: {
    [k: string]: string[];
  };
  /**
   * Null while the mat is off.
   */
  view?: PageView | null;
  /**
   * Null while no deck is dealt, or the mat is off.
   */
  deal?: HandsDeal | SpreadDeal | BoardDeal | ShipDeal | Deal | null;
  /**
   * The broken parts.
   */
  faults?: {
    name: string;
    part: string;
  }[];
}
interface PageOled {
  on: boolean;
  inverted: boolean;
  contrast: number;
  /**
   * The visible pixels in base64: rows from the top, eight pixels per byte, the leftmost in bit 7.
   */
  rows: string;
}
interface PageJoin {
  /**
   * The address that people can type.
   */
  place: string;
  /**
   * The six digits.
   */
  code: string;
  /**
   * The rows of the QR code, with 1 for each dark square; none if the address does not fit.
   */
  qr: string[];
}
interface PageLamp {
  /**
   * The brightness; 1 is full.
   */
  level: number;
  /**
   * Only of a lit lamp on an LED strip.
   */
  colour?: string;
}
/**
 * The game by the referee, and the texts of the display.
 */
interface PageView {
  /**
   * Null if none is in progress.
   */
  game: string | null;
  layout: string | null;
  undealt: Undealt;
  title: string;
  headline: string;
  /**
   * The most that the headline may be, if there is a limit.
   */
  limit: number | null;
  caption: string;
  notice: PageNotice | null;
  /**
   * What the button OK does now; empty if nothing.
   */
  ok: string;
  /**
   * What the action button does now; empty if nothing.
   */
  action: string;
  /**
   * True if the action button says that no piece of a hand can be played.
   */
  isClaim: boolean;
  /**
   * True if the action button gains nothing now.
   */
  isVain: boolean;
  /**
   * By kind of piece: what a page asks before the current player plays it.
   */
  questions: {
    [k: string]: string;
  };
  /**
   * By kind of piece, or by number while a number is chosen: what is bad about it now, although the rules allow it.
   */
  warnings: {
    [k: string]: string;
  };
  /**
   * The symbol that the piece played last stands for if it is not printed on it, or "".
   */
  standsFor: string;
  /**
   * While hands are counted, and with the result: by seat, the points so far; null if no card of that hand is counted yet.
   */
  counted: (number | null)[];
  /**
   * The number of pieces in each player's hand; null if the table does not count them.
   */
  held: (number | null)[];
  /**
   * The number of the game in progress.
   */
  number: number | null;
  inputs: Inputs;
  /**
   * The number of the round in progress; 0 without rounds.
   */
  round: number;
  /**
   * The number of inputs that `take-back` undoes.
   */
  plays: number;
  /**
   * The last piece that was played; null if none was.
   */
  played: PagePlay | null;
  phase: string;
  /**
   * The current player's seat; null if several may act, or nobody.
   */
  turn: number | null;
  /**
   * The seats that may act.
   */
  active: number[];
  /**
   * True if only robots may act, and one of them will.
   */
  isRobotsTurn: boolean;
  direction: "clockwise" | "counter-clockwise" | null;
  names: string[];
  /**
   * By seat.
   */
  scores: number[];
  /**
   * What the scores count; `card` is one in the hand.
   */
  scoreUnit: "point" | "card" | "tile" | "piece";
  /**
   * The winners' seats; empty until the game is over.
   */
  winners: number[];
  /**
   * Not null when a round or the game is over.
   */
  result: GameResult | null;
  /**
   * The game's map; null if it has none.
   */
  grid: Grid | null;
  /**
   * The inputs that the table waits for, in words for people.
   */
  hint: string;
  page: PlayTexts;
  /**
   * These inputs in fixed words.
   */
  asks: string[];
  /**
   * The open list.
   */
  choices: PageChoices | null;
}
/**
 * What the view alone shows while no deck is dealt. Layouts add their own parts.
 */
interface Undealt {
  ship?: ShipLoad;
}
/**
 * The pieces on the ship. An unknown piece is plain cargo, such as `riff-raff/cargo#1`.
 */
interface ShipLoad {
  areas: ShipArea[];
  /**
   * The number of the area to load.
   */
  lit: number | null;
  inHand: string | null;
  /**
   * The pieces that fell overboard.
   */
  fallen: string[];
  /**
   * Those of them that were caught.
   */
  caught: string[];
  /**
   * The pieces that may be taken in hand.
   */
  movable: string[];
  /**
   * Of the ship, in degrees; positive to the right.
   */
  tilt: number;
  /**
   * The tilt to either side at which the first piece slides, in degrees; null without balance.
   */
  limit: number | null;
  /**
   * By shape, from 1 (light) to 4 (very heavy).
   */
  weights: {
    [k: string]: number;
  };
  /**
   * How far each known piece slid within its area: -1 is its left end, 1 its right end.
   */
  slid: {
    [k: string]: number;
  };
  /**
   * The side to which each fallen piece fell: -1 is left, 1 is right.
   */
  sides: {
    [k: string]: -1 | 1;
  };
  /**
   * True if `report` may be sent now.
   */
  canReport: boolean;
  /**
   * True if cargo has tags.
   */
  isTagged: boolean;
  isFalling: boolean;
  /**
   * True if fallen pieces are reported by tapping them.
   */
  isReporting: boolean;
}
interface ShipArea {
  area: number;
  /**
   * The pieces that are certainly there.
   */
  pieces: string[];
  /**
   * The most pieces that can be there.
   */
  most: number;
}
interface PageNotice {
  happened: string;
  /**
   * What to do now; may be empty.
   */
  do: string;
  /**
   * The number of the rule that forbids it, or "".
   */
  rule: string;
  isRefusal: boolean;
  /**
   * If it is a question: the words for yes, which is the button ok, and for no, which is any other.
   */
  answers: string[];
  /**
   * If it is a lesson about a piece on the table: its tag.
   */
  tag?: string;
}
interface PagePlay {
  /**
   * The number of its input.
   */
  n: number;
  /**
   * The player's seat.
   */
  seat: number;
  /**
   * The play in words.
   */
  text: string;
  language: string;
}
interface GameResult {
  hasRounds: boolean;
  /**
   * By seat, after each round, or else each time they changed.
   */
  scores: number[][];
  /**
   * The players' own by seat; empty if the game gives them none.
   */
  colours: string[];
  again: Again;
}
/**
 * The fields of `begin` for another such game.
 */
interface Again {
  game: string;
  names: string[];
  robots: Robots;
  /**
   * All house rules by name.
   */
  options: {
    [k: string]: string;
  };
  quick: boolean;
}
/**
 * A map.
 */
interface Grid {
  cells: GridCell[];
  /**
   * The place to show if there is no room for the whole map.
   */
  focus: Place | null;
  /**
   * The place that the controls point to, while one is being chosen.
   */
  cursor: Place | null;
  /**
   * The places to choose from.
   */
  places: Place[];
}
interface GridCell {
  at: Place;
  /**
   * A drawing, row by row; `#` is a lit dot.
   */
  icon: string[];
  /**
   * A name of one or two characters, or "".
   */
  mark: string;
  /**
   * The number of pieces there: `2`, `0-1`, or "".
   */
  tally: string;
  /**
   * The sides that paths lead to.
   */
  paths: string;
  /**
   * The piece there, without its game; null if it is not known.
   */
  piece: string | null;
  lit: boolean;
}
/**
 * The texts of the display for Play, where people click pieces.
 */
interface PlayTexts {
  headline: string;
  caption: string;
  hint: string;
  /**
   * What the action button does now; empty if nothing.
   */
  action: string;
}
interface PageChoices {
  prompt: string;
  /**
   * Each value for `choose` with its words.
   */
  items: Pair[];
  /**
   * The value of the usual answer, or "".
   */
  usual: string;
}
interface HandsDeal {
  game: string;
  layout: "hands";
  robots: Robots;
  hands: Hands;
  playable: Playable;
  costs: Costs;
  barred: Barred;
  mayShow: MayShow;
  /**
   * The number of cards in the draw pile.
   */
  pile: number;
  /**
   * The played cards, the first one first.
   */
  laid: string[];
  /**
   * The seats whose cards are at the end of `laid` because they were counted, not played; one for each card.
   */
  counted: number[];
  /**
   * The played cards that stand for a symbol which is not printed on them, with the symbol.
   */
  standing: {
    [k: string]: string;
  };
  /**
   * The numbers that played cards count for, if they are not printed on them.
   */
  worth: {
    [k: string]: number;
  };
  /**
   * The cards in face-up hands that their players got last, until they lay a card or their next turn begins.
   */
  fresh: string[];
  gift: Gift | null;
}
/**
 * The pieces in face-up hands that are fouls now, with the penalty for each.
 */
interface Costs {
  [k: string]: Penalty;
}
interface Penalty {
  /**
   * The number of pieces that the player would get.
   */
  n: number;
  /**
   * What is wrong, in words.
   */
  why: string;
  /**
   * The number of the rule; empty if there is none.
   */
  rule: string;
}
/**
 * The pieces in face-up hands that the mat would accept now, but the page refuses: it knows the hands.
 */
interface Barred {
  [k: string]: Bar;
}
interface Bar {
  /**
   * Why not, and what to do, in words.
   */
  why: string;
  /**
   * The number of the rule; empty if there is none.
   */
  rule: string;
}
/**
 * A card that one player gave another with the last input; the giver may choose another.
 */
interface Gift {
  giver: number;
  receiver: number;
  /**
   * null if the giver's hand is face down in this page.
   */
  card: string | null;
  /**
   * True if the giver has chosen this card.
   */
  isChosen: boolean;
  /**
   * The cards to choose from; none if the giver's hand is face down in this page.
   */
  choices: string[];
}
interface SpreadDeal {
  game: string;
  layout: "spread";
  robots: Robots;
  columns: number;
  places: TilePlaces;
  /**
   * The places of the last turn's tiles, counted from 1.
   */
  past: number[];
  /**
   * The place, counted from 1, of the tile that may be moved to a free place.
   */
  movable: number | null;
  /**
   * The seat, from 0, of the person who has to move that tile or say that it stays.
   */
  mover: number | null;
  /**
   * The tiles in front of each seat.
   */
  won: string[][];
}
interface BoardDeal {
  game: string;
  layout: "board";
  robots: Robots;
  hands: Hands;
  playable: Playable;
  costs: Costs;
  barred: Barred;
  mayShow: MayShow;
  others: Others;
  /**
   * The number of tiles in the draw pile.
   */
  pile: number;
  /**
   * The tile in front of each seat.
   */
  fronts: (string | null)[];
  /**
   * The tiles beside the board, which are never drawn.
   */
  apart: string[];
  /**
   * True while one of these tiles can be played.
   */
  isApartWanted: boolean;
  /**
   * The tiles put aside, the first one first.
   */
  laid: string[];
  /**
   * The number of tiles left in the box unseen.
   */
  out: number;
  /**
   * The tile that waits for a place.
   */
  waiting: string | null;
  /**
   * The tiles that were shown in this phase.
   */
  shown: string[];
  /**
   * Who laid the tile whose points can be copied, and the points.
   */
  placed: number[] | null;
  /**
   * The waiting tile's points at each place: column, row, points.
   */
  points: PlacePoints[];
}
interface ShipDeal {
  game: string;
  layout: "ship";
  robots: Robots;
  hands: Hands;
  playable: Playable;
  costs: Costs;
  barred: Barred;
  mayShow: MayShow;
  /**
   * The revealed card by seat.
   */
  revealed: (string | null)[];
  /**
   * The captain's seat; -1 if there is none.
   */
  captain: number;
  /**
   * The players' own by seat.
   */
  colours: string[];
  /**
   * Of players who revealed the same number, the seats that the captain has put first, in order.
   */
  order: number[];
  /**
   * The cargo in front of each seat.
   */
  stocks: string[][];
  /**
   * The cargo that is out of the game.
   */
  box: string[];
  ship: ShipLoad;
}
/**
 * The dealt deck. Layouts add their own fields; those of our layouts have their own types. All layouts use the fields here in the same way, if they have them.
 */
interface Deal {
  game: string;
  layout: string;
  robots: Robots;
  hands?: Hands;
  playable?: Playable;
  costs?: Costs;
  barred?: Barred;
  mayShow?: MayShow;
  others?: Others;
  places?: TilePlaces;
}
/**
 * New events of the transcript, and those in which the outcome of a line changed.
 */
interface SaidMessage {
  type: "said";
  entries: SpokenEvent[];
}
interface SpokenEvent {
  /**
   * The event's number.
   */
  n: number;
  /**
   * Its time in seconds, by the table's clock.
   */
  at: number;
  language: string;
  /**
   * The number of the game in which it was announced.
   */
  game: number | null;
  /**
   * The number of the round in which it was announced; 0 without rounds.
   */
  round: number;
  /**
   * True before the first play of its game.
   */
  is_start: boolean;
  lines: SpokenLine[];
}
interface SpokenLine {
  /**
   * Its subject, such as `turn`.
   */
  topic: string;
  text: string;
  /**
   * Its outcome so far.
   */
  fate: "waiting" | "speaking" | "said" | "interrupted" | "dropped";
  /**
   * Why it was interrupted or dropped, or "".
   */
  why: string;
}
/**
 * New entries of the journal.
 */
interface JournalMessage {
  type: "journal";
  entries: JournalEntry[];
}
interface JournalEntry {
  n: number;
  /**
   * Date and time, in ISO 8601.
   */
  at: string;
  /**
   * `start`, `input`, `undo`, `end` or `refused`.
   */
  kind: string;
  text: string;
}
/**
 * `rehearsal` has the exported game. `failed`: the program failed and was restarted from its journal. `stopped`: it could not be restarted, and the server ends. Their text says why.
 */
interface TextMessage {
  type: "rehearsal" | "failed" | "stopped";
  text: string;
}
/**
 * The whole map as a picture.
 */
interface PictureMessage {
  type: "picture";
  /**
   * In base64.
   */
  png: string;
}
/**
 * A request was carried out.
 */
interface DoneMessage {
  type: "done";
  about: About;
}
/**
 * A request was not carried out, or the page did something wrong.
 */
interface ErrorMessage {
  type: "error";
  about: About;
  /**
   * What is wrong, and what to do.
   */
  text: string;
  /**
   * The seconds after which the same message may be sent again.
   */
  wait_s?: number;
  /**
   * The number of the rule that forbids it.
   */
  rule?: string;
}
/**
 * The rules card of a game, which a page fetches from `/rules/<game>`.
 */
interface RulesCard {
  title: string;
  /**
   * The first page; `kinds` are the pieces to draw beside each part.
   */
  parts: {
    title: string;
    text: string;
    kinds: string[];
  }[];
  /**
   * The heading of the special pieces.
   */
  special: string;
  /**
   * The heading of the rules.
   */
  numbered: string;
  rules: {
    number: string;
    text: string;
  }[];
}
