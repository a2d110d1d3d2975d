"""A game with real cards at the emulated mat, whose lines become a rehearsal."""

from collections.abc import Callable, Iterable
from pathlib import Path

from firmware.config.table_config import TableConfig
from firmware.journal.journal import GameRecord
from sim.deal.deck import VirtualDeck
from sim.mat.mat import Mat
from sim.rehearsal.grammar import RehearsalLine, Verb, parse_line
from sim.rehearsal.runner import Runner


class WrittenGame:
    """The mat, the cards dealt beside it with *seed*, and all *lines* done so far.

    Args:
        title: the comment that is the first line.
        opening: the lines that start the game.
        config: the parts of the mat.
        seed: the shuffle. The table knows none of these cards.
        folder: for the journal and the cards.
    """

    def __init__(
        self, title: str, opening: Iterable[str], config: TableConfig, seed: int, folder: Path
    ) -> None:
        self.lines = [f"# {title}"]
        self.mat = Mat(config, folder / "state")
        self.runner = Runner(self.mat)
        for line in opening:
            self.do(line)
        self.deck = VirtualDeck(folder / "deal.json")
        self.deck.deal(self.record, seed, is_hot_seat=False)

    @property
    def record(self) -> GameRecord:
        record = self.mat.running.journal.open_game()
        assert record is not None, "the game is on until somebody has won"
        return record

    def do(self, line: str) -> None:
        """Do *line* and write it down."""
        self.runner.do(RehearsalLine("", line, verb_in(line)))
        self.lines.append(line)


def verb_in(line: str) -> Verb:
    """Return what *line* says to do."""
    verb = parse_line(line, "")
    assert verb is not None, "no line is empty"
    return verb


def write_rehearsals(folder: Path, names: Iterable[str], rehearse: Callable[[str], str]) -> None:
    """Write the rehearsal of each game of *names* into *folder*, and print its length."""
    folder.mkdir(exist_ok=True)
    for game in names:
        text = rehearse(game)
        (folder / f"{game}.mat").write_text(text, encoding="utf-8")
        print(f"{game}: {len(text.splitlines())} lines")
