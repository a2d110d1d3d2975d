"""Tables in five states of each game, to be looked at on every screen.

Robots play a game in the virtual clock's time, and the table's folder is copied whenever a state is
reached. `showing` opens such a copy in Play. There the robots and the table's notices stand still,
so that a state can be looked at for as long as wanted.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch

from playwright.sync_api import Browser, Page, expect

from engines.common.contract import Seat, Tap
from firmware.config.table_config import TableConfig, load_config
from firmware.table.announcements import ROUND_OVER
from sim.deal import requests
from sim.deal.layouts.spread import Tiles
from sim.players.levels import styles_of
from sim.web.live import LiveMat
from tests.sim.web.browser import Opener, Site
from tests.sim.web.player import write_small_box
from tests.sim.web.test_seats import WHOLE_GAME_S, Table

NAMES = ("Ann", "Ben", "Cleo")
FIRST, QUESTION, REFUSAL, MIDDLE, OVER = STATES = (
    "first turn",
    "question",
    "refusal",
    "middle",  # the end of a round, if the game has rounds
    "over",
)
NEVER_S = 86_400.0  # longer than any look
PATIENCE_S = 30.0
# The box of Camargue has a third of its tiles; a game with all of them takes a minute.
SMALL_BOX = {"start": 1, "emergency": 3, "forest": 2, "water": 1, "grain": 1, "helper": 1}

Reached = Callable[[Table], bool]  # True if a table is in the wanted state


@dataclass(frozen=True, slots=True)
class Saved:
    """A table that was saved in a state of a game, in *folder*; it is opened with *config*.

    *turn* is the seat of the person, or None if nobody acts.
    """

    game: str
    state: str
    folder: Path
    config: TableConfig
    turn: Seat | None


# --- when a state is reached ----------------------------------------------------------------------


def in_phase(*phases: str) -> Reached:
    return lambda table: table.mat.view.phase in phases and table.mat.view.turn is not None


def after(inputs: int, phase: str = "play") -> Reached:
    """Return a test for the first turn in *phase* after a number of *inputs*."""
    return lambda table: len(table.record.inputs) >= inputs and in_phase(phase)(table)


def mover(table: Table) -> Seat | None:
    """Return the seat that may move a tile of a spread to a free place, or None.

    The page hears of it only if a person has that seat.
    """
    lying = table.live._deck._lying
    return lying.mover if isinstance(lying, Tiles) else None


def may_move(table: Table) -> bool:
    """Return True if a tile of a spread may be moved to a free place."""
    return mover(table) is not None


def has_fallen(table: Table) -> bool:
    """Return True if cargo has fallen and the referee is not told yet."""
    return bool(table.deal_shown["ship"]["canReport"])


# --- what the table refuses -----------------------------------------------------------------------


def played_last(live: LiveMat) -> str:
    record = live._record()
    assert record is not None
    piece = next(given.piece for given in reversed(record.inputs) if isinstance(given, Tap))
    return f"{record.start.game}/{piece}"


REACHED: dict[str, dict[str, Reached]] = {
    "straw": {QUESTION: in_phase("lamp"), REFUSAL: after(2), MIDDLE: in_phase(ROUND_OVER)},
    "ciao": {
        QUESTION: in_phase("symbol"),
        REFUSAL: after(3),
        MIDDLE: after(12),
    },
    "cramel": {QUESTION: may_move, REFUSAL: after(6), MIDDLE: after(60)},
    "camargue": {QUESTION: in_phase("place"), REFUSAL: after(6), MIDDLE: after(30)},
    "riff-raff": {QUESTION: has_fallen, REFUSAL: after(10, "reveal"), MIDDLE: after(30, "load")},
}
REFUSED: dict[str, Callable[[LiveMat], str]] = {  # for each game, a tag that is tapped in vain
    "straw": lambda _: "straw/straw#1",
    "ciao": lambda live: next(iter(live.state["deal"]["costs"])),
    "cramel": lambda _: "straw/straw#1",  # of another game
    "camargue": lambda _: "camargue/start#1",
    "riff-raff": played_last,
}


# --- playing and showing --------------------------------------------------------------------------


def played(folder: Path, game: str) -> list[Saved]:
    """Play *game* to its end, and return the tables that were saved, one for each state.

    *folder* is an empty folder for the saved tables.
    """
    config = load_config()
    if game == "camargue":
        box = write_small_box(folder, game, SMALL_BOX, None)
        config = replace(config, decks={**config.decks, game: box})
    (folder / "playing").mkdir()
    table = Table(folder / "playing", config=config)
    robots = (styles_of(game)[0],) * len(NAMES)
    with patch("sim.web.live.secrets.randbits", return_value=table.seed):
        table.ask(requests.BeginGame(game, NAMES, robots, {}))
    wanted: dict[str, Reached] = {
        FIRST: lambda _: True,
        **REACHED[game],
        OVER: lambda table: bool(table.mat.view.winners),
    }
    saved: dict[str, Saved] = {}

    def is_over() -> bool:
        table.live._publish()
        for state in [state for state in wanted if wanted[state](table)]:
            del wanted[state]
            copy = shutil.copytree(folder / "playing", folder / state.replace(" ", "-"))
            asked = mover(table) if state == QUESTION else None
            turn = table.mat.view.turn if asked is None else asked
            saved[state] = Saved(game, state, copy, config, turn)
        return OVER in saved

    with patch.multiple("sim.deal.seats", THINKS_S=0.1, READS_S=0.1, LIES_S=0.3):
        table.until(is_over, WHOLE_GAME_S)
    table.close()
    assert not wanted, f"{game} never reached {sorted(wanted)}"
    return [saved[state] for state in STATES]


@contextmanager
def showing(browser: Browser, saved: Saved) -> Iterator[Page]:
    """Open a table that was saved in a state, and yield a page that shows it in Play."""
    with ExitStack() as stack:
        stack.enter_context(patch("sim.deal.seats.THINKS_S", NEVER_S))
        stack.enter_context(patch("firmware.table.table.NOTICE_S", NEVER_S))
        site = stack.enter_context(Site(saved.folder, config=saved.config))
        if saved.turn is not None:
            site.live.do(requests.SeatRobot(saved.turn + 1, None)).result(PATIENCE_S)
        opener = Opener(browser, site)
        page = opener.blank().page
        stack.callback(page.context.close)
        page.goto(site.address)
        expect(page.locator("#hands > *").first).to_be_attached()
        if saved.state == REFUSAL:
            tags = (REFUSED[saved.game](site.live),)
            site.live.do(requests.Lay(tags, "play")).result(PATIENCE_S)
            expect(page.locator("#banner-wrong")).not_to_be_empty()
            site.live.do(requests.Lift(tags, "play")).result(PATIENCE_S)
        if saved.state == QUESTION and saved.game == "cramel":
            expect(page.locator("#banner-acts [data-key=leave]")).to_be_visible()
        if site.live.state["view"]["result"]:
            expect(page.locator("body[data-result]")).to_be_attached()
        yield page
        assert opener.wrong == [[]]
