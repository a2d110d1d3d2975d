"""The forms that the app BG Stats reads, as JSON schemas.

Neither the app nor its makers' pages were available; other programs that follow them were.

``LINK`` is the data of a link that creates a play. Its fields are those of BG Stats' page "Push
plays to BG Stats from other apps or websites", as five programs use them that follow that page. The
date is the end of the play in UTC. The app refuses a player without ``startPlayer``
(lindsaykwardell/clocktracker, pull request 299).

``FILE`` is a play file (``.bgsplay``). Its fields are those that two programs write whose authors
import the files into the app, and that a third program reads in files from the app.

Both schemas refuse fields that they do not know, so that a misspelt field is found. It is not known
if the app does.
"""

import json
from typing import Any
from urllib.parse import unquote

from jsonschema import Draft202012Validator

Shape = dict[str, Any]

TEXT, FLAG, NUMBER = {"type": "string"}, {"type": "boolean"}, {"type": "integer"}
NAME = {"type": "string", "minLength": 1}
COUNT, REFERENCE = {"type": "integer", "minimum": 0}, {"type": "integer", "minimum": 1}
DATE = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$"}
UUID = {"type": "string", "pattern": "^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$"}


def _object(needed: Shape, optional: Shape | None = None) -> Shape:
    return {
        "type": "object",
        "required": list(needed),
        "properties": {**needed, **(optional or {})},
        "additionalProperties": False,
    }


def _list(item: Shape, at_least: int = 0) -> Shape:
    return {"type": "array", "items": item, "minItems": at_least}


LINK = _object(
    {
        "sourceName": NAME,
        "sourcePlayId": NAME,
        "playDate": DATE,
        "game": _object(
            {"name": NAME, "sourceGameId": NAME},
            {"highestWins": FLAG, "noPoints": FLAG, "bggId": REFERENCE},
        ),
        "players": _list(
            _object(
                {"name": NAME, "startPlayer": FLAG, "winner": FLAG},
                {
                    "sourcePlayerId": NAME,
                    "score": NUMBER,
                    "rank": COUNT,
                    "role": TEXT,
                    "team": TEXT,
                },
            ),
            at_least=1,
        ),
    },
    {"durationMin": COUNT, "location": TEXT, "board": TEXT, "comments": TEXT},
)

FILE = _object(
    {
        "about": NAME,
        "players": _list(
            _object(
                {"id": REFERENCE, "uuid": UUID, "name": NAME, "isAnonymous": FLAG},
                {"modificationDate": DATE, "bggUsername": TEXT},
            ),
            at_least=1,
        ),
        "locations": _list(_object({"id": REFERENCE, "name": NAME}), at_least=0),
        "games": _list(
            _object(
                {
                    "id": REFERENCE,
                    "uuid": UUID,
                    "name": NAME,
                    "cooperative": FLAG,
                    "highestWins": FLAG,
                    "noPoints": FLAG,
                    "usesTeams": FLAG,
                },
                {"modificationDate": DATE, "bggId": COUNT, "bggName": TEXT, "bggYear": COUNT},
            ),
            at_least=1,
        ),
        "plays": _list(
            _object(
                {
                    "uuid": UUID,
                    "playDate": DATE,
                    "entryDate": DATE,
                    "modificationDate": DATE,
                    "durationMin": COUNT,
                    "rounds": COUNT,
                    "gameRefId": REFERENCE,
                    "ignored": FLAG,
                    "manualWinner": FLAG,
                    "usesTeams": FLAG,
                    "scoringSetting": COUNT,
                    "board": TEXT,
                    "playerScores": _list(
                        _object(
                            {
                                "playerRefId": REFERENCE,
                                "score": TEXT,
                                "winner": FLAG,
                                "newPlayer": FLAG,
                                "startPlayer": FLAG,
                                "rank": COUNT,
                                "seatOrder": COUNT,
                            }
                        ),
                        at_least=1,
                    ),
                },
                {"locationRefId": REFERENCE, "expansionPlays": _list({"type": "object"})},
            ),
            at_least=1,
        ),
        "userInfo": _object({"meRefId": REFERENCE}),
    }
)

LINK_START = "https://app.bgstatsapp.com/createPlay.html?data="


class Refused(AssertionError):
    """BG Stats could not read this."""


def read_link(link: str) -> Shape:
    """Return the data of *link*, as the app reads it.

    Raises:
        Refused: it is not a link that creates a play.
    """
    start, data = link[: len(LINK_START)], link[len(LINK_START) :]
    if start != LINK_START or any(letter in data for letter in ' "{}&=+#?/'):
        raise Refused(link)
    shape: Shape = json.loads(unquote(data, errors="strict"))
    _check(shape, LINK)
    return shape


def read_file(text: str) -> Shape:
    """Return the contents of a play file, as the app reads it.

    Raises:
        Refused: a field is wrong, or a number refers to nothing.
    """
    shape: Shape = json.loads(text)
    _check(shape, FILE)
    _check_references(shape)
    return shape


def _check(shape: Shape, schema: Shape) -> None:
    for wrong in Draft202012Validator(schema).iter_errors(shape):
        raise Refused(f"{wrong.json_path}: {wrong.message}")


def _check_references(shape: Shape) -> None:
    people, games = ([one["id"] for one in shape[table]] for table in ("players", "games"))
    uuids = [one["uuid"] for table in ("players", "games", "plays") for one in shape[table]]
    for numbers in (people, games, uuids):
        if len(set(numbers)) != len(numbers):
            raise Refused(f"{numbers} are not distinct")
    if shape["userInfo"]["meRefId"] not in people:
        raise Refused("the owner is not a player")
    for play in shape["plays"]:
        players = [score["playerRefId"] for score in play["playerScores"]]
        if play["gameRefId"] not in games or not set(players) <= set(people):
            raise Refused(f"{play} refers to nothing")
        if len(set(players)) != len(players):
            raise Refused(f"{play} has a player twice")
