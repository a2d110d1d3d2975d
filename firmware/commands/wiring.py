"""``tapmat wiring``: print a table's wiring, draw it, or check it."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from firmware.commands.options import EXIT_FAILED, EXIT_OK
from firmware.common.errors import unwritable
from firmware.config.table_config import TableConfig
from firmware.doctor.findings import Verdict
from firmware.doctor.printing import print_findings
from firmware.plan.drawing import Drawing
from firmware.plan.page import PAINTS, draw
from firmware.plan.parts import Connection, Part
from firmware.plan.plan import CONFIG_TXT, WiringPlan, plan_of
from firmware.plan.power import PINS_MA, RAIL_MA
from firmware.plan.svg import to_svg
from firmware.plan.templates import write_template
from hardware.modules import Current


def run_wiring(
    config: TableConfig,
    *,
    svg: Path | None = None,
    is_check: bool = False,
    as_json: bool = False,
    out: TextIO | None = None,
) -> int:
    """Print the wiring of the table of *config*, draw it into *svg*, or only check it.

    Returns:
        The exit code: 1 if *is_check* and a check failed, else 0.

    Raises:
        OutputError: the drawing cannot be written.
    """
    out = out or sys.stdout
    plan = plan_of(config)
    if svg is not None:
        _write_svg(draw(plan), svg)
    if as_json:
        print(json.dumps(plan_json(plan), ensure_ascii=False), file=out)
    elif is_check:
        print_findings(plan.findings, out)
    elif svg is not None:
        print(f"The drawing is in {svg}.", file=out)
    else:
        print_plan(plan, out)
    return EXIT_FAILED if is_check and plan.verdict is Verdict.FAIL else EXIT_OK


def run_template(name: str | None, file: Path, out: TextIO | None = None) -> int:
    """Write template *name*, or the default table, to *file*.

    Raises:
        UnknownTemplate: there is no template of that name.
        OutputError: *file* exists already, or cannot be written.
    """
    write_template(name, file)
    out = out or sys.stdout
    print(f"{file} was written. Change it to match your table. Then list its wires with", file=out)
    print(f"  tapmat wiring --table {file}", file=out)
    print("and add --check to check the pins and currents.", file=out)
    return EXIT_OK


def _write_svg(drawing: Drawing, file: Path) -> None:
    try:
        file.write_text(to_svg(drawing), encoding="utf-8", newline="\n")
    except OSError as wrong:
        raise unwritable(file, wrong) from wrong


# --- for programs --------------------------------------------------------------------------------


def plan_json(plan: WiringPlan) -> dict[str, Any]:
    """Return *plan* as JSON data. Every current is in mA."""
    total, pins = plan.budget.total, plan.budget.through_pins
    return {
        "table": str(plan.config.file),
        "parts": [_part_json(part) for part in plan.parts],
        "current": {
            "draws": [
                {"part": draw.part, **_current_json(draw.current)} for draw in plan.budget.draws
            ],
            "total": {**_current_json(total), "limit": RAIL_MA},
            "through_pins": {**_current_json(pins), "limit": PINS_MA},
        },
        "config_txt": list(plan.boot_lines),
        "verdict": plan.verdict.value,
        "findings": [{**asdict(f), "verdict": f.verdict.value} for f in plan.findings],
    }


def _part_json(part: Part) -> dict[str, Any]:
    return {
        "name": part.name,
        "kind": part.kind,
        "section": part.section,
        "notes": list(part.notes),
        "connections": [_connection_json(wire) for wire in part.connections],
    }


def _connection_json(wire: Connection) -> dict[str, Any]:
    return {
        "pin": wire.pin,
        "pi_pin": wire.to and wire.to.number,
        "name": wire.to and wire.to.name,
        "bcm": wire.to and wire.to.bcm,
        "colour": wire.colour or None,
        "note": wire.note,
    }


def _current_json(current: Current) -> dict[str, float]:
    return {"typical": round(current.typical_ma, 1), "at_most": round(current.at_most_ma, 1)}


# --- for people ----------------------------------------------------------------------------------


def print_plan(plan: WiringPlan, out: TextIO) -> None:
    """Print *plan* as text: a table of wires for each part, currents, boot lines and problems."""
    console = Console(file=out, highlight=False)
    for part in plan.parts:
        console.print(Text.assemble((part.name, "bold"), f": {part.kind}"))
        console.print(_connections(part))
        for note in part.notes:
            console.print(Text(note))
        console.print()
    _print_shared(plan, console)
    console.print(_currents(plan))
    console.print(Text(f"Lines that {CONFIG_TXT} needs; reboot after a change:"))
    for line in plan.boot_lines:
        console.print(Text(f"  {line}"))
    troubles = [finding for finding in plan.findings if finding.verdict is not Verdict.OK]
    if troubles:
        console.print()
        print_findings(troubles, out)


def _connections(part: Part) -> Grid:
    grid = Grid("pin", "Pi pin", "BCM", "wire", "", box=SIMPLE_HEAD, pad_edge=False)
    for wire in part.connections:
        if wire.to is None:
            grid.add_row(Text(wire.pin), "", "", "", Text(wire.note))
        else:
            # The brackets show a black square on a dark terminal, and a white one on a light one.
            colour = Text.assemble("[", ("█", PAINTS[wire.colour]), f"] {wire.colour}")
            where = (str(wire.to.number), wire.to.name)
            grid.add_row(Text(wire.pin), *where, colour, Text(wire.note))
    return grid


def _print_shared(plan: WiringPlan, console: Console) -> None:
    if plan.shared:
        pins = ", ".join(f"{pin.number} ({count})" for pin, count in plan.shared.items())
        shared = (
            "These pins have several wires: {pins}. Join the wires on a row of a breadboard, or "
            "from board to board."
        )
        console.print(Text(shared.format(pins=pins)))
        console.print()


def _currents(plan: WiringPlan) -> Grid:
    total, pins = plan.budget.total, plan.budget.through_pins
    grid = Grid("from 3.3 V", "mA", "at most", box=SIMPLE_HEAD, pad_edge=False)
    rows = [(draw.part, draw.current) for draw in plan.budget.draws]
    through_pins = f"through GPIO pins (limit {PINS_MA})"
    rows += [(f"all parts (limit {RAIL_MA})", total), (through_pins, pins)]
    for name, current in rows:
        grid.add_row(name, f"{current.typical_ma:.0f}", f"{current.at_most_ma:.0f}")
    return grid
