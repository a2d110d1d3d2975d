"""The adapter of Camargue: from moves to the table's inputs and the answers that it must give.

The robots' own record of a game is called its *books*.

Source: the printed rules in ``sim.robots.camargue.books``; for what a table can know,
engines/camargue/RULES.md, sections 1, 4, 6, 7 and 10.
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
    EMERGENCIES,
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
    CamargueAsk,
    CamargueBooks,
    CamargueHouseRules,
    CamargueMove,
    CamargueVerb,
    CopyableTile,
    Square,
    box,
    is_helper,
    kind_of,
    landscape_of,
    mix_tiles,
)
from sim.robots.camargue.styles import STYLES, CamargueStyle
from sim.robots.contract import (
    FOUL,
    NOT_NOW,
    TAKEN,
    Books,
    Expected,
    RobotAct,
    Robots,
    Ruling,
    SeededDeal,
    Style,
    piece_of,
    tap_act,
    tap_ruling,
)
from sim.robots.scene import BoardScene

ACTION = Press(Button.ACTION)
EVERY_SPOT = (PLAY_SPOT, *SEAT_SPOTS)
COPY, TURN = Choice("copy"), Choice("turn")  # the two uses of a helper in the player's own turn

PLACE, WHOSE, WHAT_FOR, CLAIM = "place", "whose", "copy-or-turn", "claim"
PHASES = {
    CamargueAsk.TURN: "play",
    CamargueAsk.ASIDE: "play",
    CamargueAsk.FOUND: PLACE,
    CamargueAsk.EMERGENCY: "emergency",
    CamargueAsk.NOTHING: "over",
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
    # by option: its value that is not the default, and the fields of CamargueHouseRules it changes
    "no-hints": (True, {}),
    "no-dead-ends": (False, {"cuts_both_ways": False}),
    "start-counts": (False, {"start_is_an_edge": False}),
    "three-to-copy": (True, {"copy_needs_three": True}),
    "turn-emergency": (False, {"emergency_turns": False}),
}


def house_of(options: Mapping[str, OptionValue], emergencies: int) -> CamargueHouseRules:
    """Return the house rules for *options*, with *emergencies* emergency tiles in the box."""
    changes: dict[str, bool] = {}
    for option, (value, change) in HOUSES.items():
        if options.get(option) == value:
            changes |= change
    return CamargueHouseRules(**changes, emergencies=emergencies)


def refusal(broken: set[str]) -> Ruling | None:
    """Return the refusal that names the one broken rule.

    Return None if several rules are broken: the table may name any of them.
    """
    return Ruling(REFUSALS[min(broken)]) if len(broken) == 1 else None


class Camargue:
    """The ``Books`` of one game. They apply the table's inputs to the rules in ``self.books``.

    They also track the steps of a move that takes several acts. The move of an act is the
    ``CamargueMove`` to which the act belongs.
    """

    def __init__(self, deal: SeededDeal, mixture: str = "", emergencies: int = EMERGENCIES) -> None:
        """Begin the record of a game.

        *mixture* is a key of ``MIXTURES``, the ways to shuffle the tiles. If it is empty, the
        deal's seed chooses one.
        """
        chance = Random(deal.seed)
        tiles = mix_tiles(mixture or chance.choice(list(MIXTURES)), chance)
        first = (deal.dealer + 1) % deal.players
        house = house_of(deal.options, emergencies)
        self.books = CamargueBooks(deal.players, first, tiles, house)
        self._names = frozenset(box(emergencies))
        self.amid = ""  # a phase within a move of the books; empty between moves
        self.begun = RobotAct(first, ACTION)  # the act that began the unfinished move
        self.revealed: list[str] = []  # tiles shown in a claim
        self.points = 0  # the points scored by the last move

    # --- the turn and the expected view ---

    @property
    def phase(self) -> str:
        """The phase that the table must show."""
        return self.amid or PHASES[self.books.asked]

    @property
    def is_over(self) -> bool:
        """Return True if the game has ended."""
        return self.phase == "over"

    @property
    def actor(self) -> int:
        """The seat of the player who acts next.

        If the table asks about a tapped helper, that is the helper's owner.
        """
        return self.begun.seat if self.amid in (WHOSE, WHAT_FOR) else self.books.turn

    @property
    def expected(self) -> Expected:
        """The view that the table must show now."""
        books, is_over = self.books, self.is_over
        counts = {"pile": len(books.pile), "board": len(books.board), "out": len(books.out)}
        counts |= {"removed": len(books.aside), "emergency": len(books.emergencies)}
        counts |= {f"hand-{seat}": size for seat, size in enumerate(books.sizes(), start=1)}
        counts |= {f"front-{seat}": helpers for seat, helpers in enumerate(books.fronts(), start=1)}
        return Expected(
            self.phase,
            scores=books.scores,
            turn=None if is_over else books.turn,
            winners=books.winners,
            direction=None if is_over else Direction.CLOCKWISE,
            headline=self._headline(),
            counts=counts,
        )

    def _headline(self) -> str | None:
        """Return the headline that the table must show.

        Return None while a place is being chosen: then the table shows the points of the selected
        place, which the robots cannot know.
        """
        match self.phase:
            case "place":
                return None
            case "claim":
                return str(len(self.books.hand) - len(self.revealed))
            case "over":
                return str(max(self.books.scores))
        return str(self.points)

    # --- pieces, and answers to inputs ---

    @property
    def lying(self) -> Sequence[Piece]:
        """The tiles on the board, in front of players, put aside, and shown in a claim."""
        books = self.books
        helpers = [*filter(None, books.front), *books.aside]
        return [piece_of(tile) for tile in (*helpers, *books.board.values(), *self.revealed)]

    def hand(self, seat: int) -> Sequence[Piece]:
        """Return the tiles in the hand of *seat*, without those shown in a claim."""
        return [piece_of(tile) for tile in self.books.hands[seat] if tile not in self.revealed]

    def ruling(self, given: Input) -> Ruling | None:
        """Return the answer that the table must give to *given*; None if it cannot be known."""
        match self.phase, given:
            case "play", Press():
                return TAKEN if given == ACTION else NOT_NOW
            case "play", Tap():
                return self._ruling_on_play(given)
            case "place", PlaceChoice(place):
                return self._ruling_on_place((place.column, place.row))
            case "place", Press():
                return None  # while the mat shows a map, it uses the buttons itself
            case "whose", SeatChoice(seat):
                return TAKEN if seat in self.books.users(self.begun.move.tile) else None
            case "copy-or-turn", Choice():
                return TAKEN if given in (COPY, TURN) else NOT_NOW
            case "claim", Press():
                return TAKEN if given == ACTION else NOT_NOW
            case "claim", Tap():
                return self._ruling_on_claim(given)
            case "emergency", Tap():
                return self._ruling_on_emergency(given)
        return NOT_NOW

    def _spent(self, tile: str) -> Ruling | None:
        """Return the refusal of a tile that cannot be in any hand now, or None if it can be."""
        if piece_of(tile) in self.lying:
            return Ruling("already-played")
        return Ruling("no-emergency") if kind_of(tile) == EMERGENCY else None

    def _ruling_on_play(self, tap: Tap) -> Ruling | None:
        """Return the answer to a tap between two moves, when any player may tap a helper."""
        books, tile = self.books, str(tap.piece)
        seat = books.turn if tap.seat is None else tap.seat
        if wrong := tap_ruling(tap, seat, EVERY_SPOT, self._names) or self._spent(tile):
            return wrong
        if is_helper(tile):
            return self._ruling_on_helper(tap.seat, tile)
        if seat != books.turn:
            return Ruling("not-your-turn")
        if books.asked is CamargueAsk.ASIDE:
            return Ruling("helper-in-front")
        if books.is_ruled_out(tile):
            return Ruling("not-in-hand")
        return TAKEN if books.squares(tile) else Ruling("fits-nowhere")

    def _ruling_on_helper(self, seat: int | None, helper: str) -> Ruling | None:
        books = self.books
        users = books.users(helper)
        if users if seat is None else seat in users:
            return TAKEN
        if seat in (None, books.turn) and books.is_ruled_out(helper):
            return Ruling("too-late-to-copy")
        if seat == books.turn or (seat is None and books.placed is None):
            return Ruling("helper-in-front")
        return None if seat is None else refusal(books.why_no_copy(seat, helper))

    def _ruling_on_place(self, square: Square) -> Ruling | None:
        books = self.books
        if books.asked is CamargueAsk.EMERGENCY:
            return TAKEN if square in books.emergency_squares() else None
        broken = books.why_not(books.found[0], square)
        return refusal(broken) if broken else TAKEN

    def _ruling_on_claim(self, tap: Tap) -> Ruling:
        books, tile = self.books, str(tap.piece)
        spots = (PLAY_SPOT, SEAT_SPOTS[books.turn])
        if wrong := tap_ruling(tap, books.turn, spots, self._names) or self._spent(tile):
            return wrong
        if books.is_ruled_out(tile):
            return Ruling("too-late-to-copy" if is_helper(tile) else "not-in-hand")
        if is_helper(tile):
            return Ruling("helper-in-hand")
        return FOUL if books.squares(tile) else TAKEN

    def _ruling_on_emergency(self, tap: Tap) -> Ruling:
        books = self.books
        spots = (PLAY_SPOT, SEAT_SPOTS[books.turn])
        if wrong := tap_ruling(tap, books.turn, spots, self._names):
            return wrong
        if tap.piece in self.lying:
            return Ruling("already-played")
        if is_helper(str(tap.piece)):
            return Ruling("too-late-to-copy")  # the player has just shown a hand without helpers
        return TAKEN if kind_of(str(tap.piece)) == EMERGENCY else NOT_NOW

    # --- accepted acts ---

    def take(self, act: RobotAct) -> None:
        """Record an accepted act. A move is applied to the rules at its last act."""
        books = self.books
        match act.move.verb:
            case CamargueVerb.PLACE if isinstance(act.given, Tap):
                books.pick(act.move.tile)
            case CamargueVerb.ADD if isinstance(act.given, Tap):
                self.amid = PLACE
            case CamargueVerb.CLAIM:
                self._claim(act)
            case CamargueVerb.COPY | CamargueVerb.DISCARD if still_open := self._still_open(act):
                self.amid, self.begun = still_open, act
            case _:
                self.amid = ""
                books.do(act.move)
                if act.move.verb is not CamargueVerb.ADD:
                    self.points = books.gained if act.move.verb is not CamargueVerb.ASIDE else 0

    def _still_open(self, act: RobotAct) -> str:
        """Return the phase of the table's question after *act*, a tapped helper; "" if none.

        The table asks for the helper's owner, or for its use.
        """
        books, move = self.books, act.move
        is_nobodys = isinstance(act.given, Tap) and act.given.seat is None
        if is_nobodys and len(books.users(move.tile)) > 1:
            return WHOSE
        is_choice = move.player == books.turn and books.may_copy(move.player, move.tile)
        return WHAT_FOR if is_choice and not isinstance(act.given, Choice) else ""

    def _claim(self, act: RobotAct) -> None:
        """Record an act of a claim: its beginning, its withdrawal, or a tile that is shown.

        The claim ends when a shown tile fits or all tiles have been shown.
        """
        books = self.books
        if not isinstance(act.given, Tap):
            self.amid = "" if self.amid == CLAIM else CLAIM
            self.begun, self.revealed = act, []
            return
        self.revealed.append(str(act.given.piece))
        if books.squares(self.revealed[-1]) or len(self.revealed) == len(books.hand):
            self.amid, self.revealed = "", []
            books.do(act.move)
            if books.asked is not CamargueAsk.FOUND:
                self.points = 0


def style_of(chosen: CamargueStyle) -> Style:
    """Return a style of play in which *chosen* chooses the moves."""

    def act(table: Camargue, chance: Random) -> RobotAct:
        books, begun = table.books, table.begun.move
        if table.amid == WHOSE:
            return RobotAct(begun.player, SeatChoice(Seat(begun.player)), begun)
        if table.amid == WHAT_FOR:
            return RobotAct(begun.player, COPY if begun.verb is CamargueVerb.COPY else TURN, begun)
        if table.amid == CLAIM and books.helpers(books.turn):
            return RobotAct(books.turn, ACTION, begun)  # withdraw a claim that somebody else made
        if table.amid == CLAIM:
            tile = next(tile for tile in books.hand if tile not in table.revealed)
            return tap_act(books.turn, tile, chance)._replace(move=begun)
        move = chosen(books, chance)
        if move.verb in (CamargueVerb.ASIDE, CamargueVerb.CLAIM):
            return RobotAct(move.player, ACTION, move)
        if table.phase == PLACE:
            assert move.square is not None
            return RobotAct(move.player, PlaceChoice(Place(*move.square)), move)
        return tap_act(move.player, move.tile, chance)._replace(move=move)

    return act


def _from_scene(scene: BoardScene) -> Books | None:
    """Return a record of what the robot knows: open tiles, its own hand, and the draw pile's size.

    Return None if the robot has nothing to do, or if a tile of another player's hand was tapped.
    """
    if scene.turn is None or scene.waiting not in (None, *scene.hand, *scene.apart):
        return None
    table = Camargue(SeededDeal(scene.players, (scene.turn - 1) % scene.players, 0, scene.options))
    books, phase, seat = table.books, scene.phase, scene.seat
    _write(books, scene, scene.turn)
    if phase != WHOSE and scene.turn != seat:
        return table if phase == "play" and books.copies() else None
    if phase in (PLACE, CLAIM, WHOSE, WHAT_FOR):
        table.amid, table.begun = phase, RobotAct(seat, ACTION, _begun(books, scene))
        table.revealed = list(scene.shown)
    return table


def _write(books: CamargueBooks, scene: BoardScene, turn: int) -> None:
    """Write into *books* what *scene* shows. *turn* is the current player's seat."""
    books.board = {(at.place.column, at.place.row): str(at.piece) for at in scene.board}
    books.paths = {(at.place.column, at.place.row): at.paths for at in scene.board}
    books.hands = [[] for _ in range(scene.players)]
    books.hands[scene.seat] = list(scene.hand)
    books.pile = ["unseen"] * scene.counts["pile"]
    books.front, books.aside = list(scene.fronts), list(scene.laid)
    books.emergencies, books.scores = list(scene.apart), list(scene.scores)
    if scene.placed is not None and (landscape := landscape_of(scene.placed.piece)):
        books.placed = CopyableTile(scene.placed.seat, landscape, scene.placed.points)
    if scene.phase == "play":
        books.asked = CamargueAsk.ASIDE if books.front[turn] else CamargueAsk.TURN
    elif scene.phase == PLACE and scene.waiting is not None and scene.waiting in scene.hand:
        books.asked, books.found = CamargueAsk.FOUND, [scene.waiting]
    elif scene.phase in (PLACE, "emergency"):
        books.asked = CamargueAsk.EMERGENCY


def _begun(books: CamargueBooks, scene: BoardScene) -> CamargueMove:
    """Return the move that the scene's robot has begun.

    It is a claim or the use of a helper. The helper's use is a copy or a discard for ten points:
    the robot takes the one that scores more.
    """
    verb = CamargueVerb.CLAIM
    if scene.phase in (WHOSE, WHAT_FOR):
        is_more = books.placed is not None and books.placed.points > HELPER_POINTS
        verb = CamargueVerb.COPY if is_more else CamargueVerb.DISCARD
    return CamargueMove(verb, scene.seat, scene.waiting or "")


ROBOTS = Robots(
    "camargue",
    range(2, 7),
    Camargue,
    {name: style_of(chosen) for name, chosen in STYLES.items()},
    houses=({}, *({option: value} for option, (value, _) in HOUSES.items())),
    from_scene=_from_scene,
    # The other styles may claim falsely that nothing fits, so they are only for tests of the mat.
    fair=("greedy", "careful", "saver", "joiner", "leveller", "closer", "sprawler"),
)
