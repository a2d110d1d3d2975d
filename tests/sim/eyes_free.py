"""Write the rehearsals in ``tests/rehearsals/eyes-free``: whole games played without the display.

``.venv/bin/python -m tests.sim.eyes_free`` plays each game from power-on to its winner with taps
and controls alone, and writes down the acts and the announcements. ``... straw`` writes the
rehearsal of Straw only. Look at the changes before you commit them.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from engines.common.contract import Button, Game, Input, Press, PressAsk, Seat, Setup, Tap, Topic
from engines.common.errors import RulesError
from firmware.boxes.games import games
from firmware.config.table_config import load_config
from firmware.runtime.controller import decks_of
from firmware.table.modes.playing import Playing
from firmware.voice.settings import Settings
from firmware.voice.speech import SpeechLine
from firmware.voice.words import ENGLISH, languages
from sim.mat.mat import Mat
from sim.rehearsal.grammar import RehearsalLine as Written
from sim.rehearsal.grammar import parse_line
from sim.rehearsal.runner import Runner
from tests.engines.contract import Case, offers

FOLDER = Path(__file__).parents[1] / "rehearsals" / "eyes-free"
CONFIG = load_config()
LANGUAGES = {"cramel": "de", "ciao": "fr", "riff-raff": "hu"}  # all other games: English
GREEDY = ("cramel",)  # games in which random play rarely ends
SEEDS = range(20)  # the shortest of these games becomes the rehearsal
MOST = 400  # the most inputs a game may have
PASSING = (Topic.HELP, Topic.NEWS, Topic.DIRECTION, Topic.CARD)  # used if alone


class Silence(Exception):
    """An act was followed by no announcement."""


class Ear:
    """A player with closed eyes at *mat* who writes down each act and what is said after it."""

    def __init__(self, mat: Mat, comment: str, game: str | None, language: str) -> None:
        self.mat = mat
        self.lines = [f"# {comment}"]
        self.heard: list[SpeechLine] = []
        self._runner = Runner(mat)
        self._game = game
        if language != ENGLISH:
            self._do(f"language {language}")
        if game is not None:
            self._do(f"game {game}")

    def _do(self, text: str) -> None:
        verb = parse_line(text, "")
        assert verb is not None, "no line is empty"
        self._runner.do(Written("", text, verb))
        self.lines.append(text)

    def note(self, comment: str) -> None:
        """Write a comment line."""
        self.lines.append(f"# {comment}")

    def act(self, text: str) -> None:
        """Do *text*, a line of a rehearsal, and write it down with the announcements that follow.

        Raises:
            Silence: nothing was announced.
        """
        self.heard = []
        if self.mat.controller is not None:
            self._listen()
            self._do(text)
        else:
            self.lines.append("wait 1")
            self.mat.power_on()
            self.heard = list(self.mat.running.table.wake())
        spoken = [line for line in self.heard if line.text]
        if not spoken:
            raise Silence(f"after {self.lines[-3:]}")
        matter = [line for line in spoken if line.topic not in PASSING] or spoken
        language = self.mat.running.table.settings.language
        for line in dict.fromkeys((matter[0].text, matter[-1].text)):
            self.lines.append(f'expect said {language} "{line[0].upper()}{line[1:].rstrip(".")}"')

    def _listen(self) -> None:
        announcer = self.mat.running.loop.announcer
        announce = type(announcer).announce

        def listening(lines: Sequence[SpeechLine], settings: Settings, at_s: float) -> None:
            self.heard += lines
            announce(announcer, lines, settings, at_s)

        announcer.announce = listening  # type: ignore[method-assign]

    def turn_to(self, value: str) -> None:
        """Turn to *value* in the open list."""
        choices = self.mat.view.choices
        assert choices is not None, f"no list is open for {value}: {self.lines[-5:]}"
        steps = choices.values.index(value) - choices.cursor
        if steps:
            self.act(f"turn {steps}")

    def choose(self, value: str) -> None:
        """Turn to *value* in the open list and press OK."""
        self.turn_to(value)
        self.act("press ok")


def prepare(ear: Ear, game: str) -> None:
    """Choose *game* from the list, set two players, spell a name for one, and start."""
    ear.act("")
    ear.act("press ok")
    ear.choose(game)
    if ear.mat.view.phase != "preparing":
        raise AssertionError(ear.mat.view)
    ear.choose("players")
    ear.choose("2")
    ear.choose("name-1")
    ear.choose("spell")
    for letter in "LEA":
        ear.choose(letter)
    ear.choose("done")
    ear.choose("start")


def play(ear: Ear, given: Input) -> None:
    """Do *given* at the mat: tap a card, press a button or choose with the encoder."""
    match given:
        case Tap(piece, spot):
            ear.act(f"tap {piece}" if spot == "play" else f"tap {piece} @ {spot}")
        case Press(button):
            ear.act(f"press {button.value}")
        case _:
            picker = mode_of(ear).picker
            assert picker is not None, f"the controls give {given}"
            steps = picker.items.index(given) - picker.cursor
            if steps:
                ear.act(f"turn {steps}")
            ear.act("press ok")


def mode_of(ear: Ear) -> Playing:
    """Return the table's mode, which must be a running game."""
    mode = ear.mat.running.table._mode
    assert isinstance(mode, Playing), mode
    return mode


def game_of(game: Game[Any], setup: Setup, seed: int) -> list[Input]:
    """Return the inputs of one random game; more than ``MOST`` inputs if the game does not end."""
    chance, case, state = Random(seed), Case(game), game.start(setup)
    inputs: list[Input] = []
    while (asks := game.asks(state)) and len(inputs) <= MOST:
        takes = [chosen for offer in offers(case, asks) if (chosen := taken(game, state, offer))]
        points = sum(game.view(state).scores)
        given = chance.choice(takes)
        if game.name in GREEDY:
            after = {take: game.view(game.step(state, take).state) for take in takes}
            given = next((t for t in takes if sum(after[t].scores) > points), given)
        state = game.step(state, given).state
        inputs.append(given)
    return inputs


def taken(game: Game[Any], state: Any, offer: Sequence[Input]) -> Input | None:
    """Return the first of *offer* that the rules accept in *state*, or None."""
    for given in offer:
        try:
            game.step(state, given)
        except RulesError:
            continue
        return given
    return None


def refused(game: Game[Any], state: Any) -> Iterator[Tap]:
    """Yield the taps that the rules refuse in *state*."""
    for ask in game.asks(state):
        for piece in decks_of(CONFIG)[game.name].pieces():
            tap = Tap(piece, getattr(ask, "spots", ("play",))[0])
            if taken(game, state, [tap]) is None:
                yield tap


def rehearse_game(name: str, language: str) -> str:
    """Return the text of a rehearsal of a whole game of *name*, announced in *language*.

    It contains an undo, a refusal and the scores.
    """
    game = games()[name]
    with TemporaryDirectory() as folder:
        mat = Mat(CONFIG, Path(folder))
        ear = Ear(
            mat,
            f"a whole game of {name} with closed eyes: taps, controls, and what is said",
            name,
            language,
        )
        prepare(ear, name)
        start = mode_of(ear).start
        setup = Setup(len(start.names), Seat(start.dealer), start.deck, start.options)
        inputs = min((game_of(game, setup, seed) for seed in SEEDS), key=len)
        assert len(inputs) <= MOST, f"no game of {name} ends"
        to_do = {"undo", "refusal", "scores"}
        for number, given in enumerate(inputs):
            mode = mode_of(ear)
            if "refusal" in to_do and number > 2:
                wrong = next(refused(game, mode.state), None)
                if wrong is not None:
                    ear.note("what is refused says what to do")
                    play(ear, wrong)
                    to_do.discard("refusal")
            if "scores" in to_do and number > 5 and opens_menu(mode):
                ear.note("the scores")
                ear.act("press ok")
                ear.choose("scores")
                to_do.discard("scores")
            play(ear, given)
            if "undo" in to_do and number > 3:
                ear.note("taken back, and done again")
                ear.act("press back")
                play(ear, given)
                to_do.discard("undo")
        assert not to_do, f"{name} had no room for {to_do}"
        assert mat.view.winners, "the game is over"
        ear.note("how it ended once more; then OK ends it")
        ear.act("tap say-everything")
        ear.act("press ok")
        mat.close()
    return "\n".join(ear.lines) + "\n"


def opens_menu(mode: Playing) -> bool:
    """Return True if OK opens the menu now."""
    asks = mode.game.asks(mode.state)
    has_ok = any(isinstance(ask, PressAsk) and ask.button is Button.OK for ask in asks)
    return mode.picker is None and not has_ok


def main() -> None:
    """Write the rehearsals of the games named on the command line, or of all games."""
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or games():
        language = LANGUAGES.get(name, ENGLISH)
        text = rehearse_game(name, language if language in languages() else ENGLISH)
        (FOLDER / f"{name}.mat").write_text(text, encoding="utf-8")
        print(f"{name}: {len(text.splitlines())} lines")


if __name__ == "__main__":
    main()
