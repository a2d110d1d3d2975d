"""A check of lessons: each matters only in states in which it is true and its rule is needed.

A game's test has a function for each lesson, written from RULES.md and not from the lesson's
condition. Games are played at random. After each step, the function of every lesson that matters by
its condition must agree. The table must tell no lesson twice in a game, and none when it is over.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any, cast

from engines.common.contract import Ask, ChoiceAsk, Game, PressAsk, Seat, Setup, Tap, TapAsk
from engines.common.lessons import Moment, lessons_of
from engines.common.pieces import Piece
from firmware.journal.journal import GameStart
from firmware.table.context import TableContext
from firmware.table.modes.playing import Playing
from tests.effort import Games, seen_in
from tests.engines.contract import ENOUGH, FOUL, NAMES, Case, accepted, fouls, offers

UNUSED = cast(TableContext, None)  # nothing is said or saved, so no table is needed


@dataclass(frozen=True, slots=True)
class After(Moment):
    """A moment of a game, with its house rules and what the game asks for next."""

    options: Mapping[str, Any]
    asks: tuple[Ask, ...]

    @property
    def kind(self) -> str:
        """The kind of the piece that was tapped, or ""."""
        return "" if self.piece is None else self.piece.kind

    @property
    def piece(self) -> Piece | None:
        """The piece that was tapped, or None."""
        return self.given.piece if isinstance(self.given, Tap) else None

    @property
    def names(self) -> set[str]:
        """The names of the answers to choose from."""
        return {name for ask in self.asks if isinstance(ask, ChoiceAsk) for name in ask.names}

    @property
    def taps(self) -> list[TapAsk]:
        """The requests for pieces."""
        return [ask for ask in self.asks if isinstance(ask, TapAsk)]

    @property
    def fouls(self) -> set[str]:
        """The kinds that may be laid, but are wrong."""
        return {kind for ask in self.taps for kind in ask.fouls}

    def button(self, label: str) -> PressAsk | None:
        """Return the request for a button with *label*, or None."""
        presses = (ask for ask in self.asks if isinstance(ask, PressAsk))
        return next((press for press in presses if press.label == label), None)


Check = Callable[[After], bool]


@dataclass(frozen=True)
class Checks:
    """The function for each lesson of *game*, by the lesson's code.

    *small* is the number of pieces of each kind in a small deck, with which some games are played,
    so that pieces run out and games end early. A rule may be about pieces that have run out, so in
    these games only lessons that are told must be needed.
    """

    game: Game[Any]
    each: Mapping[str, Check]
    small: Mapping[str, int] | None = None

    @property
    def codes(self) -> set[str]:
        """The codes of the lessons that a game may tell after its beginning."""
        lessons = lessons_of(self.game)
        assert lessons is not None
        codes = {lesson.code for lesson in lessons.lessons}
        assert codes == set(self.each)
        return codes

    def games(self, number: int) -> Games:
        """Return a function for each of *number* games; see ``play``."""
        return [partial(self.play, seed) for seed in range(number)]

    def play(self, seed: int) -> set[str]:
        """Play a game at random, check all its lessons, and return the codes of those told."""
        told = set[str]()
        for lesson, after in played(self.game, self.setup(seed), Random(seed)):
            where = f"seed {seed}: {after.given}\n{after.state}"
            for code in {lesson} - {""} if self.has_small_deck(seed) else self.mattering(after):
                assert self.each[code](after), f"{code} did not matter, {where}"
            if lesson:
                assert lesson not in told, f"{lesson} comes twice, {where}"
                assert after.asks, f"{lesson} comes at the end of the game, {where}"
                told.add(lesson)
        return told

    def mattering(self, after: After) -> Iterator[str]:
        """Yield the code of each lesson whose condition is true after a step."""
        lessons = lessons_of(self.game)
        assert lessons is not None
        return (lesson.code for lesson in lessons.lessons if lesson.matters(after))

    def has_small_deck(self, seed: int) -> bool:
        """Return True for every third game, if there is a small deck."""
        return self.small is not None and seed % 3 == 2

    def setup(self, seed: int) -> Setup:
        """Return a setup. Every second one has random house rules."""
        case, chance = Case(self.game), Random(seed)
        setup = case.any_setup(chance)
        setup = setup if seed % 2 else case.setup(setup.seats)
        if self.small is None or not self.has_small_deck(seed):
            return setup
        kinds = (replace(kind, count=self.small.get(kind.name, 0)) for kind in case.deck.kinds)
        deck = replace(case.deck, kinds=tuple(kind for kind in kinds if kind.count))
        return Setup(self.game.seats[0], Seat(0), deck, setup.options)


def check_lessons(checks: Checks, games: int) -> None:
    """Check this run's share of *games* games, and more until every lesson has come."""
    missing = checks.codes - seen_in(checks.games(games), checks.codes)
    assert not missing, f"{missing} never came"


def played(game: Game[Any], setup: Setup, chance: Random) -> Iterator[tuple[str, After]]:
    """Play *game* at random to learn it.

    Yield after each step the code of the lesson that the table tells, or "", and the moment. A foul
    must bring no lesson, and is not yielded.
    """
    case = Case(game)
    names = NAMES[: setup.seats]
    start = GameStart(game.name, names, setup.dealer, setup.options, setup.deck, is_lesson=True)
    playing = Playing(UNUSED, game, start, game.start(setup))
    options = {option.name: option.default for option in game.options} | {**setup.options}
    asks = game.asks(playing.state)
    for _ in range(ENOUGH):
        if not asks:
            return
        before = playing.state
        wrong = list(fouls(case, asks))
        is_foul = bool(wrong) and chance.random() < FOUL
        offered = wrong if is_foul else list(offers(case, asks))
        given = accepted(case, before, chance.choice(offered))
        playing, step = playing.after(given)
        asks = game.asks(step.state)
        told = "" if playing.lesson is None else playing.lesson.code
        if step.is_foul:
            assert not told, f"{told} comes after a foul"
            continue
        state, view = step.state, game.view(step.state)
        yield told, After(before, given, state, step.events, view, options, asks)
