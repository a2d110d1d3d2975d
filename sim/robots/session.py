"""One game that robots play to a referee, compared with their books after every act.

Room: sim/robots. It knows no game, and whether the referee is a whole mat only where it asks.
"""

from collections import Counter
from collections.abc import Sequence
from random import Random

from engines.common.contract import Input
from sim.robots.referees import AtMat, Referee
from sim.robots.seam import TAKEN, Act, Books, Deal, Robot, Robots, Verdict


class Difference(AssertionError):
    """The books and the referee say something else."""

    def __init__(self, what: str, books: object, referee: object) -> None:
        super().__init__(f"{what}: the books say {books}, the referee says {referee}")
        self.what, self.books, self.referee = what, books, referee


class Session:
    """Robots around their books, playing one deal to a referee; *chance* is all that they draw by.

    Books are rebuilt from the acts that stand whenever something is taken back, as the program
    folds its journal.
    """

    def __init__(
        self, robots: Robots, deal: Deal, styles: Sequence[str], referee: Referee, chance: Random
    ) -> None:
        self._robots, self.deal = robots, deal
        self.referee, self.chance = referee, chance
        self.seated = [Robot(seat, robots.styles[name]) for seat, name in enumerate(styles)]
        self.books = robots.open(deal)
        self.acts: list[Act] = []  # that stand
        self.counts: Counter[str] = Counter()

    @property
    def mat(self) -> AtMat | None:
        """The mat, if the referee is a whole one."""
        return self.referee if isinstance(self.referee, AtMat) else None

    @property
    def actor(self) -> Robot:
        """Whose robot does something next."""
        return self.seated[self.books.actor]

    def next_act(self) -> Act:
        """What that robot does, as the referee comes to know it."""
        act = self.actor.act(self.books, self.chance)
        return act._replace(given=self.referee.as_seen(act.given))

    # --- doing ---

    def do(self, act: Act) -> None:
        """Do what the rules take, and compare.

        Raises:
            Difference: the referee answers otherwise than the books.
        """
        expected = self.books.verdict(act.given)
        given = self.referee.give(act.given)
        self.settle(act, TAKEN if expected is None else expected, given)

    def settle(self, act: Act, expected: Verdict, given: Verdict) -> None:
        """An act was answered: compare, and write down what was taken."""
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
        """Do something by mistake: what is refused changes nothing; the rest is taken back.

        Returns:
            Whether it was done: not where the books cannot know what must come of it.
        """
        given = self.referee.as_seen(given)
        expected = self.books.verdict(given)
        if expected is None:
            return False
        self.same(given, expected, self.referee.give(given))
        self.counts["refusals"] += not expected.is_taken
        if expected.is_taken:
            self.take_back_unwritten()
        self.compare()
        return True

    def take_back_unwritten(self) -> None:
        """Take back what the books never heard of."""
        self.same("taking back", TAKEN, self.referee.take_back())
        self.counts["taken back"] += 1

    def take_back(self) -> None:
        """Take the last act back, if there is one, and compare."""
        self.took_back(self.referee.take_back())

    def took_back(self, given: Verdict) -> None:
        """The back button was pressed, if there was anything to take back: compare."""
        expected = TAKEN if self.acts else Verdict("nothing-to-undo")
        self.same("taking back", expected, given)
        if self.acts:
            self.acts.pop()
            self.books = self.folded(self.acts)
            self.counts["taken back"] += 1
        else:
            self.counts["refusals"] += 1
        self.compare()

    def folded(self, acts: Sequence[Act]) -> Books:
        """New books of the same deal that took *acts*."""
        books = self._robots.open(self.deal)
        for act in acts:
            books.take(act)
        return books

    # --- comparing ---

    def compare(self) -> None:
        """Everything that is shown, as far as the books speak of it.

        Raises:
            Difference: something else is shown.
        """
        books, seen = self.books.shown, self.referee.seen
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
        """Compare one thing, or what comes of an input.

        Raises:
            Difference: it is not the same.
        """
        if books != referee:
            text = what if isinstance(what, str) else f"what comes of {what}"
            raise Difference(text, books, referee)
