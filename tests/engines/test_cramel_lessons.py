"""The lessons of Cramel matter only in states in which they are true and their rules are needed.

``CHECKS`` has a function for the code of each lesson, written from RULES.md.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from engines.common.contract import Press
from engines.cramel import GAME
from tests.engines.lessons import After, Check, Checks, check_lessons

GAMES = 60  # played at full effort
SETS = {"roby": 1, "jane": 2, "helena": 2, "el-el": 3, "ring-box": 4}  # RULES 4.1


def set_of(after: After) -> int:
    """Return the number of tiles in a set of the kind that was tapped (RULES 4.1, 4.3)."""
    return {**SETS, "gol": int(after.options["gol-set"])}[after.kind]


def open_tiles(state: Any) -> Counter[str]:
    return Counter(piece.kind for piece in state.turned)


def is_opened(after: After, *kinds: str) -> bool:
    """Return True if a tile of one of *kinds* was turned over, and the turn goes on."""
    return after.kind in kinds and after.piece in after.state.turned


def gain(after: After, kind: str = "") -> int:
    """Return how many tiles the last player has won by stopping; of *kind*, if it is given."""
    seat = after.before.turn
    old, new = after.before.won[seat], after.state.won[seat]
    return int(new[kind] - old[kind] if kind else new.total - old.total)


def has_stopped(after: After) -> bool:
    """Return True if a player has stopped."""
    return isinstance(after.given, Press) and not after.state.turned


def left_to_win(after: After) -> int:
    """Return the number of tiles on the table that are no Blooms."""
    return sum(after.state.left[kind] for kind in (*SETS, "gol", "cramel"))


def is_whole(after: After) -> bool:
    """Return True if all tiles but the three Blooms can be won (RULES 7.1)."""
    box = {kind.name: kind.count for kind in after.state.config.deck.kinds}
    sizes = {**SETS, "gol": int(after.options["gol-set"])}
    return box["bloom"] == 3 and not any(box.get(kind, 0) % size for kind, size in sizes.items())


def wins_by_stopping(after: After) -> int | None:
    """Return the number of tiles that the button wins now, or None if there is no button."""
    press = after.button("stop")
    return None if press is None else int(str(press.facts["n"]))


def is_mixed(after: After) -> bool:
    """Return True if a Cramel and another kind have ended the turn (RULES 6.2)."""
    kinds = {*open_tiles(after.before), after.kind}
    return not after.state.turned and "cramel" in kinds and len(kinds - {"bloom"}) > 1


EACH: Mapping[str, Check] = {
    "does.bloom": lambda a: a.kind == "bloom" and not a.state.turned and not gain(a),
    "rules.6.3": lambda a: a.kind == "bloom" and set(open_tiles(a.before)) == {"cramel"},
    "rules.5.2": lambda a: (
        a.kind == "bloom" and a.options["bloom-may-move"]
        and any(tiles.total for tiles in a.state.won)
    ),
    "rules.6.2": lambda a: is_mixed(a) and a.kind != "bloom",
    "does.cramel": lambda a: is_opened(a, "cramel") and set(open_tiles(a.state)) == {"cramel"},
    "rules.4.4": lambda a: (
        a.options["several-sets"] and open_tiles(a.state)[a.kind] >= 2 * set_of(a)
    ),
    "does.gol": lambda a: is_opened(a, "gol"),
    "does.set-4": lambda a: is_opened(a, "ring-box"),
    "does.set-3": lambda a: is_opened(a, "el-el"),
    "does.set-2": lambda a: is_opened(a, "jane", "helena"),
    "does.set-1": lambda a: is_opened(a, "roby"),
    "lesson.set": lambda a: (
        open_tiles(a.state)[a.kind] % set_of(a) == 0 and bool(wins_by_stopping(a))
    ),
    "rules.3.5": lambda a: (
        wins_by_stopping(a) == 0 and a.options["stop-without-set"] and len(a.state.turned) > 1
    ),
    "rules.end": lambda a: has_stopped(a) and 0 < left_to_win(a) <= 12 and is_whole(a),
    "rules.4.5": lambda a: has_stopped(a) and gain(a) > 0,
    "rules.4.2": lambda a: has_stopped(a) and gain(a) < len(a.before.turned),
    "rules.score": lambda a: has_stopped(a) and gain(a, "cramel") > 0,
}  # fmt: skip


CHECKS = Checks(GAME, EACH, {"jane": 2, "ring-box": 3, "cramel": 1, "bloom": 3})


def test_each_lesson_matters_only_when_it_is_true_and_needed() -> None:
    check_lessons(CHECKS, GAMES)
