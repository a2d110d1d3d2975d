"""A player of rehearsals on an emulated mat, which checks their expectations.

It acts as people do: it lays tags into fields, presses, turns and waits. All input goes in below
the drivers.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firmware.boxes.games import games
from firmware.runtime.controller import decks_of
from firmware.show.view import TableView
from firmware.table.events import PhoneCommand
from firmware.voice.announcer import Utterance
from firmware.voice.settings import Level
from firmware.voice.words import languages
from sim.mat.mat import CannotDo, Mat
from sim.people.person import EmulatedPerson
from sim.rehearsal.expectations import EXPECTATIONS, Unexpected, Witness
from sim.rehearsal.grammar import (
    OFF,
    BreakPart,
    Choose,
    Expect,
    Move,
    NewStickers,
    Power,
    Prepare,
    PressButton,
    RehearsalError,
    RehearsalLine,
    Start,
    Tilt,
    Turn,
    UsePhone,
    Verb,
    Wait,
    nearest,
)


@dataclass(frozen=True, slots=True)
class Mismatch:
    """An expectation that the mat did not meet. *place* is its file and line."""

    place: str
    line: str
    expected: str
    shown: str

    def __str__(self) -> str:
        return f"{self.place}: {self.line}\n  expected: {self.expected}\n  shown:    {self.shown}"


@dataclass
class Preparations:
    """The settings that a rehearsal makes before ``start``."""

    game: str | None = None
    players: tuple[str, ...] = ()
    mats: tuple[str, ...] = ()
    dealer: str | None = None
    options: dict[str, str] = field(default_factory=dict)


class Runner:
    """A player of rehearsal lines at *mat*."""

    def __init__(self, mat: Mat) -> None:
        self.mat = mat
        self.person = EmulatedPerson(mat, decks_of(mat.config))
        self.preparations = Preparations()
        self._witness = Witness(mat, 0, 0)

    def play(self, lines: Iterable[RehearsalLine]) -> Mismatch | None:
        """Play *lines* up to the first expectation that is not met; return it, or None.

        Raises:
            RehearsalError: a line asks for something that is impossible at this table.
        """
        for line in lines:
            try:
                self.do(line)
            except Unexpected as wrong:
                return Mismatch(line.place, line.text, wrong.expected, wrong.shown)
        return None

    def do(self, line: RehearsalLine) -> None:
        """Play one line.

        Raises:
            RehearsalError: it asks for something that is impossible at this table.
            Unexpected: the line is an expectation that is not met.
        """
        try:
            self._do(line)
        except CannotDo as error:
            raise RehearsalError(line.place, error.found, error.remedy) from None

    def _do(self, line: RehearsalLine) -> None:
        verb = line.verb
        if isinstance(verb, Prepare):
            self._prepare(verb)
            return
        if isinstance(verb, NewStickers):
            if verb.tags:
                self.person.renew(verb.tags, self.preparations.game)
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
        self._perform(verb)

    def _perform(self, verb: Verb) -> None:
        """Perform the act in *verb*, or break a part. The mat must be on."""
        match verb:
            case Start():
                self.person.start(
                    self.preparations.game,
                    self.preparations.players,
                    self.preparations.dealer,
                    self.preparations.options,
                    mats=self.preparations.mats,
                )
            case Move(how, tags, spot):
                self.person.move(how, tags, spot, self.preparations.game)
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
            case BreakPart(name, part):
                self.mat.fault(name, part)
            case UsePhone(player, act):
                self._use_phone(player, act)

    def _use_phone(self, player: str, act: str) -> None:
        if act == OFF:
            self.mat.switch_phone_off(player)
        else:
            self.mat.use_phone(player, PhoneCommand(act))

    def _power_up(self) -> None:
        """Switch the mat on, unless the rehearsal has cut the power and must say ``power on``."""
        if not self.mat.is_on and not self.mat.was_cut:
            self.mat.power_on()

    def _prepare(self, verb: Prepare) -> None:
        match verb.what:
            case "game":
                self.preparations.game = _one_of(verb.values[0], "game", tuple(games()))
            case "players":
                self.preparations.players = verb.values
            case "mats":
                self.preparations.mats = verb.values
            case "dealer":
                self.preparations.dealer = verb.values[0]
            case "deck":
                self._check_deck(verb.values[0])
            case "names":
                self.mat.add_names(verb.values)
            case "option":
                self.preparations.options[verb.values[0]] = verb.values[1]
            case "level":
                self.mat.set_level(Level(verb.values[0]))
            case _:
                self.mat.set_language(_one_of(verb.values[0], "language", languages()))

    def _check_deck(self, name: str) -> None:
        """Check that the table has the deck *name*, which ``sim.rehearsal.command`` sets up."""
        if Path(name).name not in {path.name for path in self.mat.config.decks.values()}:
            remedy = "Write the deck into a rehearsal that is a file, or into table.toml: [decks]"
            raise CannotDo("a running table cannot change its decks", remedy)


@dataclass(frozen=True, slots=True)
class RehearsalReport:
    """The result of one rehearsal.

    *expectations* is the number of its ``expect`` lines. *view* is the last view, or None if the
    mat is off.
    """

    file: str
    expectations: int
    failure: Mismatch | None
    view: TableView | None
    mat: Mat

    @property
    def is_ok(self) -> bool:
        """True if every expectation was met."""
        return self.failure is None

    def __str__(self) -> str:
        if self.failure is not None:
            return f"{self.file}: FAILED\n{self.failure}"
        return f"{self.file}: ok{'' if self.expectations else ' (expects nothing)'}"


def spots_of(lines: Sequence[RehearsalLine]) -> tuple[str, ...]:
    """Return ``play`` and every spot that a rehearsal names, without repeats."""
    named = [line.verb.spot for line in lines if isinstance(line.verb, Move)]
    return tuple(dict.fromkeys(("play", *named)))


def as_json(report: RehearsalReport) -> dict[str, Any]:
    """Return *report* as JSON values, with the final view, the transcript and all refusals."""
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
        "began_s": _round_ms(utterance.began_s),
        "ended_s": _round_ms(utterance.ended_s),
    }


def _round_ms(at_s: float | None) -> float | None:
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
    """Return *word* if it is one of *known*.

    Raises:
        CannotDo: it is not. *what* names the kind of thing in the message.
    """
    if word not in known:
        raise CannotDo(f'there is no {what} "{word}" here', nearest(word, known))
    return word
