"""The public state and the stream of lines: what leaves the table, and what may come in."""

import json
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from engines.common.contract import Direction, ScoreUnit, Seat, Topic
from engines.common.pieces import Piece
from firmware.journal.entry import Entry
from firmware.outlet.events import PhaseChanged
from firmware.outlet.feed import Feed
from firmware.outlet.queue import Outlet
from firmware.outlet.state import FinalScores, LatestPlay, PublicState, Told, state_of
from firmware.outlet.stream import (
    LONGEST_LINE,
    BadRequest,
    JoinQuestion,
    Stream,
    read_request,
)
from firmware.show.qr import MOST_BYTES
from firmware.show.view import JoinAddress, ListView, Notice, TableView
from firmware.table.events import CodeRequested, JoinRequested
from firmware.voice.announcer import Utterance
from tests.docs.pages import page

GOLDEN = Path(__file__).parents[1] / "golden" / "outlet"
STRAW = TableView(
    "play",
    title="Straw",
    headline="21",
    caption="on the camel",
    hint="Ann, play a card.",
    names=("Ann", "Ben"),
    scores=(3, 0),
    turn=Seat(0),
    direction=Direction.CLOCKWISE,
    limit=50,
)
LAST = LatestPlay(12, Seat(1), "Ben plays 7.")


def state(**changes: Any) -> PublicState:
    return state_of(STRAW, STRAW, "straw", "en", Told(LAST), **changes)


def lines(told: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in told.splitlines()]


def test_the_json_form_is_only_added_to() -> None:
    kept = json.loads((GOLDEN / "state-v1.json").read_text(encoding="utf-8"))
    now = json.loads(json.dumps(state().to_json()))
    assert kept.items() <= now.items(), "other people's programs read these fields"


def test_every_field_is_documented() -> None:
    told = page("docs/outlet.md").text
    for field in fields(PublicState):
        assert f"`{field.name}`" in told


def test_what_is_for_people_at_the_mat_is_not_public() -> None:
    for is_at_mat in (False, True):
        view = replace(STRAW, notice=Notice("Its code:", "123 456", is_at_mat=is_at_mat))
        told = state_of(view, STRAW, "straw", "en", Told())
        assert (told.notice is None) == is_at_mat


def test_the_state_names_the_seats_of_robots_and_has_the_caption_for_a_page() -> None:
    feed = Feed(Outlet())
    view = replace(STRAW, page_caption="of 50 on the camel")
    for robots, goal in (((), None), ((Seat(1),), None), ((), Seat(1)), ((), None)):
        feed.keep_state(view, "en", robots=robots, goal=goal)
        assert feed.outlet.state is not None
        assert (feed.outlet.state.robots, feed.outlet.state.goal) == (robots, goal)
        assert feed.outlet.state.caption == "of 50 on the camel"


def test_a_list_over_the_game_leaves_the_game_on_the_screens() -> None:
    menu = TableView("play", title="Menu", hint="Choose.", choices=ListView("?", ("a",), 0))
    feed = Feed(Outlet())
    feed._is_game_on, feed._game = True, "straw"
    feed.put_changes(STRAW)
    feed.put_changes(menu)
    feed.keep_state(menu, "en")
    shown = feed.outlet.state
    assert shown is not None
    assert (shown.title, shown.names, shown.turn) == ("Straw", ("Ann", "Ben"), 0)
    assert shown.hint == "Choose."


def entry(kind: str, body: dict[str, Any]) -> Entry:
    return Entry(1, 1, kind, "", body)


def test_the_last_pieces_and_the_points_of_a_round_follow_an_undo() -> None:
    feed = Feed(Outlet())
    feed.put_entries([entry("start", {"game": "straw", "names": ["Ann", "Ben"], "dealer": 1})], [])
    shown = STRAW

    def show(**changes: Any) -> PublicState:
        nonlocal shown
        shown = replace(shown, **changes)
        feed.put_changes(shown)
        feed.keep_state(shown, "en")
        assert feed.outlet.state is not None
        return feed.outlet.state

    show(scores=(0, 0))
    for kind in ("weight-7", "lamp"):
        feed.put_entries([entry("input", {"tap": f"{kind}#1"})], [])
    feed.put_entries([entry("input", {"number": 4})], [])
    assert [play.kind for play in show(counts={"round": 1}).plays] == ["lamp", "weight-7"]
    feed.put_entries([entry("undo", {})], [])
    feed.put_entries([entry("undo", {})], [])
    told = show(headline="7")
    assert ([play.kind for play in told.plays], told.round, told.gains) == (["weight-7"], 1, ())
    assert show(phase="round-over", scores=(9, 0)).gains == (9, 0)
    assert show(phase="play").gains == ()
    assert show(phase="round-over", scores=(9, 5)).gains == (0, 5)
    feed.put_entries([entry("undo", {})], [])
    show(phase="scoring", scores=(9, 0))
    assert show(phase="round-over", scores=(9, 6)).gains == (0, 6)
    feed.put_entries([entry("undo", {})], [])
    assert show(headline="x").gains == (), "the points before this round are not known any more"


def straw(shown: list[TableView], feed: Feed) -> Callable[..., PublicState]:
    """Return a function that shows *shown* with changes, and returns the state for everybody."""

    def show(language: str = "en", **changes: Any) -> PublicState:
        shown[0] = replace(shown[0], **changes)
        feed.put_changes(shown[0])
        feed.keep_state(shown[0], language)
        assert feed.outlet.state is not None
        return feed.outlet.state

    feed.put_entries([entry("start", {"game": "straw", "names": ["Ann", "Ben"], "dealer": 1})], [])
    return show


def kinds(state: PublicState) -> list[str]:
    return [play.kind for play in state.plays]


def test_the_last_cards_are_those_that_were_played_in_this_round() -> None:
    feed = Feed(Outlet(), lambda _game, names, seat, piece, _worth: f"{seat} {piece.kind}")
    show = straw([STRAW], feed)
    lay = [entry("input", {"tap": f"weight-{number}#1"}) for number in range(1, 6)]
    show()
    feed.put_entries(lay[:1], [])
    assert kinds(show()) == ["weight-1"]
    show(phase="scoring", counted=(None, None))
    feed.put_entries(lay[1:2], [])
    counting = show(counted=(2, None))
    assert (kinds(counting), counting.counted) == (["weight-1"], (2, None))
    assert counting.last is not None
    assert counting.last.text == "None weight-2", "nobody plays a card of a hand that is counted"
    over = show(phase="round-over", counted=())
    assert (kinds(over), over.last) == (["weight-1"], None)
    feed.put_entries([entry("input", {"press": "ok"})], [])
    begun = show(phase="play")
    assert (kinds(begun), begun.last) == ([], None)
    feed.put_entries(lay[2:3], [])
    assert kinds(show(headline="3")) == ["weight-3"]


def test_a_card_that_its_player_takes_back_is_not_shown_as_played() -> None:
    feed = Feed(Outlet())
    show = straw([STRAW], feed)
    show()
    wrong = [Notice("Rock does not beat paper.", "Take it back.", rule="8.1")]
    first, second = (entry("input", {"tap": f"weight-{number}#1"}) for number in (1, 2))
    feed.put_entries([first], [])
    feed.put_entries([second], wrong, is_foul=True)
    refused = show(headline="1")
    assert (kinds(refused), refused.last) == (["weight-1"], None)
    feed.put_entries([entry("undo", {})], [])
    assert kinds(show(headline="2")) == ["weight-1"]
    feed.put_entries([second], [])
    feed.put_entries([entry("input", {"choice": "seat-1"})], wrong, is_foul=True)
    assert kinds(show(headline="3")) == ["weight-1"], "the answer was about the second card"
    feed.put_entries([entry("undo", {})], [])
    assert kinds(show(headline="4")) == ["weight-2", "weight-1"]


def test_a_card_says_what_it_counts_for_in_the_language_of_now() -> None:
    feed = Feed(Outlet())
    feed.describe = lambda _game, _names, _seat, piece, worth: f"{words[0]} {piece.kind} {worth}"
    show, words = straw([STRAW], feed), ["plays"]
    show()
    feed.put_entries([entry("input", {"tap": "lamp#1"})], [])
    lamp = show(worth={Piece("lamp"): 7}).plays[0]
    assert (lamp.worth, lamp.text) == (7, "plays lamp 7")
    words[0] = "spielt"
    german = show("de", headline="7")
    assert german.last is not None
    assert (german.last.text, german.plays[0].text) == ("spielt lamp 7", "spielt lamp 7")


def test_the_sentence_about_the_end_is_known_while_hands_are_counted() -> None:
    feed = Feed(Outlet())
    show = straw([STRAW], feed)
    show()
    said = Utterance(1, 1, 0.0, "en", Topic.RESULT, "Ben breaks it.", "Ben breaks it.", 1.0)
    feed.put_lines([said])
    assert show(headline="51").result == ()
    assert show(phase="scoring", counted=(None, None)).result == ("Ben breaks it.",)


def lines_of(event: int, *told: tuple[Topic, str], language: str = "en") -> list[Utterance]:
    return [
        Utterance(event, n, 0.0, language, topic, text, text, 1.0)
        for n, (topic, text) in enumerate(told)
    ]


def acts(state: PublicState) -> list[tuple[int | None, str, tuple[str, ...]]]:
    return [(act.seat, act.text, act.news) for act in state.acts]


def test_everything_that_was_said_of_the_last_acts_is_kept_with_them() -> None:
    feed = Feed(Outlet(), lambda _game, _names, seat, piece, _worth: f"{seat} plays {piece.kind}.")
    show = straw([STRAW], feed)
    show()
    feed.put_entries([entry("input", {"tap": "swap#1"})], [])
    show(phase="swap")
    feed.put_lines(lines_of(1, (Topic.TOTAL, "Rock."), (Topic.QUESTION, "With whom?")))
    feed.put_entries([entry("input", {"seat": 1})], [])
    show(phase="play", turn=Seat(1))
    swap = lines_of(2, (Topic.NEWS, "Ann and Ben swap hands."), (Topic.TURN, "Ben to play."))
    feed.put_lines(swap)
    swapped = (0, "", ("Ann and Ben swap hands.",)), (0, "0 plays swap.", ())
    assert acts(show(headline="1")) == [*swapped]
    feed.put_entries([], [])
    feed.put_lines([*swap, *lines_of(3, (Topic.NEWS, "Phone 42 is in."))])
    assert acts(show(headline="2")) == [*swapped], "no act has brought this line"
    feed.put_entries([entry("input", {"press": "action"})], [])
    feed.put_lines(lines_of(4, (Topic.NEWS, "Ben passes."), (Topic.TOTAL, "Ben: 3.")))
    passed = (1, "", ("Ben passes.", "Ben: 3."))
    assert acts(show(headline="3", turn=Seat(0))) == [passed, *swapped]
    feed.put_entries([entry("undo", {})], [])
    assert acts(show(headline="2", turn=Seat(1))) == [*swapped]
    assert acts(show("de")) == [swapped[1]], "the sentences are in another language"


def test_the_player_of_a_card_in_a_race_is_the_one_who_is_named_next() -> None:
    feed = Feed(Outlet(), lambda _game, _names, seat, piece, _worth: f"{seat} plays {piece.kind}.")
    show = straw([STRAW], feed)
    show(phase="race", turn=None)
    feed.put_entries([entry("input", {"tap": "rock#1"})], [])
    assert acts(show(phase="racer", asks_owner=True)) == [(None, "None plays rock.", ())]
    feed.put_entries([entry("input", {"seat": 1})], [])
    named = show(phase="play", turn=Seat(0), asks_owner=False)
    assert acts(named) == [(1, "1 plays rock.", ())]
    assert named.plays[0].seat == 1


def test_the_acts_have_fouls_but_not_the_points_of_a_round() -> None:
    feed = Feed(Outlet())
    show = straw([STRAW], feed)
    show()
    feed.put_entries([entry("input", {"tap": "rock#1"})], [Notice("No.", "")], is_foul=True)
    feed.put_lines(lines_of(1, (Topic.REFUSAL, "Ann: no."), (Topic.QUESTION, "Ann draws 2.")))
    assert acts(show(headline="1")) == [(0, "", ("Ann: no.",))]
    feed.put_entries([entry("input", {"tap": "weight-3#1"})], [])
    show(phase="round-over", turn=None)
    feed.put_lines(lines_of(2, (Topic.RESULT, "Ann has 3 points."), (Topic.NEWS, "Ben deals.")))
    assert acts(show(headline="2"))[0] == (0, "weight-3", ("Ben deals.",))
    feed.put_entries([entry("input", {"press": "ok"})], [])
    assert show(phase="play").acts == (), "of an earlier round"


def test_the_final_scores_stay_until_the_next_game() -> None:
    feed = Feed(Outlet())
    show = straw([STRAW], feed)
    assert show(scores=(9, 4), winners=(Seat(0),), score_unit=ScoreUnit.CARD).final is None
    feed.put_entries([entry("end", {"how": "over"})], [])
    idle = TableView("idle")
    feed.put_changes(idle)
    feed.keep_state(idle, "en")
    assert feed.outlet.state is not None
    final = FinalScores("Straw", ("Ann", "Ben"), (9, 4), (Seat(0),), "card")
    assert feed.outlet.state.final == final
    straw([STRAW], feed)()
    assert feed.outlet.state.final is None


def test_the_state_says_what_can_be_played_during_a_game_only() -> None:
    feed = Feed(Outlet())
    show = straw([STRAW], feed)
    show()
    feed.keep_state(replace(STRAW, headline="8"), "en", lambda: "Ann can play: any paper.")
    assert feed.outlet.state is not None
    assert feed.outlet.state.advice == "Ann can play: any paper."
    feed.put_entries([entry("end", {"how": "over"})], [])
    feed.keep_state(TableView("idle"), "en", lambda: "Ann can play: any paper.")
    assert feed.outlet.state.advice == ""


def test_the_sentences_about_a_result_have_no_points_and_come_at_the_end() -> None:
    feed = Feed(Outlet())
    feed.put_entries([entry("start", {"game": "straw", "names": ["R2", "Ben"], "dealer": 1})], [])
    said = ("R2 breaks the back.", "Ben scores 7 points.", "All is lost.")
    feed.put_lines(
        Utterance(1, n, 0.0, "en", Topic.RESULT, text, text, 1.0) for n, text in enumerate(said)
    )
    feed.put_changes(STRAW)
    feed.keep_state(STRAW, "en")
    assert feed.outlet.state is not None
    assert not feed.outlet.state.result
    over = replace(STRAW, phase="round-over")
    feed.put_changes(over)
    feed.keep_state(over, "en")
    assert feed.outlet.state.result == ("R2 breaks the back.", "All is lost.")


def test_a_notice_comes_and_goes() -> None:
    feed = Feed(Outlet())
    feed.keep_state(TableView("idle", notice=Notice("No.", "Again.", said="secret")), "en")
    assert feed.outlet.state is not None
    told = {"happened": "No.", "do": "Again.", "is_refusal": False, "piece": None}
    assert feed.outlet.state.to_json()["notice"] == told
    feed.keep_state(TableView("idle", notice=Notice("No.", "Again.", code="foreign")), "en")
    assert feed.outlet.state.to_json()["notice"] == {**told, "is_refusal": True}
    feed.keep_state(TableView("idle", notice=Notice("No.", "Again.", piece=Piece("copy", 2))), "en")
    assert feed.outlet.state.to_json()["notice"] == {**told, "piece": "copy"}
    feed.keep_state(TableView("idle"), "en")
    assert feed.outlet.state.notice is None


def test_an_equal_state_is_the_same_value_so_nobody_is_told_twice() -> None:
    feed = Feed(Outlet())
    feed.keep_state(TableView("idle", ok="start"), "en")
    before = feed.outlet.state
    feed.keep_state(TableView("idle", ok="other"), "en")
    assert feed.outlet.state is before


def test_a_new_reader_gets_the_state_and_then_news_with_the_state_last() -> None:
    outlet = Outlet()
    outlet.put(PhaseChanged("before"))
    stream = Stream(outlet)
    assert lines(stream.state_line) == [{"state": None}]
    assert stream.new_lines() == b""
    outlet.put(PhaseChanged("play"))
    outlet.state = state()
    event, shown = lines(stream.new_lines())
    assert (event["event"]["seq"], event["event"]["phase"]) == (2, "play")
    assert shown["state"]["v"] == 1
    assert stream.new_lines() == b""


def test_a_slow_reader_learns_how_many_events_it_missed() -> None:
    outlet = Outlet(size=3)
    stream = Stream(outlet)
    for number in range(5):
        outlet.put(PhaseChanged(str(number)))
    missed, *events = lines(stream.new_lines())
    assert missed == {"missed": 2}
    assert [each["event"]["phase"] for each in events] == ["2", "3", "4"]


def test_the_two_requests_are_read() -> None:
    assert read_request(b'{"show": "code", "code": "012345"}') == CodeRequested("012345")
    asked = read_request(b'{"ask": "join", "id": 7, "address": "fe80::1%wlan0"}')
    assert asked == JoinQuestion(7, JoinRequested("fe80::1"))


SECRET = "aB3_-xYz90aB3_-xYz90kk"


def offered(**changes: Any) -> bytes:
    url = f"http://192.168.1.7:8738/j#{SECRET}"
    offer = {"offer": "join", "url": url, "place": "tapmat.local:8738", "code": "012345"}
    return json.dumps(offer | changes).encode()


def test_an_address_to_join_at_is_read_with_and_without_a_qr_code() -> None:
    url = f"http://255.255.255.255:65535/j#{SECRET}"
    assert len(url) == MOST_BYTES
    assert len(offered(url=url, place="x" * 32)) <= LONGEST_LINE
    assert read_request(offered(url=url)) == JoinAddress(url, "012345", "tapmat.local:8738")
    assert read_request(offered(url="")) == JoinAddress("", "012345", "tapmat.local:8738")


@pytest.mark.parametrize(
    "line",
    [
        offered(more=1),
        offered(code="12345"),
        offered(code=12345),
        offered(place=""),
        offered(place="x" * 33),
        offered(place="Press OK"),
        offered(place=None),
        offered(url=f"http://192.168.1.777:8738/j#{SECRET}"),
        offered(url=f"http://192.168.1.7:8738/j#{SECRET}x"),
        offered(url=f"http://192.168.1.7:8738/j#{SECRET[:-1]}"),
        offered(url=f"https://192.168.1.7:8738/j#{SECRET}"),
        offered(url=f"http://evil.example:8738/j#{SECRET}"),
        offered(url="http://192.168.1.7:8738/"),
        offered(url=f"http://192.168.1.7:8738/j#{SECRET}\n"),
        offered(offer="seat"),
        *(b"", b"[]", b"null", b"{}", b"\xff", b'{"show": "code"}', b"[" * LONGEST_LINE),
        b'{"show": "code", "code": "12345"}',
        b'{"show": "code", "code": "12345\xd9\xa1"}',
        b'{"show": "code", "code": 123456}',
        b'{"show": "code", "code": "123456", "more": 1}',
        b'{"show": "hand", "code": "123456"}',
        b'{"ask": "join", "id": true, "address": "192.0.2.7"}',
        b'{"ask": "join", "id": -1, "address": "192.0.2.7"}',
        b'{"ask": "join", "id": 2147483648, "address": "192.0.2.7"}',
        b'{"ask": "join", "id": 1, "address": "Press OK"}',
        b'{"show": "code", "code": "123456"}' + b" " * LONGEST_LINE,
    ],
)
def test_other_lines_are_refused(line: bytes) -> None:
    with pytest.raises(BadRequest):
        read_request(line)
