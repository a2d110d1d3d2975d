"""``tapmat journal list`` and ``show``: which games were played, and the plays of one.

Room: firmware/archive.
"""

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from gettext import gettext as _
from pathlib import Path
from typing import Any, TextIO

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from firmware.archive.past import ENDED, History, PastGame, histories, history_of, local, played
from firmware.archive.telling import Teller
from firmware.errors import JournalError

MINUTE, SECOND = "%Y-%m-%d %H:%M", "%H:%M:%S"
UNREADABLE = "cannot be read"  # as programs read it
WIDE = 100  # columns of a table that goes into a file


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the list: game *number*. Without a *game* it cannot be played again."""

    number: int
    at: str
    game: str = ""
    players: tuple[str, ...] = ()
    plays: int = 0
    ended: str = ""
    winners: tuple[str, ...] = ()


def lines_of(folder: Path, count: int | None) -> list[Line]:
    """The last *count* games of the state folder *folder*, or all, the oldest first.

    Raises:
        JournalError: the journal cannot be read at all.
    """
    last = deque(histories(folder), maxlen=count)
    return list(map(_line, last))


def _line(history: History) -> Line:
    number, at = history.number, history.entries[0].at
    try:
        past = played(history)
    except JournalError:
        return Line(number, at)
    names, plays = past.start.names, len(past.inputs)
    return Line(number, at, past.game.name, names, plays, past.ending, past.winners)


def print_list(lines: list[Line], teller: Teller, out: TextIO) -> None:
    """Print *lines* for people."""
    if not lines:
        print(_("No game was played yet."), file=out)
        return
    heads = (_("no."), _("game"), _("players"), _("when"), _("plays"), _("ended"), _("winner"))
    grid = Grid(*heads, box=SIMPLE_HEAD)
    grid.columns[0].justify = grid.columns[4].justify = "right"
    for line in lines:
        when = f"{local(line.at):{MINUTE}}"
        if not line.game:
            grid.add_row(str(line.number), "?", _("cannot be read"), when, "", "", "")
            continue
        title, players, winners = (
            teller.title(line.game),
            ", ".join(line.players),
            ", ".join(line.winners),
        )
        cells = (title, players, when, str(line.plays), _(ENDED[line.ended]), winners)
        grid.add_row(str(line.number), *map(Text, cells))
    console_for(out).print(grid)
    if not all(line.game for line in lines):
        print(_("What cannot be read: tapmat journal verify tells why."), file=out)


def list_shape(lines: list[Line]) -> list[dict[str, Any]]:
    """*lines* for programs."""
    return [
        asdict(line) if line.game else {"number": line.number, "at": line.at, "error": UNREADABLE}
        for line in lines
    ]


def past_game(folder: Path, number: int) -> PastGame:
    """Game *number* of the state folder *folder*.

    Raises:
        UnknownNumber: there is none.
        JournalError: it cannot be read.
    """
    return played(history_of(folder, number))


@dataclass(frozen=True, slots=True)
class Shown:
    """One play in words."""

    at: str
    who: str
    what: str
    total: str
    said: str
    is_undone: bool


def shown(past: PastGame, teller: Teller) -> Iterator[Shown]:
    """Every play of *past*, those that were taken back too."""
    for play in past.plays:
        seat = past.seat_of(play)
        yield Shown(
            play.at,
            past.start.names[seat] if seat is not None and seat < len(past.start.names) else "",
            teller.given(past, play),
            teller.headline(past, past.game.view(play.after)),
            teller.told(past, play.events),
            play.is_undone,
        )


def print_game(past: PastGame, teller: Teller, out: TextIO) -> None:
    """Print every play of *past* for people."""
    console = console_for(out)
    names = list(past.start.names)
    heading = _("Game {number}: {title}, {when}").format(
        number=past.number,
        title=teller.title(past.game.name),
        when=f"{local(past.at):{MINUTE}}",
    )
    console.print(Text(heading, style="bold"))
    told = _("Players: {names}; {dealer} dealt.")
    console.print(Text(told.format(names=", ".join(names), dealer=names[past.start.dealer])))
    console.print(Text(_("House rules: {rules}").format(rules=_rules(past))))
    heads = ("", _("when"), _("who"), _("what"), _("total"), _("said"))
    grid = Grid(*heads, box=SIMPLE_HEAD, pad_edge=False)
    grid.columns[0].justify = grid.columns[4].justify = "right"
    for number, play in enumerate(shown(past, teller), 1):
        style = "dim" if play.is_undone else ""
        said = play.said
        if play.is_undone:
            said = _("(taken back) {said}").format(said=play.said)
        cells = (str(number), f"{local(play.at):{SECOND}}", play.who, play.what, play.total, said)
        grid.add_row(*(Text(cell, style=style) for cell in cells))
    if past.plays:
        console.print(grid)
    scores = (f"{name} {score}" for name, score in zip(names, past.view.scores, strict=True))
    console.print(Text(_("Scores: {scores}").format(scores=", ".join(scores))))
    ended = _("The game is {ending}.")
    if past.winners:
        ended = _("The game is {ending}, won by {winners}.")
    ending, winners = _(ENDED[past.ending]), ", ".join(past.winners)
    console.print(Text(ended.format(ending=ending, winners=winners)))


def game_shape(past: PastGame, teller: Teller) -> dict[str, Any]:
    """*past* for programs."""
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
            for play in shown(past, teller)
        ],
        "scores": dict(zip(past.start.names, past.view.scores, strict=True)),
        "ended": past.ending,
        "winners": list(past.winners),
    }


def print_json(shape: object, out: TextIO) -> None:
    """Print *shape* for programs."""
    print(json.dumps(shape, ensure_ascii=False), file=out)


def _rules(past: PastGame) -> str:
    """The house rules that differ from how the game has them."""
    usual = {option.name: option.default for option in past.game.options}
    own = {k: v for k, v in past.start.options.items() if usual.get(k) != v}
    return ", ".join(f"{name} {written(value)}" for name, value in own.items()) or _("as usual")


def written(value: object) -> str:
    """The value of a house rule as people write it."""
    if isinstance(value, bool):
        return _("on") if value else _("off")
    return str(value)


def console_for(out: TextIO) -> Console:
    """Paper of a good width where nobody's terminal sets one."""
    return Console(file=out, highlight=False, width=None if out.isatty() else WIDE)
