"""The wiring plan of one table: its parts, their currents, and the lines that config.txt needs.

``firmware.config.table_config`` has already refused impossible wirings. Here, wirings that may work
but need attention become findings. Source of the lines in config.txt: Raspberry Pi documentation,
"config.txt", and the README of the firmware's overlays.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from firmware.config.table_config import TableConfig, pins_in_use
from firmware.doctor.findings import Finding, Verdict, worst_verdict
from firmware.pi.needs import boot_lines
from firmware.plan.header import SERIAL_CONSOLE, HeaderPin
from firmware.plan.parts import Part, parts_of, shared_pins
from firmware.plan.power import PINS_MA, RAIL_MA, Budget, budget_of

CONFIG_TXT: Final = "/boot/firmware/config.txt"
CURRENT = (
    "typically {total:.0f} mA, at most {total_most:.0f} mA (limit {limit} mA); through GPIO pins "
    "typically {pins:.0f} mA, at most {pins_most:.0f} mA (limit {pins_limit} mA)"
)


@dataclass(frozen=True, slots=True)
class WiringPlan:
    """The wiring of the table of *config*."""

    config: TableConfig
    parts: tuple[Part, ...]
    budget: Budget

    @property
    def name(self) -> str:
        """The name of the configuration file."""
        return self.config.file.name

    @property
    def shared(self) -> dict[HeaderPin, int]:
        """The number of wires of each header pin that has several."""
        return shared_pins(self.parts)

    @property
    def boot_lines(self) -> tuple[str, ...]:
        """The lines that config.txt needs for the table's buses and chip selects."""
        return tuple(boot_lines(self.config))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings about pins, currents and the serial port."""
        return (_pins(self.config), _currents(self), *_console(self.config))

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all findings."""
        return worst_verdict(self.findings)


def plan_of(config: TableConfig) -> WiringPlan:
    """Return the wiring plan of the table of *config*."""
    parts = parts_of(config)
    return WiringPlan(config, parts, budget_of(config, parts))


def _pins(config: TableConfig) -> Finding:
    count = len({pin for _key, pin in pins_in_use(config)})
    found = (
        "{file}: {count} pin, which no bus uses"
        if count == 1
        else "{file}: {count} pins, none used twice or by a bus"
    )
    return Finding("pins", Verdict.OK, found.format(file=config.file, count=count))


def _currents(plan: WiringPlan) -> Finding:
    found = current_text(plan.budget, CURRENT)
    if not plan.budget.is_tight:
        return Finding("3.3 V", Verdict.OK, found)
    verdict = Verdict.FAIL if plan.budget.is_exceeded else Verdict.WARN
    remedy = (
        "Write in_turn = true under [fields]; or feed the readers from a separate 3.3 V regulator "
        "on the 5 V pin, with the grounds joined"
    )
    if plan.config.fields.in_turn:
        remedy = (
            "Feed the readers from a separate 3.3 V regulator on the 5 V pin, with the grounds "
            "joined"
        )
    return Finding("3.3 V", verdict, found, remedy)


def _console(config: TableConfig) -> Iterator[Finding]:
    for key, pin in pins_in_use(config):
        if pin in SERIAL_CONSOLE:
            found = "{key} is on GPIO{pin}, which is free only while the serial port is off"
            remedy = (
                "Switch the port off: sudo raspi-config, Interface Options, Serial Port, twice No"
            )
            yield Finding("serial port", Verdict.WARN, found.format(key=key, pin=pin), remedy)


def current_text(budget: Budget, text: str = CURRENT) -> str:
    """Return *text* filled with the currents of *budget* and the Pi's limits, in mA."""
    total, pins = budget.total, budget.through_pins
    return text.format(
        total=total.typical_ma,
        total_most=total.at_most_ma,
        limit=RAIL_MA,
        pins=pins.typical_ma,
        pins_most=pins.at_most_ma,
        pins_limit=PINS_MA,
    )
