"""``tapmat journal export``: write the results of finished games for other programs."""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from firmware.archive.describer import Describer
from firmware.archive.exports import FORMATS, rounds_csv
from firmware.archive.past import histories, history_of, replay
from firmware.archive.results import GameResult, NotFinished, result_of
from firmware.commands.journal import no_games_text
from firmware.commands.options import EXIT_OK, STDOUT, ResultFormat
from firmware.commands.progress import progress
from firmware.common.errors import JournalError, OutputError, TapmatError
from firmware.config.table_config import TableConfig
from firmware.journal.state_folder import state_folder
from firmware.runtime.controller import words_for

SUFFIXES = {
    ".csv": ResultFormat.CSV,
    ".json": ResultFormat.JSON,
    ".bgsplay": ResultFormat.BGSTATS,
}
MARKED = (ResultFormat.CSV,)  # Excel reads such a file as UTF-8 only with a byte order mark


class NoResult(TapmatError):
    """There is no finished game to export."""


class WrongFormat(TapmatError):
    """The format is unknown, or cannot hold what was asked for."""


@dataclass(frozen=True, slots=True)
class WantedResults:
    """The games to export, and how.

    *numbers* are the numbers of games; () is the last finished game, or every finished game if
    *has_all* is True. *form* is the format; None to choose it by the ending of the file's name.
    With *by_round*, CSV has a row for each player and round.
    """

    numbers: tuple[int, ...] = ()
    has_all: bool = False
    form: ResultFormat | None = None
    by_round: bool = False


def run_export_results(
    wanted: WantedResults,
    file: Path,
    config: TableConfig,
    state: Path | None,
    out: TextIO | None = None,
    err: TextIO | None = None,
) -> int:
    """Write results to the new *file*, or print them if it is "-".

    The names of games that are left out are printed to *err*.

    Raises:
        WrongFormat: the file's ending names no format, or a row for each round is wanted in a
            format other than CSV.
        NoResult: no game is finished.
        NotFinished: a game was asked for by its number, but is not finished.
        TapmatError: a game was asked for by its number, but cannot be read.
        OutputError: the file cannot be written.
    """
    out, err = out or sys.stdout, err or sys.stderr
    form = wanted.form or _form_of(file)
    if wanted.by_round and form is not ResultFormat.CSV:
        raise WrongFormat(f"--rounds is for the format csv, not for {form}.")
    folder = state_folder(state)
    results = _results(folder, wanted, err)
    write = rounds_csv if wanted.by_round else FORMATS[form]
    text = write(results, Describer(words_for(config.settings.language)).title)
    encoding = "utf-8-sig" if form in MARKED else "utf-8"
    count = "1 game" if len(results) == 1 else f"{len(results)} games"
    return write_or_print(file, text, count, out, encoding)


def _form_of(file: Path) -> ResultFormat:
    """Return the format that the ending of *file*'s name stands for; CSV if it has no ending.

    Raises:
        WrongFormat: no format has this ending.
    """
    form = SUFFIXES.get(file.suffix.lower(), None if file.suffix else ResultFormat.CSV)
    if form is None:
        known = ", ".join(SUFFIXES)
        raise WrongFormat(f"{file} does not end in one of {known}. Change it, or add --format.")
    return form


def _results(folder: Path, wanted: WantedResults, err: TextIO) -> Sequence[GameResult]:
    if wanted.numbers:
        numbers = dict.fromkeys(wanted.numbers)
        return [result_of(replay(history_of(folder, number))) for number in numbers]
    left_out: list[str] = []
    with progress(None, sys.stderr) as advance:
        found = list(
            _results_backwards(
                folder, left_out, lambda n: advance(f"Game {n}", 1), is_last=not wanted.has_all
            )
        )
    if left_out:
        print(f"Left out: {'; '.join(reversed(left_out))}.", file=err)
    if not found:
        raise NoResult("No game is finished yet." if left_out else no_games_text(folder, "export"))
    return found[::-1]


def _results_backwards(
    folder: Path, left_out: list[str], begin: Callable[[int], None], *, is_last: bool
) -> Iterator[GameResult]:
    """Yield the results of finished games, the newest first; if *is_last*, only one.

    *begin* is called with each game's number before the game is replayed. For each game that is
    skipped, the reason is added to *left_out*.
    """
    for history in reversed(list(histories(folder))):
        begin(history.number)
        try:
            past = replay(history)
        except JournalError:
            why = "cannot be read: tapmat journal verify says why"
            left_out.append(f"game {history.number} {why}")
            continue
        try:
            result = result_of(past)
        except NotFinished:
            left_out.append(f"game {past.number} is {past.ending}")
            continue
        yield result
        if is_last:
            return


def write_or_print(file: Path, text: str, count: str, out: TextIO, encoding: str = "utf-8") -> int:
    """Write *text* to the new *file*, and print that with its *count*; print it if it is "-".

    Raises:
        OutputError: the file cannot be written.
    """
    if file == STDOUT:
        out.write(text)
    else:
        _write_new(file, text, encoding)
        print(f"{file} was written: {count}.", file=out)
    return EXIT_OK


def _write_new(file: Path, text: str, encoding: str) -> None:
    """Write *text* to the new *file*; leave no part of it if that fails."""
    try:
        with file.open("x", encoding=encoding, newline="") as new:
            try:
                new.write(text)
                new.flush()
            except OSError:
                file.unlink()
                raise
    except OSError as wrong:
        found = f"cannot be written ({wrong.strerror or wrong})"
        raise OutputError(file, "", found, "Name a new file that you may write.") from wrong
