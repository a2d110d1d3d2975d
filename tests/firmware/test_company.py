"""The mat's remarks: one a round at most, true, the same after a power cut, and about no hand."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engines.common.contract import Message, Number, Seat, Tap, Topic, View
from engines.common.layouts import ROUND
from firmware.config.table_config import load_config
from firmware.show.names import NAME_LENGTH
from firmware.table.announcements import ROUND_OVER
from firmware.table.company import VARIANTS, Company
from firmware.table.events import MatDue
from firmware.table.mat_seats import MAT_NAME
from firmware.table.modes.playing import Playing
from firmware.table.table import MAT_THINKS_S, MAT_WAITS_S
from firmware.voice.announcer import Fate
from firmware.voice.settings import REMARKS
from firmware.voice.words import TABLE_PACKAGE, languages, words_of
from hardware.drivers.espeak import espeak
from hardware.drivers.synthesis import Synthesis
from sim.mat.mat import Mat
from sim.mat.voice import length_s
from sim.rehearsal.grammar import parse
from sim.rehearsal.runner import Runner
from tests.firmware.tabletop import Tabletop
from tests.firmware.test_mat_seats import HAND, OTHER_HAND, deal, playing, sitting

ANN, MAT, BEN, MAT_2 = Seat(0), Seat(1), Seat(2), Seat(3)
LONGEST_S = 3.0
ESTIMATED_S = 3.9  # the emulated voice is slower than espeak-ng
OCCASIONS = (
    *("won", "won-close", "lost", "lost-close", "tied"),
    *("round-won", "round-lost", "strong", "limit"),
)


def seen(*scores: int, turn: Seat | None = ANN, **shown: Any) -> View:
    """Return the view of a game with these *scores*."""
    at = {"headline": "0", "phase": "play", **shown}
    return View(caption=Message("c"), hint=Message("h"), scores=scores, turn=turn, **at)


def course(*views: View, mats: tuple[Seat, ...] = (MAT,)) -> list[str]:
    """Return the name of the remark after each of *views* but the first; "" for none."""
    was, *following = views
    company, said = Company.begin(mats, was), []
    for now in following:
        company = company.follow(was, now)
        said.append("" if company.occasion is None else company.occasion.name)
        was = now
    return said


def over(*scores: int, winners: tuple[Seat, ...], **shown: Any) -> View:
    return seen(*scores, turn=None, winners=winners, phase="over", **shown)


# --- the end of a game and of a round -------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "winners", "name"),
    [
        ((40, 30), (ANN,), "lost"),
        ((40, 36), (ANN,), "lost-close"),
        ((3, 2), (ANN,), "lost-close"),
        ((30, 40), (MAT,), "won"),
        ((36, 40), (MAT,), "won-close"),
        ((40, 40), (ANN, MAT), "tied"),
        ((40, 10, 39), (ANN,), "lost"),  # Ben was close, and not the mat
        ((40, 10, 40), (ANN, BEN), ""),
        ((40, 40, 40), (ANN, MAT, BEN), ""),
    ],
)
def test_the_end_of_a_game(scores: tuple[int, ...], winners: tuple[Seat, ...], name: str) -> None:
    assert course(seen(*scores), over(*scores, winners=winners)) == [name]


def test_where_the_lowest_score_wins() -> None:
    assert course(seen(9, 8, lowest_wins=True), over(4, 8, winners=(ANN,), lowest_wins=True)) == [
        "lost"
    ]


def test_a_tie_is_remarked_on_to_the_player_it_is_with() -> None:
    company = Company.begin((MAT,), seen(40, 40)).follow(
        seen(40, 40), over(40, 40, winners=(ANN, MAT))
    )
    assert company.remark is not None
    assert company.remark.facts == {"seat": MAT, "other_seat": ANN, "n": 0}


def test_a_mat_that_only_beats_a_mat_says_nothing() -> None:
    start, end = seen(5, 4), over(5, 4, winners=(ANN,))
    assert course(start, end, mats=(ANN, MAT)) == [""]


@pytest.mark.parametrize(
    ("totals", "name"), [((50, 42), "round-won"), ((52, 40), "round-lost"), ((60, 50), "")]
)
def test_the_end_of_a_round_is_about_the_points_of_this_round(
    totals: tuple[int, int], name: str
) -> None:
    before = seen(50, 40, counts={ROUND: 2}, turn=MAT)
    after = seen(*totals, counts={ROUND: 2}, phase=ROUND_OVER)
    assert course(before, after) == [name]


# --- a play of a person ---------------------------------------------------------------------------


def plays(*gains: int, seats: int = 2) -> list[View]:
    """Return the views of a game in which the players, in turn, score *gains*."""
    scores, views = [0] * seats, [seen(*(0,) * seats)]
    for number, gain in enumerate(gains, 1):
        scores[(number - 1) % seats] += gain
        views.append(seen(*scores, turn=Seat(number % seats)))
    return views


def test_the_most_points_of_one_play_are_remarked_on_in_the_mats_turn() -> None:
    assert course(*plays(2, 2, 3, 3, 6, 1)) == ["", "", "", "", "strong", ""]


def test_neither_the_first_rounds_nor_equal_points_nor_the_mats_own_play_are_strong() -> None:
    assert not any(course(*plays(2, 3, 9, 3, 9, 30)))


def test_a_play_is_remarked_on_only_if_the_mat_is_next() -> None:
    assert not any(course(*plays(2, 2, 2, 2, 2, 2, 9, 0, 1, seats=3), mats=(BEN,)))
    assert any(course(*plays(2, 2, 2, 2, 2, 2, 9, 0, 1, seats=3), mats=(MAT,)))


def test_there_is_one_remark_a_round_which_is_a_turn_of_each_if_the_game_has_no_rounds() -> None:
    assert course(*plays(2, 2, 2, 2, 3, 0, 4, 0, 5))[4:] == ["strong", "", "strong", "", "strong"]
    both = course(*plays(2, 2, 2, 2, 2, 2, 2, 2, 3, 0, 4, 0, seats=4), mats=(MAT, MAT_2))
    assert both == ["", "", "", "", "", "", "", "", "strong", "", "", ""]


def test_a_load_of_exactly_the_limit_is_remarked_on() -> None:
    count = {ROUND: 1}
    before = seen(0, 0, headline="43", limit=50, counts=count)
    after = seen(0, 0, headline="50", limit=50, counts=count, turn=MAT)
    later = seen(0, 0, headline="40", limit=50, counts=count, turn=ANN)
    end = seen(20, 0, counts=count, phase=ROUND_OVER)
    assert course(before, after, later, end) == ["limit", "", ""], "one remark in the round"
    assert not any(course(after, after))


def test_an_undo_brings_the_course_back() -> None:
    was, now = seen(0, 0), over(5, 4, winners=(ANN,))
    company = Company.begin((MAT,), was)
    assert company.follow(was, now).before == company


# --- at the table ---------------------------------------------------------------------------------


@pytest.fixture
def top(tmp_path: Path) -> Iterator[Tabletop]:
    with closing(sitting(tmp_path)) as made:
        yield made


def to_fifty(top: Tabletop) -> str:
    """Let Ann bring the load to exactly 50; return what the mat says when it begins its turn."""
    deal(top, ("reverse#1", "weight-4#2", "carpet-2#1", "weight-5#2"))
    load = 0
    for card in ("weight-10#1", "weight-10#2", "weight-10#3", "weight-10#4"):
        load = mat_turn(top)
        if load + 10 > 45:
            break
        top.lay(card)
    lamp = 50 - load
    assert 1 <= lamp <= 10, load
    top.lay("lamp#1")
    top.choose(str(lamp))
    assert top.view.headline == "50"
    top.receive(MatDue())
    return top.said


def mat_turn(top: Tabletop) -> int:
    """Let the mat play and draw; return the load."""
    top.receive(MatDue())
    decided = playing(top).decided
    assert isinstance(decided, Tap)
    top.lay(str(decided.piece))
    drawn = next(c for c in ("copy#1", "copy#2", "copy#3", "copy#4", "copy#5") if free(top, c))
    top.lay(drawn)
    return int(top.view.headline)


def free(top: Tabletop, card: str) -> bool:
    record = top.journal.open_game()
    assert record is not None
    return card not in {str(each.piece) for each in record.row}


def test_it_says_the_remark_before_its_turn_and_again_after_a_power_cut(top: Tabletop) -> None:
    said = to_fifty(top)
    assert "50, Ann" in said
    assert said.index("50, Ann") < said.index("my card")
    top.again()
    top.receive(MatDue())
    assert top.said == said, "a restart says the same"


def test_an_undo_does_not_say_a_remark_twice(top: Tabletop) -> None:
    said = to_fifty(top)
    record = top.journal.open_game()
    assert record is not None
    assert isinstance(record.inputs[-1], Number)
    top.press("back")
    top.choose(str(record.inputs[-1].value))
    assert top.view.headline == "50"
    top.receive(MatDue())
    assert "50, Ann" in said
    assert "Ann" not in top.said
    assert "my card" in top.said


def test_one_choice_in_the_settings_switches_it_off(top: Tabletop) -> None:
    top.card("settings")
    top.choose(REMARKS)
    top.choose("off")
    top.press("back")
    assert "Ann" not in to_fifty(top)
    assert playing(top).company is not None
    top.table.context.settings.set(REMARKS, "on")
    top.again()
    top.receive(MatDue())
    assert "50, Ann" in top.said


def test_its_remarks_do_not_depend_on_any_row(tmp_path: Path) -> None:
    found = []
    for number, hand in enumerate((HAND, OTHER_HAND)):
        folder = tmp_path / str(number)
        folder.mkdir()
        with closing(sitting(folder)) as top:
            deal(top, hand)
            mode: Playing = playing(top)
            found.append((mode.company, mode.company.remark if mode.company else ""))
    assert found[0] == found[1]
    assert found[0][0] is not None


def test_a_game_of_people_has_no_company(tmp_path: Path) -> None:
    with closing(Tabletop(tmp_path)) as top:
        assert playing(top.start()).company is None


# --- the words ------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", languages())
def test_each_remark_takes_at_most_three_seconds_even_with_the_longest_name(language: str) -> None:
    words, voice, name = words_of(language, TABLE_PACKAGE), espeak(), "Maximilian"
    assert len(name) == NAME_LENGTH
    for occasion in OCCASIONS:
        for number in range(1, VARIANTS + 1):
            remark = Message(f"remark.{occasion}.{number}", {"seat": 0, "other_seat": 1, "n": 50})
            text = words.tell(remark, (MAT_NAME, name))
            assert length_s(text) <= ESTIMATED_S, text
            sound = None if voice is None else Synthesis(voice).sound(text, language)
            assert sound is None or sound.seconds <= LONGEST_S, text


# --- it lets people follow ------------------------------------------------------------------------


def test_it_waits_for_the_voice_and_then_thinks_at_most_three_seconds(tmp_path: Path) -> None:
    text = """
        game straw
        players Ann Mat
        mats Mat
        dealer Mat
        level full
        start
        tap weight-7#1
        tap weight-3#1
        tap reverse#1
        tap carpet-2#1
        wait 20
        tap weight-10#1
        wait 12
    """
    with closing(Mat(load_config(), tmp_path)) as mat:
        assert Runner(mat).play(parse(text, "own.mat")) is None
        (asks,) = [line for line in mat.said if "my card" in line.text]
        (total,) = [line for line in mat.said if line.topic is Topic.TOTAL]
        told = [line for line in mat.said if line.event == total.event]
        assert {line.topic for line in told} >= {Topic.CARD, Topic.TOTAL, Topic.TURN}
        assert all(line.fate is Fate.SAID for line in told)
        last_s = max(line.ended_s or 0 for line in told)
        assert asks.began_s is not None
        assert asks.began_s >= last_s
        assert asks.began_s >= total.at_s + MAT_THINKS_S
        assert asks.began_s - max(last_s, total.at_s) <= LONGEST_S


def test_a_voice_that_never_ends_does_not_stop_the_mat(top: Tabletop) -> None:
    deal(top)
    assert not top.table.poll_waits(top.now_s + MAT_THINKS_S, True)
    assert not top.table.poll_waits(top.now_s + MAT_WAITS_S - 1, True)
    assert top.table.poll_waits(top.now_s + MAT_WAITS_S, True) == (MatDue(),)
