"""From the written card to the first card on the mat, with buttons and the display alone.

Nothing is written in ``tapmat.toml``, and nobody logs in: people choose the language, the kit and
the game at the table, and tap each card once. All tests share one boot and run in this order.
"""

from firmware.boxes.games import games
from firmware.plan.templates import TEMPLATES
from firmware.voice.words import languages
from tests.image.machine import ImagePi
from tests.image.table import BOX, OK_PIN, PIECES, START, choose, comes, tap

IDLE = "dr\u00fcck OK"
STARTS = "journalctl --unit tapmat --output short-monotonic --no-pager | grep Starting"
MAIN_PID = "systemctl show tapmat --property MainPID --value"
LAID_S, SETTLED_S = 0.6, 0.4  # a card that lies so long was read; one away so long has left


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
        first.ask("wait", seconds=LAID_S)
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


def test_the_first_picture_comes_before_the_table_is_ready(first: ImagePi) -> None:
    """The times are noted in ``figures.txt``: emulated seconds, a nanosecond an instruction."""
    boot_s = first.do(f"{STARTS} | head -n 1 | tr -d '[]' | awk '{{ print $1 }}'").said.strip()
    first.do("systemctl stop tapmat")
    assert first.wait_until(lambda: not first.picture().getbbox())
    first.do(START)
    assert first.wait_until(lambda: first.picture().getbbox() is not None)
    shown_s = first.at_s
    first.wait_for("systemctl is-active tapmat", ("active",))
    begun_s, ready_s = (
        int(first.do(f"systemctl show tapmat --property {name} --value").said) / 1e6
        for name in ("InactiveExitTimestampMonotonic", "ActiveEnterTimestampMonotonic")
    )
    (first.folder / "figures.txt").write_text(
        f"{boot_s} s from the start of the kernel to the start of the service at the first boot\n"
        f"{shown_s - begun_s:.2f} s from there to the first picture, at most\n"
        f"{ready_s - begun_s:.2f} s until the table is ready\n"
    )
    assert shown_s < ready_s
