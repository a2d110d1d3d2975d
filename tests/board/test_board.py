"""Tests on an emulated Pi 3: real kernel, real spidev and lgpio, emulated chips.

All tests share one boot, and run in this order. Each waits in emulated time.
"""

from sim.mat.tags import stranger_uid
from tests.board.emulator import LIMIT_S, Pi3

TABLE = "/usr/lib/python3/dist-packages/firmware/config/table.toml"  # the default one
IDLE = "or press OK"  # on the display while no game is open
GROUPS = ("spi", "i2c", "gpio")
OK_PIN = 13  # of the default table


def sh(pi: Pi3, script: str) -> tuple[int, str]:
    """Run a shell *script* on the Pi; return its exit code and everything it printed."""
    code, said = pi.ask("run", script=script, groups=GROUPS, limit_s=LIMIT_S)
    assert "Traceback" not in said, said
    return code, said


def log(pi: Pi3) -> str:
    """Return what the table has printed."""
    return sh(pi, "cat /tmp/log")[1]


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
    assert pi.wait_until(lambda: pi.shows(IDLE)), log(pi)


def test_an_unknown_sticker_is_noticed(pi: Pi3) -> None:
    uid = stranger_uid()
    pi.lay(uid)
    assert pi.wait_until(lambda: not pi.shows(IDLE)), log(pi)
    pi.lift(uid)
    assert pi.wait_until(lambda: pi.shows(IDLE)), log(pi)


def test_a_press_of_ok_opens_the_list_of_games(pi: Pi3) -> None:
    """The press is seen by its level: QEMU's pins report no edges."""
    pi.press(OK_PIN)
    assert pi.wait_until(lambda: pi.shows("Camargue")), log(pi)
