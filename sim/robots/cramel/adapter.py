"""The adapter of Cramel: from moves to the table's inputs and the answers that it must give.

The robots' own record of a game is called its *books*.

Source: the printed rules in ``sim.robots.cramel.books``; for what a table can know,
engines/cramel/RULES.md, sections 1 and 9.
"""

from collections.abc import Sequence
from random import Random

from engines.common.contract import PLAY_SPOT, SEAT_SPOTS, Button, Direction, Input, Press, Tap
from engines.common.pieces import Piece
from sim.robots.contract import (
    NOT_NOW,
    TAKEN,
    Books,
    Expected,
    RobotAct,
    Robots,
    Ruling,
    SeededDeal,
    Style,
    piece_of,
    tap_act,
    tap_ruling,
)
from sim.robots.cramel.books import (
    BLOOM,
    BOX,
    BY_BLOOM,
    CRAMEL,
    GOL_DOTS,
    STOP,
    STYLES,
    CramelBooks,
    CramelStyle,
    all_tiles,
    kind_of,
    rememberer,
)
from sim.robots.scene import SpreadScene

UNSEEN = "unseen"
ACTION = Press(Button.ACTION)
NAMES = frozenset(all_tiles())
PATIENCE = 160  # acts in a game, after which all robots remember tiles, so that the game ends


class Cramel:
    """The ``Books`` of one game. They apply the table's inputs to the rules in ``self.books``."""

    def __init__(self, deal: SeededDeal) -> None:
        gol = int(deal.options.get("gol-set", GOL_DOTS[0]))
        first = (deal.dealer + 1) % deal.players
        self.books = CramelBooks(deal.players, first, gol, Random(deal.seed))
        self.done = 0  # acts so far
        self.may_move = False  # True from a Bloom until the next act, if it could be moved

    @property
    def is_over(self) -> bool:
        """Return True if the game has ended."""
        return self.books.is_over

    @property
    def actor(self) -> int:
        """The seat of the current player."""
        return self.books.turn

    @property
    def expected(self) -> Expected:
        """The view that the table must show now."""
        books, totals = self.books, self.books.totals()
        counts = {**books.left(), "open": len(books.open), "may-move": int(self.may_move)}
        counts |= {f"won-{seat}": number for seat, number in enumerate(totals, start=1)}
        counts |= {f"cramels-{seat}": n for seat, n in enumerate(books.cramels(), start=1)}
        figure = max(totals) if books.is_over else sum(books.would_win().values())
        return Expected(
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
        """The tiles that are face up."""
        return [piece_of(tile) for tile in self.books.open]

    def hand(self, seat: int) -> Sequence[Piece]:
        """Return all tiles that are face down: any player may turn them over."""
        return [piece_of(tile) for tile in self.books.hidden()]

    def ruling(self, given: Input) -> Ruling | None:
        """Return the answer that the table must give to *given*; None if it cannot be known."""
        books = self.books
        if books.is_over:
            return NOT_NOW
        if given == ACTION:
            return TAKEN if books.open else Ruling("nothing-turned")
        if not isinstance(given, Tap):
            return NOT_NOW
        spots = (PLAY_SPOT, SEAT_SPOTS[books.turn])
        if wrong := tap_ruling(given, books.turn, spots, NAMES):
            return wrong
        tile = str(given.piece)
        if tile in books.open:
            return Ruling("already-played")
        if tile in books.missed or not books.left()[kind_of(tile)]:
            return Ruling("already-won")
        # Other won tiles are only counted by kind, so one can pass for a tile in the square.
        is_left = kind_of(tile) in map(kind_of, books.hidden())
        return TAKEN if is_left else Ruling("none-left")

    def take(self, act: RobotAct) -> None:
        """Record an accepted act: turning over a tile, or a stop.

        A Bloom is moved to a random empty cell, or stays.
        """
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


def style_of(chosen: CramelStyle) -> Style:
    """Return a style of play in which *chosen* (or, in a long game, ``rememberer``) plays."""

    def act(table: Cramel, chance: Random) -> RobotAct:
        choose = chosen if table.done < PATIENCE else rememberer
        next_act = choose(table.books, chance)
        if next_act == STOP:
            return RobotAct(table.actor, ACTION)
        return tap_act(table.actor, next_act, chance)

    return act


def _from_scene(scene: SpreadScene) -> Books | None:
    """Return a record of the square with only the tiles that everybody has seen.

    Won tiles that are no Cramels are called UNSEEN.
    Return None if it is not the robot's turn.
    """
    if scene.turn != scene.seat:
        return None
    deal = SeededDeal(scene.players, (scene.seat - 1) % scene.players, 0, scene.options)
    table = Cramel(deal)
    table.done = len(scene.done)
    books = table.books
    books.place = {tile: cell for cell, tile in enumerate(scene.spread) if tile is not None}
    books.seen = books.place.keys() & NAMES
    books.open = list(scene.open)
    books.counted = {kind: scene.counts[kind] for kind in BOX}
    for seat in range(1, scene.players + 1):
        cramels, won = scene.counts[f"cramels-{seat}"], scene.counts[f"won-{seat}"]
        books.won[seat - 1] = [CRAMEL] * cramels + [UNSEEN] * (won - cramels)
    return table


ROBOTS = Robots(
    "cramel",
    range(2, 6),
    Cramel,
    {name: style_of(chosen) for name, chosen in STYLES.items()},
    houses=({}, {"gol-set": str(GOL_DOTS[1])}),
    from_scene=_from_scene,
    fair=("rememberer", "careful", "greedy", "blind"),
)
