"""The lessons of Straw matter only in states in which they are true and their rules are needed.

``CHECKS`` has a function for the code of each lesson, written from RULES.md.
"""

from collections.abc import Mapping

from engines.common.contract import Button, Number, Press, Tap, TapAsk
from engines.common.lessons import Moment
from engines.straw import GAME
from tests.engines.lessons import Check, Checks, check_lessons

LIMIT, HEAVIEST = 50, 10  # RULES 4.1, 5.1
GAMES = 40  # played at full effort


def laid(moment: Moment) -> str:
    """Return the kind of the card that was laid, or ""."""
    return moment.given.piece.kind if isinstance(moment.given, Tap) else ""


def is_laying(moment: Moment) -> bool:
    """Return True if a player is to lay a card on the camel now."""
    asks = GAME.asks(moment.state)
    return any(isinstance(ask, TapAsk) and "hand" not in ask.spots for ask in asks)


def was_laying(moment: Moment) -> bool:
    """Return True if the card was laid on the camel, not counted in a hand."""
    return bool(GAME.view(moment.before).phase == "play")


def load(moment: Moment) -> int:
    return int(moment.state.round.weight)


def has_weighed(moment: Moment) -> bool:
    """Return True if the camel carries a load, a card was laid, or a Lamp's weight was chosen."""
    return load(moment) != 0 or laid(moment) != "" or isinstance(moment.given, Number)


def is_copy_of_a_copy(moment: Moment) -> bool:
    """Return True if a Copy was laid on a Copy; the last card on the camel before it was one."""
    return laid(moment) == "copy" and was_laying(moment) and moment.before.round.top == "copy"


def has_only_passed(moment: Moment) -> bool:
    """Return True if a player could play nothing on an empty camel, and kept the turn's cards."""
    return (
        moment.given == Press(Button.ACTION)
        and not moment.before.round.camel
        and moment.before.round.hands == moment.state.round.hands
    )


EACH: Mapping[str, Check] = {
    "does.straw": lambda moment: is_laying(moment) and load(moment) == LIMIT,
    "rules.4.1": lambda moment: is_laying(moment) and LIMIT - HEAVIEST < load(moment) <= LIMIT,
    "does.lamp": lambda moment: laid(moment) == "lamp" and was_laying(moment),
    "rules.5.7": is_copy_of_a_copy,
    "does.copy": lambda moment: laid(moment) == "copy" and was_laying(moment),
    "does.reverse": lambda moment: laid(moment) == "reverse" and was_laying(moment),
    "does.carpet": lambda moment: laid(moment).startswith("carpet") and was_laying(moment),
    "rules.3.4": lambda moment: is_laying(moment) and load(moment) < 0,
    "lesson.total": has_weighed,
    "rules.4.6": has_only_passed,
    "lesson.hand": lambda moment: moment.state.phase.value == "scoring",
    "lesson.won": lambda moment: moment.state.phase.value == "round-over",
}
CHECKS = Checks(GAME, EACH)


def test_each_lesson_matters_only_when_it_is_true_and_needed() -> None:
    check_lessons(CHECKS, GAMES)
