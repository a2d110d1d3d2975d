"""A game of the journal as a rehearsal that replays to the same state.

Room: sim/rehearsal.
"""

import re
from collections import deque
from collections.abc import Iterable, Sequence

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
from engines.common.pieces import Deck, Piece
from firmware.codec import decode
from firmware.journal import Entry, GameStart
from firmware.view import TableView
from sim.person import can_be_spelt

PLAIN = re.compile(r"[^\s\",#@]+")  # needs no quotation marks

# A piece that was among the last RECENT ones tapped is out of the field for so long before it is
# tapped again, as it was when the game was played: sooner, a mat of many readers takes it for lying
# there still.
RECENT, AWAY = 3, "wait 2"


def exported(
    start: GameStart,
    entries: Iterable[Entry],
    view: TableView,
    language: str = "en",
    deck: str | None = None,
) -> str:
    """The game that began with *start*, as its *entries* tell it, ending in what *view* shows.

    Undone inputs and their undoing are in it, so that the whole story can be followed. *language*
    is the table's. *deck* is the name of a deck file, where the game was played with another deck
    than the table's.
    """
    lines = [*prepared(start, language, deck), *acts_of(entries, start.names), *stated(view)]
    return "\n".join(lines) + "\n"


def prepared(start: GameStart, language: str | None = None, deck: str | None = None) -> list[str]:
    """The verbs up to the start of a game that begins as *start*; none for what is None."""
    names = _writable(start.names)
    lines = [f"game {start.game}"]
    if deck is not None:
        lines.append(f"deck {quoted(deck)}")
    if language is not None:
        lines.append(f"language {language}")
    if unspelt := [name for name in names if not can_be_spelt(name)]:
        lines.append(f"names {' '.join(map(quoted, unspelt))}")
    lines.append(f"players {' '.join(map(quoted, names))}")
    lines.append(f"dealer {quoted(names[start.dealer])}")
    lines += (f"option {name} {_value(value)}" for name, value in start.options.items())
    return [*lines, "start"]


def acts_of(entries: Iterable[Entry], names: Sequence[str]) -> list[str]:
    """What people did, as verbs; what they took back, and that they did."""
    names = _writable(names)
    recent: deque[Piece] = deque(maxlen=RECENT)
    verbs: list[str] = []
    for entry in entries:
        if entry.kind == "undo":
            verbs.append("press back")
        elif entry.kind == "input":
            given = decode(entry.body)
            if isinstance(given, Tap):
                verbs += [AWAY] if given.piece in recent else []
                recent.append(given.piece)
            verbs.append(verb_of(given, names))
    return verbs


def stated(view: TableView) -> list[str]:
    """What the mat must show in the end, which is what *view* shows."""
    names = _writable(view.names)
    lines = [f"expect phase {view.phase}", f"expect headline {quoted(view.headline)}"]
    scores = zip(names, view.scores, strict=True)
    lines += (f"expect score {quoted(name)} {score}" for name, score in scores)
    if view.winners:
        won = " ".join(quoted(names[seat]) for seat in view.winners)
        lines.append(f"expect winner {won}")
    return lines


def is_same_deck(deck: Deck, other: Deck) -> bool:
    """Whether a game begins alike with both, whatever is known of how sure their counts are."""
    return (deck.kinds, deck.spread) == (other.kinds, other.spread)


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
            return f"choose {quoted(names[seat])}"
        case PlaceChoice(place):
            return f"choose {place}"
        case Press(button):
            return f"press {button.value}"


def quoted(text: str) -> str:
    """*text* as one word of a rehearsal."""
    return text if PLAIN.fullmatch(text) else f'"{text}"'


def _writable(names: Sequence[str]) -> tuple[str, ...]:
    """*names* as a rehearsal can write them, which has no way to write a quotation mark."""
    return tuple(name.replace('"', "'") for name in names)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
