"""Mistakes that robots make on purpose, as people at the mat would.

The functions work for every game, because the robots' own record of the game (its *books*) says
what the table must answer. If the table accepts an input that was a mistake, the input is undone at
once.
"""

from collections.abc import Callable, Mapping

from engines.common.contract import SEAT_SPOTS, Button, Press, Seat, Tap
from sim.robots.contract import RobotAct, Ruling
from sim.robots.session import Session

ORDER = "order "  # how a question for the order of two cards, tapped together, begins

Mistake = Callable[[Session, RobotAct], bool]
"""A function that makes a mistake before the given act, which itself is still to be done.

It returns False if that mistake is impossible now.
"""


def wrong_piece(session: Session, act: RobotAct) -> bool:
    """Tap a piece of the player's hand that the rules refuse; return False if there is none."""
    refused = [
        piece
        for piece in session.books.hand(act.seat)
        if (ruling := session.books.ruling(Tap(piece))) and not ruling.is_taken
    ]
    return bool(refused) and session.attempt(Tap(session.chance.choice(refused)))


def lying_piece(session: Session, act: RobotAct) -> bool:
    """Tap a piece that is already on the table; return False if that is impossible now."""
    lying = session.books.lying
    return bool(lying) and session.attempt(Tap(session.chance.choice(lying)))


def double_tap(session: Session, act: RobotAct) -> bool:
    """Tap the piece of the last act again; return False if that act was not a tap."""
    if not session.acts or not isinstance(session.acts[-1].given, Tap):
        return False
    return session.attempt(session.acts[-1].given)


def for_somebody_else(session: Session, act: RobotAct) -> bool:
    """Tap a piece of another player's hand; return False if that is impossible now."""
    seats = [seat for seat in range(session.deal.players) if seat != act.seat]
    seat = session.chance.choice(seats)
    pieces = session.books.hand(seat)
    if not pieces:
        return False
    owner = session.chance.choice((None, Seat(seat)))
    return session.attempt(Tap(session.chance.choice(pieces), seat=owner))


def forgotten_tap(session: Session, act: RobotAct) -> bool:
    """Tap the next player's piece, as if the current player had played without tapping.

    Return False if that is impossible now.
    """
    after = session.replay([*session.acts, act])
    if after.is_over:
        return False
    next_act = session.styles[after.actor](after, session.chance)
    return isinstance(next_act.given, Tap) and session.attempt(next_act.given)


def other_spot(session: Session, act: RobotAct) -> bool:
    """Tap the right piece on another player's reader; return False if that is impossible now."""
    if not isinstance(act.given, Tap):
        return False
    seats = [seat for seat in range(session.deal.players) if seat != act.seat]
    seat = Seat(session.chance.choice(seats))
    return session.attempt(Tap(act.given.piece, SEAT_SPOTS[seat], seat))


def wrong_button(session: Session, act: RobotAct) -> bool:
    """Press the action button; return False if that is the next act, or is impossible now."""
    action = Press(Button.ACTION)
    return act.given != action and session.attempt(action)


def taken_back(session: Session, act: RobotAct) -> bool:
    """Undo the last act, though it was right, and return True. The game goes on from there."""
    session.undo()
    return True


# --- possible only at a mat ---------------------------------------------------------------


def stranger(session: Session, act: RobotAct) -> bool:
    """Tap a card that nobody enrolled; return False if there is no mat."""
    if session.mat is None:
        return False
    session.mat.do("tap stranger")
    session.same("the answer to a stranger", Ruling("unknown-tag"), session.mat.ruling)
    session.counts["refusals"] += 1
    session.compare()
    return True


def left_lying(session: Session, act: RobotAct) -> bool:
    """Make the mat leave the next tapped piece on its reader while the following piece is tapped.

    Return False if that is impossible now.
    """
    if session.mat is None or session.mat.left or not isinstance(act.given, Tap):
        return False
    session.mat.leaves_next = True
    return True


def two_at_once(session: Session, act: RobotAct) -> bool:
    """Tap two pieces at the same moment; return False if that is impossible now.

    If the table asks for their order, press back. Otherwise, undo every tap that it accepts.
    """
    mat, first = session.mat, act.given
    if mat is None or not isinstance(first, Tap):
        return False
    hands = [session.books.hand(seat) for seat in range(session.deal.players)]
    others = [piece for hand in hands for piece in hand if piece != first.piece]
    if not others:
        return False
    second = Tap(session.chance.choice(others), first.spot, first.seat)
    expected = both(session, act, second)
    if expected is None:
        return False
    mat.tap_together(first, second)
    if any(ask.startswith(ORDER) for ask in mat.mat.view.asks):
        mat.do("press back")
    else:
        taken, refused = expected
        session.same("what is refused of two", refused, tuple(mat.refusals))
        for _ in range(taken):
            session.undo_unrecorded()
        session.counts["refusals"] += len(refused)
    session.compare()
    return True


def both(session: Session, act: RobotAct, second: Tap) -> tuple[int, tuple[str, ...]] | None:
    """Return the correct outcome if *second* is tapped together with the tap of *act*.

    The outcome is the number of accepted taps and the codes of refusals. The second tap is ignored
    if the first is refused. Return None if the robots cannot tell which answer would be right.
    """
    first = session.books.ruling(act.given)
    if first is None or not first.is_taken:
        return None if first is None else (0, (first.code,))
    then = session.replay([*session.acts, act]).ruling(second)
    if then is None:
        return None
    return (2, ()) if then.is_taken else (1, (then.code,))


MISTAKES: Mapping[str, Mistake] = {
    "wrong piece": wrong_piece,
    "piece that lies there": lying_piece,
    "double tap": double_tap,
    "for somebody else": for_somebody_else,
    "forgotten tap": forgotten_tap,
    "other spot": other_spot,
    "wrong button": wrong_button,
    "taken back": taken_back,
    "stranger": stranger,
    "left lying": left_lying,
    "two at once": two_at_once,
}
"""Every mistake by its name."""
