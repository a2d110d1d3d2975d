"""Tests of the messages from pages: each is checked on arrival, and errors are explained."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.common.grid import Place
from sim.deal import requests
from sim.deal.layout import HandAct
from sim.web import protocol
from sim.web.protocol import BadMessage, read


@pytest.mark.parametrize(
    ("sent", "ask"),
    [
        ({"type": "lay", "tags": ["a/b#1"], "spot": "play"}, requests.Lay(("a/b#1",), "play")),
        ({"type": "lift", "tags": ["x"], "spot": "hand"}, requests.Lift(("x",), "hand")),
        ({"type": "lay", "tags": ["x", "x"], "spot": "play"}, requests.Lay(("x",), "play")),
        ({"type": "down", "button": "ok"}, requests.HoldButton("ok")),
        ({"type": "down", "button": "ok", "inputs": 12}, requests.HoldButton("ok", 12)),
        ({"type": "up", "button": "ok"}, requests.ReleaseButton("ok")),
        ({"type": "turn", "steps": -3}, requests.TurnEncoder(-3)),
        ({"type": "place", "at": [2, -1]}, requests.ChoosePlace(Place(2, -1))),
        ({"type": "tilt"}, requests.RockTilt()),
        ({"type": "power", "on": False}, requests.SetPower(False)),
        (
            {"type": "fault", "name": "flicker", "part": "play"},
            requests.SetFault("flicker", "play"),
        ),
        (
            {"type": "deal", "game": "straw", "players": 3, "hotSeat": True},
            requests.DealCards("straw", 3, True),
        ),
        (
            {
                "type": "begin",
                "game": "straw",
                "names": ["Ann", "Ben"],
                "robots": [None, "good"],
                "options": {"cannot-play": "passes"},
            },
            requests.BeginGame("straw", ("Ann", "Ben"), (None, "good"), {"cannot-play": "passes"}),
        ),
        (
            {"type": "begin", "game": "straw", "names": ["Ann"], "robots": [None], "learn": True},
            requests.BeginGame("straw", ("Ann",), (None,), {}, is_lesson=True),
        ),
        (
            {"type": "begin", "game": "straw", "names": ["Ann"], "robots": [None], "quick": True},
            requests.BeginGame("straw", ("Ann",), (None,), {}, is_quick=True),
        ),
        ({"type": "undeal"}, requests.GatherCards()),
        ({"type": "take-back"}, requests.TakeBack()),
        (
            {"type": "by-hand", "act": "move", "from": 17, "to": 3},
            HandAct("move", {"from": 17, "to": 3}),
        ),
        (
            {"type": "by-hand", "act": "give", "card": "ciao/obstacle#1"},
            HandAct("give", {"card": "ciao/obstacle#1"}),
        ),
        (
            {"type": "by-hand", "act": "spill", "fallen": ["riff-raff/red-rat#1"], "caught": []},
            HandAct("spill", {"fallen": ("riff-raff/red-rat#1",), "caught": ()}),
        ),
        ({"type": "report"}, requests.ReportFall()),
        ({"type": "choose", "value": "3"}, requests.ChooseItem("3")),
        ({"type": "choose", "value": "3", "inputs": 0}, requests.ChooseItem("3", 0)),
        ({"type": "show", "seat": 2}, requests.ShowHand(2)),
        ({"type": "cover"}, requests.CoverHand()),
        ({"type": "language", "code": "de"}, requests.ChooseLanguage("de")),
        ({"type": "export"}, requests.Export()),
        ({"type": "pair", "code": "471100"}, requests.Pair("471100")),
    ],
)
def test_every_message_is_read(sent: dict[str, Any], ask: requests.Request) -> None:
    assert read(json.dumps(sent)) == (ask, None)
    assert read(json.dumps({**sent, "id": 7})) == (ask, 7)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[1]", "not a JSON object"),
        ('{"type": "lya"}', 'Did you mean "lay"?'),
        ('{"type": 3}', "type must be a string"),
        ('{"type": "begin", "names": []}', "names must be a list of 1 to 6 seats"),
        ('{"type": "begin", "names": [7]}', "names must be a list of null or strings"),
        ('{"type": "begin", "names": ["Ann"], "robots": [null, null]}', "lists of the same length"),
        (
            '{"type": "begin", "game": "straw", "names": ["Ann"], "robots": [null], "options": 3}',
            "options must be an object of at most 40 strings",
        ),
        ('{"type": "turn", "steps": 21}', "from -20 to 20"),
        ('{"type": "turn", "steps": true}', "from -20 to 20"),
        ('{"type": "place"}', "at must be a column and a row, each from -999 to 999"),
        ('{"type": "place", "at": [2]}', "a column and a row"),
        ('{"type": "place", "at": [2, 1.0]}', "a column and a row"),
        ('{"type": "place", "at": [2, true]}', "a column and a row"),
        ('{"type": "place", "at": [2, 1000]}', "a column and a row"),
        ('{"type": "place", "at": "2,1"}', "a column and a row"),
        ('{"type": "power", "on": 1}', "true or false"),
        ('{"type": "lay", "tags": [], "spot": "play"}', "list of 1 to 12"),
        ('{"type": "lay", "tags": ["x", 3], "spot": "play"}', "list of strings"),
        ('{"type": "by-hand", "from": 1, "to": 3}', "act must be a string of 1 to 60 characters"),
        ('{"type": "by-hand", "act": "move", "to": 10000}', "from -9999 to 9999"),
        ('{"type": "by-hand", "act": "move", "to": true}', "from -9999 to 9999"),
        ('{"type": "by-hand", "act": "move", "to": {"at": 1}}', "from -9999 to 9999"),
        (
            json.dumps({"type": "by-hand", "act": "x", **dict.fromkeys("abcdefghi", 1)}),
            "at most 10",
        ),
        ('{"type": "show", "seat": 0}', "from 1 to 6"),
        ('{"type": "by-hand", "act": "give", "card": ""}', "string of 1 to 60 characters"),
        ('{"type": "by-hand", "act": "spill", "fallen": [1]}', "fallen must be a list of strings"),
        ('{"type": "choose"}', "string of 1 to 60 characters"),
        ('{"type": "export", "id": "one"}', "not a whole number"),
        ('{"type": "export", "id": null}', "not a whole number"),
        ('{"type": "power", "On": true, "on": true}', 'no field On. Did you mean "on"?'),
        ('{"type": "export", "format": "mat"}', "no field format. The fields are: type, id."),
    ],
)
def test_what_is_wrong_with_a_message_is_said(text: str, says: str) -> None:
    with pytest.raises(BadMessage, match=r"(?s).+") as bad:
        read(text)
    assert says in str(bad.value)


def test_the_answer_to_a_wrong_message_names_its_id() -> None:
    with pytest.raises(BadMessage) as bad:
        read('{"type": "turn", "steps": "far", "id": 12}')
    assert bad.value.about == 12


@given(st.text() | st.binary().map(lambda b: b.decode("latin-1")))
def test_no_text_does_more_than_be_refused(text: str) -> None:
    with suppress(BadMessage):
        assert isinstance(read(text)[0], requests.Request)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=80),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)


@given(kind=st.sampled_from(sorted(protocol.READERS)), fields=st.dictionaries(st.text(), JSON))
def test_no_fields_do_more_than_be_refused(kind: str, fields: dict[str, Any]) -> None:
    with suppress(BadMessage):
        assert isinstance(read(json.dumps({**fields, "type": kind}))[0], requests.Request)
