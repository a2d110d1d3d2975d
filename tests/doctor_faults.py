"""The staged faults of the doctor: for each, the finding and the remedy that it must lead to.

Each case says where it is staged: on an emulated Pi (``tests.sim.nodes.doctor_stages``), on a
booted Debian (``tests.boot.doctor_stages``), or on both. Both run the unmodified program. The page
docs/doctor-faults.md is made from this list.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

OK, SKIP, WARN, FAIL = "OK", "SKIP", "WARN", "FAIL"
READERS = frozenset({"reader play", "reader hand"})
WITH_A_CARD = READERS | {"gain play", "gain hand"}  # tried if a card lies on the reader
ON_PINS = READERS | {"lamps", "controls", "buzzer"}
PARTS = ON_PINS | {"display", "speech", "by hand"}
DECKS = frozenset(f"deck {name}" for name in ("camargue", "ciao", "cramel", "riff-raff", "straw"))
STORED = DECKS | {"journal", "state folder"}
EVERYTHING = frozenset({"everything"})
# These can differ between two runs on a busy computer; ``make test-nodes`` compares them too.
TIMED = READERS | {"display", "wires play", "wires hand", "reset play", "reset hand"}
# What a booted Debian in a container cannot have: a network, the right to see all programs, sound.
ELSEWHERE = {"clock", "other programs", "sound card"}
PI, DEBIAN = "emulated Pi", "Debian"  # where a fault is staged
BOTH = frozenset({PI, DEBIAN})

SUPPLY = (
    "Use the supply made for this Pi (5.1 V, 3 A; for a Pi 5: 5.1 V, 5 A) with its own cable, then check "
    "again: vcgencmd get_throttled"
)
COOL = "Improve its airflow or fit a heat sink, then check again: vcgencmd measure_temp"
GET_SOUND = (
    "Plug in a USB loudspeaker (a Pi 5 and a Zero need one); or, for the headphone jack of another "
    "Pi, write dtparam=audio=on into /boot/firmware/config.txt, then reboot; or, for a table "
    'without speech, write engine = "silent" under [voice] in table.toml'
)
SET_CLOCK = (
    "Connect the Pi to a network for a minute, then check with: timedatectl; or fit a real-time clock "
    "with a battery"
)
JOIN = "Join its group: sudo adduser ... {}, then log in again or reboot"
TURN_ON = "Turn {} on: sudo raspi-config nonint do_{} 0, then reboot"
SILENT = "the reader chip does not answer (its version register reads {})"
WIRES = "check its SPI wires and 3.3 V"
UPDATE = "Update the system: sudo apt full-upgrade, then reboot and check with: gpiodetect"
START = "Start the table: it keeps a copy and continues with everything that can be read."
READ_ONLY = (
    "Copy what is on the disk or memory card, and use a new one. dmesg may say more. Everything "
    "saved before is safe."
)
RESET_SWAP = "Swap the reset wires of both, or their reset_pin in table.toml"


@dataclass(frozen=True)
class StagedFault:
    """A fault with a *name*, described in *words*, and the finding that it must lead to.

    In *found* and *remedy*, "..." stands for any text. *also* has the parts that can no longer be checked;
    none of them may be called OK. *may_change* has other parts that it can affect. *is_quick*:
    ``tapmat doctor --quick`` finds it too. It is staged in each of *places*.
    """

    name: str
    words: str
    part: str
    verdict: str
    found: str
    remedy: str = ""
    also: Set[str] = frozenset()
    is_quick: bool = True
    may_change: Set[str] = frozenset()
    places: Set[str] = frozenset({PI})


@dataclass(frozen=True)
class Slow(StagedFault):
    """A fault that is found by tests that ``--quick`` leaves out."""

    is_quick: bool = False


COMPUTER = (
    StagedFault("spi-off", "SPI is off", "SPI", FAIL, "/dev/spidev0.0 is not there", TURN_ON.format("SPI", "spi"), READERS | {"SPI 0.0", "SPI 0.1", "other programs"}, places=BOTH),
    StagedFault("i2c-off", "I2C is off", "I2C", FAIL, "/dev/i2c-1 is not there", TURN_ON.format("I2C", "i2c"), {"display", "I2C 1"}, places=BOTH),
    StagedFault("spi-forbidden", "the user is not in the group spi, and may not open the reader's SPI device", "SPI 0.0", FAIL, "you may not use /dev/spidev0.0", JOIN.format("spi"), {"reader play", "SPI"}, places=BOTH),
    StagedFault("i2c-forbidden", "the user is not in the group i2c, and may not open the display's bus", "I2C 1", FAIL, "you may not use /dev/i2c-1", JOIN.format("i2c"), {"display", "I2C"}, places=BOTH),
    StagedFault("pins-forbidden", "the user may not open the pins", "pins", FAIL, "you may not use /dev/gpiochip0", JOIN.format("gpio"), ON_PINS | {"GPIO pins"}),
    StagedFault("chip-select-taken", "an overlay gave the chip select of a reader to another driver", "SPI", FAIL, "the driver mcp251x uses chip select 0.0", "Remove the dtoverlay line that loads this driver from /boot/firmware/config.txt, then reboot", {"reader play", "SPI 0.0"}, places=BOTH),
    StagedFault("pin-chip-missing", "the device file of the pin header's chip is missing", "pins", FAIL, "/dev/gpiochip0, the chip of the pin header, is not there", "Reboot and check with: ls -l /dev/gpiochip*", ON_PINS | {"GPIO pins"}),
    StagedFault("pin-chip-renumbered", "a newer kernel gives the pin header's chip the number 11 (no fault)", "pins", OK, "/dev/gpiochip11, brcm,bcm2711-gpio"),
    StagedFault("pin-chip-unknown", "tapmat does not know this kernel's name for the chip of the pin header", "pins", FAIL, "tapmat does not recognize the pin header's chip among these: /dev/gpiochip0", UPDATE, ON_PINS | {"GPIO pins"}),
    StagedFault("pin-held", "another program uses the pin of a lamp", "lamp seat-3 on GPIO18", FAIL, "'GPIO busy'", "Find the program that uses the pin with: gpioinfo (sudo apt install gpiod), and end it; or give the part another pin in table.toml"),
    StagedFault("reader-open-elsewhere", "another program has the reader's SPI device open", "other programs", WARN, "... (process ...) has /dev/spidev0.0 open and disturbs the readers", "Stop it: sudo kill ...", places=BOTH),
    StagedFault("old-pin-factory", "GPIOZERO_PIN_FACTORY names an old pin library", "conflicts", WARN, "GPIOZERO_PIN_FACTORY is rpigpio, so lgpio does not drive the pins", "Remove it: unset GPIOZERO_PIN_FACTORY; check ~/.profile and ~/.bashrc too", ON_PINS | {"GPIO pins"}, places=BOTH),
    StagedFault("old-pin-library", "the old RPi.GPIO is installed", "conflicts", WARN, ".../RPi is the old RPi.GPIO, which does not work on a Pi 5", "Remove it: sudo apt remove python3-rpi.gpio", places=BOTH),
    StagedFault("library-missing", "the Python package spidev is missing", "python", FAIL, "... has no spidev", "sudo apt install python3-lgpio python3-spidev; if that is done, the venv does not see them: rm -r ..., then make setup", READERS | {"SPI"}),
    StagedFault("i2c-speed-untold", "the kernel does not report the speed of I2C (no fault)", "I2C 1", OK, "/dev/i2c-1, the kernel does not report its speed"),
    StagedFault("low-voltage-now", "the Pi's 5 V supply is too low right now", "power", FAIL, "the Pi's 5 V supply is too low right now (0x50005)", SUPPLY),
    StagedFault("low-voltage-earlier", "the Pi's 5 V supply was too low at least once since the Pi was switched on", "power", WARN, "since the Pi was switched on, its 5 V supply was too low at least once (0x50000)", SUPPLY),
    StagedFault("too-hot-now", "the Pi is too hot", "power", WARN, "the Pi is too hot right now (0xe0008)", COOL),
    StagedFault("slowed-down-earlier", "the Pi was slowed down at least once since it was switched on", "power", WARN, "since the Pi was switched on, it was slowed down at least once (0x40000)", COOL),
    StagedFault("low-voltage-told-by-kernel", "vcgencmd does not answer; the kernel's alarm says that the 5 V supply is too low", "power", FAIL, "the Pi's 5 V supply is too low right now", SUPPLY),
    StagedFault("power-untold", "the user may not run vcgencmd", "power", SKIP, "not checked: the Pi's 5 V supply and heat since it was switched on, because vcgencmd does not answer; right now the 5 V supply is high enough", "Join the group of /dev/vcio: sudo adduser ... video, then log in again or reboot"),
    StagedFault("old-system", "the memory card has an old release of Raspberry Pi OS", "computer", WARN, "Raspberry Pi 4 Model B Rev 1.5, Raspbian GNU/Linux 11 (bullseye): tapmat was never tried on this system", "Write Raspberry Pi OS (bookworm or trixie) to its memory card"),
    StagedFault("clock-not-set", "nothing has set the clock since the Pi was switched on", "clock", SKIP, "not checked: it shows ...; nothing has set it since it was switched on", f"Compare it with a watch. {SET_CLOCK}"),
    StagedFault("sound-card-missing", "there is no sound card", "sound card", WARN, "none was found", GET_SOUND),
    StagedFault("sound-only-by-hdmi", "the only sound card is that of HDMI, and no monitor is connected", "sound card", WARN, "only vc4-hdmi-0, and no monitor is connected", GET_SOUND),
    StagedFault("sound-by-a-monitor", "the only sound card is that of HDMI, and a monitor is connected", "sound card", SKIP, "not checked: vc4-hdmi-0 plays only if the monitor has loudspeakers", f"If you hear nothing: {GET_SOUND}"),
    StagedFault("update-undone", "the last update failed and was undone", "update", WARN, "The update 0.2.0-a failed (watchdog), so 0.1.0-b runs again", "Read its last log lines: tapmat update; sudo cat /var/lib/tapmat/log.txt. The next update ends this warning", places=BOTH),
    StagedFault("companion-port-taken", "another program uses the companion's port", "companion", FAIL, "another program is using its port, 8738", "To find that program's name, run: sudo ss -tlnp sport = :8738; then end the program, or give the companion another port in table.toml: port = 8739", places=BOTH),
    StagedFault("companion-not-running", "the companion is switched on in table.toml, but nothing answers at its port", "companion", SKIP, "not checked: nothing answers at its port, 8739, because it runs only with the table", "Start the table, then check again with: tapmat doctor --quick", places=BOTH),
    StagedFault("journal-damaged", "a page of the journal's file is damaged", "journal", FAIL, ".../journal.sqlite is damaged (...)", START, places=BOTH),
    StagedFault("journal-newer", "the journal was written by a newer version of tapmat", "journal", FAIL, ".../journal.sqlite has schema version 99; this tapmat knows versions up to ...", "Update tapmat to use it. The file was not changed.", places=BOTH),
    StagedFault("often-degraded", "a reader's chip lost its settings 40 times this week", "reader play", WARN, "degraded 3 times in the last 7 days, mostly because its chip lost its settings", "Its 3.3 V dips: use a stronger supply, or add 10 uF at the board", places=BOTH),
    StagedFault("tags-damaged", "the list of enrolled stickers is damaged", "tags", FAIL, ".../tags.sqlite is damaged, or is not an SQLite file (file is not a database)", START, DECKS, places=BOTH),
    StagedFault("nothing-enrolled", "no sticker is enrolled", "decks", WARN, "no game is enrolled yet, so the table knows no pieces", "For each game you own, run: tapmat enrol GAME", DECKS, places=BOTH),
    StagedFault("card-without-tag", "four cards of a game are not enrolled", "deck straw", WARN, "4 of 64 pieces have no tag: weight-7#1, weight-7#2, weight-7#3 and others", "Run: tapmat enrol straw", places=BOTH),
    StagedFault("two-programs", "another tapmat is running", "state folder", WARN, "... is in use by another tapmat; game, decks and parts were not checked", "Stop the other tapmat, then run: tapmat doctor", STORED | PARTS | {"other programs"}, places=BOTH),
    StagedFault("state-is-a-file", "there is a file in place of the state folder", "state folder", FAIL, "... cannot be the state folder: ... is not a folder", "Make it a folder you may write to, or name another one in TAPMAT_STATE.", STORED | PARTS | {"other programs", "disk", "parts"}, places=BOTH),
    StagedFault("table-syntax", "table.toml has a line that is not valid TOML", "table", FAIL, ".../table.toml: line 32 is not valid TOML: Expected ']' at the end of a table declaration. Correct this line: [display", also=EVERYTHING, places=BOTH),
    StagedFault("table-unknown-key", "table.toml has a misspelled key", "table", FAIL, '.../table.toml: readers.hand.reset_pim is not a known key. Did you mean "reset_pin"? Write: reset_pin = 15', also=EVERYTHING, places=BOTH),
    StagedFault("table-missing", "there is no table.toml", "table", FAIL, ".../table.toml does not exist. Check the path, or write the file.", also=EVERYTHING, places=BOTH),
)  # fmt: skip

AT_THE_MAT = (
    StagedFault("miso-low", "a reader's MISO wire is always low", "reader play", FAIL, SILENT.format("00h"), WIRES, places=BOTH),
    StagedFault("miso-high", "a reader's MISO wire is always high", "reader play", FAIL, SILENT.format("FFh"), WIRES, places=BOTH),
    StagedFault("reader-unplugged", "a reader has no power", "reader play", FAIL, SILENT.format("00h"), WIRES, places=BOTH),
    StagedFault("reader-hot", "a reader's chip is too hot", "reader play", FAIL, "the reader chip is too hot and has switched its antenna off", "let it cool, then check that there is no metal under its antenna, that air can flow around it, and that it gets 3.3 V, not 5 V", places=BOTH),
    StagedFault("chip-version-unknown", "a reader has a chip of an unknown version", "reader play", WARN, "the version register reads 77h, which is the version of neither an MFRC522 nor a known copy", "the chip may still work, but if cards are read badly, try another reader board, and a shorter SPI cable", places=BOTH),
    StagedFault("metal-on-a-spot", "metal or a phone disturbs a reader", "reader play", WARN, "10 polls, ... garbled; no tag on it", "Take phones, bank cards and metal off the spot, and run the doctor again", places=BOTH),
    Slow("slow-tags", "a card needs 3 ms to wake up, but guard_ms gives it only 1 ms", "reader play", WARN, "a card needs more time to wake up than guard_ms allows, so this reader now waits 4 ms", "to find such cards at once after the next start too, write guard_ms = 4 under [fields] in table.toml", may_change=WITH_A_CARD, places=BOTH),
    Slow("drowned-tags", "a card's strong answer hides the weaker answer of another card on top of it", "reader play", WARN, "a card's strong answer hides the weaker answer of another card on this reader, so the weaker one is found up to a second later", "lay cards side by side or in a lower stack, or bring the antenna nearer", may_change=WITH_A_CARD, places=BOTH),
    Slow("antennas-too-close", "two readers read the same tag", "readers hand and play", WARN, "both read the same tag", "Move their antennas apart, or write in_turn = true under [fields] in table.toml", may_change=WITH_A_CARD, places=BOTH),
    StagedFault("display-unplugged", "the display is not connected", "display", FAIL, "the display does not answer at I2C address 0x3C", "check its four wires, and the address with: i2cdetect -y 1", places=BOTH),
    StagedFault("display-address", "table.toml has the wrong address for the display", "display", FAIL, "the display does not answer at I2C address 0x3D", "check its four wires, and the address with: i2cdetect -y 1", places=BOTH),
    StagedFault("display-wire-low", "SDA of the display touches GND", "display", FAIL, "a wire of the I2C bus (SDA or SCL) stays low, even after nine clock pulses", "unplug the mat and plug it in again; if that does not help, a wire touches GND, or a chip is broken", places=BOTH),
    StagedFault("i2c-slow", "the I2C bus runs at 100 kHz", "display", WARN, "the I2C bus runs at about ... kHz, so the display updates slowly", "the chip is rated for 400 kHz: write dtparam=i2c_arm=on,i2c_arm_baudrate=400000 into /boot/firmware/config.txt, then reboot", places=BOTH),
    Slow("self-test-failed", "a reader's chip fails its self test", "reader play", WARN, "the result of the chip's self test differs from the data sheet, as with some chips that work", "if cards are read badly, use another reader board", places=BOTH),
    StagedFault("gain-stuck", "a reader has a poor copy of the chip, whose gain cannot be changed", "reader play", FAIL, "the reader chip's gain is fixed at 33 dB and cannot be set to 43 dB, as with some copies of the chip", "use another reader board", places=BOTH),
    Slow("wires-too-long-for-4-mhz", "a reader's wires are too long for the 4 MHz in table.toml", "wires play", WARN, "SPI is set to 4 MHz; at 2 MHz all 10,000 patterns were undamaged; at 4 MHz pattern ... was damaged", "Shorten them, or write spi_mhz = 2 under [readers.play] in table.toml", may_change={"reader play"}, places=BOTH),
    Slow("wires-too-long", "a reader's wires damage one byte in ten thousand at 1 MHz", "wires play", WARN, "SPI is set to 1 MHz, and at 1 MHz pattern ... was damaged", "Shorten the reader's wires, and lay a ground wire beside SCK; if that does not help, use another reader board", places=BOTH),
    Slow("reset-wires-swapped", "the reset wires of two readers are swapped", "reset play", WARN, "GPIO25 resets the reader hand instead", RESET_SWAP, {"reset hand"}, places=BOTH),
    Slow("reset-wire-broken", "a reader's reset wire is not connected", "reset play", WARN, "GPIO25 does not reset it", "Connect its RST to GPIO25, or remove reset_pin from [readers.play] in table.toml: the reader is then reset by a command", places=BOTH),
    StagedFault("speech-missing", "espeak-ng is not installed", "speech", WARN, "espeak-ng is not installed", "sudo apt install espeak-ng", places=BOTH),
    StagedFault("player-missing", "no program plays sounds", "speech", WARN, "no program that plays sounds is installed", "sudo apt install alsa-utils", places=BOTH),
    Slow("sound-in-use", "another program uses the sound card", "speech", WARN, "aplay: aplay: main:831: audio open error: Device or resource busy", "stop the program that uses the sound card: sudo fuser -v /dev/snd/*", places=BOTH),
)  # fmt: skip

UNUSABLE = STORED | PARTS | {"disk", "parts", "other programs"}
INSTALLED = (
    StagedFault("service-running", "the tapmat service is running", "service", WARN, "the table's service is running; game, decks and parts were not checked", "Stop it: sudo systemctl stop tapmat; start it again afterwards: sudo systemctl start tapmat", STORED | PARTS | {"other programs"}, places={DEBIAN}),
    StagedFault("service-masked", "the tapmat service is masked", "service", FAIL, "it is masked, so the table cannot start", "Run: sudo systemctl unmask tapmat; then install tapmat again: ./install-pi", places={DEBIAN}),
    StagedFault("service-failed", "the tapmat service failed", "service", WARN, "its last run failed (exit-code)", "Read its last log lines: sudo cat /var/lib/tapmat/log.txt; after you have fixed the cause, run: sudo systemctl reset-failed tapmat; sudo systemctl start tapmat", places={DEBIAN}),
    StagedFault("service-disabled", "the tapmat service is disabled", "service", WARN, "it does not start when the Pi does", "Run: sudo systemctl enable tapmat", places={DEBIAN}),
    StagedFault("watchdog-off", "a drop-in file of systemd switches the watchdog of the tapmat service off", "service", WARN, "a table that hangs is not restarted", "Find the file that sets WatchdogSec=: systemctl cat tapmat; remove that line, then run: sudo systemctl daemon-reload; sudo systemctl restart tapmat", places={DEBIAN}),
    StagedFault("disk-full", "the disk is full", "disk", FAIL, "0 MB free at /var/lib/tapmat", "Free some space: sudo apt clean; sudo journalctl --vacuum-size=20M; and list the largest folders: sudo du -xh / | sort -h | tail", places={DEBIAN}),
    StagedFault("no-more-files", "the disk has free space, but no room for another file", "disk", FAIL, "... MB free at /var/lib/tapmat, but no more files can be created", "Delete some files. To list the folders with the most files: sudo du --inodes -x / | sort -n | tail", places={DEBIAN}),
    StagedFault("state-read-only", "the state folder is read-only", "state folder", FAIL, "/var/lib/tapmat is on a read-only file system, which is how most memory cards fail", READ_ONLY, UNUSABLE, places={DEBIAN}),
    StagedFault("root-read-only", "/etc, /opt, /usr and /var are read-only", "state folder", FAIL, "/var/lib/tapmat is on a read-only file system, which is how most memory cards fail", READ_ONLY, UNUSABLE, may_change={"speech cache"}, places={DEBIAN}),
    StagedFault("wrong-owner", "the state folder belongs to another user", "state folder", FAIL, "/var/lib/tapmat cannot be the state folder: Permission denied", "Make it a folder you may write to, or name another one in TAPMAT_STATE.", UNUSABLE, places={DEBIAN}),
    StagedFault("clock-behind", "the clock shows a time before tapmat was installed", "clock", WARN, "it shows ..., but this program was installed at 2040-01-01 ...", SET_CLOCK, places={DEBIAN}),
)  # fmt: skip
EVERY_FAULT = COMPUTER + AT_THE_MAT + INSTALLED
ON_PI, ON_DEBIAN = (
    tuple(fault for fault in EVERY_FAULT if place in fault.places) for place in (PI, DEBIAN)
)

Findings = Sequence[Mapping[str, str]]


def findings_in(printed: str, code: int) -> Findings:
    """Return the findings of ``tapmat doctor --json``, which *printed* them and exited with *code*.

    A table that cannot be used gives one finding, about the table, with the message.
    """
    assert "Traceback" not in printed, printed
    if code == os.EX_OK or printed.startswith("{"):
        findings: Findings = json.loads(printed)["findings"]
        assert (code != 0) == any(finding["verdict"] == FAIL for finding in findings)
        return findings
    assert code == 2, printed
    return [{"part": "table", "verdict": FAIL, "found": printed.strip(), "remedy": ""}]


def mismatches(
    fault: StagedFault, findings: Findings, healthy: Findings, ignored: Set[str] = frozenset()
) -> list[str]:
    """Return what is wrong about the *findings* of the doctor while *fault* was staged.

    *healthy* are the findings without a fault. The verdicts about all other parts must be the same,
    except for those *ignored*.
    """
    wrong = []
    if not any(_is_finding_of(fault, finding) for finding in findings):
        about = [each for each in findings if each["part"] == fault.part]
        wrong.append(f"{fault.name}: not found; about {fault.part}: {about or list(findings)}")
    for finding in findings:
        is_unknown = fault.also == EVERYTHING or finding["part"] in fault.also
        if finding["verdict"] == OK and is_unknown:
            wrong.append(f"{fault.name}: called OK: {finding}")
        if finding["verdict"] == SKIP and not finding["found"].startswith("not checked: "):
            wrong.append(f"{fault.name}: does not say why it was not checked: {finding}")
    if fault.also != EVERYTHING:
        known = {fault.part, *fault.also, *fault.may_change, *ignored}
        now, before = (_verdicts(each, known) for each in (findings, healthy))
        changed = (now - before) + (before - now)
        wrong += [
            f"{fault.name}: another verdict: {part}: {[f for f in findings if f['part'] == part]}"
            for part, _verdict in changed
        ]
    return wrong


def _is_finding_of(fault: StagedFault, finding: Mapping[str, str]) -> bool:
    return (finding["part"], finding["verdict"]) == (fault.part, fault.verdict) and all(
        _matches(wanted, finding[key])
        for key, wanted in (("found", fault.found), ("remedy", fault.remedy))
    )


def _matches(wanted: str, text: str) -> bool:
    pattern = ".*".join(map(re.escape, wanted.split("...")))
    return re.fullmatch(pattern, text, re.DOTALL) is not None


def _verdicts(findings: Iterable[Mapping[str, str]], known: Set[str]) -> Counter[tuple[str, str]]:
    pairs = ((finding["part"], finding["verdict"]) for finding in findings)
    return Counter(pair for pair in pairs if pair[0] not in known)
