"""Random inventories by the hundred thousand: is a UID ever reported that is not in the field?

``python -m tests.hardware.soak_inventories --count 100000 --seed 1`` lays one to eight tags at
random, UIDs of 4 and 7 bytes and random ones mixed, often with equal beginnings, over a chip of
either reading of CollPos, its field on always or in turn, and polls them: with 1 % of all bits on
the air wrong, both ways, with 0.1 %, and with none. It exits with 1 when a UID was made up, or when
without noise a poll did not tell exactly what lay there, and says how to see that again.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from random import Random
from typing import TextIO

from hardware.drivers.mfrc522_reader import GARBLED_POLLS, Mfrc522Reader
from sim.chips.clock import VirtualClock
from sim.chips.field import BitErrors, Field
from sim.chips.mfrc522 import CollPos, Mfrc522
from sim.chips.mifare_classic import MifareClassic1K
from sim.chips.ntag import Ntag
from sim.chips.picc import Picc, RandomUid4
from sim.chips.spi import SpiDevice

RATES = (0.01, 0.001, 0.0)  # shares of the bits that are wrong; every lot is tried with each
MOST_TAGS = 8
COLLPOS: Sequence[CollPos] = ("frame", "absolute")
SLICE = 250  # lots a process takes at a time


@dataclass
class Tally:
    """What came of the inventories with one share of noise."""

    inventories: int = 0
    complete: int = 0  # in which every poll told every tag
    polls: int = 0
    garbled: int = 0  # polls
    uids: int = 0  # told in all polls together
    made_up: int = 0
    longest_s: float = 0.0  # poll

    def add(self, other: "Tally") -> None:
        """Count *other* in."""
        self.inventories += other.inventories
        self.complete += other.complete
        self.polls += other.polls
        self.garbled += other.garbled
        self.uids += other.uids
        self.made_up += other.made_up
        self.longest_s = max(self.longest_s, other.longest_s)


@dataclass
class Findings:
    """A tally for each share of noise, and the lots in which something was wrong."""

    tallies: dict[float, Tally] = field(default_factory=lambda: {rate: Tally() for rate in RATES})
    wrong: dict[int, str] = field(default_factory=dict)

    def add(self, other: "Findings") -> None:
        """Count *other* in."""
        for rate, tally in other.tallies.items():
            self.tallies[rate].add(tally)
        self.wrong |= other.wrong


def tags(chance: Random) -> Iterator[Picc]:
    """One to eight tags; their UIDs begin alike, all of them, some or none."""
    alike = chance.randbytes(7)
    uids: set[bytes] = set()
    for _ in range(chance.randint(1, MOST_TAGS)):
        if chance.random() < 0.1:
            yield RandomUid4(Random(chance.random()))
            continue
        size = chance.choice((4, 7, 7))
        uid = bytearray((alike[: chance.randrange(7)] + chance.randbytes(7))[:size])
        for first in (0, 3) if size == 7 else (0,):  # a cascade level begins there
            if uid[first] in (0x88, 0x08):  # the cascade tag, and what random UIDs begin with
                uid[first] ^= 0x01
        if bytes(uid) not in uids:
            uids.add(bytes(uid))
            yield Ntag(bytes(uid)) if size == 7 else MifareClassic1K(bytes(uid))


def inventory(seed: int, index: int, rate: float, findings: Findings) -> None:
    """Lay the tags of lot *index*, poll them with *rate* of the bits wrong, and count."""
    chance = Random(f"{seed}/{index}")
    clock = VirtualClock()
    over = Field(clock, power_down_ns=chance.choice((0, 5_000_000)))
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
        if told - there or (not rate and (told != there or sighting.is_garbled)):
            findings.wrong[index] = f"at {rate:.1%}: {sighting}, and there is {over.piccs}"
        clock.sleep(chance.choice((0.0, 0.001, 0.01)))
        if chance.random() < 0.2 and len(there) > 1:
            over.leave(chance.choice(over.piccs))
    tally.inventories += 1
    tally.polls += polls
    tally.complete += is_complete


def soak(seed: int, lots: range) -> Findings:
    """Make the inventories of *lots* with each share of noise."""
    findings = Findings()
    for index in lots:
        for rate in RATES:
            inventory(seed, index, rate, findings)
    return findings


def run(seed: int, lots: range, jobs: int, out: TextIO) -> int:
    """Soak, in *jobs* processes, and print what came of it; the exit code."""
    began_s = time.process_time()
    findings = Findings()
    if jobs == 1:
        findings.add(soak(seed, lots))
    else:
        slices = [(seed, lots[at : at + SLICE]) for at in range(0, len(lots), SLICE)]
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
    """Parse the command line and run; the exit code."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=1000, help="lots of tags")
    parser.add_argument("--first", type=int, default=0, help="number of the first lot")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    asked = parser.parse_args(arguments)
    lots = range(asked.first, asked.first + asked.count)
    return run(asked.seed, lots, asked.jobs, sys.stdout)


if __name__ == "__main__":
    sys.exit(main())
