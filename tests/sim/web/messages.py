"""A check of messages by the schema of the virtual table, ``sim/web/protocol.schema.json``."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from unittest.mock import patch

from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import ValidationError

from sim.web.protocol import TYPES
from sim.web.server import Page, message_of

# 1.0 is a whole number for JSON Schema; for this protocol it is not.
_Validator = validators.extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: type(value) is int
    ),
)


def problem_of(value: object, type_name: str) -> str:
    """Return why *value* is not of the schema's type *type_name*, or "" if it is."""
    sent = json.loads(json.dumps(value))  # a tuple is sent as a list
    error = next(iter(_validator(type_name).iter_errors(sent)), None)
    while error is not None and error.context:
        error = _of_best_choice(error)
    return "" if error is None else f"{type_name}{error.json_path[1:]}: {error.message[:400]}"


def problem_of_sent(message: dict[str, Any]) -> str:
    """Return why *message* is not one that the server may send, or "" if it is."""
    possible = types_of("ServerMessage", message.get("type"))
    problems = [problem_of(message, name) for name in possible]
    return min(problems, key=bool, default=f"The schema has no message {message.get('type')}.")


def types_of(side: str, kind: object) -> list[str]:
    """Return the schema's types of messages of this *kind* from one *side*."""
    names = (each["$ref"].rpartition("/")[2] for each in TYPES[side]["anyOf"])
    return [name for name in names if kind in TYPES[name]["properties"]["type"]["enum"]]


def _of_best_choice(error: ValidationError) -> ValidationError:
    """Return the first error of the choice of ``anyOf`` that *error*'s value comes nearest to.

    A choice is far if it is for another layout, or for another JSON type.
    """
    choices: dict[object, list[ValidationError]] = {}
    for each in error.context:
        choices.setdefault(each.schema_path[0], []).append(each)
    return min(choices.values(), key=_is_far)[0]


def _is_far(errors: list[ValidationError]) -> bool:
    return any(
        each.validator in ("const", "not") or (each.validator == "type" and not each.relative_path)
        for each in errors
    )


def check_news(kind: str, news: Any) -> None:
    """Check a piece of news from a ``LiveMat`` without a server, as a server would send it."""
    assert problem_of_sent(message_of(kind, news)) == ""


@contextmanager
def checked_messages() -> Iterator[list[str]]:
    """Yield a list that collects what is wrong with the messages that servers send meanwhile."""
    wrong: list[str] = []
    send_text = Page.send_text

    def check(page: Page, text: str) -> None:
        if problem := problem_of_sent(json.loads(text)):
            wrong.append(problem)
        send_text(page, text)

    with patch.object(Page, "send_text", check):
        yield wrong


@cache
def _validator(type_name: str) -> Any:
    return _Validator({"$ref": f"#/$defs/{type_name}", "$defs": TYPES})
