"""The adapter of Riff Raff: from moves to the table's inputs and the answers that it must give.

The robots' own record of a game is called its *books*.

Source: the rules in ``sim.robots.riff_raff.books``; for what a table can know,
engines/riff_raff/RULES.md, sections 1, 2, 3, 4, 5 and 7.
"""

from collections.abc import Sequence
from random import Random

from engines.common import layouts
from engines.common.contract import (
    PLAY_SPOT,
    SEAT_SPOTS,
    Button,
    Choice,
    Input,
    Message,
    Number,
    Press,
    Seat,
    SeatChoice,
    Tap,
    message,
    seat_of_spot,
)
from engines.common.pieces import Piece
from sim.robots.contract import (
    NOT_NOW,
    TAKEN,
    Books,
    ByHand,
    Expected,
    Load,
    RobotAct,
    Robots,
    Ruling,
    SeededDeal,
    Spill,
    Style,
    piece_of,
    tap_act,
    tap_ruling,
)
from sim.robots.riff_raff.books import (
    COLOURS,
    NUMBERS,
    RiffRaffAsk,
    RiffRaffBooks,
    RiffRaffHouseRules,
    RiffRaffMove,
    RiffRaffVerb,
    set_of,
)
from sim.robots.riff_raff.styles import STYLES, RiffRaffStyle
from sim.robots.scene import ShipScene

OK, ACTION = Press(Button.OK), Press(Button.ACTION)
BOX_SPOT = "box"  # the reader for caught pieces, on a mat that has one
CARDS = {f"{colour}-{n}": (colour, n) for colour in COLOURS for n in NUMBERS}
CARGO = frozenset(piece for colour in COLOURS for piece in set_of(colour))
NAMES = frozenset(f"{kind}#1" for kind in (*CARDS, *CARGO))
COUNTED = ("one", "two")  # choices for the number of pieces
WANTED = {Choice(name): n for n, name in enumerate(COUNTED, 1)} | {Number(n): n for n in (1, 2)}

PHASES = {
    RiffRaffAsk.COLOUR: layouts.COLOURS,
    RiffRaffAsk.CARD: "reveal",
    RiffRaffAsk.CAPTAIN: "captain",
    RiffRaffAsk.NEXT: "order",
    RiffRaffAsk.HOLDS: "look",
    RiffRaffAsk.HOW_MANY: "announce",
    RiffRaffAsk.PIECE: layouts.PIECE,
    RiffRaffAsk.LOADED: layouts.LOAD,
    RiffRaffAsk.FALLEN: layouts.FALLEN,
    RiffRaffAsk.CAUGHT: layouts.CAUGHT,
    RiffRaffAsk.WHICH: layouts.WHICH,
    RiffRaffAsk.WHICH_FELL: layouts.WHICH_FELL,
    RiffRaffAsk.SAVED: layouts.TAP_CAUGHT,
    RiffRaffAsk.LOST: layouts.TAP_LOST,
    RiffRaffAsk.NOTHING: "over",
}
ASKED = {phase: asked for asked, phase in PHASES.items()}
ABOUT_FALLEN = frozenset(  # questions about fallen pieces
    {
        *(RiffRaffAsk.FALLEN, RiffRaffAsk.CAUGHT, RiffRaffAsk.WHICH, RiffRaffAsk.WHICH_FELL),
        *(RiffRaffAsk.SAVED, RiffRaffAsk.LOST),
    }
)
LOADING = ABOUT_FALLEN | {
    RiffRaffAsk.HOLDS,
    RiffRaffAsk.HOW_MANY,
    RiffRaffAsk.PIECE,
    RiffRaffAsk.LOADED,
}
FACE_DOWN = 0  # the number of a card that is not revealed yet
ANSWERS: dict[RiffRaffAsk, frozenset[Input]] = {
    RiffRaffAsk.HOLDS: frozenset({Choice("yes"), Choice("no")}),
    RiffRaffAsk.HOW_MANY: frozenset(map(Choice, COUNTED)),
    RiffRaffAsk.LOADED: frozenset({OK, ACTION}),
    RiffRaffAsk.WHICH: frozenset({Choice("placed"), Choice("other")}),
    RiffRaffAsk.WHICH_FELL: frozenset({Choice("placed"), Choice("other")}),
    RiffRaffAsk.SAVED: frozenset({OK}),
    RiffRaffAsk.LOST: frozenset({OK}),
}  # the accepted inputs that are not a tap, a seat or a number


class RiffRaff:
    """The ``Books`` of one game. They apply the table's inputs to the rules in ``self.books``.

    They also track which tags were read. The move of an act is a ``RiffRaffMove``. A move that
    loads a piece includes the pieces that will fall and be caught. When robots play with people, it
    includes only what everybody has seen.
    """

    def __init__(self, deal: SeededDeal) -> None:
        self.house = RiffRaffHouseRules(
            is_tagged=bool(deal.options.get(layouts.TAGGED, RiffRaffHouseRules.is_tagged)),
            names_himself=bool(
                deal.options.get("captain-names-himself", RiffRaffHouseRules.names_himself)
            ),
            placed_returns=bool(
                deal.options.get("placed-returns", RiffRaffHouseRules.placed_returns)
            ),
        )
        self.books = RiffRaffBooks(deal.players, deal.dealer, self.house, Random(deal.seed))
        self.read: set[str] = set()  # pieces whose tag was read in this game
        self.dealt = ""  # in a game with people, the colour of the robot's hand
        self.has_fallen = False  # True if cargo has fallen and the table has not been told yet
        self.has_balance = False  # True if the ship decides what falls

    # --- the turn and the expected view ---

    @property
    def is_over(self) -> bool:
        """Return True if the game has ended."""
        return self.books.asked is RiffRaffAsk.NOTHING

    @property
    def actor(self) -> int:
        """The seat of the next player to act; if several may act, the lowest seat."""
        books = self.books
        match books.asked:
            case RiffRaffAsk.COLOUR:
                return books.colourless()[0]
            case RiffRaffAsk.CARD:
                return books.hiding()[0]
            case RiffRaffAsk.CAPTAIN | RiffRaffAsk.NEXT | RiffRaffAsk.NOTHING:
                return books.captain
        return books.turn

    @property
    def expected(self) -> Expected:
        """The view that the table must show now."""
        books = self.books
        is_anybodys = books.asked is RiffRaffAsk.CARD and len(books.hiding()) > 1
        counts = {layouts.stock(seat): size for seat, size in enumerate(books.sizes())}
        counts |= {layouts.cards(seat): len(hand) for seat, hand in enumerate(books.hands)}
        counts |= {layouts.ABOARD: len(books.ship), layouts.GONE: len(books.removed)}
        counts |= {layouts.CAPTAIN: books.captain + 1}
        counts |= {"round": books.rounds, "pass": books.passes}
        return Expected(
            PHASES[books.asked],
            scores=books.sizes(),
            turn=None if is_anybodys or self.is_over else self.actor,
            winners=books.winners,
            headline=self._headline(),
            counts=counts | self._known_areas(),
        )

    def _headline(self) -> str | Message:
        books = self.books
        match books.asked:
            case RiffRaffAsk.COLOUR:
                return message("headline.colours")
            case RiffRaffAsk.CARD:
                return str(books.rounds)
            case RiffRaffAsk.CAPTAIN | RiffRaffAsk.NEXT:
                return str(books.revealed[books.tied[0]])
            case RiffRaffAsk.NOTHING:
                return str(min(books.sizes()))
        return str(books.area)

    def _known_areas(self) -> dict[str, int]:
        """Return the smallest and largest number of pieces that may be in each area."""
        books, heard = self.books, self.books.hearsay
        if self.house.is_tagged:
            lying = {area: len(books.lying_in(area)) for area in NUMBERS}
            least = most = lying
        else:
            areas = [area for area in NUMBERS if heard.can_tell(area)]
            least = {area: heard.least(area) for area in areas}
            most = {area: heard.most(area) for area in areas}
        known = {layouts.least_in(area): many for area, many in least.items()}
        return known | {layouts.most_in(area): many for area, many in most.items()}

    # --- pieces, and answers to inputs ---

    @property
    def lying(self) -> Sequence[Piece]:
        """The played cards and, if pieces have tags, those on the ship or out of the game."""
        books = self.books
        spent = [
            f"{colour}-{number}"
            for colour, hand in zip(books.colours, books.hands, strict=True)
            for number in NUMBERS
            if colour and number not in hand
        ]
        pieces = (*books.removed, *books.ship) if self.house.is_tagged else ()
        return [piece_of(kind) for kind in (*spent, *pieces)]

    def hand(self, seat: int) -> Sequence[Piece]:
        """Return the cards that *seat* has not played and, if pieces have tags, its pieces."""
        books = self.books
        cards = [f"{books.colours[seat]}-{n}" for n in books.hands[seat] if books.colours[seat]]
        pieces = books.stocks[seat] if self.house.is_tagged else ()
        return [piece_of(kind) for kind in (*cards, *pieces)]

    def ruling(self, given: Input) -> Ruling | None:
        """Return the answer that the table must give to *given*; None if it cannot be known."""
        books = self.books
        if given in ANSWERS.get(books.asked, ()):
            return TAKEN
        match books.asked, given:
            case ((RiffRaffAsk.COLOUR | RiffRaffAsk.CARD), Tap()):
                return self._ruling_on_card(given)
            case ((RiffRaffAsk.PIECE | RiffRaffAsk.SAVED | RiffRaffAsk.LOST), Tap()):
                return self._ruling_on_piece(given)
            case ((RiffRaffAsk.CAPTAIN | RiffRaffAsk.NEXT), SeatChoice(seat)) if seat in range(
                books.players
            ):
                return TAKEN if seat in books.tied else Ruling("cannot-be-chosen")
            case RiffRaffAsk.FALLEN, Number(many):
                return TAKEN if 1 <= many <= len(books.ship) + 1 else Ruling("not-so-many")
            case RiffRaffAsk.CAUGHT, Number(many):
                return TAKEN if 0 <= many <= len(books.fallen) else Ruling("not-so-many")
            case ((RiffRaffAsk.PIECE | RiffRaffAsk.LOADED), (Choice() | Number())) if (
                given in WANTED
            ):
                return self._ruling_on_announcement(WANTED[given])
        return NOT_NOW

    def _ruling_on_announcement(self, number: int) -> Ruling:
        """Return the refusal of announcing *number* pieces when the table does not ask for it."""
        if self.books.is_announced:
            return Ruling("announced")
        return Ruling("only-one-piece") if number > 1 else NOT_NOW

    def _ruling_on_card(self, tap: Tap) -> Ruling:
        """Return the answer to a tapped card.

        If a player has the card's colour, that player owns it.
        """
        books = self.books
        is_shared = tap.spot == PLAY_SPOT
        seat = tap.seat if is_shared else seat_of_spot(tap.spot)
        if seat not in range(books.players) and not (is_shared and seat is None):
            return NOT_NOW
        if str(tap.piece) not in NAMES:
            return Ruling("not-in-this-game")
        if tap.piece.kind not in CARDS:
            return NOT_NOW
        colour, number = CARDS[tap.piece.kind]
        if books.asked is RiffRaffAsk.COLOUR:
            if books.colours[books.colourless()[0] if seat is None else seat]:
                return Ruling("has-colour")
            return Ruling("colour-taken") if colour in books.colours else TAKEN
        if colour not in books.colours:
            return Ruling("nobodys-colour")
        owner = books.colours.index(colour)
        if seat is not None and seat != owner:
            return Ruling("not-your-card")
        if number not in books.hands[owner]:
            return Ruling("already-played")
        return Ruling("one-card-only") if owner in books.revealed else TAKEN

    def _ruling_on_piece(self, tap: Tap) -> Ruling:
        """Return the answer to a tapped piece.

        The table knows the place of a piece only if the piece's tag was read before.
        """
        books, kind = self.books, tap.piece.kind
        own = BOX_SPOT if books.asked is RiffRaffAsk.SAVED else SEAT_SPOTS[books.turn]
        if wrong := tap_ruling(tap, books.turn, (PLAY_SPOT, own), NAMES):
            return wrong
        if kind not in CARGO:
            return NOT_NOW
        if books.asked is not RiffRaffAsk.PIECE:
            if kind in books.shown:
                return Ruling("tapped-already")
            return TAKEN if kind in {books.piece, *books.ship} else Ruling("not-aboard")
        if kind in books.ship:
            return Ruling("already-aboard")
        if kind in books.removed:
            return Ruling("left-the-game")
        return TAKEN if self._may_be_in(books.stock, kind) else Ruling("not-your-piece")

    def _may_be_in(self, stock: list[str], piece: str) -> bool:
        """Return True if the table must accept that *piece* is in *stock*.

        The table knows the place of a piece only after its tag was read. It accepts a piece not
        read yet if *stock* has any piece that was not read.
        """
        if piece in self.read:
            return piece in stock
        return not self.read.issuperset(stock)

    # --- accepted acts ---

    def take(self, act: RobotAct) -> None:
        """Record an act that the rules accept."""
        if act.move.piece and isinstance(act.given, Tap):
            self.read.add(act.move.piece)
        self.books.do(act.move)


def style_of(chosen: RiffRaffStyle) -> Style:
    """Return a style of play in which *chosen* chooses the moves, once its player has a colour."""

    def act(table: RiffRaff, chance: Random) -> RobotAct:
        books, seat = table.books, table.actor
        if books.asked is RiffRaffAsk.COLOUR:
            colour = table.dealt or chance.choice(books.free_colours())
            move = RiffRaffMove(RiffRaffVerb.SHOW, seat, colour=colour)
            return tap_act(seat, f"{colour}-{chance.choice(NUMBERS)}", chance)._replace(move=move)
        if books.asked is RiffRaffAsk.LOADED and books.piece and not table.house.is_tagged:
            chance.random()  # in a game with people, this draw chose the piece
        if table.has_fallen:
            move = fallen(books)
        elif books.asked is RiffRaffAsk.LOADED and table.has_balance:
            piece = books.piece or chosen.piece(books, chance)
            move = RiffRaffMove(RiffRaffVerb.HOLD, books.turn, piece=piece)
        else:
            move = chosen.act(books, chance)
        by_hand = hand_work(table, move)
        return act_of(table, move, chance)._replace(move=move, by_hand=by_hand)

    return act


def fallen(books: RiffRaffBooks) -> RiffRaffMove:
    """Return the move that reports cargo that has already fallen."""
    seen, caught = tuple(books.fallen), tuple(books.caught)
    return RiffRaffMove(
        RiffRaffVerb.FALL, books.turn, piece=books.piece, fallen=seen, caught=caught
    )


def hand_work(table: RiffRaff, move: RiffRaffMove) -> ByHand | None:
    """Return the action by hand that comes before the input of *move*, or None if there is none.

    The actions, which the mat cannot sense, are to pick up a piece and to make cargo fall.
    """
    if move.verb not in (RiffRaffVerb.HOLD, RiffRaffVerb.FALL):
        return None
    if not table.books.piece:
        return Load(piece_of(move.piece))
    if move.verb is RiffRaffVerb.HOLD or table.has_fallen:
        return None
    return Spill(*(tuple(map(piece_of, pieces)) for pieces in (move.fallen, move.caught)))


def act_of(table: RiffRaff, move: RiffRaffMove, chance: Random) -> RobotAct:
    """Return the act that enters this move at the table."""
    seat = move.player
    match move.verb:
        case RiffRaffVerb.REVEAL:
            return tap_act(seat, f"{table.books.colours[seat]}-{move.number}", chance)
        case RiffRaffVerb.TAKE | RiffRaffVerb.LOSE:
            return tap_act(seat, move.piece, chance)
        case RiffRaffVerb.SAVE:  # a caught piece is not tapped on a seat's own reader
            return RobotAct(seat, Tap(piece_of(move.piece)))
        case RiffRaffVerb.NAME:
            return RobotAct(seat, SeatChoice(Seat(move.seat)))
        case RiffRaffVerb.LOOK:
            return RobotAct(seat, Choice("yes" if move.number else "no"))
        case RiffRaffVerb.ANNOUNCE:
            return RobotAct(seat, Choice(COUNTED[move.number - 1]))
        case RiffRaffVerb.SAY:
            return RobotAct(seat, Number(move.number))
        case RiffRaffVerb.TELL:
            return RobotAct(seat, Choice("placed" if move.piece == table.books.piece else "other"))
    return RobotAct(seat, ACTION if move.verb is RiffRaffVerb.FALL else OK)


def _from_scene(scene: ShipScene) -> Books | None:
    """Return a record of the robot's own cards and cargo, and of the known part of the ship.

    The record never contains another player's card, even one that was already tapped. Return None
    if the robot has nothing to do, if it must wait until people have tapped their cards, or if the
    table asks about fallen cargo and nobody showed which pieces fell.
    """
    asked, others = ASKED.get(scene.phase), [seat for seat in scene.active if seat != scene.seat]
    if asked is None or scene.seat not in scene.active or not {*others}.isdisjoint(scene.people):
        return None
    if asked in ABOUT_FALLEN and scene.fallen is None:
        return None
    table = RiffRaff(SeededDeal(scene.players, scene.seat, 0, scene.options))
    books, seat = table.books, scene.seat
    books.asked = asked
    cards = [CARDS[name_of(card)] for card in scene.hand]
    table.dealt = cards[0][0] if cards else ""
    books.colours[seat] = "" if asked is RiffRaffAsk.COLOUR else table.dealt
    books.hands = [[] for _ in range(scene.players)]
    books.hands[seat] = [number for _, number in cards]
    books.revealed = dict.fromkeys(others, FACE_DOWN)
    books.tied = [scene.names.index(name) for name in scene.choices if name in scene.names]
    books.order = [seat]
    if asked in LOADING:
        books.revealed[seat] = int(scene.headline)
    books.stocks = [[] for _ in range(scene.players)]
    books.stocks[seat] = [name_of(piece) for piece in scene.stock]
    books.ship = {name_of(piece): area for area, pieces in scene.areas.items() for piece in pieces}
    books.piece = "" if scene.held is None else name_of(scene.held)
    books.fallen = [name_of(piece) for piece in scene.fallen or ()]
    books.caught = [name_of(piece) for piece in scene.caught]
    books.shown = [name_of(piece) for piece in scene.tapped]
    table.has_balance = scene.has_balance
    table.has_fallen = asked is RiffRaffAsk.LOADED and scene.fallen is not None
    return table


def name_of(piece: str) -> str:
    """Return the name of a piece or card in the robots' record, which has no copy numbers."""
    return piece.removesuffix("#1")


ROBOTS = Robots(
    "riff-raff",
    range(2, 5),
    RiffRaff,
    {name: style_of(chosen) for name, chosen in STYLES.items()},
    houses=(
        {},
        {layouts.TAGGED: True},
        {"captain-names-himself": False, "placed-returns": False},
        {layouts.TAGGED: True, "captain-names-himself": False, "placed-returns": False},
    ),
    from_scene=_from_scene,
    # Without the style that copies the cards of others, and the one that never lets cargo fall.
    fair=("careful", "nimble", "greedy", "random", "climbers", "single", "clumsy"),
)
