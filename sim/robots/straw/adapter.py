"""The adapter of Straw: from plays to the table's inputs and the answers that it must give.

The robots' own record of a game is called its *books*.

Source: the printed rules in ``sim.robots.straw.books``; for what a table can know,
engines/straw/RULES.md, sections 1, 7 and 10.
"""

from collections.abc import Sequence
from random import Random

from engines.common.contract import (
    PLAY_SPOT,
    SEAT_SPOTS,
    Button,
    Direction,
    Input,
    Number,
    Press,
    Tap,
)
from engines.common.hands import HAND_SPOT
from engines.common.pieces import Piece
from sim.robots.contract import (
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
from sim.robots.scene import HandsScene
from sim.robots.straw.books import (
    GAME_DONE,
    PLAYING,
    ROUND_DONE,
    StrawBooks,
    box,
    kind_of,
    printed_number,
)
from sim.robots.straw.styles import LIKINGS, Liking, choose_play, plays_of

OK, ACTION = Press(Button.OK), Press(Button.ACTION)
UNSEEN = "unseen"  # stands for an unknown card
CARDS = box()
LAMP_NUMBERS = range(1, 11)


class Straw:
    """The ``Books`` of one game. They apply the table's inputs to the rules in ``self.books``.

    They also track a Lamp whose weight is not chosen yet, and the counting of hands.
    """

    def __init__(self, deal: SeededDeal, cards: Sequence[str] = CARDS) -> None:
        self.books = StrawBooks(deal.players, deal.dealer, list(cards), Random(deal.seed))
        self._names = frozenset(cards)
        self.lamp = ""  # the Lamp that waits for its weight
        self.to_count: list[int] = []  # seats; the hand of the first is being counted
        self.counted: list[str] = []  # the counted cards of all hands
        self.points = 0  # the points of the hand being counted, so far
        self.known_totals = [0] * deal.players  # the totals that the table knows

    # --- the turn and the expected view ---

    @property
    def phase(self) -> str:
        """The phase that the table must show."""
        if self.lamp:
            return "lamp"
        if self.books.state == PLAYING:
            return "play"
        if self.to_count:
            return "scoring"
        return "over" if self.books.state == GAME_DONE else "round-over"

    @property
    def is_over(self) -> bool:
        """Return True if all rounds are played and counted."""
        return self.phase == "over"

    @property
    def actor(self) -> int:
        """The seat of the player who plays, lays down a hand, or deals the next round."""
        if self.to_count:
            return self.to_count[0]
        if self.books.state == PLAYING:
            return self.books.turn
        return (self.books.dealer + 1) % self.books.players

    @property
    def expected(self) -> Expected:
        """The view that the table must show now."""
        books, phase = self.books, self.phase
        counts = {f"hand-{seat}": len(hand) for seat, hand in enumerate(books.hands, start=1)}
        counts |= {"draw-pile": len(books.pile), "camel": len(books.camel)}
        counts["round"] = books.rounds_done + (books.state == PLAYING)
        is_played = phase in ("play", "lamp")
        clockwise = Direction.CLOCKWISE if books.step == 1 else Direction.COUNTER_CLOCKWISE
        return Expected(
            phase,
            scores=self.known_totals,
            turn=None if phase == "over" else self.actor,
            winners=books.winners if phase == "over" else (),
            direction=clockwise if is_played else None,
            headline=str(self._figure(phase)),
            counts=counts,
        )

    def _figure(self, phase: str) -> int:
        if phase == "scoring" and self.counted:
            return self.points
        return self.books.weight if phase in ("play", "lamp", "scoring") else max(self.known_totals)

    # --- pieces, and answers to inputs ---

    @property
    def lying(self) -> Sequence[Piece]:
        """The cards on the camel and the counted cards."""
        return [piece_of(card) for card in (*self.books.camel, *self.counted)]

    def hand(self, seat: int) -> Sequence[Piece]:
        """Return the cards of *seat* that are not counted yet."""
        return [piece_of(card) for card in self.books.hands[seat] if card not in self.counted]

    def ruling(self, given: Input) -> Ruling | None:
        """Return the answer that the table must give to *given*; None if it cannot be known."""
        phase = self.phase
        if phase == "lamp":
            if not isinstance(given, Number):
                return NOT_NOW
            return TAKEN if given.value in LAMP_NUMBERS else Ruling("lamp-out-of-range")
        if phase in ("round-over", "over"):
            return TAKEN if phase == "round-over" and given == OK else NOT_NOW
        if given == ACTION:
            return self._ruling_on_action(phase)
        return self._ruling_on_tap(given, phase) if isinstance(given, Tap) else NOT_NOW

    def _ruling_on_tap(self, tap: Tap, phase: str) -> Ruling:
        also = (HAND_SPOT,) if phase == "scoring" else ()
        spots = (PLAY_SPOT, SEAT_SPOTS[self.actor], *also)
        if wrong := tap_ruling(tap, self.actor, spots, self._names):
            return wrong
        card = str(tap.piece)
        if card in self.books.camel or card in self.counted:
            return Ruling("already-played")
        reason = self.books.why_not(card) if phase == "play" else None
        return TAKEN if reason is None else Ruling(reason)

    def _ruling_on_action(self, phase: str) -> Ruling | None:
        """Return the answer to the claim that no card can be played.

        The table sees no hand, so it accepts every claim that may be true. On a camel that is not
        empty, a player with two cards or more can always play, because only the one Straw can be
        forbidden; the table refuses that claim. Return None for a false claim that the table cannot
        recognize as false.
        """
        if phase == "scoring" or not self.books.playable():
            return TAKEN
        return NOT_NOW if self.books.camel and len(self.books.hand) > 1 else None

    # --- accepted acts ---

    def take(self, act: RobotAct) -> None:
        """Record an act that the rules accept."""
        books = self.books
        match act.given:
            case Tap(piece) if self.to_count:
                self._count(str(piece))
            case Tap(piece) if books.asks_a_number(str(piece)):
                self.lamp = str(piece)
            case Tap(piece):
                self._play(str(piece))
            case Number(value):
                lamp, self.lamp = self.lamp, ""
                self._play(lamp, value)
            case Press(Button.OK):
                self.counted = []
                books.next_round()
            case _:
                books.cannot_play()
                self._begin_counting()

    def _play(self, card: str, number: int | None = None) -> None:
        """Play a card, and begin the counting of hands if the round has ended."""
        self.books.play(card, number)
        self._begin_counting()

    def _begin_counting(self) -> None:
        """If the round has ended, set ``to_count`` to the seats to count, from the dealer's left.

        Only hands that score are counted, and empty hands are left out.
        """
        books = self.books
        if books.state == PLAYING:
            return
        order = [(books.dealer + n) % books.players for n in range(1, books.players + 1)]
        self.to_count = [s for s in order if s in books.scorers and books.hands[s]]
        self.points = 0
        self._learn_totals()

    def _count(self, card: str) -> None:
        """Count one card of the hand that is being counted; after its last, go to the next hand."""
        seat = self.to_count[0]
        self.counted.append(card)
        self.points += printed_number(card)
        if set(self.books.hands[seat]) <= set(self.counted):
            del self.to_count[0]
            self.points = 0
            self._learn_totals()

    def _learn_totals(self) -> None:
        """Record the new totals as known to the table, if all hands have been counted."""
        if not self.to_count:
            self.known_totals = list(self.books.totals)


def style_of(liking: Liking) -> Style:
    """Return a style of play in which *liking* chooses the cards."""

    def act(table: Straw, chance: Random) -> RobotAct:
        books, seat = table.books, table.actor
        if table.lamp:
            _, number = choose_play(liking, books, plays_of(books, table.lamp), chance)
            return RobotAct(seat, Number(number or LAMP_NUMBERS[0]))
        if table.to_count:
            left = [card for card in books.hands[seat] if card not in table.counted]
            return tap_act(seat, chance.choice(left), chance)
        if books.state != PLAYING:
            return RobotAct(seat, OK)
        plays = [play for card in books.playable() for play in plays_of(books, card)]
        if not plays:
            return RobotAct(seat, ACTION)
        return tap_act(seat, choose_play(liking, books, plays, chance)[0], chance)

    return act


def _from_scene(scene: HandsScene) -> Books | None:
    """Return a record of what the robot knows: the camel, its own hand, and the others' sizes.

    The cards in other hands and in the draw pile are called UNSEEN. Return None if it is not the
    robot's turn.
    """
    if scene.turn != scene.seat:
        return None
    table = Straw(SeededDeal(scene.players, (scene.seat - 1) % scene.players, 0))
    books, laid = table.books, list(scene.laid)
    books.hands = [[UNSEEN] * scene.counts[f"hand-{n}"] for n in range(1, scene.players + 1)]
    books.hands[scene.seat] = list(scene.hand)
    books.pile = [UNSEEN] * scene.counts["draw-pile"]
    books.rounds_done = scene.counts["round"] - 1
    books.totals = list(scene.scores)
    books.step = 1 if scene.direction is not Direction.COUNTER_CLOCKWISE else -1
    match scene.phase:
        case "scoring":
            table.to_count = [scene.seat]
        case "round-over":
            books.state = ROUND_DONE
        case phase:
            table.lamp = laid.pop() if phase == "lamp" else ""
            books.weight = int(scene.headline)
    books.camel = laid
    books.copied = next((card for card in reversed(laid) if kind_of(card) != "copy"), "")
    return table


ROBOTS = Robots(
    "straw",
    range(2, 7),
    Straw,
    {name: style_of(liking) for name, liking in LIKINGS.items()},
    from_scene=_from_scene,
    fair=("good", *(name for name in LIKINGS if name != "good")),
)
