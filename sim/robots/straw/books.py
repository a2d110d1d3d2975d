"""A second opinion on Straw: the books of a whole game, kept by hand from the printed rules.

Room: sim/robots. It shuffles, deals and sees every hand, as nobody at the table does, and shares
no line with ``engines.straw``; so where the two agree, they agree for different reasons. Cards are
texts, ``weight-7#2`` being the second card of weight seven. House rules are at their defaults.
"""

from functools import cache
from random import Random

LIMIT = 50  # the camel bears this much; its back breaks above it
DEALT = 4

STRAW_NOT_AT_50 = "straw-not-at-50"
COPY_ON_EMPTY_CAMEL = "copy-on-empty-camel"

PLAYING, ROUND_DONE, GAME_DONE = "playing", "round done", "game done"


def box(copies: int = 5, lamps: int = 5, reverses: int = 4, carpets: int = 9) -> list[str]:
    """The 64 cards of the shipped composition, or of another fit to the same 64."""
    cards = [f"weight-{n}#{copy}" for n in range(1, 11) for copy in range(1, 5)]
    cards += [f"carpet-{n}#1" for n in range(1, carpets + 1)]
    cards += [f"copy#{n}" for n in range(1, copies + 1)]
    cards += [f"lamp#{n}" for n in range(1, lamps + 1)]
    cards += [f"reverse#{n}" for n in range(1, reverses + 1)]
    cards.append("straw#1")
    return cards


def light_box(straws: int = 1) -> list[str]:
    """A box of which even the whole hardly breaks a back: hands run out before the camel does."""
    cards = [f"weight-{n}#{copy}" for n in range(1, 6) for copy in (1, 2)]
    cards += [f"carpet-{n}#1" for n in range(1, 7)]
    cards += [f"copy#{n}" for n in range(1, 6)] + [f"reverse#{n}" for n in range(1, 5)]
    return [*cards, "lamp#1", *(f"straw#{n}" for n in range(1, straws + 1))]


def box_of_copies() -> list[str]:
    """A box so full of Copies that some hands cannot begin a round."""
    cards = [f"weight-9#{n}" for n in range(1, 5)] + [f"carpet-8#{n}" for n in (1, 2)]
    cards += [f"copy#{n}" for n in range(1, 21)]
    return [*cards, "reverse#1", "lamp#1", "straw#1"]


@cache
def kind_of(card: str) -> str:
    """What is on the card, whichever of its copies it is."""
    return card.split("#")[0]


@cache
def printed(card: str) -> int:
    """What stands in the corner; zero on Reverse, Copy, Lamp and Straw, below it on a carpet."""
    kind = kind_of(card)
    if kind.startswith("weight-"):
        return int(kind[len("weight-") :])
    if kind.startswith("carpet-"):
        return -int(kind[len("carpet-") :])
    return 0


class StrawBooks:
    """One game of Straw from the first deal to the winners."""

    def __init__(self, players: int, dealer: int, cards: list[str], chance: Random) -> None:
        self.players = players
        self.dealer = dealer
        self.cards = cards
        self.chance = chance
        self.rounds_done = 0
        self.totals = [0] * players
        self.winners: list[int] = []
        self.happened: set[str] = set()  # the rare things this game has seen
        self.deal()

    def deal(self) -> None:
        """Shuffle all cards and give everybody four."""
        self.pile = list(self.cards)
        self.chance.shuffle(self.pile)
        self.hands: list[list[str]] = []
        for _ in range(self.players):
            self.hands.append([self.pile.pop() for _ in range(DEALT)])
        self.camel: list[str] = []
        self.weight = 0
        self.copied = ""  # what a Copy would copy: the last card that was no Copy
        self.step = 1  # +1 to the left, clockwise; -1 to the right
        self.turn = (self.dealer + 1) % self.players
        self.passes = 0  # one after the other, on an empty camel
        self.scorers: list[int] = []
        self.gains = [0] * self.players
        self.state = PLAYING

    @property
    def hand(self) -> list[str]:
        """The hand of the one whose turn it is."""
        return self.hands[self.turn]

    def why_not(self, card: str) -> str | None:
        """The reason this card may not be played now, None when it may."""
        if kind_of(card) == "straw" and self.weight != LIMIT:
            return STRAW_NOT_AT_50
        if kind_of(card) == "copy" and not self.camel:
            return COPY_ON_EMPTY_CAMEL
        return None

    def playable(self) -> list[str]:
        """The cards of that hand that may be played now."""
        return [card for card in self.hand if self.why_not(card) is None]

    def acts_as(self, card: str) -> str:
        """The card itself, or what a Copy copies."""
        return self.copied if kind_of(card) == "copy" else card

    def asks_a_number(self, card: str) -> bool:
        """Whether its player says how heavy this card is."""
        return kind_of(self.acts_as(card)) == "lamp"

    def weight_with(self, card: str, number: int | None) -> int:
        """The weight once this card lies on the camel."""
        if number is not None:
            return self.weight + number
        return self.weight + printed(self.acts_as(card))

    def play(self, card: str, number: int | None = None) -> None:
        """The player whose turn it is plays this card, with a whole number where one is named."""
        assert self.state == PLAYING
        assert card in self.hand
        assert self.why_not(card) is None
        assert (number is not None) == self.asks_a_number(card)
        assert number is None or 1 <= number <= 10
        player = self.turn
        real = self.acts_as(card)
        self.note_play(card, real)

        self.hands[player].remove(card)
        self.weight = self.weight_with(card, number)
        self.camel.append(card)
        self.copied = real

        if kind_of(real) == "straw":
            self.end_round([player])
            return
        if self.weight < 0:
            self.happened.add("below zero")
        if self.weight > LIMIT:
            if kind_of(card) == "copy":
                self.happened.add("copier breaks")
            self.end_round([seat for seat in range(self.players) if seat != player])
            return
        if self.pile:
            self.hands[player].append(self.pile.pop())
        if kind_of(real) == "reverse":
            self.step = -self.step
        if not any(self.hands):
            self.happened.add("all cards played")
            self.end_round(list(range(self.players)))
            return
        self.pass_turn()

    def pass_turn(self) -> None:
        """The next player who holds cards goes on."""
        self.turn = (self.turn + self.step) % self.players
        while not self.hands[self.turn]:
            self.happened.add("empty hand skipped")
            self.turn = (self.turn + self.step) % self.players

    def cannot_play(self) -> None:
        """The player whose turn it is holds cards but none that may be played."""
        assert self.state == PLAYING
        assert self.hand
        assert not self.playable()
        if self.camel:
            self.happened.add("stuck and lost")
            self.end_round([seat for seat in range(self.players) if seat != self.turn])
        else:
            self.happened.add("stuck and passed")
            self.passes += 1
            if self.passes == self.players:  # everybody still holds the hand dealt
                self.happened.add("nobody can begin")
                self.end_round(list(range(self.players)))
            else:
                self.pass_turn()

    def end_round(self, scorers: list[int]) -> None:
        """These score what they hold; after a round for each player the game is over."""
        self.scorers = scorers
        self.gains = [0] * self.players
        for seat in scorers:
            self.gains[seat] = sum(printed(card) for card in self.hands[seat])
            self.totals[seat] += self.gains[seat]
        self.rounds_done += 1
        self.state = ROUND_DONE
        self.note_round()
        if self.rounds_done == self.players:
            best = max(self.totals)
            self.winners = [seat for seat in range(self.players) if self.totals[seat] == best]
            self.state = GAME_DONE
            if len(self.winners) > 1:
                self.happened.add("shared win")

    def next_round(self) -> None:
        """The next player deals."""
        assert self.state == ROUND_DONE
        self.dealer = (self.dealer + 1) % self.players
        self.deal()

    def note_play(self, card: str, real: str) -> None:
        """Note what is rare about a card that is being laid."""
        if kind_of(card) == "copy":
            self.happened.add("copy of " + kind_of(real).split("-")[0])
            if kind_of(self.camel[-1]) == "copy":
                self.happened.add("copy of copy")
        if kind_of(real) == "straw":
            self.happened.add("straw at 50")
            if sum(printed(held) for held in self.hand) < 0:
                self.happened.add("straw with a negative hand")
        if not self.pile:
            self.happened.add("played with an empty pile")

    def note_round(self) -> None:
        """Note what is rare about a round that has ended."""
        if min(self.gains) < 0:
            self.happened.add("negative round")
        if min(self.totals) < 0:
            self.happened.add("negative total")
        if self.weight == LIMIT + 1:
            self.happened.add("broken by one")
