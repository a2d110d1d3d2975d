"""Races: two taps a few milliseconds apart, and the order in which they reach the table.

Chips, drivers, tag detection and main loop are the same as at an emulated mat. Only the part of the
program that plays a game is replaced: a ``Judge`` accepts every tap. So one ``Track`` can run
thousands of races.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from random import Random
from typing import Self

from engines.common.contract import PLAY_SPOT, SEAT_SPOTS
from fakepi.ntag import Ntag
from firmware.config.table_config import CHIP_SELECTS, ReaderConfig, TableConfig
from firmware.runtime.loop import Loop
from firmware.runtime.wiring import open_parts
from firmware.show import screens
from firmware.show.view import Flash, TableView
from firmware.table.events import Event, TagsArrived
from firmware.table.table import Feedback
from firmware.voice.announcer import Announcer
from firmware.voice.settings import Settings
from firmware.voice.speech import SpeechLine
from hardware.silence import SilentVoice
from sim.mat.board import EmulatedBoard
from sim.mat.parts import EXACT, Conditions

APART_S = 0.010  # the smallest gap that is always detected in the right order
LONGEST_S = 0.2  # until both taps have reached the table
PHASES_S = 0.05  # the first tap comes at a random moment of this period
NTAG = b"\x04"  # the manufacturer's code, the first byte of an NTAG's UID


@dataclass(frozen=True, slots=True)
class Race:
    """The result of a race. *first* and *second* are the tapped spots in order.

    *received* has a tuple of spots for each event that reached the judge.
    """

    first: str
    second: str
    received: tuple[tuple[str, ...], ...]

    @property
    def is_right(self) -> bool:
        """True if the table received two events in the right order."""
        return self.received == ((self.first,), (self.second,))

    @property
    def is_open(self) -> bool:
        """True if the table received both taps in one event, so it must ask who was first."""
        return self.received in (((self.first, self.second),), ((self.second, self.first),))


class Judge:
    """A ``loop.TableLike`` that records the taps of a race between *spots*."""

    def __init__(self, spots: Sequence[str], settings: Settings) -> None:
        self.race = tuple(spots)
        self.settings = settings
        self.received: list[tuple[str, ...]] = []
        self.failed_parts: tuple[str, ...] = ()  # no part fails in a race

    def wake(self) -> tuple[SpeechLine, ...]:
        """Return no announcements."""
        return ()

    def receive(self, event: Event, at_s: float) -> tuple[Feedback, ...]:
        """Record the spots of tags that arrived, and accept them; ignore other events.

        The view changes with each arrival, so that the display is drawn again as in a game.
        """
        if not isinstance(event, TagsArrived):
            return ()
        self.received.append(tuple(laid.spot for laid in event.tags))
        return (Feedback(at_s, flash=Flash.ACCEPTED),)

    def view(self, now_s: float) -> TableView:
        """Return a view with the number of arrivals as headline."""
        return TableView(phase="race", headline=str(len(self.received)))


class Track:
    """An emulated table, configured by *config*, for races: cards are tapped on its *spots*."""

    def __init__(
        self, config: TableConfig, spots: Sequence[str], conditions: Conditions = EXACT
    ) -> None:
        self.board = EmulatedBoard(config, conditions=conditions)
        self.judge = Judge(spots, config.settings)
        self.parts = open_parts(config, self.board)
        announcer = Announcer(SilentVoice())
        self.loop = Loop(self.judge, self.parts, self.board.clock, announcer, screens.pages)
        self._stickers = (Ntag(NTAG + number.to_bytes(6, "big")) for number in count())
        self.loop.begin()
        self.run_for(PHASES_S)

    def run_for(self, seconds: float) -> None:
        """Run the loop for *seconds* of virtual time."""
        until_s = self.board.clock.now() + seconds
        while self.board.clock.now() < until_s:
            self._step()

    def race_once(self, chance: Random, apart_s: float = APART_S) -> Race:
        """Tap two random spots *apart_s* seconds apart, at a random moment; return the race."""
        spots = chance.sample(self.judge.race, 2)
        clock, until_s = self.board.clock, self.board.clock.now() + PHASES_S + LONGEST_S
        taps = [(self.board.readers[spot].field, next(self._stickers)) for spot in spots]
        first_s = clock.now() + chance.uniform(0, PHASES_S)
        for at_s, (field, sticker) in zip((first_s, first_s + apart_s), taps, strict=True):
            clock.call_at(round(at_s * 1e9), partial(field.enter, sticker))
        self.judge.received.clear()
        while sum(map(len, self.judge.received)) < len(taps) and clock.now() < until_s:
            self._step()
        for field, sticker in taps:
            field.leave(sticker)
        return Race(spots[0], spots[1], tuple(self.judge.received))

    def close(self) -> None:
        """Close the drivers and the board."""
        self.parts.close()
        self.board.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _step(self) -> None:
        self.loop.step()
        self.board.clock.sleep(self.loop.pause_s)


def with_seats(config: TableConfig, seats: int, *, in_turn: bool) -> TableConfig:
    """Return *config* with a play reader and a reader for each of the first *seats* seats.

    If *in_turn*, only one reader's field is on at a time.
    """
    spots = (PLAY_SPOT, *SEAT_SPOTS[:seats])
    readers = (
        ReaderConfig.at(spot, select) for spot, select in zip(spots, CHIP_SELECTS, strict=False)
    )
    fields = replace(config.fields, in_turn=in_turn)
    return replace(config, readers=tuple(readers), fields=fields)
