"""The lessons of Ciao! matter only in states in which they are true and their rules are needed.

``CHECKS`` has a function for the code of each lesson, written from RULES.md.
"""

from collections.abc import Mapping
from typing import Any

import pytest

from engines.ciao import GAME
from engines.common.contract import Choice, Input, Press, Tap
from engines.common.lessons import Lessons, Moment, lessons_of
from engines.common.pieces import Piece
from tests.engines.ciao_table import CiaoTable
from tests.engines.lessons import After, Check, Checks, check_lessons

GAMES = 60  # played at full effort
WITH_COLOURS = ("full", "colours")  # variants in which colours count. RULES 9.1
LOSES_TO = {"paper": "rock", "rock": "scissors", "scissors": "paper"}  # RULES 4.2
STRENGTH = {"green": 1, "yellow": 2, "red": 3}  # RULES 4.3


def special_on(state: Any) -> str:
    """Return the special of the top card, printed or named (RULES 6.2); "" if it has none."""
    top = state.round.last
    named = dict(state.named).get(top)
    return named or "".join(top.kind.split("-")[2:])


def is_new(after: After) -> bool:
    """Return True if another card is on top now."""
    return bool(after.state.round.last != after.before.round.last)


def draws_three(after: After) -> bool:
    """Return True if three cards can be drawn (RULES 3.7)."""
    now, shuffles = after.state.round, after.options["empty-pile"] == "reshuffle"
    return bool(now.pile + shuffles * (len(now.discards) - 1) >= 3)


def grown(after: After) -> list[int]:
    """Return the seats with more cards than before."""
    hands = enumerate(zip(after.before.round.hands, after.state.round.hands, strict=True))
    return [seat for seat, (old, new) in hands if new > old]


def winner_of_race(after: After) -> int:
    """Return the player who laid a card in the race: of two players, the one who did not begin it.

    Of more players, it is the one with fewer cards than before.
    """
    if len(after.state.round.hands) == 2:
        return 1 - int(after.before.round.turn)
    hands = enumerate(zip(after.before.round.hands, after.state.round.hands, strict=True))
    (winner,) = [seat for seat, (old, new) in hands if new < old]
    return winner


def to_beat(after: After) -> tuple[str, str]:
    """Return the symbol and the colour to beat, from what the table shows."""
    top = after.state.round.top
    return top.symbol, top.colour


def fouls_by_symbol(after: After) -> set[str]:
    """Return the wrong cards whose symbol loses to the one to beat (RULES 4.2, 4.4)."""
    symbol, _ = to_beat(after)
    return {kind for kind in after.fouls if kind.split("-")[0] == LOSES_TO[symbol]}


def can_be_beaten_by_colour(after: After) -> bool:
    """Return True if a card with the symbol to beat can be right (RULES 4.3)."""
    return after.button("take") is None and STRENGTH[to_beat(after)[1]] < STRENGTH["red"]


def loses_in_spite_of_colour(after: After) -> bool:
    """Return True if a card of a losing symbol is as strong as the one to beat (RULES 4.4)."""
    symbol, colour = to_beat(after)
    losing = (piece.kind.split("-") for piece in after.state.config.pieces)
    strong = [card for card in losing if STRENGTH.get(card[-1], 0) >= STRENGTH[colour]]
    return after.button("take") is None and any(card[0] == LOSES_TO[symbol] for card in strong)


def is_taught_colour(after: After) -> bool:
    return after.options["variant"] in WITH_COLOURS and after.button("take") is None


def owed(after: After) -> int:
    """Return the number of cards that the current player owes, or 0."""
    press = after.button("take")
    return 0 if press is None else int(str(press.facts["n"]))


def named_joker(after: After) -> bool:
    """Return True if a joker's symbol was named and the joker's own colour must be beaten."""
    family, _, colour = after.state.round.last.kind.partition("-")
    is_named = after.given in (Choice("rock"), Choice("paper"), Choice("scissors"))
    return family == "joker" and is_named and to_beat(after)[1] == colour


def begins_race(after: After) -> bool:
    """Return True if all but the player of a new speed card may lay the next card (RULES 6.4)."""
    seats = {seat for ask in after.taps for seat in ask.seats if ask.is_race}
    others = set(range(len(after.state.round.hands))) - {after.state.round.turn}
    return special_on(after.state) == "speed" and is_new(after) and seats == others


def goes_on_from_winner(after: After) -> bool:
    """Return True if a race was just won, and its winner's neighbour is next (RULES 6.5)."""
    step = 1 if after.state.round.direction.value == "clockwise" else -1
    seats, winner = len(after.state.round.hands), winner_of_race(after)
    is_won = special_on(after.before) == "speed" and winner != after.before.round.turn
    return is_won and is_new(after) and after.state.round.turn == (winner + step) % seats


def must_beat_own(after: After) -> bool:
    """Return True if a player has chosen again and must beat the own card (RULES 6.3)."""
    is_same = after.state.round.turn == after.before.round.turn
    is_again = after.given == Choice("again") and special_on(after.before) == "again"
    return is_same and is_again and bool(after.taps) and not is_new(after)


def may_hold_obstacle(after: After) -> bool:
    """Return True if cards have come into a hand, and one may be an obstacle (RULES 5.3)."""
    return after.options["variant"] == "full" and (
        bool(grown(after)) or special_on(after.state) == "swap"
    )


EACH: Mapping[str, Check] = {
    "rules.5.1": lambda a: named_joker(a) and is_taught_colour(a),
    "does.joker": lambda a: "joker" in a.state.round.last.kind and "rock" in a.names,
    "does.speed": begins_race,
    "rules.8.4": lambda a: (
        begins_race(a) and draws_three(a) and a.options["race-penalty"] and a.options["race-out"]
    ),
    "rules.6.3": lambda a: must_beat_own(a) and a.options["again-must-beat"],
    "does.again": lambda a: special_on(a.state) == "again" and "again" in a.names,
    "lesson.debt": lambda a: special_on(a.state) == "plus3" and owed(a) >= 6,
    "does.plus3": lambda a: (
        owed(a) == 3 and is_new(a) and draws_three(a) and not a.options["plus3-must-beat"]
    ),
    "lesson.race": goes_on_from_winner,
    "does.give": lambda a: special_on(a.state) == "give",
    "does.swap": lambda a: special_on(a.state) == "swap",
    "rules.8.5": lambda a: "thanked" in a.names and bool(grown(a)) and draws_three(a),
    "rules.7.1": lambda a: (
        1 in a.state.round.hands and a.options["variant"] != "symbols"
        and a.options["swap-goes-out"] and bool(a.taps)
    ),
    "lesson.hand": lambda a: a.options["scoring"] and a.button("hand-done") is not None,
    "lesson.points": lambda a: a.options["scoring"] and a.button("hand-done") is not None,
    "lesson.won": lambda a: a.options["scoring"] and a.button("next-round") is not None,
    "rules.3.4": lambda a: (
        grown(a) == [a.state.round.turn] and isinstance(a.given, Press)
        and a.button("pass") is not None and a.options["only-drawn-card"]
    ),
    "does.obstacle": may_hold_obstacle,
    "rules.symbols": lambda a: bool(fouls_by_symbol(a)) and not owed(a),
    "rules.colours": lambda a: is_taught_colour(a) and can_be_beaten_by_colour(a),
    "rules.8.1": lambda a: bool(a.fouls) and not owed(a) and draws_three(a),
    "rules.4.4": lambda a: is_taught_colour(a) and loses_in_spite_of_colour(a),
}  # fmt: skip


PLAIN = (f"{symbol}-{colour}" for symbol in LOSES_TO for colour in STRENGTH)
SPECIAL = (f"paper-green-{special}" for special in ("again", "speed", "plus3", "give", "swap"))
SMALL = dict.fromkeys((*PLAIN, *SPECIAL, "obstacle"), 1) | {"joker-green": 3, "joker-red": 2}
CHECKS = Checks(GAME, EACH, SMALL)


def test_each_lesson_matters_only_when_it_is_true_and_needed() -> None:
    check_lessons(CHECKS, GAMES)


@pytest.mark.parametrize(("kind", "cards"), [("rock-green-give", 2), ("rock-green-swap", 1)])
def test_a_card_of_ciao_that_ends_the_game_teaches_nothing(kind: str, cards: int) -> None:
    """Of two players, one gives the last card away, or swaps it for the other's hand."""
    table = CiaoTable(2, options={"swap-goes-out": False}).hold(cards, 7)
    moment = moment_after(table, Tap(Piece(kind)))
    assert table.view.is_over
    assert lessons_of_ciao().next(moment, set()) is None


@pytest.mark.parametrize(
    ("players", "inputs", "code"),
    [
        (3, [Tap(Piece("rock-green-again")), Choice("again")], "rules.6.3"),
        (2, [Tap(Piece("rock-green-give"))], "does.give"),
        (3, [Tap(Piece("rock-green-give"))], "does.give"),
        (2, [Tap(Piece("rock-green-swap"))], "does.swap"),
        (3, [Tap(Piece("rock-green-swap"))], "does.swap"),
    ],
)
def test_a_special_of_ciao_is_taught_when_it_works(
    players: int, inputs: list[Input], code: str
) -> None:
    """Of two players, nobody is asked for the other one (RULES 6.9)."""
    table = CiaoTable(players)
    *_, last = [moment_after(table, given) for given in inputs]
    assert code in {lesson.code for lesson in lessons_of_ciao().lessons if lesson.matters(last)}


def lessons_of_ciao() -> Lessons:
    lessons = lessons_of(GAME)
    assert lessons is not None
    return lessons


def moment_after(table: CiaoTable, given: Input) -> Moment:
    """Give the table's game *given*; return the moment after it."""
    before = table.state
    table.give(given)
    return Moment(before, given, table.state, table.events, table.view)
