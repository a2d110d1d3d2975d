"""What the table is told: tags that came and went, what hands did at the controls, and rocking.

Room: firmware. Values only.
"""

from dataclasses import dataclass

from hardware.ports import Pressed, Rocked, Turned


@dataclass(frozen=True, slots=True)
class Laid:
    """A tag on a spot."""

    spot: str
    uid: bytes


@dataclass(frozen=True, slots=True)
class Arrived:
    """Tags newly there, whose order is not known; what came surely later is an event of its own.

    *was_found* is true for what already lay there when the table was switched on.
    """

    tags: tuple[Laid, ...]
    was_found: bool = False


@dataclass(frozen=True, slots=True)
class Gone:
    """A tag was taken off *spot*."""

    spot: str
    uid: bytes


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Something lies on *spot* that has not been made out for a good while."""

    spot: str


@dataclass(frozen=True, slots=True)
class PartLost:
    """A *part* (``reader play``, ``display``) stopped doing its work; *kind* says what to check."""

    part: str
    kind: str


@dataclass(frozen=True, slots=True)
class PartBack:
    """A lost part answers again."""

    part: str


@dataclass(frozen=True, slots=True)
class CodeAsked:
    """Somebody elsewhere wants to see *code*, to prove that the display is in sight."""

    code: str


Event = Arrived | Gone | Unreadable | PartLost | PartBack | CodeAsked | Turned | Pressed | Rocked
