"""The public state: everything that a screen beside the table may show at one moment.

It has only the fields of the view that are named here. A new field of ``TableView`` is not sent
until somebody adds it to ``state_of``. The JSON form has a version. As in the form of the events,
fields may only be added (docs/companion.md).
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from engines.common.contract import ScoreUnit, Seat
from engines.common.layouts import ROUND
from engines.common.pieces import Piece
from firmware.show.view import Notice, TableView
from firmware.table.announcements import ROUND_OVER

VERSION = 1

# Returns a sentence about a piece that was played in a game, by a seat if that is known. The last
# argument is the value of the piece, if none is printed on it.
Describe = Callable[[str, Sequence[str], Seat | None, Piece, int | None], str]


def kind_of(
    _game: str, _names: Sequence[str], _seat: Seat | None, piece: Piece, _worth: int | None
) -> str:
    """Return the name of *piece*'s kind. This is the simplest ``Describe``."""
    return piece.kind


@dataclass(frozen=True, slots=True)
class LatestPlay:
    """The last accepted piece: the number of its journal *entry*, the *seat*, and its *text*."""

    entry: int
    seat: Seat | None
    text: str


@dataclass(frozen=True, slots=True)
class RecentPiece:
    """A piece that was played: the name of its *kind*, the *seat*, and the *text* about it.

    *worth* is what the piece counts for, if no value is printed on it.
    """

    kind: str
    seat: Seat | None
    text: str
    worth: int | None = None


@dataclass(frozen=True, slots=True)
class RecentAct:
    """An input with its journal *entry*, its *seat*, and what was said of it.

    *text* is the sentence about the piece that was laid, and *news* is what else the table
    announced. A piece that *is_counted* is of a hand, and *text* is its name.
    """

    entry: int
    seat: Seat | None
    text: str
    news: tuple[str, ...] = ()
    is_counted: bool = False


@dataclass(frozen=True, slots=True)
class FinalScores:
    """The scores at the end of the game *title*, by seat, which are shown until the next game."""

    title: str
    names: tuple[str, ...]
    scores: tuple[int, ...]
    winners: tuple[Seat, ...]
    score_unit: str


@dataclass(frozen=True, slots=True)
class Told:
    """The facts about the game that its view does not have.

    *last* is the last accepted piece, or None after an undo. *plays* are the last pieces that were
    played in this round, the newest first. *result* has the sentences that say how the round or
    game ended, and *gains* the points of this round by seat, or nothing if they are not known.
    *advice* says what can be played, as far as everybody may know that. *final* has the scores of
    the game before, while there is no game. *acts* are the last inputs of this round about which
    something was said, the newest first. *robots* are the seats in which robots or the mat
    play, and *goal* is the seat of the goal in a solo game.
    """

    last: LatestPlay | None = None
    plays: tuple[RecentPiece, ...] = ()
    result: tuple[str, ...] = ()
    gains: tuple[int, ...] = ()
    advice: str = ""
    final: FinalScores | None = None
    acts: tuple[RecentAct, ...] = ()
    robots: tuple[Seat, ...] = ()
    goal: Seat | None = None


@dataclass(frozen=True, slots=True)
class PublicNotice:
    """The urgent message on the display: what *happened*, and what to *do*.

    *is_refusal* is True if the table has refused something. For a lesson about a piece on the
    table, *piece* is the name of its kind.
    """

    happened: str
    do: str
    is_refusal: bool = False
    piece: str | None = None


@dataclass(frozen=True, slots=True)
class PublicState:
    """The state of the table for everybody. All texts are in *language*, as on the display.

    *game* is the name of the game in progress, or empty. While a list covers the game on the
    display, the fields about the game keep their values. *round* is the number of the round, or
    None in a game without rounds. *last*, *plays*, *result*, *gains*, *advice*, *final*, *acts*,
    *robots* and *goal* are as in ``Told``; result and gains are empty while a round is played,
    except that *result* is there while hands are counted. *score_unit* is the value of a
    ``ScoreUnit``. The other fields are as in ``TableView``.
    """

    phase: str
    game: str
    title: str
    language: str
    headline: str
    caption: str
    hint: str
    names: tuple[str, ...]
    scores: tuple[int, ...]
    turn: Seat | None
    active: tuple[Seat, ...]
    direction: str | None
    winners: tuple[Seat, ...]
    limit: int | None
    notice: PublicNotice | None
    fault: str
    last: LatestPlay | None
    round: int | None = None
    plays: tuple[RecentPiece, ...] = ()
    result: tuple[str, ...] = ()
    gains: tuple[int, ...] = ()
    counted: tuple[int | None, ...] = ()
    score_unit: str = ScoreUnit.POINT.value
    advice: str = ""
    final: FinalScores | None = None
    acts: tuple[RecentAct, ...] = ()
    robots: tuple[Seat, ...] = ()
    goal: Seat | None = None
    calls: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, as a dict of plain values."""
        return {"v": VERSION, **asdict(self)}


def state_of(
    view: TableView, of_game: TableView, game: str, language: str, told: Told
) -> PublicState:
    """Return the public state. *told* is what the view does not have.

    *of_game* is the last view that shows the game. The game, its players and scores come from it,
    because *view* may show a menu. Phase, hint, notice and fault are about what is shown now, and
    come from *view*.
    """
    notice = view.notice
    has_ended = of_game.phase == ROUND_OVER or bool(of_game.winners)
    is_result_known = has_ended or bool(of_game.counted)
    return PublicState(
        phase=view.phase,
        game=game,
        title=of_game.title,
        language=language,
        headline=of_game.page_headline or of_game.headline,
        caption=of_game.page_caption or of_game.caption,
        hint=view.hint,
        names=of_game.names,
        scores=of_game.scores,
        turn=of_game.turn,
        active=of_game.active,
        direction=None if of_game.direction is None else of_game.direction.value,
        winners=of_game.winners,
        limit=of_game.limit,
        notice=None if notice is None or notice.is_at_mat else _public(notice),
        fault=view.fault,
        last=told.last,
        round=of_game.counts.get(ROUND) if game else None,
        plays=told.plays,
        result=told.result if is_result_known else (),
        gains=told.gains if has_ended else (),
        counted=of_game.counted,
        score_unit=of_game.score_unit.value,
        advice=told.advice,
        final=told.final,
        acts=told.acts,
        robots=told.robots,
        goal=told.goal,
        calls=view.calls,
    )


def _public(notice: Notice) -> PublicNotice:
    piece = None if notice.piece is None else notice.piece.kind
    return PublicNotice(notice.happened, notice.do, bool(notice.code), piece)
