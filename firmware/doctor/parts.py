"""The checks of the parts, as the loop uses them: same drivers, same remedies.

Room: firmware/doctor. What the loop would mend in silence is told here. A part that cannot be
opened is told, and the others are looked at without it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from gettext import gettext as _
from gettext import ngettext
from typing import Any

from firmware import screens
from firmware.config import ControlsConfig, TableConfig
from firmware.doctor.findings import Finding, Report, Verdict
from firmware.health import FAULTS, GARBLED, Health, attempt, poll
from firmware.loop import TURN_S, Parts
from firmware.presence import Presence
from firmware.view import TableView
from firmware.wiring import SPI_HZ, open_parts
from hardware.errors import MissingPart
from hardware.ports import Board, Checkup, Clock, Display, Remark, TagReader, Voice

POLLS, QUICK_POLLS = 50, 10  # of each reader
GARBLED_SHARE = 0.1  # of them, above which something disturbs the field
MISS_RATE = 0.3  # above which a tag is read badly; as much as a play still bears
SPEECH_S = 10.0  # more than the few words take
WORDS = "Tapmat."

N_ = str  # marks a text for the catalogues; it is translated where it is used
OFF_THE_SPOT = N_("Take phones, bank cards and metal off the spot, and look again")
NEARER = N_("Bring the antenna nearer to the cards, with no metal between")
APART = N_("Move their antennas apart")
IN_TURN = N_("Move their antennas apart, or write in_turn = true under [fields] in table.toml")


# --- opening -------------------------------------------------------------------------------------


def that_opens(report: Report, config: TableConfig, board: Board) -> TableConfig:
    """*config* without the parts that *board* cannot open; those go into *report*."""
    bare = replace(config, readers=(), display=None, lamps={}, controls=None, buzzer_pin=None)
    missing: dict[Finding, None] = {}  # what keeps many parts shut is told once

    def is_there(opening: Callable[[], object]) -> bool:
        try:
            opening()
        except MissingPart as fault:
            missing[Finding.missing(fault)] = None
            return False
        return True

    def opens(**part: Any) -> bool:
        return is_there(lambda: open_parts(replace(bare, **part), board).close())

    for reader in config.readers:  # told even where a pin keeps the reader shut before its bus does
        is_there(partial(board.spi, reader.bus, reader.device, SPI_HZ))
    display, buzzer_pin, controls = config.display, config.buzzer_pin, config.controls
    opened = replace(
        config,
        readers=tuple(reader for reader in config.readers if opens(readers=(reader,))),
        display=display if display and opens(display=display) else None,
        lamps={name: pin for name, pin in config.lamps.items() if opens(lamps={name: pin})},
        controls=controls and _controls_that_open(controls, opens),
        buzzer_pin=buzzer_pin if buzzer_pin and opens(buzzer_pin=buzzer_pin) else None,
    )
    report.findings += missing
    report.lacks_part |= bool(missing)
    return opened


def _controls_that_open(
    controls: ControlsConfig, opens: Callable[..., bool]
) -> ControlsConfig | None:
    alone = ControlsConfig(controls.encoder, {})
    encoder = controls.encoder if controls.encoder and opens(controls=alone) else None
    buttons = {
        name: pin
        for name, pin in controls.buttons.items()
        if opens(controls=ControlsConfig(None, {name: pin}))
    }
    return ControlsConfig(encoder, buttons) if encoder or buttons else None


def look_at_pins(config: TableConfig) -> Iterator[Finding]:
    """What is on pins alone, and could be opened; whether it works only people can tell."""
    if config.lamps:
        pins = " ".join(map(str, config.lamps.values()))
        found = _("{count}, on GPIO {pins}").format(count=len(config.lamps), pins=pins)
        yield Finding("lamps", Verdict.OK, found)
    if config.controls is not None:
        encoder = ("encoder",) if config.controls.encoder else ()
        yield Finding("controls", Verdict.OK, ", ".join((*encoder, *config.controls.buttons)))
    if config.buzzer_pin is not None:
        yield Finding("buzzer", Verdict.OK, _("on GPIO {pin}").format(pin=config.buzzer_pin))


# --- readers -------------------------------------------------------------------------------------


@dataclass
class ReaderLook:
    """The readers while the doctor looks at them; those that fail are left out from then on."""

    report: Report
    readers: dict[str, TagReader]
    clock: Clock
    health: dict[str, Health] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for spot, reader in self.readers.items():
            health = Health(f"reader {spot}", has_reset_wire=reader.has_reset_wire)
            self.health[spot] = health
            self.report.run[health.part] = health.counts

    def set_up(self, *, is_quick: bool) -> None:
        """Set each reader up anew, and if there is time, look into its chip."""
        for spot, reader in tuple(self.readers.items()):
            health = self.health[spot]

            def restart(by_wire: bool, reader: TagReader = reader) -> None:
                reader.restart(by_wire=by_wire)

            def look(reader: TagReader = reader) -> Checkup:
                if not is_quick:
                    return reader.check_up()
                reader.restart()
                return Checkup("")

            looked = attempt(health, look, restart, self.clock)
            if looked is None:
                self._lose(spot)
                continue
            found = ", ".join(filter(None, (reader.identity, looked.found)))
            self.report.findings.append(Finding(health.part, Verdict.OK, found))
            self.report.findings += _remarks(health.part, looked.remarks)

    def poll(self, rounds: int, *, is_in_turn: bool) -> None:
        """Poll all readers as the loop does, and tell what that showed."""
        presence = Presence(tuple(self.readers))
        for _round in range(rounds):
            turn_s = self.clock.now()
            for spot, reader in tuple(self.readers.items()):
                began_s = self.clock.now()
                sighting = poll(self.health[spot], reader, self.clock)
                if sighting is None:
                    self._lose(spot)
                else:
                    presence.see(spot, sighting, began_s, self.clock.now())
            presence.changes(self.readers)
            self.clock.sleep(TURN_S - (self.clock.now() - turn_s))
        for spot, reader in self.readers.items():
            health = self.health[spot]
            self.report.findings += _remarks(health.part, reader.remarks)
            self.report.findings += _mended(health)
            tags = len(presence.uids(spot))
            self.report.findings.append(
                _polled(health, rounds, tags, presence.miss_rate(spot) or 0.0)
            )
        for pair in presence.leaky:
            found = _("both hear the same tag")
            spots = " and ".join(sorted(pair))
            remedy = _(APART if is_in_turn else IN_TURN)
            self.report.findings.append(Finding(f"readers {spots}", Verdict.WARN, found, remedy))

    def _lose(self, spot: str) -> None:
        health = self.health[spot]
        self.report.findings.append(Finding.of(health.part, Verdict.FAIL, health.fault))
        del self.readers[spot]


def _polled(health: Health, rounds: int, tags: int, miss_rate: float) -> Finding:
    """What the polls saw; tags that lie there tell how well they are read."""
    garbled = health.counts[GARBLED]
    found = _("{polls} polls, {garbled} garbled; tags: none there")
    if tags:
        found = _(
            "{polls} polls, {garbled} garbled; tags: {tags} there, {missed:.0%} of polls missed"
        )
    found = found.format(polls=rounds, garbled=garbled, tags=tags, missed=miss_rate)
    if garbled > rounds * GARBLED_SHARE:
        return Finding(health.part, Verdict.WARN, found, _(OFF_THE_SPOT))
    if miss_rate > MISS_RATE:
        return Finding(health.part, Verdict.WARN, found, _(NEARER))
    return Finding(health.part, Verdict.OK, found)


# --- display and voice ---------------------------------------------------------------------------


def look_at_display(report: Report, display: Display, clock: Clock) -> Display | None:
    """Set the display up anew, show something, and ask whether it does; none when it does not."""
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
    report.findings += _mended(health)
    return display


def look_at_voice(voice: Voice, config: TableConfig, *, is_quick: bool) -> Finding:
    """Whether there is a voice, and if there is time, whether it can be heard to its end."""
    if config.voice == "silent":
        return Finding("speech", Verdict.OK, _("silent, as table.toml says"))
    if not is_quick:
        voice.say(WORDS, config.language)
    trouble = voice.trouble(0.0 if is_quick else SPEECH_S)
    if trouble:
        return Finding.of("speech", Verdict.WARN, trouble)
    return Finding("speech", Verdict.OK, _("there") if is_quick else _("spoke without complaint"))


def _remarks(part: str, remarks: tuple[Remark, ...]) -> Iterator[Finding]:
    return (Finding.of(part, Verdict.WARN, remark.text) for remark in remarks)


def _mended(health: Health) -> Iterator[Finding]:
    """A warning if the part had to be mended, which the loop would have done in silence."""
    faults = sum(health.counts[kind] for kind in FAULTS)
    if faults:
        text = ngettext(
            "had to be mended just now, because {fault}",
            "had to be mended {count} times just now, last because {fault}",
            faults,
        )
        told = text.format(count=faults, fault=health.fault)
        yield Finding.of(health.part, Verdict.WARN, told)


def look_at_parts(
    report: Report, config: TableConfig, parts: Parts, clock: Clock, *, is_quick: bool
) -> Parts:
    """Every part that is not the voice; returns those that work, as far as can be told."""
    look = ReaderLook(report, dict(parts.readers), clock)
    look.set_up(is_quick=is_quick)
    look.poll(QUICK_POLLS if is_quick else POLLS, is_in_turn=config.fields.in_turn)
    display = parts.display and look_at_display(report, parts.display, clock)
    report.findings += look_at_pins(config)
    return replace(parts, readers=look.readers, display=display)
