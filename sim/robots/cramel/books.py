"""The robots' own record of a game of Cramel, called its *books*.

It is a second implementation of the printed rules, by which robots check the engine.

The books shuffle the tiles and see every face. They share no code with ``engines.cramel``. A tile
is a string: ``helena#2`` is the second tile of Helena. The only house rule that can change is the
size of a set of Gol: 2 or 4 tiles.
"""

from collections import Counter
from collections.abc import Callable
from functools import cache
from random import Random

ROBY, CRAMEL, BLOOM = "roby", "cramel", "bloom"
GOL, JANE, HELENA, EL_EL, RING_BOX = "gol", "jane", "helena", "el-el", "ring-box"

BOX = {GOL: 4, JANE: 4, HELENA: 4, EL_EL: 6, RING_BOX: 8, ROBY: 8, BLOOM: 3, CRAMEL: 12}
DOTS = {JANE: 2, HELENA: 2, EL_EL: 3, RING_BOX: 4, ROBY: 1, CRAMEL: 1}  # tiles in a set, by kind
GOL_DOTS = (2, 4)
SQUARE = 7 * 7

STOP = "stop"  # a move is either this or the name of the tile to turn over

BY_BLOOM, BY_CRAMEL = "Bloom", "forbidden Cramel"  # reasons why a turn ends without a stop


@cache
def kind_of(tile: str) -> str:
    """Return the kind of a tile: its name without the number of the copy."""
    return tile.split("#")[0]


def all_tiles() -> list[str]:
    """Return the names of all tiles in the box."""
    return [f"{kind}#{n}" for kind, many in BOX.items() for n in range(1, many + 1)]


class CramelBooks:
    """The full state of one game of Cramel, from the shuffled square to the winners."""

    def __init__(self, players: int, first: int, gol_dots: int, chance: Random) -> None:
        assert gol_dots in GOL_DOTS
        self.players = players
        self.dots = {**DOTS, GOL: gol_dots}
        self.chance = chance
        cells = list(range(SQUARE))
        chance.shuffle(cells)
        self.place = dict(zip(all_tiles(), cells, strict=True))  # the cell of each tile
        self.counted: dict[str, int] = {}  # what ``left`` returns, if not all faces are known
        self.seen: set[str] = set()  # the tiles whose faces everybody has seen
        self.turn = first
        self.open: list[str] = []  # the tiles turned over in this turn, in order
        self.ended_by = ""  # the reason why the last move ended the turn without a stop, if it did
        self.ended_open: list[str] = []  # the open tiles at the end of the last turn
        self.won: list[list[str]] = [[] for _ in range(players)]
        self.missed: set[str] = set()  # won tiles that a mat can tell have left the square
        self.is_over = False
        self.bloom_goes_to: int | None = None
        self.winners: list[int] = []
        self.happened: set[str] = set()  # the rare events of this game

    # -- the state

    def hidden(self) -> list[str]:
        """Return the tiles that are face down."""
        return [tile for tile in self.place if tile not in self.open]

    def left(self) -> dict[str, int]:
        """Return the number of tiles of each kind in the square, face up or face down."""
        lying = self.counted or Counter(map(kind_of, self.place))
        return {kind: lying[kind] for kind in BOX}

    def tiles_of(self, player: int, kind: str) -> int:
        """Return the number of tiles of this kind that a player has won."""
        return sum(kind_of(tile) == kind for tile in self.won[player])

    def totals(self) -> list[int]:
        """Return the number of tiles that each player has won, by seat."""
        return [len(tiles) for tiles in self.won]

    def cramels(self) -> list[int]:
        """Return the number of Cramels that each player has won, by seat."""
        return [self.tiles_of(player, CRAMEL) for player in range(self.players)]

    def free_cells(self) -> list[int]:
        """Return the empty cells of the square, numbered from 0 to 48."""
        return sorted(set(range(SQUARE)) - set(self.place.values()))

    def would_win(self) -> dict[str, int]:
        """Return the number of tiles that a stop would win now, for each kind with at least one."""
        full = {}
        for kind, many in Counter(map(kind_of, self.open)).items():
            whole_sets = many // self.dots[kind]
            if whole_sets:
                full[kind] = whole_sets * self.dots[kind]
        return full

    # -- legal moves

    def is_legal(self, act: str) -> bool:
        """Return True if the rules allow this move now."""
        if self.is_over:
            return False
        if act == STOP:
            return bool(self.open)
        return act in self.place and act not in self.open

    # -- the two moves

    def turn_over(self, tile: str, bloom_to: int | None = None) -> None:
        """Turn over a tile; if it is a Bloom, move it to the cell *bloom_to* unless that is None.

        A Bloom ends the turn. A Cramel together with a tile of another kind ends it too.
        """
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
        """Return the tiles that the player wins by stopping now.

        If more tiles of a kind are open than the player wins, they are chosen at random.
        """
        chosen = []
        for kind, many in self.would_win().items():
            chosen += self.chance.sample([t for t in self.open if kind_of(t) == kind], many)
        return chosen

    def stop(self, collected: list[str]) -> None:
        """Give the current player the tiles *collected*, and end the turn."""
        assert self.is_legal(STOP)
        assert set(collected) <= set(self.open)
        assert Counter(map(kind_of, collected)) == self.would_win()
        self.note_stop()
        self.won[self.turn] += collected
        stay = {kind_of(tile) for tile in self.open if tile not in collected}
        self.missed |= {tile for tile in collected if kind_of(tile) not in stay}
        for tile in collected:
            del self.place[tile]
        self.end_turn("")

    def end_turn(self, why: str) -> None:
        """Turn all tiles face down, and give the turn to the next player.

        End the game if only Blooms are left. *why* is empty after a stop.
        """
        self.ended_by = why
        self.ended_open = self.open
        self.open = []
        if all(kind_of(tile) == BLOOM for tile in self.place):
            self.end_game()
        else:
            self.turn = (self.turn + 1) % self.players

    def end_game(self) -> None:
        """Give the Blooms to the player with the most Cramels, unless tied, and find the winners.

        Of the players with the most tiles, those with the most Cramels win.
        """
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

    # -- rare events, which tests look for

    def note_bloom(self, before: Counter[str]) -> None:
        """Add to ``happened`` the rare events of turning over a Bloom.

        *before* counts the tiles of each kind that were open before it.
        """
        if set(before) == {CRAMEL}:
            self.happened.add("Bloom after Cramels")
        if not before:
            self.happened.add("Bloom at once")
        if any(many >= self.dots[kind] for kind, many in before.items() if kind != CRAMEL):
            self.happened.add("Bloom spoils a full set")
        if not self.free_cells():
            self.happened.add("Bloom without a free place")

    def note_stop(self) -> None:
        """Add to ``happened`` the rare events of a stop."""
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
        """Add to ``happened`` the rare events of the end of the game.

        *before_bonus* holds the totals without Blooms; *leading* holds the seats with most tiles.
        """
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

CramelStyle = Callable[[CramelBooks, Random], str]  # returns the next move


def blind(books: CramelBooks, chance: Random) -> str:
    """Choose any tile, or sometimes a stop, at random."""
    if books.open and chance.random() < 0.3:
        return STOP
    return chance.choice(books.hidden())


def careful(books: CramelBooks, chance: Random) -> str:
    """Choose any tile, but stop as soon as that wins something or five tiles are open."""
    if books.would_win() or len(books.open) > 4:
        return STOP
    return chance.choice(books.hidden())


def greedy(books: CramelBooks, chance: Random) -> str:
    """Choose any tile, but stop as soon as that wins four tiles or more."""
    if sum(books.would_win().values()) >= 4:
        return STOP
    return chance.choice(books.hidden())


def rememberer(books: CramelBooks, chance: Random) -> str:
    """Choose tiles that complete sets, among the tiles that everybody has seen; else others."""
    return plan(books, chance, books.seen)


def seer(books: CramelBooks, chance: Random) -> str:
    """Choose tiles that complete sets, with knowledge of every tile."""
    return plan(books, chance, set(books.place))


def plan(books: CramelBooks, chance: Random, known: set[str]) -> str:
    """Return the tile to turn over, or ``STOP``, for a player who knows the tiles in *known*.

    It is a tile that helps to complete a set of known tiles. If there is none, stop if that wins
    something. Otherwise, turn over an unknown tile, or sometimes stop.
    """
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
    """Choose tiles so that results are close, with knowledge of every tile.

    A player wins one set in each turn; a player who is ahead usually wins none.
    """
    if books.would_win():
        return STOP
    hidden = books.hidden()
    if books.open:
        return chance.choice([tile for tile in hidden if kind_of(tile) == kind_of(books.open[0])])
    totals, cramels, me = books.totals(), books.cramels(), books.turn
    is_ahead = totals[me] > min(totals) and chance.random() < 0.9
    unwanted = {BLOOM, CRAMEL} if cramels[me] > min(cramels) and chance.random() < 0.9 else {BLOOM}
    wanted = [tile for tile in hidden if kind_of(tile) not in unwanted]
    if is_ahead or not wanted:  # a Bloom ends the turn, and nothing is won
        wanted = [tile for tile in hidden if kind_of(tile) == BLOOM]
    return chance.choice(wanted)


def fumbler(books: CramelBooks, chance: Random) -> str:
    """Choose mostly tiles of the open kinds, knowing every tile; else a stop or any tile."""
    hidden, luck = books.hidden(), chance.random()
    kinds = {kind_of(tile) for tile in books.open}
    same = [tile for tile in hidden if kind_of(tile) in kinds]
    if luck < 0.65 and same:
        return chance.choice(same)
    if luck < 0.85 and books.open:
        return STOP
    return chance.choice(hidden)


def moody(books: CramelBooks, chance: Random) -> str:
    """Choose each move in a style that is drawn at random for it."""
    return chance.choice(list(STYLES.values())[:-1])(books, chance)


STYLES: dict[str, CramelStyle] = {
    "blind": blind,
    "careful": careful,
    "greedy": greedy,
    "rememberer": rememberer,
    "seer": seer,
    "leveller": leveller,
    "fumbler": fumbler,
    "moody": moody,
}
