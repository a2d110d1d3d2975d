"""The view of the table: one value with everything that screen, lamps and voice present.

Values only; all texts are already in the table's language.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from engines.common.contract import Direction, ScoreUnit, Seat
from engines.common.grid import Cell, Grid, Place
from engines.common.pieces import Piece


class Flash(Enum):
    """The outcomes of a tap or a press for which a lamp lights briefly."""

    ACCEPTED = "accepted"
    REFUSED = "refused"


class Cue(Enum):
    """The outcomes of a player's action. Each has its own tones."""

    ACCEPTED = "accepted"
    YOUR_TURN = "your-turn"  # accepted, and now it is another player's turn
    ROUND_END = "round-end"  # accepted, and the round or the game ended
    REFUSED = "refused"


class Penalty(NamedTuple):
    """The number of pieces that a foul would cost its player, the reason in words, and the rule."""

    n: int
    why: str
    rule: str


@dataclass(frozen=True, slots=True)
class Notice:
    """An urgent message.

    *happened* says what happened, and *do* what to do. *said* is the text for the voice; empty if
    it is the same. A refusal has a *code* and a *rule*; a wrong play that counts (a foul) has only
    a *rule*. *on_page* has the two texts for a page in a browser, where the page moves the pieces;
    it is empty if the page shows the same texts. A question that OK answers with yes, and every
    other button with no, has *answers*: the words of both, for buttons of a page. A lesson about a
    piece on the table has this *piece*. A notice that *is_at_mat* is for people at the mat only,
    and is on no phone and no television.
    """

    happened: str
    do: str = ""
    code: str = ""
    rule: str = ""
    said: str = ""
    on_page: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    piece: Piece | None = None
    is_at_mat: bool = False

    @property
    def page_texts(self) -> tuple[str, ...]:
        """The texts *happened* and *do* in the words for a page."""
        return self.on_page or (self.happened, self.do)


@dataclass(frozen=True, slots=True)
class ListView:
    """A list to choose from: a prompt, the texts of the items, and the index of the cursor.

    *values* are the items' names for programs and rehearsals (games as scripts), the same in every
    language. The voice says *asked* instead of the prompt, and *said* instead of the item under the
    cursor, unless these are None. It says *help* when the list opens. *on_page* are the items'
    texts for a page in a browser, if they differ. *usual* is the value of the most common answer,
    or "".
    """

    prompt: str
    items: tuple[str, ...]
    cursor: int
    values: tuple[str, ...] = ()
    asked: str | None = None
    said: str | None = None
    help: str = ""
    on_page: tuple[str, ...] = ()
    usual: str = ""


@dataclass(frozen=True, slots=True)
class GridView:
    """A game's map, *board*, and the cursor on it.

    While a place is chosen, *places* are the possible ones, in the order in which the controls step
    through them. *cursor* is the cell under the cursor, drawn as it would look after the choice.
    """

    board: Grid
    places: tuple[Place, ...] = ()
    cursor: Cell | None = None


def in_groups(code: str) -> str:
    """Return the six digits of *code* as people read them: 123 456."""
    return f"{code[:3]} {code[3:]}"


@dataclass(frozen=True, slots=True)
class JoinAddress:
    """The companion's address for people who want to join with a phone.

    *url* is for the QR code and contains a secret; it is empty if it would not fit into the code.
    *place* is the short address that people can type, and *code* are the six digits that its page
    asks for.
    """

    url: str
    code: str
    place: str


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of enrolling: *done* of *total* pieces.

    If the total is only a guess, *done* may exceed it.
    """

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class TableView:
    """Everything the table shows at one moment.

    *phase* is a code for what the table is doing, such as ``enrolling``. *headline* is the large
    number or word that players watch, *caption* names or completes it, and *hint* says what to do
    now. If *turn* is None, as in a race, all *awaited* players may lay a piece. *counts* are the
    numbers of pieces by place, as in a game's ``View``.

    *asks* lists the accepted inputs (such as ``number 1..10``) in words that are the same in every
    language, for programs and rehearsals (games as scripts). People read *hint* and *choices*.
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
    limit: int | None = None  # the most that the headline may be, if there is a limit
    choices: ListView | None = None
    grid: GridView | None = None
    ok: str = ""  # the OK button's meaning now, if the game gives it one
    action: str = ""  # the action button's meaning now
    is_claim: bool = False  # the action button says that no piece of a hand can be played
    is_vain: bool = False  # the action button would gain the player nothing
    warnings: Mapping[str, str] = field(default_factory=dict)  # as in a game's View, in words
    questions: Mapping[str, str] = field(default_factory=dict)  # the same
    stands_for: str = ""  # as in a game's View
    counted: tuple[int | None, ...] = ()  # the same
    worth: Mapping[Piece, int] = field(default_factory=dict)  # the same
    notice: Notice | None = None
    fault: str = ""  # names the failed parts
    calls: bool = False  # people call the hall for help
    flash: Flash | None = None
    asks: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    progress: Progress | None = None
    join: JoinAddress | None = None  # shown in place of everything but a notice
    spoken: str = ""  # the headline for the voice
    spoken_hint: str = ""  # the hint for the voice
    is_for_children: bool = False  # as in a game's View
    is_for_mat: bool = False  # the hint asks people to move a piece of the mat's
    asks_owner: bool = False  # as in a SeatAsk
    score_unit: ScoreUnit = ScoreUnit.POINT
    # The same for a page, where people click pieces:
    page_headline: str = ""
    page_caption: str = ""
    page_hint: str = ""
    page_action: str = ""
    help: str = ""  # what the controls do; the voice says this once

    @property
    def active(self) -> tuple[Seat, ...]:
        """The seats that may act now: the current player's, or all awaited ones."""
        return self.awaited if self.turn is None else (self.turn,)
