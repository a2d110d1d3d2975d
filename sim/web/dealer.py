"""The virtual deck: shuffled, dealt and drawn from as people would, beside the mat.

Room: sim/web. It knows no rules. What has become of every card or tile follows from the shuffle and
the journal: what is tapped and how the referee's counts go on (decision 0007). So an undo, a power
cut or a second page needs nothing of its own.

How a game is laid out is a fact of its box. One whose deck file has a ``spread`` lies face down in
rows and columns, to be turned over one by one; any other is dealt in hands from a draw pile, or
round a board (``sim.web.board``).
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from engines.common.contract import Game, Handed, Input, Seat, Setup, Step, Tap, View
from engines.common.pieces import Deck, Piece
from firmware.journal import GameRecord, GameStart

PILE, DISCARD = "draw-pile", "discard"
OPEN = "open"  # so many tiles lie open in the turn that is played
MAY_MOVE = "may-move"  # so many, of those turned last, may be put on a free place


class Act(NamedTuple):
    """One input that stands, what the rules made of it, and what the referee counted."""

    given: Input
    step: Step[Any]
    before: View
    after: View


def begun(game: Game[Any], start: GameStart) -> Any:
    """The state after dealing."""
    return game.start(Setup(len(start.names), Seat(start.dealer), start.deck, start.options))


def acts_of(game: Game[Any], record: GameRecord) -> tuple[View, list[Act]]:
    """What the referee counts at the start, and everything that stands."""
    state = begun(game, record.start)
    first = view = game.view(state)
    acts = []
    for given in record.inputs:
        step = game.step(state, given)
        state, before, view = step.state, view, game.view(step.state)
        acts.append(Act(given, step, before, view))
    return first, acts


def mixed(deck: Deck, chance: Random, left_out: Collection[str] = ()) -> list[Piece]:
    """All pieces of *deck* but the kinds that are *left_out*, shuffled."""
    pieces = [piece for piece in deck.pieces() if piece.kind not in left_out]
    chance.shuffle(pieces)
    return pieces


# --- hands and a draw pile ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Gift:
    """A card that was handed unseen by the mat: *piece*, unless the giver says another one."""

    giver: Seat
    receiver: Seat
    piece: Piece
    choices: tuple[Piece, ...]  # the hand it is of, as it was


@dataclass(slots=True)
class Cards:
    """Where every card is that is played with; *gift* is what the last input handed, if it did."""

    hands: list[list[Piece]]
    pile: list[Piece]  # the top card last
    laid: list[Piece] = field(default_factory=list)
    gift: Gift | None = None
    drawn: list[list[Piece]] = field(default_factory=list)  # with the last input, by each hand
    _home: tuple[list[Piece], int] | None = field(default=None, repr=False, compare=False)

    def lay(self, piece: Piece) -> None:
        """*piece* is laid, from whichever hand, or from the pile, it was in."""
        self._home = None
        for place in (*self.hands, self.pile, self.laid):
            if piece in place:
                self._home = place, place.index(piece)
                place.remove(piece)
        self.laid.append(piece)

    def take_back(self) -> None:
        """The card that was laid last goes back to where it came from."""
        if self._home is not None:
            place, at = self._home
            place.insert(at, self.laid.pop())
            self._home = None

    @property
    def layer(self) -> Seat | None:
        """Out of whose hand the card came that was laid last; none when out of none."""
        place = None if self._home is None else self._home[0]
        return next((Seat(seat) for seat, hand in enumerate(self.hands) if hand is place), None)

    def hand_over(self, handed: Sequence[Handed], wish: Piece | None) -> None:
        """Cards change hands all at once; where it is a single one, *wish*, if it can be."""
        before = [tuple(hand) for hand in self.hands]
        lifted = [_lifted(self.hands[way.giver], way.count, wish) for way in handed]
        for way, pieces in zip(handed, lifted, strict=True):
            self.hands[way.receiver] += pieces
        match handed, lifted:
            case [way], [[piece]] if len(before[way.giver]) > 1:
                self.gift = Gift(way.giver, way.receiver, piece, before[way.giver])

    def shuffle_laid(self, kept: int, chance: Random) -> None:
        """What was laid is shuffled and goes under the pile; so many, the last ones, stay."""
        lowest = len(self.laid) - kept
        below = self.laid[:lowest]
        chance.shuffle(below)
        self.laid, self.pile = self.laid[lowest:], below + self.pile

    def draw(self, counts: Mapping[str, int], first: Seat) -> None:
        """Every hand draws until it is as large as is counted, while the pile is larger."""
        held = [len(hand) for hand in self.hands]
        draw(self.hands, self.pile, counts, counts.get(PILE, 0), first)
        self.drawn = [hand[many:] for hand, many in zip(self.hands, held, strict=True)]


def draw(
    hands: Sequence[list[Piece]],
    pile: list[Piece],
    counts: Mapping[str, int],
    left: int,
    first: Seat,
) -> None:
    """Every hand draws until it is as large as is counted, while *pile* has more than *left*."""
    for seat in (*range(first, len(hands)), *range(first)):
        for _ in range(counts.get(f"hand-{seat + 1}", 0) - len(hands[seat])):
            if len(pile) > left:
                hands[seat].append(pile.pop())


def _lifted(hand: list[Piece], count: int, wish: Piece | None) -> list[Piece]:
    """Take so many cards out of *hand*: the last ones, or where it is one, *wish*."""
    if count == 1 and wish is not None and wish in hand:
        hand.remove(wish)
        return [wish]
    lifted = hand[max(len(hand) - count, 0) :]
    del hand[len(hand) - len(lifted) :]
    return lifted


@dataclass(slots=True)
class Dealer:
    """Deals a *deck* by chance, and then moves cards as people and the referee's counts do."""

    deck: Deck
    chance: Random
    cards: Cards = field(default_factory=lambda: Cards([], []))

    def deal(self, view: View) -> None:
        """Shuffle all cards of the game, and give each hand as many as the referee counts."""
        pile = mixed(self.deck, self.chance, view.left_out)
        self.cards = Cards([[] for _ in view.scores], pile)
        self.cards.draw({**view.counts, PILE: 0}, Seat(0))

    def follow(self, act: Act, wish: Piece | None = None) -> None:
        """Move what *act* moved; a single card that it handed is *wish*, if it can be."""
        before, after, cards = act.before.counts, act.after.counts, self.cards
        if after.get("round", 0) != before.get("round", 0):
            self.deal(act.after)
            return
        cards.gift = None
        if isinstance(act.given, Tap):
            cards.lay(act.given.piece)
        if act.step.is_foul:
            cards.take_back()
        cards.hand_over(act.step.handed, wish)
        if after.get(DISCARD, 0) < before.get(DISCARD, 0):
            cards.shuffle_laid(after[DISCARD], self.chance)
        cards.draw(after, act.before.turn or Seat(0))


def cards_of(
    game: Game[Any], record: GameRecord, seed: int, gifts: Mapping[int, Piece] | None = None
) -> Cards:
    """Where the cards of the game in *record* are, if they were shuffled with *seed*.

    *gifts* are people's own: the single card that was handed with the input of that number.
    """
    first, acts = acts_of(game, record)
    dealer = Dealer(record.start.deck, Random(seed))
    dealer.deal(first)
    for number, act in enumerate(acts, start=1):
        dealer.follow(act, (gifts or {}).get(number))
    return dealer.cards


# --- a spread that is turned over tile by tile ----------------------------------------------------


@dataclass(slots=True)
class Tiles:
    """Where every tile of a deck lies: on its place, row by row, or won, in front of a seat."""

    places: list[Piece | None]
    won: list[list[Piece]]
    open: list[Piece] = field(default_factory=list)  # in this turn, as they were turned
    past: list[Piece] = field(default_factory=list)  # of the turn that ended, until the next tile
    movable: int | None = None  # the place of the tile that may be put on a free one

    def at(self, place: int) -> Piece | None:
        """The tile that can be seen at *place*."""
        piece = self.places[place]
        return piece if piece in self.open or piece in self.past else None

    def hidden(self, place: int) -> Piece | None:
        """The tile that lies face down at *place*."""
        if place not in range(len(self.places)) or self.at(place) is not None:
            return None
        return self.places[place]

    def turn(self, piece: Piece) -> None:
        """*piece* is turned over, where it lies; the turn before it is forgotten."""
        self.past, self.movable = [], None
        if piece in self.places:
            self.open.append(piece)

    def settle(self, before: View, after: View) -> None:
        """Do as the referee's counts say: tiles leave their places, a turn ends."""
        leaving = self._leaving(Counter(before.counts) - Counter(after.counts))
        self.places = [None if piece in leaving else piece for piece in self.places]
        won, first = iter(leaving), before.turn or 0
        for seat in (*range(first, len(self.won)), *range(first)):
            name = f"won-{seat + 1}"
            self.won[seat] += islice(won, after.counts.get(name, 0) - before.counts.get(name, 0))
        self.open = [piece for piece in self.open if piece not in leaving]
        if self.open and not after.counts.get(OPEN):
            self.past, self.open = self.open, []
            self.movable = self.places.index(self.past[-1]) if after.counts.get(MAY_MOVE) else None

    def _leaving(self, fewer: Counter[str]) -> list[Piece]:
        """So many tiles of each kind: of those that lie open the first, else of the others."""
        leaving = []
        for piece in (*self.open, *(p for p in self.places if p and p not in self.open)):
            if fewer[piece.kind] > 0:
                fewer[piece.kind] -= 1
                leaving.append(piece)
        return leaving

    def can_move(self, start: int, to: int) -> bool:
        """Whether the tile at *start* may be put at *to*."""
        is_free = to in range(len(self.places)) and self.places[to] is None
        return start == self.movable and is_free

    def move(self, to: int) -> None:
        """Put the tile that may be moved at *to*, if it may go there."""
        if self.movable is not None and self.can_move(self.movable, to):
            self.places[to], self.places[self.movable] = self.places[self.movable], None
            self.movable = to


def tiles_of(game: Game[Any], record: GameRecord, seed: int, moves: Mapping[int, int]) -> Tiles:
    """Where the tiles of the game in *record* are, if they were shuffled with *seed*.

    *moves* are people's own: after so many inputs, the tile that may be moved was put at a place.
    """
    first, acts = acts_of(game, record)
    tiles = Tiles([*mixed(record.start.deck, Random(seed))], [[] for _ in first.scores])
    for number, act in enumerate(acts, start=1):
        if isinstance(act.given, Tap):
            tiles.turn(act.given.piece)
        tiles.settle(act.before, act.after)
        if number in moves:
            tiles.move(moves[number])
    return tiles
