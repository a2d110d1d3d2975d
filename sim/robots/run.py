"""One whole game by its seed: dealt, played to its end, counted, and told when it differs.

Room: sim/robots.
"""

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
from firmware.config import TableConfig
from firmware.decks import load_deck
from firmware.games import game_named
from firmware.journal import GameStart
from sim.mat import Mat
from sim.rehearsal.command import faults_on_purpose, with_parts
from sim.rehearsal.grammar import parse
from sim.robots.faults import strike
from sim.robots.games import ROBOTS
from sim.robots.mistakes import MISTAKES
from sim.robots.referees import AtMat, Referee, Rules
from sim.robots.seam import Deal, Robots, Verdict
from sim.robots.session import Difference, Session

MOST_ACTS = 5000  # of a game: one that has not ended by then never will
TRIES = 5  # how often occasion for a mistake is looked for
SEATED = 0.25  # the share of mats with a reader at every seat
SEEDS = 2**32
SPARE_NAMES = ("Roba", "Robb", "Robc", "Robd", "Robe", "Robf")  # where the table offers too few


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be played: *players* 0 draws how many; chances are those before every act."""

    game: str
    players: int = 0
    mistakes: float = 0.0
    faults: float = 0.0
    is_fast: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """A game in which the referee and the books part, or which broke off: *what* is wrong there.

    The *rehearsal* does at a mat what was done, and then states what the books say.
    """

    wanted: Wanted
    seed: int
    what: str
    rehearsal: str

    @property
    def command(self) -> str:
        """What plays the same game again."""
        wanted = self.wanted
        words = ["tapmat robots", wanted.game, "--games 1", f"--seed {self.seed}"]
        words += [f"--players {wanted.players}"] if wanted.players else []
        words += [f"--mistakes {wanted.mistakes:g}"] if wanted.mistakes else []
        words += [f"--faults {wanted.faults:g}"] if wanted.faults else []
        return " ".join([*words, "--fast"] if wanted.is_fast else words)


@dataclass(frozen=True, slots=True)
class Played:
    """What was counted of one game, and how it failed if it did."""

    counts: Counter[str]
    failure: Failure | None = None


def seed_of(seed: int, number: int) -> int:
    """The seed of a run's game *number*, from 0: the first one has the run's own."""
    return seed if number == 0 else Random(f"{seed} {number}").randrange(SEEDS)


def play(wanted: Wanted, seed: int, config: TableConfig) -> Played:
    """Play one game; the same one again for the same arguments."""
    failure = None
    with sitting(wanted, seed, config) as session:
        try:
            play_out(session, wanted)
        except Exception as wrong:
            failure = _failure(wanted, seed, wrong, session.referee)
    counts = session.counts + Counter(games=1)
    counts["differences"] = int(failure is not None)
    return Played(counts, failure)


@contextmanager
def sitting(wanted: Wanted, seed: int, config: TableConfig) -> Iterator[Session]:
    """Robots at a table with the game of *seed* dealt; a mat is gone afterwards.

    Raises:
        TapmatError: the game's deck or words cannot be read.
    """
    chance = Random(f"{wanted.game} {seed}")
    robots = ROBOTS[wanted.game]
    deal = deal_of(robots, wanted.players, seed, chance)
    styles = chance.choices(tuple(robots.styles), k=deal.players)
    with ExitStack() as opened:
        opened.enter_context(faults_on_purpose())
        referee = _referee(wanted, deal, config, chance, opened)
        yield Session(robots, deal, styles, referee, chance)


def deal_of(robots: Robots, players: int, seed: int, chance: Random) -> Deal:
    """A deal for so many *players*; 0 draws how many, and who deals and by which house rules."""
    many = players or chance.choice(robots.seats)
    return Deal(many, chance.randrange(many), seed, chance.choice(robots.houses))


def play_out(session: Session, wanted: Wanted) -> None:
    """Play a game to its end, with mistakes and faults in between.

    Raises:
        Difference: the referee answers otherwise than the books, or the game never ends.
    """
    chance, mat = session.chance, session.mat
    session.compare()
    while not session.books.is_over:
        session.same("the game ends", True, len(session.acts) < MOST_ACTS)
        if chance.random() < wanted.mistakes:
            err(session)
        act = session.next_act()
        if mat is not None and chance.random() < wanted.faults and strike(session, mat, act):
            continue
        session.do(act)


def err(session: Session) -> None:
    """Make a mistake for which there is occasion, if any is found."""
    act = session.next_act()
    for name in session.chance.sample(tuple(MISTAKES), TRIES):
        if MISTAKES[name](session, act):
            session.counts["mistakes"] += 1
            session.counts[f"mistake {name}"] += 1
            return


def _referee(
    wanted: Wanted, deal: Deal, config: TableConfig, chance: Random, opened: ExitStack
) -> Referee:
    """The rules alone, or a mat in a folder of its own, which *opened* closes.

    Some mats have a reader at every seat.
    """
    game = game_named(wanted.game)
    deck = _deck(wanted.game, config.decks.get(wanted.game))
    names = (*config.names, *SPARE_NAMES)[: deal.players]
    start = GameStart(wanted.game, names, deal.dealer, deal.options, deck)
    if wanted.is_fast:
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


def _failure(wanted: Wanted, seed: int, wrong: Exception, referee: Referee) -> Failure:
    """What went wrong, and the rehearsal that leads there; a crash with its whole traceback."""
    if isinstance(wrong, Difference):
        what, stated = str(wrong), [_stated(wrong)]
    else:
        what, stated = "".join(traceback.format_exception(wrong)).rstrip(), []
    return Failure(wanted, seed, what, "\n".join((*referee.script, *stated)))


def _stated(wrong: Difference) -> str:
    """What the books say, as a rehearsal states it; a remark, where its grammar has no words."""
    match wrong.what.split():
        case ["phase" | "headline" as what] | ["pieces" as what, _] if wrong.books is not None:
            place = wrong.what.removeprefix(what)
            return f"expect {what}{place} {wrong.books}"
        case ["direction"] if isinstance(wrong.books, Direction):
            return f"expect direction {wrong.books.value}"
    if isinstance(wrong.books, Verdict):
        return f"expect refused {wrong.books.code or 'nothing'}"
    return f"# {wrong.what}: {wrong.books}"
