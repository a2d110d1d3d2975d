"""How robots play Ciao!: which of the acts that the rules allow they do.

Room: sim/robots. A style sees its own hand and the table, as everybody does; some do wrong things.
"""

from collections.abc import Callable
from random import Random

from sim.robots.ciao.books import (
    AGAIN,
    PLUS3,
    SPEED,
    Act,
    Asked,
    CiaoBooks,
    Verb,
    is_joker,
    points_of,
    special_of,
)

Style = Callable[[CiaoBooks, Random], Act]  # the next act


def anything(books: CiaoBooks, chance: Random) -> Act:
    """Does any legal thing."""
    return chance.choice(books.legal_acts())


def greedy(books: CiaoBooks, chance: Random) -> Act:
    """Gets rid of cards as fast as it can, and of what counts most first."""
    acts = books.legal_acts()
    plays = [act for act in acts if act.verb is Verb.LAY]
    match books.asked:
        case Asked.CARD | Asked.DEBT | Asked.DRAWN | Asked.RACE if plays:
            most = max(points_of(act.card) for act in plays)
            return chance.choice([act for act in plays if points_of(act.card) == most])
        case Asked.AGAIN:
            return acts[1] if not books.hand else acts[0]
        case Asked.GIFT:
            most = max(points_of(act.card) for act in acts)
            return chance.choice([act for act in acts if points_of(act.card) == most])
        case Asked.SWAP:
            fewest = min(len(books.hands[act.seat]) for act in acts)
            return chance.choice([act for act in acts if len(books.hands[act.seat]) == fewest])
        case Asked.THANKS:
            return acts[0]
        case _:
            return chance.choice(acts)


def careful(books: CiaoBooks, chance: Random) -> Act:
    """Keeps what answers a debt, and what always fits, as long as anything else does."""
    acts = books.legal_acts()
    plays = [act for act in acts if act.verb is Verb.LAY]
    kept = [act for act in plays if is_joker(act.card) or special_of(act.card) == PLUS3]
    spent = [act for act in plays if act not in kept]
    return chance.choice(spent or kept) if plays else greedy(books, chance)


def hoarder(books: CiaoBooks, chance: Random) -> Act:
    """Draws and passes whenever it may, and is never grateful: the draw pile runs out."""
    acts = books.legal_acts()
    if books.asked is Asked.CARD and chance.random() < 0.7:
        return acts[-1]
    if books.asked is Asked.DRAWN and chance.random() < 0.5:
        return acts[-1]
    if books.asked is Asked.THANKS:
        return acts[1]
    return chance.choice(acts)


def idler(books: CiaoBooks, chance: Random) -> Act:
    """Does hardly anything but draw, and rather a wrong thing then, until nobody can move."""
    wrong, luck = books.wrong_plays(), chance.random()
    if luck < 0.06 or books.asked not in (Asked.CARD, Asked.DRAWN, Asked.DEBT):
        return anything(books, chance)
    return chance.choice(wrong) if luck < 0.12 and wrong else books.legal_acts()[-1]


def racer(books: CiaoBooks, chance: Random) -> Act:
    """Starts races and runs in every one of them, and plays again."""
    acts = books.legal_acts()
    if books.asked is Asked.AGAIN:
        return acts[0]
    plays = [act for act in acts if act.verb is Verb.LAY]
    fast = [act for act in plays if special_of(act.card) in (SPEED, AGAIN)]
    return chance.choice(fast or plays or acts)


def chainer(books: CiaoBooks, chance: Random) -> Act:
    """Lays +3 on +3 as long as there are any, and keeps the jokers for the end."""
    acts = books.legal_acts()
    plays = [act for act in acts if act.verb is Verb.LAY]
    threes = [act for act in plays if special_of(act.card) == PLUS3]
    if books.asked is not Asked.DEBT:
        plays = [act for act in plays if not is_joker(act.card)]
    return chance.choice(threes or plays or acts)


def finisher(books: CiaoBooks, chance: Random) -> Act:
    """Keeps the specials for the last cards."""
    acts = books.legal_acts()
    plays = [act for act in acts if act.verb is Verb.LAY]
    plain = [act for act in plays if special_of(act.card) is None]
    last = [act for act in plays if len(books.hands[act.player]) < 3]
    return chance.choice(plain or last or acts)


def bungler(books: CiaoBooks, chance: Random) -> Act:
    """Lays wrong cards on purpose, and forgets to thank."""
    wrong = books.wrong_plays()
    if wrong and chance.random() < 0.25:
        return chance.choice(wrong)
    return greedy(books, chance) if chance.random() < 0.5 else anything(books, chance)


def moody(books: CiaoBooks, chance: Random) -> Act:
    """Does each thing in another style."""
    return chance.choice(list(STYLES.values())[:-1])(books, chance)


STYLES: dict[str, Style] = {
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
"""Every style by its name."""
