"""The interface of a layout, which arranges the pieces of a game on the table for pages.

A layout is one module here and one in the page (``static/layouts/<name>.js``), both found by name.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Any

from engines.common.contract import Game, Input, Seat, View
from engines.common.layouts import COLOURS
from engines.common.pieces import Deck, Kind, Piece
from firmware.journal.journal import GameRecord
from firmware.outlet.box import face_of
from firmware.show.view import Notice, Penalty, TableView
from sim.deal.actors import PlayedPiece
from sim.mat.mat import CannotDo
from sim.robots.contract import ByHand
from sim.robots.scene import Scene

COUNTING = "scoring"  # the phase in which hands are counted, piece by piece
REVEAL = "reveal"  # the phase in which players choose a card in secret
# The phases in which each player shows a card, and nobody reacts to it.
TOGETHER = (COLOURS, REVEAL)
PLACE = "@"  # the prefix of a place's name, as in @17, which stands for its hidden piece

Value = int | str | tuple[str, ...]
Values = Mapping[str, Value]  # the values of an act by hand, in messages and in the deal file
Known = dict[str, Any]  # the fields of a Scene that all layouts share
Decisions = Mapping[int, Mapping[str, Values]]  # by the number of inputs before, then by act


@dataclass(frozen=True, slots=True)
class HandAct:
    """An act that the mat cannot sense, such as choosing which card to give away."""

    act: str
    values: Values


@dataclass(frozen=True, slots=True)
class Eyes:
    """The limits of what a page may see now, and the names that it uses for pieces.

    Args:
        game: the game's name, the first part of every tag.
        view: the table's current view.
        face_up: the seats whose hands are face up.
        may_show: the seats that may ask to see their hand.
        robots: the seats of robots.
        takes: returns True if the rules would take a piece on the shared spot now, from the
            player in a seat if one is given.
        penalty: returns the penalty for the player in a seat if laying a piece now would be a foul;
            otherwise None.
        bar: returns the notice with which a page refuses a piece of a hand, or None. Its argument
            is True for a piece that its player drew last.
    """

    game: str
    view: TableView
    face_up: Collection[int] = ()
    may_show: tuple[Seat, ...] = ()
    robots: Collection[int] = ()
    takes: Callable[[Piece, Seat | None], bool] = lambda piece, seat: False
    penalty: Callable[[Piece, Seat], Penalty | None] = lambda piece, seat: None
    bar: Callable[[bool], Notice | None] = lambda is_drawn: None

    def tag(self, piece: Piece) -> str:
        """Return the name of *piece* in pages, ``<game>/<piece>``."""
        return f"{self.game}/{piece}"

    def tags(self, pieces: Sequence[Piece | None]) -> list[str | None]:
        """Return the names of *pieces* in order. An empty place stays None."""
        return [None if piece is None else self.tag(piece) for piece in pieces]

    def hands(
        self, hands: Sequence[Sequence[Piece]], drawn: Collection[Piece] = ()
    ) -> dict[str, Any]:
        """Return *hands* as JSON values. A card that is face down is None.

        The other values tell about visible cards. ``playable`` has those that their players can
        play now, even out of turn. ``costs`` has those that would cost their players pieces, with
        the number of pieces, the reason and its rule. ``barred`` has those that the mat would
        accept but the page refuses, with the reason and its rule: only the page can tell which
        cards were just *drawn*. ``mayShow`` has the seats that may ask to see their hand.
        """
        seen = [(piece, Seat(holder)) for holder in self.face_up for piece in hands[holder]]
        # A piece from a hand is that player's: the rules need not ask whose it is.
        playable = [piece for piece, holder in seen if self.takes(piece, holder)]
        costs = {
            piece: penalty
            for piece, holder in seen
            if piece not in playable and (penalty := self.penalty(piece, holder))
        }
        barred = {piece: bar for piece in (*playable, *costs) if (bar := self.bar(piece in drawn))}
        return {
            "playable": self.tags([piece for piece in playable if piece not in barred]),
            "costs": {
                self.tag(piece): penalty._asdict()
                for piece, penalty in costs.items()
                if piece not in barred
            },
            "barred": {
                self.tag(piece): {"why": " ".join(bar.page_texts), "rule": bar.rule}
                for piece, bar in barred.items()
            },
            "hands": [
                [self.tag(piece) if holder in self.face_up else None for piece in hand]
                for holder, hand in enumerate(hands)
            ],
            "mayShow": list(self.may_show),
        }


class Arrangement(ABC):
    """The places of all pieces of a game after its last input."""

    has_secret_hands = True  # False if everybody knows what is in a hand

    @abstractmethod
    def page_data(self, eyes: Eyes) -> dict[str, Any]:
        """Return the part that a page may see, as JSON values."""

    def scene(self, known: Known) -> Scene | None:
        """Return the table as seen by the robot in seat ``known["seat"]``.

        *known* has the fields that the scenes of all layouts share. Return None if no robot can
        play on this layout.
        """
        return None

    def peekers(self, view: TableView) -> tuple[Seat, ...]:
        """Return the seats that may ask to see their hand: by default all, if several may act."""
        return view.active if len(view.active) > 1 else ()

    @property
    def chooser(self) -> Seat | None:
        """The player who may choose which of their pieces the last input moved, or None."""
        return None

    @property
    def choices(self) -> tuple[Piece, ...]:
        """The pieces that the ``chooser`` can give away."""
        return ()

    def gift_of(self, piece: Piece, game: str) -> HandAct:
        """Return the act that gives *piece*, one of the ``choices``, away."""
        raise NotImplementedError

    @property
    def is_decided(self) -> bool:
        """False while the ``chooser`` has not answered."""
        return True

    @property
    def may_skip(self) -> bool:
        """True if a robot that is the ``chooser`` need not answer."""
        return False

    def holder_of(self, piece: Piece) -> Seat | None:
        """Return the seat of the player who holds *piece* in the hand, or None."""
        return None

    def hand_of(self, seat: Seat) -> tuple[Piece, ...] | None:
        """Return the pieces in the hand of the player at *seat*; None if there are no hands."""
        return None

    def fresh_of(self, seat: Seat) -> tuple[Piece, ...]:
        """Return the pieces that the player at *seat* has drawn or got last, and still holds."""
        return ()

    @property
    def report(self) -> Input | None:
        """The next input that tells the referee what the page already shows, or None."""
        return None

    @property
    def loaded(self) -> PlayedPiece | None:
        """The last piece that was played without a tap, or None."""
        return None

    @property
    def sight(self) -> Input | None:
        """The answer, as the page shows it, to a question about what lies there; or None."""
        return None

    # --- names ---

    def name_of(self, piece: Piece) -> str:
        """Return the name that a page must use for *piece*, without the prefix ``<game>/``."""
        return str(piece)

    def at_place(self, place: str) -> Piece | None:
        """Return the piece that is face down at *place*, such as ``@17``; None if there is none."""
        return None

    def is_hidden(self, name: str) -> bool:
        """Return True if a page must use the place of the piece *name* instead of its name."""
        return False

    # --- acts by hand ---

    def decision(self, asked: HandAct, game: str) -> Values:
        """Return the values of the act *asked* to save in the deal file.

        Tags in *asked* begin with the name of *game*; saved names do not.

        Raises:
            CannotDo: the act cannot be done now.
        """
        raise CannotDo(f'"{asked.act}" is not an act of this layout', "Tap a piece instead")

    def replaces(self, act: str) -> Collection[str]:
        """Return the names of the acts that a new *act* replaces, if they follow the same input."""
        return (act,)

    def hand_act_for(self, by_hand: ByHand, game: str) -> HandAct:
        """Return the act that a page would send for *by_hand*, an action that the mat cannot sense.

        Raises:
            ValueError: this layout has no such act.
        """
        raise ValueError(f"this layout has no act for {by_hand}")


class Layout(ABC):
    """A way to arrange pieces on the table.

    Args:
        name: its name in ``Game.layout``.
        page: its JavaScript module, or None if that is in ``sim/web/static/layouts``.
        has_hands: True if each player has a hand of pieces.
        needless: the names of the house rules that help only at a mat; Play does not offer them.
    """

    name: str
    page: Traversable | None = None
    has_hands: bool = True
    needless: Collection[str] = ()

    @abstractmethod
    def misfit(self, deck: Deck, first: View) -> str:
        """Return the reason why a game cannot use this layout, or "" if it can.

        The game has *deck* and starts with the view *first*. This is the contract between a game
        and its layout: the counts that the view must have.
        """

    @abstractmethod
    def arrange(
        self, game: Game[Any], record: GameRecord, seed: int, decisions: Decisions
    ) -> Arrangement:
        """Return all pieces of the game in *record* in their places, shuffled with *seed*.

        *decisions* are the acts that the mat could not sense.

        Raises:
            CannotDo: one of the *decisions* lacks a value.
            ValueError: a value of a decision cannot be parsed.
        """

    def face(self, kind: Kind) -> str:
        """Return the name of the drawing in ``faces.js`` that pages use for pieces of *kind*."""
        return face_of(self.name, kind)

    def undealt(self, eyes: Eyes) -> dict[str, Any]:
        """Return what a page can draw from the view's counts alone, as JSON values.

        A page uses it while no deck is dealt.
        """
        return {}


def holder_in(hands: Sequence[Sequence[Piece]], piece: Piece) -> Seat | None:
    """Return the seat of the hand among *hands* that has *piece*, or None."""
    return next((Seat(seat) for seat, hand in enumerate(hands) if piece in hand), None)


def lacking(names: Collection[str], counts: Mapping[str, int]) -> str:
    """Return an error message with the *names* that are missing from *counts*, or ""."""
    missing = [name for name in names if name not in counts]
    return f"its view has no counts for {', '.join(missing)}" if missing else ""


# --- the values of an act by hand -----------------------------------------------------------------


def number_in(values: Values, name: str) -> int:
    """Return the whole number in *values* under *name*.

    Raises:
        CannotDo: it is missing or of another type.
    """
    value = values.get(name)
    if not isinstance(value, int):
        raise CannotDo(f"{name} is missing", f"Send {name} as a whole number")
    return value


def text_in(values: Values, name: str) -> str:
    """Return the string in *values* under *name*.

    Raises:
        CannotDo: it is missing or of another type.
    """
    value = values.get(name)
    if not isinstance(value, str):
        raise CannotDo(f"{name} is missing", f"Send {name} as a string")
    return value


def texts_in(values: Values, name: str) -> tuple[str, ...]:
    """Return the strings in *values* under *name*.

    Raises:
        CannotDo: they are missing or of another type.
    """
    value = values.get(name)
    if not isinstance(value, tuple):
        raise CannotDo(f"{name} is missing", f"Send {name} as a list of strings")
    return value


def piece_in(tag: str, game: str) -> Piece | None:
    """Return the piece that a page calls *tag*, or None if it is not one of *game*."""
    owner, _, name = tag.rpartition("/")
    try:
        return Piece.parse(name) if owner == game else None
    except ValueError:
        return None


def texts_of(pieces: Collection[Piece]) -> tuple[str, ...]:
    """Return the names of *pieces*, without the game."""
    return tuple(map(str, pieces))


def known_of(record: GameRecord, view: TableView | View, seat: int) -> Known:
    """Return the fields that scenes at the virtual table and of a seat of the mat have alike."""
    start = record.start
    return {
        "seat": seat,
        "players": len(start.names),
        "phase": view.phase,
        "turn": view.turn,
        "names": start.names,
        "options": start.options,
        "counts": view.counts,
        "done": record.inputs,
        "scores": view.scores,
        "direction": view.direction,
    }
