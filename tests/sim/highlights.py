"""Check the highlights of games that robots play, by the robots' books.

``.venv/bin/python -m tests.sim.highlights --games 200`` plays 200 games of each kind on the rules
alone, and prints how often the table told each highlight. ``--chips`` plays at the emulated mat,
and compares what is said there. A difference is printed with the seed of its game.

The highlights that must be told are computed from the robots' acts and their books, which are an
independent record of the game, and never from the messages of the rules.
"""

import argparse
import sys
import time
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from engines.common import highlights
from engines.common.contract import Message, Seat, Setup, Tap, Topic
from firmware.boxes.decks import load_deck
from firmware.boxes.games import game_named
from firmware.config.table_config import load_config
from firmware.voice.words import words_of
from sim.robots.camargue.books import CamargueVerb
from sim.robots.contract import Expected, RobotAct
from sim.robots.games import OURS
from sim.robots.riff_raff.books import RiffRaffVerb
from sim.robots.run import GameOrder, open_session, play_out, seed_of
from sim.robots.session import Difference, Session
from sim.robots.straw.books import LIMIT, kind_of

MISTAKES = 0.1  # before an act; some are undone
LOWEST_WINS = ("ciao", "riff-raff")
MARGIN = "highlight.margin"

Stated = tuple[str, tuple[tuple[str, Any], ...]]  # the code of a highlight, and its facts


def highlight_of(code: str, **facts: Any) -> Stated:
    """Return the highlight *code* with its facts, in a form that can be compared and sorted."""
    return (code, tuple(sorted(facts.items())))


# --- who had how much of what --------------------------------------------------------------------


class Account(ABC):
    """The amounts of each player in one game, by the code of the highlight."""

    def __init__(self, players: int) -> None:
        self._players = players
        self.amounts: dict[str, list[int]] = defaultdict(lambda: [0] * players)

    def add(self, code: str, seat: int, n: int = 1) -> None:
        """Add *n* to the amount of *seat*."""
        self.amounts[code][seat] += n

    def best(self, code: str, seat: int, n: int) -> None:
        """Make *n* the amount of *seat*, if it is the largest one so far."""
        self.amounts[code][seat] = max(self.amounts[code][seat], n)

    @abstractmethod
    def before(self, table: Any) -> Any:
        """Return what must be known of the books *table* before an act."""

    @abstractmethod
    def after(self, table: Any, act: RobotAct, before: Any) -> None:
        """Record *act*, which the books *table* have just taken."""


class StrawAccount(Account):
    """Broken backs, and the best counted hand."""

    def before(self, table: Any) -> Any:
        return table.books.rounds_done, table.books.turn

    def after(self, table: Any, act: RobotAct, before: Any) -> None:
        books, (rounds, player) = table.books, before
        if books.rounds_done == rounds:
            return
        if books.weight > LIMIT or kind_of(books.copied) == "straw":
            self.add("highlight.broke", player)
        for seat in books.scorers:
            self.best("highlight.best-hand", seat, books.gains[seat])


class CramelAccount(Account):
    """The most tiles won by a stop, and turns that ended without one."""

    def before(self, table: Any) -> Any:
        return table.books.turn, table.books.totals()

    def after(self, table: Any, act: RobotAct, before: Any) -> None:
        books, (player, totals) = table.books, before
        if isinstance(act.given, Tap):
            self.add("highlight.bloom", player, bool(books.ended_by))
            return
        bonus = len(set(books.won[player]) & set(blooms(books)))
        won = books.totals()[player] - totals[player] - bonus
        self.best("highlight.most-tiles", player, won)


def blooms(books: Any) -> list[str]:
    """Return the Blooms that a player has got at the end of the game."""
    return [tile for tiles in books.won for tile in tiles if tile.startswith("bloom")]


class CiaoAccount(Account):
    """Cards drawn in the whole game, and the counted hand with the most points."""

    def before(self, table: Any) -> Any:
        return table.books.rounds_done

    def after(self, table: Any, act: RobotAct, before: Any) -> None:
        books = table.books
        self.amounts["highlight.most-drawn"] = books.drawn_by
        if books.rounds_done > before and books.house.is_scored:
            for seat, points in enumerate(books.gains):
                self.best("highlight.dearest-hand", seat, points)


class RiffRaffAccount(Account):
    """Rounds as captain, and the most pieces that fell at once and were not caught."""

    def before(self, table: Any) -> Any:
        return bool(table.books.order)

    def after(self, table: Any, act: RobotAct, before: Any) -> None:
        books, move = table.books, act.move
        if books.order and not before:  # the captain is the first in the order of loading
            self.add("highlight.captain", books.order[0])
        if move.verb is RiffRaffVerb.FALL:
            self.best("highlight.largest-fall", move.player, len({*move.fallen} - {*move.caught}))


class CamargueAccount(Account):
    """The points of the best tile, and points that were copied."""

    def before(self, table: Any) -> Any:
        return list(table.books.scores)

    def after(self, table: Any, act: RobotAct, before: Any) -> None:
        player = act.move.player
        points = table.books.scores[player] - before[player]
        if act.move.verb is CamargueVerb.PLACE:
            self.best("highlight.best-tile", player, points)
        if act.move.verb is CamargueVerb.COPY:
            self.add("highlight.copied", player, points)


ACCOUNTS: Mapping[str, Callable[[int], Account]] = {
    "camargue": CamargueAccount,
    "ciao": CiaoAccount,
    "cramel": CramelAccount,
    "riff-raff": RiffRaffAccount,
    "straw": StrawAccount,
}


def by_the_books(game: str, session: Session) -> frozenset[Stated]:
    """Return the highlights of the finished *game* that *session* has played."""
    account, table = ACCOUNTS[game](session.deal.players), session.replay(())
    for act in session.acts:
        before = account.before(table)
        table.take(act)
        account.after(table, act, before)
    most = (unequalled(code, amounts) for code, amounts in account.amounts.items())
    return frozenset((*(each for each in most if each), *margin(game, table.expected)))


def unequalled(code: str, amounts: Sequence[int]) -> Stated | None:
    """Return the highlight *code* about the player with the most, or None if there is no such."""
    most = max(amounts)
    if most <= 0 or amounts.count(most) > 1:
        return None
    return highlight_of(code, seat=amounts.index(most), n=most)


def margin(game: str, end: Expected) -> Iterator[Stated]:
    """Yield the highlight about the winner's lead over the second player, unless there is a tie."""
    assert end.scores is not None
    ranks = sorted(set(end.scores), reverse=game not in LOWEST_WINS)
    if len(ranks) == 1:
        return
    first, second = ([s for s, n in enumerate(end.scores) if n == rank] for rank in ranks[:2])
    if first == list(end.winners) and len(first) == len(second) == 1:
        yield highlight_of(MARGIN, seat=first[0], other_seat=second[0], n=abs(ranks[0] - ranks[1]))


# --- what the table tells ------------------------------------------------------------------------


def by_the_rules(name: str, session: Session) -> frozenset[Stated]:
    """Return the highlights that the rules' messages lead to."""
    game, deal = game_named(name), session.deal
    inputs = [act.given for act in session.acts]
    states = [game.start(Setup(deal.players, Seat(deal.dealer), load_deck(game), deal.options))]
    for given in inputs:
        states.append(game.step(states[-1], given).state)
    told = highlights.on(game, states, inputs)
    assert len({each.code for each in told}) == len(told), "a highlight is told twice"
    return frozenset(highlight_of(each.code, **each.facts) for each in told)


def said_at_the_end(session: Session) -> list[str]:
    """Return what the mat says after the result of the game."""
    assert session.mat is not None
    said = takewhile(lambda line: line.topic is not Topic.RESULT, reversed(session.mat.mat.said))
    return sorted(line.text for line in said)


def in_words(name: str, session: Session, told: frozenset[Stated]) -> list[str]:
    """Return the sentences for *told* in the language of the mat."""
    assert session.mat is not None
    mat = session.mat.mat
    words = words_of(mat.config.settings.language, game_named(name).package)
    if mat.view.is_for_children:
        words = words.for_children()
    return sorted(words.tell(Message(code, dict(facts)), mat.view.names) for code, facts in told)


# --- many games ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Series:
    """The games to play: of the game *game*, with *seeds*, at the emulated mat if *has_chips*."""

    game: str
    seeds: Sequence[int]
    has_chips: bool = False


@dataclass(frozen=True, slots=True)
class Checked:
    """A game that was played: the codes of its highlights, and the difference, if there is one."""

    codes: frozenset[str]
    difference: str = ""


def run(series: Series) -> list[Checked]:
    """Play all games of *series*."""
    return [check(series, seed) for seed in series.seeds]


def check(series: Series, seed: int) -> Checked:
    """Play one game, and compare its highlights with the books."""
    name = series.game
    settings = GameOrder(name, mistakes=MISTAKES, is_fast=not series.has_chips)
    try:
        with open_session(settings, seed, load_config()) as session:
            play_out(session, settings)
            wanted = by_the_books(name, session)
            if series.has_chips:
                session.same(
                    "highlights", in_words(name, session, wanted), said_at_the_end(session)
                )
            else:
                session.same("highlights", sorted(wanted), sorted(by_the_rules(name, session)))
    except Difference as difference:
        return Checked(frozenset(), f"{name}, seed {seed}: {difference}")
    return Checked(frozenset(code for code, _ in wanted))


def main(arguments: Sequence[str] | None = None) -> int:
    """Play games and print the figures; return 1 if a highlight was wrong."""
    parser = argparse.ArgumentParser(description="Check highlights by the robots' books.")
    parser.add_argument("--games", type=int, default=20, help="number of games of each kind")
    parser.add_argument("--game", choices=sorted(ACCOUNTS), help="only this game")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--chips", action="store_true", help="play at the emulated mat")
    asked = parser.parse_args(arguments)
    has_failed = False
    for game in [asked.game] if asked.game else OURS:
        begun = time.monotonic()
        seeds = [seed_of(asked.seed, number) for number in range(asked.games)]
        series = [Series(game, seeds[job :: asked.jobs], asked.chips) for job in range(asked.jobs)]
        with ProcessPoolExecutor(asked.jobs) as pool:
            results = [each for results in pool.map(run, series) for each in results]
        wrong = [result.difference for result in results if result.difference]
        told = Counter(code for result in results for code in result.codes)
        figures = ", ".join(f"{code.partition('.')[2]} {n}" for code, n in sorted(told.items()))
        print(
            f"{game}: {len(results)} games, {len(wrong)} differences; told: {figures}; "
            f"{time.monotonic() - begun:.0f} s",
            flush=True,
        )
        print(*wrong[:5], sep="\n", end="\n" if wrong else "")
        has_failed = has_failed or bool(wrong)
    return int(has_failed)


if __name__ == "__main__":
    sys.exit(main())
