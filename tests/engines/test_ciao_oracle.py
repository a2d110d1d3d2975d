"""The rules of Ciao! compared with the robots' books in random games, after every input.

The books are an independent model: ``sim.robots.ciao.books`` decides what is legal, what follows
and who wins. The rules get only the inputs that a table would give them. A difference is reported
with the inputs that lead to it.
"""

from collections import Counter
from dataclasses import replace
from functools import partial
from random import Random
from typing import Final

import pytest

from engines.ciao import GAME
from engines.common.contract import (
    Message,
    OptionValue,
    PressAsk,
    Seat,
    SeatChoice,
    Tap,
    TapAsk,
)
from engines.common.pieces import Deck
from firmware.boxes.decks import load_deck
from sim.robots.ciao.adapter import ENDED, PHASES, ROBOTS, VARIANTS, Ciao
from sim.robots.ciao.books import (
    JOKER,
    JOKERS_OF_A_COLOUR,
    OBSTACLE,
    OF_EACH_SYMBOL,
    SPECIALS,
    SYMBOLS,
    CiaoAsk,
    CiaoBooks,
    CiaoHouseRules,
    CiaoVerb,
    box,
    colour_of,
    is_joker,
    kind_of,
    points_of,
    special_of,
    symbol_of,
)
from sim.robots.ciao.styles import STYLES
from sim.robots.contract import RobotAct, SeededDeal
from tests.effort import Games, long_unless, seen_in
from tests.engines.oracle import Comparison

DECK: Final = load_deck(GAME)

BOXES = {"shipped": sorted(map(str, DECK.pieces())), "rich": box(each=2)}
PLAYERS = (2, 3, 4, 5, 6)
GAMES = (  # variant, box, seeds; games with odd seeds are scored over several rounds
    ("full", "shipped", (0, 1, 2)),
    ("full", "rich", (0, 2)),
    ("symbols", "shipped", (0, 1)),
    ("specials", "shipped", (0,)),
    ("colours", "rich", (0,)),
)
MORE_SEEDS = (3, 5, 7)  # more scored games for the greedy style, whose rare events need them
LABELS: dict[CiaoAsk | str, str] = {
    CiaoAsk.CARD: "draw",
    CiaoAsk.DRAWN: "pass",
    CiaoAsk.DEBT: "take",
    CiaoAsk.RACE: "nobody",
    CiaoAsk.NEXT_ROUND: "next-round",
    "scoring": "hand-done",
}
TELL_OF_DRAWS = ("draws", "penalty")


class CiaoComparison(Comparison):
    """A game of Ciao! on the rules, compared with the robots' books.

    Also compared are the rules' events about draws, turns, totals and fouls.
    """

    @property
    def adapter(self) -> Ciao:
        """The robots' adapter for Ciao!."""
        assert isinstance(self.books, Ciao)
        return self.books

    @property
    def kept(self) -> CiaoBooks:
        """The adapter's books: the independent model of the game."""
        return self.adapter.books

    def do(self, act: RobotAct) -> None:
        ruling, tapped = self.books.ruling(act.given), (self.adapter.racing or act).given
        is_debt, losers, turn = self.kept.asked is CiaoAsk.DEBT, self.kept.beaten, self.kept.turn
        is_late = act.given in [SeatChoice(Seat(seat)) for seat in losers - {turn}]
        is_counting = bool(self.adapter.to_count)
        super().do(act)
        if not is_counting and len(act.move or ()) > 1 and act.move[0].verb is CiaoVerb.PASS:
            self.kept.note("a pass forgotten")
        if ruling is not None and ruling.is_foul:
            assert isinstance(tapped, Tap)
            code = "wrong-answer" if is_debt else "wrong-card"
            if tapped.piece.kind == OBSTACLE:
                code = "wrong-obstacle"
            if is_late:
                code = "too-late.happened"
            self.same("what was wrong", code, self.events[0].code)
        if is_counting and not self.adapter.to_count:
            told = {e.facts["seat"]: e.facts["n"] for e in self.events if e.code == "total"}
            self.same("totals, as told", dict(enumerate(self.kept.totals)), told)
        if not is_counting and self.adapter.racing is self.adapter.held and len(act.move) == 1:
            self.compare_told()

    def compare_step(self, act: RobotAct) -> None:
        super().compare_step(act)
        self.same("counts", dict(self.books.expected.counts), dict(self.view.counts))
        races = [ask.is_race for ask in self.asks if isinstance(ask, TapAsk)]
        self.same("race", self.adapter.phase == "race", any(races))
        self.same("label", LABELS.get(self.label_key), self.label)
        if self.adapter.phase in PHASES.values() and self.kept.asked not in ENDED:
            self.compare_to_beat()

    @property
    def label_key(self) -> CiaoAsk | str:
        """The key into LABELS: the question asked, or the phase."""
        books, phase = self.kept, self.adapter.phase
        if phase != PHASES.get(books.asked):
            return phase
        is_stuck = books.asked is CiaoAsk.CARD and not books.is_anything_to_draw()
        return CiaoAsk.DRAWN if is_stuck else books.asked

    @property
    def label(self) -> str | None:
        """The label of the button that the rules ask for; None if they ask for no button."""
        labels = [ask.label for ask in self.asks if isinstance(ask, PressAsk)]
        self.same("one button at most", True, len(labels) < 2)
        return labels[0] if labels else None

    def compare_to_beat(self) -> None:
        """Check that the view has the card to beat, or the number of cards owed, of the books."""
        books, view = self.kept, self.view
        shown = view.headline.code if isinstance(view.headline, Message) else view.headline
        assert view.spoken is not None
        said = view.spoken.facts.get("card")
        to_beat = books.to_beat()
        if books.asked is CiaoAsk.DEBT:
            self.same("cards owed", str(books.debt), shown)
        elif to_beat is None:
            self.same("to beat", "headline.any", shown)
        else:
            symbol, colour = to_beat[0] or JOKER, to_beat[1]
            is_coloured = books.house.variant in (0, 3)
            self.same("to beat", f"headline.{symbol}", shown)
            named = books.named if books.top is not None and is_joker(books.top) else None
            if named:
                caption = "joker-as" if is_coloured else "to-beat-joker"
            else:
                caption = f"colour.{colour}" if is_coloured else "to-beat"
            self.same("colour to beat", caption, view.caption.code)
            self.same("colour to beat, as told", colour, view.caption.facts.get("colour", colour))
            self.same("named for a joker", named or "", view.stands_for)
            self.same("to beat, as told", f"{symbol}-{colour}" if is_coloured else symbol, said)

    def compare_told(self) -> None:
        """Check the last events against the books.

        They must name the cards drawn, the player whose turn it is, and the player without cards.
        """
        books = self.kept
        drew = [(e.facts["seat"], e.facts["n"]) for e in self.events if e.code in TELL_OF_DRAWS]
        self.same("drawn, as told", [d for d in books.drew if d[1]], drew)
        turns = [e.facts["seat"] for e in self.events if e.code in ("turn", "begins")]
        if turns and books.asked in (CiaoAsk.CARD, CiaoAsk.DRAWN):
            self.same("turn, as told", [books.turn], turns)
        out = [event.facts["seat"] for event in self.events if event.code == "out"]
        is_out = books.asked in (CiaoAsk.NOTHING, CiaoAsk.NEXT_ROUND) and books.winner is not None
        self.same("out, as told", [books.winner] if is_out else [], out)


def deck_of(cards: list[str]) -> Deck:
    """Return a Ciao! deck that has exactly *cards*, and as many copies of each."""
    counts = Counter(map(kind_of, cards))
    kinds = tuple(replace(kind, count=counts[kind.name]) for kind in DECK.kinds)
    return Deck("ciao", kinds, is_verified=False)


def play(style: str, players: int, variant: str, cards: str, seed: int) -> frozenset[str]:
    """Play a game, check that rules and books agree, and return the names of its rare events.

    *style* is that of all robots, *variant* a house rule, and *cards* a key of BOXES.
    """
    name = f"play({style!r}, {players}, {variant!r}, {cards!r}, {seed})"
    options: dict[str, OptionValue] = {}
    if seed % 2:
        options["scoring"] = True
    if variant != VARIANTS[0]:
        options["variant"] = variant
    if seed % 4 == 2:
        options["race-out"] = False
    deal = SeededDeal(players, Random(name).randrange(players), seed, options)
    robots = replace(ROBOTS, open=lambda deal: Ciao(deal, BOXES[cards]))
    deck = DECK if cards == "shipped" else deck_of(BOXES[cards])
    game = CiaoComparison(GAME, robots, deal, style, deck, name)
    game.play()
    return frozenset(game.kept.happened)


def games_of(style: str) -> Games:
    """Return a function for each game of *style*; it calls ``play`` for that game."""
    return [
        partial(play, style, players, variant, cards, seed)
        for players in PLAYERS
        for variant, cards, seeds in GAMES
        for seed in (*seeds, *(MORE_SEEDS if style == "greedy" else ()))
    ]


# --- the tests -----------------------------------------------------------------------------------


def test_the_deck_file_holds_the_cards_of_the_books() -> None:
    """The numbers of cards by symbol and colour are the same, without regard to specials."""
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
    """Return books in which *top* is the top card; *named* is the symbol named for a joker.

    *variant* is the number of the variant for children, or 0.
    """
    books = CiaoBooks(2, 0, box(), Random("on"), CiaoHouseRules(variant=variant))
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
    "hoarder": {"reshuffled during a draw", "paid 18", "joker against 9", "forgot to thank"},
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
        "a card too late for a race",
        *("a race that all have lost", "a pass forgotten"),
        *("wrong card against a debt", "stronger card against a debt", "obstacle played"),
    },
    "moody": {"obstacle given", "an obstacle swapped away"},
}


# Games that show what is rare: python -m tests.engines.first_games prints them.
FIRST: dict[str, tuple[int, ...]] = {
    "random": (8, 4, 28),
    "greedy": (8, 97),
    "careful": (8, 24),
    "hoarder": (4, 1),
    "idler": (36, 4),
    "racer": (13, 7),
    "chainer": (28, 10),
    "finisher": (28,),
    "bungler": (13, 8),
    "moody": (4,),
}

LONG_GAMES = ("bungler", "hoarder", "greedy", "moody")  # styles whose games take the longest


@pytest.mark.first
@pytest.mark.parametrize("style", long_unless(lambda style: style not in LONG_GAMES, STYLES))
def test_the_rules_and_the_books_agree_on_whole_games(style: str) -> None:
    seen = seen_in(games_of(style), RARE[style], FIRST[style])
    assert seen >= RARE[style], f"never seen: {RARE[style] - seen}"
