"""``./install-pi`` and ``make pi``: install tapmat on this Raspberry Pi, or remove it.

The command parses its arguments, lists the changes, asks for confirmation, and makes them.
"""

import argparse
import shutil
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

from firmware.common.errors import word_list
from firmware.pi.boot import Needs
from firmware.pi.bundle import unpacked_source
from firmware.pi.computer import (
    LITTLE,
    MB,
    CommandFault,
    DiskFull,
    SetUpFault,
    TargetComputer,
    fault_of,
    raising_on_kill,
)
from firmware.pi.releases import HOME
from firmware.pi.service import InstalledService
from firmware.pi.source import ProjectSource, read_needs
from firmware.pi.state import STATE, StateFiles
from firmware.pi.steps import (
    BOOT,
    CONFIG,
    COPY,
    TABLE,
    BootFile,
    FirstKey,
    Packages,
    Program,
    SetUpStep,
    TableFile,
    User,
)

SOURCE = Path(__file__).parents[2]
DEFAULT_TABLE = SOURCE / "firmware" / "config" / "table.toml"
ASK_COMPANION = "Show the table on phones and televisions in your network?"
RELEASE_BYTES = 250 * MB  # room for one release, and for the files that pip unpacks meanwhile


def main(words: Sequence[str] | None = None, computer: TargetComputer | None = None) -> int:
    """Run the installer with the arguments *words*.

    Returns:
        The exit code: 0 if it succeeded, 1 if it failed, 130 after Ctrl-C.
    """
    given = _parser().parse_args(words)
    computer = computer or TargetComputer(
        partial(print, flush=True), answer_yes if given.yes else ask_at_terminal
    )
    return run_reporting(lambda: _run(computer, given), computer)


def run_reporting(action: Callable[[], int], computer: TargetComputer) -> int:
    """Run *action* and return its exit code.

    If it fails, print the reason and return 1, or 130 after Ctrl-C.
    """
    try:
        with raising_on_kill():
            return action()
    except (SetUpFault, OSError) as fault:
        _print_fault(computer, fault_of(fault) if isinstance(fault, OSError) else fault)
    except KeyboardInterrupt:
        computer.say("Stopped. Run the installer again to finish.")
        return 130
    return 1


def _print_fault(computer: TargetComputer, fault: SetUpFault) -> None:
    """Print *fault*, and the free space if a disk is full or nearly full."""
    computer.say(str(fault))
    if isinstance(fault, DiskFull):
        computer.say(f"Free space now: {computer.free_space()}.")
    elif isinstance(fault, CommandFault) and (low := computer.free_space(LITTLE)):
        computer.say(f"There is little free space: {low}. If that was the cause, free some.")


def _run(computer: TargetComputer, given: argparse.Namespace) -> int:
    computer.check()
    if given.dry_run:
        return _run_alone(computer, given)
    computer.check_root()
    with computer.lock(HOME):
        return _run_alone(computer, given)


def _run_alone(computer: TargetComputer, given: argparse.Namespace) -> int:
    if given.remove:
        return _remove(computer, has_boot=not given.no_boot, purges=given.purge)
    if given.rollback:
        return _roll_back(computer)
    own = nullcontext(ProjectSource(SOURCE))
    with own if given.bundle is None else unpacked_source(given.bundle) as source:
        return _install(
            computer,
            source,
            given.table,
            has_boot=not given.no_boot,
            is_dry=given.dry_run,
            is_attended=not given.yes,
        )


def _install(
    computer: TargetComputer,
    source: ProjectSource,
    named: Path | None,
    *,
    has_boot: bool,
    is_dry: bool,
    is_attended: bool,
) -> int:
    computer.say(f"{computer.model or 'This computer'}, {computer.system['PRETTY_NAME']}")
    table, packages = TableFile(computer, named or DEFAULT_TABLE), Packages(computer)
    program, service = Program(computer, source), InstalledService(computer)
    settings = (User(computer), table, FirstKey(computer, source.signer))
    if source.wheels is not None:
        packages.check_offline()
    fetched = (packages,) * (source.wheels is None)
    steps: list[SetUpStep] = [*fetched, program, *settings]
    needed = _check_needs(computer, program, table)
    boot_changes = _boot_changes(computer, needed, has_boot=has_boot)
    if named is not None and (remark := table.remark()):
        computer.say(remark)
    is_running = service.is_running(program.folder, needed)
    starts = ("start tapmat with the computer, and now if the buses of its table are on",)
    changes = [*_changes(steps), *starts * (not is_running)]
    if is_dry:
        for change in (*changes, *boot_changes):
            computer.say(f"  would {change}")
        return 0
    if not changes and not boot_changes:
        computer.say("Nothing to do: this version is installed and running.")
        return 0
    for change in changes:
        computer.say(f"  will {change}")
    if not computer.ask("Continue?"):
        computer.say("Nothing was changed.")
        return 1
    _do(computer, [*fetched, program])
    needs = read_needs(computer, (str(program.python),), table.file)
    assert needs is not None, "the installed program has the libraries to read a table"
    table.check(needs)
    may_ask = is_attended and bool(table.changes())
    _do(computer, settings)
    needs = _offer_companion(computer, table, needs, may_ask=may_ask)
    boot = BootFile(computer, needs) if has_boot else None
    is_changed = boot is not None and _change_boot(computer, boot)
    if not is_running:
        computer.say(f"- {starts[0]}")
        service.switch_to(program.folder, needs)
    if service.releases.is_on_trial:
        computer.say(
            "This version is on trial: if it fails within its first ten minutes, the previous one"
            " runs again by itself."
        )
    _print_next_steps(computer, service.missing(needs), boot, is_changed)
    return 0


def _offer_companion(
    computer: TargetComputer, table: TableFile, needs: Needs, *, may_ask: bool
) -> Needs:
    """Ask if the companion should be on, and switch it on in table.toml; return the new needs.

    If *may_ask* is False, or the companion is on already, return *needs* unchanged.
    """
    if not may_ask or needs.has_companion or not computer.ask(ASK_COMPANION):
        return needs
    if not table.switch_companion_on():
        computer.say(f"Write on = true under [companion] in /{TABLE}, and run this again.")
        return needs
    return replace(needs, has_companion=True)


def _check_needs(computer: TargetComputer, program: Program, table: TableFile) -> Needs | None:
    """Return the requirements of the table; None if they cannot be read before the installation.

    Raises:
        SetUpFault: the table cannot be used, or the disk has too little room. Nothing was changed.
    """
    if not table.file.is_file():
        raise SetUpFault(f"There is no file {table.file}.", "Name your table.toml with --table.")
    needs = program.source.needs(computer, table.file)
    if needs is not None:
        table.check(needs)
    if program.changes():
        computer.check_room({HOME: RELEASE_BYTES, STATE: StateFiles(computer).size})
    return needs


def _boot_changes(
    computer: TargetComputer, needs: Needs | None, *, has_boot: bool
) -> tuple[str, ...]:
    """Return the changes to the boot file in words; empty if there is no boot file to change.

    If *needs* is None, it is not known yet whether the table needs changes, and the words say so.
    """
    if not has_boot:
        return ()
    if needs is None:
        return ("turn on SPI and I2C in the boot file, if the table needs them",)
    return BootFile(computer, needs).changes()


def _change_boot(computer: TargetComputer, boot: BootFile) -> bool:
    """List the changes to the boot file, ask, and make them; return True if they were made."""
    changes = boot.changes()
    for change in changes:
        computer.say(f"  will {change}")
    if not changes:
        return False
    if not computer.ask("Change the boot file?"):
        computer.say("The boot file was not changed.")
        return False
    boot.do()
    return True


def _print_next_steps(
    computer: TargetComputer, missing: Sequence[str], boot: BootFile | None, is_changed: bool
) -> None:
    """Print what the user must still do until the table runs.

    *missing* are the device files that do not exist yet. *boot* is None if the boot file was left
    alone, and *is_changed* is True if it was changed just now.
    """
    computer.say(f"Done. The table is described in /{TABLE}; tapmat doctor checks every part.")
    if not missing:
        if is_changed:
            computer.say("Restart this computer now: sudo reboot")
        return
    computer.say(f"The table cannot start yet: it needs {word_list(missing)}.")
    if boot is None or boot.changes():
        computer.say("Turn SPI and I2C on: sudo raspi-config, Interface Options.")
    computer.say("Restart this computer now: sudo reboot")
    computer.say("Then the table starts by itself. If it does not, run: tapmat doctor")


def _roll_back(computer: TargetComputer) -> int:
    service = InstalledService(computer)
    before = service.releases.previous
    if before is None:
        raise SetUpFault("There is no version to go back to.", "Nothing was changed.")
    needs = read_needs(computer, (str(before / "bin" / "python"),), computer.path(TABLE))
    assert needs is not None, "a release has the libraries to read a table"
    computer.say(f"This goes back to {before.name}, with the games and stickers that it had then.")
    computer.say("Games played since then are kept: another --rollback brings them back.")
    if not computer.ask("Continue?"):
        computer.say("Nothing was changed.")
        return 1
    service.roll_back(needs)
    computer.say(f"Done. The table runs {before.name}.")
    return 0


def _remove(computer: TargetComputer, *, has_boot: bool, purges: bool) -> int:
    computer.say("This removes tapmat's service, its program, its user and its boot lines.")
    computer.say(f"Games and stickers in /{STATE} are {'removed too' if purges else 'kept'}.")
    if not computer.ask("Continue?"):
        computer.say("Nothing was changed.")
        return 1
    InstalledService(computer).undo()
    Program(computer, ProjectSource(SOURCE)).undo()
    User(computer).undo()
    if purges:
        StateFiles(computer).purge()
        shutil.rmtree(computer.path(TABLE).parent, ignore_errors=True)
    if has_boot:  # last, when the rest has made room
        try:
            BootFile(computer, Needs((), ())).undo()
        except DiskFull as full:
            left = f"tapmat is removed, except for its lines in /{CONFIG}."
            raise DiskFull(left, str(full)) from full
        if purges:
            with computer.writable(BOOT):
                computer.remove(COPY)
    computer.say(
        "Done. The buses are off after the next restart, unless something else turns them on."
    )
    return 0


def _changes(steps: Sequence[SetUpStep]) -> list[str]:
    return [change for step in steps for change in step.changes()]


def _do(computer: TargetComputer, steps: Sequence[SetUpStep]) -> None:
    for step in steps:
        for change in step.changes():
            computer.say(f"- {change}")
        if step.changes():
            step.do()


def answer_yes(_question: str) -> bool:
    """Return True for every question."""
    return True


def ask_at_terminal(question: str) -> bool:
    """Ask *question* at the terminal; return True for yes, and False without a terminal."""
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="install-pi",
        description="Install tapmat on this Raspberry Pi. It is safe to run this again.",
    )
    add: Callable[..., object] = parser.add_argument
    add("--table", type=Path, help="your table.toml (default: the table with everything)")
    add("--yes", action="store_true", help="do not ask")
    add("--dry-run", action="store_true", help="only list the changes; needs no sudo")
    add("--no-boot", action="store_true", help="do not change the boot file")
    add("--bundle", metavar="FILE", type=Path, help="install from this file, without a network")
    back = "go back to the previous version, with its games and stickers"
    add("--rollback", action="store_true", help=back)
    add("--remove", action="store_true", help="remove tapmat; games and stickers stay")
    purge = "with --remove: also remove games, stickers, table.toml and all copies"
    add("--purge", action="store_true", help=purge)
    return parser
