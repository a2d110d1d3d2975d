"""A class name means one thing in the program, and a function is named for what it returns."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROGRAM = ("engines", "hardware", "firmware", "sim")

# One word on purpose: each game has its own, and no module imports those of two games.
# Outside the games it means one thing at most.
OF_EACH_GAME = {"Card", "Headline", "HouseRules", "Phase", "PhaseView", "Round", "State"}
# One word on purpose: the emulated chip is written from the data sheet and may not see the driver.
OF_CHIPS = {"I2cBus", "Registers"}
ALLOWED = OF_EACH_GAME | OF_CHIPS

# Words that say that something happened, not what comes back. "sorted" and "reversed" are Python's.
PARTICIPLE = re.compile(
    r"(?:|.*_)(?!sorted|reversed|need|feed|speed|seed|shed|red|bed)"
    r"(?:[a-z]+ed|told|kept|taken|given|made|written|shown|laid|said|found|heard|held|drawn|sent"
    r"|won|lost)"
    r"(?:_text)?"
)
# A verb or a noun, and a participle that describes its object: "open the library named ...".
DESCRIBING = {
    *("_open_named", "as_requested", "check_unplayed", "game_named", "is_taken", "read_bounded"),
    *("run_simulated", "asks_tap_lost", "show_tap_lost", "step_tap_lost"),  # the phase TAP_LOST
}


@cache
def modules() -> dict[Path, str]:
    """Return the text of each module."""
    paths = (path for room in PROGRAM for path in sorted((ROOT / room).rglob("*.py")))
    return {path.relative_to(ROOT): path.read_text(encoding="utf-8") for path in paths}


def meanings() -> dict[str, set[Path]]:
    """Return the modules that define a class of each name."""
    found: dict[str, set[Path]] = defaultdict(set)
    for path, text in modules().items():
        for name in re.findall(r"^ *class (\w+)[(:\[]", text, re.MULTILINE):
            found[name].add(path)
    return found


def participles() -> Iterator[tuple[Path, str]]:
    """Yield the functions that return a value (other than a bool) and are named by a participle."""
    for path, text in modules().items():
        if any(map(PARTICIPLE.fullmatch, re.findall(r"^ *def (\w+)", text, re.MULTILINE))):
            yield from ((path, name) for name in participles_in(ast.parse(text)))


def participles_in(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef) or not PARTICIPLE.fullmatch(node.name):
            continue
        is_property = any(
            isinstance(d, ast.Name) and d.id in ("property", "cached_property")
            for d in node.decorator_list
        )
        returned = ast.unparse(node.returns) if node.returns else "None"
        is_value = not is_property and returned not in ("None", "bool")
        if is_value and node.name not in DESCRIBING:
            yield node.name


@pytest.mark.parametrize(
    "name", ["told", "_not_saved", "all_revealed", "surely_won", "left_text_sent"]
)
def test_a_participle_is_found_behind_other_words(name: str) -> None:
    assert PARTICIPLE.fullmatch(name)


@pytest.mark.parametrize("name", ["new_seed", "is_read", "speed", "sorted", "take_changes"])
def test_a_noun_is_no_participle(name: str) -> None:
    assert not PARTICIPLE.fullmatch(name)


def test_a_class_name_means_one_thing() -> None:
    double = {name: sorted(map(str, where)) for name, where in meanings().items() if len(where) > 1}
    new = {name: where for name, where in double.items() if name not in ALLOWED}
    assert new == {}, "find a separate word for each meaning"
    assert set(double) >= ALLOWED, "take the names that mean one thing now out of the lists above"


def test_a_word_of_the_games_means_one_thing_outside_them() -> None:
    found = meanings()
    outside = {n: sorted(str(p) for p in found[n] if p.parts[0] != "engines") for n in OF_EACH_GAME}
    assert {name: where for name, where in outside.items() if len(where) > 1} == {}


def test_a_function_that_returns_a_value_is_no_participle() -> None:
    found = [f"{path}: {name}" for path, name in participles()]
    assert found == [], "name it for what it returns: a noun, or a verb that says how it makes it"
