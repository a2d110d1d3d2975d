"""Tests on an emulated Pi 3: real kernel, real spidev and lgpio, emulated chips.

All tests share one boot, and run in this order. Each waits in emulated time.
"""

from collections.abc import Callable

from PIL import Image

from firmware.show.text import find_text
from sim.mat.tags import stranger_uid
from tests.board.emulator import Pi3

TABLE = "/usr/lib/python3/dist-packages/firmware/config/table.toml"  # the default one
IDLE = "or press OK"  # on the display while no game is open
LIMIT_S = 60.0  # emulated seconds for anything that the table does
GROUPS = ("spi", "i2c", "gpio")
OK_PIN = 13  # of the default table
HOLD_S = 0.3  # a press; the table reads levels every 50 ms


def sh(pi: Pi3, script: str) -> tuple[int, str]:
    """Run a shell *script* on the Pi; return its exit code and everything it printed."""
    code, said = pi.ask("run", script=script, groups=GROUPS, limit_s=LIMIT_S)
    assert "Traceback" not in said, said
    return code, said


def shows(pi: Pi3, text: str) -> bool:
    """Return True if *text* can be read on the display's glass."""
    rows = pi.ask("look")
    picture = Image.new("1", (len(rows[0]), len(rows)))
    picture.putdata([int(pixel) for row in rows for pixel in row])
    return find_text(picture, text)


def wait_until(pi: Pi3, what: str, holds: Callable[[], bool]) -> None:
    until_s = pi.at_s + LIMIT_S
    while not holds():
        assert pi.at_s < until_s, f"{what}: not within {LIMIT_S} s; {sh(pi, 'cat /tmp/log')[1]}"
        pi.ask("wait", seconds=0.2)


# --- without chips -------------------------------------------------------------------------------


def test_on_empty_buses_the_doctor_names_the_missing_parts(pi: Pi3) -> None:
    """Here the kernel's own drivers work on QEMU's buses: nothing answers there."""
    code, said = sh(pi, f"tapmat doctor --table {TABLE} --quick")
    assert code in (1, 3), said
    assert "FAIL  reader play" in said, said
    assert "FAIL  display" in said, said
    assert "/dev/gpiochip0, brcm,bcm2835-gpio" in said, said


# --- the table -----------------------------------------------------------------------------------


def test_the_table_starts_and_waits_for_a_game(plugged: Pi3) -> None:
    pi = plugged
    sh(pi, f"setsid tapmat play --table {TABLE} > /tmp/log 2>&1 &")
    wait_until(pi, "it waits for a game", lambda: shows(pi, IDLE))


def test_an_unknown_sticker_is_noticed(pi: Pi3) -> None:
    uid = stranger_uid().hex()
    pi.ask("lay", uid=uid, spot="play")
    wait_until(pi, "it shows something else", lambda: not shows(pi, IDLE))
    pi.ask("lift", uid=uid, spot="play")
    wait_until(pi, "it waits for a game again", lambda: shows(pi, IDLE))


def test_a_press_of_ok_opens_the_list_of_games(pi: Pi3) -> None:
    """The press is seen by its level: QEMU's pins report no edges."""
    pi.drive(OK_PIN, is_high=False)
    pi.ask("wait", seconds=HOLD_S)
    pi.drive(OK_PIN, is_high=True)
    wait_until(pi, "the list is open", lambda: shows(pi, "Camargue"))
