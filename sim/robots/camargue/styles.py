"""The styles of Camargue: functions that choose a player's next move.

A style uses only the hand of the player who acts, and the board.
"""

from collections.abc import Callable
from random import Random

from sim.robots.camargue.books import (
    HELPER_POINTS,
    CamargueBooks,
    CamargueMove,
    CamargueVerb,
    paths_of,
)

CamargueStyle = Callable[[CamargueBooks, Random], CamargueMove]  # returns the next move


def anything(books: CamargueBooks, chance: Random) -> CamargueMove:
    """Choose any legal move at random: first its verb, then a move with that verb."""
    acts = books.legal_moves()
    verb = chance.choice(sorted({act.verb for act in acts}, key=str))
    return chance.choice([act for act in acts if act.verb is verb])


def moves_with(acts: list[CamargueMove], *verbs: CamargueVerb) -> list[CamargueMove]:
    """Return the moves in *acts* whose verb is one of *verbs*."""
    return [act for act in acts if act.verb in verbs]


def usual(
    books: CamargueBooks, chance: Random, value: Callable[[CamargueMove], float]
) -> CamargueMove:
    """Choose to copy if possible, else the placement with the highest *value*.

    If there is none, choose to discard a helper, or else any move.
    """
    acts = books.legal_moves()
    places = moves_with(acts, CamargueVerb.PLACE)
    if copies := moves_with(acts, CamargueVerb.COPY):
        return chance.choice(copies)
    if places:
        best = max(map(value, places))
        places = [act for act in places if value(act) == best]
    return chance.choice(places or moves_with(acts, CamargueVerb.DISCARD) or acts)


def gain(books: CamargueBooks, act: CamargueMove) -> int:
    """Return the points that the placement *act* would score."""
    assert act.square is not None
    return books.points(act.tile, act.square)


def greedy(books: CamargueBooks, chance: Random) -> CamargueMove:
    """Choose the placement with the most points, or discard a helper if that scores more."""
    acts = books.legal_moves()
    act = usual(books, chance, lambda act: gain(books, act))
    discards = moves_with(acts, CamargueVerb.DISCARD)
    is_poor = act.verb is CamargueVerb.PLACE and gain(books, act) < HELPER_POINTS
    return chance.choice(discards) if discards and is_poor else act


def careful(books: CamargueBooks, chance: Random) -> CamargueMove:
    """Choose placements with many points and few paths, and discard all helpers but one."""
    discards = moves_with(books.legal_moves(), CamargueVerb.DISCARD)
    if len(discards) > 1:
        return chance.choice(discards)
    return usual(books, chance, lambda act: gain(books, act) - 2 * len(paths_of(act.tile)))


def saver(books: CamargueBooks, chance: Random) -> CamargueMove:
    """Choose the most points, but do not copy fewer than 12 points while tiles can be drawn."""
    act = usual(books, chance, lambda act: gain(books, act))
    is_small = books.placed is not None and books.placed.points < 12 and books.pile
    if act.verb is CamargueVerb.COPY and is_small:
        rest = [act for act in books.legal_moves() if act.verb is not CamargueVerb.COPY]
        places = moves_with(rest, CamargueVerb.PLACE)
        return chance.choice(places or rest)
    return act


def joiner(books: CamargueBooks, chance: Random) -> CamargueMove:
    """Choose to copy whenever possible; discard a helper only if no tile fits."""
    return usual(books, chance, lambda _: 0)


def doubter(books: CamargueBooks, chance: Random) -> CamargueMove:
    """Choose often to claim that nothing fits, whether or not that is true; else any legal move."""
    claims = moves_with(books.legal_moves(), CamargueVerb.CLAIM)
    if claims and chance.random() < 0.4:
        return claims[0]
    return anything(books, chance)


def closer(books: CamargueBooks, chance: Random) -> CamargueMove:
    """Choose placements that close paths near the start tile, so that soon nothing fits."""

    def closeness(act: CamargueMove) -> float:
        assert act.square is not None
        joined = sum(side in paths_of(act.tile) for side in books.around(act.square))
        return 2 * joined - len(paths_of(act.tile)) - max(map(abs, act.square)) / 100

    return usual(books, chance, closeness)


def sprawler(books: CamargueBooks, chance: Random) -> CamargueMove:
    """Choose placements far from the start tile."""

    def distance(act: CamargueMove) -> float:
        assert act.square is not None
        return abs(act.square[0]) + abs(act.square[1])

    return usual(books, chance, distance)


def leveller(books: CamargueBooks, chance: Random) -> CamargueMove:
    """Choose the fewest points when not last and the most when last, so that results are close."""
    ahead = books.scores[books.turn] > min(books.scores)
    return usual(books, chance, lambda act: -gain(books, act) if ahead else gain(books, act))


def moody(books: CamargueBooks, chance: Random) -> CamargueMove:
    """Choose each move in a style that is drawn at random for it."""
    return chance.choice(list(STYLES.values())[:-1])(books, chance)


STYLES: dict[str, CamargueStyle] = {
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
"""All styles, by name."""
