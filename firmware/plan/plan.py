"""The plan of one table: its parts, what they draw, and what the Pi has to be told at its start.

Room: firmware. Pure: from a ``TableConfig`` to values. What is refused was refused when the
configuration was read (``firmware.config``); what works, but should be looked at, is a finding.
Source of the lines in config.txt: Raspberry Pi documentation, "config.txt", and the README of the
firmware's overlays.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from gettext import gettext as _
from gettext import ngettext
from typing import Final

from firmware.config import TableConfig, pins_in_use
from firmware.doctor.findings import Finding, Report, Verdict
from firmware.plan.header import SERIAL_CONSOLE, HeaderPin
from firmware.plan.parts import Part, parts_of, shared
from firmware.plan.power import PINS_MA, RAIL_MA, Budget, budget_of

N_ = str  # marks a text for the catalogues; it is translated where it is used

CONFIG_TXT: Final = "/boot/firmware/config.txt"
CURRENT = N_(
    "{total:.0f} mA, at most {total_most:.0f}, of {limit}; through GPIO pins {pins:.0f} mA, at "
    "most {pins_most:.0f}, of {pins_limit}"
)


@dataclass(frozen=True, slots=True)
class Plan:
    """How the table of *config* is wired."""

    config: TableConfig
    parts: tuple[Part, ...]
    budget: Budget

    @property
    def name(self) -> str:
        """The name of its file."""
        return self.config.file.name

    @property
    def shared(self) -> dict[HeaderPin, int]:
        """The header's pins that several wires go to, and how many."""
        return shared(self.parts)

    @property
    def boot_lines(self) -> tuple[str, ...]:
        """The lines that ``config.txt`` needs for its buses and chip selects."""
        return tuple(_boot_lines(self.config))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What a check says of it: pins, what it draws, and what stands in the way."""
        return (_pins(self.config), _currents(self), *_console(self.config))

    @property
    def verdict(self) -> Verdict:
        """The worst of all findings."""
        return Report(list(self.findings)).verdict


def plan_of(config: TableConfig) -> Plan:
    """How the table of *config* is wired."""
    parts = parts_of(config)
    return Plan(config, parts, budget_of(config, parts))


def _boot_lines(config: TableConfig) -> Iterator[str]:
    buses = {reader.bus for reader in config.readers}
    if 0 in buses:
        yield "dtparam=spi=on"
    if 1 in buses:
        yield "dtoverlay=spi1-3cs"
    if config.display is not None:
        yield "dtparam=i2c_arm=on,i2c_arm_baudrate=400000"
    selects = [reader.select_pin for reader in config.readers if reader.select_pin is not None]
    if selects:  # until the program runs, a board whose SDA is low drives MISO
        yield f"gpio={','.join(map(str, sorted(selects)))}=op,dh"


def _pins(config: TableConfig) -> Finding:
    count = len({pin for _key, pin in pins_in_use(config)})
    found = ngettext(
        "{file}: {count} pin, which is not a bus's",
        "{file}: {count} pins, none of them taken twice or a bus's",
        count,
    )
    return Finding("pins", Verdict.OK, found.format(file=config.file, count=count))


def _currents(plan: Plan) -> Finding:
    found = current_text(plan.budget, _(CURRENT))
    if not plan.budget.is_tight:
        return Finding("3.3 V", Verdict.OK, found)
    verdict = Verdict.FAIL if plan.budget.is_exceeded else Verdict.WARN
    remedy = _(
        "Write under [fields]: in_turn = true. Or: feed the readers from a 3.3 V regulator of "
        "their own on the 5 V pin, grounds joined"
    )
    if plan.config.fields.in_turn:
        remedy = _(
            "Feed the readers from a 3.3 V regulator of their own on the 5 V pin, grounds joined"
        )
    return Finding("3.3 V", verdict, found, remedy)


def _console(config: TableConfig) -> Iterator[Finding]:
    for key, pin in pins_in_use(config):
        if pin in SERIAL_CONSOLE:
            found = _("{key} is on GPIO{pin}, which is free only while the serial port is off")
            remedy = _("Switch it off: sudo raspi-config, Interface Options, Serial Port, twice No")
            yield Finding("serial port", Verdict.WARN, found.format(key=key, pin=pin), remedy)


def current_text(budget: Budget, text: str = CURRENT) -> str:
    """What the table draws, and what the Pi bears, in one line: *text*, filled."""
    total, pins = budget.total, budget.through_pins
    return text.format(
        total=total.typical_ma,
        total_most=total.at_most_ma,
        limit=RAIL_MA,
        pins=pins.typical_ma,
        pins_most=pins.at_most_ma,
        pins_limit=PINS_MA,
    )
