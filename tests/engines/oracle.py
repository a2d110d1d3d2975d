"""Random games on the rules alone, compared with the robots' books after every input.

The books are an independent model of a game. The game's adapter
(``sim/robots/<game>/adapter.py``) turns moves in the books into inputs, and the books' state into
the views and answers expected. Other tests let the adapter play through the whole table; here it
plays on the rules alone, and many wrong inputs are tried in between.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from engines.common.contract import (
    PLAY_SPOT,
    SEAT_SPOTS,
    Ask,
    Button,
    Choice,
    ChoiceAsk,
    Game,
    Input,
    Message,
    Number,
    NumberAsk,
    PlaceAsk,
    PlaceChoice,
    Press,
    PressAsk,
    Seat,
    SeatAsk,
    SeatChoice,
    Tap,
    TapAsk,
    View,
)
from engines.common.grid import Place
from engines.common.pieces import Deck, Piece
from firmware.journal.journal import GameStart
from sim.robots.contract import RobotAct, Robots, Ruling, SeededDeal
from sim.robots.referees import Rules
from sim.robots.session import Difference, Session
from tests.engines.contract import NAMES

MOST_ACTS = 5000  # a game still running after this many acts has failed
WRONG = 0.2  # fraction of acts before which wrong inputs are tried
STRANGE: tuple[Input, ...] = (
    *(Tap(Piece("lizard")), Choice("lizard"), SeatChoice(Seat(6)), PlaceChoice(Place(99, -99))),
    *map(Number, (-1, 0, 1, 5, 11, 50)),
)


class Comparison(Session):
    """A game of robots on the rules of *game*, compared with the robots' books.

    Args:
        game: the rules.
        robots: the game's robots; their adapter keeps the books, an independent model of the game.
        deal: how the game starts.
        style: the playing style of all robots.
        deck: the deck in the box.
        name: the seed of all random choices, and the title of a failure report.
    """

    def __init__(
        self, game: Game[Any], robots: Robots, deal: SeededDeal, style: str, deck: Deck, name: str
    ) -> None:
        names = NAMES[: deal.players]
        self.game, self.name, self.deck = game, name, tuple(deck.pieces())
        self.rules = Rules(game, GameStart(game.name, names, deal.dealer, deal.options, deck))
        super().__init__(robots, deal, [style] * deal.players, self.rules, Random(name))

    def play(self) -> None:
        """Play to the end, and check after every act that rules and books agree.

        Raises:
            AssertionError: they differ; the message lists all inputs of the game.
        """
        try:
            self.compare()
            while not self.books.is_over:
                self.same("the game ends", True, len(self.acts) < MOST_ACTS)
                if self.chance.random() < WRONG:
                    self.try_what_is_wrong()
                act = self.next_act()
                self.do(act)
                self.compare_step(act)
            self.same("asks", (), self.asks)
            self.try_what_is_wrong()
        except Difference as wrong:
            script = "\n  ".join(self.rules.script)
            raise AssertionError(f"{wrong}\n{self.name}:\n  {script}") from wrong

    @property
    def asks(self) -> tuple[Ask, ...]:
        """The inputs that the rules ask for."""
        return self.game.asks(self.rules.state)

    @property
    def view(self) -> View:
        """The rules' view of the current state."""
        return self.game.view(self.rules.state)

    @property
    def events(self) -> Sequence[Message]:
        """The messages about the last input."""
        return self.rules.events

    def compare_step(self, act: RobotAct) -> None:
        """Check on some inputs that the rules ask for those that the books accept.

        Subclasses also compare other parts of their games after *act*, the last act.
        """
        hand, asks = self.books.hand(self.books.actor), self.asks
        taps = map(Tap, self.chance.sample(hand, min(4, len(hand))))
        for given in (*taps, *answers(asks)):
            expected = self.compare_answer(given)
            if expected is not None:
                is_asked = any(accepts(ask, given) for ask in asks)
                self.same(f"{given} is asked for", expected.is_taken, is_asked)

    def try_what_is_wrong(self) -> None:
        """Check that rules and books give the same answers to inputs that are mostly wrong.

        These contain unknown names, pieces already played, and pieces of other players.
        """
        chance, lying = self.chance, self.books.lying
        wrong = [*STRANGE, *map(Press, Button)]
        wrong += map(Tap, chance.sample(lying, min(2, len(lying))))
        for seat in map(Seat, range(self.deal.players)):
            held = self.books.hand(seat)
            for piece in chance.sample(held, min(2, len(held))):
                wrong += [Tap(piece), Tap(piece, PLAY_SPOT, seat)]
                wrong += [Tap(piece, SEAT_SPOTS[seat], seat), Tap(Piece(piece.kind, 99))]
        wrong += map(Tap, chance.sample(self.deck, 5))
        for given in wrong:
            self.compare_answer(given)

    def compare_answer(self, given: Input) -> Ruling | None:
        """Check that the rules answer *given* as the books do, without changing the game.

        Returns:
            The answer that the books expect; None if the books cannot predict it.
        """
        expected = self.books.ruling(given)
        if expected is not None:
            self.same(given, expected, self.rules.ruling(given))
        return expected


def answers(asks: Sequence[Ask]) -> Iterator[Input]:
    """Yield possible inputs other than taps: those asked for, and some just outside their range."""
    yield from map(Press, Button)
    yield from map(SeatChoice, map(Seat, range(6)))
    for ask in asks:
        match ask:
            case NumberAsk(low, high):
                yield from map(Number, (low - 1, low, high, high + 1))
            case ChoiceAsk(names):
                yield from map(Choice, names)
            case PlaceAsk(offers):
                yield from (PlaceChoice(offer.place) for offer in offers)


def accepts(ask: Ask, given: Input) -> bool:
    """Return True if *ask* asks for *given*, or names it as a foul."""
    match ask, given:
        case TapAsk(kinds, _, spots, _, fouls), Tap(piece, spot):
            return piece.kind in kinds | fouls and spot in spots
        case NumberAsk(low, high), Number(value):
            return low <= value <= high
        case ChoiceAsk(names), Choice(name):
            return name in names
        case SeatAsk(seats), SeatChoice(seat):
            return seat in seats
        case PlaceAsk(offers), PlaceChoice(place):
            return any(offer.place == place for offer in offers)
        case PressAsk(button), Press(pressed):
            return button is pressed
    return False
