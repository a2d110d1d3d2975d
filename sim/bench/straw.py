"""Tables with Straw dealt that are tapped at: the whole program, and the stock libraries in a loop.

Room: sim.
"""

from collections.abc import Sequence
from contextlib import ExitStack, closing
from functools import reduce
from operator import xor
from pathlib import Path
from typing import Protocol

from engines.common.contract import SEAT_SPOTS
from engines.common.pieces import Piece
from firmware import screens
from firmware.controller import JOURNAL, REGISTER, decks_of, words_for
from firmware.desk import Desk
from firmware.events import Arrived, Event, Laid
from firmware.games import games
from firmware.journal import GameStart, Journal
from firmware.register import TagRegister
from firmware.settings import Settings
from firmware.table import NOTICE_S, Table
from firmware.tongue import Tongue
from hardware.ports import Pressed
from sim.bench.meters import PixelWatch
from sim.bench.tables import SPOTS, StockTable, config_of, insist
from sim.chips.clock import VirtualClock
from sim.chips.iso14443 import CASCADE_TAG
from sim.chips.picc import Picc
from sim.chips.ssd1306 import Ssd1306Chip
from sim.mat import Mat
from sim.person import Person
from sim.tags import enrol_decks, uid_of

GAME, PLAYERS = "straw", 4
WEIGHTS = tuple((Piece(f"weight-{n}", copy), n) for n in range(1, 11) for copy in range(1, 5))


class StrawTable(Protocol):
    """A table with Straw dealt that runs turn by turn."""

    clock: VirtualClock
    watch: PixelWatch

    @property
    def weight(self) -> int:
        """The weight on the camel."""
        ...

    @property
    def spots(self) -> Sequence[str]:
        """Where the next card may be laid."""
        ...

    def turn(self) -> None:
        """Look once at everything, and show what comes of it."""
        ...

    def lay(self, tag: Picc, spot: str) -> None:
        """Bring a tag into a field."""
        ...

    def lift(self, tag: Picc, spot: str) -> None:
        """Take it out."""
        ...

    def take_back(self, plays: int) -> None:
        """Take the last plays back, and let what is said of it be read."""
        ...

    def close(self) -> None:
        """Let go of the files."""
        ...


class OurStraw:
    """The whole program over the emulated mat; a ``StrawTable``."""

    def __init__(self, readers: int, i2c_hz: int, folder: Path) -> None:
        config = config_of(readers)
        self._mat = Mat(config, folder)
        board = self._mat.board
        assert isinstance(board.display, Ssd1306Chip), "the default table has an SSD1306"
        board.i2c_bus.clock_hz = i2c_hz
        self.clock = board.clock
        self.watch = PixelWatch(board.display, board.i2c_bus)
        self._mat.power_on()
        Person(self._mat, decks_of(config)).begin(GAME, PLAYERS)
        self._mat.wait(NOTICE_S)
        self.turn, self.close = self._mat.step, self._mat.close

    @property
    def weight(self) -> int:
        """What the mat shows."""
        return int(self._mat.view.headline)

    @property
    def spots(self) -> Sequence[str]:
        """The play reader, and that of the seat whose turn it is."""
        seat = self._mat.view.turn
        assert seat is not None, "while a card can be laid, it is somebody's turn"
        return [spot for spot in (SPOTS[0], SEAT_SPOTS[seat]) if spot in self._mat.board.readers]

    def lay(self, tag: Picc, spot: str) -> None:
        """Lay it."""
        self._mat.lay([tag], spot)

    def lift(self, tag: Picc, spot: str) -> None:
        """Lift it."""
        self._mat.lift([tag], spot)

    def take_back(self, plays: int) -> None:
        """As the button does."""
        for _ in range(plays):
            self._mat.tell(Pressed("back"))
        self.clock.sleep(NOTICE_S)  # the program stands still meanwhile: so many turns take long
        self._mat.step()


class StockStraw:
    """The stock libraries in a plain loop as their users write it; a ``StrawTable``.

    It reads one reader after the other; a number that is not the last one's is a card. Table logic
    and drawing are ours, and so is the journal; then come the library's ``image()`` and ``show()``.
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
        enrol_decks(folder, config)
        self._uids = {_stock_number(uid): uid for uid in (uid_of(GAME, p) for p, _ in WEIGHTS)}
        insist(len(self._uids) == len(WEIGHTS))
        with ExitStack() as opened:
            journal = opened.enter_context(closing(Journal(folder / JOURNAL)))
            register = opened.enter_context(closing(TagRegister(folder / REGISTER)))
            journal.begin(GameStart(GAME, names, PLAYERS - 1, {}, decks[GAME]))
            tongue = Tongue(Settings(config.language), words_for, journal)
            self._table = Table(Desk(games(), decks, tongue, journal, register, names))
            self.close = opened.pop_all().close
        self._draw()

    @property
    def weight(self) -> int:
        """What the table shows."""
        return int(self._table.view(self.clock.now()).headline)

    @property
    def spots(self) -> Sequence[str]:
        """The play reader, and that of the seat whose turn it is."""
        seat = self._table.view(self.clock.now()).turn
        assert seat is not None, "while a card can be laid, it is somebody's turn"
        return [spot for spot in (SPOTS[0], SEAT_SPOTS[seat]) if spot in self._spots]

    def turn(self) -> None:
        """Read every reader."""
        for spot, number in zip(self._spots, self._stock.sweep(), strict=True):
            if number is not None and number != self._last:
                self._last = number
                self._receive(Arrived((Laid(spot, self._uids[number]),)))
                self._draw()

    def lay(self, tag: Picc, spot: str) -> None:
        """Lay it."""
        self._stock.fields[self._spots.index(spot)].enter(tag)

    def lift(self, tag: Picc, spot: str) -> None:
        """Lift it."""
        self._stock.fields[self._spots.index(spot)].leave(tag)

    def take_back(self, plays: int) -> None:
        """As a button would."""
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
    """What the stock library makes of a 7-byte UID: cascade tag, three bytes and BCC."""
    part = bytes((CASCADE_TAG, *uid[:3]))
    return int.from_bytes((*part, reduce(xor, part)))
