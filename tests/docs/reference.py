"""Write the reference pages: ``python -m tests.docs.reference``.

``docs/commands.md`` is made from the commands themselves, ``docs/table-toml.md`` from
``firmware.config.reference``, which a test compares with the keys that the program reads, and
``docs/doctor-faults.md`` from the list of faults that tests stage for the doctor.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click
import typer

from firmware.commands.interface import app
from firmware.config.reference import KEYS, SECTIONS, Key
from tests.docs.pages import ROOT
from tests.doctor_faults import (
    AT_THE_MAT,
    BOTH,
    COMPUTER,
    DEBIAN,
    EVERY_FAULT,
    INSTALLED,
    ON_DEBIAN,
    ON_PI,
    PI,
    StagedFault,
)

COMMANDS_PAGE, TABLE_PAGE = ROOT / "docs" / "commands.md", ROOT / "docs" / "table-toml.md"
FAULTS_PAGE = ROOT / "docs" / "doctor-faults.md"
MADE = "<!-- Made by: python -m tests.docs.reference -->\n"


def commands_page() -> str:
    """Return the text of the page on every command and its options."""
    top = typer.main.get_command(app)
    head = f"""{MADE}# Every command

`tapmat --help` lists the commands, and `tapmat COMMAND --help` the options of one.

Exit codes: 0, all is well; 1, a check failed; 2, an option or a file is wrong; 3, a part is
missing; 4, the state folder cannot be used; 130, Ctrl-C.
"""
    return "\n".join((head, *_commands(top, click.Context(top, info_name="tapmat"))))


def _commands(group: click.Command, context: click.Context) -> Iterator[str]:
    assert isinstance(group, click.Group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context)
        if isinstance(command, click.Group):
            yield from _commands(command, inner)
        else:
            yield _command(command, inner)


def _command(command: click.Command, context: click.Context) -> str:
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f"## {context.command_path}\n", f"`{context.command_path} {usage}`\n"]
    lines.append((command.help or "").strip() + "\n")
    rows = [_row(parameter) for parameter in command.params if not _is_help(parameter)]
    if rows:
        lines += ["| Option | Meaning | Default |", "|---|---|---|", *rows, ""]
    return "\n".join(lines)


def _is_help(parameter: click.Parameter) -> bool:
    return "--help" in parameter.opts


def _row(parameter: click.Parameter) -> str:
    text, default = getattr(parameter, "help", None) or "", ""
    if isinstance(parameter, click.Option):
        names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
        if not parameter.is_flag:
            names += f" {(parameter.metavar or parameter.type.name).upper()}"
        default = _default(parameter)
    else:
        names = f"`{parameter.human_readable_name.upper()}`"
        default = "" if parameter.required else _default(parameter)
    cells = (cell.replace("|", "\\|") for cell in (names, text, default))
    return f"| {' | '.join(cells)} |".replace("  ", " ")


def _default(parameter: click.Parameter) -> str:
    value: Any = parameter.default
    if isinstance(parameter, click.Option) and parameter.secondary_opts:
        return f"`{(parameter.opts if value else parameter.secondary_opts)[0]}`"
    return "" if value is None or value is False else f"`{value}`"


def table_page() -> str:
    """Return the text of the page on every key of table.toml."""
    head = f"""{MADE}# Every key of table.toml

`table.toml` describes the parts of a table. `tapmat wiring --write FILE` writes a file to
start from, and `tapmat wiring --check --table FILE` checks it. Leave out the sections of parts that
your table does not have; only `[readers.play]` is required. Pins are BCM numbers: GPIO17 is 17.
Relative paths start at the folder that contains the file.
"""
    return "\n".join((head, *map(_section, SECTIONS)))


def _section(name: str) -> str:
    lines = [f"## [{name}]\n", f"{SECTIONS[name]}\n"]
    lines += ["| Key | Type | Default | Meaning |", "|---|---|---|---|"]
    return "\n".join((*lines, *(_key(key) for key in KEYS if key.section == name), ""))


def _key(key: Key) -> str:
    default = f"`{key.default}`" if key.default else "none"
    return f"| `{key.name}` | {key.type} | {key.absent or default} | {key.meaning} |"


def faults_page() -> str:
    """Return the text of the page on the faults that are staged for the doctor."""
    head = f"""{MADE}# Faults staged to test the doctor

A test causes each of these {len(EVERY_FAULT)} faults in the file, program, device or chip
that would fail at a real table. Then the unmodified `tapmat doctor` must find the fault and give
the right remedy. All other verdicts must be the same as without the fault. Anything that can no
longer be checked must not be reported as `OK`. "..." stands for any text.

No case was staged on a real Pi. Each is staged in one or both of these places:

- **{PI}**, {len(ON_PI)} cases: [an emulated Pi](real-nodes.md). The computer's
  files, device files and programs are fakes. The doctor reaches the emulated chips through real
  system calls. `make test-nodes` stages all of these cases, and `make test` a few.
- **{DEBIAN}**, {len(ON_DEBIAN)} cases: a booted Debian (Bookworm or Trixie) with systemd and the
  installed table. Files, groups, users, services, disks and most programs are real. The chips are
  emulated inside the doctor's process, the Pi's driver opens files in place of device nodes, and a
  fake player replaces the sound program. The parts that only a Pi's kernel provides are missing:
  pins, the power supply and sound cards.
  `make test-boot` stages all of these cases.

{sum(fault.places == BOTH for fault in EVERY_FAULT)} cases are staged in both places.
"""
    sections = {
        "The computer and what is stored": COMPUTER,
        "At the mat": AT_THE_MAT,
        "The installed system": INSTALLED,
    }
    tables = (_faults(title, faults) for title, faults in sections.items())
    return "\n".join((head, *tables))


def _faults(title: str, faults: Iterable[StagedFault]) -> str:
    head = "| Fault | Staged on | The doctor says | Remedy |"
    lines = [f"## {title}\n", head, "|---|---|---|---|"]
    for fault in faults:
        says = f"`{fault.verdict}` {fault.part}: {fault.found}"
        places = ", ".join(place for place in (PI, DEBIAN) if place in fault.places)
        row = (fault.words, places, says, fault.remedy)
        cells = (cell.replace("|", "\\|") for cell in row)
        lines.append(f"| {' | '.join(cells)} |".replace("  ", " "))
    return "\n".join((*lines, ""))


def pages() -> dict[Path, str]:
    """Return the text of each page by its path."""
    return {
        COMMANDS_PAGE: commands_page(),
        TABLE_PAGE: table_page(),
        FAULTS_PAGE: faults_page(),
    }


def main() -> None:
    """Write the pages."""
    for file, text in pages().items():
        file.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
