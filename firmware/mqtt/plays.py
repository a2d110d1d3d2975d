"""The events of a game for the broker, from the outlet's events (docs/outlet.md).

Each is published once and never retained: a program that comes later must not take an old play for
a new one. Seats count from 1.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from firmware.mqtt.house_state import Json, names_of, player_at, seat_of

Names = Sequence[str]
Fields = dict[str, Any]


def _start(event: Json, _names: Names) -> Fields:
    return {"entry": event["entry"], "game": event["game"], "players": event["names"]}


def _input(event: Json, names: Names) -> Fields:
    given = event["input"]
    seat = given.get("by") if "tap" in given else None
    return {"entry": event["entry"], "input": next(iter(given)), **_seat(seat, names)}


def _refusal(event: Json, _names: Names) -> Fields:
    return {key: event[key] for key in ("code", "rule", "happened", "do")}


def _undo(event: Json, _names: Names) -> Fields:
    return {"entry": event["entry"]}


def _turn(event: Json, names: Names) -> Fields:
    active = event["active"]
    return {
        **_seat(event["seat"], names),
        "active": [seat + 1 for seat in active],
        "players": names_of(names, active),
    }


def _round(event: Json, _names: Names) -> Fields:
    return {"scores": event["scores"]}


def _game_over(event: Json, names: Names) -> Fields:
    winners = event["winners"]
    return {
        "winners": names_of(names, winners),
        "seats": [seat + 1 for seat in winners],
        "scores": event["scores"],
    }


def _end(event: Json, _names: Names) -> Fields:
    return {"entry": event["entry"], "how": event["how"]}


def _safety(_event: Json, _names: Names) -> Fields:
    return {}


def _seat(seat: int | None, names: Names) -> Fields:
    return {"seat": seat_of(seat), "player": player_at(names, seat)}


PLAYS: Final[dict[str, tuple[str, Callable[[Json, Names], Fields]]]] = {  # by the outlet's names
    "started": ("started", _start),
    "played": ("played", _input),
    "refused": ("refused", _refusal),
    "undone": ("undone", _undo),
    "turn": ("turn", _turn),
    "round-over": ("round", _round),
    "game-over": ("game_over", _game_over),
    "ended": ("ended", _end),
    "saved": ("saved", _safety),  # not from the outlet: the answer yes to "Safe to unplug?"
}
PLAY_TYPES: Final = tuple(name for name, _ in PLAYS.values())
LAID: Final = "laid"


def play_of(event: Json, names: Names) -> Fields | None:
    """Return what to publish about *event* of the outlet, or None.

    *names* are the players of the game, by seat.
    """
    if event["event"] not in PLAYS:
        return None
    name, fields = PLAYS[event["event"]]
    return {"event_type": name, **fields(event, names)}


def card_of(event: Json, game: str) -> Fields | None:
    """Return what is known about the piece that was accepted in *event*; None if there is none.

    *game* is the name of the game in progress.
    """
    if event["event"] != "played" or "tap" not in event["input"]:
        return None
    kind, _, _ = event["input"]["tap"].partition("#")
    return {"event_type": LAID, "entry": event["entry"], "game": game, "kind": kind}


def with_player(card: Fields, public: Json) -> Fields:
    """Return *card* with its seat and player, and with the table's sentence about it.

    *public* is the public state that followed.
    """
    told = [each for each in (public["last"], *public["acts"]) if each is not None]
    mine = next((each for each in told if each["entry"] == card["entry"]), None)
    if mine is None:
        return {**card, **_seat(None, ()), "text": ""}
    return {**card, **_seat(mine["seat"], public["names"]), "text": mine["text"]}
