"""A game to play in the guest: each act, and what an undisturbed table shows and stores after it.

The acts are drawn at random and tried on the emulated mat in this process.
"""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from engines.common.pieces import Piece
from firmware.config.table_config import load_config
from firmware.runtime.controller import decks_of
from sim.mat.mat import Mat
from sim.mat.tags import uid_of
from sim.people.person import EmulatedPerson
from tests.firmware.lives import Rows, rows_in

NAME, PLAYERS = "straw", ("Ann", "Ben")
STEP_S = 0.1  # between two looks at the display of the undisturbed table
SETTLED_S = 1.0  # after an act, until all but notices has ended
UNDOS = 0.15  # share of the acts that take one back
BACK, SPOT = "back", "play"


@dataclass(frozen=True, slots=True)
class Act:
    """A card to tap, or a button to press."""

    what: Piece | str

    @property
    def tag(self) -> str | None:
        """The UID of the card's sticker in hexadecimal digits; None for a button."""
        return uid_of(NAME, self.what).hex() if isinstance(self.what, Piece) else None

    def __str__(self) -> str:
        return f"{'press' if self.tag is None else 'tap'} {self.what}"


@dataclass(frozen=True, slots=True)
class Moment:
    """The table after an act: every new picture, of which the last one stays, and the entries."""

    pictures: tuple[bytes, ...]
    rows: Rows


@dataclass(frozen=True, slots=True)
class Game:
    """The acts of a game, and the moments: ``moments[n]`` is after *n* acts."""

    acts: tuple[Act, ...]
    moments: tuple[Moment, ...]

    def shows(self, picture: bytes, number: int) -> bool:
        """Return True if *picture* shows that act *number*, counted from 1, is accepted."""
        return picture in self.moments[number].pictures


def begin_game(folder: Path) -> None:
    """Write the state folder of a table with enrolled decks that has just begun a game."""
    with closing(Mat(load_config(None), folder)) as mat:
        mat.power_on()
        _begin(mat)


def draw_game(seed: int, length: int) -> Game:
    """Return a random game of *length* acts."""
    chance = Random(f"game {seed}")
    with TemporaryDirectory() as name:
        folder = Path(name)
        with closing(Mat(load_config(None), folder)) as mat:
            mat.power_on()
            _begin(mat)
            moments = [Moment(_pictures(mat), rows_in(folder))]
            acts: list[Act] = []
            while len(acts) < length:
                act = _draw(mat, chance)
                _do(mat, act)
                after = Moment(_pictures(mat), rows_in(folder))
                if _is_visible(moments[-1], after):
                    acts.append(act)
                    moments.append(after)
                else:
                    _let_notices_end(mat)
                    assert after.rows == moments[-1].rows, f"{act} wrote, but shows nothing"
    return Game(tuple(acts), tuple(moments))


def _begin(mat: Mat) -> None:
    person = EmulatedPerson(mat, decks_of(mat.config))
    person.start(NAME, PLAYERS, None, {})
    _let_notices_end(mat)


def _draw(mat: Mat, chance: Random) -> Act:
    phase = mat.view.phase
    if chance.random() < UNDOS:
        return Act(BACK)
    if phase in ("round-over", "over"):
        return Act("ok")
    pieces = decks_of(mat.config)[NAME].pieces()
    # The weight of a Lamp is chosen on a list; this game has taps and buttons only.
    return Act(chance.choice([piece for piece in pieces if piece.kind not in ("lamp", "copy")]))


def _do(mat: Mat, act: Act) -> None:
    if isinstance(act.what, Piece):
        EmulatedPerson(mat, decks_of(mat.config)).move("tap", [act.what], SPOT, NAME)
    else:
        mat.press(act.what)


def _pictures(mat: Mat) -> tuple[bytes, ...]:
    """Wait until nothing more changes; return every picture since the last act, oldest first."""
    seen: dict[bytes, None] = {}
    for _ in range(round(SETTLED_S / STEP_S)):
        mat.wait(STEP_S)
        picture = mat.pixels.tobytes()
        seen.pop(picture, None)
        seen[picture] = None
    while mat.view.notice is not None:  # such as what was taken back
        mat.wait(STEP_S)
    mat.wait(STEP_S)
    picture = mat.pixels.tobytes()
    seen.pop(picture, None)
    return (*seen, picture)


def _is_visible(before: Moment, after: Moment) -> bool:
    """Return True if an act wrote one entry, and every picture since is a new one."""
    is_new = not set(after.pictures) & set(before.pictures)
    return is_new and len(after.rows) == len(before.rows) + 1


def _let_notices_end(mat: Mat) -> None:
    mat.wait(15.0)
