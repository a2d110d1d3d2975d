"""Mistakes that people make at a mat, and what robots do about them.

Room: sim/robots. None knows a game: they need a wrong piece of a hand, what lies there, another
spot, the last act. The books say what must come of it. What the mat takes by mistake is taken back.
"""

from collections.abc import Callable, Mapping

from engines.common.contract import SEAT_SPOTS, Button, Press, Seat, Tap
from sim.robots.seam import Act, Verdict
from sim.robots.session import Session

ORDER = "order "  # what the mat asks for when it cannot know which of two cards was first

Mistake = Callable[[Session, Act], bool]
"""Makes a mistake in place of, or around, an act that is to come.

Returns whether there was occasion for it. The act itself is still to be done.
"""


def wrong_piece(session: Session, act: Act) -> bool:
    """Somebody lays a piece that the rules refuse from that hand now."""
    refused = [
        piece
        for piece in session.books.hand(act.seat)
        if (verdict := session.books.verdict(Tap(piece))) and not verdict.is_taken
    ]
    return bool(refused) and session.attempt(Tap(session.chance.choice(refused)))


def lying_piece(session: Session, act: Act) -> bool:
    """Somebody taps again what was laid before."""
    lying = session.books.lying
    return bool(lying) and session.attempt(Tap(session.chance.choice(lying)))


def double_tap(session: Session, act: Act) -> bool:
    """The piece that was tapped last is tapped once more."""
    if not session.acts or not isinstance(session.acts[-1].given, Tap):
        return False
    return session.attempt(session.acts[-1].given)


def for_somebody_else(session: Session, act: Act) -> bool:
    """Somebody whose turn it is not taps a piece of the own hand."""
    seats = [seat for seat in range(session.deal.players) if seat != act.seat]
    seat = session.chance.choice(seats)
    pieces = session.books.hand(seat)
    if not pieces:
        return False
    owner = session.chance.choice((None, Seat(seat)))
    return session.attempt(Tap(session.chance.choice(pieces), seat=owner))


def forgotten_tap(session: Session, act: Act) -> bool:
    """Somebody plays without tapping, and the next one taps: the mat takes it for the first."""
    after = session.folded([*session.acts, act])
    if after.is_over:
        return False
    next_act = session.seated[after.actor].act(after, session.chance)
    return isinstance(next_act.given, Tap) and session.attempt(next_act.given)


def other_spot(session: Session, act: Act) -> bool:
    """The right piece is laid on the reader of somebody else."""
    if not isinstance(act.given, Tap):
        return False
    seats = [seat for seat in range(session.deal.players) if seat != act.seat]
    seat = Seat(session.chance.choice(seats))
    return session.attempt(Tap(act.given.piece, SEAT_SPOTS[seat], seat))


def wrong_button(session: Session, act: Act) -> bool:
    """Somebody leans on the action button."""
    action = Press(Button.ACTION)
    return act.given != action and session.attempt(action)


def taken_back(session: Session, act: Act) -> bool:
    """Somebody takes back the last act, though it was right; it is done again, or another is."""
    session.take_back()
    return True


# --- with real cards alone -----------------------------------------------------------------------


def stranger(session: Session, act: Act) -> bool:
    """A card that nobody enrolled is tapped."""
    if session.mat is None:
        return False
    session.mat.do("tap stranger")
    session.same("what comes of a stranger", Verdict("unknown-tag"), session.mat.verdict)
    session.counts["refusals"] += 1
    session.compare()
    return True


def left_lying(session: Session, act: Act) -> bool:
    """The piece is to be left lying on the reader, and what comes next is laid beside it."""
    if session.mat is None or session.mat.left or not isinstance(act.given, Tap):
        return False
    session.mat.leaves_next = True
    return True


def two_at_once(session: Session, act: Act) -> bool:
    """Two pieces are laid at the same moment, and the mat asks for their order if that matters.

    Then people rather take both up and begin again. Where it does not matter, both count.
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
            session.take_back_unwritten()
        session.counts["refusals"] += len(refused)
    session.compare()
    return True


def both(session: Session, act: Act, second: Tap) -> tuple[int, tuple[str, ...]] | None:
    """How many of two taps count one after the other, and why another does not.

    None where the books cannot know.
    """
    first = session.books.verdict(act.given)
    if first is None or not first.is_taken:
        return None if first is None else (0, (first.code,))
    then = session.folded([*session.acts, act]).verdict(second)
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
