"""The settings: language, detail, volume, hints, the mat's strength and remarks, silent topics.

Values only. ``table.toml`` gives the initial settings, and ``firmware.voice.settings_store`` owns
the settings in force.
"""

from dataclasses import dataclass
from enum import Enum

from engines.common.contract import Topic

# Their names in the journal.
LANGUAGE, LEVEL, VOLUME, HINTS, STRENGTH = "language", "level", "volume", "hints", "strength"
REMARKS = "remarks"
LOUDEST = 100  # percent


class Level(Enum):
    """The level of detail of what the table says."""

    TERSE = "terse"  # "21"
    NORMAL = "normal"  # "21. Ben to play."
    FULL = "full"  # "The 7. 21. Ben to play. Counter-clockwise."


class Hints(Enum):
    """When the table says what can be done now."""

    NONE = "none"
    REQUESTED = "requested"  # when somebody asks "What can I do?"
    OFFERED = "offered"  # also after a long time without an act
    CAREFUL = "careful"  # also, it asks before a play that the rules allow but that is unwise

    @property
    def is_offered(self) -> bool:
        """True if the table offers hints by itself. Then it also recommends a play."""
        return self in (Hints.OFFERED, Hints.CAREFUL)


class Strength(Enum):
    """The level at which the mat plays in its seats."""

    CHILD = "child"
    EASY = "easy"
    GOOD = "good"
    EXPERT = "expert"


class Remarks(Enum):
    """The setting that lets the mat make remarks in the games in which it plays."""

    ON = "on"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings: *language*, *level* of detail, *volume* from 0 (mute) to 100, *hints*.

    Topics in *silent* are never said. *strength* is the mat's, in the seats in which it plays, and
    *remarks* says if it makes any.
    """

    language: str  # a code, such as "en"
    level: Level = Level.NORMAL
    volume: int = LOUDEST
    silent: frozenset[Topic] = frozenset()
    hints: Hints = Hints.REQUESTED
    strength: Strength = Strength.GOOD
    remarks: Remarks = Remarks.ON
