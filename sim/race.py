"""Races: two taps a few milliseconds apart, and in which order the table is told of them.

Room: sim. Everything below the table is as at a mat: emulated chips, drivers, wiring, presence and
the loop. In the table's place sits a judge who races all the time, so one track runs thousands of
races.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from random import Random
from typing import Self

from engines.common.contract import PLAY_SPOT, SEAT_SPOTS
from firmware import screens
from firmware.announcer import Announcer
from firmware.config import CHIP_SELECTS, ReaderConfig, TableConfig
from firmware.events import Arrived, Event
from firmware.loop import Loop
from firmware.settings import Settings
from firmware.speech import Line
from firmware.table import Answer
from firmware.view import Flash, TableView
from firmware.wiring import open_parts
from hardware.silence import SilentVoice
from sim.board import EmulatedBoard
from sim.chips.ntag import Ntag

APART_S = 0.010  # the least that a race tells apart for sure
LONGEST_S = 0.2  # until both taps of a race are told
PHASES_S = 0.05  # the first tap comes at any moment of this
NTAG = b"\x04"  # the manufacturer's code an NTAG's UID begins with


@dataclass(frozen=True, slots=True)
class Race:
    """Who tapped *first* and *second*, by spot, and who came in each event the table was told."""

    first: str
    second: str
    told: tuple[tuple[str, ...], ...]

    @property
    def is_right(self) -> bool:
        """Whether the table was told of both in their order."""
        return self.told == ((self.first,), (self.second,))

    @property
    def is_open(self) -> bool:
        """Whether it was told of both at once, and has to ask who was first."""
        return self.told in (((self.first, self.second),), ((self.second, self.first),))


class Judge:
    """Races on *spots* all the time and keeps what arrives; a ``firmware.loop.Taker``."""

    def __init__(self, spots: Sequence[str], settings: Settings) -> None:
        self.race = tuple(spots)
        self.settings = settings
        self.told: list[tuple[str, ...]] = []

    def wake(self) -> tuple[Line, ...]:
        """Nothing to say."""
        return ()

    def receive(self, event: Event, at_s: float) -> tuple[Answer, ...]:
        """Keep who came; what is shown changes with it, as in a game."""
        if not isinstance(event, Arrived):
            return ()
        self.told.append(tuple(laid.spot for laid in event.tags))
        return (Answer(at_s, flash=Flash.ACCEPTED),)

    def view(self, now_s: float) -> TableView:
        """The number of arrivals."""
        return TableView(phase="race", headline=str(len(self.told)))


class Track:
    """Races on *spots* of the table *config*; all of its readers are there."""

    def __init__(self, config: TableConfig, spots: Sequence[str]) -> None:
        self.board = EmulatedBoard(config)
        self.judge = Judge(spots, config.settings)
        self.parts = open_parts(config, self.board)
        announcer = Announcer(SilentVoice(), config.settings)
        self.loop = Loop(self.judge, self.parts, self.board.clock, announcer, screens.pages)
        self._stickers = (Ntag(NTAG + number.to_bytes(6, "big")) for number in count())
        self.loop.begin()
        self.run_for(PHASES_S)

    def run_for(self, seconds: float) -> None:
        """Let the loop turn for *seconds* of the table's own time."""
        until_s = self.board.clock.now() + seconds
        while self.board.clock.now() < until_s:
            self._step()

    def race_once(self, chance: Random, apart_s: float = APART_S) -> Race:
        """Two spots by *chance*, tapped *apart_s* seconds apart, at any moment of the loop."""
        spots = chance.sample(self.judge.race, 2)
        clock, until_s = self.board.clock, self.board.clock.now() + PHASES_S + LONGEST_S
        taps = [(self.board.readers[spot].field, next(self._stickers)) for spot in spots]
        first_s = clock.now() + chance.uniform(0, PHASES_S)
        for at_s, (field, sticker) in zip((first_s, first_s + apart_s), taps, strict=True):
            clock.call_at(round(at_s * 1e9), partial(field.enter, sticker))
        self.judge.told.clear()
        while sum(map(len, self.judge.told)) < len(taps) and clock.now() < until_s:
            self._step()
        for field, sticker in taps:
            field.leave(sticker)
        return Race(spots[0], spots[1], tuple(self.judge.told))

    def close(self) -> None:
        """Switch everything off."""
        self.parts.close()
        self.board.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _step(self) -> None:
        self.loop.turn()
        self.board.clock.sleep(self.loop.pause_s)


def with_seats(config: TableConfig, seats: int, *, in_turn: bool) -> TableConfig:
    """*config* with the reader games are played on, and one for each of the first *seats*.

    *in_turn* says whether their fields are on one at a time.
    """
    spots = (PLAY_SPOT, *SEAT_SPOTS[:seats])
    readers = (
        ReaderConfig.at(spot, select) for spot, select in zip(spots, CHIP_SELECTS, strict=False)
    )
    fields = replace(config.fields, in_turn=in_turn)
    return replace(config, readers=tuple(readers), fields=fields)
