"""The adapter of Ciao!: from moves to the table's inputs and the answers that it must give.

The robots' own record of a game is called its *books*.

Source: the printed rules in ``sim.robots.ciao.books``; for what a table can know,
engines/ciao/RULES.md, sections 1, 3, 6, 7, 8 and 11.
"""

from collections.abc import Sequence
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
    message,
)
from engines.common.hands import HAND_SPOT
from engines.common.pieces import Piece
from sim.robots.ciao.books import (
    AGAIN,
    JOKER,
    OBSTACLE,
    SYMBOLS,
    CiaoAsk,
    CiaoBooks,
    CiaoHouseRules,
    CiaoMove,
    CiaoVerb,
    box,
    points_of,
)
from sim.robots.ciao.styles import STYLES, CiaoStyle, greedy
from sim.robots.contract import (
    FOUL,
    NOT_NOW,
    TAKEN,
    Books,
    Expected,
    Give,
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

OK, ACTION = Press(Button.OK), Press(Button.ACTION)
PLAIN = Choice("special-none")  # the answer that a card has no special, if its sticker names none
UNSEEN = f"{OBSTACLE}#0"  # stands for an unknown card; a card that is never playable
CARDS = box()
VARIANTS = ("full", "symbols", "specials", "colours")
PATIENCE = 250  # acts in a round, after which all robots play greedily, so that the round ends

PHASES = {
    CiaoAsk.CARD: "play",
    CiaoAsk.DRAWN: "play",
    CiaoAsk.DEBT: "play",
    CiaoAsk.RACE: "race",
    CiaoAsk.SYMBOL: "symbol",
    CiaoAsk.AGAIN: "again",
    CiaoAsk.GIFT: "give",
    CiaoAsk.THANKS: "thanks",
    CiaoAsk.SWAP: "swap",
    CiaoAsk.NEXT_ROUND: "round-over",
    CiaoAsk.NOTHING: "over",
}
ANSWERS: dict[CiaoAsk, frozenset[Input]] = {
    CiaoAsk.CARD: frozenset({ACTION}),
    CiaoAsk.DRAWN: frozenset({ACTION}),
    CiaoAsk.DEBT: frozenset({ACTION}),
    CiaoAsk.RACE: frozenset({ACTION}),
    CiaoAsk.SYMBOL: frozenset(map(Choice, SYMBOLS)),
    CiaoAsk.AGAIN: frozenset({Choice("again"), Choice("reverse")}),
    CiaoAsk.THANKS: frozenset({Choice("thanked"), Choice("forgot")}),
    CiaoAsk.NEXT_ROUND: frozenset({OK}),
}  # the accepted inputs that are neither a tap nor a seat
BY_VERB: dict[CiaoVerb, Input] = {
    CiaoVerb.DRAW: ACTION,
    CiaoVerb.PASS: ACTION,
    CiaoVerb.NOBODY: ACTION,
    CiaoVerb.AGAIN: Choice("again"),
    CiaoVerb.REVERSE: Choice("reverse"),
    CiaoVerb.THANK: Choice("thanked"),
    CiaoVerb.FORGET: Choice("forgot"),
    CiaoVerb.DEAL: OK,
}
IMPLIED = {  # the answers that the table can infer if a card is laid instead
    CiaoAsk.AGAIN: (CiaoVerb.AGAIN, CiaoVerb.REVERSE),
    CiaoAsk.THANKS: (CiaoVerb.THANK,),
}
MORE, DONE = Choice("hand-more"), Choice("hand-done")
COMPLETE = frozenset({MORE, DONE})  # the answers to the question whether a hand is complete
BETWEEN_PEOPLE = (CiaoAsk.GIFT, CiaoAsk.SWAP)
ENDED = (CiaoAsk.NEXT_ROUND, CiaoAsk.NOTHING)


class Ciao:
    """The ``Books`` of one game. They apply the table's inputs to the rules in ``self.books``.

    They also track steps that the printed rules do not have, such as the table's question who laid
    a card. The move of an act is a tuple of ``CiaoMove``.
    """

    def __init__(self, deal: SeededDeal, cards: Sequence[str] = CARDS) -> None:
        self._names = frozenset(cards)
        self.house = CiaoHouseRules(
            is_scored=bool(deal.options.get("scoring", CiaoHouseRules.is_scored)),
            rounds=int(deal.options.get("rounds", CiaoHouseRules.rounds)),
            variant=VARIANTS.index(
                str(deal.options.get("variant", VARIANTS[CiaoHouseRules.variant]))
            ),
            only_drawn=bool(deal.options.get("only-drawn-card", CiaoHouseRules.only_drawn)),
            again_beats=bool(deal.options.get("again-must-beat", CiaoHouseRules.again_beats)),
            plus3_beats=bool(deal.options.get("plus3-must-beat", CiaoHouseRules.plus3_beats)),
            race_out=bool(deal.options.get("race-out", CiaoHouseRules.race_out)),
        )
        first = (deal.dealer + 1) % deal.players
        self.books = CiaoBooks(deal.players, first, list(cards), Random(deal.seed), self.house)
        self.in_round = 0  # acts done in this round
        self.racing: RobotAct | None = None  # the tap of a card, if the table asks who laid it
        self.held: RobotAct | None = None  # the tap of a card, if the table asks: again or reverse?
        self.is_naming = False  # True if the table asks which special the laid card has
        self.is_given = False  # True if a robot has chosen to give a card away and must say which
        self.to_count: list[int] = []  # seats; the hand of the first is being counted
        self.counted: list[str] = []  # the counted cards of all hands
        self.points = 0  # the points of the hand being counted, so far
        self.is_short = False  # True if the table asks whether that hand is complete
        self.is_seated = False  # True if the robot sits with people, who give their own answers
        self.known_totals = [0] * deal.players  # the totals that the table knows

    # --- the turn and the expected view ---

    @property
    def phase(self) -> str:
        """The phase that the table must show."""
        if self.racing:
            return "racer" if self.books.asked is CiaoAsk.RACE else "owner"
        if self.is_short:
            return "short"
        return "scoring" if self.to_count else PHASES[self.books.asked]

    @property
    def is_over(self) -> bool:
        """Return True if the game has ended and all hands are counted."""
        return self.phase == "over"

    @property
    def actor(self) -> int:
        """The seat of the next player to act; in a race, the seat whose card began it."""
        if self.to_count:
            return self.to_count[0]
        books = self.books
        if books.asked is CiaoAsk.NEXT_ROUND:
            return books.starter
        return books.receiver if books.asked is CiaoAsk.THANKS else books.turn

    @property
    def expected(self) -> Expected:
        """The view that the table must show now."""
        books, phase = self.books, self.phase
        is_ended = books.asked in ENDED
        number = books.rounds_done + (not is_ended)
        counts = {f"hand-{seat}": size for seat, size in enumerate(books.sizes(), start=1)}
        counts |= {"draw-pile": len(books.pile), "discard": len(books.discards)}
        counts |= {
            "left-out": len(self._names) - len(books.cards),
            "owed": books.debt,
            "round": number,
        }
        if self.house.is_scored:
            counts["rounds"] = max(self.house.rounds, number)
        clockwise = Direction.CLOCKWISE if books.step == 1 else Direction.COUNTER_CLOCKWISE
        return Expected(
            phase,
            scores=self.known_totals if self.house.is_scored else books.sizes(),
            turn=None if phase in ("race", "racer", "owner", "over") else self.actor,
            winners=books.winners if phase == "over" else (),
            direction=None if is_ended else clockwise,
            headline=self._result(phase) if is_ended else self._to_beat(),
            counts=counts,
        )

    def _to_beat(self) -> str | Message:
        """Return the headline during a round: the cards owed, or the symbol to beat."""
        if self.books.debt and not self.house.plus3_beats:
            return str(self.books.debt)
        to_beat = self.books.to_beat()
        return message("headline.any" if to_beat is None else f"headline.{to_beat[0] or JOKER}")

    def _result(self, phase: str) -> str:
        """Return the headline after a round: points, the lowest total, or the smallest hand."""
        if phase in ("scoring", "short"):
            return str(self.points if self.counted else min(self.books.sizes()))
        return str(min(self.known_totals if self.house.is_scored else self.books.sizes()))

    # --- pieces, and answers to inputs ---

    @property
    def lying(self) -> Sequence[Piece]:
        """The discards and the counted cards."""
        return [piece_of(card) for card in (*self.books.discards, *self.counted)]

    def hand(self, seat: int) -> Sequence[Piece]:
        """Return the cards of *seat* that have not been counted yet."""
        return [piece_of(card) for card in self.books.hands[seat] if card not in self.counted]

    def ruling(self, given: Input) -> Ruling | None:
        """Return the answer that the table must give to *given*; None if it cannot be known."""
        books = self.books
        if isinstance(given, SeatChoice):
            return self._ruling_on_seat(given.seat)
        if isinstance(given, Tap) and self._is_late(given):
            return Ruling("not-your-turn")
        if self.racing:
            return NOT_NOW
        if isinstance(given, Tap):
            return self._ruling_on_tap(given)
        if self.to_count:
            answers = COMPLETE if self.is_short else {ACTION}
            return TAKEN if given in answers else NOT_NOW
        return TAKEN if given in ANSWERS.get(books.asked, ()) else NOT_NOW

    def _ruling_on_seat(self, seat: int) -> Ruling:
        books = self.books
        if seat not in range(books.players):
            return NOT_NOW
        if self.racing:
            card = str(self._card_of(self.racing))
            if books.asked is CiaoAsk.RACE:
                return self._no_racer(seat) or self._ruling_on_card(card)
            if seat not in books.possible_layers(card):
                return NOT_NOW
            return FOUL if self._is_too_late(seat) else self._ruling_on_card(card)
        if self.to_count or books.asked not in BETWEEN_PEOPLE:
            return NOT_NOW
        return Ruling("not-to-yourself") if seat == books.turn else TAKEN

    def _is_late(self, tap: Tap) -> bool:
        """Return True if the player of *tap* has just lost a race, and may lay no card now."""
        layers = self.to_count[:1] or self.books.layers()
        return not self.is_over and tap.seat in self.books.beaten and tap.seat not in layers

    def _is_too_late(self, seat: int) -> bool:
        """Return True if the card in question, if it is *seat*'s, came too late for the race."""
        books = self.books
        return bool(self.racing) and seat in books.beaten and seat != books.turn

    def _no_racer(self, seat: int) -> Ruling | None:
        """Return the refusal of a card by *seat* in a race, or None if *seat* may win the race."""
        if seat == self.books.runner:
            return Ruling("not-in-the-race")
        return None if seat in self.books.racers() else Ruling("out-of-race")

    def _ruling_on_tap(self, tap: Tap) -> Ruling | None:
        books = self.books
        layers = self.to_count[:1] or books.layers()
        if not layers:
            return TAKEN if self._answers(tap) else NOT_NOW
        spots = [PLAY_SPOT, *(SEAT_SPOTS[seat] for seat in layers)]
        is_race = books.asked is CiaoAsk.RACE
        if is_race and tap.seat is not None and tap.seat not in layers:
            # In a race, the table looks only at the readers of players who may win it.
            return self._no_racer(tap.seat) if tap.spot in spots else None
        layer = tap.seat if is_race and tap.seat is not None else layers[0]
        spots += [HAND_SPOT] if self.to_count else []
        if wrong := tap_ruling(tap, layer, spots, self._names):
            return wrong
        card = str(tap.piece)
        if card not in books.cards:
            return Ruling("left-out")
        if card in books.discards or card in self.counted:
            return Ruling("already-played")
        if self.to_count or self._is_open(tap):
            return TAKEN
        return self._ruling_on_card(card)

    def _answers(self, tap: Tap) -> list[CiaoVerb]:
        """Return the answers after which the card of *tap* fits, if the table waits for an answer.

        A player may lay the next card at once instead of the answer (again or reverse, thanks or
        not): the table then infers the answer. The list is empty if no answer makes the card fit.
        """
        books, card = self.books, str(tap.piece)
        if self.held or not books.hand or card not in books.cards or card in books.discards:
            return []
        verbs = []
        for verb in IMPLIED.get(books.asked, ()):
            after = books.copy()
            after.do(CiaoMove(verb, books.turn))
            spots = (PLAY_SPOT, SEAT_SPOTS[after.turn])
            if tap.seat in (None, after.turn) and tap.spot in spots and after.beats(card):
                verbs.append(verb)
        return verbs

    def _is_open(self, tap: Tap) -> bool:
        """Return True if the table must ask who laid the card of *tap*."""
        books = self.books
        if tap.seat is not None:
            return False
        if books.asked is CiaoAsk.RACE:
            return len(books.racers()) > 1
        return bool(books.layers()) and len(books.possible_layers(str(tap.piece))) > 1

    def _ruling_on_card(self, card: str) -> Ruling:
        """Return the answer to a card laid in turn: accepted if it fits, else a foul.

        After a draw, the table cannot tell whether *card* is the drawn one.
        """
        if self.books.asked is CiaoAsk.DEBT:
            return TAKEN if self.books.answers(card) else FOUL
        return TAKEN if self.books.beats(card) else FOUL

    @staticmethod
    def _card_of(act: RobotAct) -> Piece:
        assert isinstance(act.given, Tap)
        return act.given.piece

    # --- accepted acts ---

    def take(self, act: RobotAct) -> None:
        """Record an act that the rules accept."""
        if isinstance(act.given, SeatChoice) and self._is_too_late(act.given.seat):
            self._return_late()
            return
        is_open = isinstance(act.given, Tap) and not self.to_count and self._is_open(act.given)
        if not is_open or self.books.asked is CiaoAsk.RACE:
            self.books.beaten = set()  # the losers of a race matter only until the next act
        if self.to_count:
            self.is_short = act.given == ACTION
            if isinstance(act.given, Tap):
                self._count(str(act.given.piece))
            return
        if isinstance(act.given, Tap) and len(self._answers(act.given)) > 1:
            self.held = act
            return
        self.held = None
        if not self.racing and is_open:
            self.racing = act
            return
        self.racing = None
        done = self.books.rounds_done
        for move in act.move:
            self.books.do(move)
        self.in_round = 0 if self.books.asked in ENDED else self.in_round + 1
        if self.books.rounds_done > done and self.house.is_scored:
            self._begin_counting()

    def _return_late(self) -> None:
        """Give the card in question back to a loser of the race. Nobody draws a card."""
        assert self.racing is not None
        self.books.shown.add(str(self._card_of(self.racing)))
        self.books.note("a card too late for a race")
        self.racing = None

    def _begin_counting(self) -> None:
        """Set ``to_count`` to the seats whose hands are counted now, from the winner's left.

        Empty hands are left out.
        """
        books = self.books
        order = [(books.starter + n) % books.players for n in range(1, books.players + 1)]
        self.to_count = [seat for seat in order if books.hands[seat]]
        self.counted, self.points = [], 0

    def _count(self, card: str) -> None:
        """Count one card of the hand that is being counted; after its last, go to the next hand."""
        hand = self.books.hands[self.to_count[0]]
        self.counted.append(card)
        self.points += points_of(card)
        if set(hand) <= set(self.counted):
            del self.to_count[0]
            self.points = 0
        if not self.to_count:
            self.counted = []
            self.known_totals = list(self.books.totals)


def style_of(chosen: CiaoStyle) -> Style:
    """Return a style of play in which *chosen* chooses the moves.

    After ``PATIENCE`` acts in one round, ``greedy`` chooses them, so that the round ends.
    """

    def act(table: Ciao, chance: Random) -> RobotAct:
        books = table.books
        if table.to_count:
            seat = table.actor
            left = [card for card in books.hands[seat] if card not in table.counted]
            if table.is_short and (table.is_seated or chance.random() < 0.5):
                return RobotAct(seat, MORE if left else DONE)
            is_stray = not table.is_short and not table.is_seated and chance.random() < 0.03
            if not left or is_stray:
                return RobotAct(seat, ACTION)
            return tap_act(seat, chance.choice(left), chance)
        if table.held:
            return table.held._replace(given=BY_VERB[table.held.move[0].verb])
        if table.racing:
            return table.racing._replace(given=SeatChoice(Seat(table.racing.seat)))
        if table.is_naming:
            return RobotAct(table.actor, PLAIN)
        if not table.is_seated and (late := laid_too_late(books, chance)):
            return late
        choose = chosen if table.in_round < PATIENCE else greedy
        move = choose(books, chance)
        if not table.is_seated and (laid := laid_at_once(books, move, choose, chance)):
            return laid
        if not table.is_seated and (laid := laid_without_a_pass(books, move, choose, chance)):
            return laid
        moves = (move, *follows(books, move, choose, chance))
        match move.verb:
            case CiaoVerb.LAY:
                return tap_act(move.player, move.card, chance)._replace(move=moves)
            case CiaoVerb.GIVE | CiaoVerb.SWAP:
                by_hand = Give(piece_of(move.card)) if table.is_given else None
                return RobotAct(move.player, input_of(move), moves, by_hand)
        return RobotAct(move.player, input_of(move), moves)

    return act


def input_of(move: CiaoMove) -> Input:
    """Return the input for *move*, which is no card."""
    match move.verb:
        case CiaoVerb.NAME:
            return Choice(move.symbol)
        case CiaoVerb.GIVE | CiaoVerb.SWAP:
            return SeatChoice(Seat(move.seat))
    return BY_VERB[move.verb]


def laid_at_once(
    books: CiaoBooks, move: CiaoMove, choose: CiaoStyle, chance: Random
) -> RobotAct | None:
    """Return an act: the player lays the next card instead of answering the table's question.

    The table infers the answer *move* from the card. The style *choose* picks the card. Return None
    if no card does that, and at random in half of the other cases.
    """
    if move.verb not in IMPLIED.get(books.asked, ()) or not books.hand or chance.random() < 0.5:
        return None
    after = books.copy()
    after.do(move)
    laid = choose(after, chance)
    if laid.verb is not CiaoVerb.LAY or not after.may_lay(laid.player, laid.card):
        return None
    moves = (move, laid, *follows(after, laid, choose, chance))
    return tap_act(laid.player, laid.card, chance)._replace(move=moves)


def laid_too_late(books: CiaoBooks, chance: Random) -> RobotAct | None:
    """Return an act: a player who has just lost a race lays a card on the shared spot, too late.

    The table then asks whose card it is. Return None if nobody has such a card, and at random in
    two of three other cases.
    """
    late = [
        (seat, card)
        for seat in sorted(books.beaten - {*books.layers()})
        for card in books.hands[seat]
        if books.layers() and seat in books.possible_layers(card)
    ]
    if not late or books.asked is CiaoAsk.RACE or chance.random() < 2 / 3:
        return None
    seat, card = chance.choice(late)
    return RobotAct(seat, Tap(piece_of(card)), ())


def laid_without_a_pass(
    books: CiaoBooks, move: CiaoMove, choose: CiaoStyle, chance: Random
) -> RobotAct | None:
    """Return an act: the current player forgets to enter the pass *move*, and the next one plays.

    The table asks whose card it is if the card is wrong, or if everybody has seen that another
    player has it. Return None if *move* is not a pass or the next player has no such card, and at
    random in most other cases. The style *choose* picks a gift or swap that follows.
    """
    if move.verb is not CiaoVerb.PASS:
        return None
    seat = books.next_to(books.turn)
    held = [card for card in books.hands[seat] if seat in books.possible_layers(card)]
    known = sorted(books.shown.intersection(held))
    if not held or chance.random() < (0.5 if known else 0.97):
        return None
    after = books.copy()
    after.do(move)
    laid = CiaoMove(CiaoVerb.LAY, after.turn, chance.choice(known or held))
    moves = (move, laid, *follows(after, laid, choose, chance))
    return RobotAct(after.turn, Tap(piece_of(laid.card)), moves)


def follows(
    books: CiaoBooks, move: CiaoMove, choose: CiaoStyle, chance: Random
) -> tuple[CiaoMove, ...]:
    """Return the gift or swap that follows *move* in a game of two; else an empty tuple.

    With two players, the table does not ask who gets the card or the hand. So the gift or swap is
    no act of its own at the mat: it is one of the moves of the act that lays the card. The style
    *choose* chooses it.
    """
    if books.players > 2 or move.verb is not CiaoVerb.LAY:
        return ()
    after = books.copy()
    after.do(move)
    return (choose(after, chance),) if after.asked in BETWEEN_PEOPLE else ()


def _from_scene(scene: HandsScene) -> Books | None:
    """Return a record of what the robot knows: its own hand, the discards, and the hands' sizes.

    The cards in other hands and in the draw pile are called UNSEEN. Return None if the robot has
    nothing to do.
    """
    if not _is_asked(scene):
        return None
    seat = scene.seat
    table = Ciao(SeededDeal(scene.players, (seat - 1) % scene.players, 0, scene.options))
    books = table.books
    books.hands = [[UNSEEN] * scene.counts[f"hand-{n}"] for n in range(1, scene.players + 1)]
    books.hands[seat] = list(scene.untold or scene.hand)
    books.pile = [UNSEEN] * scene.counts["draw-pile"]
    books.discards = list(scene.laid)
    books.cards = [*books.pile, *books.discards, *(card for hand in books.hands for card in hand)]
    books.turn = books.receiver = seat
    books.debt = scene.counts["owed"]
    table.is_seated = True
    table.in_round = len([*takewhile(lambda given: given != OK, reversed(scene.done))])
    _recall(books, scene)
    match scene.phase:
        case _ if scene.untold:
            books.asked, table.is_given = CiaoAsk.GIFT, True
        case "play" if books.debt:
            books.asked = CiaoAsk.DEBT
        case "play" if scene.drawn and ACTION in scene.done[-1:]:
            books.asked, books.drawn = CiaoAsk.DRAWN, scene.drawn[-1]
        case "race":
            runner, *fallen = (at for at in range(scene.players) if at not in scene.active)
            books.asked, books.runner, books.wrong_racers = CiaoAsk.RACE, runner, {*fallen}
            if not books.legal_plays() and not set(scene.people).isdisjoint(scene.active):
                return None  # only the people in the race may say that nobody can
        case "racer" | "owner" as phase:
            books.asked = CiaoAsk.RACE if phase == "racer" else CiaoAsk.CARD
            table.racing = RobotAct(seat, Tap(piece_of(books.discards[-1])))
        case "special":
            table.is_naming = True
        case "scoring" | "short" as phase:
            table.to_count, table.is_short = [seat], phase == "short"
        case "again" if len(scene.laid) > scene.counts.get("discard", len(scene.laid)):
            verb = CiaoVerb.AGAIN if scene.layer == seat else CiaoVerb.REVERSE
            table.held = RobotAct(seat, ACTION, (CiaoMove(verb, seat),))
        case phase:
            books.asked = next(asked for asked in CiaoAsk if PHASES[asked] == phase)
    return table


def _is_asked(scene: HandsScene) -> bool:
    """Return True if the robot in *scene* has something to do."""
    match scene.phase:
        case _ if scene.untold:
            return True
        case "race":
            return scene.seat in scene.active
        case "racer" | "owner":
            return scene.seat == scene.layer
    return scene.seat == scene.turn


def _recall(books: CiaoBooks, scene: HandsScene) -> None:
    """Write into *books* the choices made since the top card was laid, such as a joker's symbol."""
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
    Ciao,
    {name: style_of(chosen) for name, chosen in STYLES.items()},
    houses=(
        {},
        {"scoring": True, "rounds": 2},
        *({"variant": variant} for variant in VARIANTS[1:]),
        {
            "only-drawn-card": False,
            "again-must-beat": False,
            "plus3-must-beat": True,
            "race-out": False,
        },
    ),
    from_scene=_from_scene,
    fair=("careful", "greedy", "racer", "chainer", "finisher"),
)
