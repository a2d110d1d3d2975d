"""The checks of the computer itself: model, system, Python, power, clock, disk, and conflicts.

Room: firmware/doctor.
Sources: Raspberry Pi documentation, "vcgencmd", get_throttled; Linux, drivers/hwmon/
raspberrypi-hwmon.c (the alarm that any user may read); gpiozero, "Pins", GPIOZERO_PIN_FACTORY.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from firmware.doctor.computer import Computer
from firmware.doctor.findings import Finding, Verdict

RELEASES = ("bookworm", "trixie")  # of Raspberry Pi OS, with Python 3.11 and 3.13

SUPPLY = (
    "Use the supply made for this Pi (5.1 V; 3 A, a Pi 5: 5 A) with its own cable, and look again: "
    "vcgencmd get_throttled"
)
COOL = "Give it air or a heat sink, and look again: vcgencmd measure_temp"
POWER = (  # by bit of get_throttled, the worst first
    (0, Verdict.FAIL, "its 5 V is too low just now", SUPPLY),
    (16, Verdict.WARN, "its 5 V was too low since it was switched on", SUPPLY),
    (3, Verdict.WARN, "it is too hot just now", COOL),
    (2, Verdict.WARN, "it is slowed down just now", COOL),
    (19, Verdict.WARN, "it was too hot since it was switched on", COOL),
)

GET_SOUND = (
    "Plug in a USB loudspeaker, as a Pi 5 and a Zero need one; or for the jack of another Pi write "
    'dtparam=audio=on into /boot/firmware/config.txt, then reboot; or write engine = "silent" '
    "under [voice] in table.toml"
)

WRITTEN = datetime(2026, 1, 1, tzinfo=UTC)  # no table is older than its program
SET_CLOCK = (
    "Connect it to a network for a minute, and look with: timedatectl; or fit a clock with a "
    "battery"
)

MEGABYTE = 1_000_000
LITTLE_ROOM, NO_ROOM = 50 * MEGABYTE, 5 * MEGABYTE
MAKE_ROOM = (
    "Make room: sudo apt clean; sudo journalctl --vacuum-size=20M; and see what is large: "
    "sudo du -xh / | sort -h | tail"
)


def look_at_computer(computer: Computer) -> Iterator[Finding]:
    """Model and system, and Python with its venv."""
    system = computer.system
    name = ", ".join(filter(None, (computer.model or "no Raspberry Pi", system.get("PRETTY_NAME"))))
    if computer.is_pi and system.get("VERSION_CODENAME") not in RELEASES:
        remedy = f"Write Raspberry Pi OS ({' or '.join(RELEASES)}) to its card"
        yield Finding("computer", Verdict.WARN, f"{name}: not tried", remedy)
    else:
        yield Finding("computer", Verdict.OK, name)
    yield _python(computer)


def _python(computer: Computer) -> Finding:
    name = f"{computer.python} in {computer.prefix}"
    if computer.prefix == computer.base_prefix:
        return Finding("python", Verdict.WARN, f"{name}, outside any venv", "Run: make setup")
    if computer.is_pi and not any((folder / "lgpio.py").exists() for folder in computer.packages):
        remedy = (
            "sudo apt install python3-lgpio python3-spidev; if that is done, the venv does not see "
            f"them: rm -r {computer.prefix}, then make setup"
        )
        return Finding("python", Verdict.FAIL, f"{name} has no lgpio", remedy)
    return Finding("python", Verdict.OK, name)


def look_at_power(computer: Computer) -> Iterator[Finding]:
    """What a Raspberry Pi noted of its supply and its heat; nothing of any other computer."""
    if not computer.is_pi:
        return
    bits = _throttled(computer)
    if bits is None:
        yield Finding("power", Verdict.OK, "not known: vcgencmd does not tell this user")
        return
    for bit, verdict, found, remedy in POWER:
        if bits >> bit & 1:
            yield Finding("power", verdict, f"{found} ({bits:#x})", remedy)
            return
    yield Finding("power", Verdict.OK, "5 V was always high enough since it was switched on")


def _throttled(computer: Computer) -> int | None:
    """The bits of get_throttled; where that is not to be had, the kernel's alarm as bit 0."""
    told = computer.run(("vcgencmd", "get_throttled")) or ""
    _, _, bits = told.partition("throttled=")
    if bits:
        return int(bits, 16)
    for sensor in sorted(computer.path("sys/class/hwmon").glob("hwmon*")):
        name = f"sys/class/hwmon/{sensor.name}"
        if computer.text(f"{name}/name").strip() == "rpi_volt":
            return int(computer.text(f"{name}/in0_lcrit_alarm").strip() == "1")
    return None


def look_at_sound(computer: Computer) -> Iterator[Finding]:
    """Whether Linux has a sound card at all; what comes out of it the speech tells."""
    cards = computer.text("proc/asound/cards")
    names = [line.partition("- ")[2].strip() for line in cards.splitlines() if "]:" in line]
    if names:
        yield Finding("sound card", Verdict.OK, ", ".join(names))
    else:
        yield Finding("sound card", Verdict.WARN, "there is none", GET_SOUND)


def look_at_clock(computer: Computer) -> Iterator[Finding]:
    """Whether the time of day can be right; the journal's entries bear it."""
    now = computer.now()
    told = f"{now:%Y-%m-%d %H:%M} UTC"
    if now < WRITTEN:
        found = f"it says {told}, which is before this program was written"
        yield Finding("clock", Verdict.WARN, found, SET_CLOCK)
    else:
        yield Finding("clock", Verdict.OK, told)


def look_at_disk(computer: Computer, folder: Path) -> Iterator[Finding]:
    """Whether there is room for the journal in *folder*."""
    free = computer.free_bytes(folder)
    found = f"{free / MEGABYTE:,.0f} MB free at {folder}"
    if free < LITTLE_ROOM:
        verdict = Verdict.FAIL if free < NO_ROOM else Verdict.WARN
        yield Finding("disk", verdict, found, MAKE_ROOM)
    else:
        yield Finding("disk", Verdict.OK, found)


def look_at_conflicts(computer: Computer) -> Iterator[Finding]:
    """What gets in the way of lgpio: another pin library, or another choice."""
    is_well = True
    for folder in computer.packages:
        if any(folder.glob("RPi/_GPIO*.so")):  # rpi-lgpio, which is harmless, has none
            is_well = False
            found = f"{folder / 'RPi'} is the old RPi.GPIO, which does not work on a Pi 5"
            pip = computer.prefix / "bin" / "pip"
            is_ours = folder.is_relative_to(computer.prefix)
            own = f"Take it out: {pip} uninstall RPi.GPIO"
            remedy = own if is_ours else "Take it out: sudo apt remove python3-rpi.gpio"
            yield Finding("conflicts", Verdict.WARN, found, remedy)
    factory = computer.environment.get("GPIOZERO_PIN_FACTORY", "lgpio")
    if factory not in ("lgpio", "mock"):
        is_well = False
        found = f"GPIOZERO_PIN_FACTORY is {factory}, so the pins are not lgpio's"
        remedy = "Take it away: unset GPIOZERO_PIN_FACTORY; look into ~/.profile and ~/.bashrc too"
        yield Finding("conflicts", Verdict.WARN, found, remedy)
    if is_well:
        yield Finding("conflicts", Verdict.OK, "no other pin library is in the way")
