"""A game of the journal as a rehearsal that replays to the same state.

Room: sim/rehearsal.
"""

from collections.abc import Sequence

from engines.common.contract import (
    PLAY_SPOT,
    Choice,
    Input,
    Number,
    PlaceChoice,
    Press,
    SeatChoice,
    Tap,
)
from firmware.codec import decode
from firmware.journal import Entry, GameStart
from firmware.view import TableView


def exported(start: GameStart, entries: Sequence[Entry], view: TableView) -> str:
    """The game that began with *start*, as its *entries* tell it, ending in what *view* shows.

    Undone inputs and their undoing are in it, so that the whole story can be followed.
    """
    lines = [f"game {start.game}", f"players {' '.join(map(_quoted, start.names))}"]
    lines.append(f"dealer {_quoted(start.names[start.dealer])}")
    lines += (f"option {name} {_value(value)}" for name, value in start.options.items())
    lines.append("start")
    for entry in entries:
        if entry.kind == "input":
            lines.append(verb_of(decode(entry.body), start.names))
        elif entry.kind == "undo":
            lines.append("press back")
    lines.append(f"expect phase {view.phase}")
    lines.append(f"expect headline {_quoted(view.headline)}")
    scores = zip(start.names, view.scores, strict=True)
    lines += (f"expect score {_quoted(name)} {score}" for name, score in scores)
    return "\n".join(lines) + "\n"


def told(entry: Entry, names: Sequence[str]) -> str:
    """An entry of the journal in one line, for people."""
    match entry.kind:
        case "input":
            return verb_of(decode(entry.body), names)
        case "start":
            return f"{entry.body['game']}: {', '.join(entry.body['names'])}"
        case "end":
            return str(entry.body["how"])
    return entry.kind


def verb_of(given: Input, names: Sequence[str]) -> str:
    """The verb that gives *given* at a table of *names*."""
    match given:
        case Tap(piece, spot):
            return f"tap {piece}" if spot == PLAY_SPOT else f"tap {piece} @ {spot}"
        case Number(value):
            return f"choose {value}"
        case Choice(name):
            return f"choose {name}"
        case SeatChoice(seat):
            return f"choose {_quoted(names[seat])}"
        case PlaceChoice(place):
            return f"choose {place}"
        case Press(button):
            return f"press {button.value}"


def _quoted(name: str) -> str:
    return f'"{name}"' if " " in name else name


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
