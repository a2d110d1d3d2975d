"""The rules of Cramel compared with the robots' books in random games, after every input.

The books are an independent model: they decide what is legal, what follows and who wins. The rules
get only the inputs that a table would give them. A difference is reported with the inputs that lead
to it.
"""

from collections import Counter
from functools import partial
from random import Random
from typing import Final

import pytest

from engines.common.contract import (
    Ask,
    Button,
    Input,
    OptionValue,
    Press,
    PressAsk,
    Seat,
    Setup,
    Tap,
    TapAsk,
)
from engines.common.pieces import Piece
from engines.cramel import GAME
from firmware.boxes.decks import load_deck
from sim.robots.contract import RobotAct, SeededDeal
from sim.robots.cramel.adapter import ROBOTS, Cramel
from sim.robots.cramel.books import (
    BLOOM,
    BOX,
    BY_BLOOM,
    BY_CRAMEL,
    CRAMEL,
    EL_EL,
    GOL,
    GOL_DOTS,
    HELENA,
    JANE,
    RING_BOX,
    ROBY,
    SQUARE,
    STOP,
    STYLES,
    CramelBooks,
    all_tiles,
    kind_of,
)
from tests.effort import Games, long_unless, seen_in
from tests.engines.oracle import Comparison

ACTION = Press(Button.ACTION)
DECK: Final = load_deck(GAME)

PLAYERS = (2, 3, 4, 5)
GAMES_EACH = 6
MORE_GAMES = {"leveller": 12}  # more games for the style with the rarest events


class CramelComparison(Comparison):
    """A game of Cramel on the rules, compared with the robots' books.

    Also compared are the rules' events and the tiles that the player would win by stopping.
    """

    @property
    def adapter(self) -> Cramel:
        """The robots' adapter for Cramel."""
        assert isinstance(self.books, Cramel)
        return self.books

    def do(self, act: RobotAct) -> None:
        books, player = self.adapter.books, self.adapter.actor
        before, won = self.on_table(), list(books.won[player])
        super().do(act)
        if act.given == ACTION:
            self.compare_stop(player, before, kinds(books.won[player]) - kinds(won))
        else:
            codes = [event.code for event in self.events]
            self.same("Bloom is announced", books.ended_by == BY_BLOOM, "bloom" in codes)
            self.same("the mixture is announced", books.ended_by == BY_CRAMEL, "mixed" in codes)
            self.same("Bloom may move", self.adapter.may_move, "bloom-may-move" in codes)

    def compare_stop(self, player: int, before: Counter[str], taken: Counter[str]) -> None:
        """Check that the rules gave *player* the tiles that the books expect, and reported them.

        *before* counts the tiles on the table before the stop, *taken* those that the books gave
        the player; both are by kind.
        """
        books = self.adapter.books
        taken.pop(BLOOM, None)  # Blooms are given at the end of the game
        self.same("kinds taken", taken, without_bloom(before - self.on_table()))
        self.same("taken, as told", taken, self.told_kinds("takes"))
        face_down = kinds(books.ended_open) - taken
        self.same("turned face down, as told", face_down, self.told_kinds("face-down"))
        takers = [event.facts["seat"] for event in self.events if event.code == "takes"]
        self.same("the player who takes them", [player] if taken else [], takers)

    def compare_step(self, act: RobotAct) -> None:
        super().compare_step(act)
        books, view = self.adapter.books, self.view
        self.same("counts", dict(self.books.expected.counts), dict(view.counts))
        won = sum(view.counts[f"won-{player + 1}"] for player in range(books.players))
        self.same("tiles in all", SQUARE, self.on_table().total() + won)
        if books.is_over:
            self.compare_end()
            return
        tap = TapAsk(
            frozenset(map(kind_of, books.hidden())),
            (Seat(books.turn),),
            ("play", f"seat-{books.turn + 1}"),
        )
        wins = sum(books.would_win().values()) if books.open else 0
        press = PressAsk(Button.ACTION, "stop", {"n": wins}, is_vain=not wins)
        stop: set[Ask] = {press} if books.open else set()
        self.same("asks", {tap, *stop}, set(self.asks))
        if books.open:
            stopped = GAME.view(GAME.step(self.rules.state, ACTION).state)
            after = Counter({kind: stopped.counts[kind] for kind in BOX})
            would_win = without_bloom(self.on_table() - after)
            self.same("kinds a stop would win", Counter(books.would_win()), would_win)

    def compare_end(self) -> None:
        books = self.adapter.books
        gets = [event.facts["seat"] for event in self.events if event.code == "most-cramels"]
        self.same("Bloom goes to", [s for s in [books.bloom_goes_to] if s is not None], gets)
        self.same("Blooms given", len(gets) * BOX[BLOOM], self.told_kinds("most-cramels")[BLOOM])
        self.same("Blooms left", 0 if gets else BOX[BLOOM], self.on_table().total())

    def on_table(self) -> Counter[str]:
        """Return the number of tiles of each kind on the table, from the rules' view."""
        return Counter({kind: self.view.counts[kind] for kind in BOX})

    def told_kinds(self, code: str) -> Counter[str]:
        """Return the number of pieces of each kind in the last step's events with this code."""
        told = Counter[str]()
        for event in self.events:
            pieces = event.facts["pieces"] if event.code == code else ()
            assert isinstance(pieces, tuple)
            told.update(piece.kind for piece in pieces)
        return told


def kinds(tiles: list[str]) -> Counter[str]:
    return Counter(map(kind_of, tiles))


def without_bloom(counted: Counter[str]) -> Counter[str]:
    return Counter({kind: n for kind, n in counted.items() if kind != BLOOM})


def play(style: str, players: int, gol: int, seed: int) -> set[str]:
    """Play a game, check that rules and books agree, and return the names of its rare events.

    *style* is that of all robots; *gol* is the number of Gols in a set.
    """
    name = f"play({style!r}, {players}, {gol}, {seed})"
    options: dict[str, OptionValue] = {} if gol == 2 else {"gol-set": str(gol)}
    deal = SeededDeal(players, Random(name).randrange(players), seed, options)
    game = CramelComparison(GAME, ROBOTS, deal, style, DECK, name)
    game.play()
    return game.adapter.books.happened


# --- the tests -----------------------------------------------------------------------------------


def test_the_deck_file_holds_the_tiles_of_the_books() -> None:
    assert sorted(map(str, DECK.pieces())) == sorted(all_tiles())
    assert DECK.total == SQUARE


def opened(*kinds: str, gol: int = 2) -> CramelBooks:
    """Return books in which the first of two players has turned over *kinds*, in this order."""
    books = CramelBooks(2, 0, gol, Random("opened"))
    for kind in kinds:
        books.turn_over(next(tile for tile in books.hidden() if kind_of(tile) == kind))
    return books


def test_the_books_know_the_picture_of_nine_tiles() -> None:
    """The printed example wins a Roby, three El-Els and two of three Janes, but no Ring Box."""
    books = opened(JANE, RING_BOX, EL_EL, JANE, ROBY, EL_EL, RING_BOX, JANE, EL_EL)
    books.stop(books.choose_sets())
    assert Counter(map(kind_of, books.won[0])) == {ROBY: 1, EL_EL: 3, JANE: 2}
    assert (books.turn, books.ended_by, len(books.place)) == (1, "", SQUARE - 6)


@pytest.mark.parametrize(
    ("kinds", "gol", "wins"),
    [
        ([HELENA] * 3, 2, {HELENA: 2}),
        ([JANE] * 4, 2, {JANE: 4}),
        ([RING_BOX] * 5, 2, {RING_BOX: 4}),
        ([GOL] * 3, 2, {GOL: 2}),
        ([GOL] * 3, 4, {}),
        ([GOL] * 4, 4, {GOL: 4}),
        ([CRAMEL] * 3, 2, {CRAMEL: 3}),
    ],
)
def test_the_books_know_what_a_stop_wins(kinds: list[str], gol: int, wins: dict[str, int]) -> None:
    assert opened(*kinds, gol=gol).would_win() == wins


@pytest.mark.parametrize(
    ("kinds", "why"),
    [
        ([JANE, ROBY, CRAMEL], BY_CRAMEL),  # example B in the printed rules
        ([CRAMEL, CRAMEL, ROBY], BY_CRAMEL),
        ([CRAMEL, BLOOM], BY_BLOOM),
        ([ROBY, BLOOM], BY_BLOOM),
        ([BLOOM], BY_BLOOM),
    ],
)
def test_the_books_know_what_ends_a_turn(kinds: list[str], why: str) -> None:
    books = opened(*kinds)
    assert (books.ended_by, books.turn, books.open, books.totals()) == (why, 1, [], [0, 0])
    assert not books.is_legal(STOP)


RARE = {
    "blind": {"stopped for nothing", "Bloom moves", "Bloom without a free place", "Bloom at once"},
    "careful": {"Cramel after another", "ended with others"},
    "greedy": {"Cramel spoils a full set", "Bloom spoils a full set", "another after Cramel"},
    "rememberer": {"Bloom does not help", "ended with Cramel"},
    "seer": {
        *(f"two sets of {kind}" for kind in (GOL, JANE, HELENA, EL_EL, RING_BOX)),
        *("several Cramels", "three kinds at once", "somebody has nothing"),
    },
    "leveller": {
        "shared win",
        "Cramels break the tie",
        "nobody gets Bloom",
        "Bloom turns the game",
    },
    "fumbler": {
        *(f"{kind} beyond the set" for kind in (GOL, JANE, HELENA, EL_EL, RING_BOX)),
        *("Bloom after Cramels", "another after several Cramels"),
    },
    "moody": {"ended with Cramel", "ended with others"},
}


# Games that show what is rare: python -m tests.engines.first_games prints them.
FIRST: dict[str, tuple[int, ...]] = {
    "blind": (36,),
    "careful": (8,),
    "greedy": (8,),
    "rememberer": (8, 7),
    "seer": (36,),
    "leveller": (17, 57, 73),
    "fumbler": (28, 24),
    "moody": (8, 36),
}


def games_of(style: str) -> Games:
    """Return a function for each game of *style*; it calls ``play`` for that game."""
    return [
        partial(play, style, players, gol, seed)
        for players in PLAYERS
        for gol in GOL_DOTS
        for seed in range(MORE_GAMES.get(style, GAMES_EACH))
    ]


LONG_GAMES = ("blind", "careful", "leveller", "greedy", "moody")  # they take the longest


@pytest.mark.parametrize("style", long_unless(lambda style: style not in LONG_GAMES, STYLES))
def test_the_rules_and_the_books_agree_on_whole_games(style: str) -> None:
    seen = seen_in(games_of(style), RARE[style], FIRST[style])
    assert seen >= RARE[style], f"never seen: {RARE[style] - seen}"


def test_a_won_tile_of_which_others_stayed_behind_counts_as_any_of_its_kind() -> None:
    """Here the books and the rules differ: the rules cannot see which copies were won (RULES 1.2).

    A player who won a different Helena from the one tapped may still tap the first one later.
    """
    state = GAME.start(Setup(2, Seat(1), DECK))
    helenas = [Tap(Piece(HELENA, copy)) for copy in (1, 2, 3)]
    acts: tuple[Input, ...] = (*helenas, ACTION, *helenas[:2], ACTION)
    for act in acts:
        state = GAME.step(state, act).state
    assert GAME.view(state).scores == (2, 2)
    assert GAME.view(state).counts[HELENA] == 0
