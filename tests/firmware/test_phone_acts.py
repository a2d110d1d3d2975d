"""Acts of phones: what a player may answer, what is refused, and what the journal says of it."""

import json
import socket
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.common.contract import (
    Button,
    Choice,
    Input,
    Number,
    PlaceChoice,
    Press,
    Seat,
    SeatChoice,
    Tap,
)
from engines.common.grid import Place
from engines.common.pieces import Piece
from firmware.boxes.games import games
from firmware.common.errors import WordsError
from firmware.journal.codec import HOST, UnreadableValue, decode, decode_phone, encode
from firmware.journal.journal import GameStart, Journal
from firmware.outlet.events import InputPlayed
from firmware.outlet.feed import Feed
from firmware.outlet.private import PlayerState, player_state_of
from firmware.outlet.queue import Outlet
from firmware.outlet.stream import (
    LONGEST_NAME,
    MOST_WANTED,
    ActRequest,
    BadRequest,
    JoinQuestion,
    Wanted,
    read_request,
)
from firmware.runtime.controller import decks_of
from firmware.runtime.inbox import Inbox
from firmware.runtime.local_socket import LocalClient
from firmware.show.view import JoinAddress, Notice
from firmware.table.answers import RobotSeats, SettingList
from firmware.table.events import (
    AddressChanged,
    PhoneAct,
    PhoneCommand,
    PhoneLetIn,
    PhoneRequested,
    RobotChosen,
    SettingChosen,
)
from firmware.table.modes.playing import Playing
from firmware.table.table import QUESTION_S
from firmware.voice.words import Words
from hardware.ports import Pressed
from tests.firmware.playouts import moments
from tests.firmware.tabletop import CONFIG, Tabletop, break_disk

LATE = "The game has gone on. Look again."
NOT_NOW = "That is not possible now."
REVERSE = Choice("reverse#1")


@pytest.fixture
def top(tmp_path: Path) -> Iterator[Tabletop]:
    with closing(Tabletop(tmp_path)) as made:
        made.start()
        yield made


def act(top: Tabletop, player: str | None, what: Any, moment: int | None = None) -> str:
    """Let *player* do *what* at a phone; return the sentence that refuses it."""
    at = top.journal.moment if moment is None else moment
    return top.receive(PhoneAct(player, at, what))[-1].refused


def texts(top: Tabletop, player: str) -> list[str]:
    asked = top.table.asks_of(player)
    assert asked is not None
    return [answer.text for answer in asked.answers]


# --- at the table ---------------------------------------------------------------------------------


def test_only_the_player_who_is_asked_gets_answers_and_may_give_one(top: Tabletop) -> None:
    top.tap("lamp")
    assert texts(top, "Ann") == [str(n) for n in range(1, 11)]
    assert texts(top, "Ben") == []
    assert top.table.asks_of("Zoe") is None
    for player in ("Ben", None, "Zoe"):
        assert act(top, player, Number(7)) == NOT_NOW
    others: list[Input] = [Number(11), Choice("yes"), Press(Button.ACTION), Tap(Piece("lamp", 2))]
    for what in others:
        assert act(top, "Ann", what) == NOT_NOW
    assert act(top, "Ann", Number(7), top.journal.moment - 1) == LATE
    assert top.view.headline == "0"
    assert act(top, "Ann", Number(7)) == ""
    assert top.view.headline == "7"


def test_a_phone_asks_before_a_hand_is_counted_without_its_cards(top: Tabletop) -> None:
    def questions() -> tuple[str, ...]:
        asked = top.table.asks_of("Ann")
        assert asked is not None
        return player_state_of("Ann", asked).sure

    for kind in ["weight-10"] * 4 + ["weight-9", "weight-2"]:
        top.tap(kind)
    assert texts(top, "Ann") == ["hand done"]
    assert questions() == ("4 cards are not laid yet. Go on without them?",)
    for number in range(1, 4):
        top.tap(f"weight-{number}", spot="play")
    assert questions() == ("1 card is not laid yet. Go on without it?",)


def test_a_refused_act_is_only_told_to_its_phone(top: Tabletop) -> None:
    before = top.view
    (feedback,) = top.receive(PhoneAct("Ann", 0, PhoneCommand.TAKE_BACK))
    assert feedback.refused == LATE
    assert (feedback.say, feedback.notice, feedback.flash) == ((), None, None)
    assert top.view == before


def test_a_game_below_a_list_can_be_answered_and_the_list_closes(top: Tabletop) -> None:
    top.tap("weight-7")
    top.receive(Pressed("ok"))
    assert top.view.choices is not None
    assert act(top, "Ben", PhoneCommand.TAKE_BACK) == ""
    assert top.view.choices is None
    assert top.view.headline == "0"


def test_the_player_of_a_stack_says_at_a_phone_which_piece_was_first(top: Tabletop) -> None:
    top.tap("weight-7")
    top.lay("weight-7#2", "reverse#1")
    assert top.view.asks[0].startswith("order ")
    asked = top.table.asks_of("Ben")
    assert asked is not None
    assert asked.question == "Which was first?"
    assert texts(top, "Ben") == ["the 7", "the Reverse"]
    assert texts(top, "Ann") == []
    for player, what in (("Ben", Number(1)), ("Ben", Choice("straw#1")), ("Ann", REVERSE)):
        assert act(top, player, what) == NOT_NOW
    assert act(top, "Ben", PhoneCommand.TAKE_BACK) == NOT_NOW
    moment = top.journal.moment
    assert act(top, "Ben", REVERSE) == ""
    inputs = top.journal.open_game().inputs  # type: ignore[union-attr]
    pieces = [given.piece.kind for given in inputs if isinstance(given, Tap)]
    assert pieces == ["weight-7", "reverse", "weight-7"]
    assert act(top, "Ben", REVERSE, moment) == LATE
    assert top.table.asks_of("Ben").question == ""  # type: ignore[union-attr]


@pytest.mark.parametrize("covered", ["settings", "join"])
def test_a_phone_answers_while_a_screen_of_the_table_covers_the_game(
    top: Tabletop, covered: str
) -> None:
    top.table.context.companion.address = JoinAddress("", "123456", "tapmat.local:8738")
    top.tap("lamp")
    top.card("settings")
    if covered == "join":
        top.choose("join")
    assert (top.view.join is None) == (covered == "settings")
    assert texts(top, "Ann") == [str(n) for n in range(1, 11)]
    assert act(top, "Ann", Number(7)) == ""
    assert (top.view.headline, top.view.choices, top.view.join) == ("7", None, None)


def test_a_place_on_a_map_is_an_answer_in_words_with_the_map_around_it(tmp_path: Path) -> None:
    with closing(Tabletop(tmp_path, game="camargue")) as top:
        top.start()
        pieces = decks_of(CONFIG)["camargue"].pieces()
        top.lay(str(next(piece for piece in pieces if top.table.takes(Tap(piece)))))
        asked, others = top.table.asks_of("Ann"), top.table.asks_of("Ben")
        assert asked is not None
        assert others is not None
        assert (others.answers, others.cells) == ((), ())
        grid = top.view.grid
        assert grid is not None
        assert {answer.given for answer in asked.answers} == set(map(PlaceChoice, grid.places))
        assert asked.cells == grid.board.cells != ()
        private = player_state_of("Ann", asked)
        shown = {cell.place: cell for cell in private.map}
        assert len(shown) == len(private.map)
        for given, text in private.answers:
            place = tuple(given["place"])
            assert shown[place].text in text
            assert shown[place].text.isdecimal()
            assert not shown.pop(place).icon
        assert {cell.place for cell in shown.values()} == {
            (cell.place.column, cell.place.row) for cell in asked.cells
        }


def test_the_host_ends_the_game_and_a_player_does_not(top: Tabletop) -> None:
    assert act(top, "Ann", PhoneCommand.END_GAME) == NOT_NOW
    assert act(top, None, PhoneCommand.END_GAME) == ""
    assert top.journal.open_game() is None
    assert act(top, None, PhoneCommand.END_GAME) == NOT_NOW
    assert not top.table.asks_of_host().can_end


def test_say_again_needs_no_moment(top: Tabletop) -> None:
    (feedback,) = top.receive(PhoneAct("Ann", 0, PhoneCommand.SAY_AGAIN))
    assert feedback.say
    assert not feedback.refused


def test_the_host_chooses_only_settings_that_the_table_offers(top: Tabletop) -> None:
    offered = {each.name: each for each in top.table.asks_of_host().settings}
    assert list(offered) == ["language", "level", "volume", "hints", "strength", "remarks"]
    assert act(top, None, SettingChosen("volume", "0")) == NOT_NOW
    assert act(top, None, SettingChosen("kit", "lamps")) == NOT_NOW
    assert act(top, None, SettingChosen("volume", "30")) == ""
    assert top.table.settings.volume == 30
    assert act(top, None, SettingChosen("language", "hu")) == ""
    assert {each.name: each.now for each in top.table.asks_of_host().settings} == {
        "language": "hu",
        "level": "normal",
        "volume": "30",
        "hints": "requested",
        "strength": "good",
        "remarks": "on",
    }


def test_a_setting_that_cannot_be_saved_is_told_to_its_phone_and_stays_as_it_was(
    top: Tabletop, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = top.table.settings
    mend = break_disk(monkeypatch, top.journal)
    assert act(top, None, SettingChosen("volume", "30")).startswith("This cannot be saved, so ")
    assert top.table.settings == before
    mend()
    assert act(top, None, SettingChosen("volume", "30")) == ""


class Unreadable(Tabletop):
    """A table whose Hungarian catalogue cannot be read."""

    def words_for(self, language: str) -> dict[str, Words]:
        if language == "hu":
            raise WordsError("hu.po", "", "cannot be read", "Reinstall tapmat.")
        return super().words_for(language)


def test_a_language_that_cannot_be_read_is_told_to_its_phone(tmp_path: Path) -> None:
    with closing(Unreadable(tmp_path)) as top:
        refused = act(top, None, SettingChosen("language", "hu"))
        assert refused.endswith("Check the memory card, then try again.")
        assert top.table.settings.language == "en"
        assert act(top, None, SettingChosen("language", "de")) == ""


def test_only_the_host_seats_robots_and_only_at_a_table_that_has_some(top: Tabletop) -> None:
    chosen = RobotChosen(Seat(1), "good")
    assert top.table.asks_of_host().robots == ()
    assert act(top, None, chosen) == NOT_NOW
    seats = tuple(SettingList(str(seat), "", "", (("good", "Good"),)) for seat in range(3))
    seated = dict[Seat, str]()

    def choose(seat: Seat, style: str) -> str:
        if style != "good":
            return "There is no such robot."
        seated[seat] = style
        return ""

    top.table.robots = RobotSeats(seats, choose, lambda: 0)
    assert top.table.asks_of_host().robots == seats
    assert act(top, "Ann", chosen) == NOT_NOW
    assert act(top, None, RobotChosen(Seat(2), "perfect")) == "There is no such robot."
    assert seated == {}
    assert act(top, None, chosen) == ""
    assert seated == {Seat(1): "good"}
    assert top.receive(PhoneAct(None, 0, chosen))[-1].at_s == top.now_s


@pytest.mark.parametrize("player", ["Ann", None])
def test_an_undo_at_a_phone_takes_back_the_plays_of_robots_too(
    top: Tabletop, player: str | None
) -> None:
    left = [0]
    top.table.robots = RobotSeats((), lambda _seat, _style: "", lambda: left[0])
    for kind in ("weight-7", "weight-1", "weight-2"):
        top.tap(kind)
    ann = top.table.asks_of("Ann")
    assert ann is not None
    assert not ann.can_take_back, "no person has played"
    left[0] = 2
    assert act(top, player, PhoneCommand.TAKE_BACK) == ""
    record = top.journal.open_game()
    assert record is not None
    assert record.inputs == (Tap(Piece("weight-7")),)


def test_a_player_who_must_choose_a_gift_is_offered_the_pieces_and_is_shown_in_turn(
    top: Tabletop,
) -> None:
    gifts = (Piece("weight-3"), Piece("lamp"))
    top.table.robots = RobotSeats((), lambda _seat, _style: "", lambda: 0, Seat(1), gifts)
    ben, ann = top.table.asks_of("Ben"), top.table.asks_of("Ann")
    assert ben is not None
    assert ann is not None
    assert [answer.given for answer in ben.answers] == [Choice(str(piece)) for piece in gifts]
    assert (ben.is_turn, ann.is_turn, ann.answers) == (True, False, ())
    assert act(top, "Ann", Choice(str(gifts[0]))) == NOT_NOW
    shown = top.table.for_screens(top.view)
    assert (top.view.turn, shown.turn) == (Seat(0), Seat(1))
    assert "Ben" in shown.hint


def test_a_drawn_card_is_fresh_and_said_after_the_button_alone(tmp_path: Path) -> None:
    with closing(Tabletop(tmp_path, game="ciao")) as top:
        top.start()
        top.tap("rock-green")
        drawn, other = Piece("paper-red"), Piece("rock-red")
        top.table.private.dealt_hands = {Seat(0): (other,), Seat(1): (other, drawn)}
        top.table.private.fresh = frozenset({drawn})
        asked = top.table.asks_of("Ben")
        assert asked is not None
        assert (asked.fresh, asked.has_drawn) == ((False, True), False), "it was a gift"
        assert asked.kinds == ("rock-red", "paper-red")
        top.press("action")
        asked, ann = top.table.asks_of("Ben"), top.table.asks_of("Ann")
        assert asked is not None
        assert ann is not None
        assert (asked.has_drawn, ann.has_drawn, ann.fresh) == (True, False, (False,))


@pytest.mark.parametrize("game", sorted(games()))
def test_every_answer_in_every_game_is_one_that_the_rules_take(game: str, tmp_path: Path) -> None:
    with closing(Tabletop(tmp_path, game=game)) as top:
        answered = 0
        for moment in moments(game):
            names = tuple("ABCDEFGH"[: moment.setup.seats])
            setup = moment.setup
            start = GameStart(game, names, setup.dealer, setup.options, setup.deck)
            playing = Playing(top.table.context, games()[game], start, moment.state)
            playing = playing.with_new_picker()
            view = playing.view()
            for seat in map(Seat, range(len(names))):
                for answer in playing.answers(seat):
                    answered += 1
                    assert answer.text
                    assert not isinstance(answer.given, Tap)
                    playing.after(answer.given)  # the rules do not refuse it
                    is_open = view.phase == "round-over" or not view.active
                    assert seat in view.active or is_open
            if playing.picker is not None:
                assert any(playing.answers(Seat(n)) for n in range(len(names)))
        assert answered


# --- in the journal -------------------------------------------------------------------------------


@pytest.mark.parametrize("phone", [Seat(0), Seat(3), HOST])
def test_the_journal_names_the_phone_and_reads_the_same_input(phone: Any) -> None:
    given = Number(7)
    shape = json.loads(json.dumps(encode(given) | {"phone": phone}))
    assert (decode(shape), decode_phone(shape)) == (given, phone)
    assert decode_phone(encode(given)) is None


@pytest.mark.parametrize("phone", [-1, True, "guest", None, 1.5, [0]])
def test_another_phone_in_the_journal_cannot_be_read(phone: Any) -> None:
    with pytest.raises(UnreadableValue):
        decode_phone({"number": 7, "phone": phone})


def test_the_journal_and_the_events_tell_which_phone_it_was(top: Tabletop) -> None:
    top.journal.take_new_entries()
    top.tap("lamp")
    act(top, "Ann", Number(7))
    act(top, None, PhoneCommand.TAKE_BACK)
    bodies = [entry.body for entry in top.journal.take_new_entries()]
    assert [body.get("phone") for body in bodies] == [None, 0, "host"]
    moment = top.journal.moment
    top.again()
    assert top.journal.moment == moment
    record = top.journal.open_game()
    assert record is not None
    assert len(record.inputs) == 1
    outlet = Outlet()
    feed = Feed(outlet)
    feed.put_entries(list(top.journal.entries(record.number)), [])
    played = [e.event for e in outlet.read(0).events if isinstance(e.event, InputPlayed)]
    assert [event.phone for event in played] == [None, Seat(0)]


def test_the_moment_is_the_last_entry_about_a_game(tmp_path: Path) -> None:
    with closing(Journal(tmp_path / "journal.sqlite")) as journal:
        assert journal.moment == 0
        journal.note_setting("volume", 30)
        assert journal.moment == 0


@pytest.mark.parametrize("player", [None, "Ann"])
def test_the_table_shows_the_question_about_a_phone_for_a_while(
    top: Tabletop, player: str | None
) -> None:
    top.receive(PhoneRequested("42", player))
    asked = top.view.notice
    assert asked is not None
    assert "42" in asked.happened
    top.now_s += QUESTION_S - 1.0
    assert top.view.notice is not None
    top.now_s += 1.0
    assert top.view.notice is None


@pytest.mark.parametrize(
    ("player", "text"), [("Ben", "Ben is in."), (None, "The host's phone is in.")]
)
def test_the_table_says_who_is_in_and_closes_the_code(
    top: Tabletop, player: str | None, text: str
) -> None:
    top.receive(AddressChanged(JoinAddress("", "123456", "tapmat.local:8738")))
    top.press()
    top.choose("join")
    assert top.view.join is not None
    (told,) = top.receive(PhoneLetIn(player))
    assert top.view.join is None
    assert top.view.notice == Notice(text)
    assert [line.text for line in told.say] == [text]


def test_a_wrong_claim_is_not_offered_if_the_hand_is_known(top: Tabletop) -> None:
    def asked() -> PlayerState:
        found = top.table.asks_of("Ann")
        assert found is not None
        return player_state_of("Ann", found)

    assert texts(top, "Ann") == ["can't play"]
    assert asked().claims == (True,)
    assert (asked().sure, asked().marks) == (("",), None), "the table knows no hand"
    top.table.private.dealt_hands = {Seat(0): (Piece("weight-5"), Piece("flying-carpet-5"))}
    assert asked().marks == ("fits", "")
    assert texts(top, "Ann") == []
    top.table.private.dealt_hands = {Seat(0): ()}
    assert texts(top, "Ann") == ["can't play"]
    assert asked().sure == ("",), "nothing can be played"


def test_a_card_that_would_break_the_back_has_a_warning(top: Tabletop) -> None:
    for kind in ["weight-10"] * 4 + ["weight-9"]:
        top.tap(kind)
    player = top.names[top.view.turn or 0]
    top.table.private.dealt_hands = {
        Seat(top.view.turn or 0): (Piece("weight-1", 3), Piece("weight-7", 3))
    }
    asked = top.table.asks_of(player)
    assert asked is not None
    assert asked.marks == ("fits", "warned")


# --- the lines of the local socket ----------------------------------------------------------------


def test_the_lines_of_phones_are_read() -> None:
    asked = read_request(b'{"ask": "phone", "id": 8, "code": "42", "player": "Ann"}')
    assert asked == JoinQuestion(8, PhoneRequested("42", "Ann"))
    assert read_request(b'{"want": ["Ann", null]}') == Wanted(frozenset({"Ann", None}))
    acts: dict[str, Input | PhoneCommand | SettingChosen | RobotChosen] = {
        '{"choice": "yes"}': Choice("yes"),
        '{"seat": 1}': SeatChoice(Seat(1)),
        '{"press": "ok"}': Press(Button.OK),
        '{"place": [2, -1]}': PlaceChoice(Place(2, -1)),
        '"take-back"': PhoneCommand.TAKE_BACK,
        '"here"': PhoneCommand.HERE,
        '{"robot": "good", "seat": 1}': RobotChosen(Seat(1), "good"),
        '{"robot": "", "seat": 0}': RobotChosen(Seat(0), ""),
        '{"setting": "language", "value": "de"}': SettingChosen("language", "de"),
    }
    for text, what in acts.items():
        line = f'{{"act": {text}, "id": 9, "player": null, "moment": 120}}'
        assert read_request(line.encode()) == ActRequest(9, PhoneAct(None, 120, what))


@pytest.mark.parametrize(
    "line",
    [
        '{"ask": "phone", "id": 8, "code": "4", "player": "Ann"}',
        '{"ask": "phone", "id": 8, "code": "42", "player": ""}',
        '{"ask": "phone", "id": 8, "code": "42", "player": 1}',
        '{"ask": "phone", "id": 8, "code": "42"}',
        '{"ask": "phone", "id": true, "code": "42", "player": null}',
        '{"want": "Ann"}',
        '{"want": [1]}',
        '{"want": [[]]}',
        json.dumps({"want": ["x" * (LONGEST_NAME + 1)]}),
        json.dumps({"want": [str(n) for n in range(MOST_WANTED + 1)]}),
        '{"act": {"tap": "lamp#1"}, "id": 1, "player": "Ann", "moment": 1}',
        '{"act": {"number": 7, "phone": 0}, "id": 1, "player": "Ann", "moment": 1}',
        '{"act": {"number": "7"}, "id": 1, "player": "Ann", "moment": 1}',
        '{"act": {}, "id": 1, "player": "Ann", "moment": 1}',
        '{"act": [], "id": 1, "player": "Ann", "moment": 1}',
        '{"act": {"robot": "good"}, "id": 1, "player": null, "moment": 1}',
        '{"act": {"robot": null, "seat": 1}, "id": 1, "player": null, "moment": 1}',
        '{"act": {"robot": "good", "seat": -1}, "id": 1, "player": null, "moment": 1}',
        '{"act": {"robot": "good", "seat": 1, "x": 1}, "id": 1, "player": null, "moment": 1}',
        '{"act": "dance", "id": 1, "player": "Ann", "moment": 1}',
        '{"act": "take-back", "id": 1, "player": "Ann", "moment": true}',
        '{"act": "take-back", "id": 1, "player": "Ann", "moment": -1}',
        '{"act": "take-back", "id": 1, "player": "Ann", "moment": 2147483648}',
        '{"act": "take-back", "id": 1, "player": "Ann"}',
        '{"act": "take-back", "id": 1, "player": "Ann", "moment": 1, "more": 1}',
        '{"act": {"setting": "a b", "value": "de"}, "id": 1, "player": null, "moment": 1}',
        '{"act": {"setting": "volume", "value": 30}, "id": 1, "player": null, "moment": 1}',
    ],
)
def test_other_lines_of_phones_are_refused(line: str) -> None:
    with pytest.raises(BadRequest):
        read_request(line.encode())


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["number", "choice", "place", "press", "x"]), inner)
    ),
    max_leaves=6,
)


@settings(deadline=None)
@given(st.fixed_dictionaries({"act": json_values, "id": json_values, "player": json_values}))
def test_no_line_raises_anything_else(shape: dict[str, Any]) -> None:
    with suppress(BadRequest):
        read_request(json.dumps({**shape, "moment": 1}).encode())


def test_a_client_gets_only_the_private_states_that_it_wants(top: Tabletop) -> None:
    outlet = Outlet()
    outlet.wanted = frozenset({"Ann", "Ben", None, "Zoe"})
    feed = Feed(outlet)
    hands = (Piece("weight-7", 1), Piece("weight-8", 1)), (Piece("weight-9", 1),)
    top.table.private.dealt_hands = {Seat(seat): hand for seat, hand in enumerate(hands)}
    feed.keep_private(top.table)
    with socket.socket() as unused:
        ann, nobody = LocalClient(unused, wanted=frozenset({"Ann"})), LocalClient(unused)
        (line,) = ann.private_lines(outlet.private).splitlines()
        shown = json.loads(line)["private"]
        assert (shown["player"], shown["state"]["hand"]) == ("Ann", ["the 7", "the 8"])
        assert b"Ben" not in line
        assert nobody.private_lines(outlet.private) == b""
        assert ann.private_lines(outlet.private) == b"", "nothing is new"
        ann.wanted = frozenset()
        assert json.loads(ann.private_lines(outlet.private)) == {
            "private": {"player": "Ann", "state": None}
        }
    assert set(outlet.private) == {"Ann", "Ben", None}


def test_private_states_are_made_again_only_after_a_change(top: Tabletop) -> None:
    outlet = Outlet()
    outlet.wanted = frozenset({"Ann"})
    feed = Feed(outlet)
    feed.keep_private(top.table)
    before = outlet.private
    feed.keep_private(top.table)
    assert outlet.private is before
    top.tap("lamp")
    feed.keep_private(top.table)
    assert outlet.private != before


# --- in the inbox ---------------------------------------------------------------------------------


def test_an_act_is_answered_when_the_table_has_handled_it() -> None:
    inbox, heard = Inbox(), list[tuple[int, bool, str]]()
    for number in (1, 2):
        request = ActRequest(number, PhoneAct("Ann", 1, PhoneCommand.SAY_AGAIN))
        inbox.put(request, lambda *answer: heard.append(answer))
    assert len(inbox.take(0.0)) == 2
    assert heard == []
    inbox.settle("")
    inbox.settle(LATE)
    assert heard == [(1, True, ""), (2, False, LATE)]


def test_a_phone_is_refused_when_its_question_is_no_longer_shown() -> None:
    inbox, heard = Inbox(), list[tuple[int, bool, str]]()
    shown = Notice("Phone 42 for Ann?")
    inbox.put(JoinQuestion(1, PhoneRequested("42", "Ann")), lambda *answer: heard.append(answer))
    inbox.take(0.0)
    inbox.note_question(shown)
    inbox.check_question(shown)
    assert heard == []
    inbox.check_question(Notice("Phone 42 for Ann?"))
    assert heard == [(1, False, "")]
    ok = (Pressed("ok"),)
    assert inbox.unanswering(ok) is ok
