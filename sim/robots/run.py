"""One whole game from a seed, with its counts and the first difference."""

import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from engines.common.contract import SEAT_SPOTS, Direction
from engines.common.pieces import Deck
from firmware.boxes.decks import load_deck
from firmware.boxes.games import game_named
from firmware.config.table_config import TableConfig
from firmware.journal.journal import GameStart
from sim.mat.mat import Mat
from sim.rehearsal.command import faults_on_purpose, with_parts
from sim.rehearsal.grammar import parse
from sim.robots.contract import Robots, Ruling, SeededDeal
from sim.robots.faults import strike
from sim.robots.games import all_robots
from sim.robots.mistakes import MISTAKES
from sim.robots.referees import AtMat, Referee, Rules
from sim.robots.session import Difference, Session

MOST_ACTS = 5000  # acts in a game; a game with more counts as one that never ends
TRIES = 5  # the most kinds of mistakes to try until one is possible
SEATED = 0.25  # the share of mats with a reader at every seat
SEEDS = 2**32
SPARE_NAMES = ("Roba", "Robb", "Robc", "Robd", "Robe", "Robf")  # if the table has too few names


@dataclass(frozen=True, slots=True)
class GameOrder:
    """The settings of one game for robots to play.

    Args:
        game: the name of the game.
        players: the number of players; 0 for a random number.
        mistakes: the chance of a mistake before each act, from 0 to 1.
        faults: the chance of a fault before each act, from 0 to 1.
        is_fast: True to play with the rules alone, without a mat.
    """

    game: str
    players: int = 0
    mistakes: float = 0.0
    faults: float = 0.0
    is_fast: bool = False


@dataclass(frozen=True, slots=True)
class FailedGame:
    """A game that ended in a difference or a crash, which *what* describes.

    *rehearsal* repeats the game at a mat, and then states what the robots expect.
    """

    order: GameOrder
    seed: int
    what: str
    rehearsal: str

    @property
    def command(self) -> str:
        """The command that plays the same game again."""
        order = self.order
        words = ["tapmat robots", order.game, "--games 1", f"--seed {self.seed}"]
        words += [f"--players {order.players}"] if order.players else []
        words += [f"--mistakes {order.mistakes:g}"] if order.mistakes else []
        words += [f"--faults {order.faults:g}"] if order.faults else []
        return " ".join([*words, "--fast"] if order.is_fast else words)


@dataclass(frozen=True, slots=True)
class Played:
    """The counts of one game, and its failure if it failed."""

    counts: Counter[str]
    failure: FailedGame | None = None


def seed_of(seed: int, number: int) -> int:
    """Return the seed of a run's game *number*, from 0. The first game has the run's own seed."""
    return seed if number == 0 else Random(f"{seed} {number}").randrange(SEEDS)


def play(order: GameOrder, seed: int, config: TableConfig) -> Played:
    """Play one game and return its counts and any failure. Equal arguments give equal games."""
    failure = None
    with open_session(order, seed, config) as session:
        try:
            play_out(session, order)
        except Exception as wrong:
            failure = _failure(order, seed, wrong, session.referee)
    counts = session.counts + Counter(games=1)
    counts["differences"] = int(failure is not None)
    return Played(counts, failure)


@contextmanager
def open_session(order: GameOrder, seed: int, config: TableConfig) -> Iterator[Session]:
    """Deal the game that *seed* decides, and yield its session; at the end, close its mat.

    Raises:
        TapmatError: the game's deck or words cannot be read.
    """
    chance = Random(f"{order.game} {seed}")
    robots = all_robots()[order.game]
    deal = deal_of(robots, order.players, seed, chance)
    styles = chance.choices(tuple(robots.styles), k=deal.players)
    with ExitStack() as opened:
        opened.enter_context(faults_on_purpose())
        referee = _referee(order, deal, config, chance, opened)
        yield Session(robots, deal, styles, referee, chance)


def deal_of(robots: Robots, players: int, seed: int, chance: Random) -> SeededDeal:
    """Return a deal for *players* players, or for a random number of players if that is 0.

    *chance* picks the dealer and the house rules; *seed* is for the shuffle.
    """
    many = players or chance.choice(robots.seats)
    return SeededDeal(many, chance.randrange(many), seed, chance.choice(robots.houses))


def play_out(session: Session, order: GameOrder) -> None:
    """Play a game to its end, with mistakes and faults in between.

    Raises:
        Difference: the referee and the robots' record (the *books*) differ, or the game does not
            end.
    """
    chance, mat = session.chance, session.mat
    session.compare()
    while not session.books.is_over:
        session.same("the game ends", True, len(session.acts) < MOST_ACTS)
        if chance.random() < order.mistakes:
            err(session)
        act = session.next_act()
        if mat is not None and chance.random() < order.faults and strike(session, mat, act):
            continue
        session.do(act)


def err(session: Session) -> None:
    """Make a mistake of a random kind. After ``TRIES`` kinds that are impossible now, make none."""
    act = session.next_act()
    for name in session.chance.sample(tuple(MISTAKES), TRIES):
        if MISTAKES[name](session, act):
            session.counts["mistakes"] += 1
            session.counts[f"mistake {name}"] += 1
            return


def _referee(
    order: GameOrder, deal: SeededDeal, config: TableConfig, chance: Random, opened: ExitStack
) -> Referee:
    """Return the rules alone for a fast game, else a mat with a new temporary state folder.

    When *opened* is closed, the mat is closed and the folder removed. With the probability
    ``SEATED``, the mat has a reader at every seat.
    """
    game = game_named(order.game)
    deck = _deck(order.game, config.decks.get(order.game))
    names = (*config.names, *SPARE_NAMES)[: deal.players]
    start = GameStart(order.game, names, deal.dealer, deal.options, deck)
    if order.is_fast:
        return Rules(game, start)
    if chance.random() < SEATED:
        lines = (f"lay stranger @ {spot}" for spot in SEAT_SPOTS[: deal.players])
        config = with_parts(config, parse("\n".join(lines), "seats"))
    mat = Mat(config, Path(opened.enter_context(TemporaryDirectory())))
    opened.callback(mat.close)
    mat.power_on()
    return AtMat(mat, game, start)


@cache
def _deck(game: str, override: Path | None) -> Deck:
    return load_deck(game_named(game), override)


def _failure(order: GameOrder, seed: int, wrong: Exception, referee: Referee) -> FailedGame:
    """Return the failed game, with the rehearsal that leads to the error *wrong*.

    A crash is described by its traceback.
    """
    if isinstance(wrong, Difference):
        what, stated = str(wrong), [_expectation(wrong)]
    else:
        what, stated = "".join(traceback.format_exception(wrong)).rstrip(), []
    return FailedGame(order, seed, what, "\n".join((*referee.script, *stated)))


def _expectation(wrong: Difference) -> str:
    """Return the rehearsal line that states what the robots expect.

    It is a comment line if no line of a rehearsal can state it.
    """
    match wrong.what.split():
        case ["phase" | "headline" as what] | ["pieces" as what, _] if wrong.books is not None:
            place = wrong.what.removeprefix(what)
            return f"expect {what}{place} {wrong.books}"
        case ["direction"] if isinstance(wrong.books, Direction):
            return f"expect direction {wrong.books.value}"
    if isinstance(wrong.books, Ruling):
        return f"expect refused {wrong.books.code or 'nothing'}"
    return f"# {wrong.what}: {wrong.books}"
