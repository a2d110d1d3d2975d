"""``./install-pi`` and ``make pi``: set this Raspberry Pi up for a table, or take that out again.

Room: firmware/pi. Parses, says what will be changed, asks, and does it.
"""

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from gettext import gettext as _
from pathlib import Path

from firmware.pi.computer import Computer, SetUpFault
from firmware.pi.steps import (
    STATE,
    TABLE,
    Boot,
    Command,
    Packages,
    Program,
    Service,
    Step,
    Table,
    User,
)

SOURCE = Path(__file__).parents[2]
DEFAULT_TABLE = SOURCE / "firmware" / "table.toml"


def main(words: Sequence[str] | None = None, computer: Computer | None = None) -> int:
    """Do what *words* say; 0 when it is done, 1 when it cannot be."""
    given = _parser().parse_args(words)
    computer = computer or Computer(print, _yes if given.yes else _asked)
    try:
        computer.check()
        if given.remove:
            return _remove(computer, has_boot=not given.no_boot, purges=given.purge)
        return _install(computer, given.table, has_boot=not given.no_boot, is_dry=given.dry_run)
    except SetUpFault as fault:
        computer.say(str(fault))
        return 1
    except OSError as fault:
        found = _("{file}: {reason}. Mend that, then run it again.")
        computer.say(found.format(file=fault.filename, reason=fault.strerror))
        return 1


def _install(computer: Computer, table: Path, *, has_boot: bool, is_dry: bool) -> int:
    if not table.is_file():
        found = _("There is no file {file}.").format(file=table)
        raise SetUpFault(found, _("Name your table.toml with --table."))
    model = computer.model or _("This computer")
    computer.say(f"{model}, {computer.system['PRETTY_NAME']}")
    program = Program(computer, SOURCE)
    first: list[Step] = [
        Packages(computer),
        User(computer),
        program,
        Table(computer, table),
        Command(computer),
    ]
    service = Service(computer, program)
    if is_dry:
        # What the boot file must say is known once the program is there to read table.toml.
        boots = (_("turn on SPI and I2C in the boot file, as the table needs them"),) * has_boot
        for change in (*_changes(first), *boots, *service.changes()):
            computer.say(_("  would {change}").format(change=change))
        return 0
    for change in _changes([*first, service]):
        computer.say(_("  will {change}").format(change=change))
    if not computer.ask(_("Go on?")):
        computer.say(_("Nothing was changed."))
        return 1
    _do(computer, first)
    needs_restart = has_boot and _boot(computer, Boot(computer, program))
    if needs_restart and not _has_buses(computer):
        computer.say(_("The buses are on after the next start of this computer."))
    _do(computer, [service])
    done = _("Done. The table is described in {file}; tapmat doctor looks at every part.")
    computer.say(done.format(file=f"/{TABLE}"))
    if needs_restart:
        computer.say(_("Restart this computer now: sudo reboot"))
    return 0


def _boot(computer: Computer, boot: Boot) -> bool:
    """Change the boot file, if that is wanted; whether the computer must start anew."""
    changes = boot.changes()
    for change in changes:
        computer.say(_("  will {change}").format(change=change))
    if not changes:
        return False
    if not computer.ask(_("Change the boot file so?")):
        computer.say(_("The boot file stays as it is; turn the buses on with: sudo raspi-config"))
        return False
    boot.do()
    return True


def _has_buses(computer: Computer) -> bool:
    return computer.path("dev/spidev0.0").exists()


def _remove(computer: Computer, *, has_boot: bool, purges: bool) -> int:
    program = Program(computer, SOURCE)
    computer.say(_("This takes out tapmat's service, its program, its user and its boot lines."))
    kept = (
        _("Journal and tags in {folder} go too.")
        if purges
        else _("Journal and tags in {folder} stay.")
    )
    computer.say(kept.format(folder=f"/{STATE}"))
    if not computer.ask(_("Go on?")):
        computer.say(_("Nothing was changed."))
        return 1
    taken: list[Step] = [Service(computer, program)]
    if has_boot:
        taken.append(Boot(computer, program))
    for step in (*taken, Command(computer), program, User(computer)):
        step.undo()
    if purges:
        for name in (STATE, str(Path(TABLE).parent)):
            shutil.rmtree(computer.path(name), ignore_errors=True)
    computer.say(_("Done. The buses are off after the next start, if nothing else turns them on."))
    return 0


def _changes(steps: Sequence[Step]) -> list[str]:
    return [change for step in steps for change in step.changes()]


def _do(computer: Computer, steps: Sequence[Step]) -> None:
    for step in steps:
        for change in step.changes():
            computer.say(f"- {change}")
        if step.changes():
            step.do()


def _yes(_question: str) -> bool:
    return True


def _asked(question: str) -> bool:
    """Ask at the terminal; without one the answer is no."""
    try:
        choices = _("[y/N]")
        answer = input(f"{question} {choices} ").strip().lower()
        return answer in ("y", "yes", *_("y yes").split())
    except EOFError:
        return False


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="install-pi",
        description=_("Set this Raspberry Pi up for a table. Safe to repeat."),
    )
    add: Callable[..., object] = parser.add_argument
    table = _("your table.toml; else the default table")
    add("--table", type=Path, default=DEFAULT_TABLE, help=table)
    add("--yes", action="store_true", help=_("do not ask"))
    add("--dry-run", action="store_true", help=_("only say what would be changed"))
    add("--no-boot", action="store_true", help=_("leave the boot file as it is"))
    add("--remove", action="store_true", help=_("take it out again; journal and tags stay"))
    purge = _("with --remove: journal, tags and table.toml go too")
    add("--purge", action="store_true", help=purge)
    return parser


if __name__ == "__main__":
    os.umask(0o022)  # the program must be readable for the table's own user
    sys.exit(main())
