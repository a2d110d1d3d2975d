"""An entry of the journal, as its readers see it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Entry:
    """Entry number *seq* of the journal, written *at* (ISO 8601, UTC).

    *game* is the number of its game; 0 if it belongs to no game. *kind* says what it records
    ("input"), and *body* is its JSON object.
    """

    seq: int
    game: int
    kind: str
    at: str
    body: Mapping[str, Any] = field(default_factory=dict)
