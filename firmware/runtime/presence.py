"""Presence: turns the readers' polls into arrivals and removals of tags.

The code is pure: the caller passes the time of each poll. A spot (a place on the mat with a reader)
*sees* a tag in a poll that read the tag's UID. A poll is *garbled* if something answered that could
not be read, and *clean* otherwise. A clean poll that does not see a known tag *misses* it. Two
spots *leak* if the reader of one can read a tag that is on the other.

Real readers miss tags, and leak. One filter handles all spots together, because a tag can be on
only one spot. A tag is *arriving* from the first poll that sees it until it is certain on which
spot it is and which tags came before it. After that, it is *resting* until its spot has missed it
so often that it must be gone. A resting tag never arrives twice, and a few missed polls do not
remove it.

Polls are numbered in the order in which they are made. One poll ends before the next begins, so the
numbers give the order of arrivals: a tag that was first seen in poll 7, and was absent from its
reader's last clean poll, poll 5, arrived after poll 5 began and before poll 8 began.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from firmware.boxes.register import is_random_uid
from firmware.table.events import TagOnSpot, TagRemoved, TagsArrived, TagUnreadable
from hardware.ports import Sighting

# A tag counts as gone when its misses in a row have a probability of only 1 in 10**8 (GONE_ODDS)
# for a tag that is still on the spot. The probability of each miss follows from the tag's earlier
# polls, by Laplace's rule: after M misses in P polls, the next poll misses the tag with a
# probability of (M + 3) / (P + 10). So a tag that has hardly been polled is expected to be missed
# in 3 polls of 10. About the last 256 polls count. The table shows the result for one card that
# stays on its reader for an hour, with a poll every 10 ms
# (python -m tests.firmware.test_presence_properties):
#
#   polls of ten that miss  1      2      3      4      5      6      7
#   misses until gone      16     16     17     22     28     39     55   (16 misses take GONE_S)
#   false removals      2e-10   5e-6   7e-4   1e-3   1e-3   1e-3   2e-3
#
# With 1 in 10**6 there are a hundred times as many false removals; with 1 in 10**9 a tenth, but
# removals take an eighth more misses. A tag that was seen in only 1, 5 or 20 polls, and is then
# taken away, counts as gone after 55, 28 or 16 misses.
GONE_ODDS = 1e-8
PRIOR_MISSED, PRIOR_POLLS = 3, 10
MEMORY_POLLS = 256
GONE_MISSES = 100  # a tag missed this often in a row is gone, even if it was rarely seen before
GONE_S = 0.15  # a gone tag was missed for this time: nobody can lift and replace a card faster

# A resting tag that is seen on another spot may have moved there once the probability of the misses
# in a row on its own spot is down to DOUBT_ODDS: after two misses of a tag that was always seen, or
# after ten if half the polls miss it. Before that, the other reader is assumed to read the tag from
# a distance. If the two spots are known to leak, LEAKY_DOUBT_ODDS takes twice as many misses,
# because the other reader may read a tag while it is being lifted. Both limits are reached before
# GONE_ODDS.
DOUBT_ODDS, LEAKY_DOUBT_ODDS = 1e-3, 1e-6

# After a move, the reader of the old spot may still read the tag from a distance. So the tag counts
# as moved if the number of polls that saw it on another spot, less twice the number of those on its
# own spot, reaches MOVED_LEAD. That is wrong once in 10**14 polls if its own spot sees the tag in 7
# polls of 10 and the other in 3; once in 10**10 polls for 6 and 4; and once in 10**7 if both spots
# see it in 6 polls of 10.
MOVED_LEAD = 16

# If two spots see the same arriving tag, it is on the one that has seen it SETTLE_LEAD times more.
# If the right spot sees it in 7 polls of 10 and the other in 3, the wrong spot gets that lead once
# in 26,000 times; for 9 and 3, once in 10**8 times (gambler's ruin). If neither spot leads after
# SETTLE_POLLS polls of both, the spot that has seen it in the greater share of its polls wins.
SETTLE_LEAD = 6
SETTLE_POLLS = 24

# A tag seen within the first FOUND_POLLS clean polls of its reader was on the mat before the start.
# A card that three polls of ten miss is missed in all five once in 400 starts.
FOUND_POLLS = 5
BEFORE_POLLS = (-1, 0)  # such a tag arrived after poll -1 and before poll 0
GARBLED_POLLS = 8  # after this many garbled polls in a row, arrivals do not wait for the spot
GARBLED_S = 2.0  # a spot garbled for this time is unreadable: no hand that lays a card is so slow
MOST_TAGS = 32  # limit for one spot, to bound memory; no reader's field can power that many


@dataclass(slots=True)
class _TagRecord:
    """The numbers of polls of one spot that saw a certain tag, and that missed it."""

    spot: str
    polls: int = 0
    seen: int = 0
    missed: int = 0  # in clean polls
    run: int = 0  # misses in a row until now
    odds: float = 1.0  # probability of that run if the tag is still there
    seen_s: float = 0.0  # time of the last poll that saw it, or may have (a garbled one)
    silent_s: float = 0.0  # time from then to the last miss
    elsewhere: Counter[str] = field(default_factory=Counter)  # by other spot: see MOVED_LEAD

    def take(self, is_seen: bool, is_garbled: bool, began_s: float, ended_s: float) -> None:
        """Count one poll, which lasted from *began_s* to *ended_s*.

        *is_seen* is True if it saw the tag, and *is_garbled* if it was garbled.
        """
        if is_seen or is_garbled:
            self.seen += is_seen
            self.seen_s = ended_s
            self.reset_misses()
            self.elsewhere -= dict.fromkeys(self.elsewhere, 2)  # drops counts below one
        else:
            self.odds *= (self.missed + PRIOR_MISSED) / (self.polls + PRIOR_POLLS)
            self.missed += 1
            self.run += 1
            self.silent_s = began_s - self.seen_s
        self.polls += 1
        if self.polls == MEMORY_POLLS:
            self.polls //= 2
            self.missed //= 2

    def reset_misses(self) -> None:
        """Forget the current run of misses."""
        self.run, self.odds, self.silent_s = 0, 1.0, 0.0

    @property
    def is_gone(self) -> bool:
        is_missed = self.odds <= GONE_ODDS or self.run >= GONE_MISSES
        is_moved = max(self.elsewhere.values(), default=0) >= MOVED_LEAD
        return is_moved or (is_missed and self.silent_s >= GONE_S)


@dataclass(slots=True)
class _Arriving:
    """A tag that was seen, and whose arrival is not reported yet."""

    after: int  # number of its reader's last clean poll without it
    first: int  # number of the poll that saw it first
    records: dict[str, _TagRecord] = field(default_factory=dict)  # by spot, since then

    @property
    def seen_at(self) -> set[str]:
        return {spot for spot, record in self.records.items() if record.seen}

    @property
    def best(self) -> _TagRecord:
        """The record with the greatest share of polls that saw the tag.

        If several tie, it is the first.
        """
        return max(self.records.values(), key=lambda record: record.seen / record.polls)


@dataclass(slots=True)
class _Spot:
    """The state of one spot and its reader."""

    is_watched: bool = True
    clean_polls: int = 0
    last_clean: int = 0  # number of the last clean poll
    garbled_polls: int = 0  # garbled polls in a row until now
    garbled_from_s: float = 0.0  # time at which that row began
    garbled_s: float = 0.0  # duration of that row
    is_reported: bool = False  # True if it was reported as unreadable
    tag_polls: int = 0  # polls of resting tags, until each tag was last seen
    misses: int = 0  # polls among them that missed the tag

    @property
    def is_readable(self) -> bool:
        """True if the spot's reader works. Arrivals wait for the next poll of such a reader."""
        return self.is_watched and self.garbled_polls < GARBLED_POLLS

    def take(self, number: int, is_garbled: bool, began_s: float, ended_s: float) -> None:
        """Count poll *number*, which lasted from *began_s* to *ended_s*."""
        if is_garbled:
            if not self.garbled_polls:
                self.garbled_from_s = began_s
            self.garbled_polls += 1
            self.garbled_s = ended_s - self.garbled_from_s
        else:
            self.garbled_polls, self.is_reported = 0, False
            self.last_clean = number
            self.clean_polls += 1

    def note_seen_again(self, misses: int) -> None:
        """Note that a resting tag was seen again after *misses* polls that missed it."""
        self.tag_polls += misses + 1
        self.misses += misses
        if self.tag_polls >= 4 * MEMORY_POLLS:
            self.tag_polls //= 2
            self.misses //= 2


class Presence:
    """The tags on *spots*. The caller passes every poll of every reader to ``see``.

    ``leaky`` has the pairs of spots whose readers have both read the same tag.
    """

    def __init__(self, spots: Sequence[str]) -> None:
        self.leaky: set[frozenset[str]] = set()
        self._spots = {spot: _Spot() for spot in spots}
        self._arriving: dict[bytes, _Arriving] = {}  # also resting tags that may have moved
        self._resting: dict[bytes, _TagRecord] = {}
        self._number = 0  # number of the last poll

    @property
    def is_waiting(self) -> bool:
        """True if an arrival is not reported until other readers have been polled."""
        return bool(self._arriving.keys() - self._resting.keys())

    def uids(self, spot: str) -> tuple[bytes, ...]:
        """Return the UIDs of the resting tags on *spot*, oldest first."""
        return tuple(uid for uid, record in self._resting.items() if record.spot == spot)

    def miss_rate(self, spot: str) -> float | None:
        """Return the share of polls, from 0 to 1, that missed a tag resting on *spot*.

        Return None before the first poll of a resting tag.
        """
        state = self._spots[spot]
        return state.misses / state.tag_polls if state.tag_polls else None

    def see(self, spot: str, sighting: Sighting, began_s: float, ended_s: float) -> None:
        """Count one poll of *spot*, which saw *sighting* and lasted from *began_s* to *ended_s*."""
        self._number += 1
        uids = tuple(dict.fromkeys(self._stable_uid(uid, spot) for uid in sighting.uids))
        for uid in uids:
            self._note_sighting(uid, spot)
        records = [(uid, record) for uid, record in self._resting.items() if record.spot == spot]
        for uid, tag in self._arriving.items():
            records.append((uid, tag.records.setdefault(spot, _TagRecord(spot))))
        for uid, record in records:
            record.take(uid in uids, sighting.is_garbled, began_s, ended_s)
        self._spots[spot].take(self._number, sighting.is_garbled, began_s, ended_s)

    def changes(self, watched: Collection[str]) -> list[TagsArrived | TagRemoved | TagUnreadable]:
        """Return the changes that are certain by now: removals, then arrivals in their order.

        *watched* are the spots whose readers are polled at present. Arrivals do not wait for the
        other spots, which are offline or not in the race. A tag on such a spot is removed only if
        another spot sees it.
        """
        for spot, state in self._spots.items():
            state.is_watched = spot in watched
            if not state.is_watched:
                state.garbled_polls = 0
        return [*self._removals(), *self._arrivals(), *self._unreadable()]

    def _stable_uid(self, uid: bytes, spot: str) -> bytes:
        """Return *uid*. If it is random, return the random UID that is already known on *spot*.

        A tag with a random UID chooses a new one whenever the field is switched on. If fields are
        on in turn, that happens at every poll.
        """
        if not is_random_uid(uid):
            return uid
        arriving = (other for other, tag in self._arriving.items() if spot in tag.seen_at)
        return next(filter(is_random_uid, (*self.uids(spot), *arriving)), uid)

    def _note_sighting(self, uid: bytes, spot: str) -> None:
        """Update resting and arriving tags, because *spot* has seen *uid*."""
        state, resting, tag = self._spots[spot], self._resting.get(uid), self._arriving.get(uid)
        if resting is not None and resting.spot == spot:
            state.note_seen_again(resting.run)
            if resting.silent_s < GONE_S:  # too short to move a card there and back
                self._note_leaks(spot, resting.elsewhere)
            self._arriving.pop(uid, None)
            return
        if resting is not None:
            resting.elsewhere[spot] += 1
            if tag is None and not self._may_have_moved(resting, spot):
                return
        if tag is not None:
            self._note_leaks(spot, tag.seen_at - {spot})
        elif len(self._arriving) + len(self.uids(spot)) < MOST_TAGS:
            was_found = state.clean_polls < FOUND_POLLS
            laid = BEFORE_POLLS if was_found else (state.last_clean, self._number)
            self._arriving[uid] = _Arriving(*laid)

    def _note_leaks(self, spot: str, others: Collection[str]) -> None:
        self.leaky.update(frozenset((spot, other)) for other in others)

    def _may_have_moved(self, record: _TagRecord, spot: str) -> bool:
        """Return True if the resting tag of *record*, seen on *spot*, may have been moved there."""
        is_leaky = frozenset((record.spot, spot)) in self.leaky
        if self._spots[record.spot].is_readable:
            return record.odds <= (LEAKY_DOUBT_ODDS if is_leaky else DOUBT_ODDS)
        return not is_leaky

    def _removals(self) -> list[TagRemoved]:
        gone: list[TagRemoved] = []
        for uid, record in sorted(self._resting.items(), key=lambda item: item[1].seen_s):
            state = self._spots[record.spot]
            if not state.is_watched:
                record.reset_misses()
                record.elsewhere.clear()
            if record.is_gone or (uid in self._arriving and not state.is_readable):
                del self._resting[uid]
                gone.append(TagRemoved(record.spot, uid))
        return gone

    def _arrivals(self) -> list[TagsArrived]:
        arrived: list[TagsArrived] = []
        for group in self._groups():
            if not all(self._is_settled(self._arriving[uid]) for uid in group):
                break  # arrivals are reported in their order
            was_found = self._arriving[group[0]].first == BEFORE_POLLS[1]
            for uid in group:
                self._resting[uid] = self._arriving.pop(uid).best
            tags = tuple(TagOnSpot(self._resting[uid].spot, uid) for uid in group)
            arrived.append(TagsArrived(tags, was_found))
        return arrived

    def _groups(self) -> list[list[bytes]]:
        """Return the UIDs of arriving tags in order.

        UIDs whose order is unknown are in one group.
        """
        arriving = {uid: tag for uid, tag in self._arriving.items() if uid not in self._resting}
        groups: list[list[bytes]] = []
        for uid in sorted(arriving, key=lambda uid: arriving[uid].first):
            group = [uid]
            while groups and arriving[uid].after < arriving[groups[-1][-1]].first:
                group = groups.pop() + group
            groups.append(group)
        return groups

    def _is_settled(self, tag: _Arriving) -> bool:
        """Return True if *tag*'s spot is certain, and every readable spot has been polled since.

        After these polls, every tag that came before *tag* is known. If several spots can read
        *tag*, one of them must have seen it more often, by ``SETTLE_LEAD``.
        """
        readable = {spot for spot, state in self._spots.items() if state.is_readable}
        for spot in readable:
            record = tag.records.get(spot)
            if record is None or not (record.seen or record.missed):
                return False
        pairs = [pair for pair in self.leaky if pair <= readable and pair & tag.seen_at]
        rivals = [tag.records[spot] for spot in set().union(*pairs)]
        if not rivals or all(record.polls >= SETTLE_POLLS for record in rivals):
            return True
        least, most = sorted(record.seen for record in rivals)[-2:]
        return most - least >= SETTLE_LEAD

    def _unreadable(self) -> list[TagUnreadable]:
        unreadable: list[TagUnreadable] = []
        for spot, state in self._spots.items():
            is_long = state.garbled_polls >= GARBLED_POLLS and state.garbled_s >= GARBLED_S
            if is_long and not state.is_reported:
                state.is_reported = True
                unreadable.append(TagUnreadable(spot))
        return unreadable
