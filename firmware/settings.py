"""What people may change at the table about how it speaks to them.

Room: firmware. Values only: the tongue (``firmware.tongue``) owns the ones that hold now,
the journal keeps them, and ``table.toml`` says how they begin.
"""

from dataclasses import dataclass
from enum import Enum

from engines.common.contract import Topic

LANGUAGE, LEVEL, VOLUME = "language", "level", "volume"  # what they are kept under
LOUDEST = 100


class Level(Enum):
    """How much is said."""

    TERSE = "terse"  # "21"
    NORMAL = "normal"  # "21. Ben to play."
    FULL = "full"  # "The 7. 21. Ben to play. Counter-clockwise."


@dataclass(frozen=True, slots=True)
class Settings:
    """The *language* (``en``), how much is said, how loud (0 to 100), and what is never said."""

    language: str
    level: Level = Level.NORMAL
    volume: int = LOUDEST
    silent: frozenset[Topic] = frozenset()
