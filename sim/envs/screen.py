"""The table's display for a world: the same view and the same picture as on a real table."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from engines.common.contract import Seat
from firmware.boxes.games import games
from firmware.boxes.register import TagRegister
from firmware.config.table_config import TableConfig, load_config
from firmware.journal.journal import GameStart, Journal
from firmware.runtime.controller import JOURNAL, REGISTER, decks_of, words_for
from firmware.show.screens import SIZES, draw
from firmware.show.view import TableView
from firmware.table.context import TableContext
from firmware.table.modes.playing import Playing
from firmware.voice.settings import Settings
from firmware.voice.settings_store import SettingsStore
from sim.envs.world import World
from sim.robots.run import SPARE_NAMES


class WorldScreen:
    """A table without chips. The rules of the engine replay the acts of a world on it."""

    def __init__(self) -> None:
        self._opened = ExitStack()
        folder = Path(self._opened.enter_context(TemporaryDirectory()))
        journal = Journal(folder / JOURNAL)
        self._opened.callback(journal.close)
        register = TagRegister(folder / REGISTER)
        self._opened.callback(register.close)
        self._config: TableConfig = load_config()
        store = SettingsStore(Settings("en"), words_for, journal)
        self._context = TableContext(games(), decks_of(self._config), store, journal, register)
        self._world: World | None = None
        self._shown = 0  # acts of the world on this table

    def close(self) -> None:
        """Remove the table's files."""
        self._opened.close()

    def view(self, world: World) -> TableView:
        """Return what the table shows after all acts of *world*.

        Raises:
            RulesError: the engine refuses an act of the world.
        """
        if world is not self._world:
            self._world, self._shown = world, 0
            self._playing = Playing.begin(self._context, self._start(world))
        for act in world.acts[self._shown :]:
            self._playing, _ = self._playing.after(act.given)
        self._shown = len(world.acts)
        return self._playing.with_new_picker().view()

    def picture(self, world: World) -> Image.Image:
        """Return the picture on the display, in black and white."""
        return draw(self.view(world), SIZES[0])

    def text(self, world: World) -> str:
        """Return the same view as lines of text."""
        return "\n".join(lines_of(self.view(world)))

    def _start(self, world: World) -> GameStart:
        names = (*self._config.names, *SPARE_NAMES)[: world.players]
        deal = world.deal
        deck = self._context.decks[world.game]
        return GameStart(world.game, names, deal.dealer, deal.options, deck)


def lines_of(view: TableView) -> Sequence[str]:
    """Return the texts of *view*, and the players with their scores.

    ``>`` marks the current player, and ``*`` a winner.
    """
    marks = dict.fromkeys(view.winners, "*") if view.winners else {view.turn: ">"}
    players = [
        f"{marks.get(Seat(seat), ' ')} {name} {score}"
        for seat, (name, score) in enumerate(zip(view.names, view.scores, strict=True))
    ]
    return [view.title, f"{view.headline} {view.caption}".strip(), view.hint, *players]
