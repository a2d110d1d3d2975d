"""The referees whose answers robots check: the rules of a game alone, or a whole emulated mat.

Both accept inputs, answer them, and record a rehearsal of everything that was done.
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
    Step,
    Tap,
    Topic,
)
from engines.common.errors import RulesError
from engines.common.pieces import Piece
from firmware.journal.journal import GameStart
from firmware.voice.words import words_of
from sim.mat.mat import Mat
from sim.rehearsal.export import AWAY, RECENT, setup_lines, verb_of
from sim.rehearsal.grammar import parse
from sim.rehearsal.runner import Runner
from sim.robots.contract import TAKEN, Ruling

# The beginnings of rehearsal lines that give no input.
IDLE = ("wait", "lift", "fault none", "expect")


class KnownView(Protocol):
    """The fields of a view that are compared with the robots' own record of the game."""

    @property
    def phase(self) -> str:
        """The phase of the game."""
        ...

    @property
    def scores(self) -> tuple[int, ...]:
        """The score of each seat."""
        ...

    @property
    def turn(self) -> Seat | None:
        """The seat of the current player, or None."""
        ...

    @property
    def winners(self) -> tuple[Seat, ...]:
        """The seats that have won, once the game is over."""
        ...

    @property
    def direction(self) -> Direction | None:
        """The direction of play, or None."""
        ...

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of pieces at each place."""
        ...

    @property
    def headline(self) -> str | Message:
        """The largest text of the display."""
        ...


class Referee(Protocol):
    """An object that runs the game and answers the robots' inputs."""

    @property
    def seen(self) -> KnownView:
        """The view of the game as it is now."""
        ...

    @property
    def script(self) -> Sequence[str]:
        """The lines of a rehearsal that repeats all inputs so far."""
        ...

    def in_words(self, text: str | Message) -> str | Message:
        """Return *text* as this referee's headline shows it."""
        ...

    def as_seen(self, given: Input) -> Input:
        """Return *given* as this referee receives it.

        A mat may not know which seat tapped a piece.
        """
        ...

    def give(self, given: Input) -> Ruling:
        """Enter an input and return the answer."""
        ...

    def undo(self) -> Ruling:
        """Undo the last input and return the answer."""
        ...


class Rules:
    """A ``Referee`` that runs a game's rules without a mat. Each tap can name its seat."""

    def __init__(self, game: Game[Any], start: GameStart) -> None:
        self._game, self._start = game, start
        setup = Setup(len(start.names), Seat(start.dealer), start.deck, start.options)
        self._states = [game.start(setup)]
        self._done: list[Input | None] = []  # None is an undo
        self.events: tuple[Message, ...] = ()  # the events of the last accepted input

    @property
    def seen(self) -> KnownView:
        """The view of the current state."""
        return self._game.view(self._states[-1])

    @property
    def script(self) -> Sequence[str]:
        """The lines of a rehearsal that plays the same game at a mat."""
        names = self._start.names
        done = ("press back" if it is None else verb_of(it, names) for it in self._done)
        return [*setup_lines(self._start), *done]

    def in_words(self, text: str | Message) -> str | Message:
        """Return *text* unchanged. The headlines of the rules are messages without a language."""
        return text

    def as_seen(self, given: Input) -> Input:
        """Return *given* unchanged."""
        return given

    @property
    def state(self) -> Any:
        """The state of the game."""
        return self._states[-1]

    def ruling(self, given: Input) -> Ruling:
        """Return the answer that *given* would get, without changing the game."""
        return self._step(given)[0]

    def give(self, given: Input) -> Ruling:
        """Apply *given* to the state, unless the rules refuse it; return the answer."""
        self._done.append(given)
        ruling, step = self._step(given)
        if step is not None:
            self._states.append(step.state)
            self.events = step.events
        return ruling

    def _step(self, given: Input) -> tuple[Ruling, Step[Any] | None]:
        try:
            step = self._game.step(self.state, given)
        except RulesError as error:
            return Ruling(error.code), None
        return Ruling(is_foul=True) if step.is_foul else TAKEN, step

    def undo(self) -> Ruling:
        """Go back to the state before the last input; return the answer."""
        self._done.append(None)
        if len(self._states) == 1:
            return Ruling("nothing-to-undo")
        self._states.pop()
        return TAKEN


class AtMat:
    """A ``Referee`` that is a mat on emulated chips. Its only input is from chips and controls.

    Every action is run as a line of a rehearsal, so the lines can repeat the whole game.
    """

    def __init__(self, mat: Mat, game: Game[Any], start: GameStart) -> None:
        self.mat = mat
        self._names = start.names
        self._words = words_of(mat.config.settings.language, game.package)
        self._runner = Runner(mat)
        self._script: list[str] = []
        self._refused_from = self._said_from = 0
        self.left: dict[Piece, str] = {}  # the pieces left on readers, and their spots
        self.leaves_next = False  # True if the next tapped piece is to stay on its reader
        self._recent: deque[Piece] = deque(maxlen=RECENT)  # the last tapped pieces
        self.do(*setup_lines(start))

    @property
    def seen(self) -> KnownView:
        """The view of the table."""
        return self.mat.view

    @property
    def script(self) -> Sequence[str]:
        """All rehearsal lines that were run, in order."""
        return self._script

    def do(self, *lines: str) -> None:
        """Run *lines* of a rehearsal at the mat, and add them to the script."""
        for line in lines:
            self._script.append(line)
            if not line.startswith(IDLE):
                self._refused_from, self._said_from = len(self.mat.refused), len(self.mat.said)
            for read in parse(line, "robots"):
                self._runner.do(read)

    @property
    def refusals(self) -> list[str]:
        """The codes of the refusals since the last input began."""
        return [notice.code for notice in list(self.mat.refused)[self._refused_from :]]

    def in_words(self, text: str | Message) -> str | Message:
        """Return *text* in the table's language."""
        return text if isinstance(text, str) else self._words.say(text, self._names)

    def as_seen(self, given: Input) -> Input:
        """Return *given*, but with a tap by a known seat moved to the reader where it is made.

        That is the seat's own reader if the mat has one. Otherwise it is the shared reader, and
        the mat does not know the seat.
        """
        if not isinstance(given, Tap) or given.seat is None:
            return given
        spot = SEAT_SPOTS[given.seat]
        if spot in self.mat.board.readers:
            return Tap(given.piece, spot, given.seat)
        return Tap(given.piece)

    def give(self, given: Input) -> Ruling:
        """Do *given*, lift the pieces that earlier acts left on readers, and return the answer."""
        left = dict(self.left)
        leaves, self.leaves_next = self.leaves_next, False
        if isinstance(given, Tap):
            self._free(given.piece)
            if leaves:
                self.left[given.piece] = given.spot
            self.do(_move_line("lay" if leaves else "tap", given))
        else:
            self.do(verb_of(given, self._names))
        ruling = self.ruling
        for piece in left:
            self.take_up(piece)
        return ruling

    def lay(self, tap: Tap) -> None:
        """Lift all pieces from the readers, then lay the piece of *tap* and leave it there."""
        for piece in tuple(self.left):
            self.take_up(piece)
        self._free(tap.piece)
        self.left[tap.piece] = tap.spot
        self.do(_move_line("lay", tap))

    def tap_together(self, *taps: Tap) -> None:
        """Tap the pieces of *taps* at the same moment, all on the spot of the first."""
        for tap in taps:
            self._free(tap.piece)
        self.do(_move_line("tap", *taps))

    def take_up(self, piece: Piece) -> None:
        """Lift *piece* if it was left on a reader."""
        if piece in self.left:
            self.do(f"lift {piece} @ {self.left.pop(piece)}")

    def _free(self, piece: Piece) -> None:
        """Lift *piece* from its reader, if any, and wait until it would count as a new tap."""
        self.take_up(piece)
        if piece in self._recent:
            self.do(AWAY)
        self._recent.append(piece)

    @property
    def ruling(self) -> Ruling:
        """The answer to the last input.

        It is a foul if the table accepted the input, but announced it as a refusal.
        """
        if self.refusals:
            return Ruling(self.refusals[-1])
        said = islice(self.mat.said, self._said_from, None)
        is_foul = any(utterance.topic is Topic.REFUSAL for utterance in said)
        return Ruling(is_foul=is_foul)

    def undo(self) -> Ruling:
        """Press the back button and return the answer."""
        self.do("press back")
        return self.ruling


def _move_line(how: str, *taps: Tap) -> str:
    """Return the rehearsal line that lays or taps the pieces of *taps* at the same moment."""
    return f"{how} {', '.join(str(tap.piece) for tap in taps)} @ {taps[0].spot}"
