"""The robots of Riff Raff: their books input by input, and what the mat must answer.

Room: sim/robots.
Source: the rules as ``sim.robots.riff_raff.books`` keeps them; where it is about what a mat can
know, engines/riff_raff/RULES.md, sections 1, 2, 3, 4, 5 and 7.
"""

from collections.abc import Sequence
from random import Random

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
    seat_of_spot,
    told,
)
from engines.common.pieces import Piece
from sim.robots.riff_raff.books import (
    COLOURS,
    NUMBERS,
    Asked,
    House,
    RiffRaffBooks,
    Verb,
    set_of,
)
from sim.robots.riff_raff.books import Act as BooksAct
from sim.robots.riff_raff.styles import STYLES
from sim.robots.riff_raff.styles import Style as BooksStyle
from sim.robots.seam import (
    NOT_NOW,
    TAKEN,
    Act,
    Books,
    ByHand,
    Deal,
    Load,
    Robots,
    Scene,
    Shown,
    Spill,
    Style,
    Verdict,
    piece_of,
    tap_verdict,
    tapped,
)

OK, ACTION = Press(Button.OK), Press(Button.ACTION)
BOX_SPOT = "box"  # where a mat with a reader for it takes what was caught
CARDS = {f"{colour}-{n}": (colour, n) for colour in COLOURS for n in NUMBERS}
CARGO = frozenset(piece for colour in COLOURS for piece in set_of(colour))
NAMES = frozenset(f"{kind}#1" for kind in (*CARDS, *CARGO))
COUNTED = ("one", "two")  # pieces announced
WANTED = {Choice(name): n for n, name in enumerate(COUNTED, 1)} | {Number(n): n for n in (1, 2)}

PHASES = {
    Asked.COLOUR: "colours",
    Asked.CARD: "reveal",
    Asked.CAPTAIN: "captain",
    Asked.NEXT: "order",
    Asked.HOLDS: "look",
    Asked.HOW_MANY: "announce",
    Asked.PIECE: "piece",
    Asked.LOADED: "load",
    Asked.FALLEN: "fallen",
    Asked.CAUGHT: "caught",
    Asked.WHICH: "which",
    Asked.SAVED: "tap-caught",
    Asked.LOST: "tap-lost",
    Asked.NOTHING: "over",
}
ASKED = {phase: asked for asked, phase in PHASES.items()}
TELLING = frozenset({Asked.FALLEN, Asked.CAUGHT, Asked.WHICH, Asked.SAVED, Asked.LOST})  # what fell
LOADING = TELLING | {Asked.HOLDS, Asked.HOW_MANY, Asked.PIECE, Asked.LOADED}
FACE_DOWN = 0  # the number of a card that is not turned over yet
ANSWERS: dict[Asked, frozenset[Input]] = {
    Asked.HOLDS: frozenset({Choice("yes"), Choice("no")}),
    Asked.HOW_MANY: frozenset(map(Choice, COUNTED)),
    Asked.LOADED: frozenset({OK, ACTION}),
    Asked.WHICH: frozenset({Choice("placed"), Choice("other")}),
    Asked.SAVED: frozenset({OK}),
    Asked.LOST: frozenset({OK}),
}  # all that is taken beside pieces, names and numbers


class RiffRaff:
    """The books of one game, and which tags were read; a ``Books``.

    An act's *move* is what it is in the books; they know what falls and is caught beforehand.
    Beside people that is known once everybody sees it.
    """

    def __init__(self, deal: Deal) -> None:
        self.house = House(
            is_tagged=bool(deal.options.get("tagged-cargo", House.is_tagged)),
            names_himself=bool(deal.options.get("captain-names-himself", House.names_himself)),
            placed_returns=bool(deal.options.get("placed-returns", House.placed_returns)),
        )
        self.books = RiffRaffBooks(deal.players, deal.dealer, self.house, Random(deal.seed))
        self.read: set[str] = set()  # pieces of which a tag was ever read
        self.dealt = ""  # the colour of a hand that was dealt before anybody showed one
        self.has_fallen = False  # everybody has seen what fell, and nobody has told it

    # --- whose turn, and what must be seen ---

    @property
    def is_over(self) -> bool:
        """Whether somebody has won."""
        return self.books.asked is Asked.NOTHING

    @property
    def actor(self) -> int:
        """Who is waited for; the first, where it may be anybody."""
        books = self.books
        match books.asked:
            case Asked.COLOUR:
                return books.colourless()[0]
            case Asked.CARD:
                return books.hiding()[0]
            case Asked.CAPTAIN | Asked.NEXT | Asked.NOTHING:
                return books.captain
        return books.turn

    @property
    def shown(self) -> Shown:
        """The number everybody looks for: of the round, the tied card, the area, the pieces."""
        books = self.books
        is_anybodys = books.asked is Asked.CARD and len(books.hiding()) > 1
        counts = {f"stock-{seat}": size for seat, size in enumerate(books.sizes(), start=1)}
        counts |= {f"cards-{seat}": len(hand) for seat, hand in enumerate(books.hands, start=1)}
        counts |= {"ship": len(books.ship), "removed": len(books.removed)}
        counts |= {"round": books.rounds, "pass": books.passes, "captain": books.captain + 1}
        return Shown(
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
            case Asked.COLOUR:
                return told("headline.colours")
            case Asked.CARD:
                return str(books.rounds)
            case Asked.CAPTAIN | Asked.NEXT:
                return str(books.revealed[books.tied[0]])
            case Asked.NOTHING:
                return str(min(books.sizes()))
        return str(books.area)

    def _known_areas(self) -> dict[str, int]:
        """How many pieces lie in each area: with tags that is known, else what follows."""
        books, heard = self.books, self.books.hearsay
        if self.house.is_tagged:
            lying = {area: len(books.lying_in(area)) for area in NUMBERS}
            least = most = lying
        else:
            areas = [area for area in NUMBERS if heard.can_tell(area)]
            least = {area: heard.least(area) for area in areas}
            most = {area: heard.most(area) for area in areas}
        known = {f"area-{area}": many for area, many in least.items()}
        return known | {f"most-{area}": many for area, many in most.items()}

    # --- what could be laid ---

    @property
    def lying(self) -> Sequence[Piece]:
        """Cards that were played, and tagged pieces on the ship and out of the game."""
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
        """The cards *seat* has not played, and tagged pieces."""
        books = self.books
        cards = [f"{books.colours[seat]}-{n}" for n in books.hands[seat] if books.colours[seat]]
        pieces = books.stocks[seat] if self.house.is_tagged else ()
        return [piece_of(kind) for kind in (*cards, *pieces)]

    def verdict(self, given: Input) -> Verdict | None:
        """What must come of *given* now."""
        books = self.books
        if given in ANSWERS.get(books.asked, ()):
            return TAKEN
        match books.asked, given:
            case ((Asked.COLOUR | Asked.CARD), Tap()):
                return self._verdict_of_card(given)
            case ((Asked.PIECE | Asked.SAVED | Asked.LOST), Tap()):
                return self._verdict_of_piece(given)
            case ((Asked.CAPTAIN | Asked.NEXT), SeatChoice(seat)) if seat in range(books.players):
                return TAKEN if seat in books.tied else Verdict("cannot-be-chosen")
            case Asked.FALLEN, Number(many):
                return TAKEN if 1 <= many <= len(books.ship) + 1 else Verdict("not-so-many")
            case Asked.CAUGHT, Number(many):
                return TAKEN if 0 <= many <= len(books.fallen) else Verdict("not-so-many")
            case ((Asked.PIECE | Asked.LOADED), (Choice() | Number())) if given in WANTED:
                return self._verdict_of_announcement(WANTED[given])
        return NOT_NOW

    def _verdict_of_announcement(self, number: int) -> Verdict:
        """It is too late for it, or two were never possible."""
        if self.books.is_announced:
            return Verdict("announced")
        return Verdict("only-one-piece") if number > 1 else NOT_NOW

    def _verdict_of_card(self, tap: Tap) -> Verdict:
        """A card says by its colour whose it is, once everybody has one."""
        books = self.books
        is_shared = tap.spot == PLAY_SPOT
        seat = tap.seat if is_shared else seat_of_spot(tap.spot)
        if seat not in range(books.players) and not (is_shared and seat is None):
            return NOT_NOW
        if str(tap.piece) not in NAMES:
            return Verdict("not-in-this-game")
        if tap.piece.kind not in CARDS:
            return NOT_NOW
        colour, number = CARDS[tap.piece.kind]
        if books.asked is Asked.COLOUR:
            if books.colours[books.colourless()[0] if seat is None else seat]:
                return Verdict("has-colour")
            return Verdict("colour-taken") if colour in books.colours else TAKEN
        if colour not in books.colours:
            return Verdict("nobodys-colour")
        owner = books.colours.index(colour)
        if seat is not None and seat != owner:
            return Verdict("not-your-card")
        if number not in books.hands[owner]:
            return Verdict("already-played")
        return Verdict("one-card-only") if owner in books.revealed else TAKEN

    def _verdict_of_piece(self, tap: Tap) -> Verdict:
        """Of tagged pieces the mat knows where those are that it has read."""
        books, kind = self.books, tap.piece.kind
        own = BOX_SPOT if books.asked is Asked.SAVED else SEAT_SPOTS[books.turn]
        if wrong := tap_verdict(tap, books.turn, (PLAY_SPOT, own), NAMES):
            return wrong
        if kind not in CARGO:
            return NOT_NOW
        if books.asked is not Asked.PIECE:
            if kind in books.shown:
                return Verdict("tapped-already")
            return TAKEN if kind in {books.piece, *books.ship} else Verdict("not-aboard")
        if kind in books.ship:
            return Verdict("already-aboard")
        if kind in books.removed:
            return Verdict("left-the-game")
        return TAKEN if self._may_be_in(books.stock, kind) else Verdict("not-your-piece")

    def _may_be_in(self, stock: list[str], piece: str) -> bool:
        """Whether a piece can be one of these, as far as tags were read."""
        if piece in self.read:
            return piece in stock
        return not self.read.issuperset(stock)

    # --- what is done ---

    def take(self, act: Act) -> None:
        """Write down what it is in the books."""
        if act.move.piece and isinstance(act.given, Tap):
            self.read.add(act.move.piece)
        self.books.do(act.move)


def style_of(chosen: BooksStyle) -> Style:
    """How a robot plays that plays so; colours are shown one after the other."""

    def act(table: RiffRaff, chance: Random) -> Act:
        books, seat = table.books, table.actor
        if books.asked is Asked.COLOUR:
            colour = table.dealt or chance.choice(books.free_colours())
            deed = BooksAct(Verb.SHOW, seat, colour=colour)
            return tapped(seat, f"{colour}-{chance.choice(NUMBERS)}", chance)._replace(move=deed)
        if books.asked is Asked.LOADED and books.piece and not table.house.is_tagged:
            chance.random()  # with that draw it was chosen, beside people
        deed = fallen(books) if table.has_fallen else chosen.act(books, chance)
        by_hand = handled(table, deed)
        return given_as(table, deed, chance)._replace(move=deed, by_hand=by_hand)

    return act


def fallen(books: RiffRaffBooks) -> BooksAct:
    """What fell has fallen, whoever wanted what."""
    seen, caught = tuple(books.fallen), tuple(books.caught)
    return BooksAct(Verb.FALL, books.turn, piece=books.piece, fallen=seen, caught=caught)


def handled(table: RiffRaff, deed: BooksAct) -> ByHand | None:
    """What everybody must see before this is told: a piece is taken in hand, and cargo falls."""
    if deed.verb not in (Verb.HOLD, Verb.FALL):
        return None
    if not table.books.piece:
        return Load(piece_of(deed.piece))
    if deed.verb is Verb.HOLD or table.has_fallen:
        return None
    return Spill(*(tuple(map(piece_of, pieces)) for pieces in (deed.fallen, deed.caught)))


def given_as(table: RiffRaff, deed: BooksAct, chance: Random) -> Act:
    """What a table gives the mat when somebody does this."""
    seat = deed.player
    match deed.verb:
        case Verb.REVEAL:
            return tapped(seat, f"{table.books.colours[seat]}-{deed.number}", chance)
        case Verb.TAKE | Verb.LOSE:
            return tapped(seat, deed.piece, chance)
        case Verb.SAVE:  # what leaves the game is on nobody's own reader
            return Act(seat, Tap(piece_of(deed.piece)))
        case Verb.NAME:
            return Act(seat, SeatChoice(Seat(deed.seat)))
        case Verb.LOOK:
            return Act(seat, Choice("yes" if deed.number else "no"))
        case Verb.ANNOUNCE:
            return Act(seat, Choice(COUNTED[deed.number - 1]))
        case Verb.SAY:
            return Act(seat, Number(deed.number))
        case Verb.TELL:
            return Act(seat, Choice("placed" if deed.piece == table.books.piece else "other"))
    return Act(seat, ACTION if deed.verb is Verb.FALL else OK)


def _books(deal: Deal) -> Books:
    return RiffRaff(deal)


def _seated(scene: Scene) -> Books | None:
    """The own cards and cargo, and of the ship what is known; nobody else's card is looked at.

    Cards lie face down until everybody has chosen: so nobody goes by another's that was tapped
    before, and robots tap after people, who would see theirs. Of cargo that fell a robot says what
    was seen. Where nobody showed it, whoever let it fall knows.
    """
    asked, others = ASKED.get(scene.phase), [seat for seat in scene.active if seat != scene.seat]
    if asked is None or scene.seat not in scene.active or not {*others}.isdisjoint(scene.people):
        return None
    if asked in TELLING and scene.fallen is None:
        return None
    table = RiffRaff(Deal(scene.players, scene.seat, 0, scene.options))
    books, seat = table.books, scene.seat
    books.asked = asked
    cards = [CARDS[named(card)] for card in scene.hand]
    table.dealt = cards[0][0] if cards else ""
    books.colours[seat] = "" if asked is Asked.COLOUR else table.dealt
    books.hands = [[] for _ in range(scene.players)]
    books.hands[seat] = [number for _, number in cards]
    books.revealed = dict.fromkeys(others, FACE_DOWN)
    books.tied = [scene.names.index(name) for name in scene.choices if name in scene.names]
    books.order = [seat]
    if asked in LOADING:
        books.revealed[seat] = int(scene.headline)
    books.stocks = [[] for _ in range(scene.players)]
    books.stocks[seat] = [named(piece) for piece in scene.stock]
    books.ship = {named(piece): area for area, pieces in scene.areas.items() for piece in pieces}
    books.piece = "" if scene.held is None else named(scene.held)
    books.fallen = [named(piece) for piece in scene.fallen or ()]
    books.caught = [named(piece) for piece in scene.caught]
    books.shown = [named(piece) for piece in scene.told]
    table.has_fallen = asked is Asked.LOADED and scene.fallen is not None
    return table


def named(piece: str) -> str:
    """What the books call a piece or card; there is one of each."""
    return piece.removesuffix("#1")


ROBOTS = Robots(
    "riff-raff",
    range(2, 5),
    _books,
    {name: style_of(chosen) for name, chosen in STYLES.items()},
    houses=(
        {},
        {"tagged-cargo": True},
        {"captain-names-himself": False, "placed-returns": False},
        {"tagged-cargo": True, "captain-names-himself": False, "placed-returns": False},
    ),
    seated=_seated,
    # Without those who go by the cards of others, and the one whose hand never slips.
    fair=("careful", "nimble", "greedy", "random", "climbers", "single", "clumsy"),
)
