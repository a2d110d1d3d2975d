"""The robots of Camargue: their books input by input, and what the mat must answer.

Room: sim/robots.
Source: the printed rules as ``sim.robots.camargue.books`` keeps them; where it is about what a mat
can know, engines/camargue/RULES.md, sections 1, 4, 6, 7 and 10.
"""

from collections.abc import Mapping, Sequence
from random import Random

from engines.common.contract import (
    PLAY_SPOT,
    SEAT_SPOTS,
    Button,
    Choice,
    Direction,
    Input,
    OptionValue,
    PlaceChoice,
    Press,
    Seat,
    SeatChoice,
    Tap,
)
from engines.common.grid import Place
from engines.common.pieces import Piece
from sim.robots.camargue.books import (
    CONTINUES_NOTHING,
    CUTS_OFF,
    EMERGENCY,
    FEWER_THAN_THREE,
    HELPER_IN_FRONT,
    HELPER_POINTS,
    MIXTURES,
    NO_MATCH,
    NO_TILES_LEFT,
    NOTHING_TO_COPY,
    OCCUPIED,
    OWN_TILE,
    TOUCHES_NOTHING,
    Asked,
    CamargueBooks,
    House,
    Spot,
    Verb,
    box,
    is_helper,
    kind_of,
    landscape_of,
    mixed,
)
from sim.robots.camargue.books import Act as Deed
from sim.robots.camargue.books import Placed as Copied
from sim.robots.camargue.styles import STYLES
from sim.robots.camargue.styles import Style as BooksStyle
from sim.robots.seam import (
    FOUL,
    NOT_NOW,
    TAKEN,
    Act,
    Books,
    Deal,
    Robots,
    Scene,
    Shown,
    Style,
    Verdict,
    piece_of,
    tap_verdict,
    tapped,
)

ACTION = Press(Button.ACTION)
NAMES = frozenset(box())
EVERY_SPOT = (PLAY_SPOT, *SEAT_SPOTS)
COPY, TURN = Choice("copy"), Choice("turn")  # what a helper is for in one's own turn

PLACE, WHOSE, WHAT_FOR, CLAIM = "place", "whose", "copy-or-turn", "claim"
PHASES = {
    Asked.TURN: "play",
    Asked.ASIDE: "play",
    Asked.FOUND: PLACE,
    Asked.EMERGENCY: "emergency",
    Asked.NOTHING: "over",
}
REFUSALS = {
    OCCUPIED: "occupied",
    TOUCHES_NOTHING: "touches-nothing",
    CUTS_OFF: "cuts-path",
    CONTINUES_NOTHING: "continues-no-path",
    NOTHING_TO_COPY: "not-your-turn",
    OWN_TILE: "own-tile",
    HELPER_IN_FRONT: "helper-in-front",
    NO_TILES_LEFT: "no-tiles-left",
    FEWER_THAN_THREE: "fewer-than-three",
    NO_MATCH: "no-match",
}
HOUSES: Mapping[str, tuple[bool, Mapping[str, bool]]] = {
    # by option: what is not its default, and what becomes of House then
    "no-hints": (True, {}),
    "no-dead-ends": (False, {"cuts_both_ways": False}),
    "start-counts": (False, {"start_is_an_edge": False}),
    "three-to-copy": (True, {"copy_needs_three": True}),
    "turn-emergency": (False, {"emergency_turns": False}),
}


def house_of(options: Mapping[str, OptionValue]) -> House:
    """What people chose before they play."""
    changes: dict[str, bool] = {}
    for option, (value, change) in HOUSES.items():
        if options.get(option) == value:
            changes |= change
    return House(**changes)


def refused(broken: set[str]) -> Verdict | None:
    """Why something is refused; None where there is more than one reason to tell."""
    return Verdict(REFUSALS[min(broken)]) if len(broken) == 1 else None


class Camargue:
    """The books of one game, and how far the table is in a play or a claim; a ``Books``.

    An act's *move* is the deed of the books that it belongs to.
    """

    def __init__(self, deal: Deal) -> None:
        chance = Random(deal.seed)
        tiles = mixed(chance.choice(list(MIXTURES)), chance)
        first = (deal.dealer + 1) % deal.players
        self.books = CamargueBooks(deal.players, first, tiles, house_of(deal.options))
        self.amid = ""  # a phase between two acts of the books
        self.begun = Act(first, ACTION)  # what the table is amid of
        self.revealed: list[str] = []  # tiles of a claim
        self.points = 0  # of the play just made

    # --- whose turn, and what must be seen ---

    @property
    def phase(self) -> str:
        """What the table is doing."""
        return self.amid or PHASES[self.books.asked]

    @property
    def is_over(self) -> bool:
        """Whether all tiles are played, or none can be."""
        return self.phase == "over"

    @property
    def actor(self) -> int:
        """Whose turn it is; of a helper that was tapped, whose it is."""
        return self.begun.seat if self.amid in (WHOSE, WHAT_FOR) else self.books.turn

    @property
    def shown(self) -> Shown:
        """The points of the play just made, or how many tiles of a claim are to come; the most."""
        books, is_over = self.books, self.is_over
        counts = {"pile": len(books.pile), "board": len(books.board), "out": len(books.out)}
        counts |= {"removed": len(books.aside), "emergency": len(books.emergencies)}
        counts |= {f"hand-{seat}": size for seat, size in enumerate(books.sizes(), start=1)}
        counts |= {f"front-{seat}": helpers for seat, helpers in enumerate(books.fronts(), start=1)}
        return Shown(
            self.phase,
            scores=books.scores,
            turn=None if is_over else books.turn,
            winners=books.winners,
            direction=None if is_over else Direction.CLOCKWISE,
            headline=self._headline(),
            counts=counts,
        )

    def _headline(self) -> str | None:
        """Open while a place is chosen: a mat then shows what each would score."""
        match self.phase:
            case "place":
                return None
            case "claim":
                return str(len(self.books.hand) - len(self.revealed))
            case "over":
                return str(max(self.books.scores))
        return str(self.points)

    # --- what could be laid ---

    @property
    def lying(self) -> Sequence[Piece]:
        """On the board, in front of people, and aside."""
        books = self.books
        helpers = [*filter(None, books.front), *books.aside]
        return [piece_of(tile) for tile in (*helpers, *books.board.values())]

    def hand(self, seat: int) -> Sequence[Piece]:
        """What *seat* holds."""
        return [piece_of(tile) for tile in self.books.hands[seat]]

    def verdict(self, given: Input) -> Verdict | None:
        """What must come of *given* now."""
        match self.phase, given:
            case "play", Press():
                return TAKEN if given == ACTION else NOT_NOW
            case "play", Tap():
                return self._verdict_of_play(given)
            case "place", PlaceChoice(place):
                return self._verdict_of_place((place.column, place.row))
            case "place", Press():
                return None  # over a map, buttons are the mat's own
            case "whose", SeatChoice(seat):
                return TAKEN if seat in self.books.users(self.begun.move.tile) else None
            case "copy-or-turn", Choice():
                return TAKEN if given in (COPY, TURN) else NOT_NOW
            case "claim", Press():
                return TAKEN if given == ACTION else NOT_NOW
            case "claim", Tap():
                return self._verdict_of_claim(given)
            case "emergency", Tap():
                return self._verdict_of_emergency(given)
        return NOT_NOW

    def _spent(self, tile: str) -> Verdict | None:
        """Why this piece cannot come from a hand; none where it can."""
        if piece_of(tile) in self.lying:
            return Verdict("already-played")
        return Verdict("no-emergency") if kind_of(tile) == EMERGENCY else None

    def _verdict_of_play(self, tap: Tap) -> Verdict | None:
        """Helpers come from anybody; all else from whose turn it is."""
        books, tile = self.books, str(tap.piece)
        seat = books.turn if tap.seat is None else tap.seat
        if wrong := tap_verdict(tap, seat, EVERY_SPOT, NAMES) or self._spent(tile):
            return wrong
        if is_helper(tile):
            return self._verdict_of_helper(tap.seat, tile)
        if seat != books.turn:
            return Verdict("not-your-turn")
        if books.asked is Asked.ASIDE:
            return Verdict("helper-in-front")
        return TAKEN if books.spots(tile) else Verdict("fits-nowhere")

    def _verdict_of_helper(self, seat: int | None, helper: str) -> Verdict | None:
        books = self.books
        users = books.users(helper)
        if users if seat is None else seat in users:
            return TAKEN
        if seat == books.turn or (seat is None and books.placed is None):
            return Verdict("helper-in-front")
        return None if seat is None else refused(books.why_no_copy(seat, helper))

    def _verdict_of_place(self, spot: Spot) -> Verdict | None:
        books = self.books
        if books.asked is Asked.EMERGENCY:
            return TAKEN if spot in books.emergency_spots() else None
        broken = books.why_not(books.found[0], spot)
        return refused(broken) if broken else TAKEN

    def _verdict_of_claim(self, tap: Tap) -> Verdict:
        books, tile = self.books, str(tap.piece)
        spots = (PLAY_SPOT, SEAT_SPOTS[books.turn])
        if wrong := tap_verdict(tap, books.turn, spots, NAMES) or self._spent(tile):
            return wrong
        if tile in self.revealed:
            return Verdict("already-played")
        if is_helper(tile):
            return Verdict("helper-in-hand")
        return FOUL if books.spots(tile) else TAKEN

    def _verdict_of_emergency(self, tap: Tap) -> Verdict:
        books = self.books
        spots = (PLAY_SPOT, SEAT_SPOTS[books.turn])
        if wrong := tap_verdict(tap, books.turn, spots, NAMES):
            return wrong
        if kind_of(str(tap.piece)) != EMERGENCY:
            return NOT_NOW
        return Verdict("already-played") if tap.piece in self.lying else TAKEN

    # --- what is done ---

    def take(self, act: Act) -> None:
        """Write down a step of a deed; the deed itself once nothing more is to be said of it."""
        books = self.books
        match act.move.verb:
            case Verb.PLACE if isinstance(act.given, Tap):
                books.pick(act.move.tile)
            case Verb.ADD if isinstance(act.given, Tap):
                self.amid = PLACE
            case Verb.CLAIM:
                self._claim(act)
            case Verb.COPY | Verb.DISCARD if still_open := self._still_open(act):
                self.amid, self.begun = still_open, act
            case _:
                self.amid = ""
                books.do(act.move)
                if act.move.verb is not Verb.ADD:
                    self.points = books.gained if act.move.verb is not Verb.ASIDE else 0

    def _still_open(self, act: Act) -> str:
        """What the mat must still ask about a helper, if anything: whose it is, and what for."""
        books, deed = self.books, act.move
        is_nobodys = isinstance(act.given, Tap) and act.given.seat is None
        if is_nobodys and len(books.users(deed.tile)) > 1:
            return WHOSE
        is_choice = deed.player == books.turn and books.may_copy(deed.player, deed.tile)
        return WHAT_FOR if is_choice and not isinstance(act.given, Choice) else ""

    def _claim(self, act: Act) -> None:
        """The hand is shown tile by tile, until one fits or all were shown."""
        books = self.books
        if not isinstance(act.given, Tap):
            self.amid, self.begun = CLAIM, act
            return
        self.revealed.append(str(act.given.piece))
        if books.spots(self.revealed[-1]) or len(self.revealed) == len(books.hand):
            self.amid, self.revealed = "", []
            books.do(act.move)
            if books.asked is not Asked.FOUND:
                self.points = 0


def style_of(chosen: BooksStyle) -> Style:
    """How a robot plays that chooses so."""

    def act(table: Camargue, chance: Random) -> Act:
        books, begun = table.books, table.begun.move
        if table.amid == WHOSE:
            return Act(begun.player, SeatChoice(Seat(begun.player)), begun)
        if table.amid == WHAT_FOR:
            return Act(begun.player, COPY if begun.verb is Verb.COPY else TURN, begun)
        if table.amid == CLAIM and books.helpers(books.turn):
            return Act(books.turn, ACTION, begun)  # somebody else claimed it: it is dropped
        if table.amid == CLAIM:
            tile = next(tile for tile in books.hand if tile not in table.revealed)
            return tapped(books.turn, tile, chance)._replace(move=begun)
        deed = chosen(books, chance)
        if deed.verb in (Verb.ASIDE, Verb.CLAIM):
            return Act(deed.player, ACTION, deed)
        if table.phase == PLACE:
            assert deed.spot is not None
            return Act(deed.player, PlaceChoice(Place(*deed.spot)), deed)
        return tapped(deed.player, deed.tile, chance)._replace(move=deed)

    return act


def _books(deal: Deal) -> Books:
    return Camargue(deal)


def _seated(scene: Scene) -> Books | None:
    """The board, one hand and what lies open; the other hands are left empty.

    Of the draw pile only the size is known. A tile that somebody taps from another hand is left to
    people.
    """
    if scene.turn is None or scene.waiting not in (None, *scene.hand, *scene.apart):
        return None
    table = Camargue(Deal(scene.players, (scene.turn - 1) % scene.players, 0, scene.options))
    books, phase, seat = table.books, scene.phase, scene.seat
    _write(books, scene, scene.turn)
    if phase != WHOSE and scene.turn != seat:
        return table if phase == "play" and books.copies() else None
    if phase in (PLACE, CLAIM, WHOSE, WHAT_FOR):
        table.amid, table.begun = phase, Act(seat, ACTION, _begun(books, scene))
        table.revealed = list(scene.shown)
    return table


def _write(books: CamargueBooks, scene: Scene, turn: int) -> None:
    """Write down what is known in *scene*."""
    books.board = {(at.place.column, at.place.row): str(at.piece) for at in scene.board}
    books.paths = {(at.place.column, at.place.row): at.paths for at in scene.board}
    books.hands = [[] for _ in range(scene.players)]
    books.hands[scene.seat] = list(scene.hand)
    books.pile = ["unseen"] * scene.counts["pile"]
    books.front, books.aside = list(scene.fronts), list(scene.laid)
    books.emergencies, books.scores = list(scene.apart), list(scene.scores)
    if scene.placed is not None and (landscape := landscape_of(scene.placed.piece)):
        books.placed = Copied(scene.placed.seat, landscape, scene.placed.points)
    if scene.phase == "play":
        books.asked = Asked.ASIDE if books.front[turn] else Asked.TURN
    elif scene.phase == PLACE and scene.waiting is not None and scene.waiting in scene.hand:
        books.asked, books.found = Asked.FOUND, [scene.waiting]
    elif scene.phase in (PLACE, "emergency"):
        books.asked = Asked.EMERGENCY


def _begun(books: CamargueBooks, scene: Scene) -> Deed:
    """What the table is amid of; a helper that can be used either way is for what scores more."""
    verb = Verb.CLAIM
    if scene.phase in (WHOSE, WHAT_FOR):
        is_more = books.placed is not None and books.placed.points > HELPER_POINTS
        verb = Verb.COPY if is_more else Verb.DISCARD
    return Deed(verb, scene.seat, scene.waiting or "")


ROBOTS = Robots(
    "camargue",
    range(2, 7),
    _books,
    {name: style_of(chosen) for name, chosen in STYLES.items()},
    houses=({}, *({option: value} for option, (value, _) in HOUSES.items())),
    seated=_seated,
    # The others claim at any time that nothing fits, which is for mats to judge, not for people.
    fair=("greedy", "careful", "saver", "joiner", "leveller", "closer", "sprawler"),
)
