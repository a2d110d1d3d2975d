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
from firmware.runtime.health import OFTEN, OFTEN_S
from tests.docs.pages import ROOT
from tests.doctor_faults import (
    AT_THE_MAT,
    BOTH,
    COMPUTER,
    DEBIAN,
    EVERY_FAULT,
    INSTALLED,
    OK,
    ON_DEBIAN,
    ON_PI,
    PI,
    StagedFault,
)

COMMANDS_PAGE, TABLE_PAGE = ROOT / "docs" / "commands.md", ROOT / "docs" / "table-toml.md"
FAULTS_PAGE = ROOT / "docs" / "doctor-faults.md"
# Words in the doctor's messages, with their meanings. The page leaves out unused ones.
WORDS = {
    "the table": "the program that referees the game. To start the table means to start the tapmat "
    "service, or to run `tapmat play`",
    "the table's service": "the tapmat service, `tapmat.service`, which starts tapmat with the Pi",
    "companion": "[the web server](companion.md) that shows the game on televisions and phones",
    "journal": "[the file](journal.md) in which tapmat saves every play",
    "state folder": "the folder with the journal and the list of enrolled stickers, on a Pi "
    "`/var/lib/tapmat`",
    "spot": "a place on the mat with a reader; `reader play` is the reader of the spot `play`",
    "degraded": f"tapmat had to repair the part {OFTEN} times within {OFTEN_S:.0f} seconds",
    "poll": "one question to a reader: which tags are on it?",
    "garbled": "an answer arrived, but was damaged",
    "`guard_ms`": "the milliseconds that a tag gets to wake up after the reader's field is "
    "switched on ([fields in turn](readers-and-display.md#fields-in-turn))",
    "masked": "systemd may not start the service at all",
    "watchdog": "the part of systemd that restarts the service if it hangs",
}
MADE = "<!-- Made by: python -m tests.docs.reference -->\n"


def commands_page() -> str:
    """Return the text of the page on every command and its options."""
    top = typer.main.get_command(app)
    head = f"""{MADE}# Every command

`tapmat --help` lists the commands, and `tapmat COMMAND --help` the options of one.

| Exit code | Meaning |
|---|---|
| 0 | the command succeeded |
| 1 | a check failed |
| 2 | an option or a file is wrong |
| 3 | a part is missing |
| 4 | the state folder cannot be used |
| 130 | somebody pressed Ctrl-C |
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
    rows = [_row(parameter) for parameter in command.params if _is_shown(parameter)]
    if rows:
        lines += ["| Option | Meaning | Default |", "|---|---|---|", *rows, ""]
    return "\n".join(lines)


def _is_shown(parameter: click.Parameter) -> bool:
    return "--help" not in parameter.opts and not getattr(parameter, "hidden", False)


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
    return "" if value is None or value is False or value == "" else f"`{value}`"


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
    count = len(EVERY_FAULT)
    harmless = sum(fault.verdict == OK for fault in EVERY_FAULT)
    messages = [f"{fault.part} {fault.found} {fault.remedy}" for fault in EVERY_FAULT]
    words = "\n".join(
        f"| {word} | {meaning} |"
        for word, meaning in WORDS.items()
        if any(word.strip("`") in message for message in messages)
    )
    head = f"""{MADE}# Faults staged to test the doctor

Tests stage each of these {count} cases in the file, program, device or chip that would
fail at a real table. {count - harmless} of them are faults. The other {harmless}, marked "(no
fault)", look like faults but are harmless. In each case, the tests run the unmodified
[`tapmat doctor`](doctor.md), and check the following:

- It reports the fault with the verdict, message and remedy in the tables below. A case that is no
  fault must be `OK`.
- A fault in one part changes no other verdict, except for checks that the fault makes
  impossible. These must not be reported as `OK`.

In the tables, "..." stands for any text.

No case was staged on a real Pi. Each is staged in one or both of these places:

- **{PI}**, {len(ON_PI)} cases: [a laptop that looks like a Pi to tapmat](real-nodes.md). The
  computer's files, device files and programs are fakes. The doctor reaches the emulated chips
  through real system calls. `make test-nodes` stages all of these cases, and `make test` a few.
- **{DEBIAN}**, {len(ON_DEBIAN)} cases: a booted Debian (Bookworm or Trixie) with systemd, on which
  tapmat is installed. Files, groups, users, services, disks and most programs are real. The chips
  are emulated inside the doctor's process, ordinary files take the place of device nodes, and a
  fake player replaces the sound program. Pins, the power supply and sound cards need a Pi's kernel,
  so they are missing. `make test-boot` stages all of these cases.

{sum(fault.places == BOTH for fault in EVERY_FAULT)} cases are staged in both places.

## Words in the doctor's messages

| Word | Meaning |
|---|---|
{words}
"""
    sections = {
        "The computer and the stored data": COMPUTER,
        "The parts of the mat": AT_THE_MAT,
        "The installed service": INSTALLED,
    }
    tables = (_faults(title, faults) for title, faults in sections.items())
    return "\n".join((head, *tables))


def _faults(title: str, faults: Iterable[StagedFault]) -> str:
    head = "| Fault | Staged on | The doctor says | Remedy that the doctor prints |"
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
