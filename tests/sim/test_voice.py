"""Tests of announcements through the whole program, with a voice as slow as a real one."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from engines.common.contract import Topic
from fakepi.clock import VirtualClock
from firmware.config.table_config import load_config
from firmware.voice.announcer import Fate
from sim.bench.speech import EVERY_S, PLAYS, Burst
from sim.mat.mat import POWER_CUT, Mat
from sim.mat.voice import EmulatedVoice, length_s
from sim.rehearsal.grammar import parse
from sim.rehearsal.runner import Runner

BEGIN = "game straw\nplayers Ann Ben\nstart\nwait 10"


@pytest.fixture
def mat(tmp_path: Path) -> Iterator[Mat]:
    with closing(Mat(load_config(), tmp_path)) as mat:
        Runner(mat).play(parse(BEGIN, "begin"))
        yield mat


def act(mat: Mat, *lines: str) -> None:
    assert Runner(mat).play(parse("\n".join(("game straw", *lines)), "act")) is None


@pytest.mark.long
def test_what_is_heard_of_a_burst_is_never_more_than_one_play_behind(tmp_path: Path) -> None:
    """Fifty plays in ten seconds; the delay is checked after every pass of the loop."""
    with closing(Burst(tmp_path)) as burst:
        began_s = burst.mat.board.clock.now()
        while not burst.is_over:
            burst.mat.step()
            assert burst.behind <= 1
    totals = burst.totals
    assert [total.words for total in totals] == [str(weight) for weight in range(1, PLAYS + 1)]
    assert totals[-1].at_s - began_s < PLAYS * EVERY_S
    begun = [total for total in totals if total.began_s is not None]
    assert begun[-1] is totals[-1]
    assert totals[-1].fate is Fate.SAID
    assert [t.event for t in begun] == sorted(t.event for t in begun)
    assert {t.why for t in totals if t.fate is Fate.DROPPED} == {"superseded"}
    turns = [line for line in burst.mat.said if line.topic is Topic.TURN and line in begun]
    assert not turns


def test_the_voice_takes_its_time_by_the_virtual_clock() -> None:
    clock = VirtualClock()
    voice = EmulatedVoice(clock)
    voice.say("Ben to play.", "en")
    clock.sleep(length_s("Ben to play.") - 0.01)
    assert voice.is_speaking
    clock.sleep(0.02)
    assert not voice.is_speaking


def test_a_number_takes_as_long_as_its_word() -> None:
    assert length_s("21") == length_s("twentyonee")


def test_lines_follow_one_another_in_the_mats_own_time(mat: Mat) -> None:
    act(mat, "tap weight-7", "wait 5")
    total, turn = list(mat.said)[-2:]
    assert (total.words, turn.words) == ("7", "Ben to play.")
    assert total.ended_s is not None
    assert total.began_s is not None
    assert total.ended_s - total.began_s == pytest.approx(length_s("7"), abs=0.02)
    assert turn.began_s == total.ended_s


def test_a_total_sounds_before_the_display_is_drawn(mat: Mat) -> None:
    act(mat, "tap weight-7")
    total = list(mat.said)[-2]
    assert total.began_s == total.at_s


def test_what_a_power_cut_leaves_unsaid_nobody_hears(mat: Mat) -> None:
    act(mat, "tap weight-7", "power cut")
    assert [(line.fate, line.why) for line in list(mat.said)[-2:]] == [
        (Fate.INTERRUPTED, POWER_CUT),
        (Fate.DROPPED, POWER_CUT),
    ]


def test_events_go_on_being_counted_after_a_power_cut(mat: Mat) -> None:
    act(mat, "tap weight-7")
    before = mat.said[-1].event
    act(mat, "power cut", "power on", "tap weight-8")
    events = [line.event for line in mat.said]
    assert events == sorted(events)
    assert [line.event for line in mat.said if line.words == "15"] > [before]
