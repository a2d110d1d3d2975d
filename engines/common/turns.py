"""Checks of a tap, for games in which players take turns.

May import: the standard library and engines.common.
May be imported by: every game, tests.
"""

from engines.common.contract import Input, Seat, Tap
from engines.common.errors import NotExpectedNow, NotInThisGame, NotYourTurn
from engines.common.pieces import Deck


def tap_of(given: Input, seat: Seat, spots: tuple[str, ...], deck: Deck, waits: str) -> Tap:
    """Return *given* if it is a tap by *seat* with a piece of *deck* on one of *spots*.

    The caller still has to check that the rules accept the piece. *waits* says what the game waits
    for: a refusal shows the text ``waits.<waits>``.

    Raises:
        NotExpectedNow: *given* is not a tap, or is on another spot.
        NotYourTurn: the tap comes from another seat, if the mat can tell.
        NotInThisGame: *deck* does not hold the piece.
    """
    if not isinstance(given, Tap):
        raise NotExpectedNow(waits=waits)
    if given.seat is not None and given.seat != seat:
        raise NotYourTurn(seat=seat)
    if given.spot not in spots:
        raise NotExpectedNow(waits=waits)
    if not deck.holds(given.piece):
        raise NotInThisGame(piece=given.piece)
    return given
