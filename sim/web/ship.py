"""The virtual ship of Riff Raff: ready-made hands of cards, and cargo that is loaded and falls.

Room: sim/web. It knows no rules. As with any deck that is dealt (decision 0007), where everything
is follows from the journal and the referee's counts; here nothing is shuffled.

Whose ready-made hand a piece is of, is a trait of its kind: all cards and all cargo of one
``colour`` are a set, and sets go to the seats in turn. Of cargo that has no tags the referee knows
how many pieces lie where at least and at most, not which ones. So a piece is *known* until it may
have been among those that fell; what is counted and not known is drawn as plain ``cargo``. Where
hands show what falls, and the referee is told the same, all stays known.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engines.common.contract import Choice, Game, Input, Number, Seat, Tap, View
from engines.common.pieces import Deck, Kind, Piece
from firmware.journal import GameRecord
from sim.web.dealer import Act, acts_of

ABOARD = "ship"  # so many pieces are on it
COLOURS, LOAD, PIECE, TAP_CAUGHT, TAP_LOST = "colours", "load", "piece", "tap-caught", "tap-lost"
FALLING = ("fallen", "caught", "which", TAP_CAUGHT, TAP_LOST)  # what fell is being told
PLACED = Choice("placed")  # of what fell, the piece just placed alone was caught
OTHER = Choice("other")
CARGO = "cargo"  # the kind of a piece of which nobody knows which it is


@dataclass(frozen=True, slots=True)
class Spilled:
    """The pieces that were seen to fall with the one in hand, and which of them were caught."""

    fallen: tuple[Piece, ...]
    caught: tuple[Piece, ...]

    @property
    def lost(self) -> list[Piece]:
        """Those that nobody caught."""
        return [piece for piece in self.fallen if piece not in self.caught]


@dataclass(slots=True)
class Ship:
    """Where cards and cargo are.

    Of cargo the known pieces are listed; *counts* say how many lie there in all.
    """

    hands: list[list[Piece]]
    played: list[list[Piece]]  # cards in front of each seat, the last one on top
    stocks: list[list[Piece]]
    areas: dict[int, list[Piece]]
    box: list[Piece] = field(default_factory=list)  # what left the game
    in_hand: Piece | None = None  # what is being loaded, when it is known
    caught: list[Piece] = field(default_factory=list)  # tapped, of those that fell
    lost: list[Piece] = field(default_factory=list)
    spilled: Spilled | None = None  # what was seen to fall, until it is settled
    counts: Mapping[str, int] = field(default_factory=dict)
    phase: str = COLOURS
    turn: Seat | None = None
    lit: int | None = None  # the area to load
    is_tagged: bool = False

    @property
    def revealed(self) -> list[Piece | None]:
        """The card of this round in front of each seat."""
        number = self.counts["round"]
        return [cards[-1] if len(cards) == number else None for cards in self.played]

    @property
    def movable(self) -> Collection[Piece]:
        """The pieces that somebody can take now: to load one, or to tell that it fell."""
        if self.turn is None:
            return ()
        if self.phase in (TAP_CAUGHT, TAP_LOST):
            return [piece for piece in self._loose if piece not in self.told]
        if self.phase == (PIECE if self.is_tagged else LOAD):
            return self.stock(self.turn)
        return ()

    @property
    def told(self) -> list[Piece]:
        """What was tapped, of those that fell."""
        return [*self.caught, *self.lost]

    @property
    def _loose(self) -> list[Piece]:
        """The known pieces that can fall."""
        aboard = (piece for pieces in self.areas.values() for piece in pieces)
        return [piece for piece in (*aboard, self.in_hand) if piece is not None]

    def can_spill(self, spilled: Spilled) -> bool:
        """Whether these can fall now; that nothing does is known of cargo with tags alone."""
        return (
            self.phase == LOAD
            and self.in_hand is not None
            and bool(self.is_tagged or spilled.fallen)
            and {*spilled.caught} <= {*spilled.fallen} <= {*self._loose}
        )

    def stock(self, seat: Seat) -> list[Piece]:
        """What lies in front of *seat*, without what is in hand."""
        left = self.counts[f"stock-{seat + 1}"] - (seat == self.turn and self.in_hand is not None)
        known = [piece for piece in self.stocks[seat] if piece != self.in_hand]
        return filled(known, left)


def filled(known: Sequence[Piece], count: int) -> list[Piece]:
    """The *known* pieces, and as many that are not as make *count*."""
    return [*known, *(Piece(CARGO, n) for n in range(1, count - len(known) + 1))]


class Purser:
    """Loads and unloads *ship* as people and the referee's counts do."""

    def __init__(self, deck: Deck, first: View, is_tagged: bool) -> None:
        self._deck = deck
        self._seats = len(first.scores)
        self._colours = list(_whole_colours(deck, first.counts["cards-1"]))
        self.ship = self._dealt(first, is_tagged)

    def _dealt(self, view: View, is_tagged: bool) -> Ship:
        """Everybody takes the cards and the cargo of a colour.

        Sets of cargo that are left go round again, as long as the referee counts more.
        """
        sets = {colour: _sorted(self._deck, colour) for colour in self._colours}
        own = [sets[colour] for colour in self._colours]
        hands = [cards for cards, _ in own[: self._seats]]
        stocks: list[list[Piece]] = [[] for _ in range(self._seats)]
        for n, (_, cargo) in enumerate(own):
            stock, seat = stocks[n % self._seats], n % self._seats
            stock += cargo[: view.counts[f"stock-{seat + 1}"] - len(stock)]
        areas: dict[int, list[Piece]] = {area: [] for area in _areas(view.counts)}
        ship = Ship(hands, [[] for _ in hands], stocks, areas, is_tagged=is_tagged)
        _look(ship, view)
        return ship

    def follow(self, act: Act, chosen: Piece | None = None, spilled: Spilled | None = None) -> None:
        """Move what *act* moved.

        The piece that is loaded next is *chosen*, where it has no tag, and these are *spilled*.
        """
        ship, before, after = self.ship, act.before, act.after
        piece = act.given.piece if isinstance(act.given, Tap) else None
        if before.phase == COLOURS:
            self._show_colour(act)
            ship = self.ship
        elif piece is not None:
            self._tap(piece, before.phase)
        self._heed(act.given, before.phase)
        self._follow_cards(piece, before.counts, after.counts)
        if before.phase == LOAD and after.counts[ABOARD] > before.counts[ABOARD]:
            self._hold()
        elif before.phase in FALLING and after.phase not in FALLING:
            self._settle(act.given, after.counts)
        _look(ship, after)
        if after.phase not in FALLING:
            ship.spilled = None
        if not ship.is_tagged and after.phase == LOAD:
            self.choose(chosen)
        self.spill(spilled)

    def choose(self, piece: Piece | None) -> None:
        """Whoever loads takes *piece*, if it lies there."""
        self.ship.in_hand = None
        self.ship.in_hand = piece if piece in self.ship.movable else None

    def spill(self, spilled: Spilled | None) -> None:
        """These fall for everybody to see, if they can; the referee has not heard of it yet."""
        if spilled is not None and self.ship.can_spill(spilled):
            self.ship.spilled = spilled

    # --- cards ---

    def _show_colour(self, act: Act) -> None:
        """Whoever shows a card of a colour has that set; whoever had it takes the other one."""
        assert isinstance(act.given, Tap), "a colour is shown by a card"
        seat = act.before.turn if act.given.seat is None else act.given.seat
        colour = self._deck.by_name[act.given.piece.kind].traits["colour"]
        if seat is not None:
            old, new = self._colours[seat], self._colours.index(str(colour))
            self._colours[seat], self._colours[new] = self._colours[new], old
        self.ship = self._dealt(act.before, self.ship.is_tagged)

    def _follow_cards(
        self, piece: Piece | None, before: Mapping[str, int], after: Mapping[str, int]
    ) -> None:
        """A hand that is one less has lost the card *piece*; one that grew took all cards back."""
        ship = self.ship
        for number, (hand, played) in enumerate(zip(ship.hands, ship.played, strict=True), 1):
            left, had = after[f"cards-{number}"], before[f"cards-{number}"]
            if left < had and piece in hand:
                hand.remove(piece)
                played.append(piece)
            elif left > had:
                hand.extend(played)
                hand.sort(key=lambda card: self._deck.by_name[card.kind].value)
                played.clear()

    # --- cargo ---

    def _tap(self, piece: Piece, phase: str) -> None:
        if phase == PIECE:
            self.ship.in_hand = piece
        elif phase == TAP_CAUGHT:
            self.ship.caught.append(piece)
        elif phase == TAP_LOST:
            self.ship.lost.append(piece)

    def _hold(self) -> None:
        """What was in hand lies where it was loaded."""
        ship = self.ship
        assert ship.lit is not None, "an area is loaded"
        ship.areas[ship.lit] += self._take()
        ship.in_hand = None

    def _take(self) -> list[Piece]:
        """The piece that is loaded leaves its stock; nothing where nobody knows which it was.

        Where nobody chose one it is the last of those that are known. A piece that was thought to
        lie in front of somebody else changes places with that one.
        """
        ship = self.ship
        assert ship.turn is not None, "somebody loads"
        stock = ship.stocks[ship.turn]
        piece = ship.in_hand or (stock[-1] if stock else None)
        if piece is None or piece.kind == CARGO:
            return []
        if piece in stock:
            stock.remove(piece)
        for other in ship.stocks:
            if piece in other:
                other.remove(piece)
                other.extend(stock[-1:])
                del stock[-1:]
        return [piece]

    def _heed(self, given: Input, phase: str) -> None:
        """Whoever tells the referee otherwise than was seen knows better what fell."""
        spilled = self.ship.spilled
        if spilled is None:
            return
        is_placed = spilled.caught == (self.ship.in_hand,)
        tells: Mapping[str, Input] = {
            "fallen": Number(len(spilled.fallen)),
            "caught": Number(len(spilled.caught)),
            "which": PLACED if is_placed else OTHER,
        }
        if tells.get(phase, given) != given:
            self.ship.spilled = None

    def _settle(self, given: Input, after: Mapping[str, int]) -> None:
        """What fell goes into the box, as many as left the game, and to whoever loaded."""
        spilled = self.ship.spilled
        if not self.ship.is_tagged and spilled is not None:
            self.ship.caught, self.ship.lost = [*spilled.caught], spilled.lost
            self._settle_told(after)
        elif not self.ship.is_tagged:
            self._settle_counted(given, after)
        elif self.ship.caught or self.ship.lost:
            self._settle_told(after)
        else:
            return  # nothing fell: the piece is in hand still
        self.ship.in_hand, self.ship.caught, self.ship.lost = None, [], []

    def _settle_told(self, after: Mapping[str, int]) -> None:
        """Each piece that fell was tapped, or seen."""
        ship = self.ship
        assert ship.turn is not None, "somebody loads"
        self._hold()
        for pieces in ship.areas.values():
            pieces[:] = (piece for piece in pieces if piece not in ship.told)
        is_gone = after["removed"] > ship.counts["removed"]
        (ship.box if is_gone else ship.stocks[ship.turn]).extend(_known(ship.caught))
        ship.stocks[ship.turn] += _known(ship.lost)

    def _settle_counted(self, given: Input, after: Mapping[str, int]) -> None:
        """So many fell, from anywhere.

        A piece is known no more where fewer lie than there were, unless all fell and went one way.
        """
        ship = self.ship
        assert ship.turn is not None, "somebody loads"
        before = dict(ship.counts)
        if given != PLACED:  # that one is taken back, and the others fell
            before[f"area-{ship.lit}"] += 1
            self._hold()
        elif after[ABOARD] == before[ABOARD]:
            return  # there are no others
        unsure: list[Piece] = []
        for area, pieces in ship.areas.items():
            if after[f"area-{area}"] < max(before[f"area-{area}"], len(pieces)):
                unsure += pieces
                pieces.clear()
        gone = after["removed"] - before["removed"]
        if not after[ABOARD] and not gone:
            ship.stocks[ship.turn] += unsure
        elif not after[ABOARD] and gone > before[ABOARD]:
            ship.box += unsure


def _known(pieces: Sequence[Piece]) -> list[Piece]:
    """Those of which it is known which they are."""
    return [piece for piece in pieces if piece.kind != CARGO]


def _look(ship: Ship, view: View) -> None:
    """See in *view* how many pieces are where, and who loads what."""
    ship.counts, ship.phase, ship.turn = view.counts, view.phase, view.turn
    for area, pieces in ship.areas.items():
        if len(pieces) > view.counts[f"most-{area}"]:  # somebody looked, and saw less
            pieces.clear()
    cells = () if view.grid is None else view.grid.cells
    ship.lit = next((int(cell.mark) for cell in cells if cell.is_lit), None)


def _areas(counts: Mapping[str, int]) -> Iterator[int]:
    return (int(name.removeprefix("area-")) for name in counts if name.startswith("area-"))


def _whole_colours(deck: Deck, cards: int) -> Iterator[str]:
    """The colours of which there are so many cards, in the order of the deck file."""
    colours = dict.fromkeys(str(kind.traits["colour"]) for kind in deck.kinds)
    return (colour for colour in colours if len(_sorted(deck, colour)[0]) >= cards)


def _sorted(deck: Deck, colour: str) -> tuple[list[Piece], list[Piece]]:
    """The cards of *colour*, one of each number, and its cargo."""
    kinds = [kind for kind in deck.kinds if kind.traits["colour"] == colour and kind.count]
    cards = [Piece(kind.name, 1) for kind in kinds if not _is_cargo(kind)]
    cargo = [
        Piece(kind.name, n) for kind in kinds if _is_cargo(kind) for n in range(1, kind.count + 1)
    ]
    return cards, cargo


def has_cargo(deck: Deck) -> bool:
    """Whether cargo lies in the box of *deck*."""
    return any(map(_is_cargo, deck.kinds))


def _is_cargo(kind: Kind) -> bool:
    return "shape" in kind.traits


def ship_of(
    game: Game[Any],
    record: GameRecord,
    loads: Mapping[int, Piece],
    spills: Mapping[int, Spilled] | None = None,
) -> Ship:
    """Where cards and cargo of the game in *record* are.

    *loads* and *spills* are done by hand: after so many inputs, the piece without a tag that is
    loaded, and what falls with it.
    """
    first, acts = acts_of(game, record)
    purser = Purser(record.start.deck, first, bool(record.start.options.get("tagged-cargo")))
    for number, act in enumerate(acts, start=1):
        purser.follow(act, loads.get(number), (spills or {}).get(number))
    return purser.ship


# --- what pages see -------------------------------------------------------------------------------


def ship_shown(prefix: str, ship: Ship) -> dict[str, Any]:
    """Ship, stocks and box as JSON values; each piece by its tag, which begins with *prefix*."""

    def tags(pieces: Sequence[Piece | None]) -> list[str | None]:
        return [None if piece is None else f"{prefix}{piece}" for piece in pieces]

    counts, seen = ship.counts, ship.spilled or Spilled((), ())
    unknown = counts[ABOARD] - sum(map(len, ship.areas.values()))
    areas = [
        {
            "area": area,
            "pieces": tags(filled(pieces, counts[f"area-{area}"])),
            "most": min(counts[f"most-{area}"], len(pieces) + unknown),
        }
        for area, pieces in ship.areas.items()
    ]
    return {
        "revealed": tags(ship.revealed),
        "captain": counts["captain"] - 1,
        "stocks": [tags(ship.stock(Seat(seat))) for seat in range(len(ship.stocks))],
        "box": tags(filled(ship.box, counts["removed"])),
        "ship": {
            "areas": areas,
            "lit": ship.lit,
            "inHand": None if ship.in_hand is None else f"{prefix}{ship.in_hand}",
            "fallen": tags(list(dict.fromkeys([*seen.fallen, *ship.told]))),
            "caught": tags(seen.caught),
            "movable": tags([*ship.movable]),
            "isTagged": ship.is_tagged,
        },
    }
