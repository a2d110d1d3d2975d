"""Presence: turns what each poll saw into what came and what went.

Room: firmware. Pure code; the moment of each poll is handed in.

Real readers miss reads, and hear tags of the spot next door. One filter looks at all spots,
because a tag lies in one place. A tag is *coming* from its first sighting until it is settled
where it lies and what came before it; then it *rests*, until its spot has missed it so often that
it must be gone. A resting tag never arrives twice, and a flicker is no removal.

Polls are made one after the other and handed in in that order, so their numbers are all the time
that order needs: a tag first seen in poll 7 of its reader, whose clean poll before was poll 5, was
laid after 5 began and, as no other poll begins during a poll, before 8 began.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from firmware.events import Arrived, Gone, Laid, Unreadable
from firmware.register import is_random_uid
from hardware.ports import Sighting

# A tag is gone when the odds that it lies there and was missed so often in a row are 1 in 10**8.
# They follow Laplace's rule, with its own polls as the measure: when P polls missed it M times, the
# next one does with odds (M + 3) / (P + 10), which then counts for the one after. 3 of 10 is what a
# sticker hardly seen yet is given; 256 polls are remembered. At a poll each 10 ms, in an hour of
# one card lying there (python -m tests.firmware.test_presence_properties):
#
#   missed, of ten polls    1      2      3      4      5      6      7
#   misses until gone      16     16     17     22     28     39     55   (0.15 s are 16)
#   false removals      2e-10   5e-6   7e-4   1e-3   1e-3   1e-3   2e-3
#
# With 1 in 10**6 it is a hundred times as many; with 10**9 a tenth, for an eighth more misses. A
# tag seen in 1, 5 or 20 polls and then lifted takes 55, 28 or 16.
GONE_ODDS = 1e-8
PRIOR_MISSED, PRIOR_POLLS = 3, 10
MEMORY_POLLS = 256
GONE_MISSES = 100  # enough whatever the odds: a tag seen now and then must not hide its removal
GONE_S = 0.15  # nobody lifts a card and lays it down again within a sixth of a second

# A tag seen elsewhere may have been moved there once the odds of its own spot's misses are down to
# this: two in a row of a tag always seen, ten where half the polls miss it. Until then the other
# spot hears a tag that rests. Of a pair known to leak, where a tag that is just being lifted may
# well be heard across, twice as many are wanted. Both are reached before a removal is.
DOUBT_ODDS, LEAKY_DOUBT_ODDS = 1e-3, 1e-6

# Moved to a spot that leaks back, it is still heard where it lay. It counts as moved all the same
# when another spot has seen it so many times more than twice as often. A tag seen there in 7 polls
# of 10 and heard in 3 is thought so once in 10**14 polls, one of 6 and 4 once in 10**10; one that
# both see alike in 6 of 10, once in 10**7.
MOVED_LEAD = 16

# Of two spots that hear the same tag, the one it lies on has seen it this much oftener. Where that
# sees it in 7 polls of 10 and the other in 3, the wrong one leads by 6 once in 26,000 times; where
# it is 9 and 3, once in 10**8 (gambler's ruin). When neither leads after so many polls of both, the
# greater share decides.
SETTLE_LEAD = 6
SETTLE_POLLS = 24

FOUND_POLLS = 5  # a card missed in three polls of ten is missed in all of them once in 400 starts
BEFORE_POLLS = (-1, 0)  # after which poll such a card was laid, and before which
GARBLED_POLLS = 8  # in a row: such a spot is not waited for
GARBLED_S = 2.0  # in a row: a hand that lays a card is long out of the field
MOST_TAGS = 32  # on one spot: more than a field can power, so that memory stays bounded


@dataclass(slots=True)
class _Look:
    """How one spot sees one tag, poll after poll."""

    spot: str
    polls: int = 0
    seen: int = 0
    missed: int = 0  # in clean polls
    run: int = 0  # of misses, until now
    odds: float = 1.0  # of that run, if the tag still lies there
    seen_s: float = 0.0  # when it was seen last, or may have been among what was garbled
    silent_s: float = 0.0  # from then to the last miss
    elsewhere: Counter[str] = field(default_factory=Counter)  # see MOVED_LEAD

    def take(self, is_seen: bool, is_garbled: bool, began_s: float, ended_s: float) -> None:
        """Count one poll."""
        if is_seen or is_garbled:
            self.seen += is_seen
            self.seen_s = ended_s
            self.forgive()
            self.elsewhere -= dict.fromkeys(self.elsewhere, 2)  # drops what falls below one
        else:
            self.odds *= (self.missed + PRIOR_MISSED) / (self.polls + PRIOR_POLLS)
            self.missed += 1
            self.run += 1
            self.silent_s = began_s - self.seen_s
        self.polls += 1
        if self.polls == MEMORY_POLLS:
            self.polls //= 2
            self.missed //= 2

    def forgive(self) -> None:
        """Let the misses until now prove nothing."""
        self.run, self.odds, self.silent_s = 0, 1.0, 0.0

    @property
    def is_gone(self) -> bool:
        is_missed = self.odds <= GONE_ODDS or self.run >= GONE_MISSES
        is_moved = max(self.elsewhere.values(), default=0) >= MOVED_LEAD
        return is_moved or (is_missed and self.silent_s >= GONE_S)


@dataclass(slots=True)
class _Coming:
    """A tag that was seen and is not told yet; *after* and *first* are numbers of polls."""

    after: int  # the last clean poll of its reader without it
    first: int  # the poll that saw it first
    looks: dict[str, _Look] = field(default_factory=dict)  # of each spot polled since

    @property
    def seen_at(self) -> set[str]:
        return {spot for spot, look in self.looks.items() if look.seen}

    @property
    def best(self) -> _Look:
        """The look that saw it in the greatest share of its polls; of equals, the first."""
        return max(self.looks.values(), key=lambda look: look.seen / look.polls)


@dataclass(slots=True)
class _Spot:
    """One reader's own state."""

    is_watched: bool = True
    clean_polls: int = 0
    last_clean: int = 0  # the number of that poll
    garbled_polls: int = 0  # in a row until now
    garbled_from_s: float = 0.0
    garbled_s: float = 0.0  # for so long
    is_told: bool = False  # that it is unreadable
    looks: int = 0  # at resting tags, until they were last seen
    misses: int = 0  # of them

    @property
    def can_tell(self) -> bool:
        """Whether its polls say what lies there, so that it is worth waiting for one."""
        return self.is_watched and self.garbled_polls < GARBLED_POLLS

    def take(self, number: int, is_garbled: bool, began_s: float, ended_s: float) -> None:
        """Count one poll."""
        if is_garbled:
            if not self.garbled_polls:
                self.garbled_from_s = began_s
            self.garbled_polls += 1
            self.garbled_s = ended_s - self.garbled_from_s
        else:
            self.garbled_polls, self.is_told = 0, False
            self.last_clean = number
            self.clean_polls += 1

    def measure(self, misses: int) -> None:
        """Note that a resting tag was seen again after *misses*."""
        self.looks += misses + 1
        self.misses += misses
        if self.looks >= 4 * MEMORY_POLLS:
            self.looks //= 2
            self.misses //= 2


class Presence:
    """What lies on the *spots*. Its one owner is the loop; it is fed every poll of every reader.

    *leaky* are the pairs of spots that were caught hearing the same tag.
    """

    def __init__(self, spots: Sequence[str]) -> None:
        self.leaky: set[frozenset[str]] = set()
        self._spots = {spot: _Spot() for spot in spots}
        self._coming: dict[bytes, _Coming] = {}  # also what rests, when it may have been moved
        self._resting: dict[bytes, _Look] = {}
        self._number = 0  # of the last poll

    @property
    def is_waiting(self) -> bool:
        """Whether an arrival is held back until other readers have been polled."""
        return bool(self._coming.keys() - self._resting.keys())

    def uids(self, spot: str) -> tuple[bytes, ...]:
        """The tags taken to lie on *spot*, oldest first."""
        return tuple(uid for uid, look in self._resting.items() if look.spot == spot)

    def miss_rate(self, spot: str) -> float | None:
        """Share of the polls of *spot* that missed a tag lying there; ``None`` before any did."""
        state = self._spots[spot]
        return state.misses / state.looks if state.looks else None

    def see(self, spot: str, sighting: Sighting, began_s: float, ended_s: float) -> None:
        """Take one poll of *spot*."""
        self._number += 1
        uids = tuple(dict.fromkeys(self._known_as(uid, spot) for uid in sighting.uids))
        for uid in uids:
            self._note(uid, spot)
        looks = [(uid, look) for uid, look in self._resting.items() if look.spot == spot]
        for uid, tag in self._coming.items():
            looks.append((uid, tag.looks.setdefault(spot, _Look(spot))))
        for uid, look in looks:
            look.take(uid in uids, sighting.is_garbled, began_s, ended_s)
        self._spots[spot].take(self._number, sighting.is_garbled, began_s, ended_s)

    def changes(self, watched: Collection[str]) -> list[Arrived | Gone | Unreadable]:
        """Return what is settled by now: what went, then what came, in its order.

        *watched* are the spots whose readers are polled at present. The others, offline or not in
        the race, are not waited for, and nothing leaves them unless another spot sees it.
        """
        for spot, state in self._spots.items():
            state.is_watched = spot in watched
            if not state.is_watched:
                state.garbled_polls = 0
        return [*self._removals(), *self._arrivals(), *self._unreadable()]

    def _known_as(self, uid: bytes, spot: str) -> bytes:
        """The UID by which the tag of *uid* is known on *spot*.

        One that makes up its UID anew does so whenever its field comes on, which with fields in
        turn is at every poll; it is the one that was there before.
        """
        if not is_random_uid(uid):
            return uid
        coming = (other for other, tag in self._coming.items() if spot in tag.seen_at)
        return next(filter(is_random_uid, (*self.uids(spot), *coming)), uid)

    def _note(self, uid: bytes, spot: str) -> None:
        """Work out what it means that *spot* saw *uid*."""
        state, resting, tag = self._spots[spot], self._resting.get(uid), self._coming.get(uid)
        if resting is not None and resting.spot == spot:
            state.measure(resting.run)
            if resting.silent_s < GONE_S:  # nobody moves a card there and back as fast
                self._caught(spot, resting.elsewhere)
            self._coming.pop(uid, None)
            return
        if resting is not None:
            resting.elsewhere[spot] += 1
            if tag is None and not self._may_have_moved(resting, spot):
                return
        if tag is not None:
            self._caught(spot, tag.seen_at - {spot})
        elif len(self._coming) + len(self.uids(spot)) < MOST_TAGS:
            was_found = state.clean_polls < FOUND_POLLS
            laid = BEFORE_POLLS if was_found else (state.last_clean, self._number)
            self._coming[uid] = _Coming(*laid)

    def _caught(self, spot: str, others: Collection[str]) -> None:
        self.leaky.update(frozenset((spot, other)) for other in others)

    def _may_have_moved(self, look: _Look, spot: str) -> bool:
        """Whether a resting tag that *spot* sees may have been laid there since."""
        is_leaky = frozenset((look.spot, spot)) in self.leaky
        if self._spots[look.spot].can_tell:
            return look.odds <= (LEAKY_DOUBT_ODDS if is_leaky else DOUBT_ODDS)
        return not is_leaky

    def _removals(self) -> list[Gone]:
        gone: list[Gone] = []
        for uid, look in sorted(self._resting.items(), key=lambda item: item[1].seen_s):
            state = self._spots[look.spot]
            if not state.is_watched:
                look.forgive()
                look.elsewhere.clear()
            if look.is_gone or (uid in self._coming and not state.can_tell):
                del self._resting[uid]
                gone.append(Gone(look.spot, uid))
        return gone

    def _arrivals(self) -> list[Arrived]:
        arrived: list[Arrived] = []
        for group in self._groups():
            if not all(self._is_settled(self._coming[uid]) for uid in group):
                break  # nothing is told before what came before it
            was_found = self._coming[group[0]].first == BEFORE_POLLS[1]
            for uid in group:
                self._resting[uid] = self._coming.pop(uid).best
            tags = tuple(Laid(self._resting[uid].spot, uid) for uid in group)
            arrived.append(Arrived(tags, was_found))
        return arrived

    def _groups(self) -> list[list[bytes]]:
        """The tags to be told, in order; together are those whose order polls cannot tell."""
        coming = {uid: tag for uid, tag in self._coming.items() if uid not in self._resting}
        groups: list[list[bytes]] = []
        for uid in sorted(coming, key=lambda uid: coming[uid].first):
            group = [uid]
            while groups and coming[uid].after < coming[groups[-1][-1]].first:
                group = groups.pop() + group
            groups.append(group)
        return groups

    def _is_settled(self, tag: _Coming) -> bool:
        """Whether it is known where *tag* lies, and that nothing came before it unseen."""
        telling = {spot for spot, state in self._spots.items() if state.can_tell}
        for spot in telling:
            look = tag.looks.get(spot)
            if look is None or not (look.seen or look.missed):
                return False
        pairs = [pair for pair in self.leaky if pair <= telling and pair & tag.seen_at]
        rivals = [tag.looks[spot] for spot in set().union(*pairs)]
        if not rivals or all(look.polls >= SETTLE_POLLS for look in rivals):
            return True
        least, most = sorted(look.seen for look in rivals)[-2:]
        return most - least >= SETTLE_LEAD

    def _unreadable(self) -> list[Unreadable]:
        told: list[Unreadable] = []
        for spot, state in self._spots.items():
            is_long = state.garbled_polls >= GARBLED_POLLS and state.garbled_s >= GARBLED_S
            if is_long and not state.is_told:
                state.is_told = True
                told.append(Unreadable(spot))
        return told
