"""People who start a game to learn it lay the first card within a minute.

They play at the emulated mat, and listen until the mat is silent before they deal. Every line takes
as long as espeak-ng takes to say it.
"""

import shutil
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from engines.common.contract import TapAsk, Topic
from engines.common.lessons import lessons_of
from engines.common.pieces import Piece
from firmware.boxes.games import games
from firmware.config.table_config import load_config
from firmware.runtime.controller import decks_of
from firmware.table.modes.playing import Playing
from firmware.voice.announcer import Fate
from firmware.voice.settings import Level
from firmware.voice.words import ENGLISH, languages
from hardware.ports import Clock
from sim.mat.mat import Mat
from sim.mat.voice import BreakableVoice, EmulatedVoice
from sim.people.person import EmulatedPerson
from tests.effort import long_unless
from tests.firmware.test_catalogues import LONGEST
from tests.firmware.test_private_ear import seconds

pytestmark = pytest.mark.skipif(not shutil.which("espeak-ng"), reason="espeak-ng is not installed")

CONFIG = load_config()
MINUTE_S = 60.0
DEALING_S = 25.0  # for shuffling and dealing, and for choosing a card
PATIENCE_S = 300.0  # for a mat that does not become silent

measured = cache(seconds)


class MeasuredVoice(EmulatedVoice):
    """A silent voice whose lines take *slowness* times as long as espeak-ng takes to say them."""

    def __init__(self, clock: Clock, slowness: float) -> None:
        super().__init__(clock)
        self._slowness = slowness

    def say(self, text: str, language: str) -> None:
        self._until_s = self._clock.now() + self._slowness * measured(text, language)


@dataclass(frozen=True, slots=True)
class Beginning:
    """Seconds from the choice of *Start and learn*: to silence, and to the first accepted card.

    *lessons* is the number of lessons that were said until then.
    """

    silent_s: float
    laid_s: float
    lessons: int


def begin(
    folder: Path, game: str, level: Level, language: str = ENGLISH, slowness: float = 1.0
) -> Beginning:
    """Start *game* to learn it, with as many players as possible, and lay the first card."""
    mat = Mat(CONFIG, folder)
    mat.board.sound = BreakableVoice(MeasuredVoice(mat.board.clock, slowness))
    mat.set_level(level)
    mat.set_language(language)
    mat.add_names(LONGEST)
    with closing(mat):
        mat.power_on()
        person = EmulatedPerson(mat, decks_of(CONFIG))
        names = LONGEST[: games()[game].seats[-1]]
        began_s = chosen_s(mat, person, game, names)
        silent_s = wait_until_silent(mat)
        taught = [line.fate for line in mat.said if line.topic is Topic.LESSON]
        assert {*taught} == {Fate.SAID}
        mat.wait(DEALING_S)
        lay_first(mat, person, game)
        return Beginning(silent_s - began_s, mat.board.clock.now() - began_s, len(taught))


def chosen_s(mat: Mat, person: EmulatedPerson, game: str, names: tuple[str, ...]) -> float:
    """Choose *Start and learn* from the list, and return the time just before that."""
    person.start(game, names, None, {}, is_lesson=True)
    assert mat.running.journal.open_game() is not None
    return next(line.at_s for line in mat.said if line.topic is Topic.LESSON)


def wait_until_silent(mat: Mat) -> float:
    """Wait until nothing is said and nothing waits to be said; return the time."""
    until_s = mat.board.clock.now() + PATIENCE_S
    while any(line.fate in (Fate.WAITING, Fate.SPEAKING) for line in mat.said):
        mat.step()
        assert mat.board.clock.now() < until_s, "the mat goes on speaking"
    return mat.board.clock.now()


def lay_first(mat: Mat, person: EmulatedPerson, game: str) -> None:
    """Tap a piece that the game asks for; the mat must accept it."""
    person.move("tap", [first_piece(mat)], "play", game)
    assert not mat.refused
    assert mat.running.journal.open_game() is not None


def first_piece(mat: Mat) -> Piece:
    """Return a piece with which the game can begin."""
    record = mat.running.journal.open_game()
    assert record is not None
    playing = Playing.resume(mat.running.table.context, record)
    kinds = {
        k for ask in playing.game.asks(playing.state) if isinstance(ask, TapAsk) for k in ask.kinds
    }
    return next(piece for piece in record.start.deck.pieces() if piece.kind in kinds)


@pytest.mark.parametrize("game", long_unless("straw".__eq__, sorted(games())))
@pytest.mark.parametrize("level", long_unless(lambda level: level is Level.FULL, Level))
def test_the_first_card_is_laid_within_a_minute(game: str, level: Level, tmp_path: Path) -> None:
    beginning = begin(tmp_path, game, level)
    lessons = lessons_of(games()[game])
    assert lessons is not None
    assert beginning.lessons == len(lessons.opening)
    assert beginning.laid_s < MINUTE_S


@pytest.mark.long
@pytest.mark.parametrize("language", [each for each in languages() if each != ENGLISH])
@pytest.mark.parametrize("game", sorted(games()))
def test_it_is_laid_within_a_minute_in_every_language(
    game: str, language: str, tmp_path: Path
) -> None:
    beginning = begin(tmp_path, game, Level.FULL, language)
    assert beginning.laid_s < MINUTE_S


def test_a_voice_that_is_too_slow_is_found(tmp_path: Path) -> None:
    assert begin(tmp_path, "straw", Level.FULL, slowness=3.0).laid_s > MINUTE_S


@pytest.mark.long
def test_a_lesson_that_is_too_long_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = Playing._lesson_text
    monkeypatch.setattr(Playing, "_lesson_text", lambda game, code: 5 * f"{text(game, code)} ")
    assert begin(tmp_path, "straw", Level.TERSE).laid_s > MINUTE_S
