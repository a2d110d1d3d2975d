"""The robots of Straw: their books input by input, and what the mat must answer.

Room: sim/robots.
Source: the printed rules as ``sim.robots.straw.books`` keeps them; where it is about what a mat can
know, engines/straw/RULES.md, sections 1, 7 and 10.
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
from sim.robots.seam import (
    NOT_NOW,
    TAKEN,
    Act,
    Books,
    Deal,
    Robots,
    Scene,
    Shown,
    Style,
    Verdict,
    piece_of,
    tap_verdict,
    tapped,
)
from sim.robots.straw.books import (
    GAME_DONE,
    PLAYING,
    ROUND_DONE,
    StrawBooks,
    box,
    kind_of,
    printed,
)
from sim.robots.straw.styles import LIKINGS, Liking, liked, plays_of

OK, ACTION = Press(Button.OK), Press(Button.ACTION)
CARDS = box()
NAMES = frozenset(CARDS)
LAMP_NUMBERS = range(1, 11)


class Straw:
    """The books of one game, and how far the table is in a play or in counting; a ``Books``."""

    def __init__(self, deal: Deal) -> None:
        self.books = StrawBooks(deal.players, deal.dealer, CARDS, Random(deal.seed))
        self.lamp = ""  # laid, and waiting for its weight
        self.to_count: list[int] = []  # hands; the first is being counted
        self.counted: list[str] = []  # of all hands
        self.points = 0  # of the hand being counted
        self.known_totals = [0] * deal.players  # as the table has heard them

    # --- whose turn, and what must be seen ---

    @property
    def phase(self) -> str:
        """What the table is doing."""
        if self.lamp:
            return "lamp"
        if self.books.state == PLAYING:
            return "play"
        if self.to_count:
            return "scoring"
        return "over" if self.books.state == GAME_DONE else "round-over"

    @property
    def is_over(self) -> bool:
        """Whether all rounds are played and counted."""
        return self.phase == "over"

    @property
    def actor(self) -> int:
        """Who plays, lays down a hand, or deals the next round."""
        if self.to_count:
            return self.to_count[0]
        if self.books.state == PLAYING:
            return self.books.turn
        return (self.books.dealer + 1) % self.books.players

    @property
    def shown(self) -> Shown:
        """The weight and whose turn it is; in counting, the points; then the totals."""
        books, phase = self.books, self.phase
        counts = {f"hand-{seat}": len(hand) for seat, hand in enumerate(books.hands, start=1)}
        counts |= {"draw-pile": len(books.pile), "camel": len(books.camel)}
        counts["round"] = books.rounds_done + (books.state == PLAYING)
        is_played = phase in ("play", "lamp")
        clockwise = Direction.CLOCKWISE if books.step == 1 else Direction.COUNTER_CLOCKWISE
        return Shown(
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

    # --- what could be laid ---

    @property
    def lying(self) -> Sequence[Piece]:
        """On the camel, and counted."""
        return [piece_of(card) for card in (*self.books.camel, *self.counted)]

    def hand(self, seat: int) -> Sequence[Piece]:
        """What *seat* holds still."""
        return [piece_of(card) for card in self.books.hands[seat] if card not in self.counted]

    def verdict(self, given: Input) -> Verdict | None:
        """What must come of *given* now."""
        phase = self.phase
        if phase == "lamp":
            if not isinstance(given, Number):
                return NOT_NOW
            return TAKEN if given.value in LAMP_NUMBERS else Verdict("lamp-out-of-range")
        if phase in ("round-over", "over"):
            return TAKEN if phase == "round-over" and given == OK else NOT_NOW
        if given == ACTION:
            return self._verdict_of_action(phase)
        return self._verdict_of_tap(given, phase) if isinstance(given, Tap) else NOT_NOW

    def _verdict_of_tap(self, tap: Tap, phase: str) -> Verdict:
        also = (HAND_SPOT,) if phase == "scoring" else ()
        spots = (PLAY_SPOT, SEAT_SPOTS[self.actor], *also)
        if wrong := tap_verdict(tap, self.actor, spots, NAMES):
            return wrong
        card = str(tap.piece)
        if card in self.books.camel or card in self.counted:
            return Verdict("already-played")
        reason = self.books.why_not(card) if phase == "play" else None
        return TAKEN if reason is None else Verdict(reason)

    def _verdict_of_action(self, phase: str) -> Verdict | None:
        """The mat takes somebody's word that no card can be played where that may be so.

        It knows no hand, and of two or more cards on a begun camel at most one is the Straw.
        """
        if phase == "scoring" or not self.books.playable():
            return TAKEN
        return NOT_NOW if self.books.camel and len(self.books.hand) > 1 else None

    # --- what is done ---

    def take(self, act: Act) -> None:
        """Write down a card, a weight, that no card can be played, or the next deal."""
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
        """A card is laid and weighed; the round may be over with it."""
        self.books.play(card, number)
        self._begin_counting()

    def _begin_counting(self) -> None:
        """After a round hands are laid down one by one, from the dealer's left; no empty ones."""
        books = self.books
        if books.state == PLAYING:
            return
        order = [(books.dealer + n) % books.players for n in range(1, books.players + 1)]
        self.to_count = [s for s in order if s in books.scorers and books.hands[s]]
        self.points = 0
        self._learn_totals()

    def _count(self, card: str) -> None:
        """A card of the hand being counted is laid down."""
        seat = self.to_count[0]
        self.counted.append(card)
        self.points += printed(card)
        if set(self.books.hands[seat]) <= set(self.counted):
            del self.to_count[0]
            self.points = 0
            self._learn_totals()

    def _learn_totals(self) -> None:
        """After the last hand the table hears the totals."""
        if not self.to_count:
            self.known_totals = list(self.books.totals)


def style_of(liking: Liking) -> Style:
    """How a robot plays that likes such plays."""

    def act(table: Straw, chance: Random) -> Act:
        books, seat = table.books, table.actor
        if table.lamp:
            _, number = liked(liking, books, plays_of(books, table.lamp), chance)
            return Act(seat, Number(number or LAMP_NUMBERS[0]))
        if table.to_count:
            left = [card for card in books.hands[seat] if card not in table.counted]
            return tapped(seat, chance.choice(left), chance)
        if books.state != PLAYING:
            return Act(seat, OK)
        plays = [play for card in books.playable() for play in plays_of(books, card)]
        if not plays:
            return Act(seat, ACTION)
        return tapped(seat, liked(liking, books, plays, chance)[0], chance)

    return act


def _books(deal: Deal) -> Books:
    return Straw(deal)


def _seated(scene: Scene) -> Books | None:
    """The camel and one hand; the other hands and the draw pile are left empty."""
    if scene.turn != scene.seat:
        return None
    table = Straw(Deal(scene.players, (scene.seat - 1) % scene.players, 0))
    books, laid = table.books, list(scene.laid)
    books.hands = [[] for _ in range(scene.players)]
    books.hands[scene.seat] = list(scene.hand)
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
    _books,
    {name: style_of(liking) for name, liking in LIKINGS.items()},
    seated=_seated,
    fair=("good", *(name for name in LIKINGS if name != "good")),
)
