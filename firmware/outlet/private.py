"""The private states: what one phone may know besides the public state.

Each has the fields that are named here, and no others. A player's state depends only on what that
player may know: tests/sim/web/test_secrecy.py compares two games that differ only in other hands.
The table sends it only to a reader that has asked for this player (``firmware.outlet.stream``).
"""

from dataclasses import asdict, dataclass
from typing import Any

from engines.common.contract import Seat
from firmware.journal.codec import encode
from firmware.table.answers import HostAsked, PlayerAsked, SettingList
from firmware.table.private_ear import PrivateLine


@dataclass(frozen=True, slots=True)
class PlayerState:
    """The private state of the *player* at *seat*, in the table's language.

    *answers* are inputs in the journal's JSON form, each with its text. The other fields are as in
    ``PlayerAsked``.
    """

    player: str
    seat: Seat
    moment: int
    is_turn: bool
    answers: tuple[tuple[dict[str, Any], str], ...]
    can_take_back: bool
    hand: tuple[str, ...] | None
    is_listening: bool
    line: PrivateLine | None

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, as a dict of plain values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class HostState:
    """The host's private state. The fields are as in ``HostAsked``."""

    moment: int
    can_take_back: bool
    can_end: bool
    settings: tuple[SettingList, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, as a dict of plain values."""
        return asdict(self)


def player_state_of(player: str, asked: PlayerAsked) -> PlayerState:
    """Return the private state of *player*."""
    return PlayerState(
        player=player,
        seat=asked.seat,
        moment=asked.moment,
        is_turn=asked.is_turn,
        answers=tuple((encode(answer.given), answer.text) for answer in asked.answers),
        can_take_back=asked.can_take_back,
        hand=asked.hand,
        is_listening=asked.is_listening,
        line=asked.line,
    )


def host_state_of(asked: HostAsked) -> HostState:
    """Return the host's private state."""
    return HostState(asked.moment, asked.can_take_back, asked.can_end, asked.settings)
