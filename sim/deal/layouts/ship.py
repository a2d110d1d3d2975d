"""The layout of a ship: fixed hands of cards, and cargo that is loaded and falls.

The places of all pieces follow from the journal and the referee's counts (decision 0007); this
module applies no rules, and nothing is shuffled.

All cards and all cargo of one ``colour`` (a trait of their kinds) are a set. Sets go to the seats
in turn. If cargo has no tags, the referee knows the least and the most pieces in each area, but not
which ones. So a piece counts as *known* until it may have fallen; counted pieces that are not known
are drawn as plain ``cargo``. If people show on the page which pieces fall, and tell the referee the
same, all pieces stay known.

The ship tilts under its cargo (``sim.robots.riff_raff.balance``). When a piece is in hand, the
balance decides what falls, unless people have shown on the page what falls. People have the last
word: the game follows what they tell the referee.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engines.common import layouts
from engines.common.contract import (
    Button,
    Choice,
    Game,
    Input,
    Number,
    Press,
    Seat,
    SeatChoice,
    Tap,
    View,
)
from engines.common.grid import Grid
from engines.common.pieces import Deck, Kind, Piece
from firmware.journal.journal import GameRecord
from firmware.show.view import TableView
from sim.deal.actors import PlayedPiece
from sim.deal.layout import (
    REVEAL,
    Arrangement,
    Decisions,
    Eyes,
    HandAct,
    Known,
    Layout,
    Values,
    holder_in,
    lacking,
    piece_in,
    text_in,
    texts_in,
    texts_of,
)
from sim.deal.transitions import Transition, transitions_of
from sim.mat.mat import CannotDo
from sim.robots.contract import ByHand, Load, Spill
from sim.robots.riff_raff.balance import Stowed, Sway, balance, heaviness, limit, place, slides
from sim.robots.scene import Scene, ShipScene

LOADING, SPILL = "load", "spill"  # acts by hand: choose the piece to load, and those that fall
PLACED = Choice("placed")  # only the piece just placed fell, or was caught
OTHER = Choice("other")
CARGO = "cargo"  # the kind of a piece that is not known


@dataclass(frozen=True, slots=True)
class Spilled:
    """The pieces that people marked on the page as fallen, and which of them were caught."""

    fallen: tuple[Piece, ...]
    caught: tuple[Piece, ...]

    @property
    def lost(self) -> list[Piece]:
        """The pieces that fell and were not caught."""
        return [piece for piece in self.fallen if piece not in self.caught]


@dataclass
class ShipPieces(Arrangement):
    """The places of cards and cargo.

    Cargo is *known* if the referee's counts tell which piece it is. Only known cargo is listed, but
    *counts* includes all cargo.
    """

    has_secret_hands = False  # everybody begins with the same cards, and lays them face up

    hands: list[list[Piece]]
    played: list[list[Piece]]  # cards in front of each seat, the last one on top
    stocks: list[list[Piece]]
    areas: dict[int, list[Piece]]
    box: list[Piece] = field(default_factory=list)  # pieces that left the game
    in_hand: Piece | None = None  # the piece being loaded, if known
    loaded: PlayedPiece | None = None  # the last piece that held, if known
    caught: list[Piece] = field(default_factory=list)  # fallen pieces tapped as caught, or as lost
    lost: list[Piece] = field(default_factory=list)
    spilled: Spilled | None = None  # shown at the page, until the referee has counted it
    rocking: Sway | None = None  # the outcome of the piece in hand, by the ship's balance
    shapes: Mapping[str, str] = field(default_factory=dict)  # of cargo, by kind
    colours: Sequence[str] = ()  # by seat
    order: list[Seat] = field(default_factory=list)  # chosen by the captain
    seed: int | None = None  # of the deal; None for a ship without balance
    counts: Mapping[str, int] = field(default_factory=dict)
    phase: str = layouts.COLOURS
    turn: Seat | None = None
    lit: int | None = None  # the area to load
    is_tagged: bool = False

    def peekers(self, view: TableView) -> tuple[Seat, ...]:
        """Return the seats of the players who still choose a card in secret."""
        return view.active if view.phase == REVEAL else ()

    @property
    def revealed(self) -> list[Piece | None]:
        """The card that each seat has revealed in this round, or None."""
        number = self.counts[layouts.ROUND]
        return [cards[-1] if len(cards) == number else None for cards in self.played]

    @property
    def movable(self) -> Collection[Piece]:
        """The pieces that the current player can pick up now: to load, or to report as fallen."""
        if self.turn is None:
            return ()
        if self.phase in layouts.REPORTING:
            return [piece for piece in self._loose if piece not in self.tapped]
        if self.rocking is not None and self.spilled is not None:
            return ()  # it is too late for another piece
        if self.phase == (layouts.PIECE if self.is_tagged else layouts.LOAD):
            return self.stock(self.turn)
        return ()

    @property
    def tapped(self) -> list[Piece]:
        """The fallen pieces that were tapped."""
        return [*self.caught, *self.lost]

    @property
    def _loose(self) -> list[Piece]:
        """The known pieces that can fall."""
        aboard = (piece for pieces in self.areas.values() for piece in pieces)
        return [piece for piece in (*aboard, self.in_hand) if piece is not None]

    # --- balance ---

    @property
    def _load(self) -> list[Stowed]:
        """The pieces on the ship without the one in hand.

        Each piece that is not known is replaced by plain cargo.
        """
        load = []
        for area, pieces in self.areas.items():
            unknown = max(0, self.counts[layouts.least_in(area)] - len(pieces))
            bundles = [Piece(f"{CARGO}-{area}", n) for n in range(1, unknown + 1)]
            load += [self._stow(piece, area) for piece in (*pieces, *bundles)]
        return load

    @property
    def _placed(self) -> Stowed | None:
        """The piece in hand, in the area to load."""
        if self.in_hand is None or self.lit is None:
            return None
        return self._stow(self.in_hand, self.lit)

    @property
    def _laden(self) -> list[Stowed]:
        """The pieces on the ship and the one in hand."""
        return self._load if self._placed is None else [*self._load, self._placed]

    @property
    def tilt(self) -> float:
        """The tilt of the ship now, in degrees; positive to the right."""
        if self.seed is None:
            return 0.0
        return balance(self._laden) if self.rocking is None else self.rocking.tilt

    @property
    def slid(self) -> Mapping[Piece, float]:
        """The distance that known pieces have slid in their areas, from -1 (left) to 1."""
        if self.seed is None:
            return {}
        slid = slides(self._laden, self.tilt, self.seed)
        return {piece: far for piece, far in slid.items() if piece in self._loose}

    def rock(self, number: int) -> None:
        """Let the ship's balance decide what happens to the piece in hand.

        *number* is the number of the placing. Only pieces that are known fall. Nothing happens if
        people have shown what falls.
        """
        if self.seed is None or self._placed is None or self.spilled is not None:
            return
        self.rocking = place(self._load, self._placed, self.seed, number)
        fallen = tuple(piece for piece in self.rocking.fallen if piece in self._loose)
        caught = tuple(piece for piece in self.rocking.caught if piece in fallen)
        if fallen:
            self.spilled = Spilled(fallen, caught)

    def _stow(self, piece: Piece, area: int) -> Stowed:
        return Stowed(piece, area, self.shapes.get(piece.kind, ""))

    @property
    def report(self) -> Input | None:
        """The next input by which players tell the referee what fell, as the page shows it."""
        seen = self.spilled
        if seen is None:
            return None
        caught = [piece for piece in seen.caught if piece not in self.caught]
        lost = [piece for piece in seen.lost if piece not in self.lost]
        answers: Mapping[str, Input] = {
            layouts.LOAD: Press(Button.ACTION),
            **_answers(seen, self.in_hand),
            layouts.TAP_CAUGHT: Tap(caught[0]) if caught else Press(Button.OK),
            layouts.TAP_LOST: Tap(lost[0]) if lost else Press(Button.OK),
        }
        return answers.get(self.phase)

    @property
    def sight(self) -> Input | None:
        """If a piece lies in the area to load; None if pieces are aboard that are not known."""
        aboard = sum(map(len, self.areas.values()))
        if self.phase != layouts.LOOK or self.seed is None or aboard < self.counts[layouts.ABOARD]:
            return None
        return Choice("yes" if self.areas.get(self.lit or 0) else "no")

    def can_spill(self, spilled: Spilled) -> bool:
        """Return True if the pieces of *spilled* can fall now.

        An empty *spilled* is a false alarm, which is possible only if cargo has tags.
        """
        return (
            self.phase == layouts.LOAD
            and self.in_hand is not None
            and bool(self.is_tagged or spilled.fallen)
            and {*spilled.caught} <= {*spilled.fallen} <= {*self._loose}
        )

    def stock(self, seat: Seat) -> list[Piece]:
        """Return the pieces in front of *seat*, without the one being loaded."""
        left = self.counts[layouts.stock(seat)] - (seat == self.turn and self.in_hand is not None)
        known = [piece for piece in self.stocks[seat] if piece != self.in_hand]
        return fill(known, left)

    # --- as a layout ---

    def hand_of(self, seat: Seat) -> tuple[Piece, ...]:
        """Return the pieces in the hand of the player at *seat*."""
        return tuple(self.hands[seat])

    def holder_of(self, piece: Piece) -> Seat | None:
        """Return the seat of the player who holds *piece* in the hand, or None."""
        return holder_in(self.hands, piece)

    def page_data(self, eyes: Eyes) -> dict[str, Any]:
        """Return ship, hands, stocks and box as JSON values."""
        counts, seen = self.counts, self.spilled or Spilled((), ())
        return {
            **eyes.hands(self.hands),
            "revealed": eyes.tags(self.revealed),
            "captain": counts[layouts.CAPTAIN] - 1,
            "colours": [*self.colours],
            "order": [*self.order],
            "stocks": [eyes.tags(self.stock(Seat(seat))) for seat in range(len(self.stocks))],
            "box": eyes.tags(fill(self.box, counts[layouts.GONE])),
            "ship": {
                "areas": _show_areas(self.areas, counts, eyes),
                "lit": self.lit,
                "inHand": None if self.in_hand is None else eyes.tag(self.in_hand),
                "fallen": eyes.tags(list(dict.fromkeys([*seen.fallen, *self.tapped]))),
                "caught": eyes.tags(seen.caught),
                "movable": eyes.tags([*self.movable]),
                "isTagged": self.is_tagged,
                "tilt": round(self.tilt, 1),
                "limit": None if self.seed is None else round(limit(self._laden, self.seed), 1),
                "weights": {shape: heaviness(shape) for shape in sorted({*self.shapes.values()})},
                "slid": {eyes.tag(piece): round(far, 2) for piece, far in self.slid.items()},
                "sides": self._sides(eyes),
                "canReport": self.phase == layouts.LOAD and self.spilled is not None,
                **_show_phase(self.phase),
            },
        }

    def _sides(self, eyes: Eyes) -> dict[str, int]:
        """Return the side to which each fallen piece fell: -1 for the left, 1 for the right."""
        if self.rocking is None or self.spilled is None:
            return {}
        sides = dict(zip(self.rocking.fallen, self.rocking.sides, strict=True))
        return {eyes.tag(p): sides[p] for p in self.spilled.fallen if p in sides}

    def scene(self, known: Known) -> Scene:
        """Return the player's hand and stock, the cargo in each area, and the fallen pieces."""
        spilled = self.spilled
        return ShipScene(
            **known,
            hand=texts_of(self.hands[known["seat"]]),
            stock=texts_of(self.stock(Seat(known["seat"]))),
            areas={area: texts_of(pieces) for area, pieces in self.areas.items()},
            held=None if self.in_hand is None else str(self.in_hand),
            fallen=None if spilled is None else texts_of(spilled.fallen),
            caught=() if spilled is None else texts_of(spilled.caught),
            tapped=texts_of(self.tapped),
            has_balance=self.seed is not None,
        )

    def decision(self, asked: HandAct, game: str) -> Values:
        """Return the values of the act ``load`` (the piece) or ``spill`` (the fallen pieces)."""
        match asked.act:
            case "load":
                piece = piece_in(text_in(asked.values, "piece"), game)
                if self.is_tagged or piece is None or piece not in self.movable:
                    raise CannotDo(
                        "that piece cannot be loaded now", "Choose one of the current player's"
                    )
                return {"piece": str(piece)}
            case "spill":
                spilled = _read_spill(asked.values, lambda tag: _piece_in(tag, game))
                if not self.can_spill(spilled):
                    remedy = "Choose pieces on the ship, or the piece in hand"
                    raise CannotDo("those pieces cannot fall now", remedy)
                return {"fallen": texts_of(spilled.fallen), "caught": texts_of(spilled.caught)}
        return super().decision(asked, game)

    def replaces(self, act: str) -> Collection[str]:
        """Return the acts that a new *act* replaces: ``load`` replaces an earlier ``spill`` too."""
        return (LOADING, SPILL) if act == LOADING else (act,)

    def hand_act_for(self, by_hand: ByHand, game: str) -> HandAct:
        """Return the act for the piece that a robot loads, or for the pieces that fall."""
        match by_hand:
            case Load(piece):
                return HandAct(LOADING, {"piece": f"{game}/{piece}"})
            case Spill(fallen, caught):
                tags = [tuple(f"{game}/{p}" for p in pieces) for pieces in (fallen, caught)]
                return HandAct(SPILL, {"fallen": tags[0], "caught": tags[1]})
        return super().hand_act_for(by_hand, game)


def _piece_in(tag: str, game: str) -> Piece:
    piece = piece_in(tag, game)
    if piece is None:
        raise CannotDo(f"{tag} is not a piece of this game", "Name one of its pieces")
    return piece


def _read_spill(values: Values, read: Callable[[str], Piece]) -> Spilled:
    fallen, caught = (tuple(map(read, texts_in(values, name))) for name in ("fallen", "caught"))
    return Spilled(fallen, caught)


def _show_areas(
    areas: Mapping[int, Sequence[Piece]], counts: Mapping[str, int], eyes: Eyes
) -> list[dict[str, Any]]:
    """Return for each area the pieces that are certainly there, and the most it can have."""
    unknown = counts[layouts.ABOARD] - sum(map(len, areas.values()))
    return [
        {
            "area": area,
            "pieces": eyes.tags(fill(pieces, counts[layouts.least_in(area)])),
            "most": min(counts[layouts.most_in(area)], len(pieces) + unknown),
        }
        for area, pieces in areas.items()
    ]


def _show_phase(phase: str) -> dict[str, bool]:
    return {"isFalling": phase in layouts.FALLING, "isReporting": phase in layouts.REPORTING}


def _area_to_load(grid: Grid | None) -> int | None:
    """Return the number of the area to load, or None."""
    cells = () if grid is None else grid.cells
    return next((int(cell.mark) for cell in cells if cell.is_lit), None)


def fill(known: Sequence[Piece], count: int) -> list[Piece]:
    """Return the *known* pieces, filled up with plain cargo to *count* pieces."""
    return [*known, *(Piece(CARGO, n) for n in range(1, count - len(known) + 1))]


class ShipDealer:
    """A dealer who moves the pieces of *ship* by the inputs and counts of a game."""

    def __init__(self, deck: Deck, first: View, is_tagged: bool, seed: int | None = None) -> None:
        self._deck = deck
        self._seed = seed  # of the ship's balance; None for a ship without one
        self._inputs = 0
        self._placing: int | None = None  # the number of a placing whose outcome is still open
        self._shapes = {
            kind.name: str(kind.traits["shape"]) for kind in deck.kinds if _is_cargo(kind)
        }
        self._seats = len(first.scores)
        self._colours = list(_whole_colours(deck, first.counts[layouts.cards(0)]))
        self.ship = self._deal(first, is_tagged)

    def _deal(self, view: View, is_tagged: bool) -> ShipPieces:
        """Deal one set to each seat, then cargo of other sets until each stock has its count."""
        sets = {colour: _set_of(self._deck, colour) for colour in self._colours}
        own = [sets[colour] for colour in self._colours]
        hands = [cards for cards, _ in own[: self._seats]]
        stocks: list[list[Piece]] = [[] for _ in range(self._seats)]
        for n, (_, cargo) in enumerate(own):
            stock, seat = stocks[n % self._seats], n % self._seats
            stock += cargo[: view.counts[layouts.stock(seat)] - len(stock)]
        areas: dict[int, list[Piece]] = {area: [] for area in _areas(view.counts)}
        ship = ShipPieces(hands, [[] for _ in hands], stocks, areas, is_tagged=is_tagged)
        ship.shapes, ship.seed = self._shapes, self._seed
        ship.colours = tuple(self._colours[: self._seats])
        _copy_view(ship, view)
        return ship

    def apply(
        self, transition: Transition, chosen: Piece | None = None, spilled: Spilled | None = None
    ) -> None:
        """Move the pieces that *transition* moved, then apply the acts of people after it.

        *chosen* is the piece to load next, if cargo has no tags; *spilled* the pieces that fall.
        """
        ship, before, after = self.ship, transition.before, transition.after
        if after.phase in layouts.FALLING:
            self.rock()
        self._inputs += 1
        piece = transition.given.piece if isinstance(transition.given, Tap) else None
        if before.phase == layouts.COLOURS:
            self._show_colour(transition)
            ship = self.ship
        elif piece is not None:
            self._tap(piece, before.phase)
        if before.phase == layouts.ORDER and isinstance(transition.given, SeatChoice):
            ship.order.append(transition.given.seat)
        self._drop_spill_unless_reported(transition.given, before.phase)
        self._move_cards(piece, before.counts, after.counts)
        if (
            before.phase == layouts.LOAD
            and after.counts[layouts.ABOARD] > before.counts[layouts.ABOARD]
        ):
            assert ship.turn is not None, "somebody loads"
            held = ship.in_hand
            ship.loaded = None if held is None else PlayedPiece(self._inputs, ship.turn, held)
            self._hold()
        elif before.phase in layouts.FALLING and after.phase not in layouts.FALLING:
            self._settle(transition.given, after.counts)
        _copy_view(ship, after)
        if after.phase not in layouts.FALLING:
            ship.spilled = ship.rocking = None
        if not ship.is_tagged and after.phase == layouts.LOAD:
            self.choose(chosen)
        self.spill(spilled)
        is_false_alarm = before.phase in layouts.FALLING
        self._placing = self._inputs if after.phase == layouts.LOAD and not is_false_alarm else None

    def rock(self) -> None:
        """Let the ship's balance decide what happens to the piece in hand, if that is still open.

        Do not call this if the next input says that the piece holds: the balance need not be
        computed for it, so that a long game is arranged quickly.
        """
        if self._placing is not None:
            self.ship.rock(self._placing)
        self._placing = None

    def choose(self, piece: Piece | None) -> None:
        """Put *piece* into the current player's hand if it is movable; otherwise empty the hand."""
        self.ship.in_hand = None
        self.ship.in_hand = piece if piece in self.ship.movable else None

    def spill(self, spilled: Spilled | None) -> None:
        """Record the pieces that people marked on the page as fallen, if these can fall now.

        The pieces move only after the referee has counted them as fallen.
        """
        if spilled is not None and self.ship.can_spill(spilled):
            self.ship.spilled = spilled

    # --- cards ---

    def _show_colour(self, transition: Transition) -> None:
        """Give the player who shows a card the set of its colour, in exchange for their own."""
        assert isinstance(transition.given, Tap), "a colour is shown by a card"
        seat = transition.before.turn if transition.given.seat is None else transition.given.seat
        colour = self._deck.by_name[transition.given.piece.kind].traits["colour"]
        if seat is not None:
            old, new = self._colours[seat], self._colours.index(str(colour))
            self._colours[seat], self._colours[new] = self._colours[new], old
        self.ship = self._deal(transition.before, self.ship.is_tagged)

    def _move_cards(
        self, piece: Piece | None, before: Mapping[str, int], after: Mapping[str, int]
    ) -> None:
        """Play *piece* from a hand that became smaller; return played cards to one that grew."""
        ship = self.ship
        for seat, (hand, played) in enumerate(zip(ship.hands, ship.played, strict=True)):
            left, had = after[layouts.cards(seat)], before[layouts.cards(seat)]
            if left < had and piece in hand:
                hand.remove(piece)
                played.append(piece)
            elif left > had:
                hand.extend(played)
                hand.sort(key=lambda card: self._deck.by_name[card.kind].value)
                played.clear()

    # --- cargo ---

    def _tap(self, piece: Piece, phase: str) -> None:
        if phase == layouts.PIECE:
            self.ship.in_hand = piece
        elif phase == layouts.TAP_CAUGHT:
            self.ship.caught.append(piece)
        elif phase == layouts.TAP_LOST:
            self.ship.lost.append(piece)

    def _hold(self) -> None:
        """Put the piece in hand into the area to load."""
        ship = self.ship
        assert ship.lit is not None, "an area is loaded"
        ship.areas[ship.lit] += self._take_from_stock()
        ship.in_hand = None

    def _take_from_stock(self) -> list[Piece]:
        """Remove the loaded piece from its stock; return it in a list, or [] if it is not known.

        If nobody chose a piece, the last known piece is the loaded one. If the loaded piece was
        listed in another player's stock, that player gets the loader's last known piece instead.
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

    def _drop_spill_unless_reported(self, given: Input, phase: str) -> None:
        """Forget the pieces marked as fallen if *given* tells the referee something else.

        *phase* is the phase before *given*.
        """
        spilled = self.ship.spilled
        if spilled is None:
            return
        if _answers(spilled, self.ship.in_hand).get(phase, given) != given:
            self.ship.spilled = None

    def _settle(self, given: Input, after: Mapping[str, int]) -> None:
        """Move the fallen pieces to the box or to the loader's stock, as the counts *after* say."""
        spilled = self.ship.spilled
        if not self.ship.is_tagged and spilled is not None:
            self.ship.caught, self.ship.lost = [*spilled.caught], spilled.lost
            self._move_known_fallen(after)
        elif not self.ship.is_tagged:
            self._settle_counted(given, after)
        elif self.ship.caught or self.ship.lost:
            self._move_known_fallen(after)
        else:
            return  # nothing fell: the piece is still in hand
        self.ship.in_hand, self.ship.caught, self.ship.lost = None, [], []

    def _move_known_fallen(self, after: Mapping[str, int]) -> None:
        """Move the fallen pieces if people tapped each of them, or showed it on the page."""
        ship = self.ship
        assert ship.turn is not None, "somebody loads"
        self._hold()
        for pieces in ship.areas.values():
            pieces[:] = (piece for piece in pieces if piece not in ship.tapped)
        is_gone = after[layouts.GONE] > ship.counts[layouts.GONE]
        (ship.box if is_gone else ship.stocks[ship.turn]).extend(_known_of(ship.caught))
        ship.stocks[ship.turn] += _known_of(ship.lost)

    def _settle_counted(self, given: Input, after: Mapping[str, int]) -> None:
        """Move the fallen pieces when only their number is known.

        Pieces in areas with a lower count are no longer known, unless all cargo fell and went to
        the same place.
        """
        ship = self.ship
        assert ship.turn is not None, "somebody loads"
        before = dict(ship.counts)
        if given != PLACED:  # PLACED: the loader takes that piece back, and any others fell
            assert ship.lit is not None, "an area is loaded"
            before[layouts.least_in(ship.lit)] += 1
            self._hold()
        elif after[layouts.ABOARD] == before[layouts.ABOARD]:
            return  # no others fell
        unsure: list[Piece] = []
        for area, pieces in ship.areas.items():
            if after[layouts.least_in(area)] < max(before[layouts.least_in(area)], len(pieces)):
                unsure += pieces
                pieces.clear()
        gone = after[layouts.GONE] - before[layouts.GONE]
        if not after[layouts.ABOARD] and not gone:
            ship.stocks[ship.turn] += unsure
        elif not after[layouts.ABOARD] and gone > before[layouts.ABOARD]:
            ship.box += unsure


def _answers(spilled: Spilled, placed: Piece | None) -> Mapping[str, Input]:
    """Return the true answer to each question about fallen cargo without tags, by phase.

    *placed* is the piece that was placed last, if known.
    """
    return {
        layouts.FALLEN: Number(len(spilled.fallen)),
        layouts.CAUGHT: Number(len(spilled.caught)),
        layouts.WHICH: PLACED if spilled.caught == (placed,) else OTHER,
        layouts.WHICH_FELL: PLACED if spilled.fallen == (placed,) else OTHER,
    }


def _known_of(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the known pieces among *pieces*, without plain cargo."""
    return [piece for piece in pieces if piece.kind != CARGO]


def _copy_view(ship: ShipPieces, view: View) -> None:
    """Copy counts, phase, turn and area to load from *view*."""
    ship.counts, ship.phase, ship.turn = view.counts, view.phase, view.turn
    for area, pieces in ship.areas.items():
        if len(pieces) > view.counts[layouts.most_in(area)]:  # players corrected the count
            pieces.clear()
    ship.lit = _area_to_load(view.grid)
    if not any(ship.revealed):
        ship.order.clear()


def _areas(counts: Mapping[str, int]) -> Iterator[int]:
    return (int(name.removeprefix("area-")) for name in counts if name.startswith("area-"))


def _whole_colours(deck: Deck, cards: int) -> Iterator[str]:
    """Yield the colours with at least *cards* cards, in the order of the deck file."""
    colours = dict.fromkeys(str(kind.traits["colour"]) for kind in deck.kinds)
    return (colour for colour in colours if len(_set_of(deck, colour)[0]) >= cards)


def _set_of(deck: Deck, colour: str) -> tuple[list[Piece], list[Piece]]:
    """Return the cards of *colour*, one of each number, and its cargo."""
    kinds = [kind for kind in deck.kinds if kind.traits["colour"] == colour and kind.count]
    cards = [Piece(kind.name, 1) for kind in kinds if not _is_cargo(kind)]
    cargo = [
        Piece(kind.name, n) for kind in kinds if _is_cargo(kind) for n in range(1, kind.count + 1)
    ]
    return cards, cargo


def _is_cargo(kind: Kind) -> bool:
    return "shape" in kind.traits


def ship_of(
    game: Game[Any],
    record: GameRecord,
    loads: Mapping[int, Piece],
    spills: Mapping[int, Spilled] | None = None,
    seed: int | None = None,
) -> ShipPieces:
    """Return all cards and cargo of the game in *record* in their places.

    *loads* and *spills* hold the acts that the mat cannot sense, by the number of inputs before
    each: the piece to load, if cargo has no tags, and the pieces that fall. With a *seed*, the
    ship's balance decides what falls if *spills* does not say. Without a seed, nothing falls by
    itself.
    """
    first, transitions = transitions_of(game, record)
    is_tagged = bool(record.start.options.get(layouts.TAGGED))
    dealer = ShipDealer(record.start.deck, first, is_tagged, seed)
    for number, transition in enumerate(transitions, start=1):
        dealer.apply(transition, loads.get(number), (spills or {}).get(number))
    dealer.rock()
    return dealer.ship


class ShipLayout(Layout):
    """Each player has the cards and cargo of a colour, and loads cargo into a ship's areas.

    All cards and all cargo of one ``colour`` are a set; a kind with a ``shape`` is cargo.
    """

    name = layouts.SHIP
    needless = (layouts.TAGGED,)  # the page knows each piece without a sticker

    def misfit(self, deck: Deck, first: View) -> str:
        """Return a message about the counts or the cargo that the game lacks; "" if it has all."""
        if not any(map(_is_cargo, deck.kinds)):
            return "its deck has no cargo (a kind with a shape)"
        seats = range(len(first.scores))
        own = [count(seat) for seat in seats for count in (layouts.cards, layouts.stock)]
        areas = [layouts.most_in(n) for n in _areas(first.counts)]
        places = [layouts.ABOARD, layouts.GONE, layouts.CAPTAIN, layouts.ROUND]
        return lacking([*places, *own, *areas], first.counts)

    def arrange(
        self, game: Game[Any], record: GameRecord, seed: int, decisions: Decisions
    ) -> ShipPieces:
        """Return all cards and cargo in their places. *seed* decides how the ship rocks."""
        loads = {
            after: Piece.parse(text_in(acts[LOADING], "piece"))
            for after, acts in decisions.items()
            if LOADING in acts
        }
        spills = {
            after: _read_spill(acts[SPILL], Piece.parse)
            for after, acts in decisions.items()
            if SPILL in acts
        }
        return ship_of(game, record, loads, spills, seed)

    def undealt(self, eyes: Eyes) -> dict[str, Any]:
        """Return the ship by the referee's counts alone. Its pieces are not known."""
        view = eyes.view
        if view.grid is None:
            return {}
        areas: dict[int, list[Piece]] = {area: [] for area in _areas(view.counts)}
        nothing: dict[str, Any] = {
            "inHand": None,
            "fallen": [],
            "caught": [],
            "movable": [],
            "isTagged": False,
            "tilt": 0,
            "limit": None,
            "weights": {},
            "slid": {},
            "sides": {},
            "canReport": False,
        }
        shown = {
            "areas": _show_areas(areas, view.counts, eyes),
            "lit": _area_to_load(view.grid.board),
        }
        return {"ship": {**shown, **nothing, **_show_phase(view.phase)}}


LAYOUT = ShipLayout()
