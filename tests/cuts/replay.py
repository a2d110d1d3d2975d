"""A game while the kernel logs every write, and then trials of disks as a power cut leaves them."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.cuts.build import LOG_SIZE
from tests.cuts.game import Game
from tests.cuts.guest import LOGS, Guest
from tests.cuts.judge import Guilty, count_acts, read_disk
from tests.cuts.log_writes import CutDisk, DiskImage, LoggedWrite, cut_disks, read_log
from tests.cuts.player import Player


@dataclass(frozen=True)
class Recording:
    """A game played on the disk *start*: the *log* of the disk's writes, and what was shown when.

    ``shown[n]`` is the number of acts that were shown at mark *n* of the log.
    """

    start: DiskImage
    log: list[LoggedWrite]
    shown: tuple[int, ...]

    def acts_shown(self, mark: str | None) -> int:
        """Return the number of acts that were shown before a power cut after *mark*."""
        return 0 if mark is None else self.shown[int(mark)]


def record(game: Game, root: Path, fresh: Path, folder: Path, *words: str) -> Recording:
    """Play *game* in the guest with the disk *root* and a copy of *fresh*, then cut its power.

    *folder* gets the disks and the console. *words* are added to the kernel's command line.

    Raises:
        GuestFailed: the table does not start, or does not show an act.
    """
    state, log = folder / "logged.disk", folder / "log.disk"
    shutil.copyfile(fresh, state)
    with log.open("wb") as file:
        file.truncate(LOG_SIZE)
    with Guest([root, state, log], folder / "logged.log", LOGS, *words) as guest:
        player = Player(guest, game)
        player.wait_for_table(0)
        for number in range(1, len(game.acts) + 1):
            player.play(number)
    shown = acts_at(game, guest.pictures)
    return Recording(DiskImage.read(fresh), read_log(log), shown)


def acts_at(game: Game, pictures: dict[int, bytes]) -> tuple[int, ...]:
    """Return the number of acts that have been shown up to each of *pictures*, from number 0 on.

    An act is shown once its first new picture is there, and acts are shown in their order.
    """
    shown = [0]
    for number in range(1, len(pictures) + 1):
        acts = shown[-1]
        is_next = acts < len(game.acts) and game.shows(pictures[number], acts + 1)
        shown.append(acts + is_next)
    return tuple(shown)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement on one *disk*: the acts *shown* before the cut, and *found* on it.

    *guilt* says what was lost; *found* is then the number shown.
    """

    disk: CutDisk
    shown: int
    found: int
    guilt: str | None


def try_disks(game: Game, recording: Recording, count: int, chance: Random) -> Iterator[Verdict]:
    """Yield the verdicts on *count* disks that a power cut may leave."""
    for disk in cut_disks(recording.start, recording.log, count, chance):
        shown = recording.acts_shown(disk.point.mark)
        with TemporaryDirectory() as name:
            file, files = Path(name, "disk"), Path(name, "files")
            files.mkdir()
            disk.image.save(file)
            try:
                found = count_acts(game, shown, read_disk(file, files))
                yield Verdict(disk, shown, found, None)
            except Guilty as guilty:
                yield Verdict(disk, shown, shown, str(guilty))
