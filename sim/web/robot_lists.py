"""The seats of the virtual table as lists for the host's phone: a person, or a robot's level."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from firmware.table.answers import SettingList
from sim.players.levels import styles_of
from sim.web.page_words import page_words

# A line of the page's list of levels, such as: "good": () => t("good"),
STYLE = re.compile(r'^  "([^"]+)": \(\) => t\("([^"]+)"\),$', re.MULTILINE)


def robot_lists(
    game: str, names: Sequence[str], robots: Mapping[int, str], language: str
) -> tuple[SettingList, ...]:
    """Return a list for each player of *names* by seat; none if *game* has no robots.

    *robots* are the styles of the robots by seat. The texts are those of the page.
    """
    values = robot_values(game, language)
    return tuple(
        SettingList(str(seat), name, robots.get(seat, ""), values)
        for seat, name in enumerate(names if values else ())
    )


def robot_values(game: str, language: str) -> tuple[tuple[str, str], ...]:
    """Return a person and the levels of robots in *game*, each with its text; () without robots."""
    styles = styles_of(game)
    words = page_words(language)
    person, robot = (str(words.get(text, text)) for text in ("person", "robot: {style}"))

    def in_words(style: str) -> str:
        english = styles_in_english().get(style, style)
        return robot.format(style=words.get(english, english))

    return (("", person), *((style, in_words(style)) for style in styles)) if styles else ()


@cache
def styles_in_english() -> Mapping[str, str]:
    """Return the page's English text for each level of robots."""
    file = files(__package__) / "static" / "styles.js"
    return dict(STYLE.findall(file.read_text(encoding="utf-8")))
