"""What people may change at the table about how it speaks to them.

Room: firmware. Values only: the table owns the ones that hold now, the journal keeps them, and
``table.toml`` says how they begin.
"""

from dataclasses import dataclass
from enum import Enum

from engines.common.contract import Topic


class Level(Enum):
    """How much is said."""

    TERSE = "terse"  # "21"
    NORMAL = "normal"  # "21. Ben to play."
    FULL = "full"  # "The 7. 21. Counter-clockwise. Ben to play."


@dataclass(frozen=True, slots=True)
class Settings:
    """The *language* (``en``), how much is said, how loud (0 to 100), and what is never said."""

    language: str
    level: Level = Level.NORMAL
    volume: int = 100
    silent: frozenset[Topic] = frozenset()
