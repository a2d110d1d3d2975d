"""Statistics of recorded games: results per player and game, and curves for charts.

This module works for all games: it uses only the engine contract. The *headline* is the large
number on the table's display, such as a weight, and the *caption* says what the number is. A curve
shows the headline over the plays during which the caption stays the same. The *events* counted for
each player are the messages of the game that name the player's seat.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from rich.box import SIMPLE_HEAD
from rich.table import Table as Grid
from rich.text import Text

from engines.common.contract import Message, Topic, View
from engines.common.errors import Fact
from firmware.archive.describer import Describer, is_seat
from firmware.archive.listing import console_for
from firmware.archive.past import History, PastGame, endings_in_words, histories, replay
from firmware.common.errors import JournalError

OVER = "over"
EVENT_TOPICS = frozenset({Topic.NEWS, Topic.RESULT})  # other messages are not counted
MAX_SHARE = 0.25  # a message that comes with a greater share of the plays is not listed
MAX_CHARTS = 12  # how many of the last games get a chart, for each game's rules
MIN_POINTS = 3  # a shorter curve is left out


@dataclass(frozen=True, slots=True)
class HeadlineRun:
    """Consecutive plays of a game for which the headline was a number with the same *caption*.

    *values* are the headline's values; the first of them was shown after *first* plays. *ending*
    has the message that ended the run; it is empty if there is no such message.
    """

    caption: Message
    first: int
    values: tuple[int, ...]
    ending: tuple[Message, ...] = ()


@dataclass(frozen=True)
class Curves:
    """The course of one game, *past*.

    *scores* has the scores by seat after each play, and *runs* has the headline's values.
    """

    past: PastGame
    scores: tuple[tuple[int, ...], ...]
    runs: tuple[HeadlineRun, ...]


@dataclass
class Standing:
    """One player's results in all finished games of one kind, such as Straw.

    *won* is the number of games won, *points* the sum of the scores, and *lowest* and *highest* are
    None before the first game. The rules of the game decide if a high score is good.
    """

    games: int = 0
    won: int = 0
    points: int = 0
    lowest: int | None = None
    highest: int | None = None

    @property
    def average(self) -> float | None:
        """The average score; None if no game has ended."""
        return self.points / self.games if self.games else None

    def add(self, score: int, *, has_won: bool) -> None:
        """Add a finished game with the player's *score*."""
        self.games += 1
        self.won += has_won
        self.points += score
        self.lowest = score if self.lowest is None else min(self.lowest, score)
        self.highest = score if self.highest is None else max(self.highest, score)


@dataclass
class SoloResults:
    """The results of one player alone against one goal, in finished games.

    *games* is the number of games, and *reached* how many of them reached the goal. *best* is the
    best score.
    """

    games: int = 0
    reached: int = 0
    best: int = 0

    def add(self, score: int, *, has_won: bool) -> None:
        """Add a finished game with this *score*."""
        self.best = max(self.best, score) if self.games else score
        self.games += 1
        self.reached += has_won


@dataclass
class GameFigures:
    """Statistics of the game *name*, such as "straw".

    *endings* counts games by how they ended; one whose result is still on the display is over.
    *players* has the results by player, and *plays* is the number of plays. *event_counts* counts
    messages by code and player, *facts* has example facts for each code, and *last* has the last
    games, for charts. *solo* has the results of games alone, by goal and player; the other results
    leave these games out.
    """

    name: str
    endings: Counter[str] = field(default_factory=Counter)
    players: dict[str, Standing] = field(default_factory=dict)
    plays: int = 0
    event_counts: dict[str, Counter[str]] = field(default_factory=dict)
    facts: dict[str, Mapping[str, Fact]] = field(default_factory=dict)
    last: deque[PastGame] = field(default_factory=lambda: deque(maxlen=MAX_CHARTS))
    solo: dict[tuple[int, str], SoloResults] = field(default_factory=dict)

    @property
    def events_by_player(self) -> dict[str, Counter[str]]:
        """Counts of messages, by code and player, most frequent first.

        Messages about more than a quarter of the plays are routine, and are left out.
        """
        rare = {c: n for c, n in self.event_counts.items() if n.total() <= MAX_SHARE * self.plays}
        return dict(sorted(rare.items(), key=lambda item: -item[1].total()))

    def add(self, past: PastGame) -> None:
        """Add one game to the statistics."""
        names = past.start.names
        self.last.append(past)
        has_ended = past.ending == OVER or bool(past.winners)
        self.endings[OVER if has_ended else past.ending] += 1
        for name, score in zip(past.people, past.view.scores, strict=False):
            standing = self.players.setdefault(name, Standing())
            if has_ended and past.goal is None:
                standing.add(score, has_won=name in past.winners)
            elif has_ended and past.goal is not None:
                results = self.solo.setdefault((past.goal, name), SoloResults())
                results.add(score, has_won=name in past.winners)
        for play in past.effective_plays:
            self.plays += 1
            for event in play.events:
                self._count(event, names)

    def _count(self, event: Message, names: Sequence[str]) -> None:
        if event.topic not in EVENT_TOPICS:
            return
        for fact, seat in event.facts.items():
            if is_seat(fact) and isinstance(seat, int) and seat < len(names):
                self.event_counts.setdefault(event.code, Counter())[names[seat]] += 1
                self.facts.setdefault(event.code, event.facts)
                return


@dataclass
class Figures:
    """Statistics of all games, by game name. *unread* is the number of unreadable games."""

    games: dict[str, GameFigures] = field(default_factory=dict)
    unread: int = 0


def figures_of(folder: Path, begin: Callable[[int], None] = lambda number: None) -> Figures:
    """Replay every recorded game; return the statistics.

    Args:
        folder: the state folder.
        begin: called with the number of each game before it is replayed, to show progress.

    Raises:
        JournalError: the journal cannot be read at all.
    """
    found = Figures()
    for history in histories(folder):
        begin(history.number)
        add_game(found, history)
    return found


def add_game(found: Figures, history: History) -> None:
    """Replay *history*, and add it to the statistics *found*."""
    try:
        past = replay(history)
    except JournalError:
        found.unread += 1
        return
    found.games.setdefault(past.game.name, GameFigures(past.game.name)).add(past)


def curves_of(past: PastGame) -> Curves:
    """Return the curves of the game *past*: its scores, and runs of the headline.

    If the headline had several captions, only the caption with the most values gets a curve.
    """
    views = [past.game.view(past.dealt), *(past.game.view(p.after) for p in past.effective_plays)]
    events = [(), *(play.events for play in past.effective_plays)]
    runs = [run for run in _runs(views, events) if len(run.values) >= MIN_POINTS]
    length: Counter[str] = Counter()
    for run in runs:
        length[run.caption.code] += len(run.values)
    longest = length.most_common(1)[0][0] if length else ""
    of_longest = tuple(run for run in runs if run.caption.code == longest)
    return Curves(past, tuple(view.scores for view in views), of_longest)


def _runs(views: Sequence[View], events: Sequence[tuple[Message, ...]]) -> Iterable[HeadlineRun]:
    """Yield the runs of the headline in *views*.

    *events[i]* are the messages of the play that led to *views[i]*.
    """
    first, values = 0, list[int]()
    codes: Counter[str] = Counter()  # by message code: how many of the run's values it named
    for place, view in enumerate(views):
        value = _number(view)
        if values and (value is None or view.caption.code != views[first].caption.code):
            last = _hidden_last_value(codes, events[place])
            yield HeadlineRun(views[first].caption, first, (*values, *last), _ending(events[place]))
            values = []
        if value is None:
            continue
        if not values:
            first, codes = place, Counter()
        codes.update({e.code for e in events[place] if value in _numbers(e)})
        values.append(value)
    if values:
        yield HeadlineRun(views[first].caption, first, tuple(values))


def _number(view: View) -> int | None:
    """Return the headline of *view* if it is a number, else None."""
    try:
        return int(view.headline) if isinstance(view.headline, str) else None
    except ValueError:
        return None


def _numbers(event: Message) -> list[int]:
    """Return the integers among the facts of *event*, except seats."""
    return [fact for name, fact in event.facts.items() if not is_seat(name) and type(fact) is int]


def _hidden_last_value(codes: Counter[str], events: Iterable[Message]) -> list[int]:
    """Return the last value of a run, as a list, if only a message named it; else an empty list.

    For example, a play ends a round with a total of 53. A message says so, but the display already
    shows the next round. *events* are the messages of that play. *codes* counts, for each message
    code, the values of the run that such messages named. The code with the highest count is used if
    its count is at least two: the value is the number in its message.
    """
    for code, count in codes.most_common(1):
        found = [number for e in events if e.code == code for number in _numbers(e)]
        return found[:1] if count > 1 else []
    return []


def _ending(events: Sequence[Message]) -> tuple[Message, ...]:
    """Return a tuple with the first message that names a player; empty if none does.

    *events* are the messages of the play that ended a run.
    """
    return tuple(event for event in events if any(map(is_seat, event.facts)))[:1]


def print_figures(found: Figures, describer: Describer, out: TextIO) -> None:
    """Print *found* as tables. *describer* puts the games' messages into words."""
    console = console_for(out)
    for figures in found.games.values():
        console.print(
            Text(
                f"{describer.title(figures.name)}: {endings_in_words(figures.endings)}",
                style="bold",
            )
        )
        heads = ("player", "games", "won", "average", "lowest", "highest")
        grid = Grid(*heads, box=SIMPLE_HEAD)
        for column in grid.columns[1:]:
            column.justify = "right"
        for name, standing in ranking(figures):
            grid.add_row(Text(name), *cells_of(standing))
        console.print(grid)
        if figures.solo:
            console.print(_solo_grid(figures))
        names = [name for name, _standing in ranking(figures)]
        counts = Grid("how often", box=SIMPLE_HEAD)
        for name in names:
            counts.add_column(Text(name), justify="right")
        for code, counted in figures.events_by_player.items():
            text = describer.label(figures.name, code, figures.facts[code])
            counts.add_row(Text(text), *(str(counted[name] or "") for name in names))
        if figures.events_by_player:
            console.print(counts)
    if found.unread:
        print(unread_in_words(found), file=out)


SOLO_HEADS = ("alone against", "player", "best", "games", "reached")


def _solo_grid(figures: GameFigures) -> Grid:
    grid = Grid(*SOLO_HEADS, box=SIMPLE_HEAD)
    for column in (grid.columns[0], *grid.columns[2:]):
        column.justify = "right"
    for cells in solo_cells(figures):
        grid.add_row(*map(Text, cells))
    return grid


def solo_values(figures: GameFigures) -> list[tuple[int, str, int, int, int]]:
    """Return a row for each goal and player: goal, name, best score, games, and games that won.

    The rows are in the order of the goals, the best player first.
    """
    order = sorted(figures.solo.items(), key=lambda item: (item[0][0], -item[1].best, item[0][1]))
    return [(goal, name, each.best, each.games, each.reached) for (goal, name), each in order]


def solo_cells(figures: GameFigures) -> list[tuple[str, ...]]:
    """Return the same rows as texts, for a table below ``SOLO_HEADS``."""
    return [tuple(map(str, values)) for values in solo_values(figures)]


def ranking(figures: GameFigures) -> list[tuple[str, Standing]]:
    """Return the names of the players with their results, most wins first."""
    return sorted(figures.players.items(), key=lambda item: (-item[1].won, item[0]))


def cells_of(standing: Standing) -> tuple[str, ...]:
    """Return the cells of a table row: games, wins, average, lowest and highest score."""
    average = "" if standing.average is None else f"{standing.average:.1f}"
    ends = ("" if n is None else str(n) for n in (standing.lowest, standing.highest))
    return (str(standing.games), str(standing.won), average, *ends)


def unread_in_words(found: Figures) -> str:
    """Return a sentence with the number of unreadable games."""
    games = "1 game" if found.unread == 1 else f"{found.unread} games"
    return f"Not counted: {games} that cannot be read. To see why, run: tapmat journal verify"


def figures_json(found: Figures) -> dict[str, Any]:
    """Return *found* as JSON values."""
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
                for player, standing in ranking(figures)
            },
            "solo": [
                dict(zip(("goal", "player", "best", "games", "reached"), values, strict=True))
                for values in solo_values(figures)
            ],
            "happened": {code: dict(n) for code, n in figures.events_by_player.items()},
        }
        for name, figures in found.games.items()
    }
    return {"games": games, "unread": found.unread}
