"""An entry of the journal, as its readers see it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the journal.

    *seq* is its number, and *at* is the time at which it was written (ISO 8601, UTC). *game* is the
    number of its game; 0 if it belongs to no game. *kind* is what it records, such as "input", and
    *body* is its JSON object.
    """

    seq: int
    game: int
    kind: str
    at: str
    body: Mapping[str, Any] = field(default_factory=dict)
