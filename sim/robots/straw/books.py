"""The robots' own record of a game of Straw, called its *books*.

It is a second implementation of the printed rules, by which robots check the engine.

The books shuffle, deal and see every hand. They share no code with ``engines.straw``. A card is a
string: ``weight-7#2`` is the second card of weight seven. House rules are at their defaults.
"""

from functools import cache
from random import Random

LIMIT = 50  # the greatest weight that does not break the camel's back
DEALT = 4

STRAW_NOT_AT_50 = "straw-not-at-50"
COPY_ON_EMPTY_CAMEL = "copy-on-empty-camel"

PLAYING, ROUND_DONE, GAME_DONE = "playing", "round done", "game done"


def box(copies: int = 5, lamps: int = 5, reverses: int = 4, carpets: int = 9) -> list[str]:
    """Return the 64 cards of the shipped deck, or a deck with these numbers of cards instead."""
    cards = [f"weight-{n}#{copy}" for n in range(1, 11) for copy in range(1, 5)]
    cards += [f"carpet-{n}#1" for n in range(1, carpets + 1)]
    cards += [f"copy#{n}" for n in range(1, copies + 1)]
    cards += [f"lamp#{n}" for n in range(1, lamps + 1)]
    cards += [f"reverse#{n}" for n in range(1, reverses + 1)]
    cards.append("straw#1")
    return cards


def light_box(straws: int = 1) -> list[str]:
    """Return a deck so light that hands run out before the camel's back breaks."""
    cards = [f"weight-{n}#{copy}" for n in range(1, 6) for copy in (1, 2)]
    cards += [f"carpet-{n}#1" for n in range(1, 7)]
    cards += [f"copy#{n}" for n in range(1, 6)] + [f"reverse#{n}" for n in range(1, 5)]
    return [*cards, "lamp#1", *(f"straw#{n}" for n in range(1, straws + 1))]


def box_of_copies() -> list[str]:
    """Return a deck with 20 Copies, so that some hands cannot begin a round."""
    cards = [f"weight-9#{n}" for n in range(1, 5)] + [f"carpet-8#{n}" for n in (1, 2)]
    cards += [f"copy#{n}" for n in range(1, 21)]
    return [*cards, "reverse#1", "lamp#1", "straw#1"]


@cache
def kind_of(card: str) -> str:
    """Return the kind of a card: its name without the number of the copy."""
    return card.split("#")[0]


@cache
def printed_number(card: str) -> int:
    """Return the number printed on a card: 0 on specials, negative on a carpet."""
    kind = kind_of(card)
    if kind.startswith("weight-"):
        return int(kind[len("weight-") :])
    if kind.startswith("carpet-"):
        return -int(kind[len("carpet-") :])
    return 0


class StrawBooks:
    """The full state of one game of Straw, from the first deal to the winners."""

    def __init__(self, players: int, dealer: int, cards: list[str], chance: Random) -> None:
        self.players = players
        self.dealer = dealer
        self.cards = cards
        self.chance = chance
        self.rounds_done = 0
        self.totals = [0] * players
        self.winners: list[int] = []
        self.happened: set[str] = set()  # the rare events of this game
        self.deal()

    def deal(self) -> None:
        """Begin a round: shuffle all cards and deal four to each player."""
        self.pile = list(self.cards)
        self.chance.shuffle(self.pile)
        self.hands: list[list[str]] = []
        for _ in range(self.players):
            self.hands.append([self.pile.pop() for _ in range(DEALT)])
        self.camel: list[str] = []
        self.weight = 0
        self.copied = ""  # the card that a Copy copies: the last one that is not a Copy
        self.step = 1  # 1 clockwise, -1 counter-clockwise
        self.turn = (self.dealer + 1) % self.players
        self.passes = 0  # consecutive passes on an empty camel
        self.scorers: list[int] = []
        self.gains = [0] * self.players
        self.state = PLAYING

    @property
    def hand(self) -> list[str]:
        """The current player's hand."""
        return self.hands[self.turn]

    def why_not(self, card: str) -> str | None:
        """Return the reason why this card may not be played now, or None if it may."""
        if kind_of(card) == "straw" and self.weight != LIMIT:
            return STRAW_NOT_AT_50
        if kind_of(card) == "copy" and not self.camel:
            return COPY_ON_EMPTY_CAMEL
        return None

    def playable(self) -> list[str]:
        """Return the cards of the current player's hand that may be played now."""
        return [card for card in self.hand if self.why_not(card) is None]

    def acts_as(self, card: str) -> str:
        """Return the card that a Copy copies now, or *card* itself if it is not a Copy."""
        return self.copied if kind_of(card) == "copy" else card

    def asks_a_number(self, card: str) -> bool:
        """Return True if this card is a Lamp or copies one: the player chooses its weight."""
        return kind_of(self.acts_as(card)) == "lamp"

    def weight_with(self, card: str, number: int | None) -> int:
        """Return the weight on the camel if *card* were played, *number* being a Lamp's weight."""
        if number is not None:
            return self.weight + number
        return self.weight + printed_number(self.acts_as(card))

    def play(self, card: str, number: int | None = None) -> None:
        """Play a card of the current player, draw a card, and end the turn or the round.

        *number* is the weight chosen for a Lamp, from 1 to 10; None for other cards.
        """
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
        """Give the turn to the next player who holds cards."""
        self.turn = (self.turn + self.step) % self.players
        while not self.hands[self.turn]:
            self.happened.add("empty hand skipped")
            self.turn = (self.turn + self.step) % self.players

    def cannot_play(self) -> None:
        """Record that the current player has no playable card, which ends the round.

        On an empty camel, the player only passes; the round ends when all have passed in a row.
        """
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
        """Add up the hands of the seats *scorers* as their points, and end the round.

        A game has as many rounds as players; after the last, find the winners.
        """
        self.scorers = scorers
        self.gains = [0] * self.players
        for seat in scorers:
            self.gains[seat] = sum(printed_number(card) for card in self.hands[seat])
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
        """Make the next player the dealer, and deal a new round."""
        assert self.state == ROUND_DONE
        self.dealer = (self.dealer + 1) % self.players
        self.deal()

    def note_play(self, card: str, real: str) -> None:
        """Add to ``happened`` the rare events of playing *card*. *real* is the card it acts as."""
        if kind_of(card) == "copy":
            self.happened.add("copy of " + kind_of(real).split("-")[0])
            if kind_of(self.camel[-1]) == "copy":
                self.happened.add("copy of copy")
        if kind_of(real) == "straw":
            self.happened.add("straw at 50")
            if sum(printed_number(held) for held in self.hand) < 0:
                self.happened.add("straw with a negative hand")
        if not self.pile:
            self.happened.add("played with an empty pile")

    def note_round(self) -> None:
        """Add to ``happened`` the rare events at the end of a round, such as a negative total."""
        if min(self.gains) < 0:
            self.happened.add("negative round")
        if min(self.totals) < 0:
            self.happened.add("negative total")
        if self.weight == LIMIT + 1:
            self.happened.add("broken by one")
