"""A second opinion on Riff Raff: the books a careful scorekeeper keeps, from the rules alone.

Room: sim/robots. It sees every hand, follows every piece with its eyes, to its place on the
ship and down again, and shares no line with ``engines.riff_raff``; so where the two agree, they
agree for different reasons. Pieces are texts, ``red-barrel``; cards are numbers, in the colour of
their owner. Where the printed rules leave a point open, "ours" marks what RULES.md decided.

What a referee is told who cannot see the ship is kept apart, in ``Hearsay``.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from random import Random

COLOURS = ("red", "blue", "green", "yellow")
SHAPES = ("boat", "barrel", "flask", "crate", "sailor", "plank", "rat", "chest")
NUMBERS = range(1, 11)  # of the cards, and of the areas of the ship
YARDS = range(5, 11)  # the areas on yardarms; the others are on deck
TIMES = {2: 2, 3: 1, 4: 1}  # that all cards are played, by players; and the sets of pieces each has


def set_of(colour: str) -> list[str]:
    """The eight pieces of one colour."""
    return [f"{colour}-{shape}" for shape in SHAPES]


# --- what a referee is told ----------------------------------------------------------------------

Ship = tuple[int, ...]  # how many pieces lie in each area; or on the deck, and in each yard area
TOO_MANY = 1000  # ships to tell apart by where on deck a piece lies, which nobody asks


def changed(ship: Ship, place: int, many: int) -> Ship:
    """This ship with so many pieces more in a place; fewer, below zero."""
    return (*ship[:place], ship[place] + many, *ship[place + 1 :])


class Hearsay:
    """Every ship that fits what was told. Whoever hears no more cannot know which of them it is."""

    def __init__(self) -> None:
        self.ships: set[Ship] = {(0,) * len(NUMBERS)}
        self.is_deck_one = False  # area, since there were too many ships

    def place(self, area: int) -> int:
        """The place of this area in a Ship."""
        return max(0, area - min(YARDS) + 1) if self.is_deck_one else area - 1

    def loaded(self, area: int) -> None:
        """A piece was put there."""
        self.ships = {changed(ship, self.place(area), 1) for ship in self.ships}

    def fell(self, many: int) -> None:
        """So many fell, from anywhere."""
        for _ in range(many):
            self.ships = {
                changed(ship, place, -1)
                for ship in self.ships
                for place, lying in enumerate(ship)
                if lying
            }
            if len(self.ships) > TOO_MANY and not self.is_deck_one:
                on_deck = min(YARDS) - 1
                self.ships = {(sum(ship[:on_deck]), *ship[on_deck:]) for ship in self.ships}
                self.is_deck_one = True

    def looked(self, area: int, is_held: bool) -> None:
        """Somebody looked whether that area holds a piece."""
        self.ships = {ship for ship in self.ships if bool(ship[self.place(area)]) is is_held}

    def can_tell(self, area: int) -> bool:
        """Whether this area is still told from others."""
        return area in YARDS or not self.is_deck_one

    def least(self, area: int) -> int:
        """How many pieces are sure to lie in this area."""
        return min(ship[self.place(area)] for ship in self.ships)

    def most(self, area: int) -> int:
        """How many pieces can lie in this area."""
        return max(ship[self.place(area)] for ship in self.ships)


# --- what is asked, and what is done -------------------------------------------------------------


class Asked(Enum):
    """What the table waits for."""

    COLOUR = "a card that shows who plays its colour"
    CARD = "a card of everybody who has not revealed one"
    CAPTAIN = "which of those tied becomes captain"
    NEXT = "which of those tied comes first"
    HOLDS = "whether a piece lies on the yardarm"
    HOW_MANY = "one piece or two"
    PIECE = "the piece to be loaded"
    LOADED = "whether it held"
    FALLEN = "how many pieces fell"
    CAUGHT = "how many of them were caught"
    WHICH = "whether the one that was caught is the one just placed"
    SAVED = "every piece that was caught"
    LOST = "every piece that was not"
    NOTHING = "nothing: the game is over"


class Verb(Enum):
    """What people do, and say."""

    SHOW = "plays"
    REVEAL = "reveals"
    NAME = "names"
    LOOK = "looks whether there is a piece"
    ANNOUNCE = "announces"
    TAKE = "takes"
    HOLD = "places"
    FALL = "loses cargo with"
    SAY = "says"
    TELL = "tells which"
    SAVE = "shows what was saved:"
    LOSE = "shows what was lost:"
    DONE = "has shown all"


News = tuple[str | int, ...]  # what everybody should hear: a word, then seats and numbers


@dataclass(frozen=True)
class Act:
    """One thing that *player* does.

    With a *number*, a card, an area or a count; with a *piece* or a *colour*; or about another
    *seat*. When cargo falls, *fallen* is all that falls, and *caught* what of it is caught; where
    pieces are tagged it may turn out that nothing did.
    """

    verb: Verb
    player: int
    number: int = -1
    piece: str = ""
    colour: str = ""
    seat: int = -1
    fallen: tuple[str, ...] = ()
    caught: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [f"seat {self.player} {self.verb.value}", self.colour, self.piece]
        parts += [f"{self.number}"] * (self.number >= 0)
        parts += [f"seat {self.seat}"] * (self.seat >= 0)
        if self.verb is Verb.FALL:
            fallen, caught = (", ".join(some) or "nothing" for some in (self.fallen, self.caught))
            parts.append(f"({fallen} fell, {caught} was caught)")
        return " ".join(part for part in parts if part)


@dataclass(frozen=True)
class House:
    """What people settle before they play."""

    is_tagged: bool = False
    names_himself: bool = True  # the captain in office, when he is one of those tied
    placed_returns: bool = True  # ours: even when others fell


class RiffRaffBooks:
    """One game of Riff Raff from the empty ship to the winners."""

    def __init__(self, players: int, oldest: int, house: House, chance: Random) -> None:
        self.players = players
        self.house = house
        self.captain = oldest  # in office until all cards of the first round are revealed
        self.colours = [""] * players
        self.stocks: list[list[str]] = [[] for _ in range(players)]
        self.ship: dict[str, int] = {}  # every piece that lies there, and in which area
        self.removed: list[str] = []
        self.hearsay = Hearsay()
        self.passes = 1
        self.rounds = 1  # in this pass
        self.hands = [list(NUMBERS) for _ in range(players)]
        self.revealed: dict[int, int] = {}  # by seat; in this round
        self.tied: list[int] = []  # among whom somebody must choose
        self.order: list[int] = []  # of play in this round, as far as it is known
        self.turns = 0  # done in this round
        self.forget_loading()
        self.winners: list[int] = []
        self.news: list[News] = []  # of the last act, in order
        self.happened: set[str] = set()  # the rare things this game has seen
        colours = chance.sample(COLOURS, len(COLOURS))  # whose pieces one takes is no matter
        for deal in range(players * TIMES[players]):
            self.stocks[deal % players] += set_of(colours[deal])
        self.asked = Asked.COLOUR

    def forget_loading(self) -> None:
        """Nothing is announced, loaded or fallen."""
        self.announced = 1  # pieces
        self.is_announced = False
        self.placed: list[str] = []  # in this turn, and they held
        self.piece = ""  # that is being loaded
        self.fallen: list[str] = []
        self.caught: list[str] = []
        self.shown: list[str] = []  # of what fell, told by their tags so far

    # -- what can be read off the table

    @property
    def turn(self) -> int:
        """Whose turn it is to load."""
        return self.order[self.turns]

    @property
    def area(self) -> int:
        """The area to load."""
        return self.revealed[self.turn]

    @property
    def stock(self) -> list[str]:
        """The pieces of the one who loads."""
        return self.stocks[self.turn]

    def lying_in(self, area: int) -> list[str]:
        """What lies in this area."""
        return [piece for piece, there in self.ship.items() if there == area]

    def sizes(self) -> list[int]:
        """How many pieces everybody has."""
        return [len(stock) for stock in self.stocks]

    def free_colours(self) -> list[str]:
        """The colours that nobody plays."""
        return [colour for colour in COLOURS if colour not in self.colours]

    def colourless(self) -> list[int]:
        """Who has not shown which colour is theirs."""
        return [seat for seat, colour in enumerate(self.colours) if not colour]

    def hiding(self) -> list[int]:
        """Who has not revealed a card in this round."""
        return [seat for seat in range(self.players) if seat not in self.revealed]

    def pieces_in_play(self) -> int:
        """All pieces, wherever they are."""
        return sum(self.sizes()) + len(self.ship) + len(self.removed)

    # -- what may be done

    def legal_acts(self) -> list[Act]:
        """All that may be done now, but for what happens to the cargo."""
        match self.asked:
            case Asked.COLOUR:
                waiting = self.colourless()
                return [Act(Verb.SHOW, s, colour=c) for s in waiting for c in self.free_colours()]
            case Asked.CARD:
                waiting = self.hiding()
                return [Act(Verb.REVEAL, s, number) for s in waiting for number in self.hands[s]]
            case Asked.CAPTAIN | Asked.NEXT:
                return [Act(Verb.NAME, self.captain, seat=seat) for seat in self.tied]
            case Asked.HOLDS:
                return [Act(Verb.LOOK, self.turn, len(self.lying_in(self.area)))]
            case Asked.HOW_MANY:
                return [Act(Verb.ANNOUNCE, self.turn, number) for number in (1, 2)]
            case Asked.PIECE:
                return [Act(Verb.TAKE, self.turn, piece=piece) for piece in self.stock]
            case Asked.FALLEN:
                return [Act(Verb.SAY, self.turn, len(self.fallen))]
            case Asked.CAUGHT:
                return [Act(Verb.SAY, self.turn, len(self.caught))]
            case Asked.WHICH:
                return [Act(Verb.TELL, self.turn, piece=self.caught[0])]
            case Asked.SAVED:
                return self.shows(Verb.SAVE, self.caught)
            case Asked.LOST:
                return self.shows(Verb.LOSE, self.lost())
            case _:
                return []

    def shows(self, verb: Verb, pieces: Iterable[str]) -> list[Act]:
        """What may be shown of these, or that all were shown."""
        left = [piece for piece in pieces if piece not in self.shown]
        acts = [Act(verb, self.turn, piece=piece) for piece in left]
        return acts or [Act(Verb.DONE, self.turn)]

    def lost(self) -> list[str]:
        """What fell and was not caught."""
        return [piece for piece in self.fallen if piece not in self.caught]

    # -- the acts

    def do(self, act: Act) -> None:
        """Do this; it must be legal."""
        self.news = []
        match act.verb:
            case Verb.SHOW:
                self.show(act.player, act.colour)
            case Verb.REVEAL:
                self.reveal(act.player, act.number)
            case Verb.NAME:
                self.name(act.seat)
            case Verb.LOOK:
                self.look()
            case Verb.ANNOUNCE:
                self.announce(act.number)
            case Verb.TAKE:
                self.piece, self.asked = act.piece, Asked.LOADED
            case Verb.HOLD:
                self.hold(act.piece)
            case Verb.FALL:
                self.fall(act.piece, act.fallen, act.caught)
            case Verb.SAY if self.asked is Asked.FALLEN:
                self.asked = Asked.CAUGHT
            case Verb.SAY:
                self.say_caught()
            case Verb.SAVE | Verb.LOSE:
                self.shown.append(act.piece)
            case Verb.DONE if self.asked is Asked.SAVED and len(self.shown) <= len(self.ship):
                self.asked = Asked.LOST
            case Verb.DONE if not self.shown:
                self.load_on()
            case Verb.TELL | Verb.DONE:
                self.settle()
        assert self.pieces_in_play() == self.players * 8 * TIMES[self.players]

    def tell(self, *news: str | int) -> None:
        """Something everybody should hear."""
        self.news.append(news)

    def show(self, seat: int, colour: str) -> None:
        """This player plays that colour; the last one has what is left."""
        self.take_colour(seat, colour)
        waiting, free = self.colourless(), self.free_colours()
        if len(waiting) == len(free) == 1:
            self.take_colour(waiting[0], free[0])
        if self.colourless():
            self.tell("show-colour", self.colourless()[0])
        else:
            self.begin_round()

    def take_colour(self, seat: int, colour: str) -> None:
        """This colour is this player's."""
        self.colours[seat] = colour
        self.tell("plays-with", seat, colour)

    def begin_round(self) -> None:
        """Everybody chooses a card."""
        self.revealed, self.order, self.turns = {}, [], 0
        self.tell("round-begins", self.rounds)
        self.asked = Asked.CARD

    def reveal(self, seat: int, number: int) -> None:
        """A card is revealed; the last one decides."""
        self.hands[seat].remove(number)
        self.revealed[seat] = number
        self.tell("reveals", seat, number)
        if len(self.revealed) == self.players:
            self.find_captain()

    def find_captain(self) -> None:
        """The highest card; of several, the captain in office names one."""
        highest = max(self.revealed.values())
        self.tied = [seat for seat, number in self.revealed.items() if number == highest]
        if len(self.tied) > 1:
            self.note_tie()
            if not self.house.names_himself and self.captain in self.tied:
                self.tied.remove(self.captain)
        if len(self.tied) == 1:
            self.appoint(self.tied[0])
        else:
            self.tell("tied", self.captain, highest)
            self.asked = Asked.CAPTAIN

    def name(self, seat: int) -> None:
        """The captain has chosen."""
        if self.asked is Asked.CAPTAIN:
            if self.captain in self.tied:
                is_himself = seat == self.captain
                self.note(f"a tied captain names {'himself' if is_himself else 'another'}")
            self.appoint(seat)
        else:
            self.order.append(seat)
            self.tell("is-next", seat)
            self.line_up()

    def appoint(self, seat: int) -> None:
        """This player is captain, and comes first."""
        self.captain = seat
        self.order = [seat]
        self.tell("captain", seat)
        self.line_up()

    def line_up(self) -> None:
        """Behind the captain by their cards; of those who are tied the captain names the next."""
        while len(self.order) < self.players:
            left = {s: number for s, number in self.revealed.items() if s not in self.order}
            highest = max(left.values())
            self.tied = [seat for seat, number in left.items() if number == highest]
            if len(self.tied) > 1:
                self.note_order()
                self.tell("who-is-next", self.captain, highest)
                self.asked = Asked.NEXT
                return
            self.order += self.tied
        self.begin_turn()

    def begin_turn(self) -> None:
        """The next in order loads."""
        self.forget_loading()
        self.tell("loads", self.turn, self.area)
        if self.must_look():
            self.tell("look", self.area)
            self.asked = Asked.HOLDS
        else:
            self.ask_how_many()

    def must_look(self) -> bool:
        """Whether it matters to a referee if a piece lies in the area, and cannot be known."""
        if self.area not in YARDS or len(self.stock) == 1 or self.house.is_tagged:
            return False
        least, most = self.hearsay.least(self.area), self.hearsay.most(self.area)
        if (least or not most) and len(self.hearsay.ships) > 1:
            self.note(f"known though cargo fell: {'a piece' if least else 'empty'}")
        return least == 0 < most

    def look(self) -> None:
        """The question is answered."""
        is_held = bool(self.lying_in(self.area))
        self.note(f"asked of a yardarm: {'a piece' if is_held else 'empty'}")
        self.hearsay.looked(self.area, is_held)
        self.ask_how_many()

    def ask_how_many(self) -> None:
        """Two may be loaded only on a yardarm where a piece lay before the turn."""
        is_free = self.area in YARDS and bool(self.lying_in(self.area))
        if is_free and len(self.stock) == 1:
            self.note("two would be allowed with more than one piece")
        if is_free and len(self.stock) > 1:
            self.tell("one-or-two")
            self.asked = Asked.HOW_MANY
        else:
            self.asked = self.loading()

    def loading(self) -> Asked:
        """What is waited for now, a piece or what becomes of it."""
        return Asked.PIECE if self.house.is_tagged else Asked.LOADED

    def announce(self, number: int) -> None:
        """One piece or two: that is binding."""
        self.announced = number
        self.is_announced = True
        self.tell("announces", self.turn, number)
        self.note("two announced" if number == 2 else "one announced where two are allowed")
        self.asked = self.loading()

    def hold(self, piece: str) -> None:
        """The piece is on the ship, and nothing fell."""
        self.stock.remove(piece)
        self.ship[piece] = self.area
        if not self.house.is_tagged:
            self.hearsay.loaded(self.area)
        self.placed.append(piece)
        self.piece = ""
        self.tell("holds", self.turn, len(self.stock))
        if len(self.placed) < self.announced:
            self.tell("second-piece")
            self.asked = self.loading()
        else:
            self.end_turn()

    def fall(self, piece: str, fallen: Iterable[str], caught: Iterable[str]) -> None:
        """The piece touched the ship, and these fall; it is counted when all is told."""
        self.piece = piece
        self.fallen, self.caught = list(fallen), list(caught)
        assert self.fallen or self.house.is_tagged
        assert set(self.caught) <= set(self.fallen) <= {piece, *self.ship}
        self.tell("overboard")
        self.asked = Asked.SAVED if self.house.is_tagged else Asked.FALLEN

    def load_on(self) -> None:
        """Nothing fell: it was a false alarm. Where pieces have no tags, that is an undo."""
        self.tell("load-on")
        self.note("a false alarm")
        self.asked = Asked.LOADED

    def say_caught(self) -> None:
        """Of one piece caught it must be known which, where that makes a difference."""
        is_open = bool(self.ship) and (self.house.placed_returns or len(self.fallen) == 1)
        if len(self.caught) == 1 and is_open:
            self.asked = Asked.WHICH
        else:
            self.settle()

    def settle(self) -> None:
        """All that was caught leaves the game, and all else that fell is the player's.

        Where only the piece just placed was caught, it is the player's too.
        """
        self.note_fall()
        if not self.house.is_tagged:
            self.hear_of_the_fall()
        self.ship[self.piece] = self.area
        self.stock.remove(self.piece)
        for piece in self.fallen:
            del self.ship[piece]
        self.stock.extend(self.lost())
        returns = self.caught == [self.piece]
        if returns and (self.house.placed_returns or len(self.fallen) == 1):
            self.stock.append(self.piece)
            self.tell("placed-returns", self.turn)
        elif self.caught:
            self.removed += self.caught
            self.tell("leave", len(self.caught))
        if self.lost():
            self.tell("takes", self.turn, len(self.lost()))
        self.tell("has", self.turn, len(self.stock))
        self.end_turn()

    def hear_of_the_fall(self) -> None:
        """What the numbers say, and the word about a single piece that was caught."""
        many = len(self.fallen)
        is_told_which = self.asked is Asked.WHICH
        if is_told_which and self.caught == [self.piece]:  # so it is one of those that fell
            self.hearsay.fell(many - 1)
        elif is_told_which and many == 1:  # it was another, so this one is still there
            self.hearsay.fell(many)
            self.hearsay.loaded(self.area)
        else:
            self.hearsay.loaded(self.area)
            self.hearsay.fell(many)

    def end_turn(self) -> None:
        """Who has nothing left has won, at once; else the next one loads."""
        if not self.stock:
            self.note_win()
            self.tell("all-loaded", self.turn)
            self.end([self.turn])
            return
        self.turns += 1
        if self.turns == self.players:
            self.end_round()
        else:
            self.begin_turn()

    def end_round(self) -> None:
        """The next round, the second pass, or the end."""
        if self.rounds < len(NUMBERS):
            self.rounds += 1
            self.begin_round()
        elif self.passes < TIMES[self.players]:
            self.note("second pass")
            self.tell("cards-back")
            self.hands = [list(NUMBERS) for _ in range(self.players)]
            self.passes, self.rounds = self.passes + 1, 1
            self.begin_round()
        else:
            self.tell("all-played")
            for seat, size in enumerate(self.sizes()):
                self.tell("has", seat, size)
            fewest = min(self.sizes())
            best = [seat for seat, size in enumerate(self.sizes()) if size == fewest]
            self.note("fewest pieces" if len(best) == 1 else "shared win")
            for seat in best:
                self.tell("winner" if len(best) == 1 else "shared-win", seat)
            self.end(best)

    def end(self, winners: list[int]) -> None:
        """These have won."""
        self.winners, self.asked = winners, Asked.NOTHING

    # -- what was rare

    def note(self, what: str) -> None:
        """Note that something rare happened."""
        self.happened.add(what)

    def note_tie(self) -> None:
        """Note what is rare about several highest cards."""
        self.note(f"tie of {len(self.tied)} for captain")
        if self.passes == self.rounds == 1:
            self.note("tie for captain in the first round")
        if self.captain not in self.tied:
            self.note("a captain names one of others")

    def note_order(self) -> None:
        """Note what is rare about several cards of one number."""
        is_behind = self.revealed[self.tied[0]] == self.revealed[self.captain]
        where = "behind a tied captain" if is_behind else "further down"
        self.note(f"tie of {len(self.tied)} {where}")

    def note_fall(self) -> None:
        """Note what is rare about cargo that falls."""
        placed, caught, lost = self.piece, self.caught, self.lost()
        if self.announced == 2:
            self.note(f"cargo falls with piece {len(self.placed) + 1} of 2")
        if caught == [placed]:
            self.note("caught only the piece placed" + (", and others fell" if lost else ""))
        elif placed in caught:
            self.note("caught the piece placed and others")
        elif caught:
            self.note("caught others" if len(caught) > 1 else "caught another")
        else:
            self.note("caught nothing")
        if caught and caught == self.placed:
            self.note("caught only the first of two")
        if placed not in self.fallen:
            self.note("the piece placed held when others fell")
        if len(self.fallen) == len(self.ship) + 1 > 1:
            self.note("everything fell")
        if not self.ship and caught:
            self.note("the only piece is caught")
        if len(self.stock) == 1 and (lost or caught == [placed]):
            self.note("the last piece was placed in vain")

    def note_win(self) -> None:
        """Note how somebody won."""
        self.note("won with cargo falling" if self.fallen else "won at once")
        if self.turns + 1 < self.players:
            self.note("won in the middle of a round")
