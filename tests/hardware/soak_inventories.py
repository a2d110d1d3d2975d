"""Poll hundreds of thousands of random sets of tags: no UID may be reported that is not there.

``python -m tests.hardware.soak_inventories --count 100000 --seed 1`` puts one to eight random tags
into the field of an emulated reader chip and polls them. Their UIDs have 4 or 7 bytes; some are
random on each power-up, and many begin alike. The chip follows either reading of CollPos, and its
field is always on or on only while it polls. Each set is tried with 1 %, 0.1 % and 0 % of the bits
wrong, in both directions. The program exits with 1 if a UID was made up, or if a poll without noise
did not report exactly the tags in the field, and prints the command that repeats the failing set.

With ``--honest``, tags wake when they do, some drown others, and the computer has the jitter of a
Pi (``fakepi.physics``, ``fakepi.host``). Then a poll may miss tags, and the share is counted.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from random import Random
from typing import TextIO

from fakepi.clock import VirtualClock
from fakepi.field import BitErrors, RfField
from fakepi.host import PROFILES, LinuxHost
from fakepi.mfrc522 import CollPos, Mfrc522
from fakepi.mifare_classic import MifareClassic1K
from fakepi.ntag import Ntag
from fakepi.physics import ExactPhysics, HonestPhysics
from fakepi.picc import Picc, RandomUid4
from fakepi.spi import SpiDevice
from hardware.drivers.mfrc522_reader import GARBLED_POLLS, Mfrc522Reader

RATES = (0.01, 0.001, 0.0)  # shares of wrong bits; every set of tags is tried with each
MOST_TAGS = 8
COLLPOS: Sequence[CollPos] = ("frame", "absolute")
SLICE = 250  # sets of tags for one job of a worker process


@dataclass
class Tally:
    """The counts for all inventories with one rate of wrong bits."""

    inventories: int = 0
    complete: int = 0  # inventories in which every poll reported every tag
    polls: int = 0
    garbled: int = 0  # polls with a garbled sighting
    uids: int = 0  # UIDs reported in all polls together
    made_up: int = 0
    longest_s: float = 0.0  # duration of the longest poll

    def add(self, other: "Tally") -> None:
        """Add the counts of *other*."""
        self.inventories += other.inventories
        self.complete += other.complete
        self.polls += other.polls
        self.garbled += other.garbled
        self.uids += other.uids
        self.made_up += other.made_up
        self.longest_s = max(self.longest_s, other.longest_s)


@dataclass
class Findings:
    """A tally for each rate of wrong bits, and a description of each failed set by its index."""

    tallies: dict[float, Tally] = field(default_factory=lambda: {rate: Tally() for rate in RATES})
    wrong: dict[int, str] = field(default_factory=dict)

    def add(self, other: "Findings") -> None:
        """Add the tallies and the failures of *other*."""
        for rate, tally in other.tallies.items():
            self.tallies[rate].add(tally)
        self.wrong |= other.wrong


def tags(chance: Random) -> Iterator[Picc]:
    """Yield one to eight random tags, some of whose UIDs share their first bytes."""
    alike = chance.randbytes(7)
    uids: set[bytes] = set()
    for _ in range(chance.randint(1, MOST_TAGS)):
        if chance.random() < 0.1:
            yield RandomUid4(Random(chance.random()))
            continue
        size = chance.choice((4, 7, 7))
        uid = bytearray((alike[: chance.randrange(7)] + chance.randbytes(7))[:size])
        for first in (0, 3) if size == 7 else (0,):  # the first byte of each cascade level
            if uid[first] in (0x88, 0x08):  # 88h is the cascade tag, 08h begins a random UID
                uid[first] ^= 0x01
        if bytes(uid) not in uids:
            uids.add(bytes(uid))
            yield Ntag(bytes(uid)) if size == 7 else MifareClassic1K(bytes(uid))


def inventory(
    seed: int, index: int, rate: float, findings: Findings, *, is_honest: bool = False
) -> None:
    """Poll the set of tags number *index*, and add the outcome to *findings*.

    *rate* is the share of wrong bits (0 to 1). Unless *is_honest*, all tags wake after 1 ms and are
    equally loud, so that a poll without noise must report all of them.
    """
    chance = Random(f"{seed}/{index}")
    exact = ExactPhysics(power_down_ns=chance.choice((0, 5_000_000)))
    host = LinuxHost(PROFILES[index % len(PROFILES)], index) if is_honest else None
    clock = VirtualClock(host)
    over = RfField(clock, HonestPhysics(index) if is_honest else exact)
    chip = Mfrc522(clock, over, collpos=chance.choice(COLLPOS))
    guard_s = chance.choice((None, 0.001))
    reader = Mfrc522Reader(SpiDevice(chip, clock), clock, guard_s=guard_s)
    for picc in tags(chance):
        over.enter(picc)
    polls = chance.choices((1, 2, 3, GARBLED_POLLS + 5), (30, 30, 30, 1))[0]
    if rate:
        over.noise, over.command_noise = BitErrors(chance, rate), BitErrors(chance, rate)
    reader.restart()
    clock.sleep(0.005)
    tally, is_complete = findings.tallies[rate], True
    for _ in range(polls):
        began_s = clock.now()
        sighting = reader.poll()
        tally.longest_s = max(tally.longest_s, clock.now() - began_s)
        there, told = {picc.uid for picc in over.piccs}, set(sighting.uids)
        is_complete &= told == there
        tally.garbled += sighting.is_garbled
        tally.uids += len(sighting.uids)
        tally.made_up += len(told - there)
        must_be_complete = not rate and not is_honest
        if told - there or (must_be_complete and (told != there or sighting.is_garbled)):
            findings.wrong[index] = f"at {rate:.1%}: {sighting}, and there is {over.piccs}"
        clock.sleep(chance.choice((0.0, 0.001, 0.01)))
        if chance.random() < 0.2 and len(there) > 1:
            over.leave(chance.choice(over.piccs))
    tally.inventories += 1
    tally.polls += polls
    tally.complete += is_complete


def soak(seed: int, lots: range, is_honest: bool = False) -> Findings:
    """Poll the sets of tags numbered in *lots* at every rate of wrong bits; return the findings."""
    findings = Findings()
    for index in lots:
        for rate in RATES:
            inventory(seed, index, rate, findings, is_honest=is_honest)
    return findings


def run(seed: int, lots: range, jobs: int, out: TextIO, *, is_honest: bool = False) -> int:
    """Poll the sets of tags in *jobs* processes, print the outcome and return the exit code."""
    began_s = time.process_time()
    findings = Findings()
    if jobs == 1:
        findings.add(soak(seed, lots, is_honest))
    else:
        slices = [(seed, lots[at : at + SLICE], is_honest) for at in range(0, len(lots), SLICE)]
        with get_context("spawn").Pool(jobs) as pool:
            for found in pool.starmap(soak, slices):
                findings.add(found)
    for rate, tally in findings.tallies.items():
        print(
            f"{rate:5.1%} of bits wrong: {tally.inventories:,} inventories, "
            f"{tally.complete / max(1, tally.inventories):.1%} complete; {tally.polls:,} polls, "
            f"{tally.garbled / max(1, tally.polls):.1%} garbled, "
            f"the longest {tally.longest_s * 1000:.1f} ms; "
            f"{tally.uids:,} UIDs told, {tally.made_up} of them made up",
            file=out,
        )
    if jobs == 1:
        print(f"{time.process_time() - began_s:.0f} s of CPU", file=out)
    for index, what in findings.wrong.items():
        again = f"python -m tests.hardware.soak_inventories --seed {seed} --first {index} --count 1"
        print(f"wrong {what}\n  again: {again}", file=out)
    return 1 if findings.wrong else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line, poll the sets of tags and return the exit code."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=1000, help="lots of tags")
    parser.add_argument("--first", type=int, default=0, help="number of the first lot")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--honest", action="store_true", help="tags and computers as they are")
    asked = parser.parse_args(arguments)
    lots = range(asked.first, asked.first + asked.count)
    return run(asked.seed, lots, asked.jobs, sys.stdout, is_honest=asked.honest)


if __name__ == "__main__":
    sys.exit(main())
