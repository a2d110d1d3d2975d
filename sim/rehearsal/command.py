"""``tapmat rehearse``: runs rehearsals one after the other, each on a mat of its own.

Room: sim/rehearsal.
"""

import json
import logging
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from gettext import gettext as _
from itertools import chain, repeat
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

import firmware.loop
from firmware.cli import EXIT_FAILED, EXIT_OK
from firmware.config import (
    CHIP_SELECTS,
    FIELDS_AT_ONCE,
    PINS,
    ReaderConfig,
    TableConfig,
    pins_in_use,
)
from sim.mat import Mat
from sim.rehearsal.grammar import Expect, Line, Prepare, RehearsalError, Tilt, parse
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

    And with a tilt switch, if it rocks that.

    Raises:
        RehearsalError: *file* cannot be read, or asks for what cannot be done at this table.
        TapmatError: see ``run_rehearsals``.
    """
    lines = parse(_text(file), str(file))
    with ExitStack() as opened:
        folder = state or Path(opened.enter_context(TemporaryDirectory()))
        opened.enter_context(faults_on_purpose())
        mat = Mat(with_parts(with_deck(config, lines, file.parent), lines), folder)
        opened.callback(mat.close)
        failure: Failure | None = Runner(mat).play(lines)
        stated = sum(isinstance(line.verb, Expect) for line in lines)
        return Report(str(file), stated, failure, mat.view if mat.is_on else None, mat)


@contextmanager
def faults_on_purpose() -> Iterator[None]:
    """Keep the log silent about parts: what breaks in a rehearsal breaks on purpose."""
    log = logging.getLogger(firmware.loop.__name__)
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


def with_deck(config: TableConfig, lines: Sequence[Line], folder: Path) -> TableConfig:
    """*config* with the deck that the rehearsal of *lines*, a file in *folder*, names.

    Raises:
        RehearsalError: there is no such file, or no game whose deck it could be.
    """
    prepared = [(line, line.verb) for line in lines if isinstance(line.verb, Prepare)]
    game = next((verb.values[0] for _line, verb in prepared if verb.what == "game"), None)
    for line, verb in prepared:
        if verb.what != "deck":
            continue
        if game is None:
            found = _("a deck of no game")
            raise RehearsalError(line.place, found, _("Name the game: game straw"))
        deck = folder / verb.values[0]
        if not deck.is_file():
            remedy = _("Name a deck file, seen from the rehearsal's folder")
            found = _("there is no file {file}").format(file=deck)
            raise RehearsalError(line.place, found, remedy)
        config = replace(config, decks={**config.decks, game: deck})
    return config


def with_parts(config: TableConfig, lines: Sequence[Line]) -> TableConfig:
    """*config* with every part that the rehearsal of *lines* needs."""
    config = _with_readers(config, lines)
    if config.tilt_pin is None and any(isinstance(line.verb, Tilt) for line in lines):
        config = replace(config, tilt_pin=next(iter(_free_pins(config)), None))
    return config


def _free_pins(config: TableConfig) -> list[int]:
    """The pins on which *config* has no part.

    An emulated bus is on no pins, so those it keeps from other parts are free: five or more.
    """
    return sorted(set(PINS) - {pin for _key, pin in pins_in_use(config)})


def _with_readers(config: TableConfig, lines: Sequence[Line]) -> TableConfig:
    """*config* with a reader on every spot the rehearsal needs.

    They come on free chip selects, and when those have run out, side by side on the last one.
    """
    have = {reader.spot for reader in config.readers}
    needed = [spot for spot in spots_of(lines) if spot not in have]
    if not needed:
        return config
    taken = {reader.spi for reader in config.readers}
    free = (spi for spi in CHIP_SELECTS if spi not in taken)
    added = (
        ReaderConfig.at(spot, spi)
        for spot, spi in zip(needed, chain(free, repeat(CHIP_SELECTS[-1])), strict=False)
    )
    readers = _told_apart((*config.readers, *added), _free_pins(config))
    in_turn = config.fields.in_turn or len(readers) > FIELDS_AT_ONCE
    return replace(config, readers=readers, fields=replace(config.fields, in_turn=in_turn))


def _told_apart(readers: Sequence[ReaderConfig], free_pins: list[int]) -> tuple[ReaderConfig, ...]:
    """*readers* with a select pin for each that shares a chip select and has none.

    At nine readers no more than five lack one, and so many pins are always free.
    """
    sharers = Counter(reader.spi for reader in readers)
    free = iter(free_pins)
    return tuple(
        replace(reader, select_pin=next(free))
        if sharers[reader.spi] > 1 and reader.select_pin is None
        else reader
        for reader in readers
    )


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        remedy = _("Save the rehearsal as UTF-8 text")
        found = _("byte {place} is not UTF-8").format(place=error.start)
        raise RehearsalError(str(file), found, remedy) from None
    except OSError as error:
        remedy = _("Name a rehearsal, a text file of verbs")
        raise RehearsalError(str(file), str(error.strerror), remedy) from None
