"""What the table says aloud: sentences, each with what it is about.

Room: firmware. Values only; the words are already in the table's language.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from engines.common.contract import Topic


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence to say, or a part of one, about *topic*.

    One that *is_asked* for is said at once, even at a table that else leaves it out.
    """

    text: str
    topic: Topic = Topic.NEWS
    is_asked: bool = False


def lines(*texts: str, topic: Topic = Topic.NEWS) -> tuple[Line, ...]:
    """Those of *texts* that say something, as lines about *topic*."""
    return tuple(Line(text, topic) for text in texts if text)


def asked(said: Iterable[Line]) -> tuple[Line, ...]:
    """*said*, as lines that somebody asked to hear."""
    return tuple(replace(line, is_asked=True) for line in said)
