"""What the games add up to: per player and game, and the curves of each game.

Room: firmware/archive. It knows the engine contract and no game: a curve is the headline over the
plays, as long as it bears one caption; and what happened to whom how often are the messages that
name a seat.
"""

from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from gettext import gettext as _
from pathlib import Path
from typing import Any, TextIO

from rich.box import SIMPLE_HEAD
from rich.table import Table as Grid
from rich.text import Text

from engines.common.contract import Message, Topic, View
from engines.common.errors import Fact
from firmware.archive.listing import console_for
from firmware.archive.past import PastGame, endings_in_words, histories, played
from firmware.archive.telling import Teller, is_seat
from firmware.errors import JournalError

OVER = "over"
HAPPENINGS = frozenset({Topic.NEWS, Topic.RESULT})  # not whose turn it is, nor what is asked
OFTEN = 0.25  # of the plays: what is told more often is no event worth counting
PICTURED = 12  # the last games of each kind, which are drawn
LEAST_POINTS = 3  # of a curve


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of a game over which the headline was one and the same number, going up and down.

    Its first value is that after *first* plays. *ending* is what put an end to it, if it did.
    """

    caption: Message
    first: int
    values: tuple[int, ...]
    ending: tuple[Message, ...] = ()


@dataclass(frozen=True)
class Curves:
    """One game over its plays: the scores by seat after each, and the headline's runs."""

    past: PastGame
    scores: tuple[tuple[int, ...], ...]
    runs: tuple[Run, ...]


@dataclass
class Standing:
    """How one player does in one game, over the games that were played to the end.

    Whether many points are good is the game's to know.
    """

    games: int = 0
    won: int = 0
    points: int = 0
    lowest: int | None = None
    highest: int | None = None

    @property
    def average(self) -> float | None:
        """The average score; none before the first game."""
        return self.points / self.games if self.games else None

    def add(self, score: int, *, has_won: bool) -> None:
        """Count a game that ended with *score*."""
        self.games += 1
        self.won += has_won
        self.points += score
        self.lowest = score if self.lowest is None else min(self.lowest, score)
        self.highest = score if self.highest is None else max(self.highest, score)


@dataclass
class GameFigures:
    """What the games of one kind add up to. *happened* counts by code of a message and player."""

    name: str
    endings: Counter[str] = field(default_factory=Counter)
    players: dict[str, Standing] = field(default_factory=dict)
    plays: int = 0
    told: dict[str, Counter[str]] = field(default_factory=dict)
    facts: dict[str, Mapping[str, Fact]] = field(default_factory=dict)  # of each code, once
    last: deque[PastGame] = field(default_factory=lambda: deque(maxlen=PICTURED))

    @property
    def happened(self) -> dict[str, Counter[str]]:
        """What happened to whom how often, without what is told at every turn; most often first."""
        rare = {c: n for c, n in self.told.items() if n.total() <= OFTEN * self.plays}
        return dict(sorted(rare.items(), key=lambda item: -item[1].total()))

    def add(self, past: PastGame) -> None:
        """Count one game."""
        names = past.start.names
        self.last.append(past)
        self.endings[past.ending] += 1
        for name in names:
            self.players.setdefault(name, Standing())
        if past.ending == OVER or past.winners:
            for name, score in zip(names, past.view.scores, strict=True):
                self.players[name].add(score, has_won=name in past.winners)
        for play in past.standing:
            self.plays += 1
            for event in play.events:
                self._count(event, names)

    def _count(self, event: Message, names: Sequence[str]) -> None:
        if event.topic not in HAPPENINGS:
            return
        for fact, seat in event.facts.items():
            if is_seat(fact) and isinstance(seat, int) and seat < len(names):
                self.told.setdefault(event.code, Counter())[names[seat]] += 1
                self.facts.setdefault(event.code, event.facts)
                return


@dataclass
class Figures:
    """What all games add up to, by the name of the game; *unread* could not be played again."""

    games: dict[str, GameFigures] = field(default_factory=dict)
    unread: int = 0


def figures_of(folder: Path) -> Figures:
    """What every game of the state folder *folder* adds up to.

    Raises:
        JournalError: the journal cannot be read at all.
    """
    found = Figures()
    for history in histories(folder):
        try:
            past = played(history)
        except JournalError:
            found.unread += 1
            continue
        found.games.setdefault(past.game.name, GameFigures(past.game.name)).add(past)
    return found


def curves_of(past: PastGame) -> Curves:
    """The curves of *past*: its scores, and that headline which was shown over most plays."""
    views = [past.game.view(past.dealt), *(past.game.view(p.after) for p in past.standing)]
    events = [(), *(play.events for play in past.standing)]
    runs = [run for run in _runs(views, events) if len(run.values) >= LEAST_POINTS]
    length: Counter[str] = Counter()
    for run in runs:
        length[run.caption.code] += len(run.values)
    longest = length.most_common(1)[0][0] if length else ""
    of_longest = tuple(run for run in runs if run.caption.code == longest)
    return Curves(past, tuple(view.scores for view in views), of_longest)


def _runs(views: Sequence[View], events: Sequence[tuple[Message, ...]]) -> Iterable[Run]:
    """Every run of the headlines of *views*, to which *events* led."""
    first, values = 0, list[int]()
    tellers: Counter[str] = Counter()  # how many values of this run each message has told
    for place, view in enumerate(views):
        value = _number(view)
        if values and (value is None or view.caption.code != views[first].caption.code):
            last = _told_by(tellers, events[place])
            yield Run(views[first].caption, first, (*values, *last), _ending(events[place]))
            values = []
        if value is None:
            continue
        if not values:
            first, tellers = place, Counter()
        tellers.update({e.code for e in events[place] if value in _numbers(e)})
        values.append(value)
    if values:
        yield Run(views[first].caption, first, tuple(values))


def _number(view: View) -> int | None:
    """The headline, if it is a number."""
    try:
        return int(view.headline) if isinstance(view.headline, str) else None
    except ValueError:
        return None


def _numbers(event: Message) -> list[int]:
    """The numbers that *event* tells."""
    return [fact for name, fact in event.facts.items() if not is_seat(name) and type(fact) is int]


def _told_by(tellers: Counter[str], events: Iterable[Message]) -> list[int]:
    """The last value of a run, if the step that ended it told it without showing it.

    It is known by the message that had told most values before, and more than one.
    """
    for teller, told in tellers.most_common(1):
        found = [number for e in events if e.code == teller for number in _numbers(e)]
        return found[:1] if told > 1 else []
    return []


def _ending(events: Sequence[Message]) -> tuple[Message, ...]:
    """Of what was told in the step that ended a run, the first that names somebody."""
    return tuple(event for event in events if any(map(is_seat, event.facts)))[:1]


def print_figures(found: Figures, teller: Teller, out: TextIO) -> None:
    """Print *found* for people."""
    console = console_for(out)
    if not found.games:
        print(_("No game was played yet."), file=out)
    for figures in found.games.values():
        console.print(Text(f"{teller.title(figures.name)}: {in_words(figures)}", style="bold"))
        heads = (_("player"), _("games"), _("won"), _("average"), _("lowest"), _("highest"))
        grid = Grid(*heads, box=SIMPLE_HEAD)
        for column in grid.columns[1:]:
            column.justify = "right"
        for name, standing in ranked(figures):
            grid.add_row(Text(name), *cells_of(standing))
        console.print(grid)
        names = [name for name, _standing in ranked(figures)]
        counts = Grid(_("how often"), box=SIMPLE_HEAD)
        for name in names:
            counts.add_column(Text(name), justify="right")
        for code, counted in figures.happened.items():
            text = teller.whoever(figures.name, code, figures.facts[code])
            counts.add_row(Text(text), *(str(counted[name] or "") for name in names))
        if figures.happened:
            console.print(counts)
    if found.unread:
        print(unread_in_words(found), file=out)


def ranked(figures: GameFigures) -> list[tuple[str, Standing]]:
    """Every player, whoever won most first."""
    return sorted(figures.players.items(), key=lambda item: (-item[1].won, item[0]))


def cells_of(standing: Standing) -> tuple[str, ...]:
    """Games, games won, average, lowest and highest score, as they are written."""
    average = "" if standing.average is None else f"{standing.average:.1f}"
    ends = ("" if n is None else str(n) for n in (standing.lowest, standing.highest))
    return (str(standing.games), str(standing.won), average, *ends)


def in_words(figures: GameFigures) -> str:
    """How many games there were, and how they ended."""
    return endings_in_words(figures.endings)


def unread_in_words(found: Figures) -> str:
    """How many games are not in the figures."""
    told = _("Not counted: {count} that cannot be read; tapmat journal verify tells why.")
    return told.format(count=found.unread)


def shape_of(found: Figures) -> dict[str, Any]:
    """*found* for programs."""
    games = {
        name: {
            "endings": dict(figures.endings),
            "players": {
                player: {
                    "games": standing.games,
                    "won": standing.won,
                    "average": standing.average,
                    "lowest": standing.lowest,
                    "highest": standing.highest,
                }
                for player, standing in ranked(figures)
            },
            "happened": {code: dict(n) for code, n in figures.happened.items()},
        }
        for name, figures in found.games.items()
    }
    return {"games": games, "unread": found.unread}
