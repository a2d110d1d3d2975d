"""The search of Cramel: the square as numbers of tiles, played to the end by a quick rule.

Where a tile lies does not matter, only whether everybody has seen it. So the square is a number of
seen tiles of each kind, and the unseen ones in a random order.
"""

from collections import Counter
from random import Random

from sim.players.search import best_of
from sim.robots.cramel.books import BLOOM, BOX, CRAMEL, STOP, CramelBooks, kind_of, plan

KINDS = tuple(BOX)
KIND = {kind: index for index, kind in enumerate(KINDS)}
THE_BLOOM, THE_CRAMEL = KIND[BLOOM], KIND[CRAMEL]
UNKNOWN, STOPS = -1, -2  # the options that are no kind
BUDGET = 200
MEMORY = 0.5  # the share of the seen tiles that a forgetful player remembers
TURNS = 4  # turns that are played out after an option
GOES_ON = 0.8  # the chance that a quick player who wins nothing yet turns over another unseen tile


class Square:
    """A square of tiles as one player imagines it."""

    __slots__ = ("cramels", "dots", "left", "open", "seen", "tiles", "turn", "unseen")

    def __init__(self, dots: list[int], turn: int, tiles: list[int], cramels: list[int]) -> None:
        self.dots = dots  # by kind; 0 for Blooms
        self.turn, self.tiles, self.cramels = turn, tiles, cramels
        self.seen = [0] * len(KINDS)  # face down, but everybody knows them
        self.open = [0] * len(KINDS)
        self.unseen: list[int] = []  # in the order in which they will be turned over
        self.left = 0  # tiles in the square that are no Blooms

    def copy(self) -> "Square":
        """Return a copy to play with."""
        twin = Square(self.dots, self.turn, self.tiles.copy(), self.cramels.copy())
        twin.seen, twin.open = self.seen.copy(), self.open.copy()
        twin.unseen, twin.left = self.unseen.copy(), self.left
        return twin

    def do(self, option: int) -> None:
        """Turn over a seen tile of the kind *option*, or an unseen one, or stop."""
        if option == STOPS:
            self.stop()
        elif option == UNKNOWN:
            self.turn_over(self.unseen.pop())
        else:
            self.seen[option] -= 1
            self.turn_over(option)

    def turn_over(self, kind: int) -> None:
        """Turn over a tile. A Bloom, or a Cramel beside another kind, ends the turn."""
        self.open[kind] += 1
        if kind == THE_BLOOM or 0 < self.open[THE_CRAMEL] < sum(self.open):
            self.end_turn()

    def stop(self) -> None:
        """Win the complete sets, and end the turn."""
        for kind, many in enumerate(self.open):
            if many and self.dots[kind]:
                won = many - many % self.dots[kind]
                self.open[kind] -= won
                self.tiles[self.turn] += won
                self.left -= won
                if kind == THE_CRAMEL:
                    self.cramels[self.turn] += won
        self.end_turn()

    def end_turn(self) -> None:
        """Turn all open tiles face down. Everybody has seen them."""
        self.seen = [seen + many for seen, many in zip(self.seen, self.open, strict=True)]
        self.open = [0] * len(KINDS)
        self.turn = (self.turn + 1) % len(self.tiles)

    def quick_option(self, chance: Random) -> None:
        """Play on as the style ``rememberer``, at most to the end of the turn."""
        wanted = self.useful()
        if any(wanted):
            for kind, many in enumerate(wanted):
                self.seen[kind] -= many
                self.open[kind] += many
            self.stop()
        elif self.wins():
            self.stop()
        elif self.unseen and (not any(self.open) or chance.random() < GOES_ON):
            self.turn_over(self.unseen.pop())
        elif any(self.open):
            self.stop()
        else:
            self.do(next(kind for kind, many in enumerate(self.seen) if many))

    def wins(self) -> bool:
        """Return True if a stop wins a tile."""
        return any(dots and many >= dots for many, dots in zip(self.open, self.dots, strict=True))

    def useful(self) -> list[int]:
        """Return how many seen tiles of each kind to turn over, to complete sets of seen tiles."""
        wanted = [0] * len(KINDS)
        for kind, dots in enumerate(self.dots):
            if dots and self.seen[kind]:
                is_open = self.open[kind]
                wanted[kind] = max(0, (is_open + self.seen[kind]) // dots * dots - is_open)
        cramels, is_begun = wanted[THE_CRAMEL], any(self.open)
        if self.open[THE_CRAMEL] or (not is_begun and 2 * cramels > sum(wanted)):
            return [many if kind == THE_CRAMEL else 0 for kind, many in enumerate(wanted)]
        wanted[THE_CRAMEL] = 0
        return wanted

    def go_on(self, turns: int, chance: Random) -> None:
        """Play this turn and more, *turns* in all, by a quick rule."""
        for _ in range(turns):
            seat = self.turn
            while self.left and self.turn == seat:
                self.quick_option(chance)


def forgetful(books: CramelBooks, chance: Random) -> str:
    """Choose tiles that complete sets, but remember only half of the tiles at any time."""
    return plan(books, chance, {tile for tile in sorted(books.seen) if chance.random() < MEMORY})


def choose_move(books: CramelBooks, chance: Random) -> str:
    """Choose the tile to turn over, or to stop, as wins most in squares that may be the real one.

    *books* may have all tiles; those that nobody has seen are shuffled here.
    """
    start = square_of(books)
    hidden = books.hidden()
    known = {
        kind: [t for t in hidden if t in books.seen and KIND[kind_of(t)] == kind]
        for kind in range(len(KINDS))
    }
    unknown = [tile for tile in hidden if tile not in books.seen]
    wanted = start.useful()
    options = [kind for kind, many in enumerate(wanted) if many][:1]
    if not options and not books.open:
        options = [kind for kind, tiles in known.items() if tiles and kind != THE_BLOOM][:1]
    options += [UNKNOWN] if unknown else []
    options += [STOPS] if books.open and not any(wanted) else []
    options = options or [kind for kind, tiles in known.items() if tiles]
    left = Counter({KIND[kind]: many for kind, many in books.left().items()})
    for faces in (start.seen, start.open):
        left.subtract(dict(enumerate(faces)))
    unseen = sorted(left.elements())
    me = books.turn

    def deal(luck: Random) -> Square:
        dealt = start.copy()
        dealt.unseen = luck.sample(unseen, len(unseen))
        return dealt

    def playout(dealt: Square, option: int, luck: Random) -> float:
        tried = dealt.copy()
        tried.do(option)
        tried.go_on(TURNS - (tried.turn != me), luck)
        return tried.tiles[me] - max(t for seat, t in enumerate(tried.tiles) if seat != me)

    best = best_of(options, deal, playout, BUDGET, chance)
    if best == STOPS:
        return STOP
    return chance.choice(unknown if best == UNKNOWN else known[best])


def square_of(books: CramelBooks) -> Square:
    """Return the square without its unseen tiles."""
    dots = [books.dots.get(kind, 0) for kind in KINDS]
    square = Square(dots, books.turn, books.totals(), books.cramels())
    for tile in books.open:
        square.open[KIND[kind_of(tile)]] += 1
    for tile in books.hidden():
        if tile in books.seen:
            square.seen[KIND[kind_of(tile)]] += 1
    square.left = sum(many for kind, many in books.left().items() if kind != BLOOM)
    return square
