"""``tapmat wiring``: prints how a table is wired, draws it, and checks it.

Room: firmware.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from gettext import gettext as _
from pathlib import Path
from typing import Any, TextIO

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from firmware.config import TableConfig
from firmware.doctor.findings import Report, Verdict
from firmware.doctor.printing import print_table
from firmware.errors import unwritable
from firmware.plan.drawing import Drawing
from firmware.plan.page import PAINTS, draw
from firmware.plan.parts import Connection, Current, Part
from firmware.plan.plan import CONFIG_TXT, Plan, plan_of
from firmware.plan.png import to_picture
from firmware.plan.power import PINS_MA, RAIL_MA
from firmware.plan.svg import to_svg
from firmware.plan.templates import write_template

EXIT_OK, EXIT_FAILED = 0, 1


def run_wiring(
    config: TableConfig,
    *,
    svg: Path | None = None,
    png: Path | None = None,
    is_check: bool = False,
    as_json: bool = False,
    out: TextIO | None = None,
) -> int:
    """Print how the table of *config* is wired, or draw it into files, or just check it.

    Returns:
        0, or 1 when a check failed that was asked for.

    Raises:
        OutputError: a drawing cannot be written.
    """
    out = out or sys.stdout
    plan = plan_of(config)
    drawn = [(file, write) for file, write in ((svg, _write_svg), (png, _write_png)) if file]
    for file, write in drawn:
        _write(draw(plan), file, write)
    if as_json:
        print(json.dumps(shape_of(plan), ensure_ascii=False), file=out)
    elif is_check:
        print_table(Report(list(plan.findings)), out)
    elif drawn:
        files = ", ".join(str(file) for file, _write_it in drawn)
        print(_("Drawn: {files}").format(files=files), file=out)
    else:
        print_plan(plan, out)
    return EXIT_FAILED if is_check and plan.verdict is Verdict.FAIL else EXIT_OK


def run_template(name: str | None, file: Path, out: TextIO | None = None) -> int:
    """Write template *name*, or the default table, to *file*.

    Raises:
        UnknownTemplate: there is none of that name.
        OutputError: *file* is there already, or cannot be written.
    """
    write_template(name, file)
    out = out or sys.stdout
    said = _(
        "{file} is written. Change it to what your table has; then\n"
        "  tapmat wiring --table {file}\n"
        "says what goes where, and with --check whether it goes together."
    )
    print(said.format(file=file), file=out)
    return EXIT_OK


def _write(drawing: Drawing, file: Path, write: Callable[[Drawing, Path], None]) -> None:
    try:
        write(drawing, file)
    except OSError as wrong:
        raise unwritable(file, wrong) from wrong


def _write_svg(drawing: Drawing, file: Path) -> None:
    file.write_text(to_svg(drawing), encoding="utf-8", newline="\n")


def _write_png(drawing: Drawing, file: Path) -> None:
    to_picture(drawing).save(file, format="PNG", optimize=True)


# --- for programs --------------------------------------------------------------------------------


def shape_of(plan: Plan) -> dict[str, Any]:
    """*plan* for programs; every current is in mA."""
    total, pins = plan.budget.total, plan.budget.through_pins
    return {
        "table": str(plan.config.file),
        "parts": [_part_shape(part) for part in plan.parts],
        "current": {
            "draws": [
                {"part": draw.part, **_current_shape(draw.current)} for draw in plan.budget.draws
            ],
            "total": {**_current_shape(total), "limit": RAIL_MA},
            "through_pins": {**_current_shape(pins), "limit": PINS_MA},
        },
        "config_txt": list(plan.boot_lines),
        "verdict": plan.verdict.value,
        "findings": [{**asdict(f), "verdict": f.verdict.value} for f in plan.findings],
    }


def _part_shape(part: Part) -> dict[str, Any]:
    return {
        "name": part.name,
        "kind": part.kind,
        "section": part.section,
        "notes": list(part.notes),
        "connections": [_connection_shape(wire) for wire in part.connections],
    }


def _connection_shape(wire: Connection) -> dict[str, Any]:
    return {
        "pin": wire.pin,
        "pi_pin": wire.to and wire.to.number,
        "name": wire.to and wire.to.name,
        "bcm": wire.to and wire.to.bcm,
        "colour": wire.colour or None,
        "note": wire.note,
    }


def _current_shape(current: Current) -> dict[str, float]:
    return {"typical": round(current.typical_ma, 1), "at_most": round(current.at_most_ma, 1)}


# --- for people ----------------------------------------------------------------------------------


def print_plan(plan: Plan, out: TextIO) -> None:
    """Print *plan* for people."""
    console = Console(file=out, highlight=False)
    for part in plan.parts:
        console.print(Text.assemble((part.name, "bold"), f": {part.kind}"))
        console.print(_connections(part))
        for note in part.notes:
            console.print(Text(note))
        console.print()
    _print_shared(plan, console)
    console.print(_currents(plan))
    needs = _("What {file} needs, followed by a reboot:").format(file=CONFIG_TXT)
    console.print(Text(needs))
    for line in plan.boot_lines:
        console.print(Text(f"  {line}"))
    troubles = [finding for finding in plan.findings if finding.verdict is not Verdict.OK]
    if troubles:
        console.print()
        print_table(Report(troubles), out)


def _connections(part: Part) -> Grid:
    grid = Grid(_("pin"), _("Pi pin"), "BCM", _("wire"), "", box=SIMPLE_HEAD, pad_edge=False)
    for wire in part.connections:
        if wire.to is None:
            grid.add_row(Text(wire.pin), "", "", "", Text(wire.note))
        else:
            colour = Text.assemble(("■ ", PAINTS[wire.colour]), wire.colour)
            where = (str(wire.to.number), wire.to.name)
            grid.add_row(Text(wire.pin), *where, colour, Text(wire.note))
    return grid


def _print_shared(plan: Plan, console: Console) -> None:
    if plan.shared:
        pins = ", ".join(f"{pin.number} ({count})" for pin, count in plan.shared.items())
        shared = _(
            "Pins that several wires go to, by a row of a breadboard or from board to board: "
            "{pins}."
        )
        console.print(Text(shared.format(pins=pins)))
        console.print()


def _currents(plan: Plan) -> Grid:
    total, pins = plan.budget.total, plan.budget.through_pins
    grid = Grid(_("from 3.3 V"), "mA", _("at most"), box=SIMPLE_HEAD, pad_edge=False)
    rows = [(draw.part, draw.current) for draw in plan.budget.draws]
    through_pins = _("of it through GPIO pins, of {limit}").format(limit=PINS_MA)
    rows += [(_("all, of {limit}").format(limit=RAIL_MA), total), (through_pins, pins)]
    for name, current in rows:
        grid.add_row(name, f"{current.typical_ma:.0f}", f"{current.at_most_ma:.0f}")
    return grid
