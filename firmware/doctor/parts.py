"""Checks of the readers, display, lamps, controls, buzzer and voice, with the table's own drivers.

The table repairs some faults silently; the doctor reports them. A part that cannot be opened is
reported too, and the others are checked without it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from firmware.config.table_config import ControlsConfig, TableConfig
from firmware.doctor.findings import DoctorReport, Finding, Verdict
from firmware.doctor.gains import look_at_gains
from firmware.doctor.reset_wires import look_at_reset_wires
from firmware.doctor.spi_clock import look_at_spi_clocks
from firmware.runtime.health import FAULTS, GARBLED, Health, attempt, poll
from firmware.runtime.loop import PASS_S, TableParts
from firmware.runtime.presence import Presence
from firmware.runtime.wiring import open_parts
from firmware.show import screens
from firmware.show.view import TableView
from hardware.errors import LampFault, MissingPart
from hardware.ports import (
    LAMP_OFF,
    Board,
    Checkup,
    Clock,
    Display,
    Lamps,
    Remark,
    SelfTesting,
    TagReader,
    Voice,
)

# Polls of each reader. Once a second, a driver may look for tags that wake up slowly or are hidden
# by a stronger tag. POLLS take two seconds, so that each reader has done so at least once.
POLLS, QUICK_POLLS = 200, 10
GARBLED_SHARE = 0.1  # if a larger share of the polls is garbled, something disturbs the field
MISS_RATE = 0.3  # if a larger share of the polls misses a tag, plays become unreliable
SPEECH_S = 10.0  # longest wait for the end of WORDS
WORDS = "Tapmat."

OFF_THE_SPOT = "Take phones, bank cards and metal off the spot, and run the doctor again"
NEARER = "Bring the antenna nearer to the cards, with no metal between"
APART = "Move their antennas apart"
IN_TURN = "Move their antennas apart, or write in_turn = true under [fields] in table.toml"


# --- opening -------------------------------------------------------------------------------------


def without_missing_parts(report: DoctorReport, config: TableConfig, board: Board) -> TableConfig:
    """Return *config* without the parts that *board* cannot open, and add those to *report*."""
    bare = replace(config, readers=(), display=None, lamps={}, controls=None, buzzer_pin=None)
    missing: dict[Finding, None] = {}  # as keys: a cause that affects many parts is reported once

    def is_there(opening: Callable[[], object]) -> bool:
        try:
            opening()
        except MissingPart as fault:
            missing[Finding.from_missing_part(fault)] = None
            return False
        return True

    def opens(**part: Any) -> bool:
        return is_there(lambda: open_parts(replace(bare, **part), board).close())

    # The bus first: opening the whole reader may fail at a pin, which would hide a missing bus.
    for reader in config.readers:
        is_there(partial(board.spi, reader.bus, reader.device, reader.spi_hz))
    display, buzzer_pin, controls = config.display, config.buzzer_pin, config.controls
    opened = replace(
        config,
        readers=tuple(reader for reader in config.readers if opens(readers=(reader,))),
        display=display if display and opens(display=display) else None,
        lamps=_lamps_that_open(config, opens),
        controls=controls and _controls_that_open(controls, opens),
        buzzer_pin=buzzer_pin if buzzer_pin and opens(buzzer_pin=buzzer_pin) else None,
    )
    report.findings += missing
    report.findings += _left_out(config, opened)
    report.lacks_part |= bool(missing)
    return opened


def _left_out(config: TableConfig, opened: TableConfig) -> Iterator[Finding]:
    """Yield a SKIP finding for each part that *config* has and *opened* lacks."""
    names = [f"reader {reader.spot}" for reader in config.readers if reader not in opened.readers]
    for name in ("display", "lamps", "controls", "buzzer_pin"):
        if getattr(config, name) and not getattr(opened, name):
            names.append(name.removesuffix("_pin"))
    for name in names:
        yield Finding(name, Verdict.SKIP, "not checked: it cannot be opened (see above)")


def _lamps_that_open(config: TableConfig, opens: Callable[..., bool]) -> Mapping[str, int]:
    """Return the lamps that can be opened, by name. The lamps of a strip are opened together.

    *opens* returns True if a configuration with the given parts can be opened.
    """
    if config.strip is not None:
        return config.lamps if config.lamps and opens(lamps=config.lamps) else {}
    return {name: pin for name, pin in config.lamps.items() if opens(lamps={name: pin})}


def _controls_that_open(
    controls: ControlsConfig, opens: Callable[..., bool]
) -> ControlsConfig | None:
    """Return *controls* without the parts that cannot be opened; None if no part remains.

    *opens* returns True if a configuration with the given parts can be opened.
    """
    alone = ControlsConfig(controls.encoder, {})
    encoder = controls.encoder if controls.encoder and opens(controls=alone) else None
    buttons = {
        name: pin
        for name, pin in controls.buttons.items()
        if opens(controls=ControlsConfig(None, {name: pin}))
    }
    return ControlsConfig(encoder, buttons) if encoder or buttons else None


def look_at_lamps(lamps: Lamps, config: TableConfig) -> Iterator[Finding]:
    """Report the lamps that could be opened, and a strip's driver that fails.

    Only a person can tell if the lamps work.
    """
    if not config.lamps:
        return
    try:
        lamps.set(dict.fromkeys(config.lamps, LAMP_OFF))
    except LampFault as fault:
        yield Finding.of("lamps", Verdict.FAIL, fault)
        return
    if config.strip is not None:
        found = f"opened {config.strip.chip} on SPI {config.strip.spi}"
    else:
        pins = " ".join(map(str, config.lamps.values()))
        found = f"opened {len(config.lamps)} pins: GPIO {pins}"
    yield Finding("lamps", Verdict.OK, found)


def look_at_pins(config: TableConfig) -> Iterator[Finding]:
    """Report the controls and the buzzer that could be opened.

    Only a person can tell if they work.
    """
    if config.controls is not None:
        encoder = ("encoder",) if config.controls.encoder else ()
        opened = ", ".join((*encoder, *config.controls.buttons))
        yield Finding("controls", Verdict.OK, f"opened the pins of: {opened}")
    if config.buzzer_pin is not None:
        yield Finding("buzzer", Verdict.OK, f"opened GPIO {config.buzzer_pin}")


# --- readers -------------------------------------------------------------------------------------


@dataclass
class ReaderLook:
    """The checks of all readers. A reader that fails is reported and not checked any further.

    *health* has the health of each reader, by spot.
    """

    report: DoctorReport
    readers: dict[str, TagReader]
    clock: Clock
    health: dict[str, Health] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for spot, reader in self.readers.items():
            health = Health(f"reader {spot}", has_reset_wire=reader.has_reset_wire)
            self.health[spot] = health
            self.report.run[health.part] = health.counts

    def set_up(self, *, is_quick: bool) -> None:
        """Restart each reader. Unless *is_quick*, run its chip's self-test too."""
        for spot, reader in tuple(self.readers.items()):
            health = self.health[spot]

            def restart(by_wire: bool, reader: TagReader = reader) -> None:
                reader.restart(by_wire=by_wire)

            def look(reader: TagReader = reader) -> Checkup:
                if not is_quick and isinstance(reader, SelfTesting):
                    return reader.check_up()
                reader.restart()
                return Checkup("")

            looked = attempt(health, look, restart, self.clock)
            if looked is None:
                self._leave_out(spot)
                continue
            found = ", ".join(filter(None, (reader.identity, looked.found)))
            self.report.findings.append(Finding(health.part, Verdict.OK, found))
            self.report.findings += _remarks(health.part, looked.remarks)

    def poll(self, rounds: int, *, is_in_turn: bool) -> None:
        """Poll all readers *rounds* times, as the table does, and report the results.

        If *is_in_turn* is True, the readers' fields are switched on one at a time.
        """
        presence = Presence(tuple(self.readers))
        for _round in range(rounds):
            pass_s = self.clock.now()
            for spot, reader in tuple(self.readers.items()):
                began_s = self.clock.now()
                sighting = poll(self.health[spot], reader, self.clock)
                if sighting is None:
                    self._leave_out(spot)
                else:
                    presence.see(spot, sighting, began_s, self.clock.now())
            presence.changes(self.readers)
            self.clock.sleep(PASS_S - (self.clock.now() - pass_s))
        for spot, reader in self.readers.items():
            health = self.health[spot]
            self.report.findings += _remarks(health.part, reader.remarks)
            self.report.findings += _repair_warning(health)
            tags = len(presence.uids(spot))
            self.report.findings.append(
                _polling_finding(health, rounds, tags, presence.miss_rate(spot) or 0.0)
            )
        for pair in presence.leaky:
            found = "both read the same tag"
            spots = " and ".join(sorted(pair))
            remedy = APART if is_in_turn else IN_TURN
            self.report.findings.append(Finding(f"readers {spots}", Verdict.WARN, found, remedy))

    def _leave_out(self, spot: str) -> None:
        """Report the fault of the reader on *spot*, and leave that reader out of further checks."""
        health = self.health[spot]
        self.report.findings.append(Finding.of(health.part, Verdict.FAIL, health.fault))
        del self.readers[spot]


def _polling_finding(health: Health, rounds: int, tags: int, miss_rate: float) -> Finding:
    """Return the finding about a reader's polls.

    *rounds* is the number of polls, *tags* the number of tags on the reader, and *miss_rate* the
    share of polls, from 0 to 1, that missed a tag.
    """
    garbled = health.counts[GARBLED]
    found = "{polls} polls, {garbled} garbled; no tag on it"
    if tags:
        found = (
            "{polls} polls, {garbled} garbled; tags on it: {tags}, missed in {missed:.0%} of polls"
        )
    found = found.format(polls=rounds, garbled=garbled, tags=tags, missed=miss_rate)
    if garbled > rounds * GARBLED_SHARE:
        return Finding(health.part, Verdict.WARN, found, OFF_THE_SPOT)
    if miss_rate > MISS_RATE:
        return Finding(health.part, Verdict.WARN, found, NEARER)
    return Finding(health.part, Verdict.OK, found)


# --- display and voice ---------------------------------------------------------------------------


def look_at_display(report: DoctorReport, display: Display, clock: Clock) -> Display | None:
    """Restart the display, show a picture and check the display; return it, or None if it fails."""
    health = Health("display", settles_after=1)
    report.run[health.part] = health.counts
    picture = screens.draw(TableView(phase="idle", title="tapmat", hint="doctor"), display.size)

    def set_up() -> str:
        display.restart()
        display.show(picture)
        display.check()
        return display.identity

    identity = attempt(health, set_up, lambda _by_wire: display.restart(), clock)
    if identity is None:
        report.findings.append(Finding.of(health.part, Verdict.FAIL, health.fault))
        return None
    report.findings.append(Finding(health.part, Verdict.OK, identity))
    report.findings += _remarks(health.part, display.remarks)
    report.findings += _repair_warning(health)
    return display


def look_at_voice(voice: Voice, config: TableConfig, *, is_quick: bool) -> Finding:
    """Check that there is a voice; unless *is_quick*, check that it speaks without an error."""
    if config.voice == "silent":
        found = 'silent: table.toml has no [voice], or engine = "silent" in it'
        return Finding("speech", Verdict.OK, found)
    if not is_quick:
        voice.say(WORDS, config.settings.language)
    trouble = voice.trouble(0.0 if is_quick else SPEECH_S)
    if trouble:
        return Finding.of("speech", Verdict.WARN, trouble)
    if is_quick:
        found = "not checked: it is installed, but --quick plays no sound"
        return Finding("speech", Verdict.SKIP, found)
    return Finding("speech", Verdict.OK, "spoke without an error")


def _remarks(part: str, remarks: tuple[Remark, ...]) -> Iterator[Finding]:
    return (Finding.of(part, Verdict.WARN, remark.text) for remark in remarks)


def _repair_warning(health: Health) -> Iterator[Finding]:
    """Yield a warning if the part had to be repaired. The table repairs it silently."""
    faults = sum(health.counts[kind] for kind in FAULTS)
    if faults:
        text = (
            "had to be repaired during this check, because {fault}"
            if faults == 1
            else "had to be repaired {count} times during this check, last because {fault}"
        )
        yield Finding.of(health.part, Verdict.WARN, text.format(count=faults, fault=health.fault))


def look_at_parts(
    report: DoctorReport,
    config: TableConfig,
    parts: TableParts,
    clock: Clock,
    *,
    is_quick: bool,
    patterns: int,
) -> TableParts:
    """Check every part but the voice, and add the findings to *report*.

    The SPI wires are tested with *patterns* patterns at each clock rate, unless that is 0. If
    *is_quick*, the chips' self-tests are left out.

    Returns:
        *parts* without the readers and the display that failed.
    """
    look = ReaderLook(report, dict(parts.readers), clock)
    look.set_up(is_quick=is_quick)
    look.poll(QUICK_POLLS if is_quick else POLLS, is_in_turn=config.fields.in_turn)
    if not is_quick:
        report.findings += look_at_reset_wires(config.readers, look.readers)
        report.findings += look_at_gains(config.readers, look.readers)
    if patterns:
        report.findings += look_at_spi_clocks(config.readers, look.readers, patterns)
    display = parts.display and look_at_display(report, parts.display, clock)
    report.findings += look_at_lamps(parts.lamps, config)
    report.findings += look_at_pins(config)
    return replace(parts, readers=look.readers, display=display)
