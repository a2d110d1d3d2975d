"""Kills of the guest at random moments of its start and play, each with a new start."""

import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.cuts.game import Game
from tests.cuts.guest import Guest
from tests.cuts.judge import count_acts, read_disk
from tests.cuts.player import Player

STARTS = 0.2  # share of the kills that come before the table shows the game again
MOST_ACTS = 4  # acts that are shown before the act during which the guest is killed


@dataclass(frozen=True, slots=True)
class Kill:
    """One life of the guest: its *moment* of death, the acts shown and found, and its seconds."""

    moment: str
    shown: int
    found: int
    took_s: float


class KilledTable:
    """A table whose guest is killed again and again, with the disks *root* and *state*.

    *folder* gets the consoles. *words* are added to the kernel's command line.
    """

    def __init__(self, root: Path, state: Path, folder: Path, chance: Random, *words: str) -> None:
        self._disks = root, state
        self._folder = folder
        self._chance = chance
        self._words = words
        self._start_s = self._act_s = 0.0  # of the last whole start and act
        self._lives = 0

    def play(self, game: Game, fresh: Path) -> Iterator[Kill]:
        """Play *game* on a copy of the disk *fresh*, until it is over, and yield each kill.

        Raises:
            Guilty: something was lost, or is there twice.
            GuestFailed: the table did not come up again by itself.
        """
        shutil.copyfile(fresh, self._disks[1])
        done = 0
        while done < len(game.acts):
            kill = self._live(game, done)
            done = kill.found
            yield kill

    def _live(self, game: Game, done: int) -> Kill:
        """Start the guest, of which the game has *done* acts, let it play, and kill it."""
        began = time.monotonic()
        self._lives += 1
        console = self._folder / f"life-{self._lives:04}.log"
        with Guest(list(self._disks), console, *self._words) as guest:
            player = Player(guest, game)
            if self._start_s and self._chance.random() < STARTS:
                guest.run_for(self._chance.uniform(0, self._start_s))
                moment, shown = "start", done
                guest.cut()
            else:
                player.wait_for_table(done)
                self._start_s = time.monotonic() - began
                shown = self._play_acts(player, game, done)
                moment, before = "play", len(guest.pictures)
                if shown < len(game.acts):
                    player.begin(game.acts[shown])
                    guest.run_for(self._chance.uniform(0, 1.2 * self._act_s))
                guest.cut()
                shown += shown < len(game.acts) and player.has_shown(shown + 1, before)
        found = self._judge(game, shown)
        return Kill(moment, shown, found, time.monotonic() - began)

    def _play_acts(self, player: Player, game: Game, done: int) -> int:
        """Play some acts; return the number of acts shown since the game began."""
        last = min(done + self._chance.randint(0, MOST_ACTS), len(game.acts))
        for number in range(done + 1, last + 1):
            began = time.monotonic()
            player.play(number)
            self._act_s = time.monotonic() - began
        return last

    def _judge(self, game: Game, shown: int) -> int:
        with TemporaryDirectory() as folder:
            copy = Path(folder, "disk")
            shutil.copyfile(self._disks[1], copy)
            files = Path(folder, "files")
            files.mkdir()
            return count_acts(game, shown, read_disk(copy, files))
