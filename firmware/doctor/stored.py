"""Checks of the stored data: the journal, and which pieces of each deck have a tag.

The checks write nothing. They lock the state folder, so that no other tapmat starts before the
parts have been checked too.
"""

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Protocol

from engines.common.pieces import Deck, Piece
from firmware.boxes.box import is_optional
from firmware.boxes.decks import load_deck
from firmware.boxes.games import games
from firmware.boxes.register import TagRegister
from firmware.common.errors import DeckError, FolderInUse, JournalError, RegisterError
from firmware.config.table_config import TableConfig
from firmware.doctor.computer import Computer
from firmware.doctor.findings import Counts, DoctorReport, Finding, Verdict
from firmware.journal.journal import Journal, check_file, health_entries, lock_folder, sum_by_part
from firmware.runtime.controller import JOURNAL, REGISTER
from firmware.runtime.health import DEGRADED, FAULTS, OFFLINE

RECENT = timedelta(days=7)
USUAL_FAULTS = {  # the cause and its usual remedy, by the kind of fault
    "silent": ("its chip did not answer", "Check its SPI wires and 3.3 V"),
    "settings-lost": (
        "its chip lost its settings",
        "Its 3.3 V dips: use a stronger supply, or add 10 uF at the board",
    ),
    "stuck": ("its chip did not end an exchange", "Try another board"),
    "bus": ("its SPI device reported errors", "Check that nothing else uses its SPI device"),
    "lost": ("it did not answer at its I2C address", "Check its four wires"),
    "gain": ("its gain could not be set", "Use another reader board"),
    "hot": (
        "its chip was too hot",
        "Remove metal under its antenna, improve its airflow, and supply 3.3 V, not 5 V",
    ),
    "held": (
        "a wire of its I2C bus stayed low",
        "Its SDA or SCL touches GND at times: check the two wires",
    ),
    "dark": ("it lost power for a moment", "Its power comes and goes: check VCC and GND"),
}
NAMED = 3  # number of pieces without a tag to name; tapmat enrol shows the others


class FolderLock(Protocol):
    """A lock on the state folder. Until it is closed, no other tapmat can use the folder."""

    def close(self) -> None:
        """Release the lock."""
        ...


def look_at_journal(report: DoctorReport, computer: Computer, folder: Path) -> FolderLock:
    """Check the journal in *folder*, add the findings to *report*, and return a lock on the folder.

    Raises:
        FolderInUse: another tapmat is using the folder.
        JournalError: the folder cannot be locked.
    """
    path = folder / JOURNAL
    try:
        check_file(path)
        notes = health_entries(path)
        report.journal = sum_by_part(notes)
        report.findings += _trouble_warnings(sum_by_part(notes, computer.now() - RECENT))
        if not path.exists() or path.stat().st_size == 0:
            report.findings.append(Finding("journal", Verdict.OK, "none yet"))
            return lock_folder(path)
        journal = Journal(path)
    except FolderInUse:
        raise
    except JournalError as error:
        report.findings.append(Finding.from_file_fault("journal", error))
        return lock_folder(path)
    game = journal.open_game()
    found = "undamaged; no game is open"
    if game is not None:
        found = f"undamaged; a game of {game.start.game} is open, inputs: {len(game.inputs)}"
    report.findings.append(Finding("journal", Verdict.OK, found))
    return journal


def _trouble_warnings(counts: Counts) -> Iterator[Finding]:
    """Yield a warning, with the usual remedy, for each part that failed in the last ``RECENT``.

    *counts* has each part's counts of that time, from the journal.
    """
    for part, counted in counts.items():
        states = [
            f"{kind} {'once' if counted[kind] == 1 else f'{counted[kind]} times'}"
            for kind in (DEGRADED, OFFLINE)
            if counted.get(kind)
        ]
        faults = {kind: counted[kind] for kind in FAULTS if counted.get(kind)}
        if states and faults:
            cause, remedy = USUAL_FAULTS[max(faults, key=faults.__getitem__)]
            found = f"{', '.join(states)} in the last {RECENT.days} days, mostly because {cause}"
            yield Finding(part, Verdict.WARN, found, remedy)


def look_at_decks(
    config: TableConfig, folder: Path, *, is_emulated: bool = False
) -> Iterator[Finding]:
    """Check that each enrolled game has a tag on every piece.

    A game without any tag is skipped, because few people own every game. If no game has tags, that
    is a warning, except for an emulated table, which enrols its pieces by itself. A deck with tags
    on only some of its pieces is a warning too, because the table does not recognize the pieces
    without a tag.
    """
    decks: list[Deck] = []
    for name, game in games().items():
        try:
            decks.append(load_deck(game, config.decks.get(name)))
        except DeckError as error:
            yield Finding.from_file_fault(f"deck {name}", error)
    path = folder / REGISTER
    try:
        tagged = _tagged_pieces(path) if path.exists() else {}
    except RegisterError as error:
        yield Finding.from_file_fault("tags", error)
        return
    if any(tagged.values()):
        yield from (_deck(deck, tagged.get(deck.game, frozenset())) for deck in decks)
    elif is_emulated:
        yield Finding("decks", Verdict.OK, "the emulated table enrols its pieces by itself")
    else:
        found = "no game is enrolled yet, so the table knows no pieces"
        yield Finding("decks", Verdict.WARN, found, "For each game you own, run: tapmat enrol GAME")


def _tagged_pieces(path: Path) -> dict[str, frozenset[Piece]]:
    """Return each game's pieces for which the tag register at *path* has a tag."""
    with closing(TagRegister(path)) as register:
        return {name: frozenset(register.pieces(name)) for name in games()}


def _deck(deck: Deck, tagged: frozenset[Piece]) -> Finding:
    part, enrol = f"deck {deck.game}", f"Run: tapmat enrol {deck.game}"
    wanted = [piece for piece in deck.pieces() if not is_optional(deck.by_name[piece.kind])]
    lacking = [str(piece) for piece in wanted if piece not in tagged]
    if len(lacking) == len(wanted):
        found = "not checked: no piece has a tag yet"
        return Finding(part, Verdict.SKIP, found, f"To play it, run: tapmat enrol {deck.game}")
    if not lacking:
        found = f"all {len(wanted)} pieces have a tag"
        return Finding(part, Verdict.OK, found)
    found = "{lacking} of {count} pieces have no tag: {pieces}"
    if len(lacking) > NAMED:
        found = "{lacking} of {count} pieces have no tag: {pieces} and others"
    found = found.format(lacking=len(lacking), count=len(wanted), pieces=", ".join(lacking[:NAMED]))
    return Finding(part, Verdict.WARN, found, enrol)
