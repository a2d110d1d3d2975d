"""``tapmat journal verify``: the whole file, and every game by the rules that are installed.

Room: firmware/archive. Nothing is written and nothing held.
"""

from collections import Counter
from collections.abc import Iterator
from gettext import gettext as _
from gettext import ngettext
from pathlib import Path

from firmware.archive.files import check_archive, stickers_in
from firmware.archive.past import ARCHIVE, endings_in_words, histories, played
from firmware.controller import JOURNAL, REGISTER
from firmware.doctor.findings import Finding, Verdict
from firmware.errors import FileFault, JournalError, RegisterError
from firmware.journal import check_file


def findings(folder: Path) -> Iterator[Finding]:
    """What is right and what is wrong with what the state folder *folder* holds."""
    is_whole = True
    for path, look_through in ((folder / JOURNAL, check_file), (folder / ARCHIVE, check_archive)):
        if path.name == ARCHIVE and not path.exists():
            continue
        try:
            look_through(path)
        except JournalError as error:
            is_whole = False
            yield _failed(path.name, error)
        else:
            yield Finding(path.name, Verdict.OK, _("whole") if path.exists() else _("none yet"))
    try:
        yield from _games(folder)
    except JournalError as error:
        if is_whole:
            yield _failed("games", error)
    try:
        count = len(stickers_in(folder / REGISTER))
    except RegisterError as error:
        yield _failed(REGISTER, error)
    else:
        found = ngettext("whole; {count} sticker", "whole; {count} stickers", count)
        yield Finding(REGISTER, Verdict.OK, found.format(count=count))


def _games(folder: Path) -> Iterator[Finding]:
    """A failure for each game that cannot be played again, and how many can.

    Raises:
        JournalError: the journal cannot be read at all.
    """
    endings: Counter[str] = Counter()
    plays = 0
    for history in histories(folder):
        try:
            past = played(history)
        except JournalError as error:
            yield _failed(f"game {history.number}", error)
        else:
            endings[past.ending] += 1
            plays += len(past.plays)
    told = endings_in_words(endings)
    found = _("{games} can be played again, {plays} plays in all").format(
        games=endings.total(), plays=plays
    )
    yield Finding("games", Verdict.OK, f"{found} ({told})" if told else found)


def _failed(part: str, error: FileFault) -> Finding:
    """What *error* says of *part*, which says where already."""
    found = " ".join(filter(None, (error.key, error.found)))
    return Finding(part, Verdict.FAIL, found, error.remedy)
