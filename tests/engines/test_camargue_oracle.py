"""The rules of Camargue compared with the robots' books in random games, after every input.

The books are an independent model: they decide what is legal, what follows and who wins. The rules
get only the inputs that a table would give them. A difference is reported with the inputs that
lead to it.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from random import Random
from typing import Final

import pytest

from engines.camargue import GAME
from engines.common.contract import (
    PLAY_SPOT,
    SEAT_SPOTS,
    Button,
    ChoiceAsk,
    Input,
    Message,
    OptionValue,
    PlaceAsk,
    PlaceChoice,
    Press,
    PressAsk,
    Seat,
    SeatAsk,
    Tap,
    TapAsk,
)
from engines.common.grid import Place
from engines.common.pieces import Deck
from firmware.boxes.decks import load_deck
from sim.robots.camargue.adapter import CLAIM, PLACE, REFUSALS, ROBOTS, WHAT_FOR, WHOSE, Camargue
from sim.robots.camargue.books import (
    ACROSS,
    CONTINUES_NOTHING,
    CUTS_OFF,
    EMERGENCIES,
    EMERGENCY,
    HELPER_POINTS,
    MIXTURES,
    OCCUPIED,
    TOUCHES_NOTHING,
    CamargueAsk,
    CamargueBooks,
    CamargueHouseRules,
    CamargueVerb,
    Square,
    box,
    helps,
    is_helper,
    kind_of,
    mix_tiles,
    paths_of,
)
from sim.robots.camargue.styles import STYLES
from sim.robots.contract import RobotAct, Ruling, SeededDeal, piece_of
from tests.effort import Games, long_unless, seen_in
from tests.engines.oracle import Comparison

ACTION = Press(Button.ACTION)
NOTHING_FITS, PUT_ASIDE, DROP_CLAIM = (
    PressAsk(Button.ACTION, label, is_claim=label == "nothing-fits")
    for label in ("nothing-fits", "put-aside", "drop-claim")
)
DECK: Final = load_deck(GAME)

PLAYERS = (6, 2, 5, 3, 4)
HOUSES: dict[str, tuple[dict[str, OptionValue], int]] = {  # options; emergency tiles in the box
    "as printed": ({}, EMERGENCIES),
    "no hints": ({"no-hints": True}, EMERGENCIES),
    "dead ends": ({"no-dead-ends": False}, EMERGENCIES),
    "start is nothing": ({"start-counts": False}, EMERGENCIES),
    "three to copy": ({"three-to-copy": True}, EMERGENCIES),
    "emergencies stand": ({"turn-emergency": False}, EMERGENCIES),
    "one emergency": ({}, 1),
    "no emergency": ({}, 0),
}
MIXED_FOR = {  # ways to mix the tiles, for the styles whose rare events need them
    "closer": ("few ends early",),
    "greedy": ("by landscape", "helpers early"),
    "joiner": ("helpers early", "helpers late"),
    "saver": ("helpers late",),
}
HOUSES_FOR = {"closer": ("no emergency", "one emergency", "as printed")}
# First seed of a style's games, 0 by default; chosen so that the games contain all of RARE.
FIRST_SEED = {"closer": 8, "joiner": 20, "saver": 25}
GAMES_EACH = 8
ASKS_COMPARED = 0.05  # fraction of acts after which all kinds asked for are compared
DROPPED = 0.1  # fraction of taps in a claim that are replaced by dropping it

AREA = ("tiles", "edges", "n")
TELLS = {  # the events that are compared, with the names of their facts
    **dict.fromkeys(("where-to", "whose-helper", "piles-empty", "stuck"), ()),
    **dict.fromkeys(("turn", "aside-and-draw", "aside-only", "goes-on", "copy-or-turn"), ("seat",)),
    **dict.fromkeys(("must-place", "puts-aside", "take-emergency", "no-emergency-tile"), ("seat",)),
    **dict.fromkeys(("winner", "shared-win"), ("seat",)),
    **dict.fromkeys(("discards", "copies", "shows", "total"), ("seat", "n")),
    "fits-not": ("n",),
    "scores": AREA,
}
CAPTIONS = {  # caption after each kind of move
    CamargueVerb.PLACE: "caption.area",
    CamargueVerb.DISCARD: "caption.helper",
    CamargueVerb.COPY: "caption.copied",
    CamargueVerb.ASIDE: "caption.put-aside",
    CamargueVerb.CLAIM: "caption.pass",
}


class CamargueComparison(Comparison):
    """A game of Camargue on the rules, compared with the robots' books.

    Also compared are the map, the places offered, and the events.
    """

    caption = "caption.begin"  # of the last finished move
    worth = (0, 0)  # area and edges of the last landscape tile
    last: Square = (0, 0)  # place of the last tile

    @property
    def adapter(self) -> Camargue:
        """The robots' adapter for Camargue."""
        assert isinstance(self.books, Camargue)
        return self.books

    @property
    def kept(self) -> CamargueBooks:
        """The adapter's books: the independent model of the game."""
        return self.adapter.books

    def next_act(self) -> RobotAct:
        """Return the robot's next act; at random, an act that drops the claim in progress."""
        if self.adapter.amid == CLAIM and self.chance.random() < DROPPED:
            return RobotAct(self.kept.turn, ACTION, self.adapter.begun.move)
        return super().next_act()

    def do(self, act: RobotAct) -> None:
        books, move = self.kept, act.move
        points, had_pile = books.placed.points if books.placed else 0, bool(books.pile)
        if isinstance(act.given, PlaceChoice):
            self.last = square_of(act.given.place)
            if move.verb is CamargueVerb.PLACE:
                self.worth = books.worth(move.tile, self.last)
        super().do(act)
        expected = self.events_amid(act)
        if expected is None:
            expected = self.events_of_play(act, points)
            expected += [("piles-empty",)] if had_pile and not books.pile else []
            expected += self.events_of_turn(act)
        self.same("events", expected, told(self.events))
        if books.asked is CamargueAsk.FOUND and move.verb is CamargueVerb.CLAIM:
            self.compare_named_place(books.found[0])

    def compare_step(self, act: RobotAct) -> None:
        super().compare_step(act)
        self.same("counts", dict(self.books.expected.counts), dict(self.view.counts))
        self.compare_board()
        if self.kept.has_shown:
            self.try_what_was_not_shown()
        if not self.books.is_over:
            self.compare_words(act)
            COMPARE[self.adapter.phase](self)

    # --- wrong inputs ---

    def try_what_is_wrong(self) -> None:
        super().try_what_is_wrong()
        books = self.kept
        squares = self.chance.sample(self.wide_squares(), 6)
        tiles = [*books.emergencies[:1], *filter(None, books.front)]
        wrong: list[Input] = [PlaceChoice(Place(*square)) for square in squares]
        wrong += [Tap(piece_of(tile)) for tile in tiles]
        wrong += [Tap(piece_of(tile), "box") for tile in books.hand[:1]]
        for seat in map(Seat, range(books.players)):
            wrong += [Tap(piece_of(helper), seat=seat) for helper in books.helpers(seat)]
        for given in wrong:
            self.compare_answer(given)

    def try_what_was_not_shown(self) -> None:
        """Check that rules and books give the same answers to tiles that the player does not hold.

        A tile and a helper are tried that are not in the hand just shown.
        """
        unseen = [tile for tile in self.kept.unseen() if tile not in self.kept.hand]
        for is_one in (False, True):
            for tile in [tile for tile in unseen if is_helper(tile) is is_one][:1]:
                self.compare_answer(Tap(piece_of(tile)))

    def compare_answer(self, given: Input) -> Ruling | None:
        """Check that the rules answer *given* as the books do, and return the books' answer.

        If the books know several reasons for a refusal, the rules may give any of them.
        """
        expected = super().compare_answer(given)
        if expected is not None:
            self.kept.note(f"refused: {expected.code}")
        elif reasons := self.reasons(given):
            code = self.rules.ruling(given).code
            self.same(f"{given} is refused for one of {sorted(reasons)}", True, code in reasons)
        return expected

    def reasons(self, given: Input) -> set[str]:
        """Return the codes of all possible reasons to refuse *given*."""
        books, broken = self.kept, set[str]()
        match self.adapter.phase, given:
            case "place", PlaceChoice(place) if books.asked is CamargueAsk.EMERGENCY:
                for side in ACROSS:
                    broken |= books.why_no_emergency(square_of(place), side)
            case "place", PlaceChoice(place):
                broken = books.why_not(books.found[0], square_of(place))
            case "play", Tap(piece, _, seat) if seat is not None and is_helper(piece.kind):
                broken = books.why_no_copy(seat, str(piece))
        return {REFUSALS.get(reason, "no-place-for-emergency") for reason in broken}

    def wide_squares(self) -> list[Square]:
        """Return the squares on the board, and those up to two steps beyond its tiles."""
        squares = self.kept.all_squares()
        columns, rows = ([square[n] for square in squares] for n in (0, 1))
        return [
            (column, row)
            for column in range(min(columns) - 1, max(columns) + 2)
            for row in range(min(rows) - 1, max(rows) + 2)
        ]

    # --- expected events ---

    def events_amid(self, act: RobotAct) -> list[tuple[object, ...]] | None:
        """Return the events that the books expect after *act* in the middle of a move.

        Each is a code and its facts. Return None if *act* finished the move.
        """
        books = self.kept
        is_claim = act.move.verb is CamargueVerb.CLAIM
        match self.adapter.phase:
            case "place":
                return [("must-place", books.turn) if is_claim else ("where-to",)]
            case "whose":
                return [("whose-helper",)]
            case "copy-or-turn":
                return [("copy-or-turn", books.turn)]
            case "claim" if act.given == ACTION:
                return [("shows", books.turn, len(books.hand))]
            case "claim":
                return [("fits-not", len(books.hand) - len(self.adapter.revealed))]
            case "emergency":
                return [("take-emergency", books.turn)]
        return [("turn", books.turn)] if is_claim and act.given == ACTION else None

    def events_of_play(self, act: RobotAct, points: int) -> list[tuple[object, ...]]:
        """Return the events that the books expect about a finished move, each a code and its facts.

        *points* is the score of a player who copies.
        """
        seat = act.move.player
        match act.move.verb:
            case CamargueVerb.PLACE:
                return [("scores", *self.worth, self.worth[0] * self.worth[1])]
            case CamargueVerb.DISCARD:
                return [("discards", seat, HELPER_POINTS)]
            case CamargueVerb.COPY:
                return [("copies", seat, points)]
            case CamargueVerb.ASIDE:
                return [("puts-aside", seat)]
            case CamargueVerb.CLAIM:
                return [("no-emergency-tile", seat), *[("stuck",)] * self.books.is_over]
        return []

    def events_of_turn(self, act: RobotAct) -> list[tuple[object, ...]]:
        """Return the events that the books expect about the next turn, or the end of the game.

        Each is a code and its facts.
        """
        books, verb = self.kept, act.move.verb
        if self.books.is_over:
            code = "winner" if len(books.winners) == 1 else "shared-win"
            totals = [("total", seat, points) for seat, points in enumerate(books.scores)]
            return [*totals, *((code, seat) for seat in books.winners)]
        if verb is CamargueVerb.ADD:
            return [("goes-on", books.turn)]
        if verb is CamargueVerb.COPY and act.move.player != books.turn:
            return []
        aside = "aside-and-draw" if books.pile else "aside-only"
        return [(aside if books.asked is CamargueAsk.ASIDE else "turn", books.turn)]

    def compare_named_place(self, tile: str) -> None:
        """Check that, by the books, *tile* fits where the rules say after a wrong claim."""
        first = self.events[0]
        self.same("the tile that fits", piece_of(tile), first.facts["piece"])
        words = first.code.split("-")[1:]
        across, down = int(str(first.facts["columns"])), int(str(first.facts["rows"]))
        square = -across if "left" in words else across, -down if "up" in words else down
        self.same("reasons against the named place", set(), self.kept.why_not(tile, square))

    # --- the view ---

    def compare_words(self, act: RobotAct) -> None:
        """Check that headline, caption and spoken number are those that the books expect."""
        view, phase, verb = self.view, self.adapter.phase, act.move.verb
        is_dropped = verb is CamargueVerb.CLAIM and act.given == ACTION
        if phase == "emergency":
            self.caption = "caption.emergency"
        elif phase == "play" and verb is not CamargueVerb.ADD and not is_dropped:
            self.caption = CAPTIONS[verb]
        points = self.books.expected.headline or str(self.adapter.points)
        caption = "caption.to-go" if phase == CLAIM else self.caption
        self.same("shown", (points, caption), (view.headline, view.caption.code))
        if caption == "caption.area":
            self.same("area and edges shown", self.worth, facts(view.caption, *AREA[:2]))
        assert view.spoken is not None
        self.same("spoken", (int(str(points)),), facts(view.spoken, "n"))

    def compare_board(self) -> None:
        books, grid = self.kept, self.view.grid
        assert grid is not None
        board = {
            square: (kind_of(tile), set(books.paths[square]))
            for square, tile in books.board.items()
        }
        shown = {
            square_of(cell.place): (cell.piece.kind, set(cell.paths))
            for cell in grid.cells
            if cell.piece is not None
        }
        self.same("board", board, shown)
        self.same("number of cells", len(board), len(grid.cells))
        self.same("focus", Place(*self.last), grid.focus)

    # --- what is asked for ---

    def compare_play(self) -> None:
        """Check that the rules ask for the taps and buttons that the books expect in a turn.

        They must not ask for kinds that are in no hand.
        """
        books, asks = self.kept, self.asks
        is_turn = books.asked is CamargueAsk.TURN
        button = NOTHING_FITS if is_turn else PUT_ASIDE
        self.same("buttons", [button], [ask for ask in asks if isinstance(ask, PressAsk)])
        taps = {frozenset[int](ask.seats): ask for ask in asks if isinstance(ask, TapAsk)}
        self.same("taps and buttons are all", len(taps) + 1, len(asks))
        hidden = {kind_of(tile): tile for tile in books.unseen()}
        mine = {kind_of(tile): tile for tile in books.hand} if books.has_shown else hidden
        joining = [s for s in range(books.players) if s != books.turn and books.may_join(s)]
        me, others = frozenset({books.turn}), frozenset(joining)
        matching = {kind for kind in hidden if is_helper(kind) and self.does_match(kind)}
        expected = {others} if others and matching else set()
        if is_turn and me in taps:
            expected.add(me)
        elif is_turn:
            self.same("kinds that can be played", set(), self.playable(mine))
        self.same("who taps", expected, set(taps))
        for seats, ask in taps.items():
            spots = {PLAY_SPOT, *(SEAT_SPOTS[seat] for seat in seats)}
            self.same("spots", spots, set(ask.spots))
            self.same("fouls", frozenset(), ask.fouls)
        if others in taps:
            self.same("helpers that match", matching, taps[others].kinds)
        if me in taps and self.chance.random() < ASKS_COMPARED:
            self.same("kinds", self.playable(mine), taps[me].kinds)

    def does_match(self, helper: str) -> bool:
        placed = self.kept.placed
        return placed is not None and helps(helper, placed.landscape)

    def playable(self, hidden: dict[str, str]) -> set[str]:
        """Return the kinds that can be played now; *hidden* maps each kind to one of its tiles."""
        books = self.kept
        return {kind for kind, tile in hidden.items() if is_helper(tile) or books.squares(tile)}

    def compare_claim(self) -> None:
        """Check which kinds may be shown to prove that no tile fits.

        A kind that fits somewhere must be a foul.
        """
        books, asks = self.kept, self.asks
        self.same("buttons", [DROP_CLAIM], [ask for ask in asks if isinstance(ask, PressAsk)])
        (tap,) = (ask for ask in asks if isinstance(ask, TapAsk))
        self.same("who shows", (Seat(books.turn),), tap.seats)
        if self.chance.random() < ASKS_COMPARED:
            among = books.hand if books.has_shown else books.unseen()
            tiles = [tile for tile in among if tile not in self.adapter.revealed]
            hidden = {kind_of(tile): tile for tile in tiles if not is_helper(tile)}
            fitting = self.playable(hidden)
            self.same("kinds that fit", fitting, tap.fouls)
            self.same("kinds that do not", set(hidden) - fitting, tap.kinds)

    def compare_places(self) -> None:
        """Check the places that the rules offer for a tile against those in the books.

        Their points and the place where the cursor starts must agree too.
        """
        books = self.kept
        (ask,) = self.asks
        assert isinstance(ask, PlaceAsk)
        captions = {square_of(offer.place): offer.caption for offer in ask.offers}
        self.same("number of offers", len(captions), len(ask.offers))
        if books.asked is CamargueAsk.EMERGENCY:
            sides = {
                square: ("caption.blank", side)
                for square, side in books.emergency_squares().items()
            }
            offered = {square: (c.code, c.facts["side"]) for square, c in captions.items()}
            self.same("places", sides, offered)
            return
        tile = books.found[0]
        worth = {square: books.worth(tile, square) for square in books.squares(tile)}
        self.same("places", worth, {square: facts(c, *AREA[:2]) for square, c in captions.items()})
        for offer in ask.offers:
            area, edges = worth[square_of(offer.place)]
            points = area * edges
            shown = offer.headline, offer.caption.code
            self.same("points offered", (str(points), "caption.area"), shown)
            assert offer.spoken is not None
            spoken = facts(offer.spoken, *AREA)
            self.same("points offered, as told", (area, edges, points), spoken)
        rivals = list(worth)
        if not self.deal.options.get("no-hints"):
            best = max(area * edges for area, edges in worth.values())
            self.same("points offered first", str(best), ask.offers[ask.start].headline)
            rivals = [square for square, (area, edges) in worth.items() if area * edges == best]
        nearest = min(map(self.distance, rivals))
        first = self.distance(square_of(ask.offers[ask.start].place))
        self.same("distance of the place offered first", nearest, first)
        steps = max(ask.start, len(worth) - 1 - ask.start)
        self.same("most steps to another place", len(worth) // 2, steps)

    def distance(self, square: Square) -> int:
        return abs(square[0] - self.last[0]) + abs(square[1] - self.last[1])

    def compare_owners(self) -> None:
        """Check that the rules offer the players who, by the books, could have tapped a helper."""
        (ask,) = self.asks
        assert isinstance(ask, SeatAsk)
        self.same("asks whose", set(self.kept.users(self.adapter.begun.move.tile)), set(ask.seats))

    def compare_uses(self) -> None:
        """Check that the rules offer the books' uses of a helper, the best score first."""
        (ask,), placed = self.asks, self.kept.placed
        assert isinstance(ask, ChoiceAsk)
        assert placed is not None
        self.same("choices", {"copy", "turn"}, set(ask.names))
        if placed.points != HELPER_POINTS:
            better = "copy" if placed.points > HELPER_POINTS else "turn"
            self.same("the better choice", better, ask.names[0])

    def compare_emergency(self) -> None:
        turn = Seat(self.kept.turn)
        tap = TapAsk(frozenset({EMERGENCY}), (turn,), (PLAY_SPOT, SEAT_SPOTS[turn]))
        self.same("asks", (tap,), self.asks)


COMPARE: dict[str, Callable[[CamargueComparison], None]] = {  # comparisons of the asks, by phase
    "play": CamargueComparison.compare_play,
    PLACE: CamargueComparison.compare_places,
    WHOSE: CamargueComparison.compare_owners,
    WHAT_FOR: CamargueComparison.compare_uses,
    CLAIM: CamargueComparison.compare_claim,
    "emergency": CamargueComparison.compare_emergency,
}


def told(events: Iterable[Message]) -> list[tuple[object, ...]]:
    """Return the code and facts of those *events* that TELLS names."""
    return [(e.code, *facts(e, *TELLS[e.code])) for e in events if e.code in TELLS]


def facts(message: Message, *names: str) -> tuple[object, ...]:
    return tuple(message.facts[name] for name in names)


def square_of(place: Place) -> Square:
    return place.column, place.row


def deck_of(emergencies: int) -> Deck:
    """Return the deck with this number of emergency tiles."""
    kinds = (
        replace(kind, count=emergencies) if kind.name == EMERGENCY else kind for kind in DECK.kinds
    )
    return replace(DECK, kinds=tuple(kind for kind in kinds if kind.count))


def play(style: str, mixture: str, house: str, players: int, seed: int) -> frozenset[str]:
    """Play a game, check that rules and books agree, and return the names of its rare events.

    *style* is that of all robots; *mixture* and *house* are keys of MIXTURES and HOUSES.
    """
    name = f"play({style!r}, {mixture!r}, {house!r}, {players}, {seed})"
    options, emergencies = HOUSES[house]
    deal = SeededDeal(players, Random(name).randrange(players), seed, options)
    robots = replace(ROBOTS, open=lambda deal: Camargue(deal, mixture, emergencies))
    game = CamargueComparison(GAME, robots, deal, style, deck_of(emergencies), name)
    game.play()
    return frozenset(game.kept.happened)


def games_of(style: str) -> Games:
    """Return a function for each game of *style*; it calls ``play`` for that game.

    The games take mixtures, house rules and numbers of players by turns.
    """
    mixtures, houses = MIXED_FOR.get(style, tuple(MIXTURES)), HOUSES_FOR.get(style, tuple(HOUSES))
    first = FIRST_SEED.get(style, 0)
    return [
        partial(
            play, style, mixtures[n % len(mixtures)], houses[n % len(houses)], PLAYERS[n % 5], n
        )
        for n in range(first, first + GAMES_EACH)
    ]


# --- the tests -----------------------------------------------------------------------------------


def test_the_deck_file_holds_the_tiles_of_the_books() -> None:
    assert sorted(map(str, DECK.pieces())) == sorted(box())
    assert DECK.total == 80 + 10 + 1 + 5
    assert not DECK.is_verified


def laid(board: dict[Square, str]) -> CamargueBooks:
    """Return books in which *board* gives the tile on each square; the start tile is there too."""
    books = CamargueBooks(2, 0, mix_tiles("well", Random("laid")), CamargueHouseRules())
    for square, tile in board.items():
        books.board[square], books.paths[square] = tile, paths_of(tile)
    return books


def test_the_books_know_the_points_of_a_single_tile() -> None:
    """The printed 1 point, and 1 x 2 for a tile between two neighbours of other landscapes."""
    assert laid({}).worth("lavender-ns", (0, -1)) == (1, 1)
    books = laid({(1, 0): "water-esw", (0, 1): "grain-new"})
    assert books.worth("forest-nw", (1, 1)) == (1, 2)


def test_the_books_know_the_printed_village() -> None:
    """Six village tiles times three edges score 18; with 96 points before, the total is 114."""
    villages = {(1, 0): "esw", (2, 0): "sw", (3, 0): "es", (2, 1): "nes", (0, 1): "nes"}
    books = laid({square: f"village-{paths}" for square, paths in villages.items()})
    assert books.why_not("village-new", (1, 1)) == {CUTS_OFF}
    assert books.why_not("village-nw", (1, 1)) == set()
    assert books.worth("village-nw", (1, 1)) == (6, 3)
    books.score(0, 96)
    books.score(0, books.points("village-nw", (1, 1)))
    assert books.scores == [114, 0]


@pytest.mark.parametrize(
    ("tile", "square", "broken"),
    [
        ("grain-ew", (0, 0), {OCCUPIED}),
        ("grain-nesw", (1, 1), {TOUCHES_NOTHING}),
        ("grain-ne", (-2, 0), set()),
        ("grain-ns", (-2, 0), {CUTS_OFF, CONTINUES_NOTHING}),  # cuts off a path on the board
        ("grain-nes", (-1, 1), {CUTS_OFF, CONTINUES_NOTHING}),  # cuts off one of its own paths
        ("grain-nes", (1, 0), {CUTS_OFF, CONTINUES_NOTHING}),
        ("grain-nesw", (0, 1), set()),
        ("grain-ew", (-1, 1), {CONTINUES_NOTHING}),  # edges without a path meet
    ],
)
def test_the_books_know_what_forbids_a_place(tile: str, square: Square, broken: set[str]) -> None:
    assert laid({(-1, 0): "forest-ew"}).why_not(tile, square) == broken


def test_the_books_know_where_an_emergency_tile_goes() -> None:
    """An emergency tile goes to edges without a path.

    It does not go where a second tile is a neighbour, as at (1, -1).
    """
    books = laid({(1, 0): "forest-ew", (2, 0): "forest-nw", (2, -1): "forest-es"})
    assert books.emergency_squares() == {(1, 1): "n", (2, 1): "n", (3, 0): "w", (2, -2): "s"}


CLAIMED_WRONGLY = {f"wrong claim, {n} fit" for n in (1, 2, 3)}
RARE = {
    "random": CLAIMED_WRONGLY
    | {"10 points rather than a copy", "an area of one with 4 edges", "refused: fits-nowhere"},
    "greedy": {"an area of twelve or more", "an area of one with 0 edges", "a hole filled"},
    "careful": {"2 areas joined", "copied before one's own turn"},
    "saver": {
        *("helpers in front: 4", "copied with fewer than three", "refused: fewer-than-three"),
        *("refused: helper-in-front", "copied with the last tile"),
    },
    "joiner": {
        *("helpers in front: 4", "copied before one's own turn", "over with a helper in front"),
        *("put aside with nothing to draw", "refused: no-match", "refused: own-tile"),
    },
    "doubter": CLAIMED_WRONGLY | {"right claim", "beside emergency"},
    "closer": {
        *("right claim", "the last emergency tile", "beside emergency"),
        *("refused: not-in-hand", "refused: too-late-to-copy"),
        *("stuck without an emergency tile", "nobody could play any more"),
    },
    "sprawler": {
        *("refused: occupied", "refused: touches-nothing"),
        *("refused: cuts-path", "refused: continues-no-path"),
    },
    "leveller": {"shared win", "2 areas joined", "3 areas joined"},
    "moody": CLAIMED_WRONGLY | {"the last tile drawn", "placed with nothing to draw"},
}


# Games that show what is rare: python -m tests.engines.first_games prints them.
FIRST: dict[str, tuple[int, ...]] = {
    "random": (2, 4),
    "greedy": (2, 3),
    "careful": (2, 4),
    "saver": (2, 3),
    "joiner": (7, 2),
    "doubter": (3,),
    "closer": (5, 7, 6),
    "sprawler": (2, 4),
    "leveller": (0, 5),
    "moody": (0,),
}


LONG_GAMES = ("careful", "joiner", "leveller", "sprawler", "closer")  # they take the longest


@pytest.mark.parametrize("style", long_unless(lambda style: style not in LONG_GAMES, STYLES))
def test_the_rules_and_the_books_agree_on_whole_games(style: str) -> None:
    seen = seen_in(games_of(style), RARE[style], FIRST[style])
    assert seen >= RARE[style], f"never seen: {RARE[style] - seen}"
