"""The foresight of Camargue: what a placement scores, and what it leaves to others and to oneself.

It needs no random deals: the chance to hold each unseen tile is known, so the best next turn of a
player with unknown tiles can be expected exactly, on a small model of the board.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from math import comb
from random import Random

from sim.robots.camargue.books import (
    ACROSS,
    DEALT,
    HELPER_POINTS,
    LANDSCAPES,
    START,
    CamargueAsk,
    CamargueBooks,
    CamargueMove,
    CamargueVerb,
    Square,
    helps,
    is_helper,
    kind_of,
    landscape_of,
    neighbours,
    paths_of,
    tiles_to_shuffle,
)
from sim.robots.camargue.styles import greedy, joiner

TRIED = 12  # the placements that are looked into, those that score most first
THEIRS, MINE = 0.8, 0.5  # the weights of what others, and one's own next turn, can expect
COPY_FROM = 16  # points from which a helper is used while many tiles are left
GREED = 0.5
MANY_LEFT = 12  # tiles in the draw pile

Kind = tuple[str, str]  # a landscape and its paths


@cache
def looks_of(tile: str) -> Kind:
    """Return what a landscape tile looks like."""
    return landscape_of(tile) or "", paths_of(tile)


class ImaginedBoard:
    """The board as one player imagines it after a placement."""

    def __init__(self, books: CamargueBooks) -> None:
        self.books = books
        self.paths = dict(books.paths)
        self.lands = {square: landscape_of(tile) for square, tile in books.board.items()}
        self.counts = {
            square: books.house.start_is_an_edge or kind_of(tile) != START
            for square, tile in books.board.items()
        }
        self.areas: dict[Square, frozenset[Square]] = {}
        for square in self.lands:
            self._join(square)
        beside = {there for square in self.lands for _, there in neighbours(square)}
        self.rim = beside - self.lands.keys()

    def copy(self) -> "ImaginedBoard":
        """Return a copy of the board."""
        twin = object.__new__(ImaginedBoard)
        twin.books, twin.paths, twin.lands = self.books, self.paths.copy(), self.lands.copy()
        twin.counts, twin.areas, twin.rim = self.counts.copy(), self.areas.copy(), self.rim.copy()
        return twin

    def place(self, looks: Kind, square: Square) -> None:
        """Place a tile."""
        self.lands[square], self.paths[square] = looks
        self.counts[square] = True
        self._join(square)
        self.rim.discard(square)
        self.rim.update(there for _, there in neighbours(square) if there not in self.lands)

    def _join(self, square: Square) -> None:
        """Join the areas beside a new tile with it."""
        land = self.lands[square]
        joined = frozenset([square]).union(*self._areas_beside(square, land))
        self.areas.update(dict.fromkeys(joined, joined))

    def _areas_beside(self, square: Square, land: str | None) -> set[frozenset[Square]]:
        areas, lands = self.areas, self.lands
        return {
            areas[there]
            for _, there in neighbours(square)
            if there in areas and lands[there] == land
        }

    def best(self, kinds: Iterable[Kind]) -> dict[Kind, int]:
        """Return the most points that a tile of each of *kinds* can score; 0 if it fits nowhere."""
        best = dict.fromkeys(kinds, 0)
        by_paths: dict[str, list[str]] = {}
        for land, paths in best:
            by_paths.setdefault(paths, []).append(land)
        for square in self.rim:
            fitting = [paths for paths in by_paths if self._fits(paths, square)]
            if not fitting:
                continue
            edges = sum(self.counts.get(there, False) for _, there in neighbours(square))
            points = {land: self._area(square, land) * edges for land in LANDSCAPES}
            for paths in fitting:
                for land in by_paths[paths]:
                    if points[land] > best[land, paths]:
                        best[land, paths] = points[land]
        return best

    def _fits(self, paths: str, square: Square) -> bool:
        """Return True if a tile with these paths fits."""
        is_joined, known = False, self.paths
        for side, there in neighbours(square):
            theirs = known.get(there)
            if theirs is None:
                continue
            if ACROSS[side] in theirs:
                if side not in paths:
                    return False
                is_joined = True
            elif side in paths and self.books.house.cuts_both_ways:
                return False
        return is_joined

    def _area(self, square: Square, land: str) -> int:
        return 1 + sum(map(len, self._areas_beside(square, land)))


class Foresight:
    """The points that the player at seat *me* can expect of each placement."""

    def __init__(self, books: CamargueBooks, me: int) -> None:
        self.books, self.me = books, me
        hand = books.hands[me]
        seen = {*hand, *books.board.values(), *books.aside, *filter(None, books.front)}
        unseen = [tile for tile in tiles_to_shuffle() if tile not in seen]
        self.helpers = [tile for tile in unseen if is_helper(tile)]
        self.unseen = Counter(looks_of(tile) for tile in unseen if not is_helper(tile))
        self.many = len(unseen)
        in_hands = max(0, self.many - len(books.pile))
        self.held = min(DEALT, in_hands // (books.players - 1))  # by each of the others
        self.board = ImaginedBoard(books)

    def value(self, move: CamargueMove, gain: int) -> float:
        """Return the value of a placement that scores *gain*."""
        assert move.square is not None
        looks = looks_of(move.tile)
        board = self.board.copy()
        board.place(looks, move.square)
        kept = [t for t in self.books.hands[self.me] if t != move.tile and not is_helper(t)]
        own = {looks_of(tile) for tile in kept}
        best = board.best({*self.unseen, *own})
        mine = max((best[each] for each in own), default=0)
        theirs = self.expectation(best, self.held, 0)
        drawn = self.expectation(best, min(1, len(self.books.pile)), mine)
        return gain * (1 - self.chance_of_copy(looks[0])) - THEIRS * theirs + MINE * drawn

    def expectation(self, best: Mapping[Kind, int], draws: int, least: int) -> float:
        """Return the points that a player can expect to score with the best of *draws* tiles.

        It is at least *least*, which another tile of the player scores.
        """
        many = Counter({HELPER_POINTS: len(self.helpers)})
        for looks, number in self.unseen.items():
            many[best[looks]] += number
        draws = min(draws, self.many)
        ways, left, mean, before = comb(self.many, draws), self.many, 0.0, 0.0
        for points in sorted(many, reverse=True):
            left -= many[points]
            chance = 1 - comb(left, draws) / ways
            mean += (chance - before) * max(points, least)
            before = chance
        return mean + (1 - before) * least

    def chance_of_copy(self, land: str) -> float:
        """Return the chance that another player can copy a tile of this landscape."""
        matching = sum(helps(helper, land) for helper in self.helpers)
        is_free = any(
            front is None for seat, front in enumerate(self.books.front) if seat != self.me
        )
        return min(1.0, self.held * matching / self.many) if is_free and self.many else 0.0


def often_greedy(books: CamargueBooks, chance: Random) -> CamargueMove:
    """Choose the most points in half of the turns, and any placement in the others."""
    return (greedy if chance.random() < GREED else joiner)(books, chance)


def choose_move(books: CamargueBooks, chance: Random) -> CamargueMove:
    """Choose the placement with the best foresight; use a helper when that scores much."""
    copies = books.copies()
    is_early = len(books.pile) > MANY_LEFT
    if (
        copies
        and books.placed
        and books.placed.points >= (COPY_FROM if is_early else HELPER_POINTS)
    ):
        return chance.choice(copies)
    moves = [move for move in books.legal_moves() if move.verb is not CamargueVerb.COPY]
    if books.asked not in (CamargueAsk.TURN, CamargueAsk.FOUND):
        return chance.choice(sorted(moves, key=str))
    gains = {m: books.points(m.tile, m.square) for m in moves if m.square is not None}
    discards = [move for move in moves if move.verb is CamargueVerb.DISCARD]
    if discards and (
        not gains or (max(gains.values()) < HELPER_POINTS and (len(discards) > 1 or not books.pile))
    ):
        return chance.choice(sorted(discards, key=str))
    if not gains:
        return moves[0]
    best = sorted(gains, key=lambda move: (-gains[move], str(move)))[:TRIED]
    foresight = Foresight(books, books.turn)
    return max(best, key=lambda move: foresight.value(move, gains[move]))
