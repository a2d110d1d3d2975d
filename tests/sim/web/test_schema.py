"""Tests of the schema of the messages: the server sends and accepts what it describes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import Mock

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from firmware.boxes.games import games
from firmware.config.table_config import load_config
from firmware.voice.words import languages
from sim.web.live import LiveMat
from sim.web.protocol import READERS, SCHEMA, TYPES, BadMessage, read
from sim.web.rules import rules_card
from sim.web.server import Page
from sim.web.table import table_message, words_message
from tests.effort import long_unless
from tests.sim.web import aside
from tests.sim.web.messages import problem_of, problem_of_sent, types_of
from tests.sim.web.test_server import site

OPEN = ("Deal", "Undealt")  # the types to which layouts add their own parts
KEYWORDS = {
    *("$ref", "additionalProperties", "allOf", "anyOf", "const", "description", "enum", "items"),
    *("exclusiveMinimum", "maxItems", "maxLength", "maxProperties", "maximum", "minItems"),
    *("minLength", "minimum", "not", "pattern", "prefixItems", "properties", "propertyNames"),
    *("required", "title", "tsType", "type"),
}
Node = dict[str, Any]
T = TypeVar("T")


def nodes(node: Node) -> Iterator[Node]:
    """Yield the schema *node* and all schemas in it."""
    yield node
    below = [*node.get("properties", {}).values()]
    below += [
        each for keyword in ("anyOf", "allOf", "prefixItems") for each in node.get(keyword, ())
    ]
    below += [node[keyword] for keyword in ("items", "not", "propertyNames") if keyword in node]
    if isinstance(more := node.get("additionalProperties"), dict):
        below.append(more)
    for each in below:
        yield from nodes(each)


# --- messages by the schema ---


def plain(node: Node) -> Node:
    """Return *node* of the schema, or the type that it refers to."""
    while "$ref" in node or "allOf" in node:
        name = node.get("$ref") or node["allOf"][0]["$ref"]
        node = TYPES[name.rpartition("/")[2]]
    return node


def values_of(node: Node) -> st.SearchStrategy[Any]:
    """Return values that *node* of the schema allows."""
    node = plain(node)
    if "anyOf" in node:
        return st.one_of([values_of(each) for each in node["anyOf"]])
    if "enum" in node:
        return st.sampled_from(node["enum"])
    match node["type"]:
        case "object":
            return objects_of(node)
        case "array":
            least, most = node.get("minItems", 0), node["maxItems"]
            return st.lists(values_of(node["items"]), min_size=least, max_size=most)
        case "string":
            return st.text(min_size=node["minLength"], max_size=node["maxLength"])
        case "integer":
            return st.integers(node.get("minimum"), node.get("maximum"))
        case "boolean":
            return st.booleans()
    return st.none()


def objects_of(node: Node) -> st.SearchStrategy[Node]:
    """Return objects that *node* allows, with some of the fields that may be left out."""
    fields = {name: values_of(each) for name, each in node.get("properties", {}).items()}
    needed = {name: fields.pop(name) for name in node.get("required", ())}
    known = st.fixed_dictionaries(needed, optional=fields)
    more = node["additionalProperties"]
    if more is False:
        return known
    room = node["maxProperties"] - len(needed) - len(fields)
    others = st.dictionaries(values_of(TYPES["Word"]), values_of(more), max_size=room)
    return st.builds(lambda more, own: {**more, **own}, others, known)


def edges(node: Node) -> Iterator[Any]:
    """Yield values at the limits of *node* and just beyond, and one of each JSON type."""
    node = plain(node)
    yield from (None, True, 1, 1.0, "x", [], {})
    if "anyOf" in node:
        yield from (value for each in node["anyOf"] for value in edges(each))
    match node.get("type"):
        case "object":
            most = node["maxProperties"]
            yield from ({str(n): "x" for n in range(size)} for size in (most, most + 1))
            yield from ({name: "x"} for name in edges(TYPES["Word"]) if isinstance(name, str))
            yield from ({"x": value} for value in edges(node["additionalProperties"]))
        case "array":
            least, most = node.get("minItems", 0), node["maxItems"]
            items = [*edges(node["items"])]
            good = simplest(values_of(node["items"]))
            yield from ([good] * n for n in (max(0, least - 1), least, most, most + 1))
            yield from ([each, *[good] * (least - 1)] for each in items)
        case "string":
            yield from ("x" * n for n in (0, 1, node["maxLength"], node["maxLength"] + 1))
        case "integer":
            low, high = node.get("minimum", -(10**40)), node.get("maximum", 10**40)
            yield from (low - 1, low, high, high + 1)


def simplest(values: st.SearchStrategy[T]) -> T:
    """Return the simplest of *values*."""
    return find(values, lambda value: True, settings=settings(phases=(Phase.generate,)))


def of_kind(kind: str) -> st.SearchStrategy[Node]:
    """Return messages of this *kind* from pages."""
    (name,) = types_of("PageRequest", kind)
    return values_of(TYPES[name]).map(lambda message: levelled({**message, "type": kind}))


def levelled(message: Node) -> Node:
    """Return *message* with as many robots as names, which the schema cannot ask for."""
    robots, names = message.get("robots"), message.get("names")
    if not isinstance(robots, list) or not isinstance(names, list):
        return message
    return {**message, "robots": (robots * len(names))[: len(names)]}


JUNK = st.sampled_from(
    (
        None,
        True,
        0,
        1.0,
        -1,
        10_000,
        float("nan"),
        "",
        "x" * 61,
        "ok",
        [],
        [None],
        [""],
        {},
        {"a": 1},
    )
)


@st.composite
def spoilt(draw: st.DrawFn, message: Node) -> Node:
    """Return *message* with one change somewhere: a value or a field too many, too few or odd."""
    changed: Node = json.loads(json.dumps(message))
    inner = [value for value in changed.values() if value and isinstance(value, list | dict)]
    place = draw(st.sampled_from([changed, changed, *inner]))
    if isinstance(place, list):
        place[draw(st.integers(0, len(place) - 1))] = draw(JUNK)
        return changed
    name = draw(st.sampled_from([*place, "id", "extra"]))
    if name in place and draw(st.booleans()):
        del place[name]
    else:
        place[name] = draw(JUNK)
    return changed


def is_read(message: Node) -> bool:
    """Return True if the server accepts *message*."""
    try:
        read(json.dumps(message))
    except BadMessage:
        return False
    return True


@pytest.mark.parametrize("kind", READERS)
def test_the_server_accepts_the_messages_that_the_schema_describes(kind: str) -> None:
    @given(of_kind(kind))
    def accepted(message: Node) -> None:
        assert problem_of(message, "PageRequest") == ""
        assert read(json.dumps(message))[1] == message.get("id")

    accepted()


def agree(message: Node) -> bool:
    """Return True if server and schema both accept *message*, or both refuse it."""
    return is_read(message) is (problem_of(message, "PageRequest") == "")


@pytest.mark.parametrize("kind", READERS)
def test_the_server_refuses_what_the_schema_forbids(kind: str) -> None:
    @given(of_kind(kind).flatmap(spoilt).map(levelled))
    def agreed(message: Node) -> None:
        assert agree(message)

    agreed()


@pytest.mark.parametrize("kind", long_unless(sorted(READERS)[::4].__contains__, READERS))
def test_schema_and_server_have_the_same_limits(kind: str) -> None:
    message = simplest(of_kind(kind))
    node = TYPES[types_of("PageRequest", kind)[0]]
    for name, field in node["properties"].items():
        for value in edges(field):
            assert agree(levelled({**message, name: value})), (name, value)
        assert agree({other: value for other, value in message.items() if other != name})
    for count in range(14):
        assert agree({**message, **{f"f{n}": "x" for n in range(count)}}), count
    for value in edges(TYPES["Value"]):
        assert agree({**message, "extra": value}), value


def test_schema_and_server_know_the_same_messages_from_pages() -> None:
    names = [each["$ref"].rpartition("/")[2] for each in TYPES["PageRequest"]["anyOf"]]
    kinds = [kind for name in names for kind in TYPES[name]["properties"]["type"]["enum"]]
    assert sorted(kinds) == sorted(READERS)


# --- the schema itself ---


def test_the_schema_is_valid() -> None:
    """A misspelt keyword would be ignored."""
    Draft202012Validator.check_schema(SCHEMA)
    used = {keyword for node in TYPES.values() for each in nodes(node) for keyword in each}
    assert used - KEYWORDS == set()


def test_the_schema_allows_no_fields_that_it_does_not_name() -> None:
    open_ones = [
        name
        for name, node in TYPES.items()
        for each in nodes(node)
        if each.get("type") == "object" and "additionalProperties" not in each
    ]
    assert open_ones == [*OPEN][::-1]


# --- messages from the server ---


@pytest.mark.parametrize("language", languages())
def test_the_table_and_the_rules_cards_match_the_schema(language: str) -> None:
    table = table_message(load_config(), language)
    assert problem_of_sent(table) == ""
    assert problem_of_sent(words_message(table)) == ""
    for game in games():
        assert problem_of(rules_card(game, language), "RulesCard") == ""


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ({"type": "done"}, "DoneMessage: 'about' is a required property"),
        ({"type": "sad"}, "The schema has no message sad."),
        ({"type": "state", "deals": None}, "'deals' was unexpected"),
        ({"type": "state", "tone": "440"}, "StateMessage.tone: '440' is not of type"),
        (
            {"type": "state", "deal": {"game": "straw", "layout": "hands", "robots": [1]}},
            "StateMessage.deal.robots[0]: 1 is not of type",
        ),
        (
            {"type": "state", "deal": {"game": "fan", "layout": "fan", "robots": []}},
            "",  # a layout of another distribution has its own fields
        ),
    ],
)
def test_a_wrong_message_of_a_server_fails_the_test(
    message: Node, problem: str, wrong_messages: list[str]
) -> None:
    Page(Mock(), None, is_paired=True, address="", number=1).send(message)
    found = "".join(wrong_messages)
    assert problem in found
    assert bool(found) is bool(problem)
    wrong_messages.clear()


def test_a_wrong_state_of_the_table_fails_the_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong_messages: list[str]
) -> None:
    monkeypatch.setattr(LiveMat, "_lamp_data", lambda mat, name: {"level": 2})

    async def look() -> None:
        async with site(tmp_path) as here, here.page():
            pass

    aside.run(look())
    assert "2 is greater than the maximum of 1" in wrong_messages[0]
    wrong_messages.clear()
