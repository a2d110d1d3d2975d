"""``tapmat enrol``: a box's stickers learnt at the real table, and kept in files.

Room: firmware. The table does the work (``firmware.modes.enrolling``); here it is opened, its words
are shown in the terminal too, and what is typed there is done with its controls.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from gettext import gettext as _
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Self, TextIO

from rich.console import Console
from rich.progress_bar import ProgressBar
from rich.table import Table as Grid
from rich.text import Text

from engines.common.pieces import Deck, Piece
from firmware import sticker_files
from firmware.boxes import Box
from firmware.config import TableConfig
from firmware.controller import JOURNAL, REGISTER, Controller
from firmware.decks import COMMAND_CARDS, deck_file, load_deck
from firmware.errors import (
    BoxNotWhole,
    StickersError,
    TagRefused,
    UnknownGame,
    UnknownPiece,
    did_you_mean,
    listed,
    unwritable,
)
from firmware.events import Event
from firmware.games import games
from firmware.journal import hold
from firmware.loop import Loop
from firmware.register import COMMANDS, TagRegister
from firmware.sections import to_write
from firmware.state_folder import state_folder
from firmware.view import TableView
from hardware.ports import Pressed, Turned

STDOUT = Path("-")  # a file of this name is the standard output
LINGER_S = 1.5  # for the last tone and the last words
KINDS_SHOWN = 9  # lines of a list that is open
BUTTONS = {"skip": "action", "rename": "action", "back": "back", "ok": "ok"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be enrolled: a box, or just one piece of it, or that of a kind which needs it."""

    deck: Deck
    box: int = 1
    piece: Piece | str | None = None

    @classmethod
    def of(cls, config: TableConfig, game: str, box: int = 1, piece: str | None = None) -> Self:
        """What is meant by the names *game* and *piece* (``weight-7`` or ``weight-7#2``).

        Raises:
            UnknownGame, UnknownPiece: there is no such game, or it has no such piece.
            DeckError: its deck file cannot be used.
        """
        known = (*games(), COMMANDS)
        if game not in known:
            found = _('There is no game "{name}" here; stickers are for: {games}.')
            hint = did_you_mean(game, known) or _("Choose one of them.")
            raise UnknownGame(f"{found.format(name=game, games=listed(known))} {hint}")
        is_game = game != COMMANDS
        deck = load_deck(games()[game], config.decks.get(game)) if is_game else COMMAND_CARDS
        return cls(deck, box, None if piece is None else _piece_of(deck, piece))


def _piece_of(deck: Deck, name: str) -> Piece | str:
    """The kind, or the certain piece of it, that *name* is of *deck*."""
    try:
        piece = Piece.parse(name)
    except ValueError as wrong:
        found = _('"{name}": what follows # must be a whole number from 1.').format(name=name)
        raise UnknownPiece(f"{found} {to_write('weight-7#2')}") from wrong
    kind = deck.by_name.get(piece.kind)
    if kind is None:
        found = _('{game} has no piece "{kind}".').format(game=deck.game, kind=piece.kind)
        kinds = _("It has: {kinds}.").format(kinds=listed(deck.by_name))
        raise UnknownPiece(f"{found} {did_you_mean(piece.kind, deck.by_name) or kinds}")
    if "#" not in name:
        return piece.kind
    if deck.is_verified and not deck.holds(piece):
        found = _("There is no {piece}: the deck of {game} holds {count}.")
        raise UnknownPiece(found.format(piece=piece, game=deck.game, count=kind.count))
    return piece


# --- at the table --------------------------------------------------------------------------------


def follow(controller: Controller, wanted: Wanted, screen: "Screen", typed: "Typed") -> Box:
    """Enrol what is *wanted* at the table of *controller* until it is left; return the box.

    Raises:
        RegisterError: the register cannot be read.
    """
    loop, table = controller.loop, controller.table
    table.enrol(wanted.deck.game, wanted.box, wanted.piece)
    loop.begin()
    screen.show(loop.view)
    until_s: float | None = None
    while not loop.is_stopping and (until_s is None or loop.clock.now() < until_s):
        loop.turn()
        loop.clock.sleep(loop.pause_s)
        for line in typed.lines():
            screen.note = _done(controller, line.strip())
            if not loop.is_stopping:
                screen.show(loop.view, is_anew=True)
        if table.enrolled is not None:
            screen.show(loop.view)
        elif until_s is None:
            until_s = loop.clock.now() + LINGER_S
    return Box.of(controller.register, wanted.deck, wanted.box)


def _done(controller: Controller, words: str) -> str:
    """Do with the controls what was typed; return what is wrong with it, if anything."""
    word, loop = words.lower(), controller.loop
    if word == "quit":
        loop.stop()
    elif word in BUTTONS:
        loop.receive([Pressed(BUTTONS[word])])
    elif word:
        return _chosen(loop, word)
    return ""


def _chosen(loop: Loop, value: str) -> str:
    """Turn to *value* in a list and press OK, as hands would; return why not, if it is in none."""
    known: tuple[str, ...] = ()
    # What is open; then the list of kinds; then that list, when another one was in the way.
    openings: tuple[tuple[Event, ...], ...] = ((), (Turned(0),), (Pressed("back"), Turned(0)))
    for opening in openings:
        loop.receive(opening)
        choices = loop.view.choices
        known = () if choices is None else choices.values
        if choices is not None and value in known:
            loop.receive([Turned(known.index(value) - choices.cursor), Pressed("ok")])
            return ""
    found = _('No card is called "{name}".').format(name=value)
    return f"{found} {did_you_mean(value, known)}".strip()


class Typed:
    """Lines from a stream, as they come; waiting for them is a thread's business."""

    def __init__(self, stream: TextIO) -> None:
        self._lines: SimpleQueue[str] = SimpleQueue()
        Thread(target=self._read, args=(stream,), name="typed", daemon=True).start()

    def _read(self, stream: TextIO) -> None:
        with suppress(ValueError, OSError):  # it was closed
            for line in stream:
                self._lines.put(line)

    def lines(self) -> Iterator[str]:
        """What was typed since the last call."""
        with suppress(Empty):
            while True:
                yield self._lines.get_nowait()


class Screen:
    """What the display shows, in words: a page on a terminal, a line for anything else."""

    def __init__(self, out: TextIO) -> None:
        self.note = ""  # about what was typed
        self._console = Console(file=out, highlight=False)
        self._shown: object = None

    def show(self, view: TableView, *, is_anew: bool = False) -> None:
        """Show *view* with the note, or *view* alone if it is another one than is shown."""
        notice = view.notice
        shown = (view.headline, view.caption, view.hint, view.choices, view.progress, notice)
        if shown == self._shown and not is_anew:
            return
        if not is_anew:
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
            bar.add_row(ProgressBar(total, min(done, total), width=40), f"{done}/{total}")
            console.print(bar)
        console.print()
        if view.choices is not None:
            self._show_list(view)
        else:
            console.print(Text(f"  {view.headline}", style="bold"), Text(view.caption))
            console.print(Text(f"  {view.hint}"))
        console.print()
        if view.notice is not None:
            console.print(Text(view.notice.happened, style="yellow"))
            console.print(Text(view.notice.do, style="yellow"))
        if self.note:
            console.print(Text(self.note, style="red"))
        hint = _(
            "Type a kind (tapmat pieces lists them) to tap that next; or skip, back, ok, quit."
        )
        console.print(Text(hint, style="dim"))
        console.print("> ", end="")

    def _show_list(self, view: TableView) -> None:
        choices = view.choices
        assert choices is not None, "the list is open"
        first = max(0, min(choices.cursor - KINDS_SHOWN // 2, len(choices.items) - KINDS_SHOWN))
        self._console.print(Text(f"  {choices.prompt}"))
        for at, item in list(enumerate(choices.items))[first : first + KINDS_SHOWN]:
            style = "reverse" if at == choices.cursor else ""
            self._console.print(Text("  "), Text(item, style=style))


# --- files ---------------------------------------------------------------------------------------


def export(wanted: Wanted, state: Path | None, file: Path, out: TextIO) -> None:
    """Write the stickers of a box to *file*.

    Raises:
        OutputError: it cannot be written.
        RegisterError, StateFolderError: the register cannot be read.
    """
    _write(file, sticker_files.written(_box(wanted, state)), out)


def import_from(wanted: Wanted, state: Path | None, file: Path, *, replaces: bool) -> Box:
    """Let a box have the stickers in *file*: all of them, or none; return the box.

    A box that has other stickers is left alone unless the file *replaces* them.

    Raises:
        StickersError: the file is wrong somewhere, or says otherwise than the register.
        FolderInUse: a table is running on this state folder.
        RegisterError, StateFolderError: the register cannot be written.
    """
    stickers = sticker_files.read(file, wanted.deck)
    folder = state_folder(state)
    with (
        closing(hold(folder / JOURNAL)),
        closing(TagRegister(folder / REGISTER)) as register,
    ):
        before = register.pieces(wanted.deck.game, wanted.box)
        if not replaces:
            _refuse_other(file, before, stickers.uids, wanted)
        try:
            register.fill(wanted.deck.game, wanted.box, stickers.uids, closed=stickers.is_closed)
        except TagRefused as refused:
            raise StickersError(file, "", _("cannot be enrolled"), str(refused)) from refused
        return Box.of(register, wanted.deck, wanted.box)


def _refuse_other(
    file: Path, before: Mapping[Piece, bytes], after: Mapping[Piece, bytes], wanted: Wanted
) -> None:
    """Refuse to give up stickers that somebody enrolled."""
    for piece, uid in before.items():
        other = after.get(piece)
        if other == uid:
            continue
        found = _("lacks {piece}, which has the sticker {uid} here")
        if other is not None:
            found = _("has {other} for {piece}, which has the sticker {uid} here")
        uids = {"uid": sticker_files.hexed(uid), "other": sticker_files.hexed(other or b"")}
        remedy = _("Read it into another box (--box {box}), or give those up with --replace.")
        remedy = remedy.format(box=wanted.box + 1)
        raise StickersError(file, "", found.format(piece=piece, **uids), remedy)


def write_deck(wanted: Wanted, state: Path | None, file: Path, out: TextIO) -> Deck:
    """Write the deck of a box as it was enrolled to *file*, as an owner's deck file; return it.

    Raises:
        BoxNotWhole: not every card has a sticker yet.
        OutputError: it cannot be written.
        RegisterError, StateFolderError: the register cannot be read.
    """
    box = _box(wanted, state)
    if not box.is_whole:
        found = _(
            "{done} of {total} cards of {game} have a sticker. Enrol the others; or, if the box "
            "holds no more, skip them and press OK."
        )
        raise BoxNotWhole(found.format(done=box.done, total=box.total, game=box.game))
    deck = replace(box.in_play, is_verified=True)
    _write(file, deck_file(deck, f"Counted by its stickers, box {box.number}."), out)
    return deck


def _box(wanted: Wanted, state: Path | None) -> Box:
    with closing(TagRegister(state_folder(state) / REGISTER)) as register:
        return Box.of(register, wanted.deck, wanted.box)


def _write(file: Path, text: str, out: TextIO) -> None:
    """Write *text* to *file*, or to *out*; what stood there stays until all of it is written."""
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
