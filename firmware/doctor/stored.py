"""The checks of what is stored: the journal, whole and foldable, and the tags of each deck.

Room: firmware/doctor. Nothing is written; the folder is held while the parts are looked at, so that
no other tapmat starts meanwhile.
"""

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from gettext import gettext as _
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
N_ = str  # marks a text for the catalogues; it is translated where it is used
OFTEN_BEHIND = {  # what to look for, by the kind of fault
    "silent": N_("Check its SPI wires and 3.3 V"),
    "settings-lost": N_("Its 3.3 V dips: a stronger supply, or 10 uF at the board"),
    "stuck": N_("Try another board"),
    "bus": N_("Check that nothing else uses its SPI device"),
    "lost": N_("Check its four wires"),
    "dark": N_("Its power comes and goes: check VCC and GND"),
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
            report.findings.append(Finding("journal", Verdict.OK, _("none yet")))
            return hold(path)
        journal = Journal(path)
    except FolderInUse:
        raise
    except JournalError as error:
        report.findings.append(Finding.failed("journal", error))
        return hold(path)
    game = journal.open_game()
    found = _("whole; no game is open")
    if game is not None:
        found = _("whole; {game} is open, plays so far: {count}").format(
            game=game.start.game, count=len(game.inputs)
        )
    report.findings.append(Finding("journal", Verdict.OK, found))
    return journal


def _troubled(counts: Counts) -> Iterator[Finding]:
    """A warning for each part that the journal tells trouble of, and what is most often behind it.

    *counts* are of the last ``RECENT``: what was mended by hands long ago warns of nothing.
    """
    for part, counted in counts.items():
        told = [
            _("{state} {count} times").format(state=kind, count=counted[kind])
            for kind in (DEGRADED, OFFLINE)
            if counted.get(kind)
        ]
        faults = {kind: counted[kind] for kind in FAULTS if counted.get(kind)}
        if told and faults:
            worst = max(faults, key=faults.__getitem__)
            found = _("in the last {days} days it was {told}, mostly {worst}").format(
                days=RECENT.days, told=", ".join(told), worst=worst
            )
            yield Finding(part, Verdict.WARN, found, _(OFTEN_BEHIND[worst]))


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
    part, enrol = f"deck {deck.game}", _("Run: tapmat enrol {game}").format(game=deck.game)
    wanted = [piece for piece in deck.pieces() if not is_optional(deck.by_name[piece.kind])]
    lacking = [str(piece) for piece in wanted if piece not in tagged]
    if len(lacking) == len(wanted):
        return Finding(part, Verdict.OK, _("no piece has a tag yet"), enrol)
    if not lacking:
        found = _("all {count} pieces have a tag").format(count=len(wanted))
        return Finding(part, Verdict.OK, found)
    found = _("{lacking} of {count} pieces have no tag: {pieces}")
    if len(lacking) > NAMED:
        found = _("{lacking} of {count} pieces have no tag: {pieces} and others")
    found = found.format(lacking=len(lacking), count=len(wanted), pieces=", ".join(lacking[:NAMED]))
    return Finding(part, Verdict.WARN, found, enrol)
