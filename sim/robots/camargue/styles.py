"""How robots play Camargue: which of the acts that the rules allow they do.

Room: sim/robots. A style sees its own hand and the board, as everybody does.
"""

from collections.abc import Callable
from random import Random

from sim.robots.camargue.books import HELPER_POINTS, Act, CamargueBooks, Verb, paths_of

Style = Callable[[CamargueBooks, Random], Act]  # the next act


def anything(books: CamargueBooks, chance: Random) -> Act:
    """Does any legal thing."""
    acts = books.legal_acts()
    verb = chance.choice(sorted({act.verb for act in acts}, key=str))
    return chance.choice([act for act in acts if act.verb is verb])


def those(acts: list[Act], *verbs: Verb) -> list[Act]:
    """The acts of these kinds."""
    return [act for act in acts if act.verb in verbs]


def usual(books: CamargueBooks, chance: Random, value: Callable[[Act], float]) -> Act:
    """Places where *value* is highest, copies when it can, and claims only when it must."""
    acts = books.legal_acts()
    places = those(acts, Verb.PLACE)
    if copies := those(acts, Verb.COPY):
        return chance.choice(copies)
    if places:
        best = max(map(value, places))
        places = [act for act in places if value(act) == best]
    return chance.choice(places or those(acts, Verb.DISCARD) or acts)


def gain(books: CamargueBooks, act: Act) -> int:
    """What a tile that is placed scores."""
    assert act.spot is not None
    return books.points(act.tile, act.spot)


def greedy(books: CamargueBooks, chance: Random) -> Act:
    """Takes what scores most, be it ten for a helper."""
    acts = books.legal_acts()
    act = usual(books, chance, lambda act: gain(books, act))
    discards = those(acts, Verb.DISCARD)
    is_poor = act.verb is Verb.PLACE and gain(books, act) < HELPER_POINTS
    return chance.choice(discards) if discards and is_poor else act


def careful(books: CamargueBooks, chance: Random) -> Act:
    """Places where others find little to copy and to build on, and keeps no helper too long."""
    discards = those(books.legal_acts(), Verb.DISCARD)
    if len(discards) > 1:
        return chance.choice(discards)
    return usual(books, chance, lambda act: gain(books, act) - 2 * len(paths_of(act.tile)))


def saver(books: CamargueBooks, chance: Random) -> Act:
    """Keeps helpers for the big areas of others, and the rest of them to the end."""
    act = usual(books, chance, lambda act: gain(books, act))
    is_small = books.placed is not None and books.placed.points < 12 and books.pile
    if act.verb is Verb.COPY and is_small:
        rest = [act for act in books.legal_acts() if act.verb is not Verb.COPY]
        places = those(rest, Verb.PLACE)
        return chance.choice(places or rest)
    return act


def joiner(books: CamargueBooks, chance: Random) -> Act:
    """Joins in with every helper, and never spends one otherwise if it can be helped."""
    return usual(books, chance, lambda _: 0)


def doubter(books: CamargueBooks, chance: Random) -> Act:
    """Claims at any time that nothing fits."""
    claims = those(books.legal_acts(), Verb.CLAIM)
    if claims and chance.random() < 0.4:
        return claims[0]
    return anything(books, chance)


def closer(books: CamargueBooks, chance: Random) -> Act:
    """Closes every path it can, close to the middle, until nothing fits anywhere."""

    def closed(act: Act) -> float:
        assert act.spot is not None
        joined = sum(side in paths_of(act.tile) for side in books.around(act.spot))
        return 2 * joined - len(paths_of(act.tile)) - max(map(abs, act.spot)) / 100

    return usual(books, chance, closed)


def sprawler(books: CamargueBooks, chance: Random) -> Act:
    """Builds far out, with as few edges as possible."""

    def distance(act: Act) -> float:
        assert act.spot is not None
        return abs(act.spot[0]) + abs(act.spot[1])

    return usual(books, chance, distance)


def leveller(books: CamargueBooks, chance: Random) -> Act:
    """Helps those behind and holds back those ahead: for close ends."""
    ahead = books.scores[books.turn] > min(books.scores)
    return usual(books, chance, lambda act: -gain(books, act) if ahead else gain(books, act))


def moody(books: CamargueBooks, chance: Random) -> Act:
    """Does each thing in another style."""
    return chance.choice(list(STYLES.values())[:-1])(books, chance)


STYLES: dict[str, Style] = {
    "random": anything,
    "greedy": greedy,
    "careful": careful,
    "saver": saver,
    "joiner": joiner,
    "doubter": doubter,
    "closer": closer,
    "sprawler": sprawler,
    "leveller": leveller,
    "moody": moody,
}
"""Every style by its name."""
