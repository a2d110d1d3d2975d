"""Two tables with Straw dealt: the whole program, and a loop around the stock libraries."""

from collections.abc import Sequence
from contextlib import ExitStack, closing
from functools import reduce
from operator import xor
from pathlib import Path
from typing import Protocol

from engines.common.contract import SEAT_SPOTS
from engines.common.pieces import Piece
from fakepi.clock import VirtualClock
from fakepi.iso14443 import CASCADE_TAG
from fakepi.picc import Picc
from fakepi.ssd1306 import Ssd1306Chip
from firmware.boxes.games import games
from firmware.boxes.register import TagRegister
from firmware.config.table_config import SPI_MHZ
from firmware.journal.journal import GameStart, Journal
from firmware.runtime.controller import JOURNAL, REGISTER, decks_of, words_for
from firmware.show import screens
from firmware.table.context import TableContext
from firmware.table.events import Event, TagOnSpot, TagsArrived
from firmware.table.table import NOTICE_S, Table
from firmware.voice.settings import Settings
from firmware.voice.settings_store import SettingsStore
from hardware.ports import Pressed
from sim.bench.meters import PixelWatch
from sim.bench.tables import SPOTS, StockTable, config_of, insist
from sim.mat.mat import Mat
from sim.mat.tags import enrol_decks, uid_of
from sim.people.person import EmulatedPerson

GAME, PLAYERS = "straw", 4
WEIGHTS = tuple((Piece(f"weight-{n}", copy), n) for n in range(1, 11) for copy in range(1, 5))


class StrawTable(Protocol):
    """A table with Straw dealt, which runs one pass of its loop at a time."""

    clock: VirtualClock
    watch: PixelWatch

    @property
    def weight(self) -> int:
        """The weight on the camel."""
        ...

    @property
    def spots(self) -> Sequence[str]:
        """The spots where the next card may be tapped."""
        ...

    def step(self) -> None:
        """Poll every reader once, and update the display."""
        ...

    def lay(self, tag: Picc, spot: str) -> None:
        """Lay *tag* on *spot*."""
        ...

    def lift(self, tag: Picc, spot: str) -> None:
        """Lift *tag* off *spot*."""
        ...

    def take_back(self, plays: int) -> None:
        """Undo the last *plays* plays, and wait until the display's notice is over."""
        ...

    def close(self) -> None:
        """Close the files."""
        ...


class OurStraw:
    """The whole program on the emulated mat, a ``StrawTable``."""

    def __init__(
        self, readers: int, i2c_hz: int, folder: Path, *, spi_mhz: int = SPI_MHZ[0]
    ) -> None:
        config = config_of(readers, spi_mhz=spi_mhz)
        self._mat = Mat(config, folder)
        board = self._mat.board
        assert isinstance(board.display, Ssd1306Chip), "the default table has an SSD1306"
        board.i2c_bus.clock_hz = i2c_hz
        self.clock = board.clock
        self.watch = PixelWatch(board.display, board.i2c_bus)
        self._mat.power_on()
        EmulatedPerson(self._mat, decks_of(config)).begin(GAME, PLAYERS)
        self._mat.wait(NOTICE_S)
        self.step, self.close = self._mat.step, self._mat.close

    @property
    def weight(self) -> int:
        """The weight on the mat's display."""
        return int(self._mat.view.headline)

    @property
    def spots(self) -> Sequence[str]:
        """The play spot, and the current player's spot if it has a reader."""
        seat = self._mat.view.turn
        assert seat is not None, "while a card can be laid, it is somebody's turn"
        return [spot for spot in (SPOTS[0], SEAT_SPOTS[seat]) if spot in self._mat.board.readers]

    def lay(self, tag: Picc, spot: str) -> None:
        """Lay *tag* on *spot*."""
        self._mat.lay([tag], spot)

    def lift(self, tag: Picc, spot: str) -> None:
        """Lift *tag* off *spot*."""
        self._mat.lift([tag], spot)

    def take_back(self, plays: int) -> None:
        """Undo the last *plays* plays with the back button."""
        for _ in range(plays):
            self._mat.tell(Pressed("back"))
        self.clock.sleep(NOTICE_S)  # without running the loop, which would take long
        self._mat.step()


class StockStraw:
    """The stock libraries in a plain loop, as their users write it; a ``StrawTable``.

    It polls the readers one by one; each new number is a card. Table logic, drawing and journal are
    ours; ``image()`` and ``show()`` are the library's.
    """

    def __init__(self, readers: int, i2c_hz: int, folder: Path) -> None:
        self._stock = StockTable(readers, i2c_hz=i2c_hz)
        self.clock = self._stock.clock
        self.watch = PixelWatch(self._stock.chip, self._stock.bus)
        self._spots = SPOTS[:readers]
        self._last: int | None = None
        config = config_of(readers)
        decks = decks_of(config)
        names = config.names[:PLAYERS]
        self._uids = {_stock_number(uid): uid for uid in (uid_of(GAME, p) for p, _ in WEIGHTS)}
        insist(len(self._uids) == len(WEIGHTS))
        with ExitStack() as opened:
            journal = opened.enter_context(closing(Journal(folder / JOURNAL)))
            register = opened.enter_context(closing(TagRegister(folder / REGISTER)))
            enrol_decks(register, config)
            journal.begin(GameStart(GAME, names, PLAYERS - 1, {}, decks[GAME]))
            store = SettingsStore(Settings(config.settings.language), words_for, journal)
            self._table = Table(TableContext(games(), decks, store, journal, register, names))
            self.close = opened.pop_all().close
        self._draw()

    @property
    def weight(self) -> int:
        """The weight that the table shows."""
        return int(self._table.view(self.clock.now()).headline)

    @property
    def spots(self) -> Sequence[str]:
        """The play spot, and the current player's spot if it has a reader."""
        seat = self._table.view(self.clock.now()).turn
        assert seat is not None, "while a card can be laid, it is somebody's turn"
        return [spot for spot in (SPOTS[0], SEAT_SPOTS[seat]) if spot in self._spots]

    def step(self) -> None:
        """Poll every reader once; if a card is new, play it and update the display."""
        for spot, number in zip(self._spots, self._stock.sweep(), strict=True):
            if number is not None and number != self._last:
                self._last = number
                self._receive(TagsArrived((TagOnSpot(spot, self._uids[number]),)))
                self._draw()

    def lay(self, tag: Picc, spot: str) -> None:
        """Lay *tag* on *spot*."""
        self._stock.fields[self._spots.index(spot)].enter(tag)

    def lift(self, tag: Picc, spot: str) -> None:
        """Lift *tag* off *spot*."""
        self._stock.fields[self._spots.index(spot)].leave(tag)

    def take_back(self, plays: int) -> None:
        """Undo the last *plays* plays, as a back button would."""
        for _ in range(plays):
            self._receive(Pressed("back"))
        self.clock.sleep(NOTICE_S)
        self._draw()

    def _receive(self, event: Event) -> None:
        self._table.receive(event, self.clock.now())

    def _draw(self) -> None:
        display = self._stock.display
        view = self._table.view(self.clock.now())
        display.image(screens.draw(view, (display.width, display.height)))
        display.show()


def _stock_number(uid: bytes) -> int:
    """Return the stock library's number for a 7-byte UID: cascade tag, three bytes and BCC."""
    part = bytes((CASCADE_TAG, *uid[:3]))
    return int.from_bytes((*part, reduce(xor, part)))
