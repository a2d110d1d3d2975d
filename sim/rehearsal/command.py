"""``tapmat rehearse``: runs rehearsals one by one, each on a new mat."""

import json
import logging
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

import firmware.runtime.loop
from firmware.commands.options import EXIT_FAILED, EXIT_OK
from firmware.commands.progress import progress
from firmware.common.bounded_file import read_bounded
from firmware.config.table_config import (
    CHIP_SELECTS,
    FIELDS_AT_ONCE,
    PINS,
    ReaderConfig,
    TableConfig,
    bus_pins,
    pins_in_use,
)
from sim.mat.mat import Mat
from sim.rehearsal.grammar import Expect, Prepare, RehearsalError, RehearsalLine, Tilt, parse
from sim.rehearsal.runner import Mismatch, RehearsalReport, Runner, as_json, spots_of


def run_rehearsals(
    files: Sequence[Path],
    config: TableConfig,
    state: Path | None = None,
    is_json: bool = False,
    out: TextIO | None = None,
) -> int:
    """Run all *files*, print the results, and return the highest exit code.

    Returns:
        0: all expectations were met; 1: one was not; 2: a file cannot be read, or asks for
        something that is impossible at this table.

    Raises:
        TapmatError: configuration, decks or state folder cannot be used.
    """
    out = out or sys.stdout
    shapes, code = [], EXIT_OK
    for file in _in_turn(files):
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


def _in_turn(files: Sequence[Path]) -> Iterator[Path]:
    """Yield *files*.

    Show the progress on stderr if there are several files and stdout is not a terminal.
    """
    is_seen = sys.stdout.isatty()  # the line of each file shows the progress
    if len(files) == 1 or is_seen:
        yield from files
        return
    with progress(len(files), sys.stderr) as advance:
        for file in files:
            advance(file.name, 0)
            yield file
            advance(file.name, 1)


def rehearse(file: Path, config: TableConfig, state: Path | None = None) -> RehearsalReport:
    """Run one rehearsal on the table of *config*, and return its report.

    The table gets a reader on every spot that the rehearsal names, and a tilt switch if needed.

    Raises:
        RehearsalError: *file* cannot be read, or asks for something impossible at this table.
        TapmatError: see ``run_rehearsals``.
    """
    lines = read_rehearsal(file)
    with ExitStack() as opened:
        folder = state or Path(opened.enter_context(TemporaryDirectory()))
        opened.enter_context(faults_on_purpose())
        mat = Mat(with_parts(with_deck(config, lines, file.parent), lines), folder)
        opened.callback(mat.close)
        failure: Mismatch | None = Runner(mat).play(lines)
        stated = sum(isinstance(line.verb, Expect) for line in lines)
        return RehearsalReport(str(file), stated, failure, mat.view if mat.is_on else None, mat)


def read_rehearsal(file: Path) -> Sequence[RehearsalLine]:
    """Return the lines of a rehearsal.

    Raises:
        RehearsalError: *file* cannot be read, or has a line that cannot be parsed.
    """
    return parse(_text(file), str(file))


@contextmanager
def faults_on_purpose() -> Iterator[None]:
    """Do not log failed parts during the block, because rehearsals break parts on purpose."""
    log = logging.getLogger(firmware.runtime.loop.__name__)
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


def with_deck(config: TableConfig, lines: Sequence[RehearsalLine], folder: Path) -> TableConfig:
    """Return *config* with the deck that *lines* name, a file in the rehearsal's *folder*.

    Raises:
        RehearsalError: there is no such file, or no line names the game.
    """
    prepared = [(line, line.verb) for line in lines if isinstance(line.verb, Prepare)]
    game = next((verb.values[0] for _line, verb in prepared if verb.what == "game"), None)
    for line, verb in prepared:
        if verb.what != "deck":
            continue
        if game is None:
            found = "a deck is named, but no game"
            raise RehearsalError(line.place, found, "Name the game first: game straw")
        deck = folder / verb.values[0]
        if not deck.resolve().is_relative_to(folder.resolve()):
            remedy = "Copy the deck file beside the rehearsal, and write its path from there"
            found = f"the deck {verb.values[0]} is outside the rehearsal's folder"
            raise RehearsalError(line.place, found, remedy)
        if not deck.is_file():
            remedy = "Write the deck file's path from the rehearsal's folder"
            found = f"there is no file {deck}"
            raise RehearsalError(line.place, found, remedy)
        config = replace(config, decks={**config.decks, game: deck})
    return config


def with_parts(config: TableConfig, lines: Sequence[RehearsalLine]) -> TableConfig:
    """Return *config* with every part that *lines* need."""
    config = _with_readers(config, lines)
    if config.tilt_pin is None and any(isinstance(line.verb, Tilt) for line in lines):
        config = replace(config, tilt_pin=next(iter(_free_pins(config)), None))
    return config


def _free_pins(config: TableConfig) -> list[int]:
    """Return the GPIO pins without a part in *config*, at least five.

    Emulated buses need no pins, so the pins of buses count as free. They come last in the list,
    because real buses need them.
    """
    free = set(PINS) - {pin for _key, pin in pins_in_use(config)}
    return sorted(free, key=lambda pin: (pin in bus_pins(config), pin))


def _with_readers(config: TableConfig, lines: Sequence[RehearsalLine]) -> TableConfig:
    """Return *config* with a reader on every spot that *lines* need.

    New readers get the free chip selects. When no chip select is free, they share the last one.
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
    readers = _with_select_pins((*config.readers, *added), _free_pins(config))
    in_turn = config.fields.in_turn or len(readers) > FIELDS_AT_ONCE
    return replace(config, readers=readers, fields=replace(config.fields, in_turn=in_turn))


def _with_select_pins(
    readers: Sequence[ReaderConfig], free_pins: list[int]
) -> tuple[ReaderConfig, ...]:
    """Return *readers* with a select pin for each one that shares a chip select.

    A table has nine readers at most, so at most five need a pin, and five are always free.
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
        return read_bounded(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        remedy = "Save the rehearsal as UTF-8 text"
        found = f"byte {error.start} is not UTF-8"
        raise RehearsalError(str(file), found, remedy) from None
    except OSError as error:
        remedy = "Give the path of a rehearsal, which is a text file of verbs"
        raise RehearsalError(str(file), str(error.strerror), remedy) from None
