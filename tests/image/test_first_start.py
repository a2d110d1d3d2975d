"""From the written card to the first card on the mat, with buttons and the display alone.

Nothing is written in ``tapmat.toml``, and nobody logs in: people choose the language, the kit and
the game at the table, and tap each card once. All tests share one boot and run in this order.
"""

from firmware.boxes.games import games
from firmware.plan.templates import TEMPLATES
from firmware.voice.words import languages
from tests.image.machine import ImagePi
from tests.image.table import BOX, OK_PIN, PIECES, choose, comes, tap

IDLE = "dr\u00fcck OK"
MAIN_PID = "systemctl show tapmat --property MainPID --value"
SETTLED_S = 0.5  # a card that is away for so long has left


def test_the_table_asks_for_the_language(first: ImagePi) -> None:
    comes(first, "Language")
    comes(first, "English")


def test_after_the_language_it_asks_for_the_kit(first: ImagePi) -> None:
    choose(first, (languages().index("de") - languages().index("en")) % len(languages()))
    comes(first, "Bausatz")
    comes(first, "Kleinster")


def test_it_starts_again_with_the_kit(first: ImagePi) -> None:
    before = first.do(MAIN_PID).said
    choose(first, TEMPLATES.index("smallest"))
    assert first.wait_until(lambda: first.do(MAIN_PID).said not in (before, "0\n"))
    first.wait_for("systemctl is-active tapmat", ("active",))
    comes(first, IDLE)
    assert "left = 5" in first.do("cat /etc/tapmat/table.toml").said
    report = first.do("cat /boot/firmware/tapmat-report.txt").said
    assert "kit: smallest, chosen at the table" in report
    assert first.do("systemctl --failed --plain --no-legend").said == ""


def test_each_card_is_tapped_once(first: ImagePi) -> None:
    choose(first, 0)  # opens the list of games
    choose(first, list(games()).index("straw"))
    comes(first, f"0/{len(PIECES)}")
    for piece in PIECES:
        first.lay(BOX[piece])
        first.ask("wait", seconds=1.0)
        first.lift(BOX[piece])
        first.ask("wait", seconds=SETTLED_S)
    comes(first, "Alles fertig")


def test_the_first_card_is_played(first: ImagePi) -> None:
    first.press(OK_PIN)
    comes(first, IDLE)
    tap(first, "weight-9#1", "Straw")
    first.press(OK_PIN)
    comes(first, "Ann")
    tap(first, "weight-9#1", "Ben")
    assert first.shows("9")
