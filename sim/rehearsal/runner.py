"""Plays rehearsals on an emulated mat, and compares what the mat answers.

Room: sim/rehearsal. It does what people do: it lays tags into fields, presses, turns and waits,
and reads what the mat shows. Nothing is put in above the chips.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from gettext import gettext as _
from pathlib import Path
from typing import Any

from firmware.announcer import Utterance
from firmware.controller import decks_of
from firmware.games import games
from firmware.settings import Level
from firmware.view import TableView
from firmware.words import languages
from sim.mat import CannotDo, Mat
from sim.person import Person
from sim.rehearsal.expectations import EXPECTATIONS, Unexpected, Witness
from sim.rehearsal.grammar import (
    Choose,
    Expect,
    Fault,
    Line,
    Move,
    NewStickers,
    Power,
    Prepare,
    PressButton,
    RehearsalError,
    Start,
    Tilt,
    Turn,
    Wait,
    nearest,
)


@dataclass(frozen=True, slots=True)
class Failure:
    """Where a rehearsal and the mat part: *place* is file and line."""

    place: str
    line: str
    expected: str
    shown: str

    def __str__(self) -> str:
        told = _("{place}: {line}\n  expected: {expected}\n  shown:    {shown}")
        return told.format(
            place=self.place, line=self.line, expected=self.expected, shown=self.shown
        )


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
        self._witness = Witness(mat, 0, 0)

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
        if isinstance(verb, NewStickers):
            if verb.tags:
                self.person.renew(verb.tags, self.plan.game)
            else:
                self.mat.forget_stickers()
            return
        if isinstance(verb, Expect):
            self._power_up()
            EXPECTATIONS[verb.what].check(self._witness, verb.values)
            return
        self._witness = Witness.of(self.mat)
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
                self.person.move(how, tags, spot, self.plan.game)
            case Choose(value):
                self.person.choose(value)
            case PressButton(button):
                self.person.press(button)
            case Turn(steps):
                self.mat.turn(steps)
            case Tilt():
                self.mat.tilt()
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
            case "deck":
                self._check_deck(verb.values[0])
            case "names":
                self.mat.add_names(verb.values)
            case "option":
                self.plan.options[verb.values[0]] = verb.values[1]
            case "level":
                self.mat.set_level(Level(verb.values[0]))
            case _:
                self.mat.set_language(_one_of(verb.values[0], "language", languages()))

    def _check_deck(self, name: str) -> None:
        """A deck is the table's from the start; ``sim.rehearsal.command`` gave it to it."""
        if Path(name).name not in {path.name for path in self.mat.config.decks.values()}:
            remedy = _(
                "Write the deck into a rehearsal that is a file, or into table.toml: [decks]"
            )
            raise CannotDo(_("the table has its decks already"), remedy)


@dataclass(frozen=True, slots=True)
class Report:
    """How one rehearsal of so many *expectations* went, for people and for programs."""

    file: str
    expectations: int
    failure: Failure | None
    view: TableView | None
    mat: Mat

    @property
    def is_ok(self) -> bool:
        """Whether the mat answered everything as stated."""
        return self.failure is None

    def __str__(self) -> str:
        if self.failure is not None:
            told = _("{file}: FAILED\n{failure}")
            return told.format(file=self.file, failure=self.failure)
        told = _("{file}: ok") if self.expectations else _("{file}: ok (states nothing)")
        return told.format(file=self.file)


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
        "expectations": report.expectations,
        "failure": None
        if failure is None
        else {
            "place": failure.place,
            "line": failure.line,
            "expected": failure.expected,
            "shown": failure.shown,
        },
        "view": _view_json(report.view) if report.view is not None else None,
        "transcript": [_utterance_json(utterance) for utterance in mat.said],
        "refusals": [
            {"code": n.code, "happened": n.happened, "do": n.do, "rule": n.rule}
            for n in mat.refused
        ],
    }


def _utterance_json(utterance: Utterance) -> dict[str, Any]:
    return {
        "event": utterance.event,
        "at_s": round(utterance.at_s, 3),
        "language": utterance.language,
        "topic": utterance.topic.value,
        "text": utterance.text,
        "fate": utterance.fate.value,
        "why": utterance.why,
        "began_s": _rounded(utterance.began_s),
        "ended_s": _rounded(utterance.ended_s),
    }


def _rounded(at_s: float | None) -> float | None:
    return None if at_s is None else round(at_s, 3)


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
