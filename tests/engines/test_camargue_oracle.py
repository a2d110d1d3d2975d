"""The referee of Camargue against a second opinion: whole games at random, compared at every act.

Room: tests/engines. ``sim.robots.camargue.books`` says what is legal, what it leads to and who
wins what; the referee gets only what a table would give it. A difference prints how to play that
game again.
"""

import dataclasses
from functools import cache
from random import Random
from typing import Final

import pytest

from engines.camargue import GAME
from engines.common.contract import (
    PLAY_SPOT,
    SEAT_SPOTS,
    Button,
    Choice,
    ChoiceAsk,
    Direction,
    Input,
    Message,
    Number,
    OptionValue,
    PlaceAsk,
    PlaceChoice,
    Press,
    PressAsk,
    Seat,
    SeatAsk,
    SeatChoice,
    Setup,
    Tap,
    TapAsk,
    View,
)
from engines.common.errors import RulesError
from engines.common.grid import Place
from engines.common.pieces import Deck, Piece
from firmware.decks import load_deck
from sim.robots.camargue.books import (
    ACROSS,
    CONTINUES_NOTHING,
    CUTS_OFF,
    EMERGENCY,
    HELPER_POINTS,
    MIXTURES,
    OCCUPIED,
    TOUCHES_NOTHING,
    Act,
    Asked,
    CamargueBooks,
    House,
    Spot,
    Verb,
    box,
    helps,
    is_helper,
    kind_of,
    mixed,
    paths_of,
)
from sim.robots.camargue.robots import REFUSALS
from sim.robots.camargue.styles import STYLES

OK, ACTION = Press(Button.OK), Press(Button.ACTION)
NOTHING_FITS, PUT_ASIDE, NEVER_MIND = (
    PressAsk(Button.ACTION, label) for label in ("nothing-fits", "put-aside", "drop-claim")
)
DECK: Final = load_deck(GAME)

PLAYERS = (2, 3, 4, 5, 6)
HOUSES: dict[str, tuple[House, dict[str, OptionValue]]] = {
    "as printed": (House(), {}),
    "no hints": (House(), {"no-hints": True}),
    "dead ends": (House(cuts_both_ways=False), {"no-dead-ends": False}),
    "start is nothing": (House(start_is_an_edge=False), {"start-counts": False}),
    "three to copy": (House(copy_needs_three=True), {"three-to-copy": True}),
    "emergencies stand": (House(emergency_turns=False), {"turn-emergency": False}),
    "one emergency": (House(emergencies=1), {}),
    "no emergency": (House(emergencies=0), {}),
}
MIXED_FOR = {  # the styles that see most of what is rare when the tiles are mixed so
    "closer": ("few ends early",),
    "greedy": ("by landscape", "helpers early"),
    "joiner": ("helpers early", "helpers late"),
    "saver": ("helpers late", "by landscape"),
}
SEED = 12  # one that sees all of RARE
ASKS_COMPARED = 0.05  # the part of all acts after which all that may be tapped is compared
WRONG_TRIED = 0.15  # the part of all acts before which much that is wrong is tried

TURNS = ("turn", "aside-and-draw", "aside-only")
UNASKED: tuple[Input, ...] = (Number(1), Choice("lizard"), SeatChoice(Seat(6)), OK)


# --- a game kept twice ---------------------------------------------------------------------------


class TwiceKept:
    """One game, played on the referee and in the books."""

    def __init__(self, style: str, mixture: str, house: str, players: int, seed: int) -> None:
        self.name = f"play({style!r}, {mixture!r}, {house!r}, {players}, {seed})"
        self.chance = Random(self.name)
        dealer = self.chance.randrange(players)
        self.style = STYLES[style]
        self.house, options = HOUSES[house]
        first = (dealer + 1) % players
        self.books = CamargueBooks(players, first, mixed(mixture, self.chance), self.house)
        hands = [f"seat {s} holds {' '.join(hand)}" for s, hand in enumerate(self.books.hands)]
        self.history = [f"{players} players, seat {first} begins, {house}", *hands]
        self.acts = 0
        self.is_seat_open = False  # whether the mat could not tell who tapped last
        self.shown = ("0", "caption.begin")  # the last play's headline and caption
        self.last: Spot = (0, 0)
        self.is_no_hints = options.get("no-hints") is True
        self.state = GAME.start(Setup(players, Seat(dealer), deck_of(self.house), options))
        self.view: View = GAME.view(self.state)
        self.events: tuple[Message, ...] = ()
        self.is_foul = False

    def play(self) -> None:
        """Play the game to its end."""
        self.compare()
        while self.books.asked is not Asked.NOTHING:
            if self.chance.random() < WRONG_TRIED:
                self.try_what_is_wrong()
            act = self.style(self.books, self.chance)
            self.history.append(str(act))
            DO[act.verb](self, act)
            self.compare()
            self.compare_turn_told(act)
        self.compare_end()

    # -- acts

    def place(self, act: Act) -> None:
        books = self.books
        assert act.spot is not None
        if books.asked is not Asked.FOUND:
            self.tap(act)
            self.same("where it is to go, as told", ["where-to"], self.codes())
        self.compare_kept("place")
        worth = {spot: books.worth(act.tile, spot) for spot in books.spots(act.tile)}
        self.compare_places(worth)
        self.try_wrong_places(act.tile, worth)
        area, edges = worth[act.spot]
        points = area * edges
        was_pile = bool(books.pile)
        books.do(act)
        self.give(PlaceChoice(Place(*act.spot)))
        self.same("points, as told", [(area, edges, points)], self.told("scores", *AREA))
        self.same("scored", points, books.gained)
        is_last_drawn = was_pile and not books.pile
        self.same("the last was drawn, as told", is_last_drawn, "piles-empty" in self.codes())
        self.last, self.shown = act.spot, (str(points), "caption.area")
        if not books.winners:
            self.same("area and edges shown", (area, edges), facts(self.view.caption, *AREA[:2]))

    def discard(self, act: Act) -> None:
        self.tap(act)
        self.answer_whose(act)
        was_pile = bool(self.books.pile)
        self.books.do(act)
        told = [(act.player, HELPER_POINTS)]
        self.same("helper, as told", told, self.told("discards", "seat", "n"))
        is_last_drawn = was_pile and not self.books.pile
        self.same("the last was drawn, as told", is_last_drawn, "piles-empty" in self.codes())
        self.shown = (str(HELPER_POINTS), "caption.helper")

    def copy(self, act: Act) -> None:
        self.tap(act)
        self.answer_whose(act)
        assert self.books.placed is not None
        points = self.books.placed.points
        self.books.do(act)
        told = [(act.player, points)]
        self.same("helper, as told", told, self.told("copies", "seat", "n"))
        self.shown = (str(points), "caption.copied")

    def put_aside(self, act: Act) -> None:
        self.books.do(act)
        self.give(ACTION)
        self.shown = ("0", "caption.put-aside")

    def claim(self, act: Act) -> None:
        """Show the hand, tile by tile; the first that fits ends it."""
        books, hand, seat = self.books, list(self.books.hand), Seat(self.books.turn)
        self.give(ACTION)
        if self.chance.random() < 0.3:
            self.drop_claim(self.chance.randrange(len(hand)))
            self.give(ACTION)
        for n, tile in enumerate(hand):
            self.compare_kept("claim", (str(len(hand) - n), "caption.to-go"))
            self.compare_claim(hand[:n])
            self.try_wrong_showing(hand[:n])
            self.give(self.tap_of(tile, seat))
            if books.spots(tile):
                break
            left = len(hand) - n - 1
            if left:
                self.same("tiles to go, as told", [(left,)], self.told("fits-not", "n"))
        books.do(act)
        self.same("it is a foul", books.asked is Asked.FOUND, self.is_foul)
        if books.asked is Asked.FOUND:
            self.check_named_place(books.found[0])
        elif books.asked is Asked.EMERGENCY:
            self.shown = ("0", "caption.emergency")
            self.compare_kept("emergency")
        else:
            self.same("who passes, as told", [(seat,)], self.told("no-emergency-tile", "seat"))
            self.shown = ("0", "caption.pass")

    def drop_claim(self, shown: int) -> None:
        """Show so many tiles that do not fit, and think better of it."""
        seat = Seat(self.books.turn)
        for tile in self.books.hand[:shown]:
            if self.books.spots(tile):
                break
            self.give(self.tap_of(tile, seat))
        self.give(ACTION)
        self.compare()

    def add(self, act: Act) -> None:
        """Take an emergency tile and place it."""
        books = self.books
        assert act.spot is not None
        asks = set(GAME.asks(self.state))
        asked = TapAsk(frozenset({EMERGENCY}), (Seat(books.turn),), spots_of(books.turn))
        self.same("asks", {asked}, asks)
        self.refused(ACTION, "not-expected-now")
        landscape = Piece.parse(self.chance.choice(books.hand))
        self.refused(Tap(landscape), "not-expected-now")
        self.tap(act)
        self.compare_kept("place")
        places = books.emergency_spots()
        (ask,) = GAME.asks(self.state)
        assert isinstance(ask, PlaceAsk)
        offered = {spot_of(offer.place): facts(offer.caption, "side") for offer in ask.offers}
        self.same("places", {spot: (side,) for spot, side in places.items()}, offered)
        self.same("captions", {"caption.blank"}, {offer.caption.code for offer in ask.offers})
        self.same("number of offers", len(places), len(ask.offers))
        for spot in self.chance.sample(sorted(set(self.wide_spots()) - set(places)), 3):
            broken = {reason for side in ACROSS for reason in books.why_no_emergency(spot, side)}
            codes = [REFUSALS.get(reason, "no-place-for-emergency") for reason in broken]
            self.refused(PlaceChoice(Place(*spot)), *codes)
        books.do(act)
        self.give(PlaceChoice(Place(*act.spot)))
        self.same("goes on, as told", [(books.turn,)], self.told("goes-on", "seat"))
        self.last = act.spot

    # -- whose helper, and what for

    def answer_whose(self, act: Act) -> None:
        """Say whose the helper is and what for, where the referee cannot know."""
        books = self.books
        if self.is_seat_open:
            users = set(books.users(act.tile))
            if len(users) > 1:
                self.compare_kept("whose")
                self.same("asks whose", [users], self.asked_seats())
                self.same("asks", 1, len(GAME.asks(self.state)))
                self.refused(ACTION, "not-expected-now")
                self.refused(Tap(Piece.parse(act.tile)), "not-expected-now")
                self.give(SeatChoice(Seat(act.player)))
            else:
                self.same("the only one who could", {act.player}, users)
        if act.player == books.turn and books.may_copy(act.player, act.tile):
            assert books.placed is not None
            self.compare_kept("copy-or-turn")
            self.refused(ACTION, "not-expected-now")
            (ask,) = GAME.asks(self.state)
            assert isinstance(ask, ChoiceAsk)
            self.same("choices", {"copy", "turn"}, set(ask.names))
            if books.placed.points != HELPER_POINTS:
                best = "copy" if books.placed.points > HELPER_POINTS else "turn"
                self.same("the better choice", best, ask.names[0])
            self.give(Choice("copy" if act.verb is Verb.COPY else "turn"))

    # -- what is wrong

    def try_what_is_wrong(self) -> None:
        """Some of all that changes nothing."""
        books, chance = self.books, self.chance
        if books.asked not in (Asked.TURN, Asked.ASIDE):
            return
        for given in (*UNASKED, PlaceChoice(Place(*chance.choice(self.wide_spots())))):
            self.refused(given, "not-expected-now")
        self.refused(Tap(Piece("arthur")), "not-in-this-game")
        self.refused(Tap(Piece(EMERGENCY, 6)), "not-in-this-game")
        held = Piece.parse(chance.choice([*books.hand, *books.pile, *filter(None, books.front)]))
        self.refused(Tap(held, "box"), "not-expected-now")
        lying = [*books.board.values(), *books.aside, *filter(None, books.front)]
        tapper = chance.choice((None, Seat(books.turn)))
        self.refused(Tap(Piece.parse(chance.choice(lying)), seat=tapper), "already-played")
        if books.emergencies:
            self.refused(Tap(Piece.parse(books.emergencies[0]), seat=tapper), "no-emergency")
        for tile in books.hand:
            if books.asked is Asked.ASIDE:
                could_be_others = is_helper(tile) and books.placed is not None
                seat = Seat(books.turn) if could_be_others else tapper
                self.refused(Tap(Piece.parse(tile), seat=seat), "helper-in-front")
            elif not is_helper(tile) and not books.spots(tile):
                books.note("tapped what fits nowhere")
                self.refused(Tap(Piece.parse(tile), seat=tapper), "fits-nowhere")
        for stranger in (Seat(n) for n in range(books.players) if n != books.turn):
            for tile in books.hands[stranger] or filter(is_helper, books.hand):
                self.try_stranger(stranger, tile)

    def try_stranger(self, seat: Seat, tile: str) -> None:
        """Tap what this player, whose turn it is not, may not play."""
        books = self.books
        tap = Tap(Piece.parse(tile), self.chance.choice((PLAY_SPOT, SEAT_SPOTS[seat])), seat)
        if not is_helper(tile):
            self.refused(tap, "not-your-turn")
        elif not books.may_copy(seat, tile):
            reasons = {REFUSALS[broken] for broken in books.why_no_copy(seat, tile)}
            books.happened |= {f"refused: {reason}" for reason in reasons}
            self.refused(tap, *reasons)

    def try_wrong_places(self, tile: str, worth: dict[Spot, tuple[int, int]]) -> None:
        if self.chance.random() > WRONG_TRIED:
            return
        for spot in self.chance.sample(sorted(set(self.wide_spots()) - set(worth)), 6):
            broken = self.books.why_not(tile, spot)
            codes = [REFUSALS[condition] for condition in broken]
            self.books.happened |= {f"refused: {code}" for code in codes}
            self.refused(PlaceChoice(Place(*spot)), *codes)
        self.refused(ACTION, "not-expected-now")
        for held in self.books.hand:
            self.refused(Tap(Piece.parse(held)), "not-expected-now")

    def try_wrong_showing(self, shown: list[str]) -> None:
        """While a hand is shown: tiles of others, of the board, shown before, and helpers."""
        if self.chance.random() > WRONG_TRIED:
            return
        books = self.books
        me = Seat(books.turn)
        for tile in [*shown, *books.board.values()][:2]:
            self.refused(Tap(Piece.parse(tile), seat=me), "already-played")
        for helper in [tile for tile in books.unseen() if is_helper(tile)][:1]:
            self.refused(Tap(Piece.parse(helper), seat=me), "helper-in-hand")
        for seat in range(books.players):
            if seat != me and books.hands[seat]:
                tap = Tap(Piece.parse(books.hands[seat][0]), seat=Seat(seat))
                self.refused(tap, "not-your-turn")
        self.refused(OK, "not-expected-now")
        if books.emergencies:
            self.refused(Tap(Piece.parse(books.emergencies[0])), "no-emergency")

    def wide_spots(self) -> list[Spot]:
        """The table, two steps farther than tiles lie."""
        spots = self.books.all_spots()
        columns, rows = ([spot[n] for spot in spots] for n in (0, 1))
        return [
            (column, row)
            for column in range(min(columns) - 1, max(columns) + 2)
            for row in range(min(rows) - 1, max(rows) + 2)
        ]

    # -- the referee

    def tap(self, act: Act) -> None:
        self.give(self.tap_of(act.tile, Seat(act.player)))

    def tap_of(self, tile: str, seat: Seat) -> Tap:
        """A tap by this player; the mat may know whose it is, or not."""
        self.is_seat_open = self.chance.random() < 0.5
        if self.is_seat_open:
            return Tap(Piece.parse(tile))
        return Tap(Piece.parse(tile), self.chance.choice(spots_of(seat)), seat)

    def give(self, given: Input) -> None:
        self.acts += 1
        try:
            step = GAME.step(self.state, given)
        except RulesError as error:
            self.differ(f"{given} is legal, but was refused: {error}")
        else:
            self.state, self.events, self.is_foul = step.state, step.events, step.is_foul
            self.view = GAME.view(self.state)

    def refused(self, given: Input, *codes: str) -> None:
        try:
            GAME.step(self.state, given)
        except RulesError as error:
            if error.code not in codes:
                self.differ(f"{given}: refused as {error.code}; the books say {codes}")
        else:
            self.differ(f"{given} was accepted; it must be refused: {codes}")

    def codes(self) -> list[str]:
        return [event.code for event in self.events]

    def told(self, code: str, *names: str) -> list[tuple[object, ...]]:
        """These facts of all that the last step told under this code."""
        return [facts(event, *names) for event in self.events if event.code == code]

    def asked_seats(self) -> list[set[Seat]]:
        return [set(ask.seats) for ask in GAME.asks(self.state) if isinstance(ask, SeatAsk)]

    # -- comparing

    def compare(self) -> None:
        """Everything a table is shown and asked for, when nothing is half done."""
        books, view = self.books, self.view
        phases = {Asked.FOUND: "place", Asked.EMERGENCY: "emergency", Asked.NOTHING: "over"}
        self.compare_kept(phases.get(books.asked, "play"))
        self.same("winners", books.winners, list(view.winners))
        self.same("it is over", books.asked is Asked.NOTHING, view.is_over)
        self.compare_board()
        if books.asked in (Asked.TURN, Asked.ASIDE):
            self.compare_asks()

    def compare_kept(self, phase: str, shown: tuple[str, str] | None = None) -> None:
        """What stands whatever is half done; *shown* is the headline just now, with its caption."""
        books, view = self.books, self.view
        headline, caption = shown or self.shown
        self.same("phase", phase, view.phase)
        self.same("scores", books.scores, list(view.scores))
        counts = {"pile": len(books.pile), "board": len(books.board), "out": len(books.out)}
        counts |= {"removed": len(books.aside), "emergency": len(books.emergencies)}
        for seat in range(books.players):
            counts[f"hand-{seat + 1}"] = len(books.hands[seat])
            counts[f"front-{seat + 1}"] = books.fronts()[seat]
        self.same("counts", counts, dict(view.counts))
        if books.asked is not Asked.NOTHING:
            self.same("turn", books.turn, view.turn)
            self.same("direction", Direction.CLOCKWISE, view.direction)
            self.same("shown", (headline, caption), (view.headline, view.caption.code))
            assert view.spoken is not None
            self.same("spoken", (int(headline),), facts(view.spoken, "n"))

    def compare_turn_told(self, act: Act) -> None:
        """Whose turn has begun, and whether it is one to put a helper aside in."""
        books = self.books
        code = "turn"
        if books.asked is Asked.ASIDE:
            code = "aside-and-draw" if books.pile else "aside-only"
        is_new = act.verb in (Verb.PLACE, Verb.DISCARD, Verb.ASIDE)
        is_new = is_new or (act.verb is Verb.COPY and act.player == books.turn)
        if is_new and books.asked is not Asked.NOTHING:
            told = [event for event in self.events if event.code in TURNS]
            self.same(
                "turn, as told", [(code, (books.turn,))], [(e.code, facts(e, "seat")) for e in told]
            )

    def compare_board(self) -> None:
        books, grid = self.books, self.view.grid
        assert grid is not None
        board = {
            spot: (kind_of(tile), set(books.paths[spot])) for spot, tile in books.board.items()
        }
        shown = {
            spot_of(cell.place): (cell.piece.kind, set(cell.paths))
            for cell in grid.cells
            if cell.piece is not None
        }
        self.same("board", board, shown)
        self.same("number of cells", len(board), len(grid.cells))
        self.same("focus", Place(*self.last), grid.focus)

    def compare_places(self, worth: dict[Spot, tuple[int, int]]) -> None:
        """All places for a tile, what they score, and which is offered first."""
        (ask,) = GAME.asks(self.state)
        assert isinstance(ask, PlaceAsk)
        offered = {spot_of(offer.place): facts(offer.caption, *AREA[:2]) for offer in ask.offers}
        self.same("places", worth, offered)
        self.same("number of offers", len(worth), len(ask.offers))
        for offer in ask.offers:
            area, edges = worth[spot_of(offer.place)]
            self.same("points offered", str(area * edges), offer.headline)
            self.same("caption", "caption.area", offer.caption.code)
            assert offer.spoken is not None
            spoken = facts(offer.spoken, *AREA)
            self.same("points offered, as told", (area, edges, area * edges), spoken)
        start = ask.offers[ask.start]
        if not self.is_no_hints:
            best = max(area * edges for area, edges in worth.values())
            self.same("points offered first", str(best), start.headline)
            rivals = [spot for spot, (area, edges) in worth.items() if area * edges == best]
        else:
            rivals = list(worth)
        nearest = min(self.distance(spot) for spot in rivals)
        self.same("nearest offered first", nearest, self.distance(spot_of(start.place)))
        steps = max(ask.start, len(worth) - 1 - ask.start)
        self.same("it is in the middle", len(worth) // 2, steps)

    def distance(self, spot: Spot) -> int:
        return abs(spot[0] - self.last[0]) + abs(spot[1] - self.last[1])

    def compare_asks(self) -> None:
        """All that may be tapped and pressed: kinds that nobody can hold are not asked for."""
        books, asks = self.books, GAME.asks(self.state)
        button = NOTHING_FITS if books.asked is Asked.TURN else PUT_ASIDE
        self.same("buttons", [button], [ask for ask in asks if isinstance(ask, PressAsk)])
        taps: dict[frozenset[int], TapAsk] = {
            frozenset(ask.seats): ask for ask in asks if isinstance(ask, TapAsk)
        }
        self.same("taps and buttons are all", len(taps) + 1, len(asks))
        hidden = {kind_of(tile): tile for tile in books.unseen()}
        me, others = frozenset({books.turn}), frozenset(self.joiners())
        expected = set[frozenset[int]]()
        if books.asked is Asked.TURN and me in taps:
            expected.add(me)
        elif books.asked is Asked.TURN:
            self.same("nothing is left to play", [], sorted(self.playable(hidden)))
        matching = {kind for kind in hidden if is_helper(kind) and self.matches(kind)}
        if others and matching:
            expected.add(others)
        self.same("who taps", expected, set(taps))
        for seats, ask in taps.items():
            spots = {PLAY_SPOT, *(SEAT_SPOTS[seat] for seat in seats)}
            self.same("spots", spots, set(ask.spots))
            self.same("fouls", frozenset(), ask.fouls)
        if others in taps:
            self.same("helpers that match", matching, taps[others].kinds)
        if me in taps and self.chance.random() < ASKS_COMPARED:
            self.same("kinds", [], sorted(taps[me].kinds ^ self.playable(hidden)))

    def joiners(self) -> list[int]:
        """Who may play a helper out of turn before somebody has one's turn."""
        books = self.books
        return [s for s in range(books.players) if s != books.turn and books.may_join(s)]

    def matches(self, helper: str) -> bool:
        placed = self.books.placed
        return placed is not None and helps(helper, placed.landscape)

    def playable(self, hidden: dict[str, str]) -> set[str]:
        """The kinds of these that can be played now."""
        books = self.books
        return {kind for kind, tile in hidden.items() if is_helper(tile) or books.spots(tile)}

    def compare_claim(self, shown: list[str]) -> None:
        """While a hand is shown: what fits is taken as a foul."""
        books, asks = self.books, GAME.asks(self.state)
        self.same("buttons", [NEVER_MIND], [ask for ask in asks if isinstance(ask, PressAsk)])
        (tap,) = (ask for ask in asks if isinstance(ask, TapAsk))
        self.same("who shows", (Seat(books.turn),), tap.seats)
        if self.chance.random() < ASKS_COMPARED:
            tiles = [tile for tile in books.unseen() if tile not in shown]
            hidden = {kind_of(tile): tile for tile in tiles if not is_helper(tile)}
            fitting = {kind for kind, tile in hidden.items() if books.spots(tile)}
            self.same("kinds that fit", [], sorted(tap.fouls ^ fitting))
            self.same("kinds that do not", [], sorted(tap.kinds ^ (set(hidden) - fitting)))

    def check_named_place(self, tile: str) -> None:
        """The place that the referee names for a tile which was said not to fit."""
        first = self.events[0]
        self.same("the tile that fits", Piece.parse(tile), first.facts["piece"])
        words = first.code.split("-")[1:]
        across, down = int(str(first.facts["columns"])), int(str(first.facts["rows"]))
        spot = -across if "left" in words else across, -down if "up" in words else down
        self.same("its place fits", set(), self.books.why_not(tile, spot))

    def compare_end(self) -> None:
        books, view = self.books, self.view
        self.same("asks", (), GAME.asks(self.state))
        self.same("turn", None, view.turn)
        self.same("headline", str(max(books.scores)), view.headline)
        totals = [(seat, points) for seat, points in enumerate(books.scores)]
        self.same("totals, as told", totals, sorted(self.told("total", "seat", "n")))
        code = "winner" if len(books.winners) == 1 else "shared-win"
        self.same("winners, as told", [(w,) for w in books.winners], self.told(code, "seat"))
        self.refused(ACTION, "not-expected-now")
        self.refused(OK, "not-expected-now")
        self.refused(Tap(Piece("forest-ne")), "not-expected-now")

    def same(self, what: str, books: object, referee: object) -> None:
        if books != referee:
            self.differ(f"{what}: the books say {books}, the referee says {referee}")

    def differ(self, what: str) -> None:
        raise AssertionError("\n  ".join([f"{what}\n{self.name}:", *self.history]))


DO = {
    Verb.PLACE: TwiceKept.place,
    Verb.DISCARD: TwiceKept.discard,
    Verb.COPY: TwiceKept.copy,
    Verb.ASIDE: TwiceKept.put_aside,
    Verb.CLAIM: TwiceKept.claim,
    Verb.ADD: TwiceKept.add,
}
AREA = ("tiles", "edges", "n")


def facts(message: Message, *names: str) -> tuple[object, ...]:
    return tuple(message.facts[name] for name in names)


def spot_of(place: Place) -> Spot:
    return place.column, place.row


def spots_of(seat: int) -> tuple[str, ...]:
    """Where a player's tiles are read."""
    return PLAY_SPOT, SEAT_SPOTS[seat]


def deck_of(house: House) -> Deck:
    """The deck file an owner with this box would write."""
    kinds = (
        dataclasses.replace(kind, count=house.emergencies) if kind.name == EMERGENCY else kind
        for kind in DECK.kinds
    )
    return dataclasses.replace(DECK, kinds=tuple(kind for kind in kinds if kind.count))


@cache
def play(style: str, mixture: str, house: str, players: int, seed: int) -> frozenset[str]:
    """Play one game twice over, and return the rare things that it saw."""
    game = TwiceKept(style, mixture, house, players, seed)
    game.play()
    return frozenset(game.books.happened)


def play_all(style: str) -> set[str]:
    """Play one game with each set of house rules, other mixtures and numbers of players in turn."""
    seen = set[str]()
    mixtures = MIXED_FOR.get(style, tuple(MIXTURES))
    for n, house in enumerate(HOUSES):
        mixture, players = mixtures[n % len(mixtures)], PLAYERS[n % len(PLAYERS)]
        seen |= play(style, mixture, house, players, SEED)
    return seen


# --- the tests -----------------------------------------------------------------------------------


def test_the_deck_file_holds_the_tiles_of_the_books() -> None:
    assert sorted(map(str, DECK.pieces())) == sorted(box())
    assert DECK.total == 80 + 10 + 1 + 5
    assert not DECK.is_verified


def laid(board: dict[Spot, str]) -> CamargueBooks:
    """Books with these tiles about the start tile."""
    books = CamargueBooks(2, 0, mixed("well", Random("laid")), House())
    for spot, tile in board.items():
        books.board[spot], books.paths[spot] = tile, paths_of(tile)
    return books


def test_the_books_know_the_points_of_a_single_tile() -> None:
    """The printed 1, and 1 x 2 for a tile between two neighbours of other landscapes."""
    assert laid({}).worth("lavender-ns", (0, -1)) == (1, 1)
    books = laid({(1, 0): "water-esw", (0, 1): "grain-new"})
    assert books.worth("forest-nw", (1, 1)) == (1, 2)


def test_the_books_know_the_printed_village() -> None:
    """Six villages, the tile included, times three edges are 18; and 96 and 18 are 114."""
    villages = {(1, 0): "esw", (2, 0): "sw", (3, 0): "es", (2, 1): "nes", (0, 1): "nes"}
    books = laid({spot: f"village-{paths}" for spot, paths in villages.items()})
    assert books.why_not("village-new", (1, 1)) == {CUTS_OFF}
    assert books.why_not("village-nw", (1, 1)) == set()
    assert books.worth("village-nw", (1, 1)) == (6, 3)
    books.score(0, 96)
    books.score(0, books.points("village-nw", (1, 1)))
    assert books.scores == [114, 0]


@pytest.mark.parametrize(
    ("tile", "spot", "broken"),
    [
        ("grain-ew", (0, 0), {OCCUPIED}),
        ("grain-nesw", (1, 1), {TOUCHES_NOTHING}),
        ("grain-ne", (-2, 0), set()),
        ("grain-ns", (-2, 0), {CUTS_OFF, CONTINUES_NOTHING}),  # an old path is cut off
        ("grain-nes", (-1, 1), {CUTS_OFF, CONTINUES_NOTHING}),  # its own path is
        ("grain-nes", (1, 0), {CUTS_OFF, CONTINUES_NOTHING}),
        ("grain-nesw", (0, 1), set()),
        ("grain-ew", (-1, 1), {CONTINUES_NOTHING}),  # blank to blank
    ],
)
def test_the_books_know_what_forbids_a_place(tile: str, spot: Spot, broken: set[str]) -> None:
    assert laid({(-1, 0): "forest-ew"}).why_not(tile, spot) == broken


def test_the_books_know_where_an_emergency_tile_goes() -> None:
    """At a blank edge, and where no second tile lies beside it, as one does at (1, -1)."""
    books = laid({(1, 0): "forest-ew", (2, 0): "forest-nw", (2, -1): "forest-es"})
    assert books.emergency_spots() == {(1, 1): "n", (2, 1): "n", (3, 0): "w", (2, -2): "s"}


CLAIMED_WRONGLY = {f"wrong claim, {n} fit" for n in (1, 2, 3)}
RARE = {
    "random": CLAIMED_WRONGLY
    | {"10 points rather than a copy", "an area of one with 4 edges", "tapped what fits nowhere"},
    "greedy": {"an area of twelve or more", "an area of one with 0 edges", "a hole filled"},
    "careful": {"2 areas joined", "copied before one's own turn"},
    "saver": {
        *("helpers in front: 5", "copied with fewer than three", "refused: fewer-than-three"),
        *("refused: helper-in-front", "copied with the last tile"),
    },
    "joiner": {
        *("helpers in front: 4", "copied before one's own turn", "over with a helper in front"),
        *("put aside with nothing to draw", "refused: no-match", "refused: own-tile"),
    },
    "doubter": CLAIMED_WRONGLY | {"3 areas joined", "right claim", "beside emergency"},
    "closer": {
        *("right claim", "the last emergency tile", "beside emergency"),
        *("stuck without an emergency tile", "nobody could play any more"),
    },
    "sprawler": {
        *("refused: occupied", "refused: touches-nothing"),
        *("refused: cuts-path", "refused: continues-no-path"),
    },
    "leveller": {"shared win", "2 areas joined"},
    "moody": CLAIMED_WRONGLY | {"the last tile drawn", "placed with nothing to draw"},
}


@pytest.mark.parametrize("style", STYLES)
def test_referee_and_books_agree_on_whole_games(style: str) -> None:
    seen = play_all(style)
    assert seen >= RARE[style], f"never seen: {RARE[style] - seen}"
