"""Tests of playing sounds: with any working program, stoppable at once, and never hanging."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hardware.drivers import player as player_module
from hardware.drivers.player import NO_PROGRAM, Player, Way, ways
from hardware.errors import SpeechFault
from hardware.sound import Sound
from tests.hardware.loudspeaker import GIVE_UP_S, Loudspeaker, Program, until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the false programs are sh scripts")

SOUND = Sound(b"\1\2" * 300)
LONG = Sound(b"\3\4" * 200_000)  # larger than the buffer of a pipe


@pytest.fixture
def plays(tmp_path: Path) -> Loudspeaker:
    return Loudspeaker(tmp_path)


@pytest.fixture
def player(plays: Loudspeaker) -> Iterator[Player]:
    made = Player(lambda: [plays.way])
    yield made
    made.close()
    made.forget()


def play(player: Player, sound: Sound, percent: int = 100) -> None:
    player.play(sound, percent, player.cuts)


def playing(player: Player, sound: Sound) -> threading.Thread:
    """Play *sound* in a new thread and return the thread."""
    thread = threading.Thread(target=play, args=(player, sound))
    thread.start()
    return thread


def test_a_sound_is_played_to_its_end(player: Player, plays: Loudspeaker) -> None:
    play(player, SOUND)
    play(player, LONG)
    assert plays.heard() == [SOUND.samples, LONG.samples]
    assert plays.lines() == ["22050 1"] * 2


def test_it_is_as_loud_as_it_is_to_be(player: Player, plays: Loudspeaker) -> None:
    play(player, SOUND, 50)
    assert plays.heard() == [SOUND.at(50)]


def test_the_next_program_waits_for_its_samples(player: Player, plays: Loudspeaker) -> None:
    play(player, SOUND)
    player.stand_by()
    until(lambda: len(plays.lines()) == 2)
    play(player, SOUND)
    assert len(plays.lines()) == 2
    player.stand_by()
    until(lambda: len(plays.lines()) == 3)
    play(player, Sound(b"\5\6" * 10, 44100, 2))  # with another rate and channel count
    assert plays.lines() == ["22050 1"] * 3 + ["44100 2"]


def test_one_that_ended_while_it_waited_is_replaced(player: Player, plays: Loudspeaker) -> None:
    """A waiting player process ends when the sound server is restarted."""
    play(player, SOUND)
    plays.became("exit 1")
    player.stand_by()
    until(lambda: len(plays.lines()) == 2)
    assert player._standby is not None
    player._standby.process.wait(GIVE_UP_S)
    plays.became(plays.plays)
    play(player, SOUND)
    assert plays.heard() == [SOUND.samples] * 2


@pytest.mark.parametrize("sound", [SOUND, LONG])
def test_a_cut_ends_what_sounds(player: Player, plays: Loudspeaker, sound: Sound) -> None:
    plays.became(f"{plays.waits}; {plays.plays}")
    thread = playing(player, sound)
    until(lambda: bool(plays.lines()))
    until(lambda: player._sounding is not None)
    player.cut()
    thread.join(GIVE_UP_S)
    assert not thread.is_alive()
    assert plays.heard() == []


def test_what_was_cut_off_before_it_began_is_not_played(player: Player, plays: Loudspeaker) -> None:
    before = player.cuts
    player.cut()
    player.play(SOUND, 100, before)
    assert plays.heard() == []
    play(player, SOUND)
    assert len(plays.lines()) == 1  # the program started for the cut sound was reused
    assert plays.heard() == [SOUND.samples]


def test_the_first_way_that_answers_is_taken_and_kept(tmp_path: Path, plays: Loudspeaker) -> None:
    no_server = Program(tmp_path, "no-server", "echo 'Connection refused' >&2; exit 1")
    absent = Way(str(tmp_path / "absent"), ())
    player = Player(lambda: [absent, Way(str(no_server.path), ()), plays.way])
    play(player, SOUND)
    play(player, SOUND)
    assert plays.heard() == [SOUND.samples] * 2
    assert len(no_server.lines()) == 1


def test_a_way_that_is_gone_gives_way_to_another(tmp_path: Path, plays: Loudspeaker) -> None:
    other = Loudspeaker(tmp_path, "other")
    player = Player(lambda: [plays.way, other.way])
    play(player, SOUND)
    plays.became("cat > /dev/null; echo 'No such device' >&2; exit 1")
    play(player, SOUND)
    plays.became(plays.plays)
    play(player, SOUND)
    assert len(plays.heard()) == 1
    assert len(other.heard()) == 2


def test_what_is_late_is_not_played_another_way(
    tmp_path: Path, plays: Loudspeaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(player_module, "LATE_S", -1.0)
    other = Loudspeaker(tmp_path, "other")
    plays.became("exit 1")
    with pytest.raises(SpeechFault):
        play(Player(lambda: [plays.way, other.way]), SOUND)
    assert other.heard() == []


def test_when_nothing_plays_the_last_reason_is_told_with_what_to_do(
    player: Player, plays: Loudspeaker
) -> None:
    plays.became("echo 'audio open error: No such device' >&2; exit 1")
    with pytest.raises(SpeechFault) as fault:
        play(player, SOUND)
    found, _, remedy = str(fault.value).partition("; ")
    assert found == f"{plays.path}: audio open error: No such device"
    assert remedy.startswith("look for a sound card with: aplay -l")


def test_without_a_program_it_is_told_which_to_install() -> None:
    with pytest.raises(SpeechFault) as fault:
        play(Player(list), SOUND)
    assert str(fault.value) == NO_PROGRAM


def test_a_device_that_hangs_is_left_and_tried_last(
    tmp_path: Path, plays: Loudspeaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(player_module, "GRACE_S", 0.05)
    hangs = Program(tmp_path, "hangs", "exec sleep 600")
    player = Player(lambda: [Way(str(hangs.path), ()), plays.way])
    with monkeypatch.context() as patch:
        patch.setattr(player_module, "LATE_S", 0.0)
        with pytest.raises(SpeechFault, match="did not end within"):
            play(player, SOUND)
    begun = hangs.lines()  # empty if this computer was too slow to start it
    monkeypatch.setattr(player_module, "GRACE_S", GIVE_UP_S)
    play(player, SOUND)
    assert plays.heard() == [SOUND.samples]
    assert hangs.lines() == begun


# the playback programs of this computer


def test_every_program_that_is_installed_is_a_way_sound_servers_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cards = tmp_path / "cards"
    cards.write_text(
        " 0 [vc4hdmi        ]: vc4-hdmi - vc4-hdmi\n                      vc4-hdmi\n"
        " 1 [Device         ]: USB-Audio - USB Audio Device\n"
    )
    monkeypatch.setattr(player_module, "CARDS", cards)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert ways() == ()
    for name in ("aplay", "pw-cat", "pacat"):
        Program(tmp_path, name)
    assert [(way.program, way.options[-2:]) for way in ways()] == [
        ("pacat", ("--latency-msec=50", "--client-name=tapmat")),
        ("pw-cat", ("--latency=50ms", "-")),
        ("aplay", ("--device=default", "-")),
        ("aplay", ("--device=plughw:CARD=vc4hdmi", "-")),
        ("aplay", ("--device=plughw:CARD=Device", "-")),
    ]


def test_a_device_that_is_named_is_the_only_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("aplay", "pacat"):
        Program(tmp_path, name)
    (way,) = ways("plughw:CARD=Device")
    assert way.command(16000, 2) == (
        "aplay", "--quiet", "--file-type=raw", "--format=S16_LE", "--rate=16000", "--channels=2",
        "--device=plughw:CARD=Device", "-",
    )  # fmt: skip


@pytest.mark.skipif(not os.environ.get("PATH") or not ways(), reason="no program here plays sounds")
def test_the_programs_of_this_computer_know_their_options() -> None:
    """No sound card is needed. pw-cat is left out, because old versions lack an option."""
    complaints = [
        subprocess.run(
            way.command(22050, 1), input=bytes(200), capture_output=True, check=False, timeout=60
        ).stderr
        for way in ways()
        if way.program != "pw-cat"
    ]
    assert not [told for told in complaints if b"option" in told]
