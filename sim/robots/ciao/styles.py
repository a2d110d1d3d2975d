"""The styles of Ciao!: functions that choose a player's next move.

A style uses only the hand of the player who acts, and the open cards. Some styles lay wrong cards
on purpose.
"""

from collections.abc import Callable
from random import Random

from sim.robots.ciao.books import (
    AGAIN,
    PLUS3,
    SPEED,
    CiaoAsk,
    CiaoBooks,
    CiaoMove,
    CiaoVerb,
    is_joker,
    points_of,
    special_of,
)

CiaoStyle = Callable[[CiaoBooks, Random], CiaoMove]  # returns the next move


def anything(books: CiaoBooks, chance: Random) -> CiaoMove:
    """Choose any legal move at random."""
    return chance.choice(books.legal_moves())


def greedy(books: CiaoBooks, chance: Random) -> CiaoMove:
    """Choose to lay cards whenever possible, the one with the most points first."""
    acts = books.legal_moves()
    plays = [act for act in acts if act.verb is CiaoVerb.LAY]
    match books.asked:
        case CiaoAsk.CARD | CiaoAsk.DEBT | CiaoAsk.DRAWN | CiaoAsk.RACE if plays:
            most = max(points_of(act.card) for act in plays)
            return chance.choice([act for act in plays if points_of(act.card) == most])
        case CiaoAsk.AGAIN:
            return acts[1] if not books.hand else acts[0]
        case CiaoAsk.GIFT:
            most = max(points_of(act.card) for act in acts)
            return chance.choice([act for act in acts if points_of(act.card) == most])
        case CiaoAsk.SWAP:
            fewest = min(len(books.hands[act.seat]) for act in acts)
            return chance.choice([act for act in acts if len(books.hands[act.seat]) == fewest])
        case CiaoAsk.THANKS:
            return acts[0]
        case _:
            return chance.choice(acts)


def careful(books: CiaoBooks, chance: Random) -> CiaoMove:
    """Choose a joker or a +3 only if no other card fits."""
    acts = books.legal_moves()
    plays = [act for act in acts if act.verb is CiaoVerb.LAY]
    kept = [act for act in plays if is_joker(act.card) or special_of(act.card) == PLUS3]
    spent = [act for act in plays if act not in kept]
    return chance.choice(spent or kept) if plays else greedy(books, chance)


def hoarder(books: CiaoBooks, chance: Random) -> CiaoMove:
    """Choose often to draw or pass, and never to say thank you, so that the draw pile runs out."""
    acts = books.legal_moves()
    if books.asked is CiaoAsk.CARD and chance.random() < 0.7:
        return acts[-1]
    if books.asked is CiaoAsk.DRAWN and chance.random() < 0.5:
        return acts[-1]
    if books.asked is CiaoAsk.THANKS:
        return acts[1]
    return chance.choice(acts)


def idler(books: CiaoBooks, chance: Random) -> CiaoMove:
    """Return a move that stalls: usually draw or pass, sometimes a card that the rules refuse."""
    wrong, luck = books.wrong_plays(), chance.random()
    if luck < 0.06 or books.asked not in (CiaoAsk.CARD, CiaoAsk.DRAWN, CiaoAsk.DEBT):
        return anything(books, chance)
    return chance.choice(wrong) if luck < 0.12 and wrong else books.legal_moves()[-1]


def racer(books: CiaoBooks, chance: Random) -> CiaoMove:
    """Choose speed and again cards first, and never to reverse."""
    acts = books.legal_moves()
    if books.asked is CiaoAsk.AGAIN:
        return acts[0]
    plays = [act for act in acts if act.verb is CiaoVerb.LAY]
    fast = [act for act in plays if special_of(act.card) in (SPEED, AGAIN)]
    return chance.choice(fast or plays or acts)


def chainer(books: CiaoBooks, chance: Random) -> CiaoMove:
    """Choose +3 cards first, and keep jokers to answer a +3."""
    acts = books.legal_moves()
    plays = [act for act in acts if act.verb is CiaoVerb.LAY]
    threes = [act for act in plays if special_of(act.card) == PLUS3]
    if books.asked is not CiaoAsk.DEBT:
        plays = [act for act in plays if not is_joker(act.card)]
    return chance.choice(threes or plays or acts)


def finisher(books: CiaoBooks, chance: Random) -> CiaoMove:
    """Choose cards without a special first, so that the last cards are specials."""
    acts = books.legal_moves()
    plays = [act for act in acts if act.verb is CiaoVerb.LAY]
    plain = [act for act in plays if special_of(act.card) is None]
    last = [act for act in plays if len(books.hands[act.player]) < 3]
    return chance.choice(plain or last or acts)


def bungler(books: CiaoBooks, chance: Random) -> CiaoMove:
    """Choose a wrong card now and then, else a move in the style ``greedy`` or any legal move."""
    wrong = books.wrong_plays()
    if wrong and chance.random() < 0.25:
        return chance.choice(wrong)
    return greedy(books, chance) if chance.random() < 0.5 else anything(books, chance)


def moody(books: CiaoBooks, chance: Random) -> CiaoMove:
    """Choose each move in a style that is drawn at random for it."""
    return chance.choice(list(STYLES.values())[:-1])(books, chance)


STYLES: dict[str, CiaoStyle] = {
    "random": anything,
    "greedy": greedy,
    "careful": careful,
    "hoarder": hoarder,
    "idler": idler,
    "racer": racer,
    "chainer": chainer,
    "finisher": finisher,
    "bungler": bungler,
    "moody": moody,
}
"""All styles, by name."""
