"""``tapmat rehearse``: runs rehearsals one after the other, each on a mat of its own.

Room: sim/rehearsal.
"""

import json
import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

import firmware.loop
from firmware.cli import EXIT_FAILED, EXIT_OK
from firmware.config import CHIP_SELECTS, ReaderConfig, TableConfig
from sim.mat import Mat
from sim.rehearsal.grammar import Expect, Line, RehearsalError, parse
from sim.rehearsal.runner import Failure, Report, Runner, as_json, spots_of


def run_rehearsals(
    files: Sequence[Path],
    config: TableConfig,
    state: Path | None = None,
    is_json: bool = False,
    out: TextIO | None = None,
) -> int:
    """Run *files*, and go on after one that cannot be played; exit with the worst that was.

    Returns:
        0: the mat answered everything as stated; 1: it did not; 2: a file cannot be read, or asks
        for what cannot be done at this table.

    Raises:
        TapmatError: configuration, decks or state folder cannot be used.
    """
    out = out or sys.stdout
    shapes, code = [], EXIT_OK
    for file in files:
        try:
            report = rehearse(file, config, state)
        except RehearsalError as wrong:
            code = max(code, wrong.exit_code)
            shapes.append({"file": str(file), "ok": False, "error": str(wrong)})
            if not is_json:
                print(wrong, file=sys.stderr, flush=True)
            continue
        code = max(code, EXIT_OK if report.is_ok else EXIT_FAILED)
        shapes.append(as_json(report))
        if not is_json:
            print(report, file=out, flush=True)
    if is_json:
        print(json.dumps(shapes, ensure_ascii=False), file=out)
    return code


def rehearse(file: Path, config: TableConfig, state: Path | None = None) -> Report:
    """Run one rehearsal on the table of *config*, with a reader on every spot it names.

    Raises:
        RehearsalError: *file* cannot be read, or asks for what cannot be done at this table.
        TapmatError: see ``run_rehearsals``.
    """
    lines = parse(_text(file), str(file))
    with ExitStack() as opened:
        folder = state or Path(opened.enter_context(TemporaryDirectory()))
        opened.enter_context(_faults_on_purpose())
        mat = Mat(_with_readers(config, lines, file), folder)
        opened.callback(mat.close)
        failure: Failure | None = Runner(mat).play(lines)
        stated = sum(isinstance(line.verb, Expect) for line in lines)
        return Report(str(file), stated, failure, mat.view if mat.is_on else None, mat)


@contextmanager
def _faults_on_purpose() -> Iterator[None]:
    """Keep the log silent about parts: what breaks in a rehearsal breaks on purpose."""
    log = logging.getLogger(firmware.loop.__name__)
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


def _with_readers(config: TableConfig, lines: Sequence[Line], file: Path) -> TableConfig:
    """*config* with readers on free chip selects for the spots the rehearsal needs."""
    have = {reader.spot for reader in config.readers}
    taken = {f"{reader.bus}.{reader.device}" for reader in config.readers}
    free = [select for select in CHIP_SELECTS if select not in taken]
    needed = [spot for spot in spots_of(lines) if spot not in have]
    if len(needed) > len(free):
        raise RehearsalError(
            str(file),
            f"it names {len(needed)} more spots than the table has, and {len(free)} can be added",
            "Use fewer spots, or name a table with --table",
        )
    added = (
        ReaderConfig(spot, *map(int, select.split(".")))
        for spot, select in zip(needed, free, strict=False)
    )
    return replace(config, readers=(*config.readers, *added))


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        remedy = "Save the rehearsal as UTF-8 text"
        raise RehearsalError(str(file), f"byte {error.start} is not UTF-8", remedy) from None
    except OSError as error:
        remedy = "Name a rehearsal, a text file of verbs"
        raise RehearsalError(str(file), str(error.strerror), remedy) from None
