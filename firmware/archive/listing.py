"""``tapmat journal list`` and ``show``: the recorded games, and the plays of one game.

In these functions, *describer* puts a game's messages into words.
"""

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from firmware.archive.describer import Describer
from firmware.archive.past import ENDED, History, PastGame, histories, history_of, local, replay
from firmware.common.errors import JournalError

MINUTE, SECOND = "%Y-%m-%d %H:%M", "%H:%M:%S"
UNREADABLE = "cannot be read"  # the error in the JSON output


@dataclass(frozen=True, slots=True)
class GameLine:
    """One game in the list. *game* is its name, or empty if the game cannot be replayed.

    *at* is its start (ISO 8601, UTC), *plays* the number of plays that were not undone, and *ended*
    is ``over``, ``abandoned`` or ``open``. *winners* are names; empty before the game is over.
    """

    number: int
    at: str
    game: str = ""
    players: tuple[str, ...] = ()
    plays: int = 0
    ended: str = ""
    winners: tuple[str, ...] = ()


def lines_of(folder: Path, count: int | None) -> list[GameLine]:
    """Return the last *count* games in the state folder *folder*, or all if None; oldest first.

    Raises:
        JournalError: the journal cannot be read at all.
    """
    last = deque(histories(folder), maxlen=count)
    return list(map(_line, last))


def _line(history: History) -> GameLine:
    number, at = history.number, history.entries[0].at
    try:
        past = replay(history)
    except JournalError:
        return GameLine(number, at)
    names, plays = past.start.names, len(past.inputs)
    return GameLine(number, at, past.game.name, names, plays, past.ending, past.winners)


def print_list(lines: list[GameLine], describer: Describer, out: TextIO) -> None:
    """Print *lines*, at least one, as a table."""
    heads = ("no.", "game", "players", "when", "plays", "ended", "winner")
    grid = Grid(*heads, box=SIMPLE_HEAD)
    grid.columns[0].justify = grid.columns[4].justify = "right"
    for line in lines:
        when = f"{local(line.at):{MINUTE}}"
        if not line.game:
            grid.add_row(str(line.number), "?", "cannot be read", when, "", "", "")
            continue
        title, players, winners = (
            describer.title(line.game),
            ", ".join(line.players),
            ", ".join(line.winners),
        )
        cells = (title, players, when, str(line.plays), ENDED[line.ended], winners)
        grid.add_row(str(line.number), *map(Text, cells))
    console_for(out).print(grid)
    if not all(line.game for line in lines):
        print("Some games cannot be read: tapmat journal verify says why.", file=out)


def list_json(lines: list[GameLine]) -> list[dict[str, Any]]:
    """Return *lines* as JSON values."""
    return [
        asdict(line) if line.game else {"number": line.number, "at": line.at, "error": UNREADABLE}
        for line in lines
    ]


def past_game(folder: Path, number: int) -> PastGame:
    """Replay game *number* of the state folder *folder*.

    Raises:
        UnknownNumber: there is no such game.
        JournalError: the game cannot be read.
    """
    return replay(history_of(folder, number))


@dataclass(frozen=True, slots=True)
class PlayTexts:
    """One play in words.

    *who* is the player, or empty if the table cannot tell which player it was. *what* is the play,
    *said* the table's answer, and *total* the headline after it. *at* is the time of the play (ISO
    8601, UTC), and *is_undone* is True if it was undone later.
    """

    at: str
    who: str
    what: str
    total: str
    said: str
    is_undone: bool


def play_texts(past: PastGame, describer: Describer) -> Iterator[PlayTexts]:
    """Yield every play of *past* in words, including undone ones."""
    for play in past.plays:
        seat = past.seat_of(play)
        yield PlayTexts(
            play.at,
            past.start.names[seat] if seat is not None and seat < len(past.start.names) else "",
            describer.input_text(past, play),
            describer.headline(past, past.game.view(play.after)),
            describer.events_text(past, play.events),
            play.is_undone,
        )


def print_game(past: PastGame, describer: Describer, out: TextIO) -> None:
    """Print *past* as text: its players and rules, a table of all plays, and the result."""
    console = console_for(out)
    names = list(past.start.names)
    heading = "Game {number}: {title}, {when}".format(
        number=past.number,
        title=describer.title(past.game.name),
        when=f"{local(past.at):{MINUTE}}",
    )
    console.print(Text(heading, style="bold"))
    line = "Players: {names}; {dealer} dealt."
    console.print(Text(line.format(names=", ".join(names), dealer=names[past.start.dealer])))
    console.print(Text(f"House rules: {_rules(past)}"))
    heads = ("", "when", "who", "what", "total", "said")
    grid = Grid(*heads, box=SIMPLE_HEAD, pad_edge=False)
    grid.columns[0].justify = grid.columns[4].justify = "right"
    for number, play in enumerate(play_texts(past, describer), 1):
        style = "dim" if play.is_undone else ""
        said = play.said
        if play.is_undone:
            said = f"(taken back) {play.said}"
        cells = (str(number), f"{local(play.at):{SECOND}}", play.who, play.what, play.total, said)
        grid.add_row(*(Text(cell, style=style) for cell in cells))
    if past.plays:
        console.print(grid)
    scores = (f"{name} {score}" for name, score in zip(names, past.view.scores, strict=True))
    console.print(Text("Scores: {scores}".format(scores=", ".join(scores))))
    ended = "The game is {ending}."
    if past.winners:
        ended = "The game is {ending}, won by {winners}."
    ending, winners = ENDED[past.ending], ", ".join(past.winners)
    console.print(Text(ended.format(ending=ending, winners=winners)))


def game_json(past: PastGame, describer: Describer) -> dict[str, Any]:
    """Return *past* as JSON values."""
    return {
        "number": past.number,
        "at": past.at,
        "game": past.game.name,
        "players": list(past.start.names),
        "dealer": past.start.names[past.start.dealer],
        "options": dict(past.start.options),
        "plays": [
            {
                "at": play.at,
                "who": play.who or None,
                "what": play.what,
                "total": play.total,
                "said": play.said,
                "undone": play.is_undone,
            }
            for play in play_texts(past, describer)
        ],
        "scores": dict(zip(past.start.names, past.view.scores, strict=True)),
        "ended": past.ending,
        "winners": list(past.winners),
    }


def print_json(shape: object, out: TextIO) -> None:
    """Print the JSON values in *shape* as one line."""
    print(json.dumps(shape, ensure_ascii=False), file=out)


def _rules(past: PastGame) -> str:
    """Return the house rules that differ from the defaults, as text; "as usual" if none differ."""
    usual = {option.name: option.default for option in past.game.options}
    own = {k: v for k, v in past.start.options.items() if usual.get(k) != v}
    return ", ".join(f"{name} {option_text(value)}" for name, value in own.items()) or "as usual"


def option_text(value: object) -> str:
    """Return the value of a house rule as text: "on" and "off" for a bool."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def console_for(out: TextIO) -> Console:
    """Return a console for *out*, whose width is ``COLUMNS``, the terminal's, or 80 characters."""
    return Console(file=out, highlight=False)
