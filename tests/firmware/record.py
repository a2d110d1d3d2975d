"""A record of tables at which people act at random: what each act leads to, and what is shown then.

Texts are named by their codes and facts, so the record does not depend on the words of a language.
It has the acts with an outcome that was not recorded before.
"""

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from engines.common.contract import SEAT_SPOTS, Message, Tap
from engines.common.errors import Fact
from engines.common.pieces import Piece
from firmware.boxes.decks import COMMAND_CARDS
from firmware.boxes.register import COMMANDS
from firmware.common.errors import JournalError, RegisterError
from firmware.journal.entry import Entry
from firmware.journal.kit_choice import OFFERED
from firmware.runtime.controller import decks_of, words_for
from firmware.show.view import GridView, ListView, Notice, TableView
from firmware.table.events import (
    CodeRequested,
    CopyFailed,
    Event,
    JoinRequested,
    PartFailed,
    PartRecovered,
    TagOnSpot,
    TagsArrived,
    TagUnreadable,
)
from firmware.table.modes.playing import Playing
from firmware.table.table import Feedback
from firmware.voice.speech import SpeechLine
from firmware.voice.words import Words
from hardware.ports import Pressed, Rocked, Turned
from sim.mat.tags import uid_of
from tests.engines.contract import Case, fouls, offers
from tests.firmware.tabletop import CONFIG, Tabletop

DECKS = decks_of(CONFIG)
LONGEST = 240  # the number of characters kept of a field of a view
ACTS = 400  # the number of acts at each table
RARE: tuple[Event, ...] = (
    TagUnreadable("seat-2"),
    PartFailed("reader play", "reader"),
    PartRecovered("reader play"),
    PartFailed("display", "display"),
    PartRecovered("display"),
    CodeRequested("1234"),
    JoinRequested("192.0.2.7"),
    CopyFailed("full"),
    Rocked(),
)


class CodedWords(Words):
    """Words that give each message's code and facts in place of its text."""

    def __init__(self, words: Words) -> None:
        super().__init__(words.language, words._catalogues)

    def say(self, message: Message, names: Sequence[str] = ()) -> str:
        """Return the code and the facts of *message*."""
        told = (f"{name}={fact_text(name, fact, names)}" for name, fact in message.facts.items())
        return f"{message.code}{{{' '.join(told)}}}" if message.facts else message.code

    def tell(self, message: Message, names: Sequence[str] = ()) -> str:
        """Return the same with a mark, as the voice's text."""
        return f"~{self.say(message, names)}"

    def write(self, message: Message, names: Sequence[str] = ()) -> str:
        """Return the same with another mark, as the text of a page."""
        return f"^{self.say(message, names)}"


def fact_text(name: str, fact: Fact, names: Sequence[str]) -> str:
    """Return a fact as text; a seat is the player's name."""
    if isinstance(fact, int) and name.endswith("seat") and fact < len(names):
        return names[fact]
    return "+".join(map(str, fact)) if isinstance(fact, tuple) else str(fact)


class CodedTabletop(Tabletop):
    """A table whose texts are codes."""

    def words_for(self, language: str) -> dict[str, Words]:
        """Return words that give codes."""
        return {name: CodedWords(words) for name, words in words_for(language).items()}


@dataclass(frozen=True)
class People:
    """The shares, from 0 to 1, of each kind of act at a table; the rest are cards."""

    plays: float = 0.45  # plays that the game asks for, if one is in progress
    presses: float = 0.18
    turns: float = 0.1
    commands: float = 0.1
    new: float = 0.04  # stickers that are not enrolled
    rare: float = 0.03


PLAYERS = People()
BEGINNERS = People(plays=0.02, presses=0.3, turns=0.25, commands=0.2, new=0.15, rare=0.02)


def record_of_game(folder: Path, game: str, seed: int) -> str:
    """Return the record of a table on the empty *folder*, at which people play *game*."""
    return _record_of(CodedTabletop(folder, game=game), PLAYERS, Random(seed))


def record_of_lists(folder: Path, seed: int) -> str:
    """Return the record of a table on the empty *folder*, at which people try all lists.

    Only the command cards and some cards of Straw and Cramel have stickers at first.
    """
    (folder / OFFERED).write_text("mini\nfamily\n")
    top = CodedTabletop(folder, game="cramel", is_blank=True)
    for deck, count in ((COMMAND_CARDS, 99), (DECKS["straw"], 70), (DECKS["cramel"], 99)):
        for piece in deck.pieces()[:count]:
            top.register.bind(uid_of(deck.game, piece), deck.game, piece)
    return _record_of(top, BEGINNERS, Random(seed))


class Heard(logging.Handler):
    """A log handler that keeps the messages."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the message of *record*."""
        self.messages.append(record.getMessage())


def _record_of(top: Tabletop, people: People, chance: Random) -> str:
    heard, log = Heard(), logging.getLogger("firmware.table")
    log.addHandler(heard)
    try:
        lines = act_lines(top, people, chance, heard)
        return "".join(f"{line}\n" for line in lines).replace(str(top.folder), "")
    finally:
        log.removeHandler(heard)
        top.close()


def act_lines(top: Tabletop, people: People, chance: Random, heard: Heard) -> Iterator[str]:
    """Yield the lines about ``ACTS`` acts of *people*; *heard* has what the table logs."""
    known, shown = set[str](), dict[str, str]()
    for number in range(ACTS):
        phase = top.view.phase
        what, act = any_act(top, people, chance)
        said = [line for answer in act() for line in answer_lines(answer)]
        said += (f"  journal {entry_text(entry)}" for entry in top.journal.take_new_entries())
        said += (f"  log {message}" for message in heard.messages)
        heard.messages.clear()
        now = view_texts(top.view)
        new = {f"{phase} {shape(line)}" for line in said}
        new.add(f"{now['phase']} {shape(now['choices'])}")
        if new <= known:
            continue
        known |= new
        yield f"{number}: {what}"
        yield from said
        yield from (
            f"  {name}: {text}" for name, text in now.items() if shown.get(name, "") != text
        )
        shown = now


def any_act(
    top: Tabletop, people: People, chance: Random
) -> tuple[str, Callable[[], Sequence[Feedback]]]:
    """Return a random act: its name, and the function that does it."""
    if chance.random() < 0.01:
        return "restart", lambda: restart(top)
    event = any_event(top, people, chance)
    if chance.random() < 0.03:
        return f"journal fails: {event_text(event)}", lambda: fail_journal(top, event)
    if chance.random() < 0.03:
        return f"register fails: {event_text(event)}", lambda: fail_register(top, event)
    return event_text(event), lambda: top.receive(event)


def restart(top: Tabletop) -> Sequence[Feedback]:
    """Start the table again; return what it says then."""
    top.again()
    return (Feedback(0.0, top.table.wake()),)


def fail_journal(top: Tabletop, event: Event) -> Sequence[Feedback]:
    """Return the answers to *event* while the journal cannot be written."""
    wrong = JournalError(top.journal.path, "", "cannot be saved", "Make room.")
    names = ("append", "undo", "begin", "end", "note_setting", "last_start")
    fails: Any = {name: failing(wrong) for name in names}
    with patch.multiple(top.journal, **fails):
        return top.receive(event)


def fail_register(top: Tabletop, event: Event) -> Sequence[Feedback]:
    """Return the answers to *event* while the register cannot be read or written."""
    wrong = RegisterError(top.register.path, "", "cannot be used", "Look at the disk.")
    names = ["boxes", "pieces", "rebind", "close_box"]
    if isinstance(event, TagsArrived) and len(event.tags) > 1:
        names.append("piece_of")
    fails: Any = {name: failing(wrong) for name in names}
    with patch.multiple(top.register, **fails):
        return top.receive(event)


def failing(wrong: Exception) -> Callable[..., Any]:
    """Return a function that raises *wrong*."""

    def fail(*_: Any, **__: Any) -> Any:
        raise wrong

    return fail


def any_event(top: Tabletop, people: People, chance: Random) -> Event:
    """Return a random event, as often as *people* cause it."""
    mode = top.table._mode
    shares = (people.plays, people.presses, people.turns, people.commands, people.new, people.rare)
    kinds = ("play", "press", "turn", "command", "new", "rare", "cards")
    match chance.choices(kinds, (*shares, 1 - sum(shares)))[0]:
        case "play" if isinstance(mode, Playing):
            return play(top, mode, chance)
        case "press":
            return Pressed(chance.choice(("ok", "ok", "ok", "action", "back")))
        case "turn":
            return Turned(chance.choice((-3, -1, 1, 1, 2, 5)))
        case "command":
            card = chance.choice(COMMAND_CARDS.kinds).name
            return laid(chance, uid_of(COMMANDS, Piece(card)))
        case "new":
            return laid(chance, any_new(chance))
        case "rare":
            return chance.choice(RARE)
    game = top.game if chance.random() < 0.8 else chance.choice(sorted(DECKS))
    pieces = chance.sample(DECKS[game].pieces(), chance.choice((1, 1, 2, 3)))
    return laid(chance, *(uid_of(game, piece) for piece in pieces))


def play(top: Tabletop, mode: Playing, chance: Random) -> Event:
    """Return an event for something that the game asks for, or a tap of several cards."""
    case = Case(mode.game)
    asks = mode.game.asks(mode.state)
    given = chance.choice([*offers(case, asks), *fouls(case, asks)] or [[None]])
    if not isinstance(given[0], Tap):
        return Pressed(chance.choice(("ok", "action")))
    takes = [tap for tap in given if isinstance(tap, Tap) and mode.takes(tap)]
    first = (takes or [given[0]])[0]
    others = chance.sample(case.deck.pieces(), 2) if chance.random() < 0.15 else []
    return laid(chance, *(uid_of(top.game, piece) for piece in (first.piece, *others)))


def laid(chance: Random, *uids: bytes) -> TagsArrived:
    """Return the event that the tags *uids* arrive, mostly on the play spot."""
    spot = "play" if chance.random() < 0.8 else chance.choice(SEAT_SPOTS[:4])
    tags = tuple(TagOnSpot(spot, uid) for uid in dict.fromkeys(uids))
    return TagsArrived(tags, was_found=chance.random() < 0.05)


def any_new(chance: Random) -> bytes:
    """Return the UID of a sticker that is not enrolled, or one that changes, as telephones have."""
    return bytes.fromhex("08A1B2C3") if chance.random() < 0.1 else b"\x04" + chance.randbytes(6)


# --- lines ---------------------------------------------------------------------------------------


def event_text(event: Event) -> str:
    """Return an event in one line."""
    if not isinstance(event, TagsArrived):
        return repr(event)
    tags = ", ".join(f"{NAMES.get(tag.uid, 'a new tag')} on {tag.spot}" for tag in event.tags)
    return f"{tags} found" if event.was_found else tags


NAMES = {
    uid_of(deck.game, piece): f"{deck.game} {piece}"
    for deck in (COMMAND_CARDS, *DECKS.values())
    for piece in deck.pieces()
}


def answer_lines(answer: Feedback) -> Iterator[str]:
    """Yield the lines of a feedback."""
    yield from map(speech_text, answer.say)
    yield f"  {answer.flash} {answer.cue}{notice_text(answer.notice)}"


def speech_text(line: SpeechLine) -> str:
    """Return a line for the voice."""
    return f'  says "{line.text}" {line.topic.name}{" requested" if line.is_requested else ""}'


def notice_text(notice: Notice | None) -> str:
    """Return a notice."""
    if notice is None:
        return ""
    is_usual = notice.said == f"~{notice.happened} ~{notice.do}"
    said = "~" if is_usual else notice.said
    is_usual = notice.on_page == (f"^{notice.happened}", f"^{notice.do}")
    on_page = ("^",) if is_usual else notice.on_page
    parts = (notice.happened, notice.do, notice.code, notice.rule, said, *on_page)
    return f" notice {' | '.join(parts)}"


def entry_text(entry: Entry) -> str:
    """Return an entry of the journal, without the deck."""
    return " ".join((entry.kind, *(f"{k}={v}" for k, v in entry.body.items() if k != "deck")))


def view_texts(view: TableView) -> dict[str, str]:
    """Return each field of a view as text."""
    return {field.name: value_text(getattr(view, field.name))[:LONGEST] for field in fields(view)}


def value_text(value: Any) -> str:
    """Return the value of a field of a view."""
    match value:
        case ListView(items=items, values=values):
            head = f"{value.prompt} at {value.cursor}; {value.asked}; {value.said}; {value.help}"
            rows = [f"{item}={name}" for item, name in zip(items, values, strict=True)]
            near = rows[max(0, value.cursor - 1) : value.cursor + 2]
            return f"{head}: {', '.join(near)} of {len(items)}"
        case GridView(places=places, cursor=cursor):
            at = None if cursor is None else (str(cursor.place), cursor.piece)
            return f"{len(value.board.cells)} cells, at {at}: {' '.join(map(str, places))}"
        case Notice():
            return value.code or shape(value.happened)
        case dict():
            return " ".join(f"{name}={number}" for name, number in value.items() if number)
    return str(value)


def shape(line: str) -> str:
    """Return *line* without facts and numbers."""
    return re.sub(r"\{.*?\}|\d+", "", line)
