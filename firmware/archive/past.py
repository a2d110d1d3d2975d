"""Games of the past: the entries of each, and what the installed rules make of them.

Room: firmware/archive. It knows the engine contract and no game. Nothing here writes or holds.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from gettext import gettext as _
from heapq import merge
from itertools import groupby
from pathlib import Path
from typing import Any

from engines.common.contract import Game, Input, Message, Seat, Setup, Tap, View
from engines.common.errors import RulesError
from firmware.codec import UnknownShape, decode
from firmware.controller import JOURNAL
from firmware.errors import JournalError, UnknownNumber
from firmware.games import games
from firmware.journal import ENDINGS, Entry, GameStart, entries_in, start_of

ARCHIVE = "journal-archive.sqlite"  # where games go that the journal has no more room for
OPEN = "open"
N_ = str  # marks a text for the catalogues; it is translated where it is used
ENDED = {"over": N_("over"), "abandoned": N_("abandoned"), OPEN: N_("open")}  # in words
ANOTHER_TAPMAT = N_("Update tapmat if a newer one wrote it. The other games can be read.")


@dataclass(frozen=True, slots=True)
class History:
    """What the journal *path* holds of game *number*; *fault* is the first thing wrong with it."""

    path: Path
    number: int
    entries: tuple[Entry, ...]
    fault: JournalError | None = None


def histories(folder: Path) -> Iterator[History]:
    """Every game of the state folder *folder* by its number, those that were moved away too.

    Raises:
        JournalError: a file cannot be read, or is a newer version's.
    """
    last = 0
    files = (folder / ARCHIVE, folder / JOURNAL)
    for history in merge(*map(_in_file, files), key=lambda history: history.number):
        # One that is in both was copied, and the plug was pulled before it was moved.
        if history.number != last:
            yield history
        last = history.number


def _in_file(path: Path) -> Iterator[History]:
    for number, group in groupby(entries_in(path), key=lambda found: found[0].game):
        entries = list(group)
        fault = next((wrong for _entry, wrong in entries if wrong is not None), None)
        yield History(path, number, tuple(entry for entry, _wrong in entries), fault)


def history_of(folder: Path, number: int) -> History:
    """What the journal holds of game *number*.

    Raises:
        UnknownNumber: there is no such game; the message names the nearest.
        JournalError: see ``histories``.
    """
    known: list[int] = []
    for history in histories(folder):
        if history.number == number:
            return history
        known.append(history.number)
    if not known:
        found = _("There is no game {number}: no game was played yet.")
        raise UnknownNumber(found.format(number=number))
    nearest = min(known, key=lambda other: abs(other - number))
    found = _(
        "There is no game {number}. The nearest is {nearest}; tapmat journal list shows them all."
    )
    raise UnknownNumber(found.format(number=number, nearest=nearest))


@dataclass(frozen=True)
class Play:
    """An input, given *at* (ISO 8601, UTC), the state *before* and the one *after* it.

    *events* is what the table told of it; *is_undone*: it was taken back later.
    """

    at: str
    given: Input
    before: Any
    after: Any
    events: tuple[Message, ...]
    is_undone: bool = False


@dataclass(frozen=True)
class PastGame:
    """Game *number* as the rules of *game* that are installed play it again.

    *ending* is ``over``, ``abandoned`` or ``open``. *plays* has those that were undone, too.
    """

    number: int
    at: str
    start: GameStart
    game: Game[Any]
    dealt: Any  # the state after dealing
    plays: tuple[Play, ...]
    ending: str

    @property
    def standing(self) -> tuple[Play, ...]:
        """The plays that nobody took back."""
        return tuple(play for play in self.plays if not play.is_undone)

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The inputs that nobody took back."""
        return tuple(play.given for play in self.standing)

    @cached_property
    def view(self) -> View:
        """What the table showed last."""
        standing = self.standing
        return self.game.view(standing[-1].after if standing else self.dealt)

    @property
    def winners(self) -> tuple[str, ...]:
        """Who won, by name; nobody as long as the game is not over."""
        return tuple(self.start.names[seat] for seat in self.view.winners)

    def seat_of(self, play: Play) -> Seat | None:
        """Whose play it was, as far as a mat can know."""
        if isinstance(play.given, Tap) and play.given.seat is not None:
            return play.given.seat
        return self.game.view(play.before).turn


def endings_in_words(endings: Mapping[str, int]) -> str:
    """How many games ended how."""
    return ", ".join(f"{n} {_(ENDED[ending])}" for ending, n in sorted(endings.items()))


def local(at: str) -> datetime:
    """The moment *at* (ISO 8601, UTC) as a clock here shows it."""
    return datetime.fromisoformat(at).astimezone()


def played(history: History, known: Mapping[str, Game[Any]] | None = None) -> PastGame:
    """Play *history* again by the rules of the games *known*, else of those that are installed.

    Raises:
        JournalError: something of it cannot be read, or its rules are other ones now.
    """
    if history.fault is not None:
        raise history.fault
    first, *rest = history.entries
    if first.kind != "start":
        raise _wrong(history, first, _("is not the start of a game"))
    start = start_of(history.path, first)
    known = games() if known is None else known
    if start.game not in known:
        found = _("is of {game}, which is not installed").format(game=start.game)
        remedy = _("Install {game} to read it.").format(game=start.game)
        place = _("game {number}").format(number=history.number)
        raise JournalError(history.path, place, found, remedy)
    game = known[start.game]
    try:
        setup = Setup(len(start.names), Seat(start.dealer), start.deck, start.options)
        dealt = game.start(setup)
    except (RulesError, ValueError) as wrong:
        raise _refused(history, first, start.game, wrong) from wrong
    plays, ending = _followed(history, rest, game, dealt)
    return PastGame(history.number, first.at, start, game, dealt, plays, ending)


def _followed(
    history: History, entries: Sequence[Entry], game: Game[Any], dealt: Any
) -> tuple[tuple[Play, ...], str]:
    """The plays of *entries*, from the state *dealt* on, and how the game ended."""
    plays: list[Play] = []
    standing: list[int] = []  # places in it
    for entry in entries:
        try:
            match entry.kind:
                case "input":
                    before = plays[standing[-1]].after if standing else dealt
                    given = decode(entry.body)
                    step = game.step(before, given)
                    standing.append(len(plays))
                    plays.append(Play(entry.at, given, before, step.state, step.events))
                case "undo" if standing:
                    undone = standing.pop()
                    plays[undone] = replace(plays[undone], is_undone=True)
                case "undo":
                    raise UnknownShape("there is no input to undo")
                case "end" if entry.body.get("how") in ENDINGS:
                    return tuple(plays), str(entry.body["how"])
                case _:
                    raise UnknownShape(f"{entry.kind} {dict(entry.body)} is nothing it knows")
        except UnknownShape as wrong:
            raise _wrong(
                history, entry, _("cannot be read: {reason}").format(reason=wrong)
            ) from wrong
        except (RulesError, ValueError) as wrong:
            raise _refused(history, entry, game.name, wrong) from wrong
    return tuple(plays), OPEN


def _wrong(history: History, entry: Entry, found: str) -> JournalError:
    place = _("entry {number}").format(number=entry.seq)
    return JournalError(history.path, place, found, _(ANOTHER_TAPMAT))


def _refused(history: History, entry: Entry, game: str, wrong: Exception) -> JournalError:
    found = _("is refused by the rules of {game} that are installed ({reason})")
    place = _("entry {number}").format(number=entry.seq)
    remedy = _("To read it, install the version of {game} it was played with.")
    told = found.format(game=game, reason=wrong)
    return JournalError(history.path, place, told, remedy.format(game=game))
