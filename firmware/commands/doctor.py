"""``tapmat doctor``: check the table, print the findings and save them beside the journal."""

import logging
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from firmware.commands.options import EXIT_FAILED, EXIT_MISSING_PART, EXIT_OK, SIM
from firmware.commands.stand_ins import stand_in
from firmware.common.errors import OutputError, StateFolderError, TapmatError
from firmware.config.table_config import TableConfig, load_config
from firmware.doctor.computer import Computer
from firmware.doctor.examination import DoctorOptions, Examination
from firmware.doctor.findings import DoctorReport, Verdict
from firmware.doctor.printing import as_text, print_json, print_report, print_verdict
from firmware.doctor.report import report_text
from firmware.doctor.terminal import operator_at
from firmware.journal.log_file import save_report
from firmware.journal.state_folder import state_folder
from firmware.runtime.display_wiring import open_computer
from hardware.ports import Board

REPORT = "report.txt"  # in the state folder


def load_config_to_check(table: Path | None, state: Path | None, is_emulated: bool) -> TableConfig:
    """Return the configuration in *table*, the file ``table.toml``; None is the default file.

    If it cannot be used, and the table is not emulated, save the error as the doctor's report.
    *state* is the state folder.

    Raises:
        ConfigError: *table* cannot be used.
    """
    try:
        return load_config(table)
    except TapmatError as error:
        if not is_emulated:
            _keep_report(state, str(error))
        raise


def doctor_options(*, is_quick: bool, is_emulated: bool, as_json: bool) -> DoctorOptions:
    """Return the doctor's options for the flags of the command line.

    *is_quick* is ``--quick``, *is_emulated* is ``--sim``, and *as_json* is ``--json``. If all are
    False and input and output are a terminal, the doctor asks the person at the terminal to try the
    parts.
    """
    asks = not (is_emulated or as_json or is_quick)
    person = operator_at(sys.stdin, sys.stdout) if asks else None
    return DoctorOptions(is_quick=is_quick, is_emulated=is_emulated, person=person)


def run_doctor(
    config: TableConfig,
    state: Path | None,
    options: DoctorOptions,
    as_json: bool,
    out: TextIO | None = None,
) -> int:
    """Check the table of *config*, with this computer's own parts or emulated ones.

    Returns:
        The exit code: 0 if no check failed, 1 if one failed, 3 if a part is missing.

    Raises:
        MissingPart: emulated parts were asked for, and none are installed.
    """
    out = out or sys.stdout
    report = _examine(config, state, options)
    if as_json:
        print_json(report, out)
    else:
        print_report(report, out, report.shown)
        print_verdict(report, out)
    return _exit_code(report)


def write_report(
    config: TableConfig,
    state: Path | None,
    options: DoctorOptions,
    file: Path | None,
    out: TextIO | None = None,
) -> int:
    """Check the table as ``run_doctor`` does, and write a report for other people to *file*.

    Without *file*, it is written to ``report.txt`` in the state folder. It is printed too.

    Returns:
        The exit code of ``run_doctor``.

    Raises:
        OutputError: the file cannot be written; the report was printed.
        MissingPart: emulated parts were asked for, and none are installed.
        StateFolderError: there is no *file*, and the state folder cannot be used.
    """
    out = out or sys.stdout
    report = _examine(config, state, options)
    text = report_text(report, config, Computer(), state)
    print(text, file=out)
    file = file or state_folder(state) / REPORT
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as wrong:
        found = f"cannot be written ({wrong.strerror or wrong})"
        remedy = "Name a file that you may write, or copy the report from the terminal."
        raise OutputError(file, "", found, remedy) from wrong
    print(f"Written to {file}", file=out)
    return _exit_code(report)


def _examine(config: TableConfig, state: Path | None, options: DoctorOptions) -> DoctorReport:
    open_board: Callable[[TableConfig], Board] = lambda _: open_computer()  # noqa: E731
    if options.is_emulated:
        state = state or state_folder() / SIM
        open_board = stand_in("tapmat.boards")
    logging.disable(logging.WARNING)  # the report has what the parts would log
    try:
        report = Examination(config, open_board, Computer(), options).run(state)
    finally:
        logging.disable(logging.NOTSET)
    if not options.is_emulated:
        _keep_report(state, as_text(report))
    return report


def _exit_code(report: DoctorReport) -> int:
    if report.lacks_part:
        return EXIT_MISSING_PART
    return EXIT_FAILED if report.verdict is Verdict.FAIL else EXIT_OK


def _keep_report(state: Path | None, report: str) -> None:
    """Save *report* in the state folder. If the folder cannot be used, only the report says so."""
    with suppress(StateFolderError):
        save_report(state_folder(state), report)
