"""The state of a table for the broker, from what the table's socket sends.

It has only what everybody at the table can see, the table's settings, and the state of its parts
(docs/secrecy.md). Seats count from 1, as on the mat.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

SEATS: Final = 6
PHASES: Final = ("idle", "preparing", "playing", "scoring", "round-over", "game-over")
DIRECTIONS: Final = ("clockwise", "counter-clockwise")
SETTINGS: Final = ("language", "level", "volume")
HAS_FAILED: Final = {"works": "OFF", "lost": "ON"}  # by the state of a part; others are unknown

Json = Mapping[str, Any]


def part_key(part: str) -> str:
    """Return the key of *part*, such as ``reader play``: ``part_reader_play``."""
    return f"part_{part.replace(' ', '_').replace('-', '_')}"


def seat_of(index: int | None) -> int | None:
    """Return the number of the seat with *index*, from 1; None if there is none."""
    return None if index is None else index + 1


def player_at(names: Sequence[str], index: int | None) -> str | None:
    """Return the player's name at the seat with *index*; None if there is none."""
    return names[index] if index is not None and index < len(names) else None


def names_of(names: Sequence[str], indexes: Sequence[int]) -> list[str]:
    """Return the players' names at the seats with *indexes*."""
    return [names[index] for index in indexes if index < len(names)]


def phase_of(public: Json) -> str:
    """Return one of ``PHASES``. A list that covers a game on the display does not change it."""
    if not public["game"]:
        return "preparing" if public["phase"] == "preparing" else "idle"
    if public["winners"]:
        return "game-over"
    if public["phase"] in ("scoring", "round-over"):
        return str(public["phase"])
    return "playing"


def winners_in(public: Json) -> list[str] | None:
    """Return the winners' names that the table tells now; None if it tells none."""
    told = public if public["winners"] else public["final"]
    return names_of(told["names"], told["winners"]) if told and told["winners"] else None


def settings_in(host: Json) -> dict[str, Json]:
    """Return the settings that the broker's clients may change, by name."""
    return {each["name"]: each for each in host["settings"] if each["name"] in SETTINGS}


def house_state(public: Json, host: Json) -> dict[str, Any]:
    """Return the state to publish, from the public state and the host's private state."""
    names = public["names"]
    return {
        "game": public["title"] if public["game"] else None,
        "phase": phase_of(public),
        "headline": public["headline"] or None,
        "turn": ", ".join(names_of(names, public["active"])) or None,
        "direction": public["direction"],
        **_scores(public),
        **{name: each["now"] for name, each in settings_in(host).items()},
        **{part_key(each["part"]): HAS_FAILED.get(each["state"]) for each in host["parts"]},
        "attributes": dict(_attributes(public, host)),
    }


def _scores(public: Json) -> dict[str, int | None]:
    scores = public["scores"] if public["game"] else ()
    return {
        f"score_{seat}": scores[seat - 1] if seat <= len(scores) else None
        for seat in range(1, SEATS + 1)
    }


def _attributes(public: Json, host: Json) -> Iterator[tuple[str, dict[str, Any]]]:
    names = public["names"] if public["game"] else ()
    yield "game", {"game": public["game"] or None, "players": names, "round": public["round"]}
    yield "phase", {"exact": public["phase"]}
    yield "headline", {key: public[key] for key in ("caption", "hint", "limit", "fault")}
    seats = [index + 1 for index in public["active"]]
    yield "turn", {"seat": seat_of(public["turn"]), "active": seats}
    for seat in range(1, SEATS + 1):
        yield f"score_{seat}", {"player": player_at(names, seat - 1)}
    for each in host["parts"]:
        yield part_key(each["part"]), {key: each[key] or None for key in ("since", "do")}
