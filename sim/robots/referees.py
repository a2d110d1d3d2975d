"""Whom the robots play to: the rules of a game alone, or a whole mat on emulated chips.

Room: sim/robots. Both take inputs, say what came of them, and keep the rehearsal of all that was
done.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Protocol

from engines.common.contract import (
    SEAT_SPOTS,
    Direction,
    Game,
    Input,
    Message,
    Seat,
    Setup,
    Tap,
    Topic,
)
from engines.common.errors import RulesError
from engines.common.pieces import Piece
from firmware.journal import GameStart
from firmware.words import words_of
from sim.mat import Mat
from sim.rehearsal.export import AWAY, RECENT, prepared, verb_of
from sim.rehearsal.grammar import parse
from sim.rehearsal.runner import Runner
from sim.robots.seam import TAKEN, Verdict

# What begins a line that is no act: nothing comes of it.
IDLE = ("wait", "lift", "fault none", "expect")


class Seen(Protocol):
    """What a referee shows, as far as the books speak of it."""

    @property
    def phase(self) -> str:
        """What the table is doing."""
        ...

    @property
    def scores(self) -> tuple[int, ...]:
        """By seat."""
        ...

    @property
    def turn(self) -> Seat | None:
        """Whose turn it is."""
        ...

    @property
    def winners(self) -> tuple[Seat, ...]:
        """Once it is over."""
        ...

    @property
    def direction(self) -> Direction | None:
        """Which way the turn goes."""
        ...

    @property
    def counts(self) -> Mapping[str, int]:
        """Pieces by place."""
        ...

    @property
    def headline(self) -> str | Message:
        """The one thing people look for."""
        ...


class Referee(Protocol):
    """Takes what robots do."""

    @property
    def seen(self) -> Seen:
        """What is shown now."""
        ...

    @property
    def script(self) -> Sequence[str]:
        """The rehearsal of all that was done."""
        ...

    def in_words(self, text: str | Message) -> str | Message:
        """*text* as the headline shows it."""
        ...

    def as_seen(self, given: Input) -> Input:
        """*given* as this referee comes to know it."""
        ...

    def give(self, given: Input) -> Verdict:
        """Give an input, and tell what came of it."""
        ...

    def take_back(self) -> Verdict:
        """Take the last input back."""
        ...


class Rules:
    """A game's rules alone; a ``Referee`` that knows as well whose a piece is."""

    def __init__(self, game: Game[Any], start: GameStart) -> None:
        self._game, self._start = game, start
        setup = Setup(len(start.names), Seat(start.dealer), start.deck, start.options)
        self._states = [game.start(setup)]
        self._done: list[Input | None] = []  # none: the last one was taken back

    @property
    def seen(self) -> Seen:
        """The rules' own view."""
        return self._game.view(self._states[-1])

    @property
    def script(self) -> Sequence[str]:
        """The same game at a mat."""
        names = self._start.names
        done = ("press back" if it is None else verb_of(it, names) for it in self._done)
        return [*prepared(self._start), *done]

    def in_words(self, text: str | Message) -> str | Message:
        """As the rules have it."""
        return text

    def as_seen(self, given: Input) -> Input:
        """All of it."""
        return given

    def give(self, given: Input) -> Verdict:
        """Step, unless the rules refuse."""
        self._done.append(given)
        try:
            step = self._game.step(self._states[-1], given)
        except RulesError as error:
            return Verdict(error.code)
        self._states.append(step.state)
        return Verdict(is_foul=True) if step.is_foul else TAKEN

    def take_back(self) -> Verdict:
        """Go back to the state before."""
        self._done.append(None)
        if len(self._states) == 1:
            return Verdict("nothing-to-undo")
        self._states.pop()
        return TAKEN


class AtMat:
    """A mat on emulated chips; a ``Referee`` that knows what its readers and controls tell.

    Everything done is a line of a rehearsal, so the same lines do the same again.
    """

    def __init__(self, mat: Mat, game: Game[Any], start: GameStart) -> None:
        self.mat = mat
        self._names = start.names
        self._words = words_of(mat.config.language, game.package)
        self._runner = Runner(mat)
        self._script: list[str] = []
        self._refused_from = self._said_from = 0
        self.left: dict[Piece, str] = {}  # what lies on a reader, and on which spot
        self.leaves_next = False  # whether the next piece that is tapped will be left there
        self._recent: deque[Piece] = deque(maxlen=RECENT)  # tapped
        self.do(*prepared(start))

    @property
    def seen(self) -> Seen:
        """The table's view."""
        return self.mat.view

    @property
    def script(self) -> Sequence[str]:
        """Every line done."""
        return self._script

    def do(self, *lines: str) -> None:
        """Do what these lines of a rehearsal say, as people would."""
        for line in lines:
            self._script.append(line)
            if not line.startswith(IDLE):
                self._refused_from, self._said_from = len(self.mat.refused), len(self.mat.said)
            for read in parse(line, "robots"):
                self._runner.do(read)

    @property
    def refusals(self) -> list[str]:
        """The codes of what was refused since the last act."""
        return [notice.code for notice in list(self.mat.refused)[self._refused_from :]]

    def in_words(self, text: str | Message) -> str | Message:
        """In the table's words."""
        return text if isinstance(text, str) else self._words.say(text, self._names)

    def as_seen(self, given: Input) -> Input:
        """A tap on the reader of its seat, where there is one, or on the one for everybody."""
        if not isinstance(given, Tap) or given.seat is None:
            return given
        spot = SEAT_SPOTS[given.seat]
        if spot in self.mat.board.readers:
            return Tap(given.piece, spot, given.seat)
        return Tap(given.piece)

    def give(self, given: Input) -> Verdict:
        """Do it, and see whether it was refused. What was left lying is taken up then."""
        left = dict(self.left)
        leaves, self.leaves_next = self.leaves_next, False
        if isinstance(given, Tap):
            self._free(given.piece)
            if leaves:
                self.left[given.piece] = given.spot
            self.do(_moved("lay" if leaves else "tap", given))
        else:
            self.do(verb_of(given, self._names))
        verdict = self.verdict
        for piece in left:
            self.take_up(piece)
        return verdict

    def lay(self, tap: Tap) -> None:
        """Lay the piece of *tap*, alone, and let go of it."""
        for piece in tuple(self.left):
            self.take_up(piece)
        self._free(tap.piece)
        self.left[tap.piece] = tap.spot
        self.do(_moved("lay", tap))

    def tap_together(self, *taps: Tap) -> None:
        """Lay the pieces of *taps* on the spot of the first at the same moment, and lift them."""
        for tap in taps:
            self._free(tap.piece)
        self.do(_moved("tap", *taps))

    def take_up(self, piece: Piece) -> None:
        """Lift what was left lying, if it still lies there."""
        if piece in self.left:
            self.do(f"lift {piece} @ {self.left.pop(piece)}")

    def _free(self, piece: Piece) -> None:
        """Have *piece* in the hand, and out of the field for long enough."""
        self.take_up(piece)
        if piece in self._recent:
            self.do(AWAY)
        self._recent.append(piece)

    @property
    def verdict(self) -> Verdict:
        """What came of the last act; what is wrong with one that counts is said as a refusal."""
        if self.refusals:
            return Verdict(self.refusals[-1])
        said = islice(self.mat.said, self._said_from, None)
        is_foul = any(utterance.topic is Topic.REFUSAL for utterance in said)
        return Verdict(is_foul=is_foul)

    def take_back(self) -> Verdict:
        """Press the button."""
        self.do("press back")
        return self.verdict


def _moved(how: str, *taps: Tap) -> str:
    """The line that moves the pieces of *taps* together."""
    return f"{how} {', '.join(str(tap.piece) for tap in taps)} @ {taps[0].spot}"
