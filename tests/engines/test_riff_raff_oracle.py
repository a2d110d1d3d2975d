"""The rules of Riff Raff compared with the robots' books in random games, after every input.

The books are an independent model: ``sim.robots.riff_raff.books`` decides what is legal, what
follows and who wins. The rules get only the inputs that a table would give them. A difference is
reported with the inputs that lead to it.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from random import Random
from typing import Final

import pytest

from engines.common.contract import (
    Ask,
    Button,
    Input,
    Message,
    OptionValue,
    Press,
    PressAsk,
    Seat,
    Sensor,
    Tap,
)
from engines.common.errors import Fact, RulesError
from engines.common.pieces import Piece
from engines.riff_raff import GAME
from firmware.boxes.decks import load_deck
from sim.robots.contract import RobotAct, Ruling, SeededDeal
from sim.robots.riff_raff.adapter import ROBOTS, RiffRaff, act_of
from sim.robots.riff_raff.books import (
    COLOURS,
    NUMBERS,
    YARDS,
    Hearsay,
    RiffRaffAsk,
    RiffRaffBooks,
    RiffRaffHouseRules,
    RiffRaffMove,
    RiffRaffVerb,
    set_of,
)
from sim.robots.riff_raff.styles import STYLES
from tests.effort import Games, seen_in
from tests.engines.oracle import Comparison

OK, ACTION = Press(Button.OK), Press(Button.ACTION)
DONE = PressAsk(Button.OK, "done")
LOADING: tuple[Ask, ...] = (
    PressAsk(Button.OK, "holds"),
    PressAsk(Button.ACTION, "fell", sensor=Sensor.TILT),
)
BOX_SPOT = "box"
ALL_PIECES = [piece for colour in COLOURS for piece in set_of(colour)]
DECK: Final = load_deck(GAME)

PLAYERS = (2, 3, 4)
HOUSES = {
    "printed": RiffRaffHouseRules(),
    "tagged": RiffRaffHouseRules(is_tagged=True),
    "ours": RiffRaffHouseRules(names_himself=False, placed_returns=False),
    "tagged ours": RiffRaffHouseRules(is_tagged=True, names_himself=False, placed_returns=False),
}
MORE_GAMES = {"mimics": 2}  # factor for the style with the rarest events
GAMES_EACH = {"printed": 2, "tagged": 1, "ours": 1, "tagged ours": 1}

TAGGED = (RiffRaffAsk.PIECE, RiffRaffAsk.SAVED, RiffRaffAsk.LOST)  # answered by tapping pieces
LOADERS = (  # questions about the loading player
    *(
        RiffRaffAsk.HOLDS,
        RiffRaffAsk.HOW_MANY,
        RiffRaffAsk.LOADED,
        RiffRaffAsk.FALLEN,
        RiffRaffAsk.CAUGHT,
    ),
    *(RiffRaffAsk.WHICH, RiffRaffAsk.WHICH_FELL),
    *TAGGED,
)
TELLS = {  # the events that are compared, with the names of their facts
    "take-cargo": ("n",),
    "show-colour": ("seat",),
    "plays-with": ("seat", "colour"),
    "round-begins": ("round",),
    "reveals": ("seat", "number"),
    "tied": ("seat", "number"),
    "captain": ("seat",),
    "who-is-next": ("seat", "number"),
    "is-next": ("seat",),
    "loads": ("seat", "area"),
    "look": ("area",),
    "one-or-two": (),
    "announces": ("seat", "n"),
    "holds": ("seat", "n"),
    "second-piece": (),
    "overboard": (),
    "load-on": (),
    "placed-returns": ("seat",),
    "leave": ("seat", "n"),
    "takes": ("seat", "n"),
    "has": ("seat", "n"),
    "all-loaded": ("seat",),
    "cards-back": (),
    "all-played": (),
    "winner": ("seat",),
    "shared-win": ("seat",),
}
ROWS = ((1, "9 10"), (1, "7 8"), (1, "5 6"), (0, "1 2 3 4"))  # map rows: first column, areas
MAP = {
    (first + n, row): mark
    for row, (first, marks) in enumerate(ROWS)
    for n, mark in enumerate(marks.split())
}


class RiffRaffComparison(Comparison):
    """A game of Riff Raff on the rules, compared with the robots' books.

    Also compared are texts, buttons, the map, and the number of pieces in each area of the ship.
    """

    def __init__(self, style: str, players: int, house: str, seed: int) -> None:
        name = f"play({style!r}, {players}, {house!r}, {seed})"
        oldest = Random(name).randrange(players)
        deal = SeededDeal(players, oldest, seed, options_of(HOUSES[house]))
        super().__init__(GAME, ROBOTS, deal, style, DECK, name)

    @property
    def kept(self) -> RiffRaffBooks:
        """The adapter's books: the independent model of the game."""
        assert isinstance(self.books, RiffRaff)
        return self.books.books

    def compare_step(self, act: RobotAct) -> None:
        super().compare_step(act)
        self.same("news", self.kept.news, self.news())
        self.compare_words()
        self.compare_areas()
        if self.kept.asked in LOADERS:
            self.compare_map()
        self.compare_labels()

    def compare_answer(self, given: Input) -> Ruling | None:
        expected = super().compare_answer(given)
        if expected == Ruling("only-one-piece"):
            with pytest.raises(RulesError) as refused:
                GAME.step(self.rules.state, given)
            why = refused.value.facts["why"]
            self.same(f"two are forbidden by {why}", True, why in self.why_one())
        return expected

    def compare_labels(self) -> None:
        """Check that the rules ask for the button presses that the books expect, with their labels.

        A tilt sensor may replace the press that says that cargo fell.
        """
        asked = {ask for ask in self.asks if isinstance(ask, PressAsk)}
        expected = {
            RiffRaffAsk.LOADED: set(LOADING),
            RiffRaffAsk.SAVED: {DONE},
            RiffRaffAsk.LOST: {DONE},
        }
        self.same("buttons", expected.get(self.kept.asked, set()), asked)

    def said(self) -> dict[str, int]:
        """Return the numbers that the books expect in the spoken headline, by fact name."""
        books = self.kept
        if books.asked in LOADERS:
            return {"area": books.area}
        return {"round": books.rounds} if books.asked is RiffRaffAsk.CARD else {}

    def hinted(self) -> dict[str, int]:
        """Return the numbers and seats that the books expect in the hint, by fact name."""
        books = self.kept
        waiting = books.hiding()
        saved = [piece for piece in books.shown if piece in books.caught]
        match books.asked:
            case RiffRaffAsk.CARD:
                return {"n": len(waiting)} if len(waiting) > 1 else {"seat": waiting[0]}
            case RiffRaffAsk.CAPTAIN | RiffRaffAsk.NEXT:
                return {"seat": books.captain}
            case RiffRaffAsk.HOLDS:
                return {"area": books.area}
            case RiffRaffAsk.CAUGHT:
                return {"n": len(books.fallen)}
            case RiffRaffAsk.SAVED:
                return {"n": len(saved)}
            case RiffRaffAsk.LOST:
                return {"n": len(books.shown) - len(saved)}
            case _:
                return {}

    def why_one(self) -> set[str]:
        """Return all reasons why only one piece may be loaded, from the true state of the ship."""
        books = self.kept
        reasons = {"deck": books.area not in YARDS, "last": len(books.stock) == 1}
        reasons["empty"] = not books.lying_in(books.area)
        return {reason for reason, holds in reasons.items() if holds}

    def compare_words(self) -> None:
        """Check that headline, hint and caption have the numbers that the books expect."""
        books, view = self.kept, self.view
        self.same("headline, as said", self.said(), dict(view.spoken.facts) if view.spoken else {})
        for fact, value in self.hinted().items():
            self.same(f"{fact} in the hint", value, view.hint.facts.get(fact))
        if books.asked in (RiffRaffAsk.LOADED, RiffRaffAsk.PIECE) and books.announced == 2:
            facts = {"number": len(books.placed) + 1, "pieces": 2}
            self.same("caption", Message("piece-of", facts), view.caption)
        elif books.asked is RiffRaffAsk.CARD:
            caption = "of-rounds" if books.passes == 1 else "of-rounds-again"
            self.same("caption", Message(caption, {"rounds": len(NUMBERS)}), view.caption)

    def compare_map(self) -> None:
        """Check that the map shows the view's count or bounds of each area.

        The highlighted area must be the one that the books say is being loaded.
        """
        view = self.view
        assert view.grid is not None
        places = {(cell.place.column, cell.place.row): cell.mark for cell in view.grid.cells}
        self.same("areas of the map", MAP, places)
        for cell in view.grid.cells:
            least, most = (view.counts[f"{word}-{cell.mark}"] for word in ("area", "most"))
            tally = f"{least}" if least == most else f"{least}-{most}"
            self.same(f"tally of area {cell.mark}", tally if most else "", cell.tally)
            self.same(f"area {cell.mark} is lit", int(cell.mark) == self.kept.area, cell.is_lit)
            if cell.is_lit:
                self.same("focus of the map", cell.place, view.grid.focus)

    def compare_areas(self) -> None:
        """Check each area's bounds in the view: the books' number of pieces must be within them.

        The view must have these bounds and the counts that the books expect, and no other counts.
        """
        books, counts = self.kept, self.view.counts
        known = [f"{word}-{n}" for word in ("area", "most") for n in NUMBERS]
        self.same("counts", set(self.books.expected.counts) | set(known), set(counts))
        for area in NUMBERS:
            is_between = (
                counts[f"area-{area}"] <= len(books.lying_in(area)) <= counts[f"most-{area}"]
            )
            self.same(f"area {area} holds what it can hold", True, is_between)

    def news(self) -> list[tuple[Fact, ...]]:
        return told(self.events)


def told(events: Iterable[Message]) -> list[tuple[Fact, ...]]:
    """Return the code and facts of those *events* that TELLS names."""
    return [
        (event.code, *(event.facts[fact] for fact in TELLS[event.code]))
        for event in events
        if event.code in TELLS
    ]


def options_of(house: RiffRaffHouseRules) -> dict[str, OptionValue]:
    """Return those house rules in *house* that differ from the defaults, as options of the game."""
    options: dict[str, OptionValue] = {}
    if house.is_tagged:
        options["tagged-cargo"] = True
    if not house.names_himself:
        options["captain-names-himself"] = False
    if not house.placed_returns:
        options["placed-returns"] = False
    return options


def play(style: str, players: int, house: str, seed: int) -> frozenset[str]:
    """Play a game, check that rules and books agree, and return the names of its rare events.

    *style* is that of all robots; *house* is a key of HOUSES.
    """
    game = RiffRaffComparison(style, players, house, seed)
    pieces = len(game.kept.stocks[0])
    game.same(
        "news", [("take-cargo", pieces), ("show-colour", 0)], told(GAME.opening(game.rules.state))
    )
    game.play()
    return frozenset(game.kept.happened)


def games_of(style: str) -> Games:
    """Return a function for each game of *style*; it calls ``play`` for that game."""
    return [
        partial(play, style, players, house, seed)
        for players in PLAYERS
        for house, games in GAMES_EACH.items()
        for seed in range(games * MORE_GAMES.get(style, 1))
    ]


# --- the tests -----------------------------------------------------------------------------------


def test_players_cards_and_pieces_are_those_of_the_books() -> None:
    assert tuple(GAME.seats) == PLAYERS
    cards = [f"{colour}-{number}" for colour in COLOURS for number in NUMBERS]
    assert sorted(map(str, DECK.pieces())) == sorted(f"{kind}#1" for kind in cards + ALL_PIECES)
    for card in cards:
        assert DECK.by_name[card].value == int(card.split("-")[1])


EMPTY_SHIP: Mapping[str, int] = {}
TWO_ABOARD = {"red-rat": 5, "red-boat": 1}


def begun(
    *cards: int, house: RiffRaffHouseRules = HOUSES["printed"], ship: Mapping[str, int] = EMPTY_SHIP
) -> RiffRaffBooks:
    """Return the books of a game whose players have revealed *cards* in the first round.

    *ship* gives the area of each piece on the ship. Seat 0 is the oldest player.
    """
    books = RiffRaffBooks(len(cards), 0, house, Random("begun"))
    for stock in books.stocks:
        stock[:] = [piece for piece in stock if piece not in ship]
    books.ship.update(ship)
    books.hearsay.know([len(books.lying_in(area)) for area in NUMBERS])
    for seat, colour in enumerate(COLOURS[: min(3, len(cards))]):
        books.do(RiffRaffMove(RiffRaffVerb.SHOW, seat, colour=colour))
    for seat, card in enumerate(cards):
        books.do(RiffRaffMove(RiffRaffVerb.REVEAL, seat, card))
    return books


@pytest.mark.parametrize(
    ("fallen", "caught", "stock", "removed"),
    [
        ("*", "", 0, 0),
        ("*", "*", 0, 0),
        ("* red-rat", "*", 1, 0),
        ("* red-rat", "red-rat", 0, 1),
        ("* red-rat", "* red-rat", -1, 2),
        ("* red-rat red-boat", "* red-boat", 0, 2),
        ("* red-rat red-boat", "", 2, 0),
        ("red-rat", "", 0, 0),
        ("red-rat", "red-rat", -1, 1),
        ("red-rat red-boat", "red-boat", 0, 1),
    ],
)
def test_the_books_know_what_catching_does(
    fallen: str, caught: str, stock: int, removed: int
) -> None:
    """In *fallen* and *caught*, a star is the piece just placed; the others were on the ship.

    *stock* is the expected change in the player's number of pieces, *removed* the expected number
    of pieces that leave the game.
    """
    books = begun(9, 3, house=RiffRaffHouseRules(is_tagged=True), ship=TWO_ABOARD)
    piece, before = books.stock[0], books.sizes()
    fell, saved = (tuple(text.replace("*", piece).split()) for text in (fallen, caught))
    books.do(RiffRaffMove(RiffRaffVerb.TAKE, 0, piece=piece))
    books.do(RiffRaffMove(RiffRaffVerb.FALL, 0, piece=piece, fallen=fell, caught=saved))
    while books.asked in (RiffRaffAsk.SAVED, RiffRaffAsk.LOST):
        books.do(books.legal_moves()[0])
    assert books.turn == 1
    assert books.sizes() == [before[0] + stock, before[1]]
    assert len(books.removed) == removed
    assert len(books.ship) == len(TWO_ABOARD) - stock - removed
    assert books.pieces_in_play() == 32


@pytest.mark.parametrize(
    ("cards", "ship", "asked"),
    [
        ((9, 3), {"red-rat": 9}, RiffRaffAsk.HOW_MANY),
        ((9, 3), {"red-rat": 10}, RiffRaffAsk.LOADED),
        ((4, 3), {"red-rat": 4}, RiffRaffAsk.LOADED),
        ((5, 3), {"red-rat": 5, "red-boat": 5}, RiffRaffAsk.HOW_MANY),
        ((9, 9), {}, RiffRaffAsk.CAPTAIN),
        ((3, 9, 3), {}, RiffRaffAsk.NEXT),
        ((3, 9, 9), {}, RiffRaffAsk.CAPTAIN),
    ],
)
def test_the_books_know_what_to_ask(
    cards: tuple[int, ...], ship: dict[str, int], asked: RiffRaffAsk
) -> None:
    assert begun(*cards, ship=ship).asked is asked


def test_the_books_know_the_order_of_play() -> None:
    books = begun(3, 9, 3, 9)
    assert (books.asked, books.captain, books.tied) == (RiffRaffAsk.CAPTAIN, 0, [1, 3])
    books.do(RiffRaffMove(RiffRaffVerb.NAME, 0, seat=3))
    assert (books.asked, books.captain, books.tied) == (RiffRaffAsk.NEXT, 3, [0, 2])
    books.do(RiffRaffMove(RiffRaffVerb.NAME, 3, seat=2))
    assert books.order == [3, 1, 2, 0]


def test_hearsay_knows_what_follows_and_no_more() -> None:
    heard = Hearsay()
    for area in (5, 5, 6):
        heard.loaded(area)
    heard.fell(1)
    assert [(heard.least(a), heard.most(a)) for a in (5, 6, 7)] == [(1, 2), (0, 1), (0, 0)]
    heard.looked(6, is_held=True)
    assert [(heard.least(a), heard.most(a)) for a in (5, 6)] == [(1, 1), (1, 1)]
    heard.fell(2)
    assert (heard.cargo, heard.losses) == (0, {0})


class Scene(RiffRaffComparison):
    """A comparison of rules and books in a game of two, whose moves the test gives.

    The two players must never reveal the same number.
    """

    def __init__(self) -> None:
        super().__init__("random", 2, "printed", 0)
        for seat, colour in enumerate(COLOURS[:2]):
            shown = RiffRaffMove(RiffRaffVerb.SHOW, seat, colour=colour)
            self.do(RobotAct(seat, Tap(Piece(f"{colour}-1"), seat=Seat(seat)), shown))

    def play_acts(self, acts: Iterable[RiffRaffMove]) -> None:
        for act in acts:
            assert isinstance(self.books, RiffRaff)
            given = act_of(self.books, act, self.chance)._replace(move=act)
            self.do(given)
            self.compare_step(given)

    def reveal(self, *cards: int) -> None:
        self.play_acts(
            RiffRaffMove(RiffRaffVerb.REVEAL, seat, card) for seat, card in enumerate(cards)
        )

    def load(self) -> None:
        """Let the current player load one piece, which stays on the ship."""
        books = self.kept
        if books.asked is RiffRaffAsk.HOW_MANY:
            self.play_acts([RiffRaffMove(RiffRaffVerb.ANNOUNCE, books.turn, 1)])
        self.play_acts([RiffRaffMove(RiffRaffVerb.HOLD, books.turn, piece=books.stock[0])])

    def lose(self, area: int) -> None:
        """Let the current player load a piece; another piece falls from *area* and is caught."""
        books = self.kept
        fallen = (books.lying_in(area)[0],)
        piece = books.stock[0]
        self.play_acts(
            [RiffRaffMove(RiffRaffVerb.FALL, books.turn, piece=piece, fallen=fallen, caught=fallen)]
        )
        while books.asked in (RiffRaffAsk.FALLEN, RiffRaffAsk.CAUGHT, RiffRaffAsk.WHICH):
            self.play_acts(books.legal_moves())


def test_what_follows_from_several_falls_together_is_not_asked() -> None:
    """The game does not ask whether area 8 is empty before its player loads.

    That follows only from all falls together, not from bounds for single areas.
    """
    scene = Scene()
    for cards in ((5, 6), (6, 5)):
        scene.reveal(*cards)
        scene.load()
        scene.load()
    scene.reveal(7, 8)
    scene.lose(5)  # while loading 8; 5 and 6 now have three pieces between them
    scene.load()
    scene.reveal(10, 1)
    scene.load()
    scene.lose(8)  # while loading 1
    scene.reveal(8, 7)
    assert (scene.kept.area, scene.kept.asked) == (8, RiffRaffAsk.HOLDS)
    scene.play_acts(scene.kept.legal_moves())  # 8 is empty, so no piece fell from 7
    scene.load()
    assert (scene.kept.area, scene.kept.asked) == (7, RiffRaffAsk.HOW_MANY)


RARE = {
    "greedy": {"two announced", "cargo falls with piece 2 of 2"},
    "random": {
        *("asked of a yardarm: a piece", "asked of a yardarm: empty", "second pass"),
        *("known though cargo fell: a piece", "known though cargo fell: empty"),
        *("caught another", "caught nothing", "the piece placed held when others fell"),
    },
    "careful": {"two would be allowed with more than one piece", "won in the middle of a round"},
    "steady": {"won at once", "two announced", "one announced where two are allowed"},
    "clumsy": {
        "asked which one fell",
        "everything fell",
        "fewest pieces",
        "the only piece is caught",
        "shared win",
    },
    "nimble": {"won with cargo falling", "caught others", "caught the piece placed and others"},
    "single": {
        *("cargo falls with piece 1 of 2", "cargo falls with piece 2 of 2"),
        *("caught only the piece placed", "caught only the piece placed, and others fell"),
    },
    "mimics": {
        *(f"tie of {number} for captain" for number in (2, 3, 4)),
        *("tie of 2 behind a tied captain", "tie of 3 behind a tied captain"),
        *("tie of 2 further down", "tie of 3 further down", "tie for captain in the first round"),
        *("a tied captain names himself", "a tied captain names another"),
        *("a captain names one of others", "caught only the first of two"),
    },
    "climbers": {"the last piece was placed in vain", "caught only the first of two"},
}


# Games that show what is rare: python -m tests.engines.first_games prints them.
FIRST: dict[str, tuple[int, ...]] = {
    "greedy": (2,),
    "random": (1,),
    "careful": (12,),
    "steady": (2,),
    "clumsy": (3, 5),
    "nimble": (2,),
    "single": (2, 12),
    "mimics": (24, 5),
    "climbers": (12, 6),
}


@pytest.mark.parametrize("style", STYLES)
def test_the_rules_and_the_books_agree_on_whole_games(style: str) -> None:
    seen = seen_in(games_of(style), RARE[style], FIRST[style])
    assert seen >= RARE[style], f"never seen: {RARE[style] - seen}"
