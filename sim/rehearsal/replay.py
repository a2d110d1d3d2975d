"""``tapmat journal replay`` and ``export``: play a recorded game again at an emulated mat.

A game is replayed before it is exported, so every export certainly gives the same inputs. With the
same rules, these lead to the same state, scores and words.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

from engines.common.contract import PLAY_SPOT, Input, Tap
from engines.common.pieces import Deck
from firmware.archive.past import PastGame, history_of, replay
from firmware.boxes.decks import deck_file, load_deck
from firmware.commands.options import EXIT_FAILED, EXIT_OK, STDOUT
from firmware.common.errors import OutputError, TapmatError
from firmware.config.table_config import TableConfig
from firmware.journal.state_folder import state_folder
from sim.mat.mat import Mat
from sim.rehearsal.command import with_deck, with_parts
from sim.rehearsal.export import expectation_lines, is_same_deck, setup_lines, verb_lines
from sim.rehearsal.grammar import RehearsalLine, parse
from sim.rehearsal.runner import Runner
from sim.rehearsal.terminal import Terminal

Watcher = Callable[[Mat, RehearsalLine], None]  # called after each played line


class CannotReplay(TapmatError):
    """A replayed game has other inputs than the recorded one, so it cannot be shown or exported."""

    exit_code = EXIT_FAILED


@dataclass(frozen=True)
class Replay:
    """The recorded game *past* as lines of a rehearsal.

    *before* are the lines before the start, and *acts* the lines after it. *deck* is the deck of
    the game, or None if it is the table's own deck; *deck_name* is the name of the file for that
    deck.
    """

    past: PastGame
    before: tuple[str, ...]
    acts: tuple[str, ...]
    deck: Deck | None
    deck_name: str

    @classmethod
    def of(cls, folder: Path, number: int, config: TableConfig) -> "Replay":
        """Read game *number* in the state folder *folder*, for the table of *config*.

        Raises:
            UnknownNumber: there is no such game.
            StoreError: the journal cannot be read.
            DeckError: the table's own deck cannot be used.
        """
        history = history_of(folder, number)
        past = replay(history)
        deck = past.start.deck
        own = load_deck(past.game, config.decks.get(past.game.name))
        other = None if is_same_deck(deck, own) else deck
        name = f"game-{number}.deck.toml"
        before = setup_lines(past.start, config.settings.language, None if other is None else name)
        acts = verb_lines(history.entries, past.start.names)
        return cls(past, tuple(before), tuple(acts), other, name)

    @contextmanager
    def mat(self, config: TableConfig, watch: Watcher | None = None) -> Iterator[Mat]:
        """Replay the game and yield the mat, which is closed after the block.

        *watch* is called with the mat and the line after each line that leaves the mat on.

        Raises:
            CannotReplay: the mat's inputs differ from the journal's.
            TapmatError: the game cannot be played at this table.
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
        """Write the game's deck to *file*, unless it is the table's own."""
        if self.deck is not None:
            note = f"Game {self.past.number} was played with it."
            file.write_text(deck_file(self.deck, note), encoding="utf-8")

    def _compare(self, mat: Mat) -> None:
        """Raise CannotReplay if the inputs at *mat* differ from the recorded ones."""
        record = mat.running.journal.open_game()
        inputs = () if record is None else record.inputs
        told, past = map(_without_spots, (inputs, self.past.inputs))
        if told != past:
            same = zip(told, past, strict=False)
            at = next((n for n, (one, other) in enumerate(same) if one != other), len(inputs))
            number = self.past.number
            raise CannotReplay(
                f"Game {number}: on the emulated mat, play {at + 1} had a different result from "
                f"the one in the journal. To see the game, run: tapmat journal show {number}. To "
                "report this, send the file that this command writes: tapmat journal bundle"
            )


def _without_spots(inputs: Sequence[Input]) -> list[Input]:
    """Return *inputs* without the spot of a tap that names its seat.

    The mat knows whose its own pieces are on every reader. A replay has a reader for such a seat.
    """
    return [
        replace(given, spot=PLAY_SPOT)
        if isinstance(given, Tap) and given.seat is not None
        else given
        for given in inputs
    ]


def run_replay(
    number: int,
    config: TableConfig,
    state: Path | None,
    pace_s: float | None,
    out: TextIO | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> int:
    """Replay game *number* with a play every *pace_s* seconds; None shows only the end.

    *state* is the state folder with the journal; None means the default one. Return 0.

    Raises:
        CannotReplay: a play has a different result from the one in the journal.
        TapmatError: the game cannot be read, or cannot be played at this table.
    """
    out = out or sys.stdout
    replay = Replay.of(state_folder(state), number, config)
    terminal: Terminal | None = None

    def watch(mat: Mat, line: RehearsalLine) -> None:
        nonlocal terminal
        if pace_s is None:
            return
        terminal = terminal or Terminal(mat, (), out)
        terminal.show(f"{line.text}\n")
        sleep(pace_s)

    with replay.mat(config, watch) as mat:
        if pace_s is None:
            Terminal(mat, (), out).show()
    print(f"Game {number} has the same result as in the journal.", file=out)
    return EXIT_OK


def run_export(
    number: int, file: Path, config: TableConfig, state: Path | None, out: TextIO | None = None
) -> int:
    """Write game *number* as a rehearsal to the new *file*, and its deck beside it if needed.

    Raises:
        OutputError: a file cannot be written.
        CannotReplay: a play has a different result from the one in the journal.
        TapmatError: the game cannot be read, or cannot be played at this table.
    """
    out = out or sys.stdout
    replay = Replay.of(state_folder(state), number, config)
    if file == STDOUT and replay.deck is not None:
        found = "cannot hold the game: its deck differs from the table's and needs a separate file"
        raise OutputError("the standard output", "", found, "Give the path of a file instead.")
    with replay.mat(config) as mat:
        text = "\n".join((*replay.before, *replay.acts, *expectation_lines(mat.view))) + "\n"
    if file == STDOUT:
        print(text, end="", file=out)
        return EXIT_OK
    try:
        with file.open("x", encoding="utf-8", newline="\n") as new:
            new.write(text)
        replay.write_deck(file.with_name(replay.deck_name))
    except OSError as wrong:
        found = f"cannot be written ({wrong.strerror or wrong})"
        remedy = "Name a new file that you may write."
        raise OutputError(file, "", found, remedy) from wrong
    written = [file] if replay.deck is None else [file, file.with_name(replay.deck_name)]
    files = ", ".join(map(str, written))
    print(f"Written: {files}. Play it with: tapmat rehearse {file}", file=out)
    return EXIT_OK
