"""The lines that the table says, each with its topic.

Values only; the texts are already in the table's language.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from engines.common.contract import Topic


@dataclass(frozen=True, slots=True)
class SpeechLine:
    """A sentence to say, or a part of one, about *topic*.

    A line that a player requested is said at once, even if the settings leave its topic out.
    """

    text: str
    topic: Topic = Topic.NEWS
    is_requested: bool = False


def lines(*texts: str, topic: Topic = Topic.NEWS) -> tuple[SpeechLine, ...]:
    """Return a line about *topic* for each of *texts* that is not empty."""
    return tuple(SpeechLine(text, topic) for text in texts if text)


def as_requested(lines: Iterable[SpeechLine]) -> tuple[SpeechLine, ...]:
    """Return *lines* marked as requested by a player."""
    return tuple(replace(line, is_requested=True) for line in lines)


def sentence(text: str) -> str:
    """Return *text* with a capital letter at its beginning, and a full stop at its end."""
    ending = "" if text.endswith((".", "!", "?")) else "."
    return f"{text[:1].upper()}{text[1:]}{ending}"
