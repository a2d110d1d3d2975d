"""``python -m tests.cuts``: cuts the power of a playing guest; ``.ci/test-cuts`` starts it.

It kills the guest at random moments, and tries disks with lost and torn writes. The same is then
done to a table that syncs nothing, which must be found guilty: else the judge would be blind.
"""

import argparse
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count, islice
from pathlib import Path
from random import Random

from tests.cuts.build import make_disks
from tests.cuts.game import Game, draw_game
from tests.cuts.guest import FORGETFUL, Guest, GuestFailed, kernel
from tests.cuts.judge import Guilty, mend
from tests.cuts.kills import Kill, KilledTable
from tests.cuts.log_writes import CutDisk
from tests.cuts.player import Player
from tests.cuts.replay import Verdict, record, try_disks

ACTS = 40  # in a game
DISKS = 1000  # most disks that are tried of one recorded game
BOOTED = 100  # the guest starts from one of this many disks
FORGETFUL_DISKS, FORGETFUL_KILLS = 60, 5  # enough to find a table guilty that syncs nothing


class Cuts:
    """The cuts of one run: its disks are in *folder*, and *seed* decides everything random."""

    def __init__(self, root: Path, state: Path, folder: Path, seed: int) -> None:
        self._root, self._state, self._folder = root, state, folder
        self._seed = seed
        self.counts: Counter[str] = Counter()
        self.seconds: Counter[str] = Counter()
        self.failures: list[str] = []

    def games(self) -> Iterator[Game]:
        """Return an endless iterator over random games."""
        return (draw_game(1000 * self._seed + number, ACTS) for number in count())

    def kill(self, kills: int) -> None:
        """Kill the guest *kills* times; give up at the first failure."""
        table = self._table("killed")
        lives = (kill for game in self.games() for kill in table.play(game, self._state))
        try:
            for kill in islice(lives, kills):
                self._note(kill)
            mend(self._folder / "killed-root.disk")
        except (Guilty, GuestFailed) as failed:
            self.failures.append(f"kill {self.counts['kills'] + 1}: {failed}")

    def replay(self, disks: int) -> None:
        """Try *disks* disks of recorded games."""
        chance = Random(f"disks {self._seed}")
        for game, first in zip(self.games(), range(0, disks, DISKS), strict=False):
            self._replay(game, min(DISKS, disks - first), chance)

    def accuse_forgetful_disks(self) -> None:
        """Try disks of a table that syncs nothing; it is a failure if none of them is guilty."""
        game, root = next(self.games()), self._copy_root("forgetful")
        recording = record(game, root, self._state, self._folder, FORGETFUL)
        tried = try_disks(game, recording, FORGETFUL_DISKS, Random(self._seed))
        guilty = sum(verdict.guilt is not None for verdict in tried)
        self.counts["disks of a forgetful table"] = FORGETFUL_DISKS
        self.counts["of these, found guilty"] = guilty
        if not guilty:
            self.failures.append("the judge saw nothing wrong with disks of a forgetful table")

    def accuse_forgetful_kills(self) -> None:
        """Kill a table that syncs nothing; it is a failure if it is not found guilty."""
        table = self._table("forgetful", FORGETFUL)
        try:
            for _kill in islice(table.play(next(self.games()), self._state), FORGETFUL_KILLS):
                self.counts["kills of a forgetful table before it was found guilty"] += 1
        except Guilty:
            self.counts["forgetful tables found guilty after a kill"] += 1
        else:
            self.failures.append("the judge saw nothing wrong with kills of a forgetful table")

    def _table(self, name: str, *words: str) -> KilledTable:
        state, chance = self._folder / f"{name}-state.disk", Random(f"{name} {self._seed}")
        return KilledTable(self._copy_root(name), state, self._folder, chance, *words)

    def _copy_root(self, name: str) -> Path:
        return Path(shutil.copyfile(self._root, self._folder / f"{name}-root.disk"))

    def _note(self, kill: Kill) -> None:
        self.counts["kills"] += 1
        self.counts[f"kills during {kill.moment}"] += 1
        self.counts["acts in flight that count after a kill"] += kill.found - kill.shown
        _say(f"kill {self.counts['kills']}: {kill}")

    def _replay(self, game: Game, disks: int, chance: Random) -> None:
        began = time.monotonic()
        root = self._copy_root("logged")
        recording = record(game, root, self._state, self._folder)
        self.counts["acts in recorded games"] += len(game.acts)
        self.counts["logged writes and flushes"] += len(recording.log)
        self.seconds["recording of games"] += round(time.monotonic() - began)
        for verdict in try_disks(game, recording, disks, chance):
            self._note_disk(verdict)
            if verdict.guilt is not None:
                self._fail(verdict.disk, verdict.guilt)
            elif self.counts["disks"] % BOOTED == 0:
                self._boot(verdict.disk, game, verdict.found)

    def _note_disk(self, verdict: Verdict) -> None:
        self.counts["disks"] += 1
        disk = verdict.disk
        self.counts["disks with a lost or torn write"] += bool(disk.lost or disk.torn)
        self.counts["writes lost"] += disk.lost
        self.counts["writes torn"] += disk.torn
        self.counts["disks with the act in flight"] += verdict.found - verdict.shown
        if self.counts["disks"] % BOOTED == 0:
            _say(f"{self.counts['disks']} disks, {len(self.failures)} failures")

    def _fail(self, disk: CutDisk, why: object) -> None:
        kept = self._folder / f"guilty-{len(self.failures)}.disk"
        disk.image.save(kept)
        self.failures.append(f"{disk.point}, kept as {kept}: {why}")

    def _boot(self, disk: CutDisk, game: Game, acts: int) -> None:
        """Start the guest from *disk*: the table must come up with *acts* acts by itself."""
        state, root = self._folder / "booted-state.disk", self._folder / "logged-root.disk"
        disk.image.save(state)
        try:
            with Guest([root, state], self._folder / "booted.log") as guest:
                Player(guest, game).wait_for_table(acts)
            self.counts["disks from which the guest started"] += 1
        except GuestFailed as failed:
            self._fail(disk, failed)


def _say(line: str) -> None:
    print(time.strftime("%H:%M:%S"), line, file=sys.stderr, flush=True)


def _timed(cuts: Cuts, what: str, do: Callable[[], None]) -> None:
    began = time.monotonic()
    _say(f"{what} ...")
    do()
    cuts.seconds[what] = round(time.monotonic() - began)


def main() -> int:
    """Run the cuts and print a table of what happened.

    Returns:
        0: nothing was lost; 1: something was, or the judge is blind.
    """
    parser = argparse.ArgumentParser(description="Cut the power of a playing guest.")
    parser.add_argument("folder", type=Path, help="the folder with the system trixie and wheels")
    parser.add_argument("--cuts", type=int, default=200, help="number of kills of the guest")
    parser.add_argument("--states", type=int, default=3000, help="number of disks to try")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    folder = given.folder / "run"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    _say(f"installing the table on a guest with Linux {kernel()} (User Mode Linux) ...")
    root, state = make_disks(given.folder / "trixie", given.folder / "trixie.wheels", folder)
    cuts = Cuts(root, state, folder, given.seed)
    _timed(cuts, "disks of a forgetful table", cuts.accuse_forgetful_disks)
    _timed(cuts, "kills of a forgetful table", cuts.accuse_forgetful_kills)
    _timed(cuts, "disks", lambda: cuts.replay(given.states))
    _timed(cuts, "kills", lambda: cuts.kill(given.cuts))
    lines = [f"{number:10,} {what}" for what, number in cuts.counts.items()]
    lines += [f"{number:8,} s {what}" for what, number in cuts.seconds.items()]
    lines += [f"FAILED: {failure}" for failure in cuts.failures]
    lines += [f"--seed {given.seed}: " + ("FAILED" if cuts.failures else "nothing lost or doubled")]
    (folder / "summary.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))
    return 1 if cuts.failures else 0


if __name__ == "__main__":
    sys.exit(main())
