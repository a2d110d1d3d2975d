"""The robots of Ciao!: their books input by input, and what the mat must answer.

Room: sim/robots.
Source: the printed rules as ``sim.robots.ciao.books`` keeps them; where it is about what a mat can
know, engines/ciao/RULES.md, sections 1, 3, 6, 7, 8 and 11.
"""

from collections.abc import Sequence
from copy import deepcopy
from itertools import takewhile
from random import Random

from engines.common.contract import (
    PLAY_SPOT,
    SEAT_SPOTS,
    Button,
    Choice,
    Direction,
    Input,
    Message,
    Press,
    Seat,
    SeatChoice,
    Tap,
    told,
)
from engines.common.hands import HAND_SPOT
from engines.common.pieces import Piece
from sim.robots.ciao.books import (
    AGAIN,
    JOKER,
    OBSTACLE,
    SYMBOLS,
    Asked,
    CiaoBooks,
    House,
    Verb,
    box,
    points_of,
)
from sim.robots.ciao.books import Act as BooksAct
from sim.robots.ciao.styles import STYLES, greedy
from sim.robots.ciao.styles import Style as BooksStyle
from sim.robots.seam import (
    FOUL,
    NOT_NOW,
    TAKEN,
    Act,
    Books,
    Deal,
    Give,
    Robots,
    Scene,
    Shown,
    Style,
    Verdict,
    piece_of,
    tap_verdict,
    tapped,
)

OK, ACTION = Press(Button.OK), Press(Button.ACTION)
PLAIN = Choice("special-none")  # of a card whose special is asked for; the others show it
UNSEEN = f"{OBSTACLE}#0"  # in place of a card that nobody has seen: it fits nothing
CARDS = box()
NAMES = frozenset(CARDS)
VARIANTS = ("full", "symbols", "specials", "colours")
PATIENCE = 250  # acts of a round; then everybody becomes greedy, so that it comes to its end

PHASES = {
    Asked.CARD: "play",
    Asked.DRAWN: "play",
    Asked.DEBT: "play",
    Asked.RACE: "race",
    Asked.SYMBOL: "symbol",
    Asked.AGAIN: "again",
    Asked.GIFT: "give",
    Asked.THANKS: "thanks",
    Asked.SWAP: "swap",
    Asked.NEXT_ROUND: "round-over",
    Asked.NOTHING: "over",
}
ANSWERS: dict[Asked, frozenset[Input]] = {
    Asked.CARD: frozenset({ACTION}),
    Asked.DRAWN: frozenset({ACTION}),
    Asked.DEBT: frozenset({ACTION}),
    Asked.RACE: frozenset({ACTION}),
    Asked.SYMBOL: frozenset(map(Choice, SYMBOLS)),
    Asked.AGAIN: frozenset({Choice("again"), Choice("reverse")}),
    Asked.THANKS: frozenset({Choice("thanked"), Choice("forgot")}),
    Asked.NEXT_ROUND: frozenset({OK}),
}  # all that is taken beside cards and somebody else's name
SAID: dict[Verb, Input] = {
    Verb.DRAW: ACTION,
    Verb.PASS: ACTION,
    Verb.NOBODY: ACTION,
    Verb.AGAIN: Choice("again"),
    Verb.REVERSE: Choice("reverse"),
    Verb.THANK: Choice("thanked"),
    Verb.FORGET: Choice("forgot"),
    Verb.DEAL: OK,
}
BETWEEN_PEOPLE = (Asked.GIFT, Asked.SWAP)
ENDED = (Asked.NEXT_ROUND, Asked.NOTHING)


class Ciao:
    """The books of one game, and how far the table is in a race or in counting; a ``Books``.

    What an act brings is its *move*: acts of the books, one after the other.
    """

    def __init__(self, deal: Deal) -> None:
        self.house = House(
            is_scored=bool(deal.options.get("scoring", House.is_scored)),
            rounds=int(deal.options.get("rounds", House.rounds)),
            variant=VARIANTS.index(str(deal.options.get("variant", VARIANTS[House.variant]))),
            only_drawn=bool(deal.options.get("only-drawn-card", House.only_drawn)),
            again_beats=bool(deal.options.get("again-must-beat", House.again_beats)),
            plus3_beats=bool(deal.options.get("plus3-must-beat", House.plus3_beats)),
        )
        first = (deal.dealer + 1) % deal.players
        self.books = CiaoBooks(deal.players, first, CARDS, Random(deal.seed), self.house)
        self.in_round = 0  # acts done
        self.racing: Act | None = None  # a card of the race lies there; whose is it?
        self.is_naming = False  # a card lies there; what does it bear?
        self.is_given = False  # a card has changed hands; which one?
        self.to_count: list[int] = []  # hands; the first is being counted
        self.counted: list[str] = []  # of all hands
        self.points = 0  # of the hand being counted
        self.known_totals = [0] * deal.players  # as the table has heard them

    # --- whose turn, and what must be seen ---

    @property
    def phase(self) -> str:
        """What the table is doing."""
        if self.racing:
            return "racer"
        return "scoring" if self.to_count else PHASES[self.books.asked]

    @property
    def is_over(self) -> bool:
        """Whether somebody has won the game."""
        return self.phase == "over"

    @property
    def actor(self) -> int:
        """Who does something; in a race, whose card began it sees who is first."""
        if self.to_count:
            return self.to_count[0]
        books = self.books
        if books.asked is Asked.NEXT_ROUND:
            return books.starter
        return books.receiver if books.asked is Asked.THANKS else books.turn

    @property
    def shown(self) -> Shown:
        """The card to beat or what is owed; in counting, the points; then the totals."""
        books, phase = self.books, self.phase
        is_ended = books.asked in ENDED
        number = books.rounds_done + (not is_ended)
        counts = {f"hand-{seat}": size for seat, size in enumerate(books.sizes(), start=1)}
        counts |= {"draw-pile": len(books.pile), "discard": len(books.discards)}
        counts |= {"left-out": len(CARDS) - len(books.cards), "owed": books.debt, "round": number}
        if self.house.is_scored:
            counts["rounds"] = max(self.house.rounds, number)
        clockwise = Direction.CLOCKWISE if books.step == 1 else Direction.COUNTER_CLOCKWISE
        return Shown(
            phase,
            scores=self.known_totals if self.house.is_scored else books.sizes(),
            turn=None if phase in ("race", "racer", "over") else self.actor,
            winners=books.winners if phase == "over" else (),
            direction=None if is_ended else clockwise,
            headline=self._result(phase) if is_ended else self._to_beat(),
            counts=counts,
        )

    def _to_beat(self) -> str | Message:
        if self.books.debt and not self.house.plus3_beats:
            return str(self.books.debt)
        to_beat = self.books.to_beat()
        return told("headline.any" if to_beat is None else f"headline.{to_beat[0] or JOKER}")

    def _result(self, phase: str) -> str:
        """What is left in the hand of the best, until the first card is counted; then points."""
        if phase == "scoring":
            return str(self.points if self.counted else min(self.books.sizes()))
        return str(min(self.known_totals if self.house.is_scored else self.books.sizes()))

    # --- what could be laid ---

    @property
    def lying(self) -> Sequence[Piece]:
        """On the discards, and counted."""
        return [piece_of(card) for card in (*self.books.discards, *self.counted)]

    def hand(self, seat: int) -> Sequence[Piece]:
        """What *seat* holds still."""
        return [piece_of(card) for card in self.books.hands[seat] if card not in self.counted]

    def verdict(self, given: Input) -> Verdict | None:
        """What must come of *given* now."""
        books = self.books
        if isinstance(given, SeatChoice):
            return self._verdict_of_seat(given.seat)
        if self.racing:
            return NOT_NOW
        if isinstance(given, Tap):
            return self._verdict_of_tap(given)
        if self.to_count:
            return TAKEN if given == ACTION else NOT_NOW
        return TAKEN if given in ANSWERS.get(books.asked, ()) else NOT_NOW

    def _verdict_of_seat(self, seat: int) -> Verdict:
        books = self.books
        if seat not in range(books.players):
            return NOT_NOW
        if self.racing:
            if seat not in books.racers():
                return Verdict("not-in-the-race")
            return self._verdict_of_card(str(self._card_of(self.racing)))
        if self.to_count or books.asked not in BETWEEN_PEOPLE:
            return NOT_NOW
        return Verdict("not-to-yourself") if seat == books.turn else TAKEN

    def _verdict_of_tap(self, tap: Tap) -> Verdict | None:
        books = self.books
        layers = self.to_count[:1] or books.layers()
        if not layers:
            return NOT_NOW
        spots = [PLAY_SPOT, *(SEAT_SPOTS[seat] for seat in layers)]
        is_race = books.asked is Asked.RACE
        if is_race and tap.seat is not None and tap.seat not in layers:
            # In a race a mat looks at the readers of those who run, and at no other.
            return Verdict("not-in-the-race") if tap.spot in spots else None
        layer = tap.seat if is_race and tap.seat is not None else layers[0]
        spots += [HAND_SPOT] if self.to_count else []
        if wrong := tap_verdict(tap, layer, spots, NAMES):
            return wrong
        card = str(tap.piece)
        if card not in books.cards:
            return Verdict("left-out")
        if card in books.discards or card in self.counted:
            return Verdict("already-played")
        if self.to_count or self._is_open(tap):
            return TAKEN
        return self._verdict_of_card(card)

    def _is_open(self, tap: Tap) -> bool:
        """Whether the mat must ask whose the card is."""
        is_race = self.books.asked is Asked.RACE
        return is_race and tap.seat is None and len(self.books.racers()) > 1

    def _verdict_of_card(self, card: str) -> Verdict:
        """The mat sees no hand; so it takes what was not drawn for what was."""
        if self.books.asked is Asked.DEBT:
            return TAKEN if self.books.answers(card) else FOUL
        return TAKEN if self.books.beats(card) else FOUL

    @staticmethod
    def _card_of(act: Act) -> Piece:
        assert isinstance(act.given, Tap)
        return act.given.piece

    # --- what is done ---

    def take(self, act: Act) -> None:
        """Write down what it brings, or a card that is counted."""
        if self.to_count:
            self._count(str(self._card_of(act)))
            return
        if not self.racing and isinstance(act.given, Tap) and self._is_open(act.given):
            self.racing = act
            return
        self.racing = None
        done = self.books.rounds_done
        for deed in act.move:
            self.books.do(deed)
        self.in_round = 0 if self.books.asked in ENDED else self.in_round + 1
        if self.books.rounds_done > done and self.house.is_scored:
            self._begin_counting()

    def _begin_counting(self) -> None:
        """One hand after the other, from the winner's left; empty ones are not counted."""
        books = self.books
        order = [(books.starter + n) % books.players for n in range(1, books.players + 1)]
        self.to_count = [seat for seat in order if books.hands[seat]]
        self.counted, self.points = [], 0

    def _count(self, card: str) -> None:
        """A card of the hand being counted is laid down."""
        hand = self.books.hands[self.to_count[0]]
        self.counted.append(card)
        self.points += points_of(card)
        if set(hand) <= set(self.counted):
            del self.to_count[0]
            self.points = 0
        if not self.to_count:
            self.counted = []
            self.known_totals = list(self.books.totals)


def style_of(chosen: BooksStyle) -> Style:
    """How a robot plays that chooses so; in a round that does not end, it becomes greedy."""

    def act(table: Ciao, chance: Random) -> Act:
        books = table.books
        if table.to_count:
            seat = table.actor
            left = [card for card in books.hands[seat] if card not in table.counted]
            return tapped(seat, chance.choice(left), chance) if left else Act(seat, ACTION)
        if table.racing:
            return table.racing._replace(given=SeatChoice(Seat(table.racing.seat)))
        if table.is_naming:
            return Act(table.actor, PLAIN)
        choose = chosen if table.in_round < PATIENCE else greedy
        deed = choose(books, chance)
        move = (deed, *follows(books, deed, choose, chance))
        match deed.verb:
            case Verb.LAY:
                return tapped(deed.player, deed.card, chance)._replace(move=move)
            case Verb.NAME:
                return Act(deed.player, Choice(deed.symbol), move)
            case Verb.GIVE | Verb.SWAP:
                by_hand = Give(piece_of(deed.card)) if table.is_given else None
                return Act(deed.player, SeatChoice(Seat(deed.seat)), move, by_hand)
        return Act(deed.player, SAID[deed.verb], move)

    return act


def follows(
    books: CiaoBooks, deed: BooksAct, choose: BooksStyle, chance: Random
) -> tuple[BooksAct, ...]:
    """What follows from a deed at once, because between two it is clear with whom."""
    if books.players > 2 or deed.verb is not Verb.LAY:
        return ()
    after = deepcopy(books)
    after.do(deed)
    return (choose(after, chance),) if after.asked in BETWEEN_PEOPLE else ()


def _books(deal: Deal) -> Books:
    return Ciao(deal)


def _seated(scene: Scene) -> Books | None:
    """The discards, one hand, and how large the others and the draw pile are."""
    if not _is_asked(scene):
        return None
    seat = scene.seat
    table = Ciao(Deal(scene.players, (seat - 1) % scene.players, 0, scene.options))
    books = table.books
    books.hands = [[UNSEEN] * scene.counts[f"hand-{n}"] for n in range(1, scene.players + 1)]
    books.hands[seat] = list(scene.untold or scene.hand)
    books.pile = [UNSEEN] * scene.counts["draw-pile"]
    books.discards = list(scene.laid)
    books.cards = [*books.pile, *books.discards, *(card for hand in books.hands for card in hand)]
    books.turn = books.receiver = seat
    books.debt = scene.counts["owed"]
    table.in_round = len([*takewhile(lambda given: given != OK, reversed(scene.done))])
    _recall(books, scene)
    match scene.phase:
        case _ if scene.untold:
            books.asked, table.is_given = Asked.GIFT, True
        case "play" if books.debt:
            books.asked = Asked.DEBT
        case "play" if scene.drawn and ACTION in scene.done[-1:]:
            books.asked, books.drawn = Asked.DRAWN, scene.drawn[-1]
        case "race":
            runner = next(at for at in range(scene.players) if at not in scene.active)
            books.asked, books.runner = Asked.RACE, runner
            if not books.legal_plays() and not set(scene.people).isdisjoint(scene.active):
                return None  # people who race say themselves when nobody can
        case "racer":
            table.racing = Act(seat, Tap(piece_of(books.discards[-1])))
        case "special":
            table.is_naming = True
        case "scoring":
            table.to_count = [seat]
        case phase:
            books.asked = next(asked for asked in Asked if PHASES[asked] == phase)
    return table


def _is_asked(scene: Scene) -> bool:
    """Whether this seat has something to do."""
    match scene.phase:
        case _ if scene.untold:
            return True
        case "race":
            return scene.seat in scene.active
        case "racer":
            return scene.seat == scene.layer
    return scene.seat == scene.turn


def _recall(books: CiaoBooks, scene: Scene) -> None:
    """What was said since the card on top was laid."""
    since = takewhile(
        lambda given: not isinstance(given, Tap) or str(given.piece) != books.top,
        reversed(scene.done),
    )
    said = {given.name for given in since if isinstance(given, Choice)}
    books.named = next((symbol for symbol in SYMBOLS if symbol in said), "")
    is_turn_kept = scene.players == 2 and bool(scene.options.get("reverse-of-two"))
    is_again = AGAIN in said or (is_turn_kept and "reverse" in said)
    books.is_anything_right = is_again and not books.house.again_beats


ROBOTS = Robots(
    "ciao",
    range(2, 7),
    _books,
    {name: style_of(chosen) for name, chosen in STYLES.items()},
    houses=(
        {},
        {"scoring": True, "rounds": 2},
        *({"variant": variant} for variant in VARIANTS[1:]),
        {"only-drawn-card": False, "again-must-beat": False, "plus3-must-beat": True},
    ),
    seated=_seated,
    fair=("careful", "greedy", "racer", "chainer", "finisher"),
)
