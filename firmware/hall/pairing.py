"""The pairs of a tournament with two players a game: round robin, or a Swiss system.

Round robin: everybody plays everybody once (the circle method). Swiss: in each round, players with
about equal points meet, and nobody meets the same player twice if that can be avoided. If the
number of players is odd, one is free in each round, and never twice before all were.
Source: FIDE Handbook, C.04.1 (Basic rules for Swiss Systems) and C.05 Annex 1 (Berger tables)
"""

from collections.abc import Collection, Sequence

Pair = tuple[str, str]

MOST_TRIES = 20_000  # of pairs; then players may meet again


def round_robin(players: Sequence[str]) -> list[list[Pair]]:
    """Return the pairs of each round. With an odd number of players, one is missing in each."""
    circle: list[str | None] = [*players, *([None] if len(players) % 2 else [])]
    rounds: list[list[Pair]] = []
    half = len(circle) // 2
    for number in range(len(circle) - 1):
        pairs = zip(circle[:half], reversed(circle[half:]), strict=True)
        sides = (pair if number % 2 else pair[::-1] for pair in pairs)
        rounds.append([(a, b) for a, b in sides if a is not None and b is not None])
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return rounds


def swiss_pairs(ranked: Sequence[str], met: Collection[frozenset[str]]) -> list[Pair]:
    """Return pairs of *ranked*, an even number of players, best first.

    *met* are the pairs that have met before.
    """
    search = _Search(met)
    found = search.pairs(tuple(ranked))
    if found is None:
        found = _Search(()).pairs(tuple(ranked))
    assert found is not None
    return found


class _Search:
    """A search for pairs that have not met, which gives up after ``MOST_TRIES``."""

    def __init__(self, met: Collection[frozenset[str]]) -> None:
        self._met, self._tries = met, 0

    def pairs(self, players: tuple[str, ...]) -> list[Pair] | None:
        """Return pairs of *players*: each with the nearest possible one; None if there are none."""
        if not players:
            return []
        first, *others = players
        for number, other in enumerate(others):
            self._tries += 1
            if self._tries > MOST_TRIES:
                return None
            if frozenset((first, other)) in self._met:
                continue
            rest = self.pairs((*others[:number], *others[number + 1 :]))
            if rest is not None:
                return [(first, other), *rest]
        return None


def free_player(ranked: Sequence[str], were_free: Collection[str]) -> str | None:
    """Return the player of *ranked* (best first) who is free in this round; None if none must be.

    It is the last one who was not free before.
    """
    if len(ranked) % 2 == 0:
        return None
    return next((one for one in reversed(ranked) if one not in were_free), ranked[-1])
