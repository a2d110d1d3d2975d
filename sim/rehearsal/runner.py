"""Plays rehearsals on an emulated mat, and compares what the mat answers.

Room: sim/rehearsal. It does what people do: it lays tags into fields, presses, turns and waits,
and reads what the mat shows. Nothing is put in above the chips.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from engines.common.pieces import Piece
from firmware.controller import decks_of
from firmware.games import games
from firmware.view import TableView
from firmware.words import languages
from sim.mat import CannotDo, Mat
from sim.person import Person
from sim.rehearsal.grammar import (
    Choose,
    Expect,
    Fault,
    Line,
    Move,
    Power,
    Prepare,
    PressButton,
    RehearsalError,
    Start,
    Turn,
    Wait,
    nearest,
)

TAP_S = 0.25  # how long a tapped card lies, and how long the hand is away before the next
SETTLE_S = 0.05


class Unexpected(Exception):
    """The mat showed something else: *expected* and *shown*, both in words."""

    def __init__(self, expected: str, shown: str) -> None:
        super().__init__(f"expected {expected}, the mat showed {shown}")
        self.expected, self.shown = expected, shown


@dataclass(frozen=True, slots=True)
class Failure:
    """Where a rehearsal and the mat part: *place* is file and line."""

    place: str
    line: str
    expected: str
    shown: str

    def __str__(self) -> str:
        return f"{self.place}: {self.line}\n  expected: {self.expected}\n  shown:    {self.shown}"


@dataclass
class Plan:
    """What is set before the start."""

    game: str | None = None
    players: tuple[str, ...] = ()
    dealer: str | None = None
    options: dict[str, str] = field(default_factory=dict)


class Runner:
    """Plays one rehearsal, line by line; ``sim.terminal`` plays lines as they are typed."""

    def __init__(self, mat: Mat) -> None:
        self.mat = mat
        self.person = Person(mat, decks_of(mat.config))
        self.plan = Plan()
        self._said_from = 0
        self._refused_from = 0

    def play(self, lines: Iterable[Line]) -> Failure | None:
        """Play *lines* until the first that the mat does not answer as stated.

        Raises:
            RehearsalError: a line asks for what cannot be done at this table.
        """
        for line in lines:
            try:
                self.do(line)
            except Unexpected as wrong:
                return Failure(line.place, line.text, wrong.expected, wrong.shown)
        return None

    def do(self, line: Line) -> None:
        """Play one line.

        Raises:
            RehearsalError: it asks for what cannot be done at this table.
            Unexpected: the mat does not show what it states.
        """
        try:
            self._do(line)
        except CannotDo as error:
            raise RehearsalError(line.place, error.found, error.remedy) from None

    def _do(self, line: Line) -> None:
        verb = line.verb
        if isinstance(verb, Prepare):
            self._prepare(verb)
            return
        if isinstance(verb, Expect):
            self._power_up()
            self._expect(verb)
            return
        self._said_from = len(self.mat.said)
        self._refused_from = len(self.mat.refused)
        if isinstance(verb, Power):
            (self.mat.power_on if verb.is_on else self.mat.power_cut)()
            return
        self._power_up()
        match verb:
            case Start():
                self.person.start(
                    self.plan.game, self.plan.players, self.plan.dealer, self.plan.options
                )
            case Move(how, tags, spot):
                self._move(how, tags, spot)
            case Choose(value):
                self.person.choose(value)
            case PressButton(button):
                self.mat.press(button)
            case Turn(steps):
                self.mat.turn(steps)
            case Wait(seconds):
                self.mat.wait(seconds)
            case Fault(name, part):
                self.mat.fault(name, part)

    def _power_up(self) -> None:
        """Whoever comes to the mat switches it on; after a cut, ``power on`` has to be written."""
        if not self.mat.is_on and not self.mat.was_cut:
            self.mat.power_on()

    def _prepare(self, verb: Prepare) -> None:
        match verb.what:
            case "game":
                self.plan.game = _one_of(verb.values[0], "game", tuple(games()))
            case "players":
                self.plan.players = verb.values
            case "dealer":
                self.plan.dealer = verb.values[0]
            case "option":
                self.plan.options[verb.values[0]] = verb.values[1]
            case _:
                self.mat.set_language(_one_of(verb.values[0], "language", languages()))

    def _move(self, how: str, tags: Sequence[Piece | str], spot: str) -> None:
        piccs = [self.person.picc(tag, how, spot, self.plan.game) for tag in tags]
        if how in ("tap", "lay"):
            self.mat.lay(piccs, spot)
            self.mat.wait(TAP_S)
        if how in ("tap", "lift"):
            self.mat.lift(piccs, spot)
            self.mat.wait(TAP_S)

    # --- expectations ---

    def _expect(self, verb: Expect) -> None:
        expected = " ".join(verb.values)
        check = getattr(self, f"_expect_{verb.what}")
        check(expected, verb.values)

    def _expect_headline(self, expected: str, _: Sequence[str]) -> None:
        _same(expected, self.view.headline)

    def _expect_turn(self, expected: str, _: Sequence[str]) -> None:
        turn = self.view.turn
        _same(expected, self.view.names[turn] if turn is not None else "nobody")

    def _expect_direction(self, expected: str, _: Sequence[str]) -> None:
        direction = self.view.direction
        _same(expected, direction.value if direction is not None else "none")

    def _expect_phase(self, expected: str, _: Sequence[str]) -> None:
        _same(expected, self.view.phase)

    def _expect_asks(self, expected: str, _: Sequence[str]) -> None:
        asks = self.view.asks
        if _plain(expected) not in map(_plain, asks):
            raise Unexpected(expected, "; ".join(asks) or "nothing asked")

    def _expect_refused(self, expected: str, _: Sequence[str]) -> None:
        codes = [notice.code for notice in list(self.mat.refused)[self._refused_from :]]
        if expected not in codes and not (expected == "nothing" and not codes):
            raise Unexpected(expected, ", ".join(codes) or "nothing refused")

    def _expect_said(self, _: str, values: Sequence[str]) -> None:
        language, text = values
        heard = [u.text for u in list(self.mat.said)[self._said_from :] if u.language == language]
        if not any(_has_words(text, said) for said in heard):
            raise Unexpected(f'"{text}" in {language}', " / ".join(heard) or "silence")

    def _expect_screen(self, expected: str, _: Sequence[str]) -> None:
        if not self.mat.shows(expected):
            raise Unexpected(f'"{expected}" on the display', self.mat.screen_in_words())

    def _expect_light(self, _: str, values: Sequence[str]) -> None:
        lamp, state = values
        level = self.mat.lamp(lamp)
        _same(f"{lamp} {state}", f"{lamp} {'on' if level > 0 else 'off'}")

    def _expect_score(self, _: str, values: Sequence[str]) -> None:
        name, score = values
        view = self.view
        if name not in view.names:
            raise Unexpected(f"a player {name}", ", ".join(view.names) or "no players")
        _same(score, str(view.scores[view.names.index(name)]))

    def _expect_winner(self, expected: str, _: Sequence[str]) -> None:
        names = [self.view.names[seat] for seat in self.view.winners]
        _same(_plain(expected), _plain(" ".join(names)) or "nobody")

    def _expect_pieces(self, _: str, values: Sequence[str]) -> None:
        place, number = values
        counts = self.view.counts
        if place not in counts:
            raise Unexpected(f"a place {place}", ", ".join(counts) or "no places")
        _same(number, str(counts[place]))

    @property
    def view(self) -> TableView:
        """What the mat shows."""
        return self.mat.view


@dataclass(frozen=True, slots=True)
class Report:
    """How one rehearsal went, for people and for programs."""

    file: str
    failure: Failure | None
    view: TableView | None
    mat: Mat

    @property
    def is_ok(self) -> bool:
        """Whether the mat answered everything as stated."""
        return self.failure is None


def spots_of(lines: Sequence[Line]) -> tuple[str, ...]:
    """Every spot a rehearsal names, ``play`` first."""
    named = [line.verb.spot for line in lines if isinstance(line.verb, Move)]
    return tuple(dict.fromkeys(("play", *named)))


def as_json(report: Report) -> dict[str, Any]:
    """The final view, the transcript and every refusal."""
    failure, mat = report.failure, report.mat
    return {
        "file": report.file,
        "ok": report.is_ok,
        "failure": None
        if failure is None
        else {
            "place": failure.place,
            "line": failure.line,
            "expected": failure.expected,
            "shown": failure.shown,
        },
        "view": _view_json(report.view) if report.view is not None else None,
        "transcript": [
            {"at_s": round(u.at_s, 3), "language": u.language, "text": u.text} for u in mat.said
        ],
        "refusals": [
            {"code": n.code, "happened": n.happened, "do": n.do, "rule": n.rule}
            for n in mat.refused
        ],
    }


def _view_json(view: TableView) -> dict[str, Any]:
    return {
        "phase": view.phase,
        "headline": view.headline,
        "turn": None if view.turn is None else view.names[view.turn],
        "direction": None if view.direction is None else view.direction.value,
        "scores": dict(zip(view.names, view.scores, strict=False)),
        "winners": [view.names[seat] for seat in view.winners],
        "asks": list(view.asks),
        "pieces": dict(view.counts),
        "hint": view.hint,
    }


def _one_of(word: str, what: str, known: Sequence[str]) -> str:
    """*word*, which is one of *known*.

    Raises:
        CannotDo: it is not.
    """
    if word not in known:
        raise CannotDo(f'there is no {what} "{word}" here', nearest(word, known))
    return word


def _same(expected: str, shown: str) -> None:
    if expected != shown:
        raise Unexpected(expected, shown)


def _plain(words: str) -> str:
    """*words* without commas, for lists that may be written with or without them."""
    return " ".join(words.replace(",", " ").split())


def _has_words(text: str, said: str) -> bool:
    """Whether *text* stands in *said* as whole words: "10" is neither in "100" nor in "-10"."""
    return re.search(rf"(?<![\w-]){re.escape(text)}(?!\w)", said) is not None
