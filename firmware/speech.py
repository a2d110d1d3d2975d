"""What the table says aloud: sentences, each with what it is about.

Room: firmware. Values only; the words are already in the table's language.
"""

from dataclasses import dataclass

from engines.common.contract import Topic


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence to say, or a part of one, about *topic*."""

    text: str
    topic: Topic = Topic.NEWS


def lines(*texts: str, topic: Topic = Topic.NEWS) -> tuple[Line, ...]:
    """Those of *texts* that say something, as lines about *topic*."""
    return tuple(Line(text, topic) for text in texts if text)
