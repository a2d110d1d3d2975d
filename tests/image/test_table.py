"""A game at the table of the image: its own service and sandbox, with emulated chips on its buses.

All tests share one boot and run in this order; where they wait, it is in emulated time.
"""

import pytest

from tests.image.machine import ImagePi
from tests.image.table import (
    BACK_PIN,
    BOX,
    IDLE,
    OK_PIN,
    PIECES,
    PLAYING,
    START,
    comes,
    log,
    plug_in,
    start,
    tap,
)

TABLE = "/etc/tapmat/table.toml"
STICKERS = "\n".join(["game straw", *(f"{p} {uid.hex(' ')}" for p, uid in BOX.items()), "closed"])
# What the service may reach is what the installer wrote, not what a test arranged.
SANDBOX = {
    "DevicePolicy": "closed",
    "PrivateNetwork": "yes",
    "ProtectSystem": "strict",
    "User": "tapmat",
}


@pytest.fixture(scope="module")
def table(pi: ImagePi) -> ImagePi:
    """The Pi with the parts of the kit on its buses; the service runs, in English."""
    pi.do(f"""sed -i 's/^language = .*/language = "en"/' {TABLE}""")
    plug_in(pi)
    return pi


def test_the_service_waits_for_a_game(table: ImagePi) -> None:
    comes(table, IDLE)
    for key, value in SANDBOX.items():
        assert table.do(f"systemctl show tapmat --property {key} --value").said == f"{value}\n"


def test_the_stickers_come_from_a_file(table: ImagePi) -> None:
    table.write("/var/home/pi/straw.txt", STICKERS)
    table.do("systemctl stop tapmat")
    done = table.do("cd /var/home/pi && tapmat enrol straw --import straw.txt")
    assert done.code == 0, done.said
    assert str(len(PIECES)) in done.said


def doctor(pi: ImagePi, before: str = "true", after: str = "true") -> str:
    """Return what the doctor prints, in long lines, between two shell commands."""
    done = pi.do(f"{before}; COLUMNS=200 tapmat doctor --quick; {after}")
    assert "Traceback" not in done.said, done.said
    return done.said


def test_the_doctor_finds_all_parts(table: ImagePi) -> None:
    said = doctor(table)
    for part in ("reader play", "display", "controls"):
        assert f"OK    {part}" in said, said
    assert "FAIL" not in said, said


def test_the_doctor_names_an_unplugged_reader(table: ImagePi) -> None:
    table.ask("strike", fault="reader-unplugged", part="play")
    said = doctor(table)
    table.ask("repair", fault="reader-unplugged", part="play")
    assert "FAIL  reader play" in said, said
    assert "FAIL  display" not in said, said


def test_the_doctor_names_an_unplugged_display(table: ImagePi) -> None:
    table.ask("strike", fault="display-lost", part="display")
    said = doctor(table)
    table.ask("repair", fault="display-lost", part="display")
    assert "FAIL  display" in said, said
    assert "FAIL  reader play" not in said, said


def test_the_doctor_names_a_group_that_is_missing(table: ImagePi) -> None:
    said = doctor(table, "gpasswd --delete tapmat spi", "gpasswd --add tapmat spi")
    assert "you may not use /dev/spidev0.0" in said, said
    assert "sudo adduser" in said, said
    assert "you may not use /dev/i2c-1" not in said, said


def test_without_a_device_the_doctor_says_what_to_turn_on(table: ImagePi) -> None:
    said = doctor(table, "mv /dev/spidev0.0 /dev/gone", "mv /dev/gone /dev/spidev0.0")
    assert "/dev/spidev0.0 is not there. In tapmat's image SPI is always on" in said, said
    assert "OK    display" in said, said


def test_a_game_of_straw(table: ImagePi) -> None:
    start(table)
    comes(table, IDLE)
    tap(table, "weight-9#1", "Players: 2")
    table.press(OK_PIN)
    comes(table, "can't play")
    tap(table, "weight-9#1", PLAYING)
    assert table.shows("9")
    tap(table, "weight-8#1", "17")


def test_a_card_that_is_not_allowed_is_refused(table: ImagePi) -> None:
    pieces = [piece for piece in PIECES if piece.startswith("straw")]
    table.lay(BOX[pieces[0]])
    comes(table, "Straw goes on")
    table.lift(BOX[pieces[0]])
    comes(table, PLAYING)
    assert table.shows("17")


def test_back_undoes_a_play(table: ImagePi) -> None:
    table.press(BACK_PIN)
    comes(table, "Taken back")
    comes(table, PLAYING)
    assert table.shows("9")


def test_a_program_that_hangs_is_started_again_and_the_game_goes_on(table: ImagePi) -> None:
    comes(table, PLAYING)
    main = table.do("systemctl show tapmat --property MainPID --value").said.strip()
    table.do(f"kill -STOP {main}")
    table.wait_for("systemctl show tapmat --property NRestarts --value", ("1",))
    comes(table, PLAYING)
    assert "Watchdog timeout" in log(table)


def test_a_table_that_cannot_be_used_ends_in_safe_mode(table: ImagePi) -> None:
    table.do(f"cp {TABLE} /tmp/kept; echo nonsense > {TABLE}; systemctl stop tapmat; {START}")
    table.wait_for("systemctl is-active tapmat-safe", ("active",))
    comes(table, "cannot start")
    assert "table.toml" in log(table)
    table.do(f"cp /tmp/kept {TABLE}; systemctl stop tapmat-safe")
    start(table)
    comes(table, PLAYING)


def test_after_a_power_cut_the_game_goes_on(table: ImagePi) -> None:
    table.close()
    table.edit("tapmat.toml", 'kit = "smallest"\nlanguage = "en"\n')
    table.power_on()
    plug_in(table)
    comes(table, PLAYING)
