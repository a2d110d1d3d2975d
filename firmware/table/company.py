"""The mat's remarks as a player: one short, friendly line a round at most.

They are about a strong play of a person, the end of a round and the end of the game. They follow
from the views that everybody can see, and from nothing else: this module knows no row, no hand and
no draw pile. So the same inputs always bring the same remarks, also after a power cut or an undo.

These pure functions use only the engine contract, and do not know any particular game.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engines.common.contract import Message, Seat, View
from engines.common.layouts import ROUND
from firmware.table.announcements import ROUND_OVER

VARIANTS = 2  # texts for each occasion, said in turn
FEW_ROUNDS = 2  # in these first rounds, the most points of one play mean little
CLOSE = 10  # a win is close if it is by at most 1/CLOSE of the winner's score, or by one


class RemarkOn(NamedTuple):
    """A reason for a remark of *seat* about *other_seat*. *name* selects the texts."""

    name: str
    seat: Seat
    other_seat: Seat
    n: int = 0


@dataclass(frozen=True, slots=True)
class Company:
    """The course of a game as far as the mat remarks on it, after *inputs* inputs.

    *seats* are the mat's. *round* is the number of the round; in a game without rounds, a round is
    one turn of each player. *began* are the scores at its beginning. *turns* is the number of turns
    so far, *best* the most that one play has added to a score, *said* the round of the last remark.
    *waiting* is a play to remark on if the mat's turn is next. *occasion* is the reason for a
    remark now. *before* is the course before the last input, for an undo.
    """

    seats: tuple[Seat, ...]
    round: int
    began: tuple[int, ...]
    inputs: int = 0
    turns: int = 0
    best: int = 0
    said: int | None = None
    waiting: RemarkOn | None = None
    occasion: RemarkOn | None = None
    before: "Company | None" = field(default=None, compare=False, repr=False)

    @classmethod
    def begin(cls, seats: Sequence[Seat], view: View) -> "Company":
        """Return the course of a game that begins with *view*."""
        return cls(tuple(seats), view.counts.get(ROUND, 0), view.scores)

    @property
    def remark(self) -> Message | None:
        """The text of the remark that the mat makes now, or None."""
        if self.occasion is None:
            return None
        name, *facts = self.occasion
        code = f"remark.{name}.{self.inputs % VARIANTS + 1}"
        return Message(code, dict(zip(RemarkOn._fields[1:], facts, strict=True)))

    def follow(self, was: View, now: View) -> "Company":
        """Return the course after an input that changed the view from *was* to *now*."""
        turns = self.turns + (now.turn is not None and now.turn != was.turn)
        number = now.counts.get(ROUND, turns // len(now.scores))
        waiting, occasion = None, None
        if now.is_over or (now.phase == ROUND_OVER and was.phase != ROUND_OVER):
            occasion = self._end(now)
        else:
            play = self._play(was, now) or self.waiting
            if now.turn == was.turn:
                waiting = play
            elif now.turn in self.seats and play is not None:
                occasion = play._replace(seat=now.turn)
        if self.said == number:
            occasion = None
        return Company(
            self.seats,
            number,
            self.began if number == self.round else now.scores,
            self.inputs + 1,
            turns,
            max(self.best, *_gains(was.scores, now)),
            self.said if occasion is None else number,
            waiting,
            occasion,
            self,
        )

    def _play(self, was: View, now: View) -> RemarkOn | None:
        """Return what a person has played well, by the views *was* before and *now* after it."""
        seat = was.turn
        if seat is None or seat in self.seats:
            return None
        is_at_limit = now.limit is not None and now.headline == str(now.limit) != was.headline
        if is_at_limit and now.limit is not None:
            return RemarkOn("limit", self.seats[0], seat, now.limit)
        most = _gains(was.scores, now)[seat]
        is_early = self.turns < FEW_ROUNDS * len(now.scores)
        if now.lowest_wins or is_early or not 0 < self.best < most:
            return None
        return RemarkOn("strong", self.seats[0], seat, most)

    def _end(self, now: View) -> RemarkOn | None:
        """Return what there is to say at the end of a round, or of the game."""
        scores = now.scores if now.is_over else _gains(self.began, now)
        sign = -1 if now.lowest_wins and now.is_over else 1
        best = {Seat(n): sign * score for n, score in enumerate(scores)}
        first = now.winners if now.is_over else _leaders(best)
        mats = [seat for seat in first if seat in self.seats]
        people = [seat for seat in first if seat not in self.seats]
        if len(first) == 1:
            return self._result(first[0], best, "" if now.is_over else "round-")
        if now.is_over and len(mats) == len(people) == 1:
            return RemarkOn("tied", mats[0], people[0])
        return None

    def _result(self, first: Seat, best: Mapping[Seat, int], prefix: str) -> RemarkOn | None:
        """Return the remark on *first*, who alone did best; None if a mat only beat mats."""
        is_mat = first in self.seats
        others = {seat: score for seat, score in best.items() if (seat in self.seats) != is_mat}
        if not others:
            return None
        other = max(others, key=lambda seat: others[seat])
        margin = best[first] - best[other]
        is_close = not prefix and 0 <= margin * CLOSE <= max(abs(best[first]), CLOSE)
        name = ("won" if is_mat else "lost") + ("-close" if is_close else "")
        return RemarkOn(prefix + name, *((first, other) if is_mat else (other, first)))


def _gains(before: Sequence[int], now: View) -> tuple[int, ...]:
    """Return by how much better the score of each seat is in *now* than *before*."""
    sign = -1 if now.lowest_wins else 1
    return tuple(sign * (after - score) for score, after in zip(before, now.scores, strict=True))


def _leaders(best: Mapping[Seat, int]) -> tuple[Seat, ...]:
    most = max(best.values())
    return tuple(seat for seat, score in best.items() if score == most)
