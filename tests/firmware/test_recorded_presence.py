"""Recorded polls: which changes follow from polls of readers that miss and mix up tags at random.

If that is changed on purpose, run this file with ``--approve`` and read the differences in
tests/golden/recorded_presence.
"""

from collections.abc import Iterator
from random import Random

import pytest

from firmware.runtime.presence import Presence
from firmware.table.events import TagRemoved, TagsArrived, TagUnreadable
from hardware.ports import Sighting
from tests.conftest import Golden

SPOTS = ("play", "seat-1", "seat-2")
POLLS, POLL_S = 4000, 0.015
RANDOM = 0x08  # the first byte of a random UID


@pytest.mark.parametrize(
    ("name", "missed", "leaked", "garbled"),
    [
        ("sound", 0.02, 0.0, 0.0),
        ("weak", 0.35, 0.0, 0.02),
        ("leaky", 0.15, 0.2, 0.0),
        ("bad", 0.5, 0.3, 0.1),
    ],
)
def test_changes_follow_as_they_were_recorded(
    name: str, missed: float, leaked: float, garbled: float, golden: Golden
) -> None:
    lines = poll_lines(Random(name), missed, leaked, garbled)
    golden.check_text(f"{name}.txt", "".join(f"{line}\n" for line in lines))


def poll_lines(chance: Random, missed: float, leaked: float, garbled: float) -> Iterator[str]:
    """Yield the changes that ``POLLS`` polls lead to, and the counts after every 400.

    A reader misses a tag with the probability *missed* and sees a tag of another reader with the
    probability *leaked*; some of its polls are garbled, in rows that begin with *garbled*.
    """
    presence, watched, rows = Presence(SPOTS), set(SPOTS), dict.fromkeys(SPOTS, 0)
    tags = {bytes([4, number]): chance.choice((*SPOTS, "")) for number in range(5)}
    tags[bytes([RANDOM, 1, 2, 3])] = ""
    for number in range(POLLS):
        spot, at_s = SPOTS[number % len(SPOTS)], number * POLL_S
        if chance.random() < 0.01:
            tags[chance.choice([*tags])] = chance.choice((*SPOTS, "", ""))
        if chance.random() < 0.002:
            watched = set(SPOTS) if len(watched) < len(SPOTS) else {"play", "seat-2"}
        if chance.random() < garbled / 10:
            rows[spot] = chance.choice((1, 3, 9, 60))
        is_garbled, rows[spot] = rows[spot] > 0, max(0, rows[spot] - 1)
        if spot in watched:
            seen = [uid for uid, at in tags.items() if sees(chance, spot, at, missed, leaked)]
            uids = tuple(fresh(chance, uid) for uid in seen)
            sighting = Sighting(uids, is_garbled=is_garbled)
            presence.see(spot, sighting, at_s, at_s + POLL_S / 2)
        yield from (f"{number}: {change_text(change)}" for change in presence.changes(watched))
        if number % 400 == 399:
            yield f"{number}: waiting {presence.is_waiting}, leaky {leaks(presence)}"
            for each in SPOTS:
                rate, uids = presence.miss_rate(each), presence.uids(each)
                told = "none" if rate is None else f"{rate:.6f}"
                yield f"  {each}: misses {told}, tags {' '.join(uid.hex() for uid in uids)}"


def sees(chance: Random, spot: str, at: str, missed: float, leaked: float) -> bool:
    """Return True if the reader at *spot* sees a tag that is at *at*; empty if it is nowhere."""
    return chance.random() >= missed if at == spot else bool(at) and chance.random() < leaked


def fresh(chance: Random, uid: bytes) -> bytes:
    """Return *uid*, or a new one if it is random."""
    return bytes([RANDOM]) + chance.randbytes(3) if uid[0] == RANDOM else uid


def leaks(presence: Presence) -> str:
    """Return the pairs of spots whose readers have read the same tag."""
    return " ".join(sorted("+".join(sorted(pair)) for pair in presence.leaky))


def change_text(change: TagsArrived | TagRemoved | TagUnreadable) -> str:
    """Return a change in one line."""
    match change:
        case TagsArrived(tags, was_found):
            told = ", ".join(f"{tag.uid.hex()} on {tag.spot}" for tag in tags)
            return f"arrived {told}{' (found)' if was_found else ''}"
        case TagRemoved(spot, uid):
            return f"removed {uid.hex()} from {spot}"
        case TagUnreadable(spot):
            return f"unreadable {spot}"
