"""The engine contract: the small surface every game offers the table.

Room: engines/common.
May import: the standard library and engines.common.
May be imported by: every game, firmware, sim, tests.

A game is a value that knows how to *start*, what it *asks* for now, how to *step* with one input,
how to be *viewed*, and what people must *put back* when a step is undone. States are frozen; a
step is a pure function that succeeds whole or raises a RulesError and changes nothing. The
referee knows only what a mat can know: what was tapped, chosen and pressed, and what follows.

Messages carry codes and facts, never prose. Facts named ``seat`` (or ``..._seat``) are seats and
read as the player's name; a fact that is a Piece reads as the piece's name, a tuple of Pieces as a
list in which equal kinds are counted; ``n`` decides plurals.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Generic, NewType, Protocol, TypeVar

from engines.common.errors import Fact
from engines.common.grid import Cell, Grid, Place
from engines.common.pieces import Deck, Piece

Seat = NewType("Seat", int)  # a place at the table, from 0, clockwise

PLAY_SPOT = "play"  # the one spot every mat has
SEAT_SPOTS = tuple(f"seat-{number}" for number in range(1, 7))  # of the seats, as far as a mat goes


def seat_of_spot(spot: str) -> Seat | None:
    """Whose spot it is: ``seat-3`` is seat 2's; any other is nobody's own."""
    return Seat(SEAT_SPOTS.index(spot)) if spot in SEAT_SPOTS else None


class Direction(Enum):
    """Which way the turn goes round the table, seen from above."""

    CLOCKWISE = "clockwise"
    COUNTER_CLOCKWISE = "counter-clockwise"

    @property
    def turned(self) -> "Direction":
        """The other direction."""
        clockwise = self is Direction.CLOCKWISE
        return Direction.COUNTER_CLOCKWISE if clockwise else Direction.CLOCKWISE


class Button(Enum):
    """The buttons whose meaning a game gives for the moment; ``back`` is always undo."""

    OK = "ok"
    ACTION = "action"


class Sensor(Enum):
    """Parts of a table that can see for themselves what otherwise a person tells by a button."""

    TILT = "tilt"  # something rocks, or was knocked


# --- inputs: what people can do ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tap:
    """A piece was laid on a spot; *seat* when the spot or the piece tells whose it is."""

    piece: Piece
    spot: str = PLAY_SPOT
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number was chosen."""

    value: int


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the named things was chosen."""

    name: str


@dataclass(frozen=True, slots=True)
class SeatChoice:
    """A seat was chosen."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class PlaceChoice:
    """A place of the map was chosen."""

    place: Place


@dataclass(frozen=True, slots=True)
class Press:
    """A button was pressed that has a meaning now; or a sensor saw what it stands for."""

    button: Button


Input = Tap | Number | Choice | SeatChoice | PlaceChoice | Press


# --- messages ------------------------------------------------------------------------------------


class Topic(Enum):
    """What something told is about, so that a table can be terse, or leave out what nobody wants.

    A game tells of the first six; the others are the table's own.
    """

    NEWS = "news"  # whatever else happened
    TOTAL = "total"  # the number people look for; a newer one takes its place
    TURN = "turn"  # who plays now
    DIRECTION = "direction"  # which way play goes round
    RESULT = "result"  # points, and how a round or the game ended
    QUESTION = "question"  # what must be chosen or done before it goes on
    CARD = "card"  # what was laid
    ITEM = "item"  # what the controls stand on
    HELP = "help"  # what the controls do
    REFUSAL = "refusal"
    CORRECTION = "correction"  # how things stand after something was taken back
    FAULT = "fault"  # a part of the table does not do its work, or does again


@dataclass(frozen=True, slots=True)
class Message:
    """Something to be told in the table's words: a *code* of the catalogue and its *facts*.

    The *topic* is for whoever says it aloud; it changes nothing about what is told.
    """

    code: str
    facts: Mapping[str, Fact] = field(default_factory=dict)
    topic: Topic = field(default=Topic.NEWS, compare=False)


def told(code: str, topic: Topic = Topic.NEWS, /, **facts: Fact) -> Message:
    """Return the message *code* about *topic* with its *facts*."""
    return Message(code, facts, topic)


# --- asks: what a state accepts ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TapAsk:
    """A tap of one of *kinds* on one of *spots*, by any of *seats*.

    *kinds* is what the rules accept now. *fouls* they take as well, at a price that they name
    themselves, such as cards to draw; a tap of any other kind would be refused. In a *race*
    whoever is first counts: the table looks at nothing but *spots*, as often as it can, and tells
    taps a few milliseconds apart.
    """

    kinds: frozenset[str]
    seats: tuple[Seat, ...]
    spots: tuple[str, ...] = (PLAY_SPOT,)
    is_race: bool = False
    fouls: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class NumberAsk:
    """A whole number from *low* to *high*; the controls begin at *start*."""

    low: int
    high: int
    start: int


@dataclass(frozen=True, slots=True)
class ChoiceAsk:
    """One of *names*; each has words under ``choice.<name>``."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SeatAsk:
    """One of *seats*."""

    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class PressAsk:
    """*button* does what *label* says now; words under ``label.<label>``, filled with *facts*.

    A table with that *sensor* gives the press by itself when the sensor sees it; whoever knows
    better takes it back.
    """

    button: Button
    label: str
    facts: Mapping[str, Fact] = field(default_factory=dict, hash=False)
    sensor: Sensor | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """A *place* of the map that can be chosen, and what the table shows while it is looked at."""

    place: Place
    headline: str | Message
    caption: Message
    spoken: Message | None = None  # what a voice says of it, headline and caption in one
    cell: Cell | None = None  # what would lie there


@dataclass(frozen=True, slots=True)
class PlaceAsk:
    """One of the places on *offers*, in the order in which the controls go through them.

    They begin at number *start* (from 0); what is likely should be few steps from there. The map is
    the view's.
    """

    offers: tuple[Offer, ...]
    start: int = 0


Ask = TapAsk | NumberAsk | ChoiceAsk | SeatAsk | PlaceAsk | PressAsk


# --- house rules ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Switch:
    """A house rule that is on or off; words under ``option.<name>`` and ``option.<name>.help``."""

    name: str
    default: bool

    def accepts(self, value: object) -> bool:
        """Whether *value* can be this option's."""
        return isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class Amount:
    """A house rule that is a whole number from *low* to *high*."""

    name: str
    default: int
    low: int
    high: int

    def accepts(self, value: object) -> bool:
        """Whether *value* can be this option's."""
        return type(value) is int and self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Selection:
    """A house rule that is one of *names*; each has words under ``option.<name>.<value>``."""

    name: str
    default: str
    names: tuple[str, ...]

    def accepts(self, value: object) -> bool:
        """Whether *value* can be this option's."""
        return value in self.names


Option = Switch | Amount | Selection
OptionValue = bool | int | str


@dataclass(frozen=True, slots=True)
class Setup:
    """How a game begins. *options* may leave out house rules that stay at their defaults."""

    seats: int
    dealer: Seat
    deck: Deck
    options: Mapping[str, OptionValue] = field(default_factory=dict)


# --- answers -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class View:
    """What the table shows of a state.

    *headline* is the one thing people look for, a number written out (Straw: the weight) or a
    word, and *caption* names it or completes it. *spoken* is the headline as a voice says it, where
    that is not as it is written. *counts* are the numbers of pieces the referee keeps, by place, in
    the game's own words; they serve checks and the curious, never the fold. *left_out* are the
    kinds that stay in the box in this game. *grid* is a small map, where words do not do.
    """

    headline: str | Message
    caption: Message
    phase: str
    hint: Message
    scores: tuple[int, ...]  # by seat
    turn: Seat | None = None
    direction: Direction | None = None
    winners: tuple[Seat, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    left_out: frozenset[str] = frozenset()
    spoken: Message | None = None
    grid: Grid | None = None

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.winners)


@dataclass(frozen=True, slots=True)
class Handed:
    """So many cards (*count*) of *giver*'s hand go to *receiver*, unseen by the mat.

    Which ones is the giver's to know; where it is the whole hand, everybody does.
    """

    giver: Seat
    receiver: Seat
    count: int


S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Step(Generic[S]):
    """A new state and what happened on the way, in the order it is to be told.

    A *foul* is an act that the rules take and punish: the first event says what was wrong, the
    others what follows from it. Cards that are *handed* change hands all at once, after the card
    that was laid and before any that is drawn: hands that are swapped are two of them.
    """

    state: S
    events: tuple[Message, ...]
    is_foul: bool = False
    handed: tuple[Handed, ...] = ()


class Game(Protocol[S]):
    """One game. *package* holds its ``deck.toml``, ``RULES.md`` and ``words/``."""

    @property
    def name(self) -> str:
        """The game's name in lower case, as commands and the journal write it."""
        ...

    @property
    def package(self) -> str:
        """The dotted name of the package with the game's files."""
        ...

    @property
    def seats(self) -> range:
        """How many people can play."""
        ...

    @property
    def options(self) -> tuple[Option, ...]:
        """The house rules."""
        ...

    def start(self, setup: Setup, /) -> S:
        """Return the state after dealing.

        Raises:
            CannotStart: the deck lacks pieces that so many people need; they can mend that.
            ValueError: the number of seats, the dealer, an option or a kind of the deck is not one
                this game has; whoever asks has offered what *seats* and *options* do not.
        """
        ...

    def opening(self, state: S, /) -> tuple[Message, ...]:
        """What to tell when the game begins."""
        ...

    def asks(self, state: S, /) -> tuple[Ask, ...]:
        """What *state* accepts now; empty only when the game is over."""
        ...

    def step(self, state: S, given: Input, /) -> Step[S]:
        """Return the state after *given*.

        Raises:
            RulesError: the rules refuse it; *state* stands.
        """
        ...

    def view(self, state: S, /) -> View:
        """What to show of *state*."""
        ...

    def put_back(self, before: S, given: Input, /) -> tuple[Message, ...]:
        """What people must move back by hand when *given*, accepted in *before*, is undone."""
        ...
