"""``tapmat enrol``: record which sticker is on which card, at the table or from a file.

``firmware.table.modes.enrolling`` does the work at the table. This module opens the table, copies
the display's words to the terminal, and operates the table's controls as the user types.
"""

import json
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Self, TextIO

from rich.console import Console
from rich.progress_bar import ProgressBar
from rich.table import Table as Grid
from rich.text import Text

from engines.common.pieces import Deck, Piece
from firmware.boxes import sticker_files
from firmware.boxes.box import Box
from firmware.boxes.decks import COMMAND_CARDS, deck_file, load_deck
from firmware.boxes.games import games
from firmware.boxes.register import COMMANDS, TagRegister
from firmware.commands.options import BLANK, EXIT_OK, STDOUT
from firmware.commands.stand_ins import stand_in
from firmware.common.errors import (
    BoxNotWhole,
    StickersError,
    TagRefused,
    UnknownGame,
    UnknownPiece,
    did_you_mean,
    unwritable,
    word_list,
)
from firmware.common.toml_sections import to_write
from firmware.config.table_config import TableConfig
from firmware.journal.journal import lock_folder
from firmware.journal.state_folder import state_folder
from firmware.runtime.controller import JOURNAL, REGISTER, Controller
from firmware.runtime.display_wiring import open_computer
from firmware.runtime.loop import Loop
from firmware.show.view import TableView
from firmware.table.events import Event
from hardware.ports import Pressed, Turned

LINGER_S = 1.5  # time for the last tone and words before the table closes
KINDS_SHOWN = 9  # lines of an open list
BUTTONS = {"skip": "action", "rename": "action", "back": "back", "ok": "ok"}


@dataclass(frozen=True, slots=True)
class CardsToEnrol:
    """The cards to enrol: a whole box, or only *piece* if it is given.

    If *piece* is a string, it is the name of a kind, and any one piece of that kind is enrolled.
    """

    deck: Deck
    box: int = 1
    piece: Piece | str | None = None

    @classmethod
    def of(cls, config: TableConfig, game: str, box: int = 1, piece: str | None = None) -> Self:
        """Return the cards of *game* in box number *box*, or only its *piece*.

        *piece* is written ``weight-7`` or ``weight-7#2``.

        Raises:
            UnknownGame, UnknownPiece: there is no such game, or it has no such piece.
            DeckError: the game's deck file cannot be used.
        """
        known = (*games(), COMMANDS)
        if game not in known:
            found = 'There is no game "{name}". Stickers can be enrolled for: {games}.'
            hint = did_you_mean(game, known) or "Choose one of them."
            raise UnknownGame(f"{found.format(name=game, games=word_list(known))} {hint}")
        is_game = game != COMMANDS
        deck = load_deck(games()[game], config.decks.get(game)) if is_game else COMMAND_CARDS
        return cls(deck, box, None if piece is None else _piece_of(deck, piece))


def _piece_of(deck: Deck, name: str) -> Piece | str:
    """Return the piece of *deck* that *name* names, such as ``weight-7#2``.

    If *name* is only a kind, such as ``weight-7``, return the kind's name.
    """
    try:
        piece = Piece.parse(name)
    except ValueError as wrong:
        raise UnknownPiece(f"{wrong}. {to_write('weight-7#2')}") from wrong
    kind = deck.by_name.get(piece.kind)
    if kind is None:
        found = f'{deck.game} has no piece "{piece.kind}".'
        kinds = f"It has: {word_list(deck.by_name)}."
        raise UnknownPiece(f"{found} {did_you_mean(piece.kind, deck.by_name) or kinds}")
    if "#" not in name:
        return piece.kind
    if deck.is_verified and not deck.holds(piece):
        found = "There is no {piece}: the deck of {game} has {count} of that kind."
        raise UnknownPiece(found.format(piece=piece, game=deck.game, count=kind.count))
    return piece


# --- at the table --------------------------------------------------------------------------------


def enrol_at_table(
    controller: Controller, wanted: CardsToEnrol, screen: "Screen", typed: "Typed"
) -> Box:
    """Enrol the *wanted* cards at the table of *controller*, and return the box.

    *screen* copies the words of the table's display, and *typed* has the lines that the user types.
    The function returns when the cards are done, or when somebody leaves the enrolment or types
    ``quit``.

    Raises:
        RegisterError: the register cannot be read.
    """
    loop, table = controller.loop, controller.table
    table.enrol(wanted.deck.game, wanted.box, wanted.piece)
    loop.begin()
    screen.show(loop.view)
    until_s: float | None = None
    while not loop.is_stopping and (until_s is None or loop.clock.now() < until_s):
        loop.step()
        loop.clock.sleep(loop.pause_s)
        for line in typed.lines():
            screen.note = _carry_out(controller, line.strip())
            if not loop.is_stopping:
                screen.show(loop.view, is_forced=True)
        if table.enrolling_game is not None:
            screen.show(loop.view)
        elif until_s is None:
            until_s = loop.clock.now() + LINGER_S
    return Box.of(controller.register, wanted.deck, wanted.box)


def _carry_out(controller: Controller, words: str) -> str:
    """Operate the controls as *words*, a typed line, say; return an error message, or ""."""
    word, loop = words.lower(), controller.loop
    if word == "quit":
        loop.stop()
    elif word in BUTTONS:
        loop.receive([Pressed(BUTTONS[word])])
    elif word:
        return _choose(loop, word)
    return ""


def _choose(loop: Loop, value: str) -> str:
    """Select the item named *value* in a list and press OK; return an error message, or "".

    The list is the open one, or else the list of kinds.
    """
    known: tuple[str, ...] = ()
    # Look in the open list; then open the list of kinds; then close another list to open that.
    openings: tuple[tuple[Event, ...], ...] = ((), (Turned(0),), (Pressed("back"), Turned(0)))
    for opening in openings:
        loop.receive(opening)
        choices = loop.view.choices
        known = () if choices is None else choices.values
        if choices is not None and value in known:
            loop.receive([Turned(known.index(value) - choices.cursor), Pressed("ok")])
            return ""
    found = f'No card is called "{value}".'
    return f"{found} {did_you_mean(value, known)}".strip()


class Typed:
    """Lines typed into a stream. A thread reads them, so the caller never waits."""

    def __init__(self, stream: TextIO) -> None:
        self._lines: SimpleQueue[str] = SimpleQueue()
        Thread(target=self._read, args=(stream,), name="typed", daemon=True).start()

    def _read(self, stream: TextIO) -> None:
        with suppress(ValueError, OSError):  # the stream was closed
            for line in stream:
                self._lines.put(line)

    def lines(self) -> Iterator[str]:
        """Yield the lines that were typed since the last call."""
        with suppress(Empty):
            while True:
                yield self._lines.get_nowait()


class Screen:
    """A copy of the display's words: a page on a terminal, one line for any other output."""

    def __init__(self, out: TextIO) -> None:
        self.note = ""  # the error message about the last typed line
        self._console = Console(file=out, highlight=False)
        self._shown: object = None

    def show(self, view: TableView, *, is_forced: bool = False) -> None:
        """Show *view* if its words have changed, and clear the note.

        If *is_forced* is True, always show *view*, with the note.
        """
        notice = view.notice
        shown = (view.headline, view.caption, view.hint, view.choices, view.progress, notice)
        if shown == self._shown and not is_forced:
            return
        if not is_forced:
            self.note = ""
        self._shown = shown
        (self._show_page if self._console.is_terminal else self._show_line)(view)

    def _show_line(self, view: TableView) -> None:
        words = [view.headline, view.caption]
        if view.choices is not None:
            words = [view.choices.prompt, view.choices.items[view.choices.cursor]]
        if view.notice is not None:
            words += [view.notice.happened, view.notice.do]
        if view.progress is not None:
            words.insert(0, f"{view.progress.done}/{view.progress.total}")
        self._console.print(Text("  ".join(filter(None, (*words, self.note)))), soft_wrap=True)

    def _show_page(self, view: TableView) -> None:
        console = self._console
        console.clear()
        console.print(Text(view.title, style="bold"))
        if view.progress is not None:
            done, total = view.progress.done, view.progress.total
            bar = Grid.grid(padding=(0, 1))
            done_bar = ProgressBar(
                total,
                min(done, total),
                40,
                style="dim",
                complete_style="bold",
                finished_style="bold",
            )
            bar.add_row(done_bar, f"{done}/{total}")
            console.print(bar)
        console.print()
        if view.choices is not None:
            self._show_list(view)
        else:
            console.print(Text(f"  {view.headline}", style="bold"), Text(view.caption))
            console.print(Text(f"  {view.hint}"))
        console.print()
        if view.notice is not None:
            console.print(Text(view.notice.happened, style="bold"))
            console.print(Text(view.notice.do, style="bold"))
        if self.note:
            console.print(Text(self.note, style="bold red"))
        hint = "Type a kind (see tapmat pieces GAME) to tap it next; or skip, back, ok or quit."
        console.print(Text(hint, style="dim"))
        console.print("> ", end="")

    def _show_list(self, view: TableView) -> None:
        """Show the lines around the cursor in the open list of *view*."""
        choices = view.choices
        assert choices is not None, "the list is open"
        first = max(0, min(choices.cursor - KINDS_SHOWN // 2, len(choices.items) - KINDS_SHOWN))
        self._console.print(Text(f"  {choices.prompt}"))
        for at, item in list(enumerate(choices.items))[first : first + KINDS_SHOWN]:
            style = "reverse" if at == choices.cursor else ""
            self._console.print(Text("  "), Text(item, style=style))


# --- files ---------------------------------------------------------------------------------------


def export(wanted: CardsToEnrol, state: Path | None, file: Path, out: TextIO) -> None:
    """Write the stickers of the *wanted* cards' box to *file*.

    Raises:
        OutputError: *file* cannot be written.
        RegisterError, StateFolderError: the register cannot be read.
    """
    _write(file, sticker_files.stickers_text(_box(wanted, state)), out)


def import_from(wanted: CardsToEnrol, state: Path | None, file: Path, *, replaces: bool) -> Box:
    """Enrol the stickers listed in *file*, all or none of them, and return the box.

    They replace all stickers in the box of the *wanted* cards. If a sticker that is enrolled
    already would be lost, *replaces* must be True.

    Raises:
        StickersError: the file has an error, a sticker would be lost, or one is in another box.
        FolderInUse: a table is using this state folder.
        RegisterError, StateFolderError: the register cannot be written.
    """
    stickers = sticker_files.read(file, wanted.deck)
    folder = state_folder(state)
    with (
        closing(lock_folder(folder / JOURNAL)),
        closing(TagRegister(folder / REGISTER)) as register,
    ):
        before = register.pieces(wanted.deck.game, wanted.box)
        if not replaces:
            _refuse_other(file, before, stickers.uids, wanted)
        try:
            register.fill(wanted.deck.game, wanted.box, stickers.uids, closed=stickers.is_closed)
        except TagRefused as refused:
            raise StickersError(file, "", "cannot be enrolled", str(refused)) from refused
        return Box.of(register, wanted.deck, wanted.box)


def _refuse_other(
    file: Path, before: Mapping[Piece, bytes], after: Mapping[Piece, bytes], wanted: CardsToEnrol
) -> None:
    """Raise a StickersError if the import of *file* would remove or replace a sticker.

    *before* has the UID of each piece now, and *after* the UIDs in *file*.
    """
    for piece, uid in before.items():
        other = after.get(piece)
        if other == uid:
            continue
        found = "has no sticker for {piece}, although {uid} is enrolled for it"
        if other is not None:
            found = "has {other} for {piece}, although {uid} is enrolled for it"
        uids = {"uid": sticker_files.hex_of(uid), "other": sticker_files.hex_of(other or b"")}
        remedy = (
            "Import the file into another box (--box {box}), or replace the stickers: --replace."
        )
        remedy = remedy.format(box=wanted.box + 1)
        raise StickersError(file, "", found.format(piece=piece, **uids), remedy)


def write_deck(wanted: CardsToEnrol, state: Path | None, file: Path, out: TextIO) -> Deck:
    """Write the enrolled cards of a box to *file*, as a deck file, and return that deck.

    Raises:
        BoxNotWhole: not every card has a sticker yet.
        OutputError: *file* cannot be written.
        RegisterError, StateFolderError: the register cannot be read.
    """
    box = _box(wanted, state)
    if not box.is_whole:
        found = (
            "Only {done} of {total} cards of {game} have a sticker. Enrol the others; or, if the "
            "box has no more cards, skip them and press OK."
        )
        raise BoxNotWhole(found.format(done=box.done, total=box.total, game=box.game))
    deck = replace(box.in_play, is_verified=True)
    _write(file, deck_file(deck, f"Counted by its stickers, box {box.number}."), out)
    return deck


def _box(wanted: CardsToEnrol, state: Path | None) -> Box:
    with closing(TagRegister(state_folder(state) / REGISTER)) as register:
        return Box.of(register, wanted.deck, wanted.box)


def _write(file: Path, text: str, out: TextIO) -> None:
    """Write *text* to *file*, or to *out* if *file* is "-".

    An old file is replaced only when all of the new text is written.
    """
    if file == STDOUT:
        out.write(text)
        return
    half = file.with_name(f"{file.name}.part")
    try:
        half.write_text(text, encoding="utf-8")
        half.replace(file)
    except OSError as wrong:
        half.unlink(missing_ok=True)
        raise unwritable(file, wrong) from wrong


# --- the command ---------------------------------------------------------------------------------


def blank_folder() -> Path:
    """Return the state folder of the emulated table on which no cards are enrolled at first."""
    return state_folder() / BLANK


def run_simulated_enrolment(config: TableConfig, state: Path | None, wanted: CardsToEnrol) -> int:
    """Enrol the *wanted* cards at an emulated table in this terminal.

    Raises:
        MissingPart: no emulated table is installed.
        TapmatError: the configuration or the state folder cannot be used.
    """
    return int(stand_in("tapmat.enrol")(config, state, wanted))


def run_enrolment(
    config: TableConfig, state: Path | None, wanted: CardsToEnrol, out: TextIO | None = None
) -> int:
    """Enrol the *wanted* cards with this computer's own parts.

    Raises:
        MissingPart: this computer lacks a part.
        TapmatError: the configuration or the state folder cannot be used.
    """
    out = out or sys.stdout
    with closing(open_computer()) as board, Controller.open(config, state, board) as controller:
        signal.signal(signal.SIGTERM, lambda *_: controller.loop.stop())
        box = enrol_at_table(controller, wanted, Screen(out), Typed(sys.stdin))
    print(_summary(box), file=out)
    return EXIT_OK


def run_export(
    wanted: CardsToEnrol, state: Path | None, file: Path, out: TextIO | None = None
) -> int:
    """Write the stickers of a box to *file*."""
    export(wanted, state, file, out or sys.stdout)
    return EXIT_OK


def run_import(
    wanted: CardsToEnrol, state: Path | None, file: Path, replaces: bool, out: TextIO | None = None
) -> int:
    """Enrol the stickers listed in *file*, all or none of them.

    If *replaces* is True, they may replace stickers that are enrolled already.
    """
    box = import_from(wanted, state, file, replaces=replaces)
    print(_summary(box), file=out or sys.stdout)
    return EXIT_OK


def run_deck(
    wanted: CardsToEnrol, state: Path | None, file: Path, out: TextIO | None = None
) -> int:
    """Write the enrolled cards of a box to *file*, as a deck file."""
    out = out or sys.stdout
    deck = write_deck(wanted, state, file, out)
    if file != STDOUT:
        pieces = "piece" if deck.total == 1 else "pieces"
        print(f"{file} has {deck.total} {pieces}. To play with it, write in table.toml:", file=out)
        print(f"[decks]\n{deck.game} = {json.dumps(str(file))}", file=out)
    if deck.total != wanted.deck.total:
        note = f"The deck of {deck.game} should have {wanted.deck.total} pieces: count them again."
        print(note, file=sys.stderr)
    return EXIT_OK


def _summary(box: Box) -> str:
    name = box.game if box.number == 1 else f"{box.game}, box {box.number}"
    return f"{name}: {box.done} of {box.total} have a sticker."
