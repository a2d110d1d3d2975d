"""Cut the power at every write, kill processes and damage files: the journal must lose nothing.

``python -m tests.firmware.soak_cuts --cuts 2000 --kills 200 --damaged 1000`` does in bulk what
``test_soak_cuts`` does a little of. It plays random games of each kind into a journal, with undos
and with settings and counts between the plays. Then it tries three kinds of trouble:

- The power fails at each point between two disk operations. Each write that was not synced by then
  is on the disk in full, in part or not at all.
- A process that plays is killed with SIGKILL at a random moment, and the next one goes on.
- Bits are flipped, pages overwritten and ends cut off.

After a power cut or a kill, the journal must hold every act that was reported done, and at most the
one act in progress besides. After damage it must hold part of what was written, report the damage,
and keep a copy of the damaged file.
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
from firmware.boxes.games import games
from firmware.boxes.register import TagRegister
from firmware.common.errors import JournalError
from firmware.journal.journal import GameRecord, GameStart, Journal
from firmware.journal.store import WAL, beside, connect
from firmware.journal.tail import TAIL
from firmware.runtime.controller import JOURNAL, REGISTER, words_for
from firmware.table.context import TableContext
from firmware.table.table import Table
from firmware.voice.settings import Settings
from firmware.voice.settings_store import SettingsStore
from tests.engines.contract import Case, accepted, deck_of, offers
from tests.firmware.disk import Image, Told, Watched, images

PLAYERS = ("Ann", "Ben", "Cem")
INPUTS = 25  # inputs in each of the two games in a journal
TRIES = 3  # random contents tried for writes that were not synced
PAGE = 4096

Rows = list[tuple[int, int, str, str]]


class Failed(AssertionError):
    """An entry was lost or is there twice, or damage was not reported."""


def insist(holds: bool, what: str) -> None:
    """Raise ``Failed`` with the message *what* unless *holds*."""
    if not holds:
        raise Failed(what)


# --- acts ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Act:
    """An act that writes its number of *entries* to the journal in one transaction."""

    do: Callable[[Journal], object]
    entries: int = 1


def acts_of(name: str, seed: int) -> list[Act]:
    """Return the acts of two random games of *name*; the first is abandoned for the second.

    Some acts between the plays are undos, settings and counts.
    """
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
    """The journal without any trouble: its rows, and the row count and open game after each act."""

    rows: Rows
    counts: list[int]
    games: list[GameRecord | None]


def play(path: Path, acts: list[Act], told: Callable[[int], None] = lambda _: None) -> Reference:
    """Write *acts* to the new journal *path* and return what it must then contain.

    After each act, *told* is called with the number of acts done.
    """
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
    """Return every entry of the journal *path*, without its time stamp."""
    with closing(connect(path, is_read_only=True)) as looking:
        return looking.execute("SELECT seq, game, kind, body FROM entry ORDER BY seq").fetchall()


# --- power cuts ----------------------------------------------------------------------------------


def cuts(name: str, seed: int, most: int | None = None) -> Counter[str]:
    """Cut the power at every point of two games of *name*, or at *most* random points.

    Returns counts of disk operations, cuts, and acts in flight (stored, but not reported).

    Raises:
        Failed: an entry was lost or is there twice.
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
    """Make stores that are opened in the block write to *disk*."""

    def watched(path: Path, *, is_read_only: bool = False) -> Any:
        return connect(path, is_read_only=True) if is_read_only else disk.connect(path)

    with mock.patch("firmware.journal.store.connect", watched):
        yield


def taken_up(path: Path, reference: Reference, told: int, where: str) -> Counter[str]:
    """Check the journal *path* after a power cut or a kill; *told* acts had been reported done.

    Returns a count of 1 cut, and of 1 act in flight if one more act is in the journal. *where*
    begins the messages of failures.

    Raises:
        Failed: an act is missing or wrong, or there is more than one act that was not reported.
    """
    with closing(Journal(path, repairs=True)) as journal:
        record, mended = journal.open_game(), journal.recovery
        log = beside(path, WAL)
        insist(not log.exists() or not log.stat().st_size, f"{where}: not checkpointed")
    rows = rows_in(path)
    insist(rows == reference.rows[: len(rows)], f"{where}: entries that were not written")
    done = next((n for n in (told, told + 1) if reference.counts[n : n + 1] == [len(rows)]), None)
    insist(done is not None, f"{where}: {len(rows)} entries")
    insist(record == reference.games[done or 0], f"{where}: another game is open")
    # Nobody was told of an act in progress, so its loss must not be reported as damage.
    insist(mended is None, f"{where}: damage, though there is none: {mended}")
    return Counter({"cut points": 1, "the act in flight counts": done != told})


# --- kills ---------------------------------------------------------------------------------------

PLAYER = "from tests.firmware.soak_cuts import go_on; go_on()"


def go_on() -> None:
    """Go on with the journal named on the command line, and print a line after each act."""
    folder, name, seed = sys.argv[1:]
    acts = acts_of(name, int(seed))
    with closing(Journal(Path(folder, JOURNAL), repairs=True)) as journal:
        done = len(rows_in(journal.path))
        print("ready", flush=True)
        for act in acts:
            if done >= act.entries:
                done -= act.entries
                continue
            act.do(journal)
            print("done", flush=True)


def kills(count: int, seed: int) -> Counter[str]:
    """Kill *count* processes while they play, and check the journals they leave.

    Returns how many kills, journals and acts in flight (stored, but not reported) there were.

    Raises:
        Failed: an entry was lost or is there twice.
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
    """Start a process that plays game *name* in *folder*, and kill it at a random moment.

    Returns:
        True if it still ran then, and the number of acts it had reported done.
    """
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
    """Damage *count* journals of all games, start on each, and check what the table reports.

    Returns how often each outcome occurred.

    Raises:
        Failed: a start crashed, an entry is wrong, or damage was not reported.
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
    """Record a journal; return its contents and its files.

    With *has_log*, the files are those of a running process, with a write-ahead log.
    """
    path = folder / f"{name}-{has_log}" / JOURNAL
    path.parent.mkdir()
    acts = acts_of(name, seed)[:-2]  # leaves a game open
    reference = play(path, acts)
    if has_log:
        path.unlink()
        beside(path, TAIL).unlink()
        with closing(Journal(path)) as journal:
            for act in acts:
                act.do(journal)
            return reference, _bytes_of(path)
    return reference, _bytes_of(path)


def _bytes_of(path: Path) -> Image:
    files = (path, beside(path, WAL), beside(path, TAIL))
    return {file.name: file.read_bytes() for file in files if file.exists()}


def _broken(image: Image, chance: Random) -> tuple[Image, str]:
    """Return *image* with random damage, and the name of the damage."""
    file = chance.choice(sorted(file for file, data in image.items() if data))
    data = bytearray(image[file])
    what = {WAL: "log", TAIL: "tail"}.get(file.removeprefix(JOURNAL), "file")
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
    """Start a table on the *broken* files in *folder*, and return a name for the outcome.

    It is checked against *reference*, the journal before the damage; *where* begins the messages
    of failures.
    """
    path = folder / JOURNAL
    try:
        journal = Journal(path, repairs=True)
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
        store = SettingsStore(Settings("en"), words_for, journal)
        table = Table(TableContext(games(), _decks(), store, journal, register))
        told = " ".join(line.text for line in table.wake())
        is_whole = rows == reference.rows
        if journal.recovery is None:
            if is_whole:
                return "nothing of it matters"
            raise Failed(f"{where}: nobody said so")
        insist("damaged. A copy is kept" in told, f"{where}: people are told {told!r}")
        for file, data in broken.items():
            copy = folder / file.replace(JOURNAL, journal.recovery.copy.name)
            insist(copy.read_bytes() == data, f"{where}: another copy of {file}")
    with closing(Journal(path, repairs=True)) as again:
        insist(again.recovery is None, f"{where}: mended twice: {again.recovery}")
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
    """Run the soak, print its counts, and return exit code 1 if something was lost."""
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
