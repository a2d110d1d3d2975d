"""Recorded games: the entries of each game, and their replay with the installed rules.

This module works for all games: it uses only the engine contract. It never writes or locks files.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from heapq import merge
from itertools import groupby
from pathlib import Path
from typing import Any

from engines.common.contract import Game, Input, Message, Seat, Setup, Tap, View
from engines.common.errors import RulesError
from engines.common.solo import goal_seat
from firmware.archive.files import archive_remedy
from firmware.boxes.games import games
from firmware.common.errors import JournalError, UnknownNumber
from firmware.journal.entry import Entry
from firmware.journal.fold import EndStep, InputStep, UndoStep, UnreadableEntry, walk
from firmware.journal.journal import ENDINGS, GameStart, entries_in, start_of
from firmware.runtime.controller import JOURNAL

ARCHIVE = "journal-archive.sqlite"  # old games moved out of the journal
OPEN = "open"
ENDED = {"over": "over", "abandoned": "abandoned", OPEN: "open"}  # endings in words
ANOTHER_TAPMAT = "Update tapmat if a newer one wrote it. The other games can be read."


@dataclass(frozen=True, slots=True)
class History:
    """The journal entries of one game in the file *path*, up to the first that cannot be read.

    *fault* is the error for that entry, if there is one.
    """

    path: Path
    number: int
    entries: tuple[Entry, ...]
    fault: JournalError | None = None


def histories(folder: Path) -> Iterator[History]:
    """Yield every game in the state folder *folder*, including the archive, in order of number.

    Raises:
        JournalError: a file cannot be read, or a newer version wrote it.
    """
    last = 0
    files = (_in_archive(folder / ARCHIVE), _in_file(folder / JOURNAL))
    for history in merge(*files, key=lambda history: history.number):
        # A power cut while pruning may leave a game in both files.
        if history.number != last:
            yield history
        last = history.number


def _in_archive(path: Path) -> Iterator[History]:
    with archive_remedy(path):
        yield from _in_file(path)


def _in_file(path: Path) -> Iterator[History]:
    for number, group in groupby(entries_in(path), key=lambda found: found[0].game):
        entries = list(group)
        fault = next((wrong for _entry, wrong in entries if wrong is not None), None)
        yield History(path, number, tuple(entry for entry, _entry_error in entries), fault)


def history_of(folder: Path, number: int) -> History:
    """Return the entries of game *number* in the state folder *folder*.

    Raises:
        UnknownNumber: there is no such game; the message names the nearest number.
        JournalError: see ``histories``.
    """
    known: list[int] = []
    for history in histories(folder):
        if history.number == number:
            return history
        known.append(history.number)
    if not known:
        raise UnknownNumber(f"There is no game {number}: no game was played yet.")
    nearest = min(known, key=lambda other: abs(other - number))
    raise UnknownNumber(
        f"There is no game {number}. The nearest is {nearest}; tapmat journal list shows them all."
    )


@dataclass(frozen=True)
class Play:
    """One input of a game.

    *at* is its time (ISO 8601, UTC), and *given* the input itself. *before* and *after* are the
    states of the game before and after the input, and *events* are the table's messages about it.
    *is_undone* is True if the input was undone later.
    """

    at: str
    given: Input
    before: Any
    after: Any
    events: tuple[Message, ...]
    is_undone: bool = False


@dataclass(frozen=True)
class PastGame:
    """A recorded game, replayed with the installed rules of *game*.

    *at* is the time at which it began (ISO 8601, UTC). *plays* includes undone plays. *ending* is
    ``over``, ``abandoned`` or ``open``.
    """

    number: int
    at: str
    start: GameStart
    game: Game[Any]
    dealt: Any  # the state after dealing
    plays: tuple[Play, ...]
    ending: str

    @property
    def effective_plays(self) -> tuple[Play, ...]:
        """The plays that were not undone."""
        return tuple(play for play in self.plays if not play.is_undone)

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The inputs that were not undone."""
        return tuple(play.given for play in self.effective_plays)

    @cached_property
    def view(self) -> View:
        """The view of the game after its last play."""
        plays = self.effective_plays
        return self.game.view(plays[-1].after if plays else self.dealt)

    @property
    def people(self) -> tuple[str, ...]:
        """The names of the players, without that of a goal (``engines.common.solo``)."""
        return self.start.names[: goal_seat(self.start.options, len(self.start.names))]

    @property
    def goal(self) -> int | None:
        """The score to beat; None if this is no solo game."""
        seat = goal_seat(self.start.options, len(self.start.names))
        return None if seat is None else self.view.scores[seat]

    @property
    def winners(self) -> tuple[str, ...]:
        """The names of the winners; none before the game is over."""
        return tuple(self.start.names[seat] for seat in self.view.winners)

    def seat_of(self, play: Play) -> Seat | None:
        """Return the seat of the player who made *play*; None if the table cannot tell."""
        if isinstance(play.given, Tap) and play.given.seat is not None:
            return play.given.seat
        return self.game.view(play.before).turn


def endings_in_words(endings: Mapping[str, int]) -> str:
    """Return the number of games with each ending as text, such as "1 abandoned, 3 over"."""
    return ", ".join(f"{n} {ENDED[ending]}" for ending, n in sorted(endings.items()))


def local(at: str) -> datetime:
    """Return the time *at* (ISO 8601, UTC) as local time."""
    return datetime.fromisoformat(at).astimezone()


def replay(history: History, known: Mapping[str, Game[Any]] | None = None) -> PastGame:
    """Replay *history* with the rules of the games in *known*; by default, of the installed games.

    Raises:
        JournalError: an entry cannot be read, or the rules refuse an input.
    """
    if history.fault is not None:
        raise history.fault
    first, *rest = history.entries
    if first.kind != "start":
        raise _entry_error(history, first.seq, "is not the start of a game")
    start = start_of(history.path, first)
    known = games() if known is None else known
    if start.game not in known:
        found = f"is a game of {start.game}, which is not installed"
        remedy = f"Install {start.game} to read it."
        place = f"game {history.number}"
        raise JournalError(history.path, place, found, remedy)
    game = known[start.game]
    try:
        setup = Setup(len(start.names), Seat(start.dealer), start.deck, start.options)
        dealt = game.start(setup)
    except (RulesError, ValueError) as wrong:
        raise _refusal_error(history, first, start.game, wrong) from wrong
    plays, ending = _replay_entries(history, rest, game, dealt)
    return PastGame(history.number, first.at, start, game, dealt, plays, ending)


def _replay_entries(
    history: History, entries: Sequence[Entry], game: Game[Any], dealt: Any
) -> tuple[tuple[Play, ...], str]:
    """Return two values: the plays in *entries*, and the game's ending.

    The plays are replayed with the rules of *game* from *dealt*, the state after the deal.
    *history* is for error messages.

    Raises:
        JournalError: an entry cannot be read, or the rules refuse an input.
    """
    plays: list[Play] = []
    try:
        for entry, done in walk(entries):
            match done:
                case InputStep(given, _, last):
                    before = dealt if last is None else plays[last].after
                    try:
                        step = game.step(before, given)
                    except (RulesError, ValueError) as wrong:
                        raise _refusal_error(history, entry, game.name, wrong) from wrong
                    plays.append(Play(entry.at, given, before, step.state, step.events))
                case UndoStep(undone):
                    plays[undone] = replace(plays[undone], is_undone=True)
                case EndStep(how):
                    if how not in ENDINGS:
                        raise UnreadableEntry(entry.seq, f"{how!r} is not a way to end a game")
                    return tuple(plays), how
    except UnreadableEntry as wrong:
        raise _entry_error(history, wrong.seq, f"cannot be read: {wrong}") from wrong
    return tuple(plays), OPEN


def _entry_error(history: History, seq: int, found: str) -> JournalError:
    return JournalError(history.path, f"entry {seq}", found, ANOTHER_TAPMAT)


def _refusal_error(history: History, entry: Entry, game: str, wrong: Exception) -> JournalError:
    found = f"is refused by the installed rules of {game} ({wrong})"
    remedy = f"To read it, install the version of {game} with which it was played."
    return JournalError(history.path, f"entry {entry.seq}", found, remedy)
