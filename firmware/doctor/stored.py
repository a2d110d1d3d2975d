"""The checks of what is stored: the journal, whole and foldable, and the tags of each deck.

Room: firmware/doctor. Nothing is written; the folder is held while the parts are looked at, so that
no other tapmat starts meanwhile.
"""

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Protocol

from engines.common.pieces import Deck, Piece
from firmware.boxes import is_optional
from firmware.config import TableConfig
from firmware.controller import JOURNAL, REGISTER
from firmware.decks import load_deck
from firmware.doctor.computer import Computer
from firmware.doctor.findings import Counts, Finding, Report, Verdict
from firmware.errors import DeckError, FolderInUse, JournalError, RegisterError
from firmware.games import games
from firmware.health import DEGRADED, FAULTS, OFFLINE
from firmware.journal import Journal, added_up, check_file, hold, notes_in
from firmware.register import TagRegister

RECENT = timedelta(days=7)
OFTEN_BEHIND = {  # what to look for, by the kind of fault
    "silent": "Check its SPI wires and 3.3 V",
    "settings-lost": "Its 3.3 V dips: a stronger supply, or 10 uF at the board",
    "stuck": "Try another board",
    "bus": "Check that nothing else uses its SPI device",
    "lost": "Check its four wires",
    "dark": "Its power comes and goes: check VCC and GND",
}
NAMED = 3  # missing pieces that are named; the enrolling shows the others


class Held(Protocol):
    """What keeps other tapmats out until it is closed."""

    def close(self) -> None:
        """Let them in."""
        ...


def look_at_journal(report: Report, computer: Computer, folder: Path) -> Held:
    """Look through the journal, and hold the folder.

    Raises:
        FolderInUse: another tapmat is in it.
        JournalError: it cannot be held.
    """
    path = folder / JOURNAL
    try:
        check_file(path)
        notes = notes_in(path)
        report.journal = added_up(notes)
        report.findings += _troubled(added_up(notes, computer.now() - RECENT))
        if not path.exists() or path.stat().st_size == 0:
            report.findings.append(Finding("journal", Verdict.OK, "none yet"))
            return hold(path)
        journal = Journal(path)
    except FolderInUse:
        raise
    except JournalError as error:
        report.findings.append(Finding.failed("journal", error))
        return hold(path)
    game = journal.open_game()
    open_game = "no game is open"
    if game is not None:
        open_game = f"{game.start.game} is open, plays so far: {len(game.inputs)}"
    report.findings.append(Finding("journal", Verdict.OK, f"whole; {open_game}"))
    return journal


def _troubled(counts: Counts) -> Iterator[Finding]:
    """A warning for each part that the journal tells trouble of, and what is most often behind it.

    *counts* are of the last ``RECENT``: what was mended by hands long ago warns of nothing.
    """
    for part, counted in counts.items():
        told = [
            f"{kind} {counted[kind]} times" for kind in (DEGRADED, OFFLINE) if counted.get(kind)
        ]
        faults = {kind: counted[kind] for kind in FAULTS if counted.get(kind)}
        if told and faults:
            worst = max(faults, key=faults.__getitem__)
            found = f"in the last {RECENT.days} days it was {' and '.join(told)}, mostly {worst}"
            yield Finding(part, Verdict.WARN, found, OFTEN_BEHIND[worst])


def look_at_decks(config: TableConfig, folder: Path) -> Iterator[Finding]:
    """How many pieces of each game have a tag.

    None is no fault: nobody owns every game. A part of a deck is: a piece without a tag is a
    stranger to the mat, in the middle of a game.
    """
    path = folder / REGISTER
    try:
        tagged = _tagged(path) if path.exists() else {}
    except RegisterError as error:
        yield Finding.failed("tags", error)
        return
    for name, game in games().items():
        try:
            deck = load_deck(game, config.decks.get(name))
        except DeckError as error:
            yield Finding.failed(f"deck {name}", error)
        else:
            yield _deck(deck, tagged.get(name, frozenset()))


def _tagged(path: Path) -> dict[str, frozenset[Piece]]:
    with closing(TagRegister(path)) as register:
        return {name: frozenset(register.pieces(name)) for name in games()}


def _deck(deck: Deck, tagged: frozenset[Piece]) -> Finding:
    part, enrol = f"deck {deck.game}", f"Run: tapmat enrol {deck.game}"
    wanted = [piece for piece in deck.pieces() if not is_optional(deck.by_name[piece.kind])]
    lacking = [str(piece) for piece in wanted if piece not in tagged]
    if len(lacking) == len(wanted):
        return Finding(part, Verdict.OK, "no piece has a tag yet", enrol)
    if not lacking:
        return Finding(part, Verdict.OK, f"all {len(wanted)} pieces have a tag")
    named = ", ".join(lacking[:NAMED]) + (" and others" if len(lacking) > NAMED else "")
    found = f"{len(lacking)} of {len(wanted)} pieces have no tag: {named}"
    return Finding(part, Verdict.WARN, found, enrol)
