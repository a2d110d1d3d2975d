"""The inputs of a game, each with the referee's counts before and after it.

Layouts compute the places of all pieces from the shuffle, the taps in the journal and these counts
(decision 0007). So undo and power cuts need no separate code. This module applies no rules.
"""

from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from engines.common import layouts
from engines.common.contract import Game, Input, Seat, Setup, Step, View
from engines.common.pieces import Deck, Piece
from firmware.journal.journal import GameRecord, GameStart


class Transition(NamedTuple):
    """An input that was not undone, with the rules' answer and the views before and after."""

    given: Input
    step: Step[Any]
    before: View
    after: View


def initial_state(game: Game[Any], start: GameStart) -> Any:
    """Return the state of the game right after dealing."""
    return game.start(Setup(len(start.names), Seat(start.dealer), start.deck, start.options))


def transitions_of(game: Game[Any], record: GameRecord) -> tuple[View, list[Transition]]:
    """Return the view at the start of the game in *record*, and a transition for each input."""
    state = initial_state(game, record.start)
    first = view = game.view(state)
    transitions = []
    for given in record.inputs:
        step = game.step(state, given)
        state, before, view = step.state, view, game.view(step.state)
        transitions.append(Transition(given, step, before, view))
    return first, transitions


def shuffle(deck: Deck, chance: Random, left_out: Collection[str] = ()) -> list[Piece]:
    """Return the pieces of *deck* in random order, without the kinds *left_out*."""
    pieces = [piece for piece in deck.pieces() if piece.kind not in left_out]
    chance.shuffle(pieces)
    return pieces


def draw(
    hands: Sequence[list[Piece]],
    pile: list[Piece],
    counts: Mapping[str, int],
    left: int,
    first: Seat,
) -> None:
    """Draw for each hand, *first* seat first, until it has the size in *counts*.

    Stop when *pile* is down to *left* pieces.
    """
    for seat in (*range(first, len(hands)), *range(first)):
        for _ in range(counts.get(layouts.hand(seat), 0) - len(hands[seat])):
            if len(pile) > left:
                hands[seat].append(pile.pop())
