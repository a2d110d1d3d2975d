"""The referee of Cramel against a second opinion: whole games at random, compared at every act.

Room: tests/engines. The books of the robots say what is legal, what it leads to and who wins what;
the referee gets only what a table would give it. A difference prints how to play that game again.
"""

from collections import Counter
from random import Random
from typing import Final

import pytest

from engines.common.contract import (
    Ask,
    Button,
    Direction,
    Input,
    Message,
    Number,
    Press,
    PressAsk,
    Seat,
    Setup,
    Tap,
    TapAsk,
)
from engines.common.errors import RulesError
from engines.common.pieces import Piece
from engines.cramel import GAME
from firmware.decks import load_deck
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
    rememberer,
)

OK, ACTION = Press(Button.OK), Press(Button.ACTION)
STOP_ASK = PressAsk(Button.ACTION, "stop")
DECK: Final = load_deck(GAME)

PLAYERS = (2, 3, 4, 5)
GAMES_EACH = 5
PATIENCE = 160  # acts; then everybody begins to remember, so that the game comes to its end


# --- a game kept twice ---------------------------------------------------------------------------


class TwiceKept:
    """One game, played on the referee and in the books."""

    def __init__(self, style: str, players: int, gol: int, seed: int) -> None:
        self.name = f"play({style!r}, {players}, {gol}, {seed})"
        self.chance = Random(self.name)
        dealer = self.chance.randrange(players)
        self.style = STYLES[style]
        self.books = CramelBooks(players, (dealer + 1) % players, gol, self.chance)
        self.history = [f"{players} players, seat {self.books.turn} begins, a set of Gol is {gol}"]
        options = {} if gol == 2 else {"gol-set": str(gol)}
        self.state = GAME.start(Setup(players, Seat(dealer), DECK, options))
        self.events: tuple[Message, ...] = ()
        self.may_move = False  # Mrs. Bloom, until the next tile is turned

    def play(self) -> None:
        """Play the game to its end."""
        self.compare()
        while not self.books.is_over:
            self.try_what_is_wrong()
            style = self.style if len(self.history) < PATIENCE else rememberer
            act = style(self.books, self.chance)
            if act == STOP:
                self.stop()
            else:
                self.turn_over(act)
            self.compare()
        self.try_what_is_wrong()
        self.compare_end()

    # -- acts

    def turn_over(self, tile: str) -> None:
        books = self.books
        was_free = bool(books.free_cells())
        bloom_to = None
        if kind_of(tile) == BLOOM and was_free:
            bloom_to = self.chance.choice((None, *books.free_cells()))
        player = books.turn
        books.turn_over(tile, bloom_to)
        self.give(Tap(Piece.parse(tile), seat=self.chance.choice((None, Seat(player)))))
        codes = [event.code for event in self.events]
        self.same("Bloom is told", books.ended_by == BY_BLOOM, "bloom" in codes)
        self.same("the mixture is told", books.ended_by == BY_CRAMEL, "mixed" in codes)
        self.may_move = books.ended_by == BY_BLOOM and was_free
        self.same("Bloom may move", self.may_move, "bloom-may-move" in codes)

    def stop(self) -> None:
        books, before, player = self.books, self.on_table(), self.books.turn
        chosen = books.choose_sets()
        books.stop(chosen)
        self.may_move = False
        self.give(ACTION)
        chosen_kinds = Counter(map(kind_of, chosen))
        self.same("kinds taken", chosen_kinds, self.without_bloom(before - self.on_table()))
        self.same("taken, as told", chosen_kinds, self.told_kinds("takes"))
        face_down = Counter(map(kind_of, books.ended_open)) - chosen_kinds
        self.same("turned face down, as told", face_down, self.told_kinds("face-down"))
        takers = [event.facts["seat"] for event in self.events if event.code == "takes"]
        self.same("who takes them", [player] if chosen else [], takers)

    def try_what_is_wrong(self) -> None:
        """Some of all that may not be done now."""
        books, chance = self.books, self.chance
        wrong = [act for act in books.illegal_acts() if not is_past_the_referee(books, act)]
        for act in chance.sample(wrong, min(2, len(wrong))):
            self.refused(given(act), why_refused(books, act))
        if not books.open:
            self.refused(ACTION, why_refused(books, STOP))
        elif books.open[-1] in wrong:
            self.refused(given(books.open[-1]), "already-played")
        if chance.random() < 0.05:
            self.refused(OK, "not-expected-now")
            self.refused(Number(1), "not-expected-now")
            if not books.is_over:
                other = Seat((books.turn + 1) % books.players)
                tile = Piece.parse(chance.choice(books.hidden()))
                self.refused(Tap(tile, seat=other), "not-your-turn")
                self.refused(Tap(Piece("arthur")), "not-in-this-game")
                self.refused(Tap(Piece(BLOOM, 4)), "not-in-this-game")

    # -- the referee

    def give(self, act: Input) -> None:
        self.history.append(said(act))
        try:
            step = GAME.step(self.state, act)
        except RulesError as error:
            self.differ(f"{said(act)} is legal, but was refused: {error}")
        else:
            self.state, self.events = step.state, step.events

    def refused(self, act: Input, code: str) -> None:
        try:
            GAME.step(self.state, act)
        except RulesError as error:
            self.same(f"reason to refuse {said(act)}", code, error.code)
        else:
            self.differ(f"{said(act)} was accepted; it must be refused: {code}")

    def on_table(self) -> Counter[str]:
        """How many tiles of each kind the referee says are on the table."""
        counts = GAME.view(self.state).counts
        return Counter({kind: counts[kind] for kind in BOX})

    def without_bloom(self, kinds: Counter[str]) -> Counter[str]:
        return Counter({kind: many for kind, many in kinds.items() if kind != BLOOM})

    def told_kinds(self, code: str) -> Counter[str]:
        """The kinds of all pieces that the last step told under this code."""
        told = Counter[str]()
        for event in self.events:
            pieces = event.facts["pieces"] if event.code == code else ()
            assert isinstance(pieces, tuple)
            told.update(piece.kind for piece in pieces)
        return told

    # -- comparing

    def compare(self) -> None:
        """Everything a table is shown, and what a stop would take."""
        books, view = self.books, GAME.view(self.state)
        counts = {**books.left(), "open": len(books.open), "may-move": int(self.may_move)}
        for player in range(books.players):
            counts[f"won-{player + 1}"] = books.totals()[player]
            counts[f"cramels-{player + 1}"] = books.cramels()[player]
        self.same("counts", counts, dict(view.counts))
        self.same("scores", books.totals(), list(view.scores))
        self.same("winners", books.winners, list(view.winners))
        self.same("it is over", books.is_over, view.is_over)
        self.same("phase", "over" if books.is_over else "play", view.phase)
        won = sum(view.counts[f"won-{player + 1}"] for player in range(books.players))
        self.same("tiles in all", SQUARE, sum(self.on_table().values()) + won)
        if books.is_over:
            return
        self.same("turn", books.turn, view.turn)
        self.same("direction", Direction.CLOCKWISE, view.direction)
        self.same("tiles a stop would win", str(sum(books.would_win().values())), view.headline)
        self.same("asks", self.asks_of_the_books(), set(GAME.asks(self.state)))
        if books.open:
            stopped = GAME.view(GAME.step(self.state, ACTION).state)  # only to see; it is undone
            after = Counter({kind: stopped.counts[kind] for kind in BOX})
            would_win = self.without_bloom(self.on_table() - after)
            self.same("kinds a stop would win", Counter(books.would_win()), would_win)

    def asks_of_the_books(self) -> set[Ask]:
        books = self.books
        kinds = frozenset(map(kind_of, books.hidden()))
        seat = Seat(books.turn)
        asks: set[Ask] = {TapAsk(kinds, (seat,), ("play", f"seat-{seat + 1}"))}
        return asks | {STOP_ASK} if books.open else asks

    def compare_end(self) -> None:
        books, view = self.books, GAME.view(self.state)
        self.same("asks", (), GAME.asks(self.state))
        self.same("turn", None, view.turn)
        self.same("headline", str(max(books.totals())), view.headline)
        gets = [event.facts["seat"] for event in self.events if event.code == "most-cramels"]
        self.same("Bloom goes to", [s for s in [books.bloom_goes_to] if s is not None], gets)
        self.same("Blooms given", len(gets) * BOX[BLOOM], self.told_kinds("most-cramels")[BLOOM])
        self.same("Blooms left", 0 if gets else BOX[BLOOM], sum(self.on_table().values()))

    def same(self, what: str, books: object, referee: object) -> None:
        if books != referee:
            self.differ(f"{what}: the books say {books}, the referee says {referee}")

    def differ(self, what: str) -> None:
        raise AssertionError("\n  ".join([f"{what}\n{self.name}:", *self.history]))


def given(act: str) -> Input:
    return ACTION if act == STOP else Tap(Piece.parse(act))


def said(act: Input) -> str:
    if isinstance(act, Tap):
        return f"turns {act.piece}" + ("" if act.seat is None else f" at seat {act.seat}")
    return f"presses {act.button.value}" if isinstance(act, Press) else str(act)


def is_past_the_referee(books: CramelBooks, act: str) -> bool:
    """Whether this is a won tile of a kind that also lies face down: its RULES 1.2 counts kinds."""
    is_won = act != STOP and act not in books.place
    return is_won and not books.is_over and kind_of(act) in map(kind_of, books.hidden())


def why_refused(books: CramelBooks, act: str) -> str:
    """The code for an illegal act."""
    if books.is_over:
        return "not-expected-now"
    if act == STOP:
        return "nothing-turned"
    return "already-played" if act in books.open else "none-left"


def play(style: str, players: int, gol: int, seed: int) -> set[str]:
    """Play one game twice over, and return the rare things that it saw."""
    game = TwiceKept(style, players, gol, seed)
    game.play()
    return game.books.happened


# --- the tests -----------------------------------------------------------------------------------


def test_the_deck_file_holds_the_tiles_of_the_books() -> None:
    assert sorted(map(str, DECK.pieces())) == sorted(all_tiles())
    assert DECK.total == SQUARE


def opened(*kinds: str, gol: int = 2) -> CramelBooks:
    """Books in which the first of two players has turned these over, in this order."""
    books = CramelBooks(2, 0, gol, Random("opened"))
    for kind in kinds:
        books.turn_over(next(tile for tile in books.hidden() if kind_of(tile) == kind))
    return books


def test_the_books_know_the_picture_of_nine_tiles() -> None:
    """The printed example: a Roby, three El-El and two of three Janes; no Ring Box."""
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
        ([JANE, ROBY, CRAMEL], BY_CRAMEL),  # the printed example B
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


@pytest.mark.parametrize("style", STYLES)
def test_referee_and_books_agree_on_whole_games(style: str) -> None:
    seen = set[str]()
    for players in PLAYERS:
        for gol in GOL_DOTS:
            for seed in range(GAMES_EACH):
                seen |= play(style, players, gol, seed)
    assert seen >= RARE[style], f"never seen: {RARE[style] - seen}"


def test_a_won_tile_counts_as_any_other_of_its_kind() -> None:
    """Where books and referee differ on purpose: the referee counts kinds, not tiles (RULES 1.2).

    People who take another Helena than the one they tapped must not be refused the first one later,
    so it cannot refuse a tile as won before its whole kind is (3.3).
    """
    state = GAME.start(Setup(2, Seat(1), DECK))
    for act in (Tap(Piece(ROBY)), ACTION, Tap(Piece(ROBY)), ACTION):
        state = GAME.step(state, act).state
    assert GAME.view(state).scores == (1, 1)
    assert GAME.view(state).counts[ROBY] == BOX[ROBY] - 2
