"""The engine contract: the interface through which the table plays every game.

May import: the standard library and engines.common.
May be imported by: every game, firmware, sim, tests.

A game can *start*, list the inputs it *asks* for, take a *step* with one input, *view* a state, and
say what people must *put back* when a step is undone. States are frozen. A step is a pure function:
it returns a new state or raises a RulesError, and never changes the old state. A game knows only
what a mat can know: what was tapped, chosen and pressed, and what follows from it.

Messages carry codes and facts, never prose. The texts are in the game's *catalogue*, one file
``words/<language>.po`` for each language. In a text, a fact named ``seat`` (or ``..._seat``)
becomes the player's name, a Piece becomes the piece's name, and a tuple of Pieces becomes a list
that counts equal kinds. The fact ``n`` decides the plural.

A *spot* is a place on the mat with a tag reader. A *house rule* is an option that players can set
before a game. The *virtual table* is the mat shown in a web browser.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from functools import lru_cache
from typing import Generic, NamedTuple, NewType, Protocol, TypeVar

from engines.common.errors import Fact, RulesError
from engines.common.grid import Cell, Grid, Place
from engines.common.pieces import Deck, Piece

Seat = NewType("Seat", int)  # a place at the table, from 0, clockwise

PLAY_SPOT = "play"  # the shared spot, which every mat has
SEAT_SPOTS = tuple(f"seat-{number}" for number in range(1, 7))  # in seat order


def seat_of_spot(spot: str) -> Seat | None:
    """Return the seat that owns *spot*, or None for a shared spot.

    Seats count from 0, the names of spots from 1: ``seat-3`` belongs to seat 2.
    """
    return Seat(SEAT_SPOTS.index(spot)) if spot in SEAT_SPOTS else None


class Direction(Enum):
    """The direction in which turns go round the table, seen from above."""

    CLOCKWISE = "clockwise"
    COUNTER_CLOCKWISE = "counter-clockwise"

    @property
    def turned(self) -> "Direction":
        """The opposite direction."""
        clockwise = self is Direction.CLOCKWISE
        return Direction.COUNTER_CLOCKWISE if clockwise else Direction.CLOCKWISE


class Button(Enum):
    """The buttons to which a game gives a meaning. The third button, ``back``, means undo."""

    OK = "ok"
    ACTION = "action"


class Sensor(Enum):
    """A sensor that can press a button instead of a player."""

    TILT = "tilt"  # something rocks, or was knocked


# --- inputs: what people can do ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tap:
    """A piece laid on *spot*.

    *seat* is the owner's seat, or None if neither the spot nor the piece tells it.
    """

    piece: Piece
    spot: str = PLAY_SPOT
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number that was chosen."""

    value: int


@dataclass(frozen=True, slots=True)
class Choice:
    """The name that was chosen from a ChoiceAsk."""

    name: str


@dataclass(frozen=True, slots=True)
class SeatChoice:
    """A seat that was chosen."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class PlaceChoice:
    """A place on the map that was chosen."""

    place: Place


@dataclass(frozen=True, slots=True)
class Press:
    """A button press by a player, or a signal from a sensor."""

    button: Button


Input = Tap | Number | Choice | SeatChoice | PlaceChoice | Press


# --- messages ------------------------------------------------------------------------------------


class Topic(StrEnum):
    """The subject of a message. People can silence a subject, so that the voice leaves it out.

    Games use the first six; the table uses the others for its own messages.
    """

    NEWS = "news"  # any event without its own topic
    TOTAL = "total"  # the number players watch; a newer total replaces it
    TURN = "turn"  # the current player
    DIRECTION = "direction"  # the direction of play
    RESULT = "result"  # points, and how a round or the game ended
    QUESTION = "question"  # a choice or an action that the game waits for
    CARD = "card"  # a card that was laid
    ITEM = "item"  # the item that the controls point to
    HELP = "help"  # how to use the controls
    LESSON = "lesson"  # a rule that the players learn
    REFUSAL = "refusal"
    CORRECTION = "correction"  # the state of the game after an undo
    FAULT = "fault"  # a part of the table that fails or works again


@dataclass(frozen=True, slots=True)
class Message:
    """A reference to a text of the catalogue: its *code*, and the *facts* to insert into it.

    The voice leaves a message out if people switched its *topic* off.
    """

    code: str
    facts: Mapping[str, Fact] = field(default_factory=dict)
    topic: Topic = field(default=Topic.NEWS, compare=False)


@lru_cache(maxsize=4096, typed=True)
def message(code: str, topic: Topic = Topic.NEWS, /, **facts: Fact) -> Message:
    """Return a Message with *facts* given as keywords. Equal calls may return the same object."""
    return Message(code, facts, topic)


# --- asks: the inputs that a state accepts -------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TapAsk:
    """A request for a piece of one of *kinds* on one of *spots*, from any of *seats*.

    A piece of one of *fouls* is accepted too, but costs a penalty, such as cards to draw. Any other
    kind is refused. If *is_race* is True, the first player to tap wins. So the table polls only
    *spots*, and as often as it can, to find out which tap came first. If *is_shown* is True, a
    piece that is no foul is only shown, and stays in the hand.
    """

    kinds: frozenset[str]
    seats: tuple[Seat, ...]
    spots: tuple[str, ...] = (PLAY_SPOT,)
    is_race: bool = False
    fouls: frozenset[str] = frozenset()
    is_shown: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class NumberAsk:
    """A request for a whole number from *low* to *high*. *start* is preselected.

    It *is_seen* if it asks for something that only people can see.
    """

    low: int
    high: int
    start: int
    is_seen: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class ChoiceAsk:
    """A request for one of *names*. Each has a text ``choice.<name>`` in the catalogue.

    *usual* is the name that is chosen most often, and a page shows it first; "" if there is none.
    *facts* are the values for the placeholders in the texts that a page shows. It *is_seen* if it
    asks for something that only people can see or hear.
    """

    names: tuple[str, ...]
    usual: str = ""
    facts: Mapping[str, Fact] = field(default_factory=dict, hash=False)
    is_seen: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class SeatAsk:
    """A request for one of *seats*. If it *asks_owner*, it asks who has laid the last piece."""

    seats: tuple[Seat, ...]
    asks_owner: bool = False


@dataclass(frozen=True, slots=True)
class PressAsk:
    """An offer to press *button*. The text ``label.<label>`` says what the button does now.

    On a table that has *sensor*, a signal of the sensor presses the button. Players undo the press
    if the sensor was wrong. If *sensor* is None, only people press the button.

    A press that *is_claim* says that no piece in the players' hands can be played. The table cannot
    check that. A page that shows the hands offers the press only if no piece in sight can be
    played, and a phone asks again if one can. A press that *is_vain* gains nothing, so a page does
    not suggest it. *unlaid* is the number of pieces that the game still expects: a phone does not
    suggest the press either, and asks before it. A press that *is_seen* reports what only people
    can see.
    """

    button: Button
    label: str
    facts: Mapping[str, Fact] = field(default_factory=dict, hash=False)
    sensor: Sensor | None = None
    is_claim: bool = False
    is_vain: bool = False
    unlaid: int = 0
    is_seen: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Offer:
    """A place on the map that can be chosen, and the texts that the table shows for it."""

    place: Place
    headline: str | Message
    caption: Message
    spoken: Message | None = None  # what the voice says instead of headline and caption
    cell: Cell | None = None  # the cell at *place* as it would look if the place were chosen


@dataclass(frozen=True, slots=True)
class PlaceAsk:
    """A request for one of the places in *offers*.

    The controls step through the offers in this order. They begin at index *start* (from 0), so
    likely places should be near that index. The map itself is ``View.grid``.
    """

    offers: tuple[Offer, ...]
    start: int = 0


Ask = TapAsk | NumberAsk | ChoiceAsk | SeatAsk | PlaceAsk | PressAsk


# --- house rules ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Switch:
    """A house rule that is on or off.

    Every house rule has the texts ``option.<name>`` and ``option.<name>.help``.
    """

    name: str
    default: bool

    def accepts(self, value: object) -> bool:
        """Return True if *value* is allowed."""
        return isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class Amount:
    """A house rule that is a whole number from *low* to *high*."""

    name: str
    default: int
    low: int
    high: int

    def accepts(self, value: object) -> bool:
        """Return True if *value* is allowed."""
        return type(value) is int and self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Selection:
    """A house rule that is one of *names*. Each has a text ``option.<name>.<value>``."""

    name: str
    default: str
    names: tuple[str, ...]

    def accepts(self, value: object) -> bool:
        """Return True if *value* is allowed."""
        return value in self.names


Option = Switch | Amount | Selection
OptionValue = bool | int | str


@dataclass(frozen=True, slots=True)
class Setup:
    """The facts with which a game begins.

    *seats* is the number of players. *options* are the house rules by name; those left out have
    their defaults.
    """

    seats: int
    dealer: Seat
    deck: Deck
    options: Mapping[str, OptionValue] = field(default_factory=dict)


# --- results -------------------------------------------------------------------------------------


class ScoreUnit(Enum):
    """The thing that a score counts."""

    POINT = "point"
    CARD = "card"  # in the player's hand
    TILE = "tile"
    PIECE = "piece"


@dataclass(frozen=True, slots=True)
class View:
    """The parts of a state that the table shows and says.

    *headline* is the one number or word that players watch (in Straw, the weight). *caption* names
    or completes it. *spoken* is the headline for the voice, if it differs from the written one.
    *hint* says what players can do now. *page_hint* is the hint for a web page, where pieces move
    by themselves, if it differs. *phase* is the game's own name for the present step.

    If the headline is a number that must not become greater than a limit, *limit* is that limit.

    *counts* are numbers of pieces by place, never below zero. ``engines.common.layouts`` names the
    counts that the game's layout needs; the virtual table moves the pieces by these counts. The
    game may add others. *left_out* are the kinds that stay in the box during this game. *grid* is
    the map of the board, for games whose position needs a picture.

    *warnings* has, for some kinds, what is bad about playing such a piece now, although the rules
    allow it; while a number is chosen, its keys are numbers. *questions* has, for some kinds, what
    a web page asks before the current player plays such a piece. If the piece that was played last
    stands for a symbol that is not printed on it, *stands_for* is that symbol, a value of the trait
    ``symbol`` in the deck file.

    If *is_for_children* is True, small children play this game. Then the table uses the texts
    ``<code>.child`` of the catalogue, where there are any, and the voice says no number above 20.

    *worth* has the values of played pieces that have no value printed on them. *colours* has each
    player's colour, by seat: a value of the trait ``colour`` in the deck file, or "" for a player
    without one. *lowest_wins* is True if a lower score is better. While hands are counted,
    *counted* has by seat the points so far, or None if no card of that hand is counted yet; it may
    keep them until the next round.

    A web page knows all hands, so it can refuse pieces that the mat cannot refuse. If no piece of
    the hand may be played now, *barred_by* is the message that says why. If *is_drawn_free* is
    True, the pieces drawn last may be played nevertheless.
    """

    headline: str | Message
    caption: Message
    phase: str
    hint: Message
    scores: tuple[int, ...]  # by seat
    turn: Seat | None = None
    direction: Direction | None = None
    winners: tuple[Seat, ...] = ()
    limit: int | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    left_out: frozenset[str] = frozenset()
    spoken: Message | None = None
    grid: Grid | None = None
    page_hint: Message | None = None
    score_unit: ScoreUnit = ScoreUnit.POINT
    lowest_wins: bool = False
    warnings: Mapping[str, Message] = field(default_factory=dict)
    questions: Mapping[str, Message] = field(default_factory=dict)
    stands_for: str = ""
    worth: Mapping[Piece, int] = field(default_factory=dict)
    colours: tuple[str, ...] = ()
    counted: tuple[int | None, ...] = ()
    barred_by: RulesError | None = None
    is_drawn_free: bool = False
    is_for_children: bool = False

    @property
    def is_over(self) -> bool:
        """True when the game has ended."""
        return bool(self.winners)


@dataclass(frozen=True, slots=True)
class HandTransfer:
    """A transfer of *count* cards from *giver*'s hand to *receiver*'s, which no reader detects.

    Only the giver knows which cards these are, unless the whole hand is transferred.
    """

    giver: Seat
    receiver: Seat
    count: int


S = TypeVar("S")


class Step(NamedTuple, Generic[S]):
    """A new state, and the *events* that led to it in the order in which the table announces them.

    If *is_foul* is True, the rules accepted the input but punish it: the first event says what was
    wrong, the others say what follows. *handed* are the cards that players give each other. All
    these transfers happen at the same moment, after a card is laid and before any card is drawn. A
    swap of two hands is two transfers.
    """

    state: S
    events: tuple[Message, ...]
    is_foul: bool = False
    handed: tuple[HandTransfer, ...] = ()


class Game(Protocol[S]):
    """The rules of one game.

    A game may also have ``rules_card``, a card for people who learn it
    (``engines.common.rules_card``), ``lessons``, which the table tells while people play
    (``engines.common.lessons``), and ``advice`` on what to play (``engines.common.advice``).
    """

    @property
    def name(self) -> str:
        """The game's name in lower case, as commands and the journal write it."""
        ...

    @property
    def package(self) -> str:
        """The dotted name of the package with ``deck.toml``, ``RULES.md`` and ``words/``."""
        ...

    @property
    def seats(self) -> range:
        """The allowed numbers of players."""
        ...

    @property
    def options(self) -> tuple[Option, ...]:
        """The house rules."""
        ...

    @property
    def layout(self) -> str:
        """The name of the layout in which the virtual table shows the pieces, or "" for none.

        ``engines.common.layouts`` names the layouts and the ``View.counts`` each one needs. Other
        distributions can add layouts.
        """
        ...

    def start(self, setup: Setup, /) -> S:
        """Return the state after dealing.

        Raises:
            CannotStart: the deck has too few pieces for this number of players. People can change
                the deck or the number.
            ValueError: the number of seats, the dealer, an option or a kind of the deck is unknown
                to this game, which is the caller's mistake.
        """
        ...

    def opening(self, state: S, /) -> tuple[Message, ...]:
        """Return the messages to announce when the game begins."""
        ...

    def asks(self, state: S, /) -> tuple[Ask, ...]:
        """Return requests for the inputs that *state* accepts; none only when the game is over."""
        ...

    def step(self, state: S, given: Input, /) -> Step[S]:
        """Return the state after *given*.

        Raises:
            RulesError: the rules refuse *given*.
        """
        ...

    def view(self, state: S, /) -> View:
        """Return what the table shows and says about *state*."""
        ...

    def put_back(self, before: S, given: Input, /) -> tuple[Message, ...]:
        """Return messages that say what people must move back to undo *given*.

        *before* is the state before *given*; it accepts that input.
        """
        ...
