"""Tests of the unmodified ``tapmat play`` and ``tapmat enrol`` on an emulated Pi, from outside."""

import shutil
import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from PIL import Image

from engines.common.pieces import Piece
from fakepi.ntag import Ntag
from firmware.boxes.register import TagRegister
from firmware.runtime.controller import JOURNAL, REGISTER
from firmware.show.text import find_text
from sim.mat.tags import enrol_decks, uid_of
from sim.nodes.loudspeaker import Loudspeaker
from tests.sim.nodes.child import LIMIT_S, PiChildren

TAPMAT = [sys.executable, "-m", "firmware.commands.start"]
PAUSE_S = 0.5  # after a button was released
TRANSFERS = 150  # of about twenty polls
AGAIN_S = 8.0  # a person who gets no answer lays the card again

pytestmark = pytest.mark.real_time


def wait_for(is_so: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not is_so():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


class Outside:
    """A person at the emulated Pi, who sees and touches nothing but its parts."""

    def __init__(self, on_pi: PiChildren) -> None:
        self._pi, self._lock = on_pi.pi, on_pi.lock

    def shows(self, text: str) -> bool:
        assert self._pi.display is not None
        with self._lock:
            rows = self._pi.display.visible()
        picture = Image.new("1", (len(rows[0]), len(rows)))
        picture.putdata([pixel for row in rows for pixel in row])
        return find_text(picture, text)

    def wait_until_shown(self, text: str) -> None:
        wait_for(lambda: self.shows(text), f"the display does not show {text!r}")

    def tap(self, uid: bytes, is_answered: Callable[[], bool], wanted: str) -> None:
        """Lay a tag until the table answers, and lift it.

        On a busy computer, the program may not have polled while the tag was away. Then this lifts
        the tag and lays it again, as people do.
        """
        tag, field = Ntag(uid), self._pi.readers["play"].field
        deadline = time.monotonic() + LIMIT_S
        has_answered = False
        while not has_answered:
            assert time.monotonic() < deadline, wanted
            with self._lock:
                field.enter(tag)
            again_s = time.monotonic() + AGAIN_S
            while not (has_answered := is_answered()) and time.monotonic() < again_s:
                time.sleep(0.01)
            with self._lock:
                field.leave(tag)
            self.wait_for_polls()

    def press(self, button: str, is_answered: Callable[[], bool], wanted: str) -> None:
        """Press a button until the table answers, and release it."""
        with self._lock:
            self._pi.buttons[button].press()
        wait_for(is_answered, wanted)
        with self._lock:
            self._pi.buttons[button].release()
        time.sleep(PAUSE_S)

    def wait_for_polls(self) -> None:
        """Wait until the reader has been polled often enough for tags to count as new."""
        enough = self._transfers() + TRANSFERS
        wait_for(lambda: self._transfers() > enough, "the reader rests")

    def _transfers(self) -> int:
        return sum(device.transfers for device in self._pi.readers["play"].devices)


def weight(name: str) -> bytes:
    return uid_of("straw", Piece.parse(name))


def play_command(state: Path) -> list[str]:
    return [*TAPMAT, "play", "--state", str(state)]


def inputs(state: Path) -> Sequence[str]:
    with closing(sqlite3.connect(f"file:{state / JOURNAL}?mode=ro", uri=True)) as journal:
        return [
            kind for (kind,) in journal.execute("SELECT kind FROM entry WHERE game ORDER BY seq")
        ]


@pytest.mark.sample
def test_a_game_is_begun_played_and_taken_back(on_pi: PiChildren, tmp_path: Path) -> None:
    state = tmp_path / "games"
    state.mkdir()
    with closing(TagRegister(state / REGISTER)) as register:
        enrol_decks(register, on_pi.config)
    speaker = Loudspeaker(tmp_path / "loudspeaker")
    on_pi.environment["PATH"] = speaker.path
    person, pins = Outside(on_pi), on_pi.pi.pins
    lamps = on_pi.config.lamps

    def is_lit(name: str) -> bool:
        return pins.pin(lamps[name]).state > 0

    with on_pi.start(play_command(state), stdout=None) as program:
        person.wait_until_shown("Lay a card of a game,")
        person.wait_for_polls()
        card = weight("weight-9#1")
        person.tap(card, lambda: person.shows("Players: 2"), "the settings are not shown")
        person.press("ok", lambda: inputs(state) == ["start"], "the game does not begin")
        wait_for(lambda: is_lit("seat-1"), "the lamp of seat 1 stays dark")
        person.tap(card, lambda: inputs(state) == ["start", "input"], "the card is not played")
        wait_for(lambda: is_lit("seat-2"), "the lamp of seat 2 stays dark")
        wait_for(lambda: not is_lit("seat-1"), "the lamp of seat 1 stays lit")
        person.wait_until_shown("on the camel")
        wait_for(lambda: "en 9" in speaker.heard, "the total is not announced")
        person.press("back", lambda: inputs(state)[-1] == "undo", "the play is not taken back")
        program.send(signal.SIGTERM)
        assert program.wait(LIMIT_S) == 0
    assert on_pi.pi.display is not None
    assert not on_pi.pi.display.is_lit
    wait_for(lambda: not any(pins.pin(pin).level for pin in lamps.values()), "a lamp stays lit")


def is_enrolled(state: Path, uid: bytes) -> bool:
    with closing(TagRegister(state / REGISTER)) as register:
        return register.piece_of(uid) is not None


def test_cards_are_enrolled(on_pi: PiChildren, tmp_path: Path) -> None:
    state = tmp_path / "games"
    person = Outside(on_pi)
    command = [*TAPMAT, "enrol", "straw", "--state", str(state)]
    with on_pi.start(command, stdout=None) as program:
        wait_for(lambda: bool(on_pi.pi.display and on_pi.pi.display.is_lit), "it shows nothing")
        person.wait_for_polls()
        for number in (1, 2):
            uid = bytes.fromhex(f"0411223344550{number}")
            is_bound = partial(is_enrolled, state, uid)
            person.tap(uid, is_bound, f"card {number} is not enrolled")
        program.send(signal.SIGINT)
        program.wait(LIMIT_S)


@pytest.mark.skipif(
    not (shutil.which("aplay") and shutil.which("espeak-ng")),
    reason="the programs aplay and espeak-ng are not both installed",
)
def test_speech_reaches_the_sound_device(on_pi: PiChildren, tmp_path: Path) -> None:
    """ALSA's default device is a file here: the real players play real speech into it.

    Each player adds its samples. Opened as a file, it would be emptied by the next player, which
    is started as soon as the last one has ended.
    """
    heard, programs = tmp_path / "heard.raw", tmp_path / "programs"
    add = f"|{shutil.which('cat')} >> {heard}"
    (tmp_path / "asound").write_text(
        f'pcm.!default {{ type file file "{add}" format raw slave.pcm null }}\n'
        "pcm.null { type null }\n"
    )
    programs.mkdir()
    for name in ("aplay", "espeak-ng", "nice"):  # and neither PulseAudio's player nor PipeWire's
        (programs / name).symlink_to(str(shutil.which(name)))
    on_pi.environment |= {"ALSA_CONFIG_PATH": str(tmp_path / "asound"), "PATH": str(programs)}
    with on_pi.start(play_command(tmp_path / "games"), stdout=None) as program:
        wait_for(lambda: _loudest(heard) > 1000, "nothing can be heard")
        program.send(signal.SIGTERM)
        assert program.wait(LIMIT_S) == 0


def _loudest(file: Path) -> int:
    samples = file.read_bytes() if file.exists() else b""
    return max(memoryview(samples[: len(samples) // 2 * 2]).cast("h"), default=0)
