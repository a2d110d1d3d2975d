"""The engines' advice, judged by the robots' styles that it follows.

The styles are written on the robots' books, which share no code with the engines. A style likes a
kind of piece if it chooses one in many tries, each with other luck.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import pytest

from engines.common.advice import best_of, worth_of_kinds
from engines.common.contract import Game, Tap, TapAsk
from engines.common.hands import HAND_SPOT
from firmware.boxes.games import games
from firmware.journal.journal import GameStart
from sim.robots.contract import Books, SeededDeal, Style
from sim.robots.games import OURS
from sim.robots.referees import Rules
from sim.robots.riff_raff.adapter import style_of
from sim.robots.riff_raff.styles import STYLES
from tests.effort import some
from tests.engines.contract import NAMES, Case

TRIES = 200
GAMES = 40
MOST_ACTS = 150  # in a game; later moments are like earlier ones
# The style "greedy" of Riff Raff as it is, without the cards that it takes by chance.
SURE = style_of(replace(STYLES["greedy"], climbs=1.0))


@dataclass(frozen=True, slots=True)
class Judged:
    """The style that the advice of a game follows, and the share of moments when it likes it."""

    style: Style
    share: float = 1.0


JUDGES = {
    # A player with nothing but Flying Carpets does not like the Straw.
    "straw": Judged(OURS["straw"].styles["good"], 0.99),
    "ciao": Judged(OURS["ciao"].styles["careful"]),
    # The style copies whenever it can, also few points. Advice prefers more points.
    "camargue": Judged(OURS["camargue"].styles["greedy"], 0.95),
    "riff-raff": Judged(SURE),
}


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment when the next robot taps a piece of the hand: the rules' state, and the books."""

    game: Game[Any]
    state: Any
    books: Books

    @property
    def fitting(self) -> list[str]:
        """The kinds in the hand of the next robot that can be played, in the hand's order."""
        actor = self.books.actor
        asks = [ask for ask in self.game.asks(self.state) if isinstance(ask, TapAsk)]
        kinds = {k for a in asks if actor in a.seats and HAND_SPOT not in a.spots for k in a.kinds}
        return [piece.kind for piece in self.books.hand(actor) if piece.kind in kinds]

    @property
    def best(self) -> frozenset[str]:
        """The kinds of the hand that the advice calls the best."""
        return best_of(self.fitting, worth_of_kinds(self.game, self.state))

    @property
    def has_advice(self) -> bool:
        """True if some of the kinds are better than others for the robot, and not barred."""
        view = self.game.view(self.state)
        is_asked = view.turn in (None, self.books.actor) and view.barred_by is None
        return is_asked and self.best != frozenset(self.fitting)


def moments(name: str, seed: int) -> Iterator[Moment]:
    """Yield the moments of a game of *name* by robots of any styles, with any house rules."""
    chance, robots, case = Random(f"advice {name} {seed}"), OURS[name], Case(games()[name])
    players = chance.choice(robots.seats)
    deal = SeededDeal(players, chance.randrange(players), seed, chance.choice(robots.houses))
    books, styles = robots.open(deal), [chance.choice([*robots.styles.values()]) for _ in NAMES]
    start = GameStart(name, NAMES[:players], deal.dealer, deal.options, case.deck)
    rules = Rules(case.game, start)
    for _ in range(MOST_ACTS):
        if books.is_over:
            return
        yield Moment(case.game, rules.state, books)
        act = styles[books.actor](books, chance)
        if rules.give(act.given).is_taken:
            books.take(act)


def liked(style: Style, moment: Moment, kind: str) -> set[str]:
    """Return the kinds that *style* chooses for the robot in many tries, at most until *kind*.

    They are none if the style lets other players act first.
    """
    found = set[str]()
    for number in range(TRIES):
        act = style(moment.books, Random(number))
        if act.seat == moment.books.actor and isinstance(act.given, Tap):
            found.add(act.given.piece.kind)
        if kind in found:
            break
    return found


@pytest.mark.long
@pytest.mark.parametrize("name", JUDGES)
def test_the_kind_advised_first_is_one_that_the_style_likes_best(name: str) -> None:
    judge, count, wrong = JUDGES[name], 0, list[tuple[str, str]]()
    for seed in range(some(GAMES)):
        for moment in moments(name, seed):
            if not moment.has_advice:
                continue
            first = next(kind for kind in moment.fitting if kind in moment.best)
            if found := liked(judge.style, moment, first):
                count += 1
                wrong += [] if first in found else [(first, " ".join(moment.fitting))]
    assert count > 20
    assert 1 - len(wrong) / count >= judge.share, wrong


@pytest.mark.long
@pytest.mark.parametrize("name", JUDGES)
def test_a_play_with_a_warning_is_never_advised_before_another(name: str) -> None:
    for seed in range(some(GAMES)):
        for moment in moments(name, seed):
            warned = moment.game.view(moment.state).warnings.keys()
            if not warned >= {*moment.fitting} and worth_of_kinds(moment.game, moment.state):
                assert not warned & moment.best


def test_only_a_game_in_which_nobody_chooses_a_kind_has_no_advice() -> None:
    assert games().keys() - JUDGES == {"cramel"}
    assert not worth_of_kinds(games()["cramel"], None)
