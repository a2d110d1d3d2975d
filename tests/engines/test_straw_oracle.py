"""The referee of Straw against a second opinion: whole games at random, compared at every input.

Room: tests/engines. The books of the robots say what is legal, what it leads to and who scores; the
referee gets only what a table would give it. A difference prints how to play that game again.
"""

from collections import Counter
from functools import cache
from random import Random

import pytest

from engines.common.contract import (
    Ask,
    Button,
    Direction,
    Input,
    Number,
    NumberAsk,
    Press,
    PressAsk,
    Seat,
    Setup,
    Tap,
    TapAsk,
)
from engines.common.errors import RulesError
from engines.common.pieces import Deck, Kind, Piece
from engines.straw import GAME
from engines.straw.rules import State
from firmware.decks import load_deck
from sim.robots.straw.books import (
    GAME_DONE,
    PLAYING,
    StrawBooks,
    box,
    box_of_copies,
    kind_of,
    light_box,
    printed,
)
from sim.robots.straw.styles import LIKINGS, liked, plays_of

OK, ACTION = Press(Button.OK), Press(Button.ACTION)
CANNOT_PLAY = PressAsk(Button.ACTION, "cannot-play")
HAND_DONE = PressAsk(Button.ACTION, "hand-done")
NEXT_ROUND = PressAsk(Button.OK, "next-round")
ODD_NUMBERS = (-1, 0, 11, 50)

BOXES: dict[str, list[str]] = {
    "shipped": box(),
    "other fit": box(copies=6, lamps=6, reverses=6, carpets=5),
    "light": light_box(),
    "light, no Straw": light_box(straws=0),
    "copies": box_of_copies(),
}
PLAYERS = (2, 3, 4, 5, 6)
GAMES_EACH = {"shipped": 7, "other fit": 2, "light": 3, "light, no Straw": 2, "copies": 3}


# --- a game kept twice ---------------------------------------------------------------------------


class TwiceKept:
    """One game, played on the referee and in the books."""

    def __init__(self, players: int, style: str, cards: str, seed: int) -> None:
        self.name = f"play({players}, {style!r}, {cards!r}, {seed})"
        self.chance = Random(self.name)
        dealer = self.chance.randrange(players)
        self.liking = LIKINGS[style]
        self.books = StrawBooks(players, dealer, BOXES[cards], self.chance)
        self.history: list[str] = [f"{players} players, seat {dealer} deals", *self.dealt()]
        deck = load_deck(GAME) if cards == "shipped" else deck_of(BOXES[cards])
        self.state: State = GAME.start(Setup(players, Seat(dealer), deck))
        self.known_totals = [0] * players  # as the table has heard them

    def play(self) -> None:
        """Play the game to its end."""
        self.compare()
        while self.books.state == PLAYING:
            self.lay_or_cannot()
            if self.books.state != PLAYING:
                self.count_hands()

    # -- one turn

    def lay_or_cannot(self) -> None:
        books = self.books
        self.try_what_is_wrong()
        plays = [play for card in books.playable() for play in plays_of(books, card)]
        if not plays:
            self.same("cannot-play is offered", True, CANNOT_PLAY in self.asks())
            books.cannot_play()
            self.give(ACTION)
        else:
            self.lay(*liked(self.liking, books, plays, self.chance))
        self.compare()

    def lay(self, card: str, number: int | None) -> None:
        books = self.books
        self.give(self.tap_from(card, books.turn))
        if number is not None:
            self.compare("lamp")
            self.same("ask", [(1, 10)], [(a.low, a.high) for a in self.number_asks()])
            wrong = Number(self.chance.choice(ODD_NUMBERS))
            self.refused(wrong, "lamp-out-of-range")
            self.refused(self.tap(self.chance.choice(books.cards)), "not-expected-now")
            self.give(Number(number))
        books.play(card, number)

    def try_what_is_wrong(self) -> None:
        """All that this hand may not lay, and a sample of what nobody may."""
        books, chance = self.books, self.chance
        kinds = {kind for ask in self.tap_asks() for kind in ask.kinds}
        for card in books.hand:
            reason = books.why_not(card)
            if reason is not None:
                self.refused(self.tap(card), reason)
            self.same(f"{card} is asked for", reason is None, kind_of(card) in kinds)
        self.same("asked seats", [(books.turn,)], [ask.seats for ask in self.tap_asks()])
        if books.camel:
            self.refused(self.tap(chance.choice(books.camel)), "already-played")
            if len(books.hand) > 1:  # at most one of them is the Straw, the others may be played
                self.refused(ACTION, "not-expected-now")
        if chance.random() < 0.2:
            other = Seat((books.turn + 1) % books.players)
            card = chance.choice(books.hand)
            self.refused(Tap(Piece.parse(card), seat=other), "not-your-turn")
            self.refused(Tap(Piece("camel")), "not-in-this-game")
            self.refused(Tap(Piece("straw", 2)), "not-in-this-game")
            self.refused(Number(5), "not-expected-now")
            self.refused(OK, "not-expected-now")

    # -- the end of a round

    def count_hands(self) -> None:
        """Lay down the hands that score, dealer's left first, then deal again or end."""
        books = self.books
        order = [(books.dealer + n) % books.players for n in range(1, books.players + 1)]
        for seat in order:
            if seat in books.scorers:
                self.count_hand(seat)
        self.known_totals = list(books.totals)
        if books.state == GAME_DONE:
            self.compare("over")
            self.same("asks", (), self.asks())
            self.refused(OK, "not-expected-now")
            return
        self.compare("round-over")
        self.same("asks", (NEXT_ROUND,), self.asks())
        self.refused(self.tap(self.chance.choice(books.cards)), "not-expected-now")
        books.next_round()
        self.history += [f"seat {books.dealer} deals", *self.dealt()]
        self.give(OK)
        self.compare()

    def count_hand(self, seat: int) -> None:
        books, counted = self.books, list[str]()
        for card in self.chance.sample(books.hands[seat], len(books.hands[seat])):
            self.compare("scoring")
            self.same("hand asked for", seat, GAME.view(self.state).turn)
            self.same("hand-done is offered", True, HAND_DONE in self.asks())
            lying = [*books.camel, *counted]
            if lying and self.chance.random() < 0.2:
                self.refused(self.tap(self.chance.choice(lying)), "already-played")
            self.give(self.tap_from(card, seat))
            counted.append(card)

    # -- the referee

    def tap(self, card: str) -> Tap:
        return Tap(Piece.parse(card))

    def tap_from(self, card: str, seat: int) -> Tap:
        """A card laid on a mat that may or may not know whose it is."""
        return Tap(Piece.parse(card), seat=self.chance.choice((None, Seat(seat))))

    def give(self, given: Input) -> None:
        self.history.append(said(given))
        try:
            self.state = GAME.step(self.state, given).state
        except RulesError as error:
            self.differ(f"{said(given)} is legal, but was refused: {error}")

    def refused(self, given: Input, code: str) -> None:
        try:
            GAME.step(self.state, given)
        except RulesError as error:
            self.same(f"reason to refuse {said(given)}", code, error.code)
        else:
            self.differ(f"{said(given)} was accepted; it must be refused: {code}")

    def asks(self) -> tuple[Ask, ...]:
        return GAME.asks(self.state)

    def tap_asks(self) -> list[TapAsk]:
        return [ask for ask in self.asks() if isinstance(ask, TapAsk)]

    def number_asks(self) -> list[NumberAsk]:
        return [ask for ask in self.asks() if isinstance(ask, NumberAsk)]

    # -- comparing

    def compare(self, phase: str = "play") -> None:
        """Everything a table is shown, once the referee has settled into *phase*."""
        books, view = self.books, GAME.view(self.state)
        if books.state != PLAYING and phase == "play":
            return  # the hands are counted next, and compared then
        self.same("phase", phase, view.phase)
        counts = {f"hand-{seat}": len(hand) for seat, hand in enumerate(books.hands, start=1)}
        counts |= {"draw-pile": len(books.pile), "camel": len(books.camel)}
        self.same("counts", counts, {place: view.counts[place] for place in counts})
        self.same("scores", self.known_totals, list(view.scores))
        self.same("winners", books.winners if phase == "over" else [], list(view.winners))
        if phase in ("play", "lamp"):
            clockwise = view.direction is Direction.CLOCKWISE
            self.same("weight", str(books.weight), view.headline)
            self.same("turn", books.turn, view.turn)
            self.same("direction", books.step, 1 if clockwise else -1)
            self.same("round", books.rounds_done + 1, view.counts["round"])

    def same(self, what: str, books: object, referee: object) -> None:
        if books != referee:
            self.differ(f"{what}: the books say {books}, the referee says {referee}")

    def differ(self, what: str) -> None:
        raise AssertionError("\n  ".join([f"{what}\n{self.name}:", *self.history]))

    def dealt(self) -> list[str]:
        return [f"seat {seat} holds {' '.join(hand)}" for seat, hand in enumerate(self.books.hands)]


def deck_of(cards: list[str]) -> Deck:
    """The deck file a table with this box would write."""
    counts = Counter(kind_of(card) for card in cards)
    kinds = tuple(Kind(name, count, printed(name)) for name, count in counts.items())
    return Deck("straw", kinds, is_verified=False)


def said(given: Input) -> str:
    if isinstance(given, Tap):
        return f"lays {given.piece}" + ("" if given.seat is None else f" at seat {given.seat}")
    return f"presses {given.button.value}" if isinstance(given, Press) else str(given)


@cache
def play(players: int, style: str, cards: str, seed: int) -> frozenset[str]:
    """Play one game twice over, and return the rare things that it saw."""
    game = TwiceKept(players, style, cards, seed)
    game.play()
    return frozenset(game.books.happened)


# --- the tests -----------------------------------------------------------------------------------


def test_the_deck_file_holds_the_cards_of_the_books() -> None:
    deck = load_deck(GAME)
    assert sorted(map(str, deck.pieces())) == sorted(BOXES["shipped"])
    assert {k.name: k.value for k in deck.kinds} == {k.name: printed(k.name) for k in deck.kinds}


@pytest.mark.parametrize("cards", BOXES)
@pytest.mark.parametrize("style", LIKINGS)
@pytest.mark.parametrize("players", PLAYERS)
def test_referee_and_books_agree_on_whole_games(players: int, style: str, cards: str) -> None:
    for seed in range(GAMES_EACH[cards]):
        play(players, style, cards, seed)


RARE = {
    "shipped": {
        *("copy of copy", "copy of reverse", "copy of carpet", "copy of lamp", "copy of weight"),
        *("straw at 50", "copier breaks", "broken by one", "played with an empty pile"),
        *("below zero", "negative round", "negative total"),
    },
    "light": {"stuck and lost", "empty hand skipped", "shared win"},
    "light, no Straw": {"all cards played"},  # with Straw, its holder is stuck before that
    "copies": {"stuck and passed", "nobody can begin", "straw with a negative hand"},
}


@pytest.mark.parametrize("cards", RARE)
def test_the_games_compared_saw_what_rarely_happens(cards: str) -> None:
    seen = set[str]()
    for players in PLAYERS:
        for style in LIKINGS:
            for seed in range(GAMES_EACH[cards]):
                seen |= play(players, style, cards, seed)
    assert seen >= RARE[cards], f"never seen: {RARE[cards] - seen}"
