"""The robots of Cramel: their books input by input, and what the mat must answer.

Room: sim/robots.
Source: the printed rules as ``sim.robots.cramel.books`` keeps them; where it is about what a mat
can know, engines/cramel/RULES.md, sections 1 and 9.
"""

from collections.abc import Sequence
from random import Random

from engines.common.contract import PLAY_SPOT, SEAT_SPOTS, Button, Direction, Input, Press, Tap
from engines.common.pieces import Piece
from sim.robots.cramel.books import (
    BLOOM,
    BY_BLOOM,
    GOL_DOTS,
    STOP,
    STYLES,
    CramelBooks,
    all_tiles,
    kind_of,
    rememberer,
)
from sim.robots.cramel.books import Style as BooksStyle
from sim.robots.seam import (
    NOT_NOW,
    TAKEN,
    Act,
    Books,
    Deal,
    Robots,
    Scene,
    Shown,
    Style,
    Verdict,
    piece_of,
    tap_verdict,
    tapped,
)

ACTION = Press(Button.ACTION)
NAMES = frozenset(all_tiles())
PATIENCE = 160  # acts; then everybody begins to remember, so that the game comes to its end


class Cramel:
    """The books of one game; a ``Books``."""

    def __init__(self, deal: Deal) -> None:
        gol = int(deal.options.get("gol-set", GOL_DOTS[0]))
        first = (deal.dealer + 1) % deal.players
        self.books = CramelBooks(deal.players, first, gol, Random(deal.seed))
        self.done = 0  # acts
        self.may_move = False  # Mrs. Bloom, until the next tile is turned

    @property
    def is_over(self) -> bool:
        """Whether nothing can be won any more."""
        return self.books.is_over

    @property
    def actor(self) -> int:
        """Whose turn it is."""
        return self.books.turn

    @property
    def shown(self) -> Shown:
        """What a stop would win and whose turn it is; at the end, the most tiles."""
        books, totals = self.books, self.books.totals()
        counts = {**books.left(), "open": len(books.open), "may-move": int(self.may_move)}
        counts |= {f"won-{seat}": number for seat, number in enumerate(totals, start=1)}
        counts |= {f"cramels-{seat}": n for seat, n in enumerate(books.cramels(), start=1)}
        figure = max(totals) if books.is_over else sum(books.would_win().values())
        return Shown(
            "over" if books.is_over else "play",
            scores=totals,
            turn=None if books.is_over else books.turn,
            winners=books.winners,
            direction=None if books.is_over else Direction.CLOCKWISE,
            headline=str(figure),
            counts=counts,
        )

    @property
    def lying(self) -> Sequence[Piece]:
        """What lies open."""
        return [piece_of(tile) for tile in self.books.open]

    def hand(self, seat: int) -> Sequence[Piece]:
        """What lies face down for everybody."""
        return [piece_of(tile) for tile in self.books.hidden()]

    def verdict(self, given: Input) -> Verdict | None:
        """What must come of *given* now."""
        books = self.books
        if books.is_over:
            return NOT_NOW
        if given == ACTION:
            return TAKEN if books.open else Verdict("nothing-turned")
        if not isinstance(given, Tap):
            return NOT_NOW
        spots = (PLAY_SPOT, SEAT_SPOTS[books.turn])
        if wrong := tap_verdict(given, books.turn, spots, NAMES):
            return wrong
        tile = str(given.piece)
        if tile in books.open:
            return Verdict("already-played")
        # The mat counts kinds, not tiles: a won tile is as good as one of its kind face down.
        is_left = kind_of(tile) in map(kind_of, books.hidden())
        return TAKEN if is_left else Verdict("none-left")

    def take(self, act: Act) -> None:
        """Write down a tile, or a stop."""
        books = self.books
        self.done += 1
        if not isinstance(act.given, Tap):
            books.stop(books.choose_sets())
            self.may_move = False
            return
        tile = str(act.given.piece)
        bloom_to = None
        if kind_of(tile) == BLOOM and books.free_cells():
            bloom_to = books.chance.choice((None, *books.free_cells()))
        was_free = bool(books.free_cells())
        books.turn_over(tile, bloom_to)
        self.may_move = books.ended_by == BY_BLOOM and was_free


def style_of(chosen: BooksStyle) -> Style:
    """How a robot plays that chooses so; in a game that does not end, it begins to remember."""

    def act(table: Cramel, chance: Random) -> Act:
        choose = chosen if table.done < PATIENCE else rememberer
        next_act = choose(table.books, chance)
        if next_act == STOP:
            return Act(table.actor, ACTION)
        return tapped(table.actor, next_act, chance)

    return act


def _books(deal: Deal) -> Books:
    return Cramel(deal)


def _seated(scene: Scene) -> Books | None:
    """The square, of which those tiles are known that everybody has seen."""
    if scene.turn != scene.seat:
        return None
    deal = Deal(scene.players, (scene.seat - 1) % scene.players, 0, scene.options)
    table = Cramel(deal)
    table.done = len(scene.done)
    books = table.books
    books.place = {tile: cell for cell, tile in enumerate(scene.spread) if tile is not None}
    books.seen = books.place.keys() & NAMES
    books.open = list(scene.open)
    return table


ROBOTS = Robots(
    "cramel",
    range(2, 6),
    _books,
    {name: style_of(chosen) for name, chosen in STYLES.items()},
    houses=({}, {"gol-set": str(GOL_DOTS[1])}),
    seated=_seated,
    fair=("rememberer", "careful", "greedy", "blind"),
)
