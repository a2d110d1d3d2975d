"""The seam between a game's robots and everything else: acts, verdicts, what must be shown.

Room: sim/robots. Values and protocols. Whoever adds a game writes its ``Books`` and its styles, and
puts a ``Robots`` of them into ``sim.robots.games``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any, NamedTuple, Protocol

from engines.common.contract import Direction, Input, Message, OptionValue, Seat, Tap
from engines.common.grid import Cell
from engines.common.pieces import Piece


@dataclass(frozen=True, slots=True)
class Deal:
    """How a game begins; its *seed* shuffles, so equal deals and acts lead to equal books."""

    players: int
    dealer: int  # a seat, from 0
    seed: int
    options: Mapping[str, OptionValue] = field(default_factory=dict)


class Give(NamedTuple):
    """Of the hand it is *piece* that was given away."""

    piece: Piece


class Load(NamedTuple):
    """Hands take *piece*, which has no tag, to load it."""

    piece: Piece


class Spill(NamedTuple):
    """With the piece in hand these have *fallen*, if any; of them these were *caught*."""

    fallen: tuple[Piece, ...]
    caught: tuple[Piece, ...]


ByHand = Give | Load | Spill  # what hands do, and no mat sees


class Act(NamedTuple):
    """What *seat* does: one input. *move* is what the books must know besides, and no mat sees.

    Beside people that is still to be done *by_hand* before the input is given.
    """

    seat: int
    given: Input
    move: Any = None
    by_hand: ByHand | None = None


class Verdict(NamedTuple):
    """What comes of an input: it is taken, or refused with *code*; or taken as a foul."""

    code: str = ""
    is_foul: bool = False

    @property
    def is_taken(self) -> bool:
        """Whether the game goes on from it."""
        return not self.code


TAKEN, FOUL = Verdict(), Verdict(is_foul=True)
NOT_NOW = Verdict("not-expected-now")


class Shown(NamedTuple):
    """What must be seen now; None where the books leave it open, *counts* as far as they go."""

    phase: str
    scores: Sequence[int] | None = None
    turn: int | None = None
    winners: Sequence[int] = ()
    direction: Direction | None = None
    headline: str | Message | None = None
    counts: Mapping[str, int] = {}


class Books(Protocol):
    """The books of one game: they know every card, follow every act, and say what must be seen.

    Their chance comes from the deal's seed alone. So books that were dealt alike and took the same
    acts are alike, and what is taken back is all of the acts but the last.
    """

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        ...

    @property
    def actor(self) -> int:
        """Who does something next."""
        ...

    @property
    def shown(self) -> Shown:
        """What must be seen now."""
        ...

    @property
    def lying(self) -> Sequence[Piece]:
        """What was laid and lies there, the last one last."""
        ...

    def hand(self, seat: int) -> Sequence[Piece]:
        """What *seat* could lay by mistake: its hand, or what lies on the table for everybody."""
        ...

    def verdict(self, given: Input) -> Verdict | None:
        """What must come of *given* now, whoever gives it; None where the books cannot know.

        It changes nothing and uses no chance.
        """
        ...

    def take(self, act: Act) -> None:
        """Write down an act that the rules take."""
        ...


class Placed(NamedTuple):
    """A *piece* that *seat* put on the board, and the points that it brought."""

    seat: int
    piece: str
    points: int


@dataclass(frozen=True, slots=True)
class Scene:
    """A table where people play too, as whoever sits at *seat* knows it.

    Args:
        seat: who looks at it, from 0.
        players: how many sit there.
        phase: what the table is doing.
        headline: what the table shows.
        turn: whose turn the table shows; none where it is anybody's, as in a race.
        active: who may act now, which are several where it is nobody's turn.
        people: where people sit, and no robots.
        names: of the players, by seat.
        choices: what can be chosen from the list that the controls stand in, if one is open.
        options: the house rules.
        counts: how many pieces lie where, as the table tells everybody.
        done: the inputs that stand; everybody saw each of them.
        hand: what that seat holds.
        drawn: what of it was drawn with the last input, or dealt.
        untold: the hand as it was, where that seat has given a card of it away unseen and has not
            said yet which; nothing but that is asked of it then.
        laid: what lies there for everybody to see, the last one last.
        layer: out of whose hand that one came.
        spread: what lies at each place: its name once everybody has seen it, before that one that
            tells nothing but the place, none where nothing lies that can be turned over.
        open: which of these lie face up.
        stock: what that seat has in front of it to be loaded.
        areas: what is known to lie in each area that has a number.
        held: the piece that somebody has in hand for everybody to see.
        fallen: the pieces that everybody saw fall, before the table hears of it; none where
            nobody showed which.
        caught: which of these were caught.
        told: which pieces the table has been told one by one.
        scores: the points of each seat.
        board: every place of the map on which something lies.
        fronts: what lies in front of each seat, none where nothing does.
        apart: what lies beside the board and is nobody's.
        waiting: the piece that was tapped and about which the table asks something.
        shown: what was shown, one after the other, and kept.
        placed: what was put on the board last, in the turn before this one or in this one.
    """

    seat: int
    players: int
    phase: str
    headline: str
    turn: int | None = None
    active: Sequence[int] = ()
    people: Sequence[int] = ()
    names: Sequence[str] = ()
    choices: Sequence[str] = ()
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    done: Sequence[Input] = ()
    hand: Sequence[str] = ()
    drawn: Sequence[str] = ()
    untold: Sequence[str] = ()
    laid: Sequence[str] = ()
    layer: int | None = None
    spread: Sequence[str | None] = ()
    open: Sequence[str] = ()
    stock: Sequence[str] = ()
    areas: Mapping[int, Sequence[str]] = field(default_factory=dict)
    held: str | None = None
    fallen: Sequence[str] | None = None
    caught: Sequence[str] = ()
    told: Sequence[str] = ()
    scores: Sequence[int] = ()
    board: Sequence[Cell] = ()
    fronts: Sequence[str | None] = ()
    apart: Sequence[str] = ()
    waiting: str | None = None
    shown: Sequence[str] = ()
    placed: Placed | None = None


Style = Callable[[Any, Random], Act]  # what the actor of such books does next


@dataclass(frozen=True, slots=True)
class Robots:
    """The robots of one *game*: their books, how they play, and house rules the books know.

    Args:
        game: its name.
        seats: how many can play.
        open: the books of a deal.
        styles: how robots play, by name.
        houses: the house rules to play with, one set a game.
        seated: the books as far as somebody can keep them who sits with people, none of a scene
            in which that seat has nothing to do; and none of these where nobody has written that
            yet, and robots play among themselves alone. Out of turn a style may say what whoever's
            turn it is does next: then that seat waits.
        fair: the styles that go by no more than that, the best one first.
    """

    game: str
    seats: range
    open: Callable[[Deal], Books]
    styles: Mapping[str, Style]
    houses: Sequence[Mapping[str, OptionValue]] = ({},)
    seated: Callable[[Scene], Books | None] | None = None
    fair: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Robot:
    """Whoever sits at *seat*, as a value that says which act comes next."""

    seat: int
    style: Style

    def act(self, books: Books, chance: Random) -> Act:
        """What this robot does next; its turn must be on."""
        return self.style(books, chance)


def tap_verdict(
    tap: Tap, actor: int, spots: Sequence[str], pieces: frozenset[str]
) -> Verdict | None:
    """Why a tap does not count in a game where *actor* alone may lay one of *pieces* on *spots*.

    None when nothing is wrong with it so far.
    """
    if tap.seat is not None and tap.seat != actor:
        return Verdict("not-your-turn")
    if tap.spot not in spots:
        return NOT_NOW
    if str(tap.piece) not in pieces:
        return Verdict("not-in-this-game")
    return None


@cache
def piece_of(card: str) -> Piece:
    """The piece that books write as ``kind#copy``."""
    return Piece.parse(card)


def tapped(seat: int, card: str, chance: Random) -> Act:
    """*seat* lays *card* on a mat that may or may not know whose it is."""
    return Act(seat, Tap(piece_of(card), seat=chance.choice((None, Seat(seat)))))
