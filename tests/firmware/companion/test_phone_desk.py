"""The phone book and the phone desk: whose a phone is, and what gets through to the table."""

import json
import re
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nacl.public import Box, PrivateKey, PublicKey

from firmware.companion.phone_book import (
    MOST_PHONES,
    MOST_PLAYERS,
    NAME,
    KnownPhone,
    PhoneBook,
)
from firmware.companion.phone_desk import ASK_AGAIN_S, MOST_SESSIONS, PhoneDesk, Refused
from firmware.companion.roles import Role
from firmware.companion.sealing import PAD, SealedSession, Sealer
from firmware.companion.table_link import TableLink
from firmware.companion.watch_link import WatchLink
from firmware.outlet.stream import read_request
from tests.effort import some
from tests.sim.web import aside

ZERO = "A" * 43 + "="  # 32 zero bytes: with that key, everybody could read
STATE = {"names": ["Ann", "Ben"], "game": "straw"}
ANN = {
    "player": "Ann",
    "moment": 5,
    "answers": [[{"number": 1}, "1"], [{"press": "ok"}, "next round"]],
    "can_take_back": True,
    "hand": ["Lamp", "7"],
}
HOST = {"moment": 5, "settings": [{"name": "language", "values": [["en", "English"]]}]}


class Link:
    """A table that remembers all it is asked, and agrees or refuses."""

    def __init__(self) -> None:
        self.state: dict[str, Any] | None = STATE
        self.wanted: set[str | None] = set()
        self.asked: list[str | None] = []
        self.acts: list[tuple[Any, str | None, int]] = []
        self.agrees = True
        self.why = "refused"  # without an answer: empty

    def want(self, players: set[str | None]) -> None:
        self.wanted = players

    async def people_agree_to_phone(self, code: str, player: str | None) -> tuple[bool, str]:
        assert len(code) == 2
        self.asked.append(player)
        return self.agrees, "" if self.agrees else self.why

    async def act(self, act: Any, player: str | None, moment: int) -> tuple[bool, str]:
        self.acts.append((act, player, moment))
        return True, ""


class Desk:
    """A desk with one table, and phones that talk to it."""

    def __init__(self, folder: Path) -> None:
        self.link, self.now_s = Link(), 0.0
        self.book = PhoneBook(folder)
        self.place = "192.0.2.7:8738"
        self.ended = 0
        watch = WatchLink(lambda: self.place, self.end_pages)
        self.desk = PhoneDesk(self.book, cast(TableLink, self.link), watch, lambda: self.now_s)

    def end_pages(self) -> None:
        self.ended += 1


class Pocket:
    """A phone of *viewer* at a desk, without a network."""

    def __init__(self, desk: Desk, viewer: str = "viewer") -> None:
        self.desk, self.viewer = desk, viewer
        self.own = PrivateKey.generate()
        self.key = b64encode(bytes(self.own.public_key)).decode()
        self.raw: list[tuple[str, Any]] = []
        self.sent = 0
        self.session = self.open()

    def open(self) -> SealedSession:
        return self.desk.desk.open(self.key, self.viewer, lambda *sent: self.raw.append(sent))

    @property
    def box(self) -> Box:
        theirs = next(value for kind, value in self.raw if kind == "key")
        return Box(self.own, PublicKey(b64decode(theirs)))

    @property
    def news(self) -> dict[str, Any]:
        sealed = [value for kind, value in self.raw if kind == "sealed"]
        opened = [json.loads(self.box.decrypt(b64decode(each))) for each in sealed]
        return {each["kind"]: each["value"] for each in opened}

    def send(self, message: Any, viewer: str | None = None) -> Any:
        self.sent += 1
        if isinstance(message, dict):
            message = {"session": self.session.name, "up": self.sent} | message
        text = json.dumps(message).encode()
        sealed = b64encode(self.box.encrypt(text)).decode()
        desk, name = self.desk.desk, self.viewer if viewer is None else viewer
        reply = aside.run(desk.receive(self.key, name, sealed))
        return json.loads(self.box.decrypt(b64decode(reply)))["value"]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


# --- the book -------------------------------------------------------------------------------------


def test_a_phone_is_known_after_a_restart_but_only_for_its_viewer(tmp_path: Path) -> None:
    book = PhoneBook(tmp_path)
    book.sit("key", "viewer", "Ann")
    book.make_host("key", "viewer")
    again = PhoneBook(tmp_path)
    assert again.phone("key", "viewer").roles == {Role.SEAT, Role.HOST}
    assert again.phone("key", "thief").roles == {Role.GUEST}
    assert again.phone("other", "viewer").roles == {Role.GUEST}
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o600
    again.remove("key")
    assert PhoneBook(tmp_path).phones == ()


def test_a_seat_has_one_phone_and_a_phone_one_seat(tmp_path: Path) -> None:
    book = PhoneBook(tmp_path)
    book.sit("one", "v", "Ann")
    book.make_host("one", "v")
    book.sit("two", "v", "Ann")
    assert book.phone("one", "v") == KnownPhone("one", "v", is_host=True)
    book.sit("two", "v", "Ben")
    assert [(each.key, each.player) for each in book.phones] == [("one", ""), ("two", "Ben")]


def test_the_oldest_phones_make_room(tmp_path: Path) -> None:
    book = PhoneBook(tmp_path)
    for number in range(MOST_PLAYERS + 2):
        book.sit(f"key {number}", "v", f"Player {number}")
    assert len(book.phones) == MOST_PLAYERS
    assert book.phone("key 1", "v").roles == {Role.GUEST}
    for number in range(MOST_PHONES + 2):
        book.make_host(f"host {number}", "v")
    assert len(book.phones) == MOST_PHONES


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"phones": 3}', '{"phones": [1]}', '{"phones": [{"key": 1}]}', "\0"]
)
def test_a_damaged_book_only_forgets(tmp_path: Path, text: str) -> None:
    (tmp_path / NAME).write_text(text, encoding="ascii")
    assert PhoneBook(tmp_path).phones == ()


# --- the desk -------------------------------------------------------------------------------------


def test_a_phone_gets_only_the_state_of_its_player(desk: Desk) -> None:
    ann, guest = Pocket(desk), Pocket(desk)
    assert desk.link.wanted == set()
    assert ann.send({"do": "sit", "player": "Ann"}) == {}
    assert desk.link.wanted == {"Ann"}
    desk.desk.hear("Ann", ANN)
    desk.desk.hear("Ben", {"player": "Ben"})
    desk.desk.hear(None, HOST)
    assert ann.news["mine"] == ANN
    assert "host" not in ann.news
    you = {"player": "", "isHost": False, "isRemoved": False, "taken": ["Ann"]}
    assert guest.news == {"you": you, "mine": None}
    assert guest.send({"do": "host"}) == {}
    assert desk.link.wanted == {"Ann", None}
    assert guest.news["host"] == HOST
    assert guest.news["mine"] is None
    desk.desk.close(ann.session)
    assert desk.link.wanted == {None}
    desk.desk.forget()
    assert guest.news["host"] is None


def test_the_same_key_of_another_viewer_is_a_guests(desk: Desk) -> None:
    ann = Pocket(desk)
    ann.send({"do": "sit", "player": "Ann"})
    desk.desk.hear("Ann", ANN)
    ann.viewer, ann.raw = "after the viewer was removed", []
    ann.session = ann.open()
    assert ann.news["mine"] is None
    assert ann.send({"do": "act", "act": {"number": 1}, "moment": 5}) == {"code": "not-yours"}
    with pytest.raises(Refused):
        ann.send({"do": "leave"}, viewer="somebody else")
    assert desk.link.acts == []


def test_the_phones_of_a_removed_viewer_are_forgotten(desk: Desk) -> None:
    ann, ben = Pocket(desk), Pocket(desk, "other")
    assert ann.send({"do": "sit", "player": "Ann"}) == {}
    assert ben.send({"do": "sit", "player": "Ben"}) == {}
    desk.desk.remove_viewer("viewer")
    assert [phone.player for phone in desk.book.phones] == ["Ben"]
    assert ann.news["you"]["player"] == ""
    assert desk.link.wanted == {"Ben"}


def test_only_what_is_offered_gets_through(desk: Desk) -> None:
    ann = Pocket(desk)
    ann.send({"do": "sit", "player": "Ann"})
    act = {"do": "act", "moment": 5, "act": {"number": 1}}
    assert ann.send(act) == {"code": "late"}, "nothing is known yet"
    desk.desk.hear("Ann", ANN)
    others: list[Any] = [
        {"number": 2},
        {"press": "ok", "x": 1},
        {"number": 1.5},
        [],
        None,
        {"tap": "7#1"},
    ]
    for wrong in others:
        assert ann.send(act | {"act": wrong})["code"] in ("late", "not-yours")
    desk.now_s += 60
    assert ann.send(act) == {}
    assert desk.link.acts == [({"number": 1}, "Ann", 5)]


def test_only_a_seat_gives_signs_of_life_and_they_block_no_act(desk: Desk) -> None:
    guest, ann = Pocket(desk), Pocket(desk, "other")
    assert guest.send({"do": "here"}) == {"code": "not-yours"}
    ann.send({"do": "sit", "player": "Ann"})
    ann.session.is_acting = True  # an act waits for the table
    assert ann.send({"do": "here"}) == {}
    assert desk.link.acts == [("here", "Ann", 0)]


def test_the_hand_reader_is_freed_only_if_somebody_has_it(desk: Desk) -> None:
    host = Pocket(desk)
    host.send({"do": "host"})
    free = {"do": "act", "act": "free-hand-reader", "moment": 5}
    desk.desk.hear(None, HOST | {"hand_reader_of": ""})
    assert host.send(free) == {"code": "late"}
    desk.desk.hear(None, HOST | {"hand_reader_of": "Ann"})
    assert host.send(free) == {}
    assert desk.link.acts == [("free-hand-reader", None, 5)]


STICKERS = (
    {"stickers": "open", "value": "straw-2", "step": 0},
    {"stickers": "press", "value": "back", "step": 3},
    {"stickers": "choose", "value": "gol#2", "step": 3},
)
OPEN_BOX = {"buttons": [["back", "back"]], "items": [["gol#2", "copy 2"]]}


@pytest.mark.parametrize("act", STICKERS)
def test_a_host_does_with_stickers_what_the_table_can_read(desk: Desk, act: Any) -> None:
    host = Pocket(desk)
    desk.book.make_host(host.key, "viewer")
    desk.desk.hear(None, {**HOST, "stickers": {"box": OPEN_BOX}})
    assert host.send({"do": "act", "act": act, "moment": 5}) == {}
    assert desk.link.acts == [(act, None, 5)]
    assert read_request(json.dumps({"act": act, "id": 1, "player": None, "moment": 5}).encode())
    desk.desk.hear(None, {**HOST, "stickers": {"box": None}})
    told = host.send({"do": "act", "act": act, "moment": 5})
    assert told == ({} if act["stickers"] == "open" else {"code": "late"})


@pytest.mark.parametrize(
    "change",
    [
        *({"value": "a b"}, {"value": None}, {"value": ["straw"]}, {"step": -1}, {"step": True}),
        *({"step": 1 << 31}, {"step": None}, {"more": 1}, {"stickers": "burn"}, {"stickers": []}),
        *({"stickers": "press"}, {"stickers": "choose", "value": "back"}),
    ],
)
def test_nothing_about_stickers_that_the_table_cannot_read_reaches_it(
    desk: Desk, change: Any
) -> None:
    """The table disconnects a companion that sends such a line."""
    host = Pocket(desk)
    desk.book.make_host(host.key, "viewer")
    desk.desk.hear(None, {**HOST, "stickers": {"box": OPEN_BOX}})
    act = {**STICKERS[0], **change}
    assert host.send({"do": "act", "act": act, "moment": 5}) == {"code": "late"}
    assert desk.link.acts == []


def test_a_phone_that_was_refused_waits_and_only_one_asks(desk: Desk) -> None:
    phone, other = Pocket(desk), Pocket(desk, "other")
    desk.link.agrees = False
    assert phone.send({"do": "sit", "player": "Ann"}) == {"code": "refused"}
    assert phone.send({"do": "host"}) == {"code": "too-soon"}
    assert other.send({"do": "sit", "player": "Zoe"}) == {"code": "wrong"}
    desk.link.agrees = True
    assert other.send({"do": "sit", "player": "Ben"}) == {}
    desk.now_s += ASK_AGAIN_S
    assert phone.send({"do": "sit", "player": "Ann"}) == {}
    assert other.send({"do": "sit", "player": "Ann"}) == {"code": "taken"}
    desk.link.state = None
    assert other.send({"do": "sit", "player": "Ann", "instead": True}) == {"code": "off"}
    assert desk.link.asked == ["Ann", "Ben", "Ann"]


def test_a_question_that_nobody_answered_is_no_refusal(desk: Desk) -> None:
    desk.link.agrees, desk.link.why = False, ""
    assert Pocket(desk).send({"do": "sit", "player": "Ann"}) == {"code": "unanswered"}


def test_too_many_requests_wait_and_too_many_streams_are_refused(desk: Desk) -> None:
    phone = Pocket(desk)
    replies = [phone.send({"do": "fly"})["code"] for _ in range(20)]
    assert replies[0] == "wrong"
    assert replies[-1] == "busy"
    for _ in range(MOST_SESSIONS - 1):
        phone.open()
    with pytest.raises(Refused):
        phone.open()


@pytest.mark.parametrize("key", ["", "x", ZERO, "a" * 44, "é" * 44, "A" * 4000])
def test_what_is_no_key_is_refused(desk: Desk, key: str) -> None:
    with pytest.raises(Refused):
        desk.desk.open(key, "viewer", lambda *_: None)


def test_hands_of_every_length_have_one_length_on_the_wire(tmp_path: Path) -> None:
    own = PrivateKey.generate()
    key = b64encode(bytes(own.public_key)).decode()
    session = Sealer().session(key, "viewer")
    hands: tuple[list[str], ...] = (["7"], ["The Copy of the Lamp"] * 3, [])
    lengths = {len(session.seal("mine", ANN | {"hand": hand})) for hand in hands}
    assert len(lengths) == 1
    assert len(b64decode(session.seal("mine", None))) == PAD + Box.NONCE_SIZE + 16


leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(
        ["sit", "host", "leave", "act", "remove", "Ann", "take-back", "end-game", "language", "de"]
    )
)
anything = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["do", "act", "moment", "player", "key", "setting", "value"]), inner
        )
    ),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Pocket:
    """A guest at a table whose people refuse every phone."""
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.link.agrees = False
    desk.desk.hear("Ann", ANN)
    desk.desk.hear(None, HOST)
    return Pocket(desk)


@settings(deadline=None, max_examples=some(1000))
@given(
    message=anything | st.dictionaries(st.sampled_from(["do", "act", "moment", "player"]), anything)
)
def test_no_message_of_a_guest_does_anything(guest: Pocket, message: Any) -> None:
    guest.session.allowance._left = 10.0
    try:
        reply = guest.send(message)
    except Refused:
        assert not isinstance(message, dict)
    else:
        assert reply["code"] in ("wrong", "not-yours", "refused", "busy", "too-soon")
    assert guest.desk.link.acts == []
    assert guest.desk.book.phones == ()


# --- the link for watching ------------------------------------------------------------------------


def test_a_host_makes_a_link_for_watching_and_takes_it_back(desk: Desk) -> None:
    one, other, guest = Pocket(desk), Pocket(desk, "other"), Pocket(desk, "guest")
    for host in (one, other):
        assert host.send({"do": "host"}) == {}
    assert one.send({"do": "share-link"}) == {}
    link = one.news["watching"]
    assert re.fullmatch(r"http://192\.0\.2\.7:8738/#[\w-]{22}", link)
    assert other.send({"do": "share-link"}) == {}
    assert other.news["watching"] == one.news["watching"] == link
    assert "watching" not in guest.news
    assert desk.ended == 0
    assert other.send({"do": "end-link"}) == {}
    assert (one.news["watching"], desk.ended) == ("", 1)
    assert one.send({"do": "share-link"}) == {}
    assert one.news["watching"] not in ("", link)


@pytest.mark.parametrize("act", ["share-link", "end-link"])
def test_only_a_host_changes_the_link(desk: Desk, act: str) -> None:
    guest, ann = Pocket(desk), Pocket(desk, "ann")
    assert ann.send({"do": "sit", "player": "Ann"}) == {}
    for phone in (guest, ann):
        assert phone.send({"do": act}) == {"code": "not-yours"}
        assert "watching" not in phone.news
    assert desk.ended == 0


def test_without_a_network_there_is_no_link(desk: Desk) -> None:
    host = Pocket(desk)
    assert host.send({"do": "host"}) == {}
    desk.place = ""
    assert host.send({"do": "share-link"}) == {"code": "no-network"}
    assert host.news["watching"] == ""
