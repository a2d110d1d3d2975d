"""The robots' own record of a game of Riff Raff, called its *books*.

It is a second implementation of the rules, by which robots check the engine.

The books see every hand and every piece on the ship. They share no code with
``engines.riff_raff``. A piece is a string such as ``red-barrel``. A card is its number; its colour
is that of its owner. "Our rule" marks a point that the printed rules leave open and that RULES.md
decides.

``Hearsay`` tracks what a referee that cannot see the ship can infer about it from the players'
reports. See ``sim.robots.riff_raff`` for the words of the game.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from random import Random

COLOURS = ("red", "blue", "green", "yellow")
SHAPES = ("boat", "barrel", "flask", "crate", "sailor", "plank", "rat", "chest")
NUMBERS = range(1, 11)  # the numbers on cards, which are also those of the ship's areas
YARDS = range(5, 11)  # the areas on yardarms; the others are on deck
TIMES = {2: 2, 3: 1, 4: 1}  # by number of players: passes through all cards; sets per player


def set_of(colour: str) -> list[str]:
    """Return the eight pieces of one colour."""
    return [f"{colour}-{shape}" for shape in SHAPES]


# --- what a referee can infer about the ship -----------------------------------------------------

Load = int  # the number of pieces at each index, ``BITS`` for each; index 0 has the lowest ones
BITS, MASK = 6, 63  # enough for all 32 pieces
UNITS = [1 << (BITS * index) for index in range(len(NUMBERS))]  # one piece at each index
ALL_AT = [MASK * unit for unit in UNITS]  # the bits of each index
DECK_BITS = BITS * (min(YARDS) - 1)
TOO_MANY = 1000  # possible ships; above this, the areas on deck are counted as one


def lying_at(load: Load, index: int) -> int:
    """Return the number of pieces of *load* at *index*."""
    return load >> (BITS * index) & MASK


def with_one_deck(load: Load) -> Load:
    """Return *load* with the areas on deck counted at index 0, and the yardarms after it."""
    return (load >> DECK_BITS << BITS) + deck_total(load & (1 << DECK_BITS) - 1)


@cache
def deck_total(deck: Load) -> int:
    """Return the number of pieces of *deck*, the lowest bits of a load."""
    return sum(lying_at(deck, index) for index in range(min(YARDS) - 1))


class Hearsay:
    """The numbers of pieces that may be in the ship's areas, inferred from the players' reports.

    *cargo* is what was loaded. Each of the *losses* is a possibility of what has fallen from it.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Record that the ship is empty."""
        self.know([0] * len(NUMBERS))

    def know(self, lying: Sequence[int]) -> None:
        """Record that only one ship is possible, with *lying* pieces in the areas 1 to 10."""
        self.cargo: Load = sum(many * unit for many, unit in zip(lying, UNITS, strict=True))
        self.losses: set[Load] = {0}
        self.is_deck_one = False  # True if the areas on deck are counted as one, at index 0

    def place(self, area: int) -> int:
        """Return the index in a ``Load`` at which this area, from 1 to 10, is counted."""
        return max(0, area - min(YARDS) + 1) if self.is_deck_one else area - 1

    def loaded(self, area: int) -> None:
        """Record that a piece was loaded in this area."""
        self.cargo += UNITS[self.place(area)]

    def fell(self, many: int) -> None:
        """Record that *many* pieces fell, from areas that the referee does not know."""
        for _ in range(many):
            self.losses = {
                loss + unit
                for unit, there in zip(UNITS, ALL_AT, strict=True)
                if (lying := self.cargo & there)
                for loss in self.losses
                if loss & there != lying  # a piece lies there still
            }
            if len(self.losses) > TOO_MANY and not self.is_deck_one:
                self.cargo = with_one_deck(self.cargo)
                self.losses = {*map(with_one_deck, self.losses)}
                self.is_deck_one = True
        if self.losses <= {self.cargo}:
            self.clear()

    def looked(self, area: int, is_held: bool) -> None:
        """Record the players' answer to the question whether *area* holds a piece.

        *is_held* is True if they said yes.
        """
        there = ALL_AT[self.place(area)]
        lying = self.cargo & there
        self.losses = {loss for loss in self.losses if (loss & there != lying) is is_held}

    def can_tell(self, area: int) -> bool:
        """Return True if this area is still counted separately, not with the rest of the deck."""
        return area in YARDS or not self.is_deck_one

    def least(self, area: int) -> int:
        """Return the least number of pieces that can be in this area."""
        index = self.place(area)
        most = max([loss & ALL_AT[index] for loss in self.losses])
        return lying_at(self.cargo, index) - lying_at(most, index)

    def most(self, area: int) -> int:
        """Return the greatest number of pieces that can be in this area."""
        index = self.place(area)
        least = min([loss & ALL_AT[index] for loss in self.losses])
        return lying_at(self.cargo, index) - lying_at(least, index)


# --- what is asked, and what is done -------------------------------------------------------------


class RiffRaffAsk(Enum):
    """A kind of input that the table can wait for."""

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
    WHICH_FELL = "whether the one that fell is the one just placed"
    SAVED = "every piece that was caught"
    LOST = "every piece that was not"
    NOTHING = "nothing: the game is over"


class RiffRaffVerb(Enum):
    """The kind of a move."""

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


News = tuple[str | int, ...]  # an announcement: a code, then seats and numbers


@dataclass(frozen=True)
class RiffRaffMove:
    """A move by *player*.

    Args:
        verb: the kind of the move.
        player: the seat of the player.
        number: a card, an area or a number of pieces.
        piece: the piece that is loaded or shown.
        colour: the colour that the player shows.
        seat: the player who is named.
        fallen: all pieces that fall. It can be empty only if pieces have tags: a false alarm.
        caught: the pieces of *fallen* that are caught.
    """

    verb: RiffRaffVerb
    player: int
    number: int = -1
    piece: str = ""
    colour: str = ""
    seat: int = -1
    fallen: tuple[str, ...] = ()
    caught: tuple[str, ...] = ()


@dataclass(frozen=True)
class RiffRaffHouseRules:
    """The house rules of a game."""

    is_tagged: bool = False  # True if the pieces have tags
    names_himself: bool = True  # a tied captain may name himself
    placed_returns: bool = True  # our rule: the piece just placed returns even if others fell


class RiffRaffBooks:
    """The full state of one game of Riff Raff, from the empty ship to the winners."""

    def __init__(
        self, players: int, oldest: int, house: RiffRaffHouseRules, chance: Random
    ) -> None:
        self.players = players
        self.house = house
        self.captain = oldest  # the oldest player until all cards of the first round are revealed
        self.colours = [""] * players
        self.stocks: list[list[str]] = [[] for _ in range(players)]
        self.ship: dict[str, int] = {}  # the area of each piece on the ship
        self.removed: list[str] = []
        self.hearsay = Hearsay()
        self.passes = 1
        self.rounds = 1  # rounds begun in this pass
        self.hands = [list(NUMBERS) for _ in range(players)]
        self.revealed: dict[int, int] = {}  # the cards of this round, by seat
        self.tied: list[int] = []  # the seats among which the captain must choose
        self.order: list[int] = []  # the seats in order of play, as far as it is known
        self.turns = 0  # turns completed in this round
        self.forget_loading()
        self.winners: list[int] = []
        self.news: list[News] = []  # announcements of the last move, in order
        self.happened: set[str] = set()  # the rare events of this game
        colours = chance.sample(COLOURS, len(COLOURS))  # the colour of each set of pieces
        for deal in range(players * TIMES[players]):
            self.stocks[deal % players] += set_of(colours[deal])
        self.asked = RiffRaffAsk.COLOUR

    def forget_loading(self) -> None:
        """Reset the fields that belong to one turn of loading."""
        self.announced = 1  # pieces to load in this turn
        self.is_announced = False
        self.placed: list[str] = []  # pieces loaded in this turn that held
        self.piece = ""  # the piece being loaded
        self.fallen: list[str] = []
        self.caught: list[str] = []
        self.shown: list[str] = []  # fallen pieces tapped so far

    # -- the state

    @property
    def turn(self) -> int:
        """The seat of the player who loads now."""
        return self.order[self.turns]

    @property
    def area(self) -> int:
        """The area in which the player loads now."""
        return self.revealed[self.turn]

    @property
    def stock(self) -> list[str]:
        """The pieces in front of the player who loads now."""
        return self.stocks[self.turn]

    def lying_in(self, area: int) -> list[str]:
        """Return the pieces in this area."""
        return [piece for piece, there in self.ship.items() if there == area]

    def sizes(self) -> list[int]:
        """Return the number of pieces in front of each player, by seat."""
        return [len(stock) for stock in self.stocks]

    def free_colours(self) -> list[str]:
        """Return the colours that nobody plays."""
        return [colour for colour in COLOURS if colour not in self.colours]

    def colourless(self) -> list[int]:
        """Return the seats of the players who have no colour yet."""
        return [seat for seat, colour in enumerate(self.colours) if not colour]

    def hiding(self) -> list[int]:
        """Return the seats of the players who have not revealed a card in this round."""
        return [seat for seat in range(self.players) if seat not in self.revealed]

    def pieces_in_play(self) -> int:
        """Return the total number of pieces: in front of players, on the ship, and removed."""
        return sum(self.sizes()) + len(self.ship) + len(self.removed)

    # -- legal moves

    def legal_moves(self) -> list[RiffRaffMove]:
        """Return all moves that are legal now; none for the outcome of loading, which is chance."""
        match self.asked:
            case RiffRaffAsk.COLOUR:
                waiting = self.colourless()
                return [
                    RiffRaffMove(RiffRaffVerb.SHOW, s, colour=c)
                    for s in waiting
                    for c in self.free_colours()
                ]
            case RiffRaffAsk.CARD:
                waiting = self.hiding()
                return [
                    RiffRaffMove(RiffRaffVerb.REVEAL, s, number)
                    for s in waiting
                    for number in self.hands[s]
                ]
            case RiffRaffAsk.CAPTAIN | RiffRaffAsk.NEXT:
                return [
                    RiffRaffMove(RiffRaffVerb.NAME, self.captain, seat=seat) for seat in self.tied
                ]
            case RiffRaffAsk.HOLDS:
                return [RiffRaffMove(RiffRaffVerb.LOOK, self.turn, len(self.lying_in(self.area)))]
            case RiffRaffAsk.HOW_MANY:
                return [RiffRaffMove(RiffRaffVerb.ANNOUNCE, self.turn, number) for number in (1, 2)]
            case RiffRaffAsk.PIECE:
                return [
                    RiffRaffMove(RiffRaffVerb.TAKE, self.turn, piece=piece) for piece in self.stock
                ]
            case RiffRaffAsk.FALLEN:
                return [RiffRaffMove(RiffRaffVerb.SAY, self.turn, len(self.fallen))]
            case RiffRaffAsk.CAUGHT:
                return [RiffRaffMove(RiffRaffVerb.SAY, self.turn, len(self.caught))]
            case RiffRaffAsk.WHICH:
                return [RiffRaffMove(RiffRaffVerb.TELL, self.turn, piece=self.caught[0])]
            case RiffRaffAsk.WHICH_FELL:
                return [RiffRaffMove(RiffRaffVerb.TELL, self.turn, piece=self.fallen[0])]
            case RiffRaffAsk.SAVED:
                return self.shows(RiffRaffVerb.SAVE, self.caught)
            case RiffRaffAsk.LOST:
                return self.shows(RiffRaffVerb.LOSE, self.lost_pieces())
            case _:
                return []

    def shows(self, verb: RiffRaffVerb, pieces: Iterable[str]) -> list[RiffRaffMove]:
        """Return a move to show each of *pieces* not shown yet; if there is none, the DONE move."""
        left = [piece for piece in pieces if piece not in self.shown]
        acts = [RiffRaffMove(verb, self.turn, piece=piece) for piece in left]
        return acts or [RiffRaffMove(RiffRaffVerb.DONE, self.turn)]

    def lost_pieces(self) -> list[str]:
        """Return the pieces that fell and were not caught."""
        return [piece for piece in self.fallen if piece not in self.caught]

    # -- the moves

    def do(self, act: RiffRaffMove) -> None:
        """Apply a legal move to the game."""
        self.news = []
        match act.verb:
            case RiffRaffVerb.SHOW:
                self.show(act.player, act.colour)
            case RiffRaffVerb.REVEAL:
                self.reveal(act.player, act.number)
            case RiffRaffVerb.NAME:
                self.name(act.seat)
            case RiffRaffVerb.LOOK:
                self.look()
            case RiffRaffVerb.ANNOUNCE:
                self.announce(act.number)
            case RiffRaffVerb.TAKE:
                self.piece, self.asked = act.piece, RiffRaffAsk.LOADED
            case RiffRaffVerb.HOLD:
                self.hold(act.piece)
            case RiffRaffVerb.FALL:
                self.fall(act.piece, act.fallen, act.caught)
            case RiffRaffVerb.SAY if self.asked is RiffRaffAsk.FALLEN:
                self.asked = RiffRaffAsk.CAUGHT
            case RiffRaffVerb.SAY:
                self.say_caught()
            case RiffRaffVerb.SAVE | RiffRaffVerb.LOSE:
                self.shown.append(act.piece)
            case RiffRaffVerb.DONE if self.asked is RiffRaffAsk.SAVED and len(self.shown) <= len(
                self.ship
            ):
                self.asked = RiffRaffAsk.LOST
            case RiffRaffVerb.DONE if not self.shown:
                self.load_on()
            case RiffRaffVerb.TELL | RiffRaffVerb.DONE:
                self.settle()
        assert self.pieces_in_play() == self.players * 8 * TIMES[self.players]

    def tell(self, *news: str | int) -> None:
        """Add an announcement to ``news``."""
        self.news.append(news)

    def show(self, seat: int, colour: str) -> None:
        """Give a player a colour; if one player and one colour are left, match them too.

        When all have a colour, begin the first round.
        """
        self.take_colour(seat, colour)
        waiting, free = self.colourless(), self.free_colours()
        if len(waiting) == len(free) == 1:
            self.take_colour(waiting[0], free[0])
        if self.colourless():
            self.tell("show-colour", self.colourless()[0])
        else:
            self.begin_round()

    def take_colour(self, seat: int, colour: str) -> None:
        """Give a player a colour."""
        self.colours[seat] = colour
        self.tell("plays-with", seat, colour)

    def begin_round(self) -> None:
        """Begin a round, in which every player must first reveal a card."""
        self.revealed, self.order, self.turns = {}, [], 0
        self.tell("round-begins", self.rounds)
        self.asked = RiffRaffAsk.CARD

    def reveal(self, seat: int, number: int) -> None:
        """Reveal a player's card; after the last player's, find the captain."""
        self.hands[seat].remove(number)
        self.revealed[seat] = number
        self.tell("reveals", seat, number)
        if len(self.revealed) == self.players:
            self.find_captain()

    def find_captain(self) -> None:
        """Make the player with the highest card captain; if several are tied, ask the captain."""
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
            self.asked = RiffRaffAsk.CAPTAIN

    def name(self, seat: int) -> None:
        """Make the player at *seat*, named by the captain, the new captain or the next in order."""
        if self.asked is RiffRaffAsk.CAPTAIN:
            if self.captain in self.tied:
                is_himself = seat == self.captain
                self.note(f"a tied captain names {'himself' if is_himself else 'another'}")
            self.appoint(seat)
        else:
            self.order.append(seat)
            self.tell("is-next", seat)
            self.line_up()

    def appoint(self, seat: int) -> None:
        """Make the player at *seat* the captain, who loads first, and order the others."""
        self.captain = seat
        self.order = [seat]
        self.tell("captain", seat)
        self.line_up()

    def line_up(self) -> None:
        """Order the players after the captain by their cards, the highest card first.

        At a tie, ask the captain; else begin the first turn.
        """
        while len(self.order) < self.players:
            left = {s: number for s, number in self.revealed.items() if s not in self.order}
            highest = max(left.values())
            self.tied = [seat for seat, number in left.items() if number == highest]
            if len(self.tied) > 1:
                self.note_order()
                self.tell("who-is-next", self.captain, highest)
                self.asked = RiffRaffAsk.NEXT
                return
            self.order += self.tied
        self.begin_turn()

    def begin_turn(self) -> None:
        """Begin the turn of the next player in order."""
        self.forget_loading()
        self.tell("loads", self.turn, self.area)
        if self.must_look():
            self.tell("look", self.area)
            self.asked = RiffRaffAsk.HOLDS
        else:
            self.ask_how_many()

    def must_look(self) -> bool:
        """Return True if the referee must ask whether the current area holds a piece."""
        if self.area not in YARDS or len(self.stock) == 1 or self.house.is_tagged:
            return False
        least, most = self.hearsay.least(self.area), self.hearsay.most(self.area)
        if (least or not most) and len(self.hearsay.losses) > 1:
            self.note(f"known though cargo fell: {'a piece' if least else 'empty'}")
        return least == 0 < most

    def look(self) -> None:
        """Answer truly whether the current area holds a piece, and go on to the next question."""
        is_held = bool(self.lying_in(self.area))
        self.note(f"asked of a yardarm: {'a piece' if is_held else 'empty'}")
        self.hearsay.looked(self.area, is_held)
        self.ask_how_many()

    def ask_how_many(self) -> None:
        """Ask whether the player loads one piece or two, if two are allowed.

        Two are allowed only on a yardarm that holds a piece, to a player with two pieces or more.
        """
        is_free = self.area in YARDS and bool(self.lying_in(self.area))
        if is_free and len(self.stock) == 1:
            self.note("two would be allowed with more than one piece")
        if is_free and len(self.stock) > 1:
            self.tell("one-or-two")
            self.asked = RiffRaffAsk.HOW_MANY
        else:
            self.asked = self.loading()

    def loading(self) -> RiffRaffAsk:
        """Return the input that the table waits for at loading.

        It is a tap of the piece if pieces have tags, else the outcome.
        """
        return RiffRaffAsk.PIECE if self.house.is_tagged else RiffRaffAsk.LOADED

    def announce(self, number: int) -> None:
        """Record that the player announced to load *number* pieces, one or two."""
        self.announced = number
        self.is_announced = True
        self.tell("announces", self.turn, number)
        self.note("two announced" if number == 2 else "one announced where two are allowed")
        self.asked = self.loading()

    def hold(self, piece: str) -> None:
        """Load a piece without anything falling; end the turn unless a second piece is due."""
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
        """Record that *fallen* pieces fell as *piece* was loaded, and that *caught* were caught.

        ``settle`` moves the pieces once the player has answered all questions about them.
        """
        self.piece = piece
        self.fallen, self.caught = list(fallen), list(caught)
        assert self.fallen or self.house.is_tagged
        assert set(self.caught) <= set(self.fallen) <= {piece, *self.ship}
        self.tell("overboard")
        self.asked = RiffRaffAsk.SAVED if self.house.is_tagged else RiffRaffAsk.FALLEN

    def load_on(self) -> None:
        """Ask for the outcome of loading again, since nothing fell; only with tagged pieces."""
        self.tell("load-on")
        self.note("a false alarm")
        self.asked = RiffRaffAsk.LOADED

    def say_caught(self) -> None:
        """Ask whether the only piece caught, or the only piece fallen, is the one just placed.

        If several were caught or fell, or the answer would change nothing, ``settle`` at once.
        """
        is_open = bool(self.ship) and (self.house.placed_returns or len(self.fallen) == 1)
        if len(self.caught) == 1 and is_open:
            self.asked = RiffRaffAsk.WHICH
        elif len(self.fallen) == 1 and not self.caught and self.can_be_from_elsewhere():
            self.note("asked which one fell")
            self.asked = RiffRaffAsk.WHICH_FELL
        else:
            self.settle()

    def can_be_from_elsewhere(self) -> bool:
        """Return True if areas other than this one may hold cargo, by the players' reports."""
        if not self.ship:
            return False
        is_vague = not self.hearsay.can_tell(self.area)
        return is_vague or self.hearsay.least(self.area) < len(self.ship)

    def settle(self) -> None:
        """Remove caught pieces from the game, give the player the others that fell, end the turn.

        If the only piece caught is the one just placed, it goes back to the player. If the house
        rule ``placed_returns`` is False, it does so only if no other piece fell.
        """
        self.note_fall()
        if not self.house.is_tagged:
            self.hear_of_the_fall()
        self.ship[self.piece] = self.area
        self.stock.remove(self.piece)
        for piece in self.fallen:
            del self.ship[piece]
        self.stock.extend(self.lost_pieces())
        returns = self.caught == [self.piece]
        if returns and (self.house.placed_returns or len(self.fallen) == 1):
            self.stock.append(self.piece)
            self.tell("placed-returns", self.turn)
        elif self.caught:
            self.removed += self.caught
            self.tell("leave", self.turn, len(self.caught))
        if self.lost_pieces():
            self.tell("takes", self.turn, len(self.lost_pieces()))
        self.tell("has", self.turn, len(self.stock))
        self.end_turn()

    def hear_of_the_fall(self) -> None:
        """Record in ``Hearsay`` how many pieces fell and, if that was reported, from where."""
        many = len(self.fallen)
        is_told_which = self.asked in (RiffRaffAsk.WHICH, RiffRaffAsk.WHICH_FELL)
        told = self.fallen if self.asked is RiffRaffAsk.WHICH_FELL else self.caught
        if is_told_which and told == [self.piece]:  # the piece just placed fell, and others
            self.hearsay.fell(many - 1)
        elif is_told_which and many == 1:  # another piece fell, and the one just placed held
            self.hearsay.fell(many)
            self.hearsay.loaded(self.area)
        else:
            self.hearsay.loaded(self.area)
            self.hearsay.fell(many)

    def end_turn(self) -> None:
        """End the turn; if the player has no piece left, end the game."""
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
        """Begin the next round or the second pass, or end the game."""
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
        """End the game with these winners."""
        self.winners, self.asked = winners, RiffRaffAsk.NOTHING

    # -- rare events, which tests look for

    def note(self, what: str) -> None:
        """Add a rare event to ``happened``, which has those of this game."""
        self.happened.add(what)

    def note_tie(self) -> None:
        """Add to ``happened`` the rare events of a tie for the highest card."""
        self.note(f"tie of {len(self.tied)} for captain")
        if self.passes == self.rounds == 1:
            self.note("tie for captain in the first round")
        if self.captain not in self.tied:
            self.note("a captain names one of others")

    def note_order(self) -> None:
        """Add to ``happened`` the rare events of a tie for the next place in order."""
        is_behind = self.revealed[self.tied[0]] == self.revealed[self.captain]
        where = "behind a tied captain" if is_behind else "further down"
        self.note(f"tie of {len(self.tied)} {where}")

    def note_fall(self) -> None:
        """Add the rare events of fallen cargo to ``happened``, which has those of this game."""
        placed, caught, lost = self.piece, self.caught, self.lost_pieces()
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
        """Add to ``happened`` the rare events of a player who has loaded all pieces."""
        self.note("won with cargo falling" if self.fallen else "won at once")
        if self.turns + 1 < self.players:
            self.note("won in the middle of a round")
