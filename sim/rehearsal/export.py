"""Export of a recorded game as a rehearsal that leads to the same state."""

import re
from collections import deque
from collections.abc import Iterable, Sequence

from engines.common.contract import (
    PLAY_SPOT,
    SEAT_SPOTS,
    Choice,
    Input,
    Number,
    PlaceChoice,
    Press,
    SeatChoice,
    Tap,
)
from engines.common.pieces import Deck, Piece
from engines.common.solo import goal_seat
from firmware.journal.codec import decode
from firmware.journal.entry import Entry
from firmware.journal.fold import InputStep, UndoStep, walk
from firmware.journal.journal import GameStart
from firmware.show.view import TableView
from sim.people.person import can_be_spelt

PLAIN = re.compile(r"[^\s\",#@]+")  # a text that needs no quotation marks

# A piece that is among the last RECENT ones tapped stays away for 2 s before it is tapped again.
# A mat with many readers would otherwise not notice that it had left.
RECENT, AWAY = 3, "wait 2"


def rehearsal_text(
    start: GameStart,
    entries: Iterable[Entry],
    view: TableView,
    language: str = "en",
    deck: str | None = None,
) -> str:
    """Return a game as the text of a rehearsal, which expects *view* at its end.

    The text includes inputs that were undone, and their undoing.

    Args:
        start: the start of the game.
        entries: the game's journal entries.
        view: the table's last view.
        language: the table's language.
        deck: the name of a deck file, if the game had a different deck from the table's.
    """
    lines = [
        *setup_lines(start, language, deck),
        *verb_lines(entries, start.names),
        *expectation_lines(view),
    ]
    return "\n".join(lines) + "\n"


def setup_lines(
    start: GameStart, language: str | None = None, deck: str | None = None
) -> list[str]:
    """Return the lines of a rehearsal up to ``start``.

    There is no line ``language`` or ``deck`` if *language* or *deck* (a file name) is None.
    """
    names = _writable(start.names)
    lines = [f"game {start.game}"]
    if deck is not None:
        lines.append(f"deck {quote(deck)}")
    if language is not None:
        lines.append(f"language {language}")
    if unspelt := [name for name in names if not can_be_spelt(name)]:
        lines.append(f"names {' '.join(map(quote, unspelt))}")
    people = names[: goal_seat(start.options, len(names))]
    lines.append(f"players {' '.join(map(quote, people))}")
    lines.append(f"dealer {quote(names[start.dealer])}")
    lines += (f"option {name} {value_text(value)}" for name, value in start.options.items())
    return [*lines, "start"]


def verb_lines(entries: Iterable[Entry], names: Sequence[str]) -> list[str]:
    """Return people's acts as lines of a rehearsal, including undone inputs and the undos."""
    names = _writable(names)
    recent: deque[Piece] = deque(maxlen=RECENT)
    verbs: list[str] = []
    for _entry, step in walk(entry for entry in entries if entry.kind != "start"):
        match step:
            case UndoStep():
                verbs.append("press back")
            case InputStep(given):
                if isinstance(given, Tap):
                    verbs += [AWAY] if given.piece in recent else []
                    recent.append(given.piece)
                verbs.append(verb_of(given, names))
    return verbs


def expectation_lines(view: TableView) -> list[str]:
    """Return ``expect`` lines for the phase, headline, scores and winners of *view*."""
    names = _writable(view.names)
    lines = [f"expect phase {view.phase}", f"expect headline {quote(view.headline)}"]
    scores = zip(names, view.scores, strict=True)
    lines += (f"expect score {quote(name)} {score}" for name, score in scores)
    if view.winners:
        won = " ".join(quote(names[seat]) for seat in view.winners)
        lines.append(f"expect winner {won}")
    return lines


def is_same_deck(deck: Deck, other: Deck) -> bool:
    """Return True if both decks have the same pieces, and the same rows and columns if any."""
    return (deck.kinds, deck.spread) == (other.kinds, other.spread)


def entry_text(entry: Entry, names: Sequence[str]) -> str:
    """Return a journal entry in one line, for people."""
    match entry.kind:
        case "input":
            return verb_of(decode(entry.body), names)
        case "start":
            return f"{entry.body['game']}: {', '.join(entry.body['names'])}"
        case "end":
            return str(entry.body["how"])
    return entry.kind


def verb_of(given: Input, names: Sequence[str]) -> str:
    """Return the line of a rehearsal that gives the input *given*. *names* are the players'."""
    match given:
        case Tap(piece, spot, seat):
            place = SEAT_SPOTS[seat] if spot == PLAY_SPOT and seat is not None else spot
            return f"tap {piece}" if place == PLAY_SPOT else f"tap {piece} @ {place}"
        case Number(value):
            return f"choose {value}"
        case Choice(name):
            return f"choose {name}"
        case SeatChoice(seat):
            return f"choose {quote(names[seat])}"
        case PlaceChoice(place):
            return f"choose {place}"
        case Press(button):
            return f"press {button.value}"


def quote(text: str) -> str:
    """Return *text* as one word of a rehearsal, in quotation marks if needed."""
    return text if PLAIN.fullmatch(text) else f'"{text}"'


def _writable(names: Sequence[str]) -> tuple[str, ...]:
    """Return *names* with apostrophes in place of quotation marks.

    A quoted word of a rehearsal cannot contain a quotation mark.
    """
    return tuple(name.replace('"', "'") for name in names)


def value_text(value: object) -> str:
    """Return the value of a house rule as rehearsals write it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
