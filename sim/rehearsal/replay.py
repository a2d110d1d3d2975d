"""``tapmat journal replay`` and ``export``: a game of the journal played again at an emulated mat.

Room: sim/rehearsal. What is exported was played first, so it is known to replay: to the same
inputs, which by the rules that are installed lead to the same state, scores and words.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from gettext import gettext as _
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

from engines.common.pieces import Deck
from firmware.archive.past import PastGame, history_of, played
from firmware.cli import EXIT_FAILED, EXIT_OK
from firmware.config import TableConfig
from firmware.decks import deck_file, load_deck
from firmware.errors import OutputError, TapmatError
from firmware.state_folder import state_folder
from sim.mat import Mat
from sim.rehearsal.command import with_deck, with_parts
from sim.rehearsal.export import acts_of, is_same_deck, prepared, stated
from sim.rehearsal.grammar import Line, parse
from sim.rehearsal.runner import Runner
from sim.terminal import Terminal

STDOUT = Path("-")
Watcher = Callable[[Mat, Line], None]  # told after each line that was played


class CannotReplay(TapmatError):
    """A game of the journal comes out otherwise at the emulated mat."""

    exit_code = EXIT_FAILED


@dataclass(frozen=True)
class Replay:
    """A game of the past as the verbs that play it: those *before* it is on, and the *acts*.

    *deck* is what it was played with, if that is another one than the table's.
    """

    past: PastGame
    before: tuple[str, ...]
    acts: tuple[str, ...]
    deck: Deck | None
    deck_name: str

    @classmethod
    def of(cls, folder: Path, number: int, config: TableConfig) -> "Replay":
        """Game *number* of the state folder *folder*, for the table of *config*.

        Raises:
            UnknownNumber: there is none.
            StoreError: it cannot be read.
            DeckError: the table's own deck cannot be used.
        """
        history = history_of(folder, number)
        past = played(history)
        deck = past.start.deck
        own = load_deck(past.game, config.decks.get(past.game.name))
        other = None if is_same_deck(deck, own) else deck
        name = f"game-{number}.deck.toml"
        before = prepared(past.start, config.language, None if other is None else name)
        acts = acts_of(history.entries, past.start.names)
        return cls(past, tuple(before), tuple(acts), other, name)

    @contextmanager
    def mat(self, config: TableConfig, watch: Watcher | None = None) -> Iterator[Mat]:
        """The mat of *config* on which all of it has been played again.

        Raises:
            CannotReplay: the mat took it otherwise than the journal has it.
            TapmatError: it cannot be played at this table.
        """
        place = f"game {self.past.number}"
        with TemporaryDirectory() as scratch:
            folder = Path(scratch)
            self.write_deck(folder / self.deck_name)
            lines = parse("\n".join((*self.before, *self.acts)), place)
            config = with_deck(config, lines, folder)
            mat = Mat(with_parts(config, lines), state_folder(folder / "state"))
            try:
                runner = Runner(mat)
                for line in lines:
                    runner.do(line)
                    if watch is not None and mat.is_on:
                        watch(mat, line)
                self._compare(mat)
                yield mat
            finally:
                mat.close()

    def write_deck(self, file: Path) -> None:
        """Write the deck into *file*, if it is not the table's."""
        if self.deck is not None:
            note = f"Game {self.past.number} was played with it."
            file.write_text(deck_file(self.deck, note), encoding="utf-8")

    def _compare(self, mat: Mat) -> None:
        """Refuse what came out otherwise."""
        record = mat.running.journal.open_game()
        inputs = () if record is None else record.inputs
        if inputs != self.past.inputs:
            same = zip(inputs, self.past.inputs, strict=False)
            at = next((n for n, (one, other) in enumerate(same) if one != other), len(inputs))
            found = _(
                "game {number}: play {play} comes out otherwise at the emulated mat. "
                "tapmat journal show tells what it was; a bundle helps to find out why."
            )
            raise CannotReplay(found.format(number=self.past.number, play=at + 1))


def run_replay(
    number: int,
    config: TableConfig,
    state: Path | None,
    pace_s: float | None,
    out: TextIO | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> int:
    """Play game *number* again, a play each *pace_s* seconds; without, show just how it ends.

    Raises:
        CannotReplay: it comes out otherwise.
        TapmatError: it cannot be read, or not be played at this table.
    """
    out = out or sys.stdout
    replay = Replay.of(state_folder(state), number, config)
    terminal: Terminal | None = None

    def watch(mat: Mat, line: Line) -> None:
        nonlocal terminal
        if pace_s is None:
            return
        terminal = terminal or Terminal(mat, (), out)
        terminal.show(f"{line.text}\n")
        sleep(pace_s)

    with replay.mat(config, watch) as mat:
        if pace_s is None:
            Terminal(mat, (), out).show()
    print(_("Game {number} came out as in the journal.").format(number=number), file=out)
    return EXIT_OK


def run_export(
    number: int, file: Path, config: TableConfig, state: Path | None, out: TextIO | None = None
) -> int:
    """Write game *number* into the new *file*; beside it its deck, if that is not the table's.

    Raises:
        OutputError: it cannot be written.
        CannotReplay: it comes out otherwise, so no rehearsal can be made of it.
        TapmatError: it cannot be read, or not be played at this table.
    """
    out = out or sys.stdout
    replay = Replay.of(state_folder(state), number, config)
    if file == STDOUT and replay.deck is not None:
        found = _("cannot take it all: the game was played with a deck that needs a file too")
        raise OutputError(_("the standard output"), "", found, _("Name a file."))
    with replay.mat(config) as mat:
        text = "\n".join((*replay.before, *replay.acts, *stated(mat.view))) + "\n"
    if file == STDOUT:
        print(text, end="", file=out)
        return EXIT_OK
    try:
        with file.open("x", encoding="utf-8", newline="\n") as new:
            new.write(text)
        replay.write_deck(file.with_name(replay.deck_name))
    except OSError as wrong:
        found = _("cannot be written ({reason})").format(reason=wrong.strerror or wrong)
        remedy = _("Name a new file that you may write.")
        raise OutputError(file, "", found, remedy) from wrong
    written = [file] if replay.deck is None else [file, file.with_name(replay.deck_name)]
    told = _("Written: {files}. Play it with: tapmat rehearse {file}")
    print(told.format(files=", ".join(map(str, written)), file=file), file=out)
    return EXIT_OK
