"""``tapmat journal verify``: check the files in the state folder, and replay every game.

No file is changed or locked.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from firmware.archive.files import check_archive, stickers_in
from firmware.archive.past import ARCHIVE, endings_in_words, histories, replay
from firmware.common.errors import FileFault, JournalError, RegisterError
from firmware.doctor.findings import Finding, Verdict
from firmware.journal.journal import check_file
from firmware.journal.recovery import copies_of, size_of
from firmware.runtime.controller import JOURNAL, REGISTER


def findings(folder: Path, begin: Callable[[int], None] = lambda number: None) -> Iterator[Finding]:
    """Check the state folder *folder*; yield a finding for each file and each broken game.

    *begin* is called with the number of each game before it is replayed, to show progress.
    """
    is_whole = True
    for path, check in ((folder / JOURNAL, check_file), (folder / ARCHIVE, check_archive)):
        if path.name == ARCHIVE and not path.exists():
            continue
        try:
            check(path)
        except JournalError as error:
            is_whole = False
            yield _failure(path.name, error)
        else:
            yield Finding(path.name, Verdict.OK, "whole" if path.exists() else "none yet")
    yield from _copies(folder)
    try:
        yield from _games(folder, begin)
    except JournalError as error:
        if is_whole:
            yield _failure("games", error)
    try:
        count = len(stickers_in(folder / REGISTER))
    except RegisterError as error:
        yield _failure(REGISTER, error)
    else:
        found = "undamaged; {count} sticker" if count == 1 else "undamaged; {count} stickers"
        yield Finding(REGISTER, Verdict.OK, found.format(count=count))


def _games(folder: Path, begin: Callable[[int], None]) -> Iterator[Finding]:
    """Yield a failure for each game that cannot be replayed, then the number of games that can.

    *folder* is the state folder. *begin* is called with the number of each game before it is
    replayed.

    Raises:
        JournalError: the journal cannot be read at all.
    """
    endings: Counter[str] = Counter()
    plays = 0
    for history in histories(folder):
        begin(history.number)
        try:
            past = replay(history)
        except JournalError as error:
            yield _failure(f"game {history.number}", error)
        else:
            endings[past.ending] += 1
            plays += len(past.plays)
    counts = endings_in_words(endings)
    found = f"{endings.total()} can be played again, {plays} plays in all"
    yield Finding("games", Verdict.OK, f"{found} ({counts})" if counts else found)


def _copies(folder: Path) -> Iterator[Finding]:
    """Yield a finding with the number of copies of damaged files, if there are any."""
    copies = [copy for name in (JOURNAL, REGISTER) for copy in copies_of(folder / name)]
    if copies:
        size = sum(map(size_of, copies))
        found = f"copies of damaged files: {len(copies)}, {size:,} bytes; newest {copies[0].name}"
        yield Finding("copies", Verdict.OK, found)


def _failure(part: str, error: FileFault) -> Finding:
    """Return *error* as a failed check of *part*."""
    found = " ".join(filter(None, (error.key, error.found)))
    return Finding(part, Verdict.FAIL, found, error.remedy)
