"""A second opinion on Cramel: the books a careful scorekeeper keeps, from the printed rules alone.

Room: sim/robots. It mixes the tiles, lays out the square and sees every tile's back and face, as
nobody at the table does, and shares no line with ``engines.cramel``; so where the two agree, they
agree for different reasons. Tiles are texts, ``helena#2`` being the second tile of Helena. What the
rules leave open is settled at its default; only the size of a set of Gol, 2 or 4, may be chosen.
"""

from collections import Counter
from collections.abc import Callable
from functools import cache
from random import Random

ROBY, CRAMEL, BLOOM = "roby", "cramel", "bloom"
GOL, JANE, HELENA, EL_EL, RING_BOX = "gol", "jane", "helena", "el-el", "ring-box"

BOX = {GOL: 4, JANE: 4, HELENA: 4, EL_EL: 6, RING_BOX: 8, ROBY: 8, BLOOM: 3, CRAMEL: 12}
DOTS = {JANE: 2, HELENA: 2, EL_EL: 3, RING_BOX: 4, ROBY: 1, CRAMEL: 1}  # Bloom has none to win
GOL_DOTS = (2, 4)
SQUARE = 7 * 7

STOP = "stop"  # an act is this, or the tile that is turned

BY_BLOOM, BY_CRAMEL = "Bloom", "forbidden Cramel"  # why a turn ended by itself


@cache
def kind_of(tile: str) -> str:
    """What is on the face, whichever of its copies it is."""
    return tile.split("#")[0]


def all_tiles() -> list[str]:
    """Every tile of the box."""
    return [f"{kind}#{n}" for kind, many in BOX.items() for n in range(1, many + 1)]


class CramelBooks:
    """One game of Cramel from the mixed square to the winners."""

    def __init__(self, players: int, first: int, gol_dots: int, chance: Random) -> None:
        assert gol_dots in GOL_DOTS
        self.players = players
        self.dots = {**DOTS, GOL: gol_dots}
        self.chance = chance
        cells = list(range(SQUARE))
        chance.shuffle(cells)
        self.place = dict(zip(all_tiles(), cells, strict=True))  # what lies where on the table
        self.seen: set[str] = set()  # everybody has seen these, and where they lie
        self.turn = first
        self.open: list[str] = []  # turned this turn, in this order
        self.ended_by = ""  # why the last act ended the turn by itself; empty when it did not
        self.ended_open: list[str] = []  # what lay open when the last turn ended
        self.taken: list[str] = []  # what was collected at its end
        self.won: list[list[str]] = [[] for _ in range(players)]
        self.is_over = False
        self.bloom_goes_to: int | None = None
        self.winners: list[int] = []
        self.happened: set[str] = set()  # the rare things this game has seen

    # -- what can be read off the table

    def hidden(self) -> list[str]:
        """What lies face down."""
        return [tile for tile in self.place if tile not in self.open]

    def left(self) -> dict[str, int]:
        """How many tiles of each kind lie on the table, open or not."""
        lying = Counter(map(kind_of, self.place))
        return {kind: lying[kind] for kind in BOX}

    def tiles_of(self, player: int, kind: str) -> int:
        """How many of this kind a player has won."""
        return sum(kind_of(tile) == kind for tile in self.won[player])

    def totals(self) -> list[int]:
        """How many tiles everybody has won."""
        return [len(tiles) for tiles in self.won]

    def cramels(self) -> list[int]:
        """How many Cramels everybody has won."""
        return [self.tiles_of(player, CRAMEL) for player in range(self.players)]

    def free_cells(self) -> list[int]:
        """The places in the square that winning has emptied."""
        return sorted(set(range(SQUARE)) - set(self.place.values()))

    def would_win(self) -> dict[str, int]:
        """The tiles that stopping now would win, by kind; kinds that win nothing are left out."""
        full = {}
        for kind, many in Counter(map(kind_of, self.open)).items():
            whole_sets = many // self.dots[kind]
            if whole_sets:
                full[kind] = whole_sets * self.dots[kind]
        return full

    # -- what is legal

    def is_legal(self, act: str) -> bool:
        """Whether the rules allow this act now."""
        if self.is_over:
            return False
        if act == STOP:
            return bool(self.open)
        return act in self.place and act not in self.open

    def illegal_acts(self) -> list[str]:
        """All that may not be done now."""
        return [act for act in (STOP, *all_tiles()) if not self.is_legal(act)]

    # -- the two acts

    def turn_over(self, tile: str, bloom_to: int | None = None) -> None:
        """The player whose turn it is turns this tile; a Bloom may then be moved to a free cell."""
        assert self.is_legal(tile)
        before = Counter(map(kind_of, self.open))
        self.ended_by = ""
        self.open.append(tile)
        self.seen.add(tile)
        kind = kind_of(tile)
        if kind == BLOOM:
            self.note_bloom(before)
            if bloom_to is not None:
                assert bloom_to in self.free_cells()
                self.place[tile] = bloom_to
                self.happened.add("Bloom moves")
            self.end_turn(BY_BLOOM)
            return
        assert bloom_to is None
        is_mixed = CRAMEL in before if kind != CRAMEL else any(k != CRAMEL for k in before)
        if is_mixed:
            is_late = kind == CRAMEL
            self.happened.add("Cramel after another" if is_late else "another after Cramel")
            if not is_late and before[CRAMEL] > 1:
                self.happened.add("another after several Cramels")
            if is_late and any(many >= self.dots[k] for k, many in before.items()):
                self.happened.add("Cramel spoils a full set")
            self.end_turn(BY_CRAMEL)

    def choose_sets(self) -> list[str]:
        """Which of the open tiles to collect; among equal ones any will do."""
        chosen = []
        for kind, many in self.would_win().items():
            chosen += self.chance.sample([t for t in self.open if kind_of(t) == kind], many)
        return chosen

    def stop(self, collected: list[str]) -> None:
        """The player whose turn it is stops, and collects these tiles."""
        assert self.is_legal(STOP)
        assert set(collected) <= set(self.open)
        assert Counter(map(kind_of, collected)) == self.would_win()
        self.note_stop()
        self.won[self.turn] += collected
        for tile in collected:
            del self.place[tile]
        self.end_turn("", collected)

    def end_turn(self, why: str, collected: list[str] | None = None) -> None:
        """Turn everything face down; the next player goes on, unless nothing is left to win."""
        self.ended_by = why
        self.ended_open = self.open
        self.taken = collected or []
        self.open = []
        if all(kind_of(tile) == BLOOM for tile in self.place):
            self.end_game()
        else:
            self.turn = (self.turn + 1) % self.players

    def end_game(self) -> None:
        """Give away the Blooms and find the winners."""
        self.is_over = True
        before_bonus = self.totals()
        cramels = self.cramels()
        most = [player for player in range(self.players) if cramels[player] == max(cramels)]
        if len(most) == 1:
            self.bloom_goes_to = most[0]
            self.won[most[0]] += list(self.place)
            self.place.clear()
        best = max(self.totals())
        leading = [player for player in range(self.players) if self.totals()[player] == best]
        more = max(cramels[player] for player in leading)
        self.winners = [player for player in leading if cramels[player] == more]
        self.note_end(before_bonus, leading)

    # -- what was rare

    def note_bloom(self, before: Counter[str]) -> None:
        """Note what is rare about a Bloom that was turned."""
        if set(before) == {CRAMEL}:
            self.happened.add("Bloom after Cramels")
        if not before:
            self.happened.add("Bloom at once")
        if any(many >= self.dots[kind] for kind, many in before.items() if kind != CRAMEL):
            self.happened.add("Bloom spoils a full set")
        if not self.free_cells():
            self.happened.add("Bloom without a free place")

    def note_stop(self) -> None:
        """Note what is rare about a stop."""
        wins = self.would_win()
        if not wins:
            self.happened.add("stopped for nothing")
        for kind, many in Counter(map(kind_of, self.open)).items():
            if wins.get(kind, 0) >= 2 * self.dots[kind] > 2:
                self.happened.add(f"two sets of {kind}")
            if many - wins.get(kind, 0) and kind in wins:
                self.happened.add(f"{kind} beyond the set")
        if len(wins) > 2:
            self.happened.add("three kinds at once")
        if wins.get(CRAMEL, 0) > 1:
            self.happened.add("several Cramels")
        if wins and sum(wins.values()) == len(self.place) - BOX[BLOOM]:
            self.happened.add(f"ended with {'Cramel' if CRAMEL in wins else 'others'}")

    def note_end(self, before_bonus: list[int], leading: list[int]) -> None:
        """Note what is rare about the end."""
        if self.bloom_goes_to is None:
            self.happened.add("nobody gets Bloom")
        else:
            best = max(before_bonus)
            if before_bonus[self.bloom_goes_to] < best and self.bloom_goes_to in leading:
                self.happened.add("Bloom turns the game")
            if self.bloom_goes_to not in leading:
                self.happened.add("Bloom does not help")
        if len(leading) > len(self.winners):
            self.happened.add("Cramels break the tie")
        if len(self.winners) > 1:
            self.happened.add("shared win")
        if 0 in self.totals():
            self.happened.add("somebody has nothing")


# --- styles of play ------------------------------------------------------------------------------

Style = Callable[[CramelBooks, Random], str]  # the next act


def blind(books: CramelBooks, chance: Random) -> str:
    """Remembers nothing and stops when the mood takes it."""
    if books.open and chance.random() < 0.3:
        return STOP
    return chance.choice(books.hidden())


def careful(books: CramelBooks, chance: Random) -> str:
    """Remembers nothing, and stops with the first tile won, or before it grows too risky."""
    if books.would_win() or len(books.open) > 4:
        return STOP
    return chance.choice(books.hidden())


def greedy(books: CramelBooks, chance: Random) -> str:
    """Goes on until the catch is big, or gone."""
    if sum(books.would_win().values()) >= 4:
        return STOP
    return chance.choice(books.hidden())


def rememberer(books: CramelBooks, chance: Random) -> str:
    """Remembers all that was seen, turns what fills a set, and explores when nothing does."""
    return plan(books, chance, books.seen)


def seer(books: CramelBooks, chance: Random) -> str:
    """Knows every tile, and sweeps the table."""
    return plan(books, chance, set(books.place))


def plan(books: CramelBooks, chance: Random, known: set[str]) -> str:
    """Turn what fills a set, as far as tiles are known; explore, or stop, when nothing does."""
    hidden = books.hidden()
    now = Counter(map(kind_of, books.open))
    useful: dict[str, list[str]] = {}
    for kind, dots in books.dots.items():
        there = [tile for tile in hidden if kind_of(tile) == kind and tile in known]
        missing = (now[kind] + len(there)) // dots * dots - now[kind]
        if missing > 0:
            useful[kind] = there[:missing]
    cramels = useful.pop(CRAMEL, [])
    others = [tile for tiles in useful.values() for tile in tiles]
    if CRAMEL in now or (not now and len(cramels) > len(others)):
        others = cramels
    if others:
        return chance.choice(others)
    if books.would_win():
        return STOP
    unknown = [tile for tile in hidden if tile not in known]
    if not now or (unknown and chance.random() < 0.8):
        return chance.choice(unknown or hidden)
    return STOP


def leveller(books: CramelBooks, chance: Random) -> str:
    """Knows every tile, takes one set a turn, and waits for those behind: for close ends."""
    if books.would_win():
        return STOP
    hidden = books.hidden()
    if books.open:
        return chance.choice([tile for tile in hidden if kind_of(tile) == kind_of(books.open[0])])
    totals, cramels, me = books.totals(), books.cramels(), books.turn
    is_ahead = totals[me] > min(totals) and chance.random() < 0.9
    unwanted = {BLOOM, CRAMEL} if cramels[me] > min(cramels) and chance.random() < 0.9 else {BLOOM}
    wanted = [tile for tile in hidden if kind_of(tile) not in unwanted]
    if is_ahead or not wanted:  # a Bloom is sure to win nothing
        wanted = [tile for tile in hidden if kind_of(tile) == BLOOM]
    return chance.choice(wanted)


def fumbler(books: CramelBooks, chance: Random) -> str:
    """Knows every tile, keeps to the kinds lying open, and slips now and then."""
    hidden, luck = books.hidden(), chance.random()
    kinds = {kind_of(tile) for tile in books.open}
    same = [tile for tile in hidden if kind_of(tile) in kinds]
    if luck < 0.65 and same:
        return chance.choice(same)
    if luck < 0.85 and books.open:
        return STOP
    return chance.choice(hidden)


def moody(books: CramelBooks, chance: Random) -> str:
    """Plays each act in another style."""
    return chance.choice(list(STYLES.values())[:-1])(books, chance)


STYLES: dict[str, Style] = {
    "blind": blind,
    "careful": careful,
    "greedy": greedy,
    "rememberer": rememberer,
    "seer": seer,
    "leveller": leveller,
    "fumbler": fumbler,
    "moody": moody,
}
