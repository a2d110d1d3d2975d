"""Straw as an environment."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from engines.common.contract import Button, Input, Number, Press, Tap
from sim.envs.world import (
    MOST_POINTS,
    Hiding,
    ObservationPart,
    World,
    index_by_name,
    places_unseen_by,
    tap,
)
from sim.robots.contract import RobotAct, Robots
from sim.robots.straw.adapter import ROBOTS, Straw
from sim.robots.straw.books import PLAYING, box, kind_of

KINDS = tuple(dict.fromkeys(map(kind_of, box())))
KIND = index_by_name(KINDS)
CANNOT_PLAY = "cannot-play"
WEIGHTS = tuple(f"weigh-{n}" for n in range(1, 11))  # of a Lamp
ACTION = index_by_name((*KINDS, *WEIGHTS, CANNOT_PLAY))
WEIGHT = {f"weigh-{n}": Number(n) for n in range(1, 11)}
INDEX = {card: KIND[kind_of(card)] for card in box()}
MOST_WEIGHT = 100  # more than any camel carries: fifty and the heaviest card


class StrawWorld(World):
    """A game of Straw. The hands are counted, and the next round begins, without an action."""

    game = "straw"
    robots: ClassVar[Robots] = ROBOTS
    books: Straw

    @classmethod
    def numbers(cls, players: int) -> Mapping[str, int]:
        """Return the kinds of card, the weights of a Lamp, and the claim to have no card."""
        return ACTION

    @classmethod
    def parts(cls, players: int) -> Sequence[ObservationPart]:
        """Return the parts: the own hand first, then what lies open."""
        return (
            ObservationPart("hand", len(KINDS), 5),  # cards by kind
            ObservationPart("camel", len(KINDS), 5),  # cards by kind
            ObservationPart("copied", len(KINDS), 1),  # the kind that a Copy would copy
            ObservationPart("weight", 1, MOST_WEIGHT, -MOST_WEIGHT),
            ObservationPart("is-weighed", 1, 1),  # 1 while the player of a Lamp chooses its weight
            ObservationPart("direction", 1, 1, -1),  # 1 is clockwise
            ObservationPart("pile", 1, len(INDEX)),
            ObservationPart("round", 1, players),
            ObservationPart("cards", players, len(INDEX)),
            ObservationPart("turn", players, 1),
            ObservationPart("dealer", players, 1),
            ObservationPart("scores", players, MOST_POINTS, -MOST_POINTS),
        )

    def observation(self, seat: int) -> list[int]:
        """Return what the player at *seat* may know."""
        books, kinds = self.books.books, len(KINDS)
        seen = [0] * (3 * kinds)
        for card in books.hands[seat]:
            seen[INDEX[card]] += 1
        for card in books.camel:
            seen[kinds + INDEX[card]] += 1
        if books.copied:
            seen[2 * kinds + INDEX[books.copied]] = 1
        seen += (books.weight, int(bool(self.books.lamp)), books.step, len(books.pile))
        seen.append(min(books.rounds_done + 1, self.players))
        seen += self.clockwise(seat, [len(hand) for hand in books.hands])
        seen += self.at(seat, (self.books.actor,))
        seen += self.at(seat, (books.dealer,))
        seen += self.clockwise(seat, self.books.known_totals)
        return seen

    def moves(self) -> Mapping[int, RobotAct]:
        """Return a card of each kind that may be played, or the weights of a Lamp."""
        table = self.books
        seat = table.books.turn
        if table.lamp:
            return {ACTION[name]: RobotAct(seat, given) for name, given in WEIGHT.items()}
        cards = table.books.playable()
        if not cards:
            return {ACTION[CANNOT_PLAY]: RobotAct(seat, Press(Button.ACTION))}
        return {INDEX[card]: tap(seat, card) for card in cards}

    def formality(self) -> RobotAct | None:
        """Return the count of a card, or the deal of the next round."""
        table = self.books
        if table.to_count:
            seat = table.to_count[0]
            return tap(seat, next(c for c in table.books.hands[seat] if c not in table.counted))
        if table.books.state != PLAYING:
            return RobotAct(table.actor, Press(Button.OK))
        return None

    def name_of(self, act: RobotAct) -> str:
        """Return the name of the action that *act* amounts to."""
        return name_of(act.given)

    def hidden(self, seat: int) -> Sequence[Hiding]:
        """Return the places in the draw pile and in the hands of others."""
        books = self.books.books
        return places_unseen_by(seat, books.hands, books.pile)


def name_of(given: Input) -> str:
    """Return the name of the action with the input *given*."""
    match given:
        case Tap(piece):
            return piece.kind
        case Number(value):
            return f"weigh-{value}"
    return CANNOT_PLAY
