"""The power goes at every write, processes are killed, and files are damaged: nothing is lost.

Room: tests. ``python -m tests.firmware.soak_cuts --cuts 2000 --kills 200 --damaged 1000`` does in
bulk what ``test_soak_cuts`` does a little of. People play random games of each kind into a journal,
take back, and set things between; then

- the power goes at each boundary of what the disk was told, and of what was not synced each write
  is there, or not, or in part;
- a process that plays is killed with SIGKILL, at any moment, and takes up the same file again;
- bits are flipped, pages overwritten and ends cut off.

After a cut or a kill the journal holds what was told, or that and the one act in flight. After
damage it holds part of what was, says what was found, and keeps the file as it was.
"""

import argparse
import hashlib
import logging
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

from engines.common.contract import Seat, Setup
from firmware.controller import JOURNAL, REGISTER, words_for
from firmware.desk import Desk
from firmware.errors import JournalError
from firmware.games import games
from firmware.journal import GameRecord, GameStart, Journal
from firmware.register import TagRegister
from firmware.settings import Settings
from firmware.store import connect
from firmware.table import Table
from firmware.tongue import Tongue
from tests.engines.contract import Case, accepted, deck_of, offers
from tests.firmware.disk import Image, Told, Watched, images

PLAYERS = ("Ann", "Ben", "Cem")
INPUTS = 25  # of each of the two games in a journal
TRIES = 3  # how often some of what was not synced is there
PAGE = 4096
# What nothing can tell: a log whose end is missing is the log of an earlier moment if it was cut
# off between two entries.
ENDS_EARLY = "the end is missing of the log"

Rows = list[tuple[int, int, str, str]]


class Failed(AssertionError):
    """Something was lost, or came twice, or nobody said so."""


def insist(holds: bool, what: str) -> None:
    """Fail with *what* unless it *holds*."""
    if not holds:
        raise Failed(what)


# --- what people do ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Act:
    """Something that goes into the journal in one piece, as so many *entries*."""

    do: Callable[[Journal], object]
    entries: int = 1


def acts_of(name: str, seed: int) -> list[Act]:
    """Two games of *name*, the first one left for the second, and what is set between plays."""
    chance = Random(f"{name} {seed}")
    case = Case(games()[name])
    acts: list[Act] = []
    for number in range(2):
        acts.append(Act(_begin(case, dealer=number), entries=1 + number))
        acts += _game(case, number, chance)
    acts.append(Act(lambda journal: journal.end("over")))
    acts.append(Act(_set(len(acts))))
    return acts


def _begin(case: Case, dealer: int) -> Callable[[Journal], object]:
    game = case.game
    seats = min(max(game.seats), len(PLAYERS))
    start = GameStart(game.name, PLAYERS[:seats], dealer, {}, deck_of(game))
    return lambda journal: journal.begin(start)


def _game(case: Case, dealer: int, chance: Random) -> Iterator[Act]:
    game = case.game
    seats = min(max(game.seats), len(PLAYERS))
    before = [game.start(Setup(seats, Seat(dealer), deck_of(game), {}))]
    for number in range(INPUTS):
        if len(before) > 1 and chance.random() < 0.15:
            before.pop()
            yield Act(lambda journal: journal.undo())
        if chance.random() < 0.1:
            yield Act(_count(number))
        if chance.random() < 0.1:
            yield Act(_set(100 * dealer + number))
        offered = list(offers(case, game.asks(before[-1])))
        if not offered:
            return
        given = accepted(case, before[-1], chance.choice(offered))
        before.append(game.step(before[-1], given).state)
        yield Act(lambda journal, given=given: journal.append(given))  # type: ignore[misc]


def _count(polls: int) -> Callable[[Journal], object]:
    return lambda journal: journal.note_health({"reader play": {"polls": polls}})


def _set(volume: int) -> Callable[[Journal], object]:
    return lambda journal: journal.note_setting("volume", volume)


@dataclass(frozen=True, slots=True)
class Reference:
    """The whole journal as it was meant: its rows, and after each act how many, and the game."""

    rows: Rows
    counts: list[int]
    games: list[GameRecord | None]


def play(path: Path, acts: list[Act], told: Callable[[int], None] = lambda _: None) -> Reference:
    """Play *acts* into the new journal *path*, and say how many are done after each."""
    counts: list[int] = [0]
    records: list[GameRecord | None] = [None]
    with closing(Journal(path)) as journal:
        told(0)
        for number, act in enumerate(acts, 1):
            act.do(journal)
            told(number)
            counts.append(counts[-1] + act.entries)
            records.append(journal.open_game())
    return Reference(rows_in(path), counts, records)


def rows_in(path: Path) -> Rows:
    """What every entry of the journal *path* says, but when."""
    with closing(connect(path, is_looking=True)) as looking:
        return looking.execute("SELECT seq, game, kind, body FROM entry ORDER BY seq").fetchall()


# --- cuts ----------------------------------------------------------------------------------------


def cuts(name: str, seed: int, most: int | None = None) -> Counter[str]:
    """Cut the power at every boundary of two games of *name*; *most*: at so many of them.

    Raises:
        Failed: something was lost, or came twice.
    """
    chance = Random(f"cuts {name} {seed}")
    with TemporaryDirectory() as folder:
        path = Path(folder, JOURNAL)
        disk = Watched(f"{name}-{seed}")
        with _through(disk):
            reference = play(path, acts_of(name, seed), lambda n: disk.steps.append(Told(n)))
    seen: dict[str, tuple[int, Image]] = {}
    for told, image in images(disk.steps, chance, TRIES):
        mark = hashlib.sha256(str(told).encode())
        for file, data in sorted(image.items()):
            mark.update(file.encode() + len(data).to_bytes(8, "big") + data)
        seen.setdefault(mark.hexdigest(), (told, image))
    points = list(seen.values())
    if most is not None:
        points = [points[n] for n in sorted(chance.sample(range(len(points)), most))]
    counts = Counter({"writes, syncs and the like": len(disk.steps) - len(reference.counts)})
    for told, image in points:
        with TemporaryDirectory() as folder:
            for file, data in image.items():
                Path(folder, file).write_bytes(data)
            counts += taken_up(Path(folder, JOURNAL), reference, told, f"{name} {seed} {told}")
    return counts


@contextmanager
def _through(disk: Watched) -> Iterator[None]:
    """Let stores write to *disk*."""

    def watched(path: Path, *, is_looking: bool = False) -> Any:
        return connect(path, is_looking=True) if is_looking else disk.connect(path)

    with mock.patch("firmware.store.connect", watched):
        yield


def taken_up(path: Path, reference: Reference, told: int, where: str) -> Counter[str]:
    """Take up the journal *path* after the power went, when *told* acts had been told.

    Raises:
        Failed: it holds less, or something else, or more than the act in flight besides.
    """
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    with closing(Journal(path, mends=True)) as journal:
        record, mended = journal.open_game(), journal.mended
    rows = rows_in(path)
    insist(rows == reference.rows[: len(rows)], f"{where}: other entries than were written")
    done = next((n for n in (told, told + 1) if reference.counts[n : n + 1] == [len(rows)]), None)
    insist(done is not None, f"{where}: {len(rows)} entries")
    insist(record == reference.games[done or 0], f"{where}: another game is open")
    if mended is not None:
        insist(mended.copy.read_bytes() == before[path.name], f"{where}: another copy")
    return Counter(
        {
            "cut points": 1,
            "the act in flight counts": done != told,
            "the file ended in the middle of an entry": mended is not None,
        }
    )


# --- kills ---------------------------------------------------------------------------------------

PLAYER = "from tests.firmware.soak_cuts import go_on; go_on()"


def go_on() -> None:
    """Play on where the journal of this process's arguments stands; a line for each act done."""
    folder, name, seed = sys.argv[1:]
    acts = acts_of(name, int(seed))
    with closing(Journal(Path(folder, JOURNAL), mends=True)) as journal:
        done = len(rows_in(journal.path))
        print("ready", flush=True)
        for act in acts:
            if done >= act.entries:
                done -= act.entries
                continue
            act.do(journal)
            print("done", flush=True)


def kills(count: int, seed: int) -> Counter[str]:
    """Kill *count* processes that play, and see what they have left.

    Raises:
        Failed: something was lost, or came twice.
    """
    chance = Random(f"kills {seed}")
    counts: Counter[str] = Counter()
    names = sorted(games())
    played = 0
    while counts["kills"] < count:
        name = names[played % len(names)]
        with TemporaryDirectory() as whole, TemporaryDirectory() as folder:
            reference = play(Path(whole, JOURNAL), acts_of(name, played))
            told = 0
            while told < len(reference.counts) - 1 and counts["kills"] < count:
                was_killed, answers = _killed(Path(folder), name, played, chance)
                if not was_killed and not Path(folder, JOURNAL).exists():
                    raise Failed("a process ended before it began")
                counts["kills"] += was_killed
                told += answers
                found = taken_up(
                    Path(folder, JOURNAL), reference, told, f"{name} {played} {told} killed"
                )
                told += found["the act in flight counts"]
                del found["cut points"]
                counts += found
        counts["journals"] += 1
        played += 1
    return counts


def _killed(folder: Path, name: str, seed: int, chance: Random) -> tuple[bool, int]:
    """Let a process play on and kill it at some moment; whether it lived then, and what it told."""
    command = [sys.executable, "-c", PLAYER, str(folder), name, str(seed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        insist(first == "ready\n", f"it did not begin: {first!r}")
        time.sleep(chance.uniform(0, 0.05))
        os.kill(process.pid, signal.SIGKILL)
        told = process.stdout.read().count("done\n")
    return process.returncode == -signal.SIGKILL, told


# --- damage --------------------------------------------------------------------------------------


def damaged(count: int, seed: int) -> Counter[str]:
    """Damage *count* journals of all games and start with each; see that it is said, and how.

    Raises:
        Failed: a start crashed, or something else came out than was written, or nobody said so.
    """
    chance = Random(f"damaged {seed}")
    counts: Counter[str] = Counter()
    names = sorted(games())
    with TemporaryDirectory() as kept:
        wholes = {
            (name, has_log): _whole(Path(kept), name, seed, has_log=has_log)
            for name in names
            for has_log in (False, True)
        }
        for number in range(count):
            (name, has_log) = key = chance.choice(list(wholes))
            reference, image = wholes[key]
            broken, how = _broken(image, chance)
            with TemporaryDirectory() as folder:
                for file, data in broken.items():
                    Path(folder, file).write_bytes(data)
                where = f"--seed {seed}, number {number}: {name}, {has_log=}, {how}"
                counts[_started(Path(folder), reference, broken, where)] += 1
                counts["damaged journals"] += 1
                counts[f"damage: {how}"] += 1
    return counts


def _whole(folder: Path, name: str, seed: int, *, has_log: bool) -> tuple[Reference, Image]:
    """A journal and its bytes, closed in good order, or with its log as after a cut."""
    path = folder / f"{name}-{has_log}" / JOURNAL
    path.parent.mkdir()
    acts = acts_of(name, seed)[:-2]  # a game is open
    reference = play(path, acts)
    if has_log:
        path.unlink()
        with closing(Journal(path)) as journal:
            for act in acts:
                act.do(journal)
            return reference, _bytes_of(path)
    return reference, _bytes_of(path)


def _bytes_of(path: Path) -> Image:
    files = (path, path.with_name(f"{path.name}-wal"))
    return {file.name: file.read_bytes() for file in files if file.exists()}


def _broken(image: Image, chance: Random) -> tuple[Image, str]:
    """*image* with some damage, and what it is called."""
    file = chance.choice(sorted(file for file, data in image.items() if data))
    data = bytearray(image[file])
    what = "log" if file.endswith("-wal") else "file"
    match chance.choice(("bit", "bit", "bits", "page", "noise", "end", "tail")):
        case "bit":
            _flip(data, chance.randrange(len(data)), chance)
            how = "one bit"
        case "bits":
            for _ in range(chance.randint(2, 50)):
                _flip(data, chance.randrange(len(data)), chance)
            how = "many bits"
        case "page":
            start = chance.randrange(0, len(data), PAGE)
            data[start : start + PAGE] = bytes(len(data[start : start + PAGE]))
            how = "a page of zeros"
        case "noise":
            start = chance.randrange(0, len(data), PAGE)
            data[start : start + PAGE] = chance.randbytes(len(data[start : start + PAGE]))
            how = "a page of noise"
        case "tail":
            for _ in range(chance.randint(1, 20)):
                _flip(data, chance.randrange(max(0, len(data) - 2 * PAGE), len(data)), chance)
            how = "bits near the end"
        case _:
            del data[chance.randrange(len(data)) :]
            how = "the end is missing"
    return {**image, file: bytes(data)}, f"{how} of the {what}"


def _flip(data: bytearray, place: int, chance: Random) -> None:
    data[place] ^= 1 << chance.randrange(8)


def _started(folder: Path, reference: Reference, broken: Image, where: str) -> str:
    """Start on a damaged journal; how it came out."""
    path = folder / JOURNAL
    try:
        journal = Journal(path, mends=True)
    except JournalError as error:
        insist(bool(error.remedy), f"{where}: {error}")
        insist(path.read_bytes() == broken[JOURNAL], f"{where}: touched, though refused: {error}")
        return f"refused: {error.found[:34]}"
    with closing(journal), closing(TagRegister(folder / REGISTER)) as register:
        rows = rows_in(path)
        written = {row[0]: row for row in reference.rows}
        wrong = [row for row in rows if row[2] != "lost" and written.get(row[0]) != row]
        insist(not wrong, f"{where}: never written: {wrong[:1]}")
        record = journal.open_game()
        insist(record is None or record in reference.games, f"{where}: no such game: {record}")
        tongue = Tongue(Settings("en"), words_for, journal)
        table = Table(Desk(games(), _decks(), tongue, journal, register))
        told = " ".join(line.text for line in table.wake())
        is_whole = rows == reference.rows
        if journal.mended is None:
            if is_whole:
                return "nothing of it matters"
            is_start = rows == reference.rows[: len(rows)]
            insist(is_start and where.endswith(ENDS_EARLY), f"{where}: nobody said so")
            return "silent: the log ends between two entries"
        insist("damaged. A copy is kept" in told, f"{where}: people are told {told!r}")
        for file, data in broken.items():
            copy = folder / file.replace(JOURNAL, journal.mended.copy.name)
            insist(copy.read_bytes() == data, f"{where}: another copy of {file}")
    with closing(Journal(path, mends=True)) as again:
        insist(again.mended is None, f"{where}: mended twice: {again.mended}")
        insist(again.open_game() == record, f"{where}: another game at the next start")
    return "mended, nothing lost" if is_whole else f"mended, {_rest(rows, reference)}"


def _rest(rows: Rows, reference: Reference) -> str:
    kept = sum(row[2] != "lost" for row in rows)
    if not kept:
        return "nothing could be read"
    return "most is kept" if kept > len(reference.rows) / 2 else "some is kept"


def _decks() -> dict[str, Any]:
    return {name: deck_of(game) for name, game in games().items()}


def main() -> int:
    """Print what was counted, and 1 when something was lost."""
    parser = argparse.ArgumentParser(description="Cut, kill and damage; nothing may be lost.")
    parser.add_argument("--cuts", type=int, default=2000, help="cut points, over all games")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--damaged", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    logging.disable()
    counts: Counter[str] = Counter()
    names = sorted(games())
    try:
        for name in names if given.cuts else ():
            found = cuts(name, given.seed, -(-given.cuts // len(names)))
            counts += found
        counts += kills(given.kills, given.seed)
        counts += damaged(given.damaged, given.seed)
    except Failed as failed:
        print(f"{failed}\nAgain: --seed {given.seed}", file=sys.stderr)
        return 1
    finally:
        for name, count in sorted(counts.items()):
            print(f"{count:8,} {name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
