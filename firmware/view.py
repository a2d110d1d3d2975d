"""What the table shows: one value from which screen, lamps and voice are drawn.

Room: firmware. Values only; all words are already in the table's language.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from engines.common.contract import Direction, Seat
from engines.common.grid import Cell, Grid, Place


class Flash(Enum):
    """The short light and tone that answer a tap or a press."""

    ACCEPTED = "accepted"
    REFUSED = "refused"


class Cue(Enum):
    """The tones that answer an act: what became of it, for ears."""

    ACCEPTED = "accepted"
    YOUR_TURN = "your-turn"  # accepted, and now it is somebody else's turn
    ROUND_END = "round-end"  # accepted, and that ended a round or the game
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that must be read now: what happened and what to do.

    A voice says *said* for the two, where that is not as they are written.
    """

    happened: str
    do: str = ""
    code: str = ""
    rule: str = ""
    said: str = ""


@dataclass(frozen=True, slots=True)
class ListView:
    """A picker as the screen shows it: a prompt, the items' words, the cursor.

    *values* are the items' fixed names, for rehearsals and programs. A voice says *asked* for the
    prompt and *said* for the item under the cursor, where these are not as they are written, and
    *help* when the list is opened.
    """

    prompt: str
    items: tuple[str, ...]
    cursor: int
    values: tuple[str, ...] = ()
    asked: str | None = None
    said: str | None = None
    help: str = ""


@dataclass(frozen=True, slots=True)
class GridView:
    """A game's map, the *board*, and where the controls stand on it.

    While a place is chosen, *places* are all that can be, in the order in which the controls go
    through them, and *cursor* is the cell under the cursor, as it would become.
    """

    board: Grid
    places: tuple[Place, ...] = ()
    cursor: Cell | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far something is: so many *done* of a *total*; there may be more done than thought."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class TableView:
    """Everything the table shows at one moment.

    Where it is nobody's *turn*, as in a race, all who are *awaited* may lay a piece. *asks* says in
    one line of fixed words what is accepted (``number 1..10``), for rehearsals and programs; people
    read *hint* and *choices*.
    """

    phase: str
    title: str = ""
    headline: str = ""
    caption: str = ""
    hint: str = ""
    names: tuple[str, ...] = ()
    scores: tuple[int, ...] = ()
    turn: Seat | None = None
    awaited: tuple[Seat, ...] = ()
    direction: Direction | None = None
    winners: tuple[Seat, ...] = ()
    choices: ListView | None = None
    grid: GridView | None = None
    action: str = ""  # what the action button does now
    notice: Notice | None = None
    fault: str = ""  # which part is lost
    flash: Flash | None = None
    asks: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    progress: Progress | None = None
    spoken: str = ""  # the headline as it is said
    help: str = ""  # what the controls do, said once

    @property
    def active(self) -> tuple[Seat, ...]:
        """Who may act now: whoever's turn it is, or all who may lay a piece."""
        return self.awaited if self.turn is None else (self.turn,)
