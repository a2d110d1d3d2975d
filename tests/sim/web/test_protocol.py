"""What pages send is checked once, and what is wrong is said."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.common.grid import Place
from sim.web import protocol
from sim.web.protocol import BadMessage, read


@pytest.mark.parametrize(
    ("sent", "ask"),
    [
        ({"type": "lay", "tags": ["a/b#1"], "spot": "play"}, protocol.Lay(("a/b#1",), "play")),
        ({"type": "lift", "tags": ["x"], "spot": "hand"}, protocol.Lift(("x",), "hand")),
        ({"type": "lay", "tags": ["x", "x"], "spot": "play"}, protocol.Lay(("x",), "play")),
        ({"type": "down", "button": "ok"}, protocol.Down("ok")),
        ({"type": "up", "button": "ok"}, protocol.Up("ok")),
        ({"type": "turn", "steps": -3}, protocol.Turn(-3)),
        ({"type": "place", "at": [2, -1]}, protocol.ChoosePlace(Place(2, -1))),
        ({"type": "tilt"}, protocol.Tilt()),
        ({"type": "power", "on": False}, protocol.Power(False)),
        ({"type": "fault", "name": "flicker", "part": "play"}, protocol.Fault("flicker", "play")),
        (
            {"type": "deal", "game": "straw", "players": 3, "hotSeat": True},
            protocol.Deal("straw", 3, True),
        ),
        ({"type": "undeal"}, protocol.Undeal()),
        ({"type": "move", "from": 17, "to": 3}, protocol.Move(17, 3)),
        ({"type": "give", "card": "ciao/obstacle#1"}, protocol.Give("ciao/obstacle#1")),
        ({"type": "load", "piece": "riff-raff/red-rat#1"}, protocol.Load("riff-raff/red-rat#1")),
        (
            {"type": "spill", "fallen": ["riff-raff/red-rat#1"], "caught": []},
            protocol.Spill(("riff-raff/red-rat#1",), ()),
        ),
        ({"type": "choose", "value": "3"}, protocol.Choose("3")),
        ({"type": "show", "seat": 2}, protocol.Show(2)),
        ({"type": "cover"}, protocol.Cover()),
        ({"type": "export"}, protocol.Export()),
        ({"type": "pair", "code": "471100"}, protocol.Pair("471100")),
    ],
)
def test_every_message_is_read(sent: dict[str, Any], ask: protocol.Ask) -> None:
    assert read(json.dumps(sent)) == (ask, None)
    assert read(json.dumps({**sent, "id": 7})) == (ask, 7)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[1]", "no JSON object"),
        ('{"type": "lya"}', 'Did you mean "lay"?'),
        ('{"type": 3}', "type must be a text"),
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
        ('{"type": "lay", "tags": ["x", 3], "spot": "play"}', "list of texts"),
        ('{"type": "move", "from": 0, "to": 3}', "from 1 to 9999"),
        ('{"type": "show", "seat": 0}', "from 1 to 6"),
        ('{"type": "give", "card": ""}', "text of 1 to 60 letters"),
        ('{"type": "load", "piece": 1}', "text of 1 to 60 letters"),
        ('{"type": "spill", "fallen": []}', "caught must be a list of 0 to 32 texts"),
        ('{"type": "choose"}', "text of 1 to 60 letters"),
        ('{"type": "export", "id": "one"}', "no whole number"),
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
        assert isinstance(read(text)[0], protocol.Ask)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=80),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)


@given(kind=st.sampled_from(sorted(protocol.READERS)), fields=st.dictionaries(st.text(), JSON))
def test_no_fields_do_more_than_be_refused(kind: str, fields: dict[str, Any]) -> None:
    with suppress(BadMessage):
        assert isinstance(read(json.dumps({**fields, "type": kind}))[0], protocol.Ask)
