"""The dealt deck: its file, the part that pages may see, and the pages' requests about it.

A layout (``sim.deal.layouts``) arranges the pieces.
"""

import json
import logging
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

from engines.common.contract import Button, Input, Press, Seat
from engines.common.layouts import ROUND
from engines.common.pieces import Piece
from firmware.boxes.games import games
from firmware.common.bounded_file import read_bounded
from firmware.common.errors import word_list
from firmware.journal.journal import GameRecord
from firmware.show.view import Notice, Penalty, TableView
from firmware.table.announcements import ROUND_OVER
from sim.deal.actors import PlayedPiece, last_play_of, last_tap_of
from sim.deal.layout import (
    COUNTING,
    PLACE,
    Arrangement,
    Decisions,
    Eyes,
    HandAct,
    Value,
    Values,
    known_of,
)
from sim.deal.layouts import layout_name, layout_of, misfit_of
from sim.deal.transitions import initial_state
from sim.mat.mat import CannotDo
from sim.players.levels import find_style, styles_of
from sim.robots.contract import ByHand
from sim.robots.scene import Scene

OPEN_PHASES = {COUNTING, ROUND_OVER}  # in which no hand is secret
FELL = Press(Button.ACTION)  # the first input of a report

log = logging.getLogger(__name__)


class Decision(NamedTuple):
    """An act that the mat could not sense. *after* is the number of inputs before it."""

    after: int
    act: str
    values: Values


@dataclass(frozen=True, slots=True)
class DealRecord:
    """The contents of the deal file.

    They are the game's number, the seed of the shuffle, and the *decisions*: people's acts that the
    mat could not sense. *robots* holds a seat, counted from 0, and a style for each robot. If
    *is_quick*, robots make short pauses. If *hands_over*, people at one page pass it on: a hand
    lies face down until its player asks to see it.
    """

    game: int
    seed: int
    is_hot_seat: bool
    decisions: tuple[Decision, ...] = ()
    robots: tuple[tuple[int, str], ...] = ()
    is_quick: bool = False
    hands_over: bool = False

    @classmethod
    def read(cls, file: Path) -> Self | None:
        """Return the record in *file*, or None if it cannot be read."""
        try:
            shape = json.loads(read_bounded(file))
            game, seed, is_hot_seat = shape["game"], shape["seed"], shape["is_hot_seat"]
            decisions = tuple(
                Decision(int(after), str(act), {name: _value(v) for name, v in values.items()})
                for after, act, values in shape.get("decisions", _older_decisions(shape))
            )
            robots = tuple((int(seat), str(style)) for seat, style in shape.get("robots", ()))
            is_quick, hands_over = (bool(shape.get(name)) for name in ("is_quick", "hands_over"))
            return cls(
                int(game), int(seed), bool(is_hot_seat), decisions, robots, is_quick, hands_over
            )
        except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return None

    def write(self, file: Path) -> None:
        """Write the record to *file*.

        Errors are ignored, but after an error, a restart loses the deal.
        """
        half = file.with_suffix(".part")
        with suppress(OSError):
            half.write_text(json.dumps(asdict(self)), encoding="utf-8")
            half.replace(file)

    def until(self, inputs: int) -> "DealRecord":
        """Return this record with only the decisions made up to input number *inputs*."""
        return replace(self, decisions=tuple(d for d in self.decisions if d.after <= inputs))

    def with_decision(self, decision: Decision, replaces: Collection[str]) -> "DealRecord":
        """Return this record with *decision* added.

        Earlier decisions after the same input are dropped if their act is in *replaces*.
        """
        others = [
            old for old in self.decisions if old.after < decision.after or old.act not in replaces
        ]
        return replace(self, decisions=(*others, decision))

    def with_robot(self, seat: int, style: str | None) -> "DealRecord":
        """Return this record with a robot of *style*, or a person (None), in *seat*."""
        others = {at: name for at, name in self.robots if at != seat}
        taken = others if style is None else {**others, seat: style}
        return replace(self, robots=tuple(sorted(taken.items())))

    @property
    def by_input(self) -> Decisions:
        """The values of all decisions, by the number of inputs before each and by the act."""
        found: dict[int, dict[str, Values]] = {}
        for after, act, values in self.decisions:
            found.setdefault(after, {})[act] = values
        return found


def _older_decisions(shape: Mapping[str, Any]) -> list[tuple[int, str, Mapping[str, object]]]:
    """Return the decisions in a file of tapmat 0.1, which has one list for each act."""
    return [
        *((after, "move", {"to": to}) for after, to in shape.get("moves", ())),
        *(
            (after, "give", {"card": str(Piece.parse(card))})
            for after, card in shape.get("gifts", ())
        ),
        *(
            (after, "load", {"piece": str(Piece.parse(piece))})
            for after, piece in shape.get("loads", ())
        ),
        *(
            (after, "spill", {"fallen": _names(fallen), "caught": _names(caught)})
            for after, fallen, caught in shape.get("spills", ())
        ),
    ]


def _names(pieces: Collection[str]) -> list[str]:
    return [str(Piece.parse(piece)) for piece in pieces]


def _value(value: object) -> Value:
    """Return a *value* of the deal file, a list as a tuple.

    Raises:
        TypeError: the value is not a number, a string or a list of strings.
    """
    match value:
        case int() | str():
            return value
        case list() if all(isinstance(text, str) for text in value):
            return tuple(value)
    raise TypeError(
        f"a decision cannot have the value {value!r}: expected a number, a string or a "
        "list of strings"
    )


class VirtualDeck:
    """The deck of the virtual table. While it is dealt, the deal is saved in *file*."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._dealt = DealRecord.read(file)
        self._record: GameRecord | None = None  # the game at the last update()
        self._deal_shown: DealRecord | None = None
        self._lying: Arrangement | None = None
        # By the number of a page: whose hand is face up there until the next input, and who asked
        # last there to see their hand. A hand is in one page at most.
        self._uncovered: dict[int, Seat] = {}
        self._at_page: dict[int, Seat] = {}
        self._round = 0  # the round that was shown last
        # The answers of _holder, by the number of inputs, each after what was asked.
        self._holders: dict[int, tuple[tuple[GameRecord, DealRecord, Piece], Seat | None]] = {}

    def deal(
        self,
        record: GameRecord,
        seed: int,
        is_hot_seat: bool,
        is_quick: bool = False,
        *,
        hands_over: bool = False,
        keeps_robots: bool = False,
    ) -> None:
        """Deal the game in *record*, shuffled with *seed*.

        Robots that already sit in this game keep their seats; with *keeps_robots*, those of the
        game before do too, if they can play this game. If *is_hot_seat*, all players share one
        page; if *hands_over*, they pass it on, and each asks to see their hand. If *is_quick*,
        robots make short pauses.
        """
        dealt = DealRecord(
            record.number, seed, is_hot_seat, is_quick=is_quick, hands_over=hands_over
        )
        self._at_page.clear()
        before = self._dealt
        if before is not None and (keeps_robots or before.game == record.number):
            game = record.start.game
            robots = tuple(each for each in before.robots if find_style(game, each[1]) is not None)
            dealt = replace(dealt, robots=robots, is_quick=before.is_quick)
        self._keep(dealt)

    def gather(self) -> None:
        """Put the deck away, and delete its file."""
        self._dealt = None
        self._file.unlink(missing_ok=True)

    def update(self, record: GameRecord | None) -> None:
        """Update the places of all pieces after an input or an undo in the game of *record*.

        If *record* is None or is not the dealt game, nothing is shown as dealt.
        """
        if record is None or self._dealt is None or record.number != self._dealt.game:
            self._record = self._deal_shown = self._lying = None
            return
        if (kept := self._dealt.until(len(record.inputs))) != self._dealt:
            self._keep(kept)  # drops decisions after inputs that were undone
        if record != self._record:
            self._uncovered.clear()
        if (record, self._dealt) != (self._record, self._deal_shown):
            self._lying = _pieces_of(record, self._dealt)
            if self._lying is None:
                self.gather()
                self._record = self._deal_shown = None
                return
            self._record, self._deal_shown = record, self._dealt

    def page_data(
        self,
        view: TableView,
        takes: Callable[[Piece, Seat | None], bool] = lambda piece, seat: False,
        penalty: Callable[[Piece, Seat], Penalty | None] = lambda piece, seat: None,
        bar: Callable[[bool], Notice | None] = lambda is_drawn: None,
        page: int | None = None,
    ) -> dict[str, Any] | None:
        """Return the part that a page may see, as JSON values, or None if nothing is dealt.

        *page* is the number of a page in which a player has asked to see their hand, or None for
        all others.
        *view* is the table's current view. *takes* returns True if the rules would take a piece on
        the shared spot now, from the player in a seat if one is given. *penalty* returns the
        penalty that the player in a seat would get for it, or None. *bar* returns the notice with
        which the page refuses a piece, or None; its parameter is True for a piece just drawn.
        """
        record, lying = self._record, self._lying
        if record is None or lying is None:
            return None
        if (number := view.counts.get(ROUND, 0)) != self._round:
            self._round = number
            self._at_page.clear()  # new hands: the page is passed on
        game, names = record.start.game, record.start.names
        eyes = Eyes(
            game,
            view,
            self._face_up(view, len(names), page),
            self._may_show(view),
            self.robots.keys(),
            takes,
            penalty,
            bar,
        )
        robots = [self.robots.get(seat) for seat in range(len(names))]
        head = {"game": game, "layout": layout_name(game), "robots": robots}
        return {**head, **lying.page_data(eyes)}

    @property
    def hands(self) -> Mapping[Seat, tuple[Piece, ...]]:
        """The hand of each player; empty if nothing is dealt or the layout has no hands."""
        lying, record = self._lying, self._record
        if lying is None or record is None:
            return {}
        seats = map(Seat, range(len(record.start.names)))
        return {seat: hand for seat in seats if (hand := lying.hand_of(seat)) is not None}

    @property
    def fresh(self) -> frozenset[Piece]:
        """The pieces that players have drawn or got last, and still hold."""
        lying, record = self._lying, self._record
        if lying is None or record is None or self.chooser is not None:
            return frozenset()
        return frozenset(
            piece for seat in range(len(record.start.names)) for piece in lying.fresh_of(Seat(seat))
        )

    # --- robots ---

    @property
    def robots(self) -> Mapping[int, str]:
        """The style of each robot, by seat."""
        return {} if self._deal_shown is None else dict(self._deal_shown.robots)

    @property
    def robots_before(self) -> tuple[str, ...]:
        """The style of the robot in each seat of the game that was dealt last; "" for a person."""
        robots = {} if self._dealt is None else dict(self._dealt.robots)
        return tuple(robots.get(seat, "") for seat in range(max(robots, default=-1) + 1))

    @property
    def is_quick(self) -> bool:
        """True if robots make short pauses."""
        return self._deal_shown is not None and self._deal_shown.is_quick

    @property
    def decided(self) -> DealRecord | None:
        """The record of the current deal, or None."""
        return self._deal_shown

    def seat(self, seat: int, style: str | None) -> None:
        """Let a robot of *style*, or a person (None), play at *seat*, counted from 0.

        Raises:
            CannotDo: nothing is dealt, or there is no such seat or robot.
        """
        if self._dealt is None or self._record is None:
            raise CannotDo("nothing is dealt", "Deal first, then seat robots")
        start = self._record.start
        if seat not in range(len(start.names)):
            raise CannotDo(
                f"nobody sits at seat {seat + 1}", f"The seats are 1 to {len(start.names)}"
            )
        styles = styles_of(start.game)
        if not styles:
            raise CannotDo(
                f"robots cannot play {start.game} together with people yet",
                "Leave the seat to a person",
            )
        if style is not None and find_style(start.game, style) is None:
            raise CannotDo(f'no robot has the level "{style}"', f"It can be: {word_list(styles)}")
        self._keep(self._dealt.with_robot(seat, style))

    def scene(self, seat: int, view: TableView) -> Scene | None:
        """Return the table as the player at *seat* sees it now, or None if nothing is dealt.

        *view* is the table's current view.
        """
        record = self._record
        if record is None:
            return None
        known = {
            **known_of(record, view, seat),
            "headline": view.headline,
            "active": view.active,
            "people": self._people,
            "choices": () if view.choices is None else view.choices.values,
        }
        return None if self._lying is None else self._lying.scene(known)

    def tag_of(self, piece: Piece) -> str:
        """Return the name that a page must use for *piece*."""
        assert self._record is not None, "robots play at a table that is dealt"
        assert self._lying is not None, "every dealt piece has a place"
        return f"{self._record.start.game}/{self._lying.name_of(piece)}"

    def hand_act_for(self, by_hand: ByHand) -> HandAct:
        """Return the act that a page would send for *by_hand*, which the mat cannot sense."""
        assert self._record is not None, "robots play at a table that is dealt"
        assert self._lying is not None, "every dealt piece has a place"
        return self._lying.hand_act_for(by_hand, self._record.start.game)

    def take_back_by_hand(self, turn: Seat | None) -> bool:
        """Drop what a person has done by hand since the last input, such as a chosen gift.

        Return False if there is nothing to drop. *turn* is the current player.
        """
        if self._dealt is None or self._record is None or self._lying is None:
            return False
        chooser = self._lying.chooser
        before = self._dealt.until(len(self._record.inputs) - 1)
        if before == self._dealt or (turn if chooser is None else chooser) in self.robots:
            return False
        self._keep(before)
        return True

    @property
    def inputs_before_last_play(self) -> int | None:
        """The number of inputs that came before the last play by a person; None if there is none.

        If all players are robots, their plays count instead. A report of fallen cargo counts as one
        play, with all its answers.
        """
        if self._record is None:
            return None
        number = last_play_of(self.robots if self._people else (), self._record, self._holder)
        return None if number is None else self._start_of_report(number)

    def _start_of_report(self, last: int) -> int:
        """Return the number of inputs before a report of fallen cargo.

        *last* is the number of inputs before the last input of the report. If there is no report,
        return *last*. A report is a press of the action button, and then the answers that the page
        shows.
        """
        assert self._record is not None, "the inputs are those of a game"
        inputs = self._record.inputs
        if self._report_after(last) != inputs[last]:
            return last  # true of most inputs, so it is checked first: the loop below is slow
        if self._report_after(last + 1) not in (None, FELL):
            return last  # the report is not complete
        for number in range(last, -1, -1):
            if self._report_after(number) != inputs[number]:
                return last
            if inputs[number] == FELL:
                return number
        return last

    def _report_after(self, inputs: int) -> Input | None:
        """Return the value of ``report`` for the time after the first *inputs* inputs."""
        then = self._after(inputs)
        return None if then is None else then.report

    @property
    def last_tap(self) -> PlayedPiece | None:
        """The last piece that a player tapped to play it, or else loaded by hand; or None."""
        if self._record is None:
            return None
        loaded = None if self._lying is None else self._lying.loaded
        return last_tap_of(self._record, self._holder) or loaded

    def _holder(self, inputs: int, piece: Piece) -> Seat | None:
        """Return the seat of the player who held *piece* after the first *inputs* inputs.

        Return None if nobody held it. Answers are stored, because arranging all pieces is slow.
        """
        if self._record is None or self._deal_shown is None:
            return None
        then = replace(self._record, inputs=self._record.inputs[:inputs])
        asked = then, self._deal_shown.until(inputs), piece
        stored = self._holders.get(inputs)
        if stored is None or stored[0] != asked:
            lying = self._after(inputs)
            stored = asked, None if lying is None else lying.holder_of(piece)
            self._holders[inputs] = stored
        return stored[1]

    def _after(self, inputs: int) -> Arrangement | None:
        """Return the places of all pieces after the first *inputs* inputs, or None."""
        if self._record is None or self._deal_shown is None:
            return None
        then = replace(self._record, inputs=self._record.inputs[:inputs])
        return _pieces_of(then, self._deal_shown.until(inputs))

    @property
    def chooser(self) -> Seat | None:
        """The person who must still choose a piece on the page, such as a card to give away."""
        lying = self._lying
        if lying is None or lying.is_decided or lying.may_skip or lying.chooser in self.robots:
            return None
        return lying.chooser

    @property
    def choices(self) -> tuple[Piece, ...]:
        """The pieces that the ``chooser`` can give away."""
        return () if self._lying is None or self.chooser is None else self._lying.choices

    def give(self, piece: Piece) -> None:
        """Give *piece* away for the ``chooser``.

        Raises:
            CannotDo: it is not one of the ``choices`` now.
        """
        if self._record is None or self._lying is None or piece not in self.choices:
            raise CannotDo("that card cannot be given away now", "Choose one in the giver's hand")
        self.do_by_hand(self._lying.gift_of(piece, self._record.start.game))

    @property
    def is_decided(self) -> bool:
        """False while robots wait for the ``chooser`` of the pieces."""
        lying = self._lying
        if lying is None or lying.is_decided:
            return True
        return lying.may_skip and lying.chooser in self.robots

    @property
    def report(self) -> Input | None:
        """The next input that tells the referee what the page already shows, or None."""
        return None if self._lying is None else self._lying.report

    @property
    def sight(self) -> Input | None:
        """The answer, as the page shows it, to a question about what lies there; or None."""
        return None if self._lying is None else self._lying.sight

    @property
    def seed(self) -> int:
        """The seed of the shuffle, and of the robots' random choices."""
        return 0 if self._deal_shown is None else self._deal_shown.seed

    # --- which hands are face up ---

    def show(self, seat: Seat, view: TableView, page: int) -> None:
        """Turn the hand of *seat* face up in *page*, and no other there, until the next input.

        In every other page it is face down again.

        Raises:
            CannotDo: the player may not look at that hand now.
        """
        if seat not in self._may_show(view):
            raise CannotDo(
                "that hand cannot be shown now",
                "If several players may act, each shows their own hand",
            )
        for shown in (self._uncovered, self._at_page):
            for other in [other for other, held in shown.items() if held == seat]:
                del shown[other]
            shown[page] = seat

    def cover(self, page: int) -> None:
        """Turn the hand that a player has asked to see in *page* face down again."""
        self._uncovered.pop(page, None)
        self._at_page.pop(page, None)

    def cover_others(self, view: TableView) -> None:
        """Turn all hands face down that players have asked to see, but the current player's."""
        self._uncovered.clear()
        current = view.active[0] if len(view.active) == 1 else None
        self._at_page = {page: seat for page, seat in self._at_page.items() if seat == current}

    @property
    def asking_pages(self) -> frozenset[int]:
        """The numbers of the pages in which a player has asked to see their hand."""
        return frozenset({*self._uncovered, *self._at_page})

    @property
    def _is_hot_seat(self) -> bool:
        return self._deal_shown is not None and self._deal_shown.is_hot_seat

    def _may_show(self, view: TableView) -> tuple[Seat, ...]:
        """Return the seats that may ask to see their hand.

        There are such seats only in hot-seat, while several players may act, or if people pass the
        page on. A single person among robots always sees their own hand and need not ask.
        """
        if not self._is_hot_seat or len(self._people) == 1:
            return ()
        able = () if self._lying is None else self._lying.peekers(view)
        if (next_one := self._handed_to(view)) is not None:
            able = (*able, next_one)
        return tuple(seat for seat in dict.fromkeys(able) if seat not in self.robots)

    def _handed_to(self, view: TableView) -> Seat | None:
        """Return the seat of the player to whom people pass the page now, or None.

        The giver of a card gets it until the card is chosen. While hands are counted, and after a
        round, everybody may look.
        """
        lying = self._lying
        if lying is None or not self._is_passed_on or view.phase in OPEN_PHASES:
            return None
        waiting = view.active
        if lying.chooser is not None:
            waiting = () if lying.is_decided else (lying.chooser,)
        return waiting[0] if len(waiting) == 1 and waiting[0] not in self.robots else None

    @property
    def _is_passed_on(self) -> bool:
        """True if people at one page pass it on, because the game has secret hands."""
        dealt, lying = self._deal_shown, self._lying
        return bool(dealt and lying and dealt.hands_over and lying.has_secret_hands)

    @property
    def is_alone(self) -> bool:
        """True if one person plays with robots."""
        return len(self._people) == 1

    @property
    def _people(self) -> tuple[int, ...]:
        """The seats of people, not robots."""
        seats = 0 if self._record is None else len(self._record.start.names)
        return tuple(seat for seat in range(seats) if seat not in self.robots)

    def _face_up(self, view: TableView, hands: int, page: int | None) -> Collection[int]:
        """Return the seats whose hands are face up in *page*.

        In hot-seat, one that acts; otherwise, all. Where people pass the page on, the one that acts
        only in the page in which its player has asked to see it.

        A single person among robots always sees their own hand; a robot's hand stays hidden.
        """
        if not self._is_hot_seat or view.winners:
            return range(hands)
        people = self._people
        if len(people) == 1 < hands:
            return people
        asked = None if page is None else self._at_page.get(page)
        covered = self._handed_to(view)
        chooser = None if self._lying is None else self._lying.chooser
        if chooser is not None and chooser not in self.robots:
            is_open = not self._is_passed_on or asked == covered == chooser
            return (chooser,) if is_open else ()
        uncovered = None if page is None else self._uncovered.get(page)
        if uncovered is not None:
            return (uncovered,)
        active = view.active if len(view.active) == 1 else ()
        secret = () if self._lying is None else (covered, *self._lying.peekers(view))
        return tuple(
            seat for seat in active if seat in people and (seat not in secret or seat == asked)
        )

    # --- names that pages use ---

    def piece_of(self, card: str) -> tuple[str | None, Piece | str]:
        """Return the game and the piece called *card*, as in ``straw/weight-7#2``, ``cramel/@17``.

        For a tag that is on no piece, such as ``stranger``, return None and the tag's name.

        Raises:
            CannotDo: no piece has that name, or pages must use another name for it.
        """
        game, slash, name = card.rpartition("/")
        if slash and name.startswith(PLACE):
            return game, self._at(game, name)
        if self._lying is not None and self._lying.is_hidden(name):
            raise CannotDo("the tiles are face down", f"Name one by its place, as in {game}/@17")
        try:
            return (game, Piece.parse(name)) if slash else (None, name)
        except ValueError as error:
            raise CannotDo(str(error), "Name a card as in straw/weight-7#2") from None

    def _at(self, game: str, place: str) -> Piece:
        """Return the piece of *game* that is face down at *place*, such as ``@17``.

        Raises:
            CannotDo: there is none.
        """
        is_ours = self._record is not None and self._record.start.game == game
        piece = self._lying.at_place(place) if is_ours and self._lying is not None else None
        if piece is None:
            raise CannotDo(f"no tile is face down at {game}/{place}", "Choose another place")
        return piece

    # --- acts by hand ---

    def do_by_hand(self, asked: HandAct) -> None:
        """Save an act that the mat cannot sense, such as the choice of a card to give away.

        Raises:
            CannotDo: nothing is dealt, or it cannot be done now.
        """
        if self._dealt is None or self._record is None or self._lying is None:
            raise CannotDo("nothing is dealt", "Deal first")
        values = self._lying.decision(asked, self._record.start.game)
        decision = Decision(len(self._record.inputs), asked.act, values)
        self._keep(self._dealt.with_decision(decision, self._lying.replaces(asked.act)))

    def _keep(self, dealt: DealRecord) -> None:
        self._dealt = dealt
        dealt.write(self._file)


def check_fit(record: GameRecord) -> None:
    """Check that the layout of the game in *record* can arrange its pieces.

    Raises:
        CannotDo: the layout is not installed, or the game lacks counts that it needs.
    """
    name = record.start.game
    first = games()[name].view(initial_state(games()[name], record.start))
    misfit = misfit_of(name, record.start.deck, first)
    if misfit:
        raise CannotDo(misfit, "The game has started; take its pieces from the tray")


def _pieces_of(record: GameRecord, dealt: DealRecord) -> Arrangement | None:
    """Return all pieces of the deal *dealt* in their places.

    Return None if the game's layout is not installed or the deal file is damaged.
    """
    layout = layout_of(record.start.game)
    if layout is None:
        return None
    try:
        return layout.arrange(games()[record.start.game], record, dealt.seed, dealt.by_input)
    except (ValueError, CannotDo) as error:
        log.warning("The dealt cards go back to the tray: %r", error)
        return None
