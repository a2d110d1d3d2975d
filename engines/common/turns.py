"""Taking turns: what of a tap is checked alike in every game in which one seat is to play.

Room: engines/common.
May import: the standard library and engines.common.
May be imported by: every game, tests.
"""

from engines.common.contract import Input, Seat, Tap
from engines.common.errors import NotExpectedNow, NotInThisGame, NotYourTurn
from engines.common.pieces import Deck


def tap_of(given: Input, seat: Seat, spots: tuple[str, ...], deck: Deck, waits: str) -> Tap:
    """Return *given* when it is a tap of *seat* with a piece of *deck* on one of *spots*.

    Whether the rules take such a piece now is still to be seen. *waits* says what is waited for.

    Raises:
        NotExpectedNow: it is no tap, or on another spot.
        NotYourTurn: the mat knows that it is another seat's.
        NotInThisGame: the deck has no such piece.
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
