"""The checks of the computer itself: model, system, Python, power, clock, disk, and conflicts.

Room: firmware/doctor.
Sources: Raspberry Pi documentation, "vcgencmd", get_throttled; Linux, drivers/hwmon/
raspberrypi-hwmon.c (the alarm that any user may read); gpiozero, "Pins", GPIOZERO_PIN_FACTORY.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from gettext import gettext as _
from pathlib import Path

from firmware.doctor.computer import Computer
from firmware.doctor.findings import Finding, Verdict
from firmware.errors import either

N_ = str  # marks a text for the catalogues; it is translated where it is used

RELEASES = ("bookworm", "trixie")  # of Raspberry Pi OS, with Python 3.11 and 3.13

SUPPLY = N_(
    "Use the supply made for this Pi (5.1 V; 3 A, a Pi 5: 5 A) with its own cable, and look again: "
    "vcgencmd get_throttled"
)
COOL = N_("Give it air or a heat sink, and look again: vcgencmd measure_temp")
POWER = (  # by bit of get_throttled, the worst first
    (0, Verdict.FAIL, N_("its 5 V is too low just now"), SUPPLY),
    (16, Verdict.WARN, N_("its 5 V was too low since it was switched on"), SUPPLY),
    (3, Verdict.WARN, N_("it is too hot just now"), COOL),
    (2, Verdict.WARN, N_("it is slowed down just now"), COOL),
    (19, Verdict.WARN, N_("it was too hot since it was switched on"), COOL),
)

GET_SOUND = N_(
    "Plug in a USB loudspeaker, as a Pi 5 and a Zero need one; or for the jack of another Pi write "
    'dtparam=audio=on into /boot/firmware/config.txt, then reboot; or write engine = "silent" '
    "under [voice] in table.toml"
)

WRITTEN = datetime(2026, 1, 1, tzinfo=UTC)  # no table is older than its program
SET_CLOCK = N_(
    "Connect it to a network for a minute, and look with: timedatectl; or fit a clock with a "
    "battery"
)

MEGABYTE = 1_000_000
LITTLE_ROOM, NO_ROOM = 50 * MEGABYTE, 5 * MEGABYTE
MAKE_ROOM = N_(
    "Make room: sudo apt clean; sudo journalctl --vacuum-size=20M; and see what is large: "
    "sudo du -xh / | sort -h | tail"
)


def look_at_computer(computer: Computer) -> Iterator[Finding]:
    """Model and system, and Python with its venv."""
    system = computer.system
    name = ", ".join(
        filter(None, (computer.model or _("no Raspberry Pi"), system.get("PRETTY_NAME")))
    )
    if computer.is_pi and system.get("VERSION_CODENAME") not in RELEASES:
        found = _("{name}: not tried").format(name=name)
        remedy = _("Write Raspberry Pi OS ({releases}) to its card")
        remedy = remedy.format(releases=either(RELEASES))
        yield Finding("computer", Verdict.WARN, found, remedy)
    else:
        yield Finding("computer", Verdict.OK, name)
    yield _python(computer)


def _python(computer: Computer) -> Finding:
    where = {"version": computer.python, "folder": computer.prefix}
    if computer.prefix == computer.base_prefix:
        found = _("{version} in {folder}, outside any venv").format(**where)
        return Finding("python", Verdict.WARN, found, _("Run: make setup"))
    if computer.is_pi and not any((folder / "lgpio.py").exists() for folder in computer.packages):
        found = _("{version} in {folder} has no lgpio").format(**where)
        remedy = _(
            "sudo apt install python3-lgpio python3-spidev; if that is done, the venv does not see "
            "them: rm -r {folder}, then make setup"
        )
        return Finding("python", Verdict.FAIL, found, remedy.format(folder=computer.prefix))
    return Finding("python", Verdict.OK, _("{version} in {folder}").format(**where))


def look_at_power(computer: Computer) -> Iterator[Finding]:
    """What a Raspberry Pi noted of its supply and its heat; nothing of any other computer."""
    if not computer.is_pi:
        return
    bits = _throttled(computer)
    if bits is None:
        yield Finding("power", Verdict.OK, _("not known: vcgencmd does not tell this user"))
        return
    for bit, verdict, found, remedy in POWER:
        if bits >> bit & 1:
            yield Finding("power", verdict, f"{_(found)} ({bits:#x})", _(remedy))
            return
    found = _("5 V was always high enough since it was switched on")
    yield Finding("power", Verdict.OK, found)


def _throttled(computer: Computer) -> int | None:
    """The bits of get_throttled; where that is not to be had, the kernel's alarm as bit 0."""
    told = computer.run(("vcgencmd", "get_throttled")) or ""
    bits = told.partition("throttled=")[2]
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
        yield Finding("sound card", Verdict.WARN, _("there is none"), _(GET_SOUND))


def look_at_clock(computer: Computer) -> Iterator[Finding]:
    """Whether the time of day can be right; the journal's entries bear it."""
    now = computer.now()
    told = f"{now:%Y-%m-%d %H:%M} UTC"
    if now < WRITTEN:
        found = _("it says {time}, which is before this program was written").format(time=told)
        yield Finding("clock", Verdict.WARN, found, _(SET_CLOCK))
    else:
        yield Finding("clock", Verdict.OK, told)


def look_at_disk(computer: Computer, folder: Path) -> Iterator[Finding]:
    """Whether there is room for the journal in *folder*."""
    free = computer.free_bytes(folder)
    found = _("{free:,.0f} MB free at {folder}").format(free=free / MEGABYTE, folder=folder)
    if free < LITTLE_ROOM:
        verdict = Verdict.FAIL if free < NO_ROOM else Verdict.WARN
        yield Finding("disk", verdict, found, _(MAKE_ROOM))
    else:
        yield Finding("disk", Verdict.OK, found)


def look_at_conflicts(computer: Computer) -> Iterator[Finding]:
    """What gets in the way of lgpio: another pin library, or another choice."""
    is_well = True
    for folder in computer.packages:
        if any(folder.glob("RPi/_GPIO*.so")):  # rpi-lgpio, which is harmless, has none
            is_well = False
            found = _("{folder} is the old RPi.GPIO, which does not work on a Pi 5")
            pip = computer.prefix / "bin" / "pip"
            is_ours = folder.is_relative_to(computer.prefix)
            own = f"{pip} uninstall RPi.GPIO"
            command = own if is_ours else "sudo apt remove python3-rpi.gpio"
            remedy = _("Take it out: {command}").format(command=command)
            yield Finding("conflicts", Verdict.WARN, found.format(folder=folder / "RPi"), remedy)
    factory = computer.environment.get("GPIOZERO_PIN_FACTORY", "lgpio")
    if factory not in ("lgpio", "mock"):
        is_well = False
        found = _("GPIOZERO_PIN_FACTORY is {factory}, so the pins are not lgpio's")
        remedy = _(
            "Take it away: unset GPIOZERO_PIN_FACTORY; look into ~/.profile and ~/.bashrc too"
        )
        yield Finding("conflicts", Verdict.WARN, found.format(factory=factory), remedy)
    if is_well:
        yield Finding("conflicts", Verdict.OK, _("no other pin library is in the way"))
