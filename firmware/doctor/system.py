"""Checks of the computer: model, system, Python, service, power, clock, disk, and conflicts.

Sources: Raspberry Pi documentation, "vcgencmd", get_throttled; Linux, drivers/hwmon/
raspberrypi-hwmon.c (an alarm that covers the last two seconds); gpiozero, "Pins",
GPIOZERO_PIN_FACTORY; systemd, timedatectl(1)
and systemctl(1); Linux, Documentation/ABI/testing/rtc-cdev.
"""

import importlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.machinery import PathFinder
from pathlib import Path

from firmware.common.errors import either
from firmware.common.host import ROLLED_BACK
from firmware.doctor.computer import Computer
from firmware.doctor.findings import Finding, Verdict

RELEASES = ("bookworm", "trixie")  # supported Raspberry Pi OS, with Python 3.11 and 3.13

SUPPLY = (
    "Use the supply made for this Pi (5.1 V, 3 A; for a Pi 5: 5.1 V, 5 A) with its own cable, "
    "then check again: vcgencmd get_throttled"
)
COOL = "Improve its airflow or fit a heat sink, then check again: vcgencmd measure_temp"
LOW_NOW = "the Pi's 5 V supply is too low right now"
SINCE_START = "since the Pi was switched on"
POWER = (  # bits of get_throttled, worst first
    (0, Verdict.FAIL, LOW_NOW, SUPPLY),
    (16, Verdict.WARN, f"{SINCE_START}, its 5 V supply was too low at least once", SUPPLY),
    (3, Verdict.WARN, "the Pi is too hot right now", COOL),
    (2, Verdict.WARN, "the Pi is slowed down right now", COOL),
    (1, Verdict.WARN, "the Pi's speed is capped right now", COOL),
    (19, Verdict.WARN, f"{SINCE_START}, it was too hot at least once", COOL),
    (18, Verdict.WARN, f"{SINCE_START}, it was slowed down at least once", COOL),
    (17, Verdict.WARN, f"{SINCE_START}, its speed was capped at least once", COOL),
)
HDMI = "vc4-hdmi"  # the sound cards of a Pi's HDMI outputs begin with this name
THROTTLED = re.compile(r"throttled=(0x[0-9a-f]+)", re.IGNORECASE)
VCIO = "dev/vcio"  # the device that vcgencmd uses; it belongs to the group video

GET_SOUND = (
    "Plug in a USB loudspeaker (a Pi 5 and a Zero need one); or, for the headphone jack of another "
    "Pi, write dtparam=audio=on into /boot/firmware/config.txt, then reboot; or, for a table "
    'without speech, write engine = "silent" under [voice] in table.toml'
)

WRITTEN = datetime(2026, 1, 1, tzinfo=UTC)  # an earlier clock must be wrong
AGREES_S = 120  # two clocks agree if they differ by less
SET_CLOCK = (
    "Connect the Pi to a network for a minute, then check with: timedatectl; or fit a real-time "
    "clock with a battery"
)

MEGABYTE = 1_000_000
LITTLE_ROOM, NO_ROOM = 50 * MEGABYTE, 5 * MEGABYTE
MAKE_ROOM = (
    "Free some space: sudo apt clean; sudo journalctl --vacuum-size=20M; and list the largest "
    "folders: sudo du -xh / | sort -h | tail"
)
FEWER_FILES = (
    "Delete some files. To list the folders with the most files: sudo du --inodes -x / | sort -n "
    "| tail"
)
FAILED_UPDATE = (
    "Read its last log lines: tapmat update; sudo cat /var/lib/tapmat/log.txt. The next update "
    "ends this warning"
)
SERVICE = "tapmat.service"
SERVICE_FACTS = ("LoadState", "ActiveState", "UnitFileState", "Result", "WatchdogUSec")
NO_WATCHDOG = ("0", "infinity")  # releases of systemd differ
UNMASK = "Run: sudo systemctl unmask tapmat; then install tapmat again: ./install-pi"
START_AGAIN = (
    "Read its last log lines: sudo cat /var/lib/tapmat/log.txt; after you have fixed the cause, "
    "run: sudo systemctl reset-failed tapmat; sudo systemctl start tapmat"
)
ENABLE = "Run: sudo systemctl enable tapmat"
WATCHDOG = (
    "Find the file that sets WatchdogSec=: systemctl cat tapmat; remove that line, then run: "
    "sudo systemctl daemon-reload; sudo systemctl restart tapmat"
)
PIN_LIBRARIES = ("lgpio", "spidev")  # modules that apt installs, not pip


def look_at_computer(computer: Computer) -> Iterator[Finding]:
    """Check the computer's model and system, and Python with its venv."""
    system = computer.system
    name = ", ".join(
        filter(None, (computer.model or "not a Raspberry Pi", system.get("PRETTY_NAME")))
    )
    if computer.is_pi and system.get("VERSION_CODENAME") not in RELEASES:
        found = f"{name}: tapmat was never tried on this system"
        remedy = "Write Raspberry Pi OS ({releases}) to its memory card"
        remedy = remedy.format(releases=either(RELEASES))
        yield Finding("computer", Verdict.WARN, found, remedy)
    else:
        yield Finding("computer", Verdict.OK, name)
    yield _python(computer)


def look_at_updates(computer: Computer) -> Iterator[Finding]:
    """Warn if the last update failed and was undone."""
    found = computer.text(ROLLED_BACK).partition("\n")[0]
    if found:
        yield Finding("update", Verdict.WARN, found.removesuffix("."), FAILED_UPDATE)


def look_at_service(computer: Computer) -> Iterator[Finding]:
    """Check that systemd starts the table's service, and restarts the service if it hangs.

    A computer without the service, or without systemd, gets no finding.
    """
    shown = computer.run(("systemctl", "show", SERVICE, f"--property={','.join(SERVICE_FACTS)}"))
    facts = dict.fromkeys(SERVICE_FACTS, "")
    for line in (shown or "").splitlines():
        name, _, value = line.partition("=")
        facts[name] = value
    if facts["LoadState"] == "masked":
        found = "it is masked, so the table cannot start"
        yield Finding("service", Verdict.FAIL, found, UNMASK)
    if facts["LoadState"] != "loaded":
        return
    problems = [
        (facts["ActiveState"] == "failed", f"its last run failed ({facts['Result']})", START_AGAIN),
        (facts["UnitFileState"] == "disabled", "it does not start when the Pi does", ENABLE),
        (facts["WatchdogUSec"] in NO_WATCHDOG, "a table that hangs is not restarted", WATCHDOG),
    ]
    yield from (
        Finding("service", Verdict.WARN, found, remedy)
        for is_so, found, remedy in problems
        if is_so
    )
    if not any(is_so for is_so, _found, _remedy in problems):
        found = f"it starts when the Pi does; watchdog: {facts['WatchdogUSec']}"
        yield Finding("service", Verdict.OK, found)


def is_service_active(computer: Computer) -> bool:
    """Return True if the table's service runs.

    A running service uses the parts and the state folder.
    """
    return computer.run(("systemctl", "is-active", SERVICE)) == "active"


def _python(computer: Computer) -> Finding:
    where = {"version": computer.python, "folder": computer.prefix}
    if computer.prefix == computer.base_prefix:
        found = "{version} in {folder}, outside any venv".format(**where)
        return Finding("python", Verdict.WARN, found, "Run: make setup")
    lacking = [name for name in PIN_LIBRARIES if not _has_module(computer, name)]
    if computer.is_pi and lacking:
        found = "{version} in {folder} has no {lacking}".format(**where, lacking=either(lacking))
        remedy = (
            "sudo apt install python3-lgpio python3-spidev; if that is done, the venv does not see "
            "them: rm -r {folder}, then make setup"
        )
        return Finding("python", Verdict.FAIL, found, remedy.format(folder=computer.prefix))
    return Finding("python", Verdict.OK, "{version} in {folder}".format(**where))


def _has_module(computer: Computer, name: str) -> bool:
    importlib.invalidate_caches()
    return PathFinder.find_spec(name, [str(folder) for folder in computer.packages]) is not None


def look_at_power(computer: Computer) -> Iterator[Finding]:
    """Check a Raspberry Pi's supply voltage and heat; on another computer, yield nothing.

    Only the Pi's firmware remembers problems since the computer was switched on. If this user may
    not ask it, only the kernel's alarm about the last two seconds is checked.
    """
    if not computer.is_pi:
        return
    answer = THROTTLED.search(computer.run(("vcgencmd", "get_throttled")) or "")
    if answer is None:
        yield from _power_just_now(computer)
        return
    bits = int(answer[1], 16)
    for bit, verdict, found, remedy in POWER:
        if bits >> bit & 1:
            yield Finding("power", verdict, f"{found} ({bits:#x})", remedy)
            return
    found = f"{SINCE_START}, its 5 V supply was always high enough, and it was never too hot"
    yield Finding("power", Verdict.OK, found)


def _power_just_now(computer: Computer) -> Iterator[Finding]:
    is_low = _is_low(computer)
    if is_low:
        yield Finding("power", Verdict.FAIL, LOW_NOW, SUPPLY)
    found = (
        "not checked: the Pi's 5 V supply and heat since it was switched on, because vcgencmd "
        "does not answer"
    )
    if is_low is False:
        found += "; right now the 5 V supply is high enough"
    remedy = "Check with: sudo vcgencmd get_throttled"
    vcio = computer.path(VCIO)
    if vcio.exists() and not computer.may_use(vcio):
        remedy = f"Join the group of /{VCIO}: sudo adduser $USER video, then log in again or reboot"
    yield Finding("power", Verdict.SKIP, found, remedy)


def _is_low(computer: Computer) -> bool | None:
    """Return True if the 5 V supply was too low in the last two seconds; None if unknown."""
    for sensor in sorted(computer.path("sys/class/hwmon").glob("hwmon*")):
        name = f"sys/class/hwmon/{sensor.name}"
        if computer.text(f"{name}/name").strip() == "rpi_volt":
            alarm = computer.text(f"{name}/in0_lcrit_alarm").strip()
            return None if not alarm else alarm == "1"
    return None


def look_at_sound(computer: Computer) -> Iterator[Finding]:
    """Check that Linux has a sound card; ``look_at_voice`` checks that it can play speech.

    A Pi's HDMI outputs are sound cards too. They play through a monitor, if it has loudspeakers.
    """
    cards = computer.text("proc/asound/cards")
    names = [line.partition("- ")[2].strip() for line in cards.splitlines() if "]:" in line]
    found = ", ".join(names)
    if not names:
        yield Finding("sound card", Verdict.WARN, "none was found", GET_SOUND)
    elif not all(name.startswith(HDMI) for name in names):
        yield Finding("sound card", Verdict.OK, found)
    elif _has_monitor(computer):
        found = f"not checked: {found} plays only if the monitor has loudspeakers"
        yield Finding("sound card", Verdict.SKIP, found, f"If you hear nothing: {GET_SOUND}")
    else:
        found = f"only {found}, and no monitor is connected"
        yield Finding("sound card", Verdict.WARN, found, GET_SOUND)


def _has_monitor(computer: Computer) -> bool:
    """Return True if a monitor is connected to an HDMI output."""
    outputs = computer.path("sys/class/drm").glob("card*-HDMI-*")
    states = (computer.text(f"sys/class/drm/{output.name}/status") for output in outputs)
    return any(state.strip() == "connected" for state in states)


def look_at_clock(computer: Computer) -> Iterator[Finding]:
    """Check that the computer's date and time are plausible. Journal entries store them.

    A Pi without a battery clock starts with the time at which it was switched off.
    """
    now, installed = computer.now(), computer.installed()
    shown = f"{now:%Y-%m-%d %H:%M} UTC"
    is_synchronized = computer.run(("timedatectl", "show", "--property=NTPSynchronized", "--value"))
    if now < WRITTEN:
        found = f"it shows {shown}, which is before this program was written"
        yield Finding("clock", Verdict.WARN, found, SET_CLOCK)
    elif now < installed:
        found = f"it shows {shown}, but this program was installed at {installed:%Y-%m-%d %H:%M}"
        yield Finding("clock", Verdict.WARN, found, SET_CLOCK)
    elif is_synchronized == "yes":
        yield Finding("clock", Verdict.OK, f"{shown}, set by the network")
    elif _own_clock_agrees(computer, now):
        yield Finding("clock", Verdict.OK, f"{shown}, and the computer's battery clock agrees")
    else:
        why = "timedatectl does not report what set it"
        if is_synchronized == "no":
            why = "nothing has set it"
        found = f"not checked: it shows {shown}; {why} since it was switched on"
        yield Finding("clock", Verdict.SKIP, found, "Compare it with a watch. " + SET_CLOCK)


def _own_clock_agrees(computer: Computer, now: datetime) -> bool:
    """Return True if a real-time clock with a battery shows about *now*. Few Pis have one."""
    clocks = computer.path("sys/class/rtc").glob("rtc*")
    times = (computer.text(f"sys/class/rtc/{clock.name}/since_epoch").strip() for clock in clocks)
    return any(s.isdecimal() and abs(int(s) - now.timestamp()) < AGREES_S for s in times)


def look_at_disk(computer: Computer, folder: Path) -> Iterator[Finding]:
    """Check that *folder* has room for the journal."""
    free = computer.free_bytes(folder)
    found = f"{free / MEGABYTE:,.0f} MB free at {folder}"
    if computer.free_files(folder) == 0:
        yield Finding(
            "disk", Verdict.FAIL, f"{found}, but no more files can be created", FEWER_FILES
        )
    elif free < LITTLE_ROOM:
        verdict = Verdict.FAIL if free < NO_ROOM else Verdict.WARN
        yield Finding("disk", verdict, found, MAKE_ROOM)
    else:
        yield Finding("disk", Verdict.OK, found)


def look_at_conflicts(computer: Computer) -> Iterator[Finding]:
    """Report another pin library that is installed or chosen by GPIOZERO_PIN_FACTORY.

    Either would conflict with lgpio, which drives the table's pins.
    """
    is_well = True
    for folder in computer.packages:
        if any(folder.glob("RPi/_GPIO*.so")):  # rpi-lgpio, which is harmless, has none
            is_well = False
            found = "{folder} is the old RPi.GPIO, which does not work on a Pi 5"
            pip = computer.prefix / "bin" / "pip"
            is_ours = folder.is_relative_to(computer.prefix)
            own = f"{pip} uninstall RPi.GPIO"
            command = own if is_ours else "sudo apt remove python3-rpi.gpio"
            remedy = f"Remove it: {command}"
            yield Finding("conflicts", Verdict.WARN, found.format(folder=folder / "RPi"), remedy)
    factory = computer.environment.get("GPIOZERO_PIN_FACTORY", "lgpio")
    if factory not in ("lgpio", "mock"):
        is_well = False
        found = "GPIOZERO_PIN_FACTORY is {factory}, so lgpio does not drive the pins"
        remedy = "Remove it: unset GPIOZERO_PIN_FACTORY; check ~/.profile and ~/.bashrc too"
        yield Finding("conflicts", Verdict.WARN, found.format(factory=factory), remedy)
    if is_well:
        yield Finding("conflicts", Verdict.OK, "no other pin library is in the way")
