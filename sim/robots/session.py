"""One game between robots and a referee, who are compared after every act.

This module works for every game. The robots' own record of the game is called its *books*.
"""

from collections import Counter
from collections.abc import Sequence
from random import Random

from engines.common.contract import Input
from sim.robots.contract import TAKEN, Books, RobotAct, Robots, Ruling, SeededDeal
from sim.robots.referees import AtMat, Referee


class Difference(AssertionError):
    """A difference between the robots' record of a game and the referee."""

    def __init__(self, what: str, books: object, referee: object) -> None:
        super().__init__(f"{what}: the books say {books}, the referee says {referee}")
        self.what, self.books, self.referee = what, books, referee


class Session:
    """One deal that robots play with a referee, which answers their inputs.

    All random choices of the robots come from *chance*. After an undo, the robots' record is built
    again from the acts that remain.
    """

    def __init__(
        self,
        robots: Robots,
        deal: SeededDeal,
        styles: Sequence[str],
        referee: Referee,
        chance: Random,
    ) -> None:
        self._robots, self.deal = robots, deal
        self.referee, self.chance = referee, chance
        self.styles = [robots.styles[name] for name in styles]
        self.books = robots.open(deal)
        self.acts: list[RobotAct] = []  # all recorded acts that were not undone
        self.counts: Counter[str] = Counter()

    @property
    def mat(self) -> AtMat | None:
        """The referee if it is a mat, else None."""
        return self.referee if isinstance(self.referee, AtMat) else None

    def next_act(self) -> RobotAct:
        """Return the next act, chosen by the style of the robot that must act.

        The input is in the form in which the referee will receive it.
        """
        act = self.styles[self.books.actor](self.books, self.chance)
        return act._replace(given=self.referee.as_seen(act.given))

    # --- doing ---

    def do(self, act: RobotAct) -> None:
        """Give the input of *act* to the referee, check the answer, and record the act if accepted.

        Raises:
            Difference: the referee's answer differs from the one in the robots' record.
        """
        expected = self.books.ruling(act.given)
        given = self.referee.give(act.given)
        self.settle(act, TAKEN if expected is None else expected, given)

    def settle(self, act: RobotAct, expected: Ruling, given: Ruling) -> None:
        """Check that *given*, the answer to *act*, is *expected*; record the act if accepted.

        Raises:
            Difference: the answers or the views differ.
        """
        self.same(act.given, expected, given)
        if expected.is_taken:
            self.books.take(act)
            self.acts.append(act)
            self.counts["plays"] += 1
            self.counts["fouls"] += expected.is_foul
        else:
            self.counts["refusals"] += 1
        self.compare()

    def attempt(self, given: Input) -> bool:
        """Give an input by mistake, check the answer, and undo the input if it was accepted.

        Returns:
            True if the input was given; False if it was not, because the robots cannot tell which
            answer would be right.
        """
        given = self.referee.as_seen(given)
        expected = self.books.ruling(given)
        if expected is None:
            return False
        self.same(given, expected, self.referee.give(given))
        self.counts["refusals"] += not expected.is_taken
        if expected.is_taken:
            self.undo_unrecorded()
        self.compare()
        return True

    def undo_unrecorded(self) -> None:
        """Have the referee undo its last input, which is not in the robots' record of the game."""
        self.same("taking back", TAKEN, self.referee.undo())
        self.counts["taken back"] += 1

    def undo(self) -> None:
        """Undo the last act of the game, and check the referee's answer."""
        self.check_undo(self.referee.undo())

    def check_undo(self, given: Ruling) -> None:
        """Check *given*, the answer to an undo, and remove the last act from the record.

        If there is no act, the answer must be that there is nothing to undo.
        """
        expected = TAKEN if self.acts else Ruling("nothing-to-undo")
        self.same("taking back", expected, given)
        if self.acts:
            self.acts.pop()
            self.books = self.replay(self.acts)
            self.counts["taken back"] += 1
        else:
            self.counts["refusals"] += 1
        self.compare()

    def replay(self, acts: Sequence[RobotAct]) -> Books:
        """Return a new record of the same deal, with *acts*."""
        books = self._robots.open(self.deal)
        for act in acts:
            books.take(act)
        return books

    # --- comparing ---

    def compare(self) -> None:
        """Check that the referee shows the view that the robots expect.

        Raises:
            Difference: the view differs.
        """
        books, seen = self.books.expected, self.referee.seen
        if books.phase != seen.phase:
            raise Difference("phase", books.phase, seen.phase)
        if books.turn != seen.turn:
            raise Difference("turn", books.turn, seen.turn)
        if books.direction is not None and books.direction is not seen.direction:
            raise Difference("direction", books.direction, seen.direction)
        if books.scores is not None and tuple(books.scores) != seen.scores:
            raise Difference("scores", tuple(books.scores), seen.scores)
        if tuple(books.winners) != seen.winners:
            raise Difference("winners", tuple(books.winners), seen.winners)
        counts = seen.counts
        for place, number in books.counts.items():
            if counts.get(place) != number:
                raise Difference(f"pieces {place}", number, counts.get(place))
        if books.headline is not None:
            headline = self.referee.in_words(books.headline)
            if headline != seen.headline:
                raise Difference("headline", headline, seen.headline)

    def same(self, what: str | Input, books: object, referee: object) -> None:
        """Check that the robots' value equals the referee's. *what* names the value in the error.

        Raises:
            Difference: the two values are not equal.
        """
        if books != referee:
            text = what if isinstance(what, str) else f"the answer to {what}"
            raise Difference(text, books, referee)
