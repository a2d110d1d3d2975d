"""The layout of hands and a draw pile.

Cards move by the taps in the journal and the referee's counts (decision 0007); this module
applies no rules. When a player gives a card away, the mat cannot sense which card, so the giver
chooses it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from engines.common import layouts
from engines.common.contract import Game, HandTransfer, Seat, Tap, View
from engines.common.pieces import Deck, Piece
from firmware.journal.journal import GameRecord
from sim.deal.layout import (
    COUNTING,
    Arrangement,
    Decisions,
    Eyes,
    HandAct,
    Known,
    Layout,
    Values,
    holder_in,
    lacking,
    piece_in,
    text_in,
    texts_of,
)
from sim.deal.transitions import Transition, draw, shuffle, transitions_of
from sim.mat.mat import CannotDo
from sim.robots.contract import ByHand, Give
from sim.robots.scene import HandsScene, Scene

GIVE = "give"  # the act by hand that chooses the card to give away


@dataclass(frozen=True, slots=True)
class Gift:
    """A card given to another player. The giver may replace *piece* by one of *choices*."""

    giver: Seat
    receiver: Seat
    piece: Piece
    choices: tuple[Piece, ...]  # the giver's hand before
    is_chosen: bool = False  # by the giver


@dataclass
class Cards(Arrangement):
    """The places of all cards. *gift* is the card that the last input gave away, or None."""

    hands: list[list[Piece]]
    pile: list[Piece]  # the top card last
    laid: list[Piece] = field(default_factory=list)
    counted: list[Seat] = field(default_factory=list)  # of the last laid cards, whose were counted
    gift: Gift | None = None
    drawn: list[list[Piece]] = field(default_factory=list)  # by each hand after the last input
    # The cards that each hand got last, until its player lays one or the player's next turn begins.
    fresh: dict[int | None, list[Piece]] = field(default_factory=dict)
    standing: dict[Piece, str] = field(default_factory=dict)  # symbols that cards stand for
    worth: Mapping[Piece, int] = field(default_factory=dict)  # the numbers they count for
    _home: tuple[list[Piece], int] | None = field(default=None, repr=False, compare=False)

    def lay(self, piece: Piece) -> None:
        """Move *piece* from its hand or the pile to the laid cards."""
        self._home = None
        self.standing.pop(piece, None)
        if (holder := self.holder_of(piece)) is not None:
            self.fresh.pop(holder, None)
        for place in (*self.hands, self.pile, self.laid):
            if piece in place:
                self._home = place, place.index(piece)
                place.remove(piece)
        self.laid.append(piece)

    def take_back(self) -> None:
        """Move the card that was laid last back to its former place."""
        if self._home is not None:
            place, at = self._home
            place.insert(at, self.laid.pop())
            self._home = None

    @property
    def layer(self) -> Seat | None:
        """The seat whose hand the last laid card came from, or None if it came from the pile."""
        place = None if self._home is None else self._home[0]
        return next((Seat(seat) for seat, hand in enumerate(self.hands) if hand is place), None)

    def hand_over(self, handed: Sequence[HandTransfer], wish: Piece | None) -> None:
        """Move cards between hands, all at once, as *handed* says.

        If only one card moves, that card is *wish* if the giver holds it, else the last card of the
        hand.
        """
        before = [tuple(hand) for hand in self.hands]
        lifted = [_lift(self.hands[way.giver], way.count, wish) for way in handed]
        for way, pieces in zip(handed, lifted, strict=True):
            self.hands[way.receiver] += pieces
            self.fresh[way.receiver] = pieces if len(handed) == 1 else []
        match handed, lifted:
            case [way], [[piece]] if len(before[way.giver]) > 1:
                choices = before[way.giver]
                self.gift = Gift(way.giver, way.receiver, piece, choices, wish is not None)

    def shuffle_laid(self, kept: int, chance: Random) -> None:
        """Shuffle all laid cards except the last *kept*, and put them under the pile."""
        lowest = len(self.laid) - kept
        below = self.laid[:lowest]
        chance.shuffle(below)
        self.laid, self.pile = self.laid[lowest:], below + self.pile

    def draw(self, counts: Mapping[str, int], first: Seat) -> None:
        """Draw cards for each hand, that of seat *first* first, until their sizes match *counts*.

        Stop when the pile matches *counts*, too.
        """
        held = [len(hand) for hand in self.hands]
        draw(self.hands, self.pile, counts, counts.get(layouts.DRAW_PILE, 0), first)
        self.drawn = [hand[many:] for hand, many in zip(self.hands, held, strict=True)]
        self.fresh.update((seat, drawn) for seat, drawn in enumerate(self.drawn) if drawn)

    # --- as a layout ---

    def holder_of(self, piece: Piece) -> Seat | None:
        """Return the seat of the player who holds *piece* in the hand, or None."""
        return holder_in(self.hands, piece)

    def hand_of(self, seat: Seat) -> tuple[Piece, ...]:
        """Return the cards in the hand of the player at *seat*."""
        return tuple(self._hands_in_sight[seat])

    def fresh_of(self, seat: Seat) -> tuple[Piece, ...]:
        """Return the cards that the player at *seat* has drawn or got last, and still holds."""
        return tuple(self.fresh.get(seat, ()))

    def page_data(self, eyes: Eyes) -> dict[str, Any]:
        """Return hands, pile, laid cards and gift as JSON values."""
        gift = self.gift
        if gift is not None and gift.giver in eyes.robots:
            gift = None  # a robot chooses without a page
        hands = self.hands if gift is None else self._hands_in_sight
        fresh = [piece for holder in eyes.face_up for piece in self.fresh.get(holder, ())]
        return {
            **eyes.hands(hands, fresh),
            "pile": len(self.pile),
            "laid": eyes.tags(self.laid),
            "counted": [*self.counted],
            "standing": {
                eyes.tag(piece): self.standing[piece]
                for piece in self.laid
                if piece in self.standing
            },
            "worth": {eyes.tag(piece): n for piece, n in self.worth.items()},
            "fresh": eyes.tags(fresh),
            "gift": None if gift is None else _gift_data(gift, eyes),
        }

    @property
    def _hands_in_sight(self) -> Sequence[Sequence[Piece]]:
        """The hands of all players. Until its giver has chosen a card, nothing is given."""
        gift = self.gift
        if gift is None or gift.is_chosen:
            return self.hands
        hands = [*self.hands]
        hands[gift.giver] = [*gift.choices]
        hands[gift.receiver] = [card for card in hands[gift.receiver] if card != gift.piece]
        return hands

    def scene(self, known: Known) -> Scene:
        """Return the player's hand and the drawn, given and laid cards."""
        gift, seat = self.gift, known["seat"]
        is_asked = gift is not None and not gift.is_chosen and gift.giver == seat
        return HandsScene(
            **known,
            hand=texts_of(self.hands[seat]),
            drawn=texts_of(self.drawn[seat]),
            untold=texts_of(gift.choices) if gift is not None and is_asked else (),
            laid=texts_of(self.laid),
            layer=self.layer,
        )

    @property
    def chooser(self) -> Seat | None:
        """The player who gave a card away with the last input, or None."""
        return None if self.gift is None else self.gift.giver

    @property
    def choices(self) -> tuple[Piece, ...]:
        """The cards that can be given away with the last input."""
        return () if self.gift is None else tuple(self.gift.choices)

    @property
    def is_decided(self) -> bool:
        """False while the giver of a card has not chosen which one."""
        return self.gift is None or self.gift.is_chosen

    def decision(self, asked: HandAct, game: str) -> Values:
        """Return the values of the act ``give``: the chosen card."""
        if asked.act != GIVE:
            return super().decision(asked, game)
        card = piece_in(text_in(asked.values, "card"), game)
        if self.gift is None or card is None or card not in self.gift.choices:
            raise CannotDo("that card cannot be given away now", "Choose one in the giver's hand")
        return {"card": str(card)}

    def hand_act_for(self, by_hand: ByHand, game: str) -> HandAct:
        """Return the act that chooses the card which a robot gives away."""
        if not isinstance(by_hand, Give):
            return super().hand_act_for(by_hand, game)
        return self.gift_of(by_hand.piece, game)

    def gift_of(self, piece: Piece | str, game: str) -> HandAct:
        """Return the act that gives *piece* away."""
        return HandAct(GIVE, {"card": f"{game}/{piece}"})


def _gift_data(gift: Gift, eyes: Eyes) -> dict[str, Any]:
    """Return *gift* as JSON values. Its cards are named only where the giver's hand is face up."""
    is_seen = gift.giver in eyes.face_up
    return {
        "giver": gift.giver,
        "receiver": gift.receiver,
        "card": eyes.tag(gift.piece) if is_seen else None,
        "isChosen": gift.is_chosen,
        "choices": eyes.tags(gift.choices) if is_seen else [],
    }


def _lift(hand: list[Piece], count: int, wish: Piece | None) -> list[Piece]:
    """Remove and return *count* cards of *hand*: the last ones, or *wish* if it is one card."""
    if count == 1 and wish is not None and wish in hand:
        hand.remove(wish)
        return [wish]
    lifted = hand[max(len(hand) - count, 0) :]
    del hand[len(hand) - len(lifted) :]
    return lifted


@dataclass(slots=True)
class Dealer:
    """A dealer of a shuffled *deck*, who moves its cards by the inputs and counts of a game."""

    deck: Deck
    chance: Random
    cards: Cards = field(default_factory=lambda: Cards([], []))

    def deal(self, view: View) -> None:
        """Shuffle all cards of the game and deal hands of the sizes in *view*."""
        pile = shuffle(self.deck, self.chance, view.left_out)
        self.cards = Cards([[] for _ in view.scores], pile)
        self.cards.draw({**view.counts, layouts.DRAW_PILE: 0}, Seat(0))
        self.cards.fresh.clear()

    def apply(self, transition: Transition, wish: Piece | None = None) -> None:
        """Move the cards that *transition* moved. *wish* is the card that people chose to give."""
        before, after, cards = transition.before.counts, transition.after.counts, self.cards
        if after.get(layouts.ROUND, 0) != before.get(layouts.ROUND, 0):
            self.deal(transition.after)
            return
        cards.gift = None
        if transition.after.turn != transition.before.turn:
            cards.fresh.pop(transition.after.turn, None)  # the player has seen them
        if isinstance(transition.given, Tap):
            cards.lay(transition.given.piece)
            if transition.before.phase == COUNTING and transition.before.turn is not None:
                cards.counted.append(transition.before.turn)
        if transition.step.is_foul:
            cards.take_back()
        cards.hand_over(transition.step.handed, wish)
        if after.get(layouts.DISCARD, 0) < before.get(layouts.DISCARD, 0):
            cards.shuffle_laid(after[layouts.DISCARD], self.chance)
        if transition.after.stands_for:
            cards.standing[cards.laid[-1]] = transition.after.stands_for
        cards.worth = transition.after.worth
        cards.draw(after, transition.before.turn or Seat(0))


def cards_of(
    game: Game[Any], record: GameRecord, seed: int, gifts: Mapping[int, Piece] | None = None
) -> Cards:
    """Return all cards of the game in *record* in their places, shuffled with *seed*.

    *gifts* holds the cards that people chose to give away. The key is the number, from 1, of the
    input that gave the card.
    """
    first, transitions = transitions_of(game, record)
    dealer = Dealer(record.start.deck, Random(seed))
    dealer.deal(first)
    for number, transition in enumerate(transitions, start=1):
        dealer.apply(transition, (gifts or {}).get(number))
    return dealer.cards


class HandsLayout(Layout):
    """Each player holds cards. The rest are on a draw pile."""

    name = layouts.HANDS

    def misfit(self, deck: Deck, first: View) -> str:
        """Return a message about the counts that the view lacks; "" if it has all."""
        hands = [layouts.hand(seat) for seat in range(len(first.scores))]
        return lacking([layouts.DRAW_PILE, *hands], first.counts)

    def arrange(
        self, game: Game[Any], record: GameRecord, seed: int, decisions: Decisions
    ) -> Cards:
        """Return all cards in their places."""
        gifts = {
            after: Piece.parse(text_in(acts[GIVE], "card"))
            for after, acts in decisions.items()
            if GIVE in acts
        }
        return cards_of(game, record, seed, gifts)


LAYOUT = HandsLayout()
