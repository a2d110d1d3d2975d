"""The referee of Ciao! against a second opinion: whole games at random, compared at every act.

Room: tests/engines. ``sim.robots.ciao.books`` says what is legal, what it leads to and who wins
what; the referee gets only what a table would give it. A difference prints how to play that game
again.
"""

import dataclasses
from collections import Counter
from functools import cache
from random import Random
from typing import Final

import pytest

from engines.ciao import GAME
from engines.common.contract import (
    PLAY_SPOT,
    SEAT_SPOTS,
    Ask,
    Button,
    Choice,
    ChoiceAsk,
    Direction,
    Input,
    Message,
    Number,
    OptionValue,
    Press,
    PressAsk,
    Seat,
    SeatAsk,
    SeatChoice,
    Setup,
    Tap,
    TapAsk,
)
from engines.common.errors import RulesError
from engines.common.pieces import Deck, Piece
from firmware.decks import load_deck
from sim.robots.ciao.books import (
    JOKER,
    JOKERS_OF_A_COLOUR,
    OBSTACLE,
    OF_EACH_SYMBOL,
    ROUNDS,
    SPECIALS,
    SYMBOLS,
    Act,
    Asked,
    CiaoBooks,
    House,
    Verb,
    box,
    colour_of,
    is_joker,
    kind_of,
    points_of,
    special_of,
    symbol_of,
)
from sim.robots.ciao.robots import PHASES
from sim.robots.ciao.styles import STYLES, greedy

OK, ACTION = Press(Button.OK), Press(Button.ACTION)
NEXT_ROUND = PressAsk(Button.OK, "next-round")
HAND_DONE = PressAsk(Button.ACTION, "hand-done")
DECK: Final = load_deck(GAME)

BOXES = {"shipped": sorted(map(str, DECK.pieces())), "rich": box(each=2)}
PLAYERS = (2, 3, 4, 5, 6)
VARIANTS = ("full", "symbols", "specials", "colours")
GAMES = (  # variant, box, seeds; games of odd seeds are scored over several rounds
    ("full", "shipped", (0, 1, 2)),
    ("full", "rich", (0, 2)),
    ("symbols", "shipped", (0, 1)),
    ("specials", "shipped", (0,)),
    ("colours", "rich", (0,)),
)
PATIENCE = 250  # acts; then everybody becomes greedy, so that the game comes to its end

ASKS_COMPARED = 0.3  # the part of all acts after which the asks are compared too

BUTTONS = {
    Asked.CARD: "draw",
    Asked.DRAWN: "pass",
    Asked.DEBT: "take",
    Asked.RACE: "nobody",
}
CHOICES = {
    Asked.SYMBOL: frozenset(SYMBOLS),
    Asked.AGAIN: frozenset({"again", "reverse"}),
    Asked.THANKS: frozenset({"thanked", "forgot"}),
}
GIVEN: dict[Verb, Input] = {
    Verb.DRAW: ACTION,
    Verb.PASS: ACTION,
    Verb.NOBODY: ACTION,
    Verb.AGAIN: Choice("again"),
    Verb.REVERSE: Choice("reverse"),
    Verb.THANK: Choice("thanked"),
    Verb.FORGET: Choice("forgot"),
    Verb.DEAL: OK,
}
TELL_OF_DRAWS = ("draws", "penalty")
UNASKED: tuple[Input, ...] = (Number(1), Choice("lizard"), SeatChoice(Seat(6)))


# --- a game kept twice ---------------------------------------------------------------------------


class TwiceKept:
    """One game, played on the referee and in the books."""

    def __init__(self, style: str, players: int, variant: str, cards: str, seed: int) -> None:
        self.name = f"play({style!r}, {players}, {variant!r}, {cards!r}, {seed})"
        self.chance = Random(self.name)
        dealer = self.chance.randrange(players)
        house = House(is_scored=seed % 2 == 1, variant=VARIANTS.index(variant))
        self.style = STYLES[style]
        first = (dealer + 1) % players
        self.box = BOXES[cards]
        self.books = CiaoBooks(players, first, self.box, self.chance, house)
        self.history = [f"{players} players, {house}", *self.dealt()]
        self.acts = 0
        self.known_totals = [0] * players  # as the table has heard them
        options: dict[str, OptionValue] = {}
        if house.is_scored:
            options["scoring"] = True
        if house.variant:
            options["variant"] = variant
        deck = DECK if cards == "shipped" else deck_of(self.box)
        self.state = GAME.start(Setup(players, Seat(dealer), deck, options))
        self.events: tuple[Message, ...] = ()
        self.is_foul = False

    def play(self) -> None:
        """Play the game to its end."""
        self.compare()
        in_round = 0
        while self.books.asked is not Asked.NOTHING:
            self.try_what_is_wrong()
            style = self.style if in_round < PATIENCE else greedy
            act = style(self.books, self.chance)
            in_round = 0 if act.verb is Verb.DEAL else in_round + 1
            self.do(act)
            self.compare()
        self.same("asks", (), GAME.asks(self.state))
        self.refused(OK, "not-expected-now")
        self.refused(Tap(Piece.parse(self.books.cards[0])), "not-expected-now")

    # -- acts

    def do(self, act: Act) -> None:
        books, chance = self.books, self.chance
        rounds_done = books.rounds_done
        is_wrong = act.verb is Verb.LAY and not books.may_lay(act.player, act.card)
        code = self.code_of_wrong(act) if is_wrong else ""
        self.history.append(str(act) + (" (wrong)" if is_wrong else ""))
        racers = books.racers() if books.asked is Asked.RACE else []
        books.do(act)
        if act.verb is Verb.LAY:
            self.lay(act, racers)
        elif act.verb is Verb.NAME:
            self.give(Choice(act.symbol))
        elif act.verb in (Verb.GIVE, Verb.SWAP):
            self.give(SeatChoice(Seat(act.seat)))
        else:
            self.give(GIVEN[act.verb])
        self.same("it is a foul", is_wrong, self.is_foul)
        if is_wrong:
            self.same("what was wrong", code, self.events[0].code)
        if books.players == 2 and books.asked in (Asked.GIFT, Asked.SWAP):
            only = chance.choice(books.legal_acts())  # there is but one other, so it is not asked
            self.history.append(str(only))
            books.do(only)
        self.compare_told()
        if act.verb is Verb.DEAL:
            self.history += self.dealt()
        elif books.rounds_done > rounds_done and books.house.is_scored:
            self.count_hands()

    def lay(self, act: Act, racers: list[int]) -> None:
        """Tap a card; in a race the mat may not know whose it is, and then asks."""
        seat = self.chance.choice((None, Seat(act.player)))
        spot = PLAY_SPOT if seat is None else self.chance.choice((PLAY_SPOT, SEAT_SPOTS[seat]))
        self.give(Tap(Piece.parse(act.card), spot, seat))
        if seat is not None or len(racers) < 2:
            return
        view = GAME.view(self.state)
        self.same("phase", "racer", view.phase)
        self.same("turn", None, view.turn)
        self.same("asks whose card", [frozenset(racers)], self.asked_seats())
        self.same("asks", 1, len(GAME.asks(self.state)))
        if self.chance.random() < 0.3:
            self.refused(Tap(Piece.parse(act.card)), "not-expected-now")
            self.refused(ACTION, "not-expected-now")
            runner = next(s for s in range(self.books.players) if s not in racers)
            self.refused(SeatChoice(Seat(runner)), "not-in-the-race")
        self.give(SeatChoice(Seat(act.player)))

    def code_of_wrong(self, act: Act) -> str:
        if kind_of(act.card) == OBSTACLE:
            return "wrong-obstacle"
        return "wrong-answer" if self.books.asked is Asked.DEBT else "wrong-card"

    def try_what_is_wrong(self) -> None:
        """Some of all that changes nothing."""
        books, chance = self.books, self.chance
        if chance.random() > 0.15:
            return
        for given in UNASKED:
            self.refused(given, "not-expected-now")
        self.refused(ACTION if books.asked not in BUTTONS else OK, "not-expected-now")
        seats = books.layers()
        if not seats:
            self.refused(Tap(Piece.parse(chance.choice(books.cards))), "not-expected-now")
            if books.asked in (Asked.GIFT, Asked.SWAP):
                self.refused(SeatChoice(Seat(books.turn)), "not-to-yourself")
            return
        self.refused(Tap(Piece("arthur")), "not-in-this-game")
        self.refused(Tap(Piece(OBSTACLE, 4)), "not-in-this-game")
        if books.discards:
            lying = Piece.parse(chance.choice(books.discards))
            self.refused(Tap(lying, seat=chance.choice((None, Seat(seats[0])))), "already-played")
        left_out = sorted(set(self.box) - set(books.cards))
        if left_out:
            self.refused(Tap(Piece.parse(chance.choice(left_out))), "left-out")
        strangers = [seat for seat in range(books.players) if seat not in seats]
        if strangers:
            seat = Seat(chance.choice(strangers))
            card = Piece.parse(chance.choice(books.hands[seat]))
            code = "not-in-the-race" if books.asked is Asked.RACE else "not-your-turn"
            self.refused(Tap(card, seat=seat), code)

    # -- the end of a scored round

    def count_hands(self) -> None:
        """Lay down all hands, winner's left first."""
        books = self.books
        left = [seat for seat in range(books.players) if books.hands[seat]]
        if books.winner is not None:
            left = [(books.winner + n) % books.players for n in range(1, books.players)]
        counted: list[str] = []
        while left:
            seat = GAME.view(self.state).turn
            assert seat is not None
            self.same("hand asked for", True, seat in (left if books.winner is None else left[:1]))
            left.remove(seat)
            points = 0
            for card in self.chance.sample(books.hands[seat], len(books.hands[seat])):
                self.compare_count(seat, points, counted)
                self.give(Tap(Piece.parse(card), seat=self.chance.choice((None, seat))))
                points += points_of(card)
                counted.append(card)
        self.known_totals = list(books.totals)
        told = {e.facts["seat"]: e.facts["n"] for e in self.events if e.code == "total"}
        self.same("totals, as told", dict(enumerate(books.totals)), told)

    def compare_count(self, seat: int, points: int, counted: list[str]) -> None:
        books, view = self.books, GAME.view(self.state)
        self.same("phase", "scoring", view.phase)
        if books.winner is not None or points:
            self.same("points so far", str(points), view.headline)
        self.same("hand asked for", seat, view.turn)
        self.same("scores", self.known_totals, list(view.scores))
        lying = {*books.discards, *counted}
        kinds = frozenset(kind_of(card) for card in books.cards if card not in lying)
        spots = (PLAY_SPOT, SEAT_SPOTS[seat], "hand")
        asks: set[Ask] = {TapAsk(kinds, (Seat(seat),), spots)}
        self.same("asks", asks, {a for a in GAME.asks(self.state) if isinstance(a, TapAsk)})
        self.same("hand-done", True, HAND_DONE in GAME.asks(self.state))
        if lying and self.chance.random() < 0.1:
            lying_there = Piece.parse(self.chance.choice(sorted(lying)))
            self.refused(Tap(lying_there, seat=Seat(seat)), "already-played")
            self.refused(OK, "not-expected-now")

    # -- the referee

    def give(self, given: Input) -> None:
        self.acts += 1
        try:
            step = GAME.step(self.state, given)
        except RulesError as error:
            self.differ(f"{given} is legal, but was refused: {error}")
        else:
            self.state, self.events, self.is_foul = step.state, step.events, step.is_foul

    def refused(self, given: Input, code: str) -> None:
        try:
            GAME.step(self.state, given)
        except RulesError as error:
            self.same(f"reason to refuse {given}", code, error.code)
        else:
            self.differ(f"{given} was accepted; it must be refused: {code}")

    def asked_seats(self) -> list[frozenset[Seat]]:
        return [frozenset(a.seats) for a in GAME.asks(self.state) if isinstance(a, SeatAsk)]

    # -- comparing

    def compare(self) -> None:
        """Everything a table is shown and asked for."""
        books, view = self.books, GAME.view(self.state)
        self.same("phase", PHASES[books.asked], view.phase)
        self.same("winners", books.winners, list(view.winners))
        self.same("it is over", books.asked is Asked.NOTHING, view.is_over)
        scores = self.known_totals if books.house.is_scored else books.sizes()
        self.same("scores", scores, list(view.scores))
        counts = {f"hand-{seat}": size for seat, size in enumerate(books.sizes(), start=1)}
        counts |= {"draw-pile": len(books.pile), "discard": len(books.discards)}
        counts |= {"left-out": len(self.box) - len(books.cards), "owed": books.debt}
        in_round = books.asked not in (Asked.NOTHING, Asked.NEXT_ROUND)
        counts["round"] = books.rounds_done + in_round
        if books.house.is_scored:
            counts["rounds"] = max(ROUNDS, counts["round"])
        self.same("counts", counts, dict(view.counts))
        if not in_round:
            self.compare_end()
            return
        self.same("direction", books.step, 1 if view.direction is Direction.CLOCKWISE else -1)
        turn = {Asked.RACE: None, Asked.THANKS: books.receiver}.get(books.asked, books.turn)
        self.same("turn", turn, view.turn)
        self.compare_to_beat()
        if self.chance.random() < ASKS_COMPARED:
            self.compare_asks()

    def compare_end(self) -> None:
        books, asks = self.books, GAME.asks(self.state)
        if books.asked is Asked.NEXT_ROUND:
            self.same("asks", (NEXT_ROUND,), asks)
            self.same("who begins", books.starter, GAME.view(self.state).turn)

    def compare_to_beat(self) -> None:
        """What the next card must beat, and the number of cards owed."""
        books, view = self.books, GAME.view(self.state)
        shown = view.headline.code if isinstance(view.headline, Message) else view.headline
        assert view.spoken is not None
        said = view.spoken.facts.get("card")
        to_beat = books.to_beat()
        if books.asked is Asked.DEBT:
            self.same("cards owed", str(books.debt), shown)
        elif to_beat is None:
            self.same("to beat", "headline.any", shown)
        else:
            symbol, colour = to_beat[0] or JOKER, to_beat[1]
            is_coloured = books.house.variant in (0, 3)
            self.same("to beat", f"headline.{symbol}", shown)
            caption = f"colour.{colour}" if is_coloured else "to-beat"
            self.same("colour to beat", caption, view.caption.code)
            self.same("to beat, as told", f"{symbol}-{colour}" if is_coloured else symbol, said)

    def compare_asks(self) -> None:
        """All asks: kinds of which no card can be held by anybody are not asked for."""
        books, asks = self.books, GAME.asks(self.state)
        taps = [ask for ask in asks if isinstance(ask, TapAsk)]
        button = BUTTONS.get(books.asked)
        if books.asked is Asked.CARD and not books.is_anything_to_draw():
            button = "pass"
        buttons = [ask.label for ask in asks if isinstance(ask, PressAsk)]
        choices = [frozenset(ask.names) for ask in asks if isinstance(ask, ChoiceAsk)]
        self.same("buttons", [button] if button else [], buttons)
        self.same("choices", [c for c in [CHOICES.get(books.asked)] if c], choices)
        seats = books.others(books.turn) if books.asked in (Asked.GIFT, Asked.SWAP) else []
        self.same("seats", [frozenset(seats)] if seats else [], self.asked_seats())
        layers = books.layers()
        self.same("number of taps asked for", bool(layers), len(taps))
        if not layers:
            return
        (tap,) = taps
        lying = set(books.discards)
        kinds = {kind_of(card): card for card in books.cards if card not in lying}
        right = {kind for kind, card in kinds.items() if self.is_right(card)}
        self.same("kinds", [], sorted(tap.kinds ^ right))
        self.same("kinds that are wrong", [], sorted(tap.fouls ^ (set(kinds) - right)))
        self.same("who taps", Counter(layers), Counter(tap.seats))
        spots = {PLAY_SPOT, *(SEAT_SPOTS[seat] for seat in layers)}
        self.same("spots", spots, set(tap.spots))
        self.same("race", books.asked is Asked.RACE, tap.is_race)

    def is_right(self, card: str) -> bool:
        """Whether a mat, which sees no hand, must take this card for a right one."""
        if self.books.asked is Asked.DEBT:
            return is_joker(card) or special_of(card) == "plus3"
        return self.books.beats(card)

    def compare_told(self) -> None:
        """What was told of cards drawn, whose turn it is, and who is out."""
        books = self.books
        drew = [(e.facts["seat"], e.facts["n"]) for e in self.events if e.code in TELL_OF_DRAWS]
        self.same("drawn, as told", [d for d in books.drew if d[1]], drew)
        turns = [e.facts["seat"] for e in self.events if e.code in ("turn", "begins")]
        if turns and books.asked in (Asked.CARD, Asked.DRAWN):
            self.same("turn, as told", [books.turn], turns)
        out = [event.facts["seat"] for event in self.events if event.code == "out"]
        is_out = books.asked in (Asked.NOTHING, Asked.NEXT_ROUND) and books.winner is not None
        self.same("out, as told", [books.winner] if is_out else [], out)

    def same(self, what: str, books: object, referee: object) -> None:
        if books != referee:
            self.differ(f"{what}: the books say {books}, the referee says {referee}")

    def differ(self, what: str) -> None:
        raise AssertionError("\n  ".join([f"{what}\n{self.name}:", *self.history]))

    def dealt(self) -> list[str]:
        return [f"seat {seat} holds {' '.join(hand)}" for seat, hand in enumerate(self.books.hands)]


def deck_of(cards: list[str]) -> Deck:
    """The deck file an owner with this box would write."""
    counts = Counter(map(kind_of, cards))
    kinds = tuple(dataclasses.replace(kind, count=counts[kind.name]) for kind in DECK.kinds)
    return Deck("ciao", kinds, is_verified=False)


@cache
def play(style: str, players: int, variant: str, cards: str, seed: int) -> frozenset[str]:
    """Play one game twice over, and return the rare things that it saw."""
    game = TwiceKept(style, players, variant, cards, seed)
    game.play()
    return frozenset(game.books.happened)


def play_all(style: str) -> set[str]:
    seen = set[str]()
    for players in PLAYERS:
        for variant, cards, seeds in GAMES:
            for seed in seeds:
                seen |= play(style, players, variant, cards, seed)
    return seen


# --- the tests -----------------------------------------------------------------------------------


def test_the_deck_file_holds_the_cards_of_the_books() -> None:
    """The 108 cards by symbol and colour, whatever special they bear."""
    plain = Counter("-".join(kind_of(card).split("-")[:2]) for card in BOXES["shipped"])
    expected = {f"{s}-{colour}": n for colour, n in OF_EACH_SYMBOL.items() for s in SYMBOLS}
    expected |= {f"{JOKER}-{colour}": JOKERS_OF_A_COLOUR for colour in OF_EACH_SYMBOL}
    assert plain == {**expected, OBSTACLE: 3}
    assert DECK.total == sum(plain.values()) == 108
    assert not DECK.is_verified


def test_the_deck_file_has_every_special_in_every_colour() -> None:
    there = {(special_of(card), colour_of(card)) for card in BOXES["shipped"]}
    assert there >= {(special, colour) for special in SPECIALS for colour in OF_EACH_SYMBOL}
    for kind in DECK.kinds:
        assert kind.value == points_of(kind.name)
        assert kind.traits["special"] == (special_of(kind.name) or "none")
        assert kind.traits["symbol"] == symbol_of(kind.name) or symbol_of(kind.name) is None


def on(top: str, named: str = "", variant: int = 0) -> CiaoBooks:
    """Books in which this card lies on top."""
    books = CiaoBooks(2, 0, box(), Random("on"), House(variant=variant))
    books.discards, books.named = [f"{top}#1"], named
    return books


def test_the_books_know_the_printed_examples() -> None:
    kinds = {kind_of(card) for card in box() if special_of(card) is None}
    follow_green_rock = {kind for kind in kinds if on("rock-green").beats(kind)}
    papers, jokers = ({f"{what}-{c}" for c in OF_EACH_SYMBOL} for what in ("paper", JOKER))
    assert follow_green_rock == {"rock-yellow", "rock-red"} | papers | jokers
    assert on("joker-yellow", "paper").beats("scissors-green")
    assert on("joker-yellow", "paper").beats("paper-red")
    assert not on("joker-yellow", "paper").beats("paper-green")
    assert not on("scissors-yellow").beats("paper-red")
    assert not on("rock-green", variant=1).beats("rock-red")


RARE = {
    "random": {
        *("a race that nobody wins", "swap as the last card", "the last card given"),
        *("+3 the other way round", "joker against 6", "+3 that does not beat"),
    },
    "greedy": {"a tie plays one more", "plus3 as the last card", "reverse as the last card"},
    "careful": {"joker as the last card", "+3 against 3"},
    "hoarder": {"reshuffled amid a draw", "paid 18", "joker against 9", "forgot to thank"},
    "idler": {
        *("nobody could move a card", "nothing left to draw", "too few left to draw"),
        *("wrong first card", "wrong card after a draw"),
    },
    "racer": {
        *(f"a race won with {special}" for special in SPECIALS),
        *("a race won with a joker", "a race changes who is next", "begun with speed"),
    },
    "chainer": {"joker as the last card", "begun with plus3", "give as the last card"},
    "finisher": {"again with an empty hand", "speed as the last card", "the last card given"},
    "bungler": {
        *("wrong card in a race", "a race won after a wrong card of one's own"),
        *("wrong card against a debt", "stronger card against a debt", "obstacle played"),
    },
    "moody": {"obstacle given", "an obstacle swapped away"},
}


@pytest.mark.parametrize("style", STYLES)
def test_referee_and_books_agree_on_whole_games(style: str) -> None:
    seen = play_all(style)
    assert seen >= RARE[style], f"never seen: {RARE[style] - seen}"
