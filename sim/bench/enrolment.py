"""Measurements of enrolling: from a card in the field to the next card's name on the display.

The whole program enrols the largest deck at an emulated mat. The time ends when the last byte of
the display's RAM has changed. Saving to the register (the file of enrolled stickers) takes no
virtual time, so the time of saving is measured on this machine's clock.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory

from engines.common.pieces import Deck
from fakepi.clock import NS_PER_S
from fakepi.ntag import Ntag
from fakepi.ssd1306 import Ssd1306Chip
from firmware.boxes.register import Registered
from firmware.runtime.controller import decks_of
from sim.bench.meters import PixelWatch
from sim.bench.rows import Figures, Measurement
from sim.bench.tables import I2C_HZ, SPOTS, config_of, insist
from sim.mat.mat import Mat
from sim.mat.tags import uid_of

HELD_S = 0.15  # how long a fast hand holds a card on the reader
AWAY_S = 0.15  # the pause before the next card
PHASE_S = 0.05  # the card comes at a random moment of this period
ANSWER_S = 1.0  # a card without an answer by then was not read
AT_MOST = {"ms worst": 50.0}


def measurements(cards: int, seed: int) -> Iterator[Measurement]:
    """Yield one measurement of *cards* cards, or all of the deck if it has fewer."""
    ours = partial(enrol_figures, cards, seed)
    yield Measurement("enrol a card, 1 reader, 400 kHz", ours, AT_MOST)


def enrol_figures(cards: int, seed: int) -> Figures:
    """Enrol up to *cards* cards of the largest deck in order; return the times in milliseconds.

    Raises:
        MeasuredWrong: the enrolled card is not the one on the display.
    """
    config = config_of(1)
    deck = max(decks_of(config).values(), key=lambda deck: deck.total)
    with TemporaryDirectory() as folder:
        mat = Mat(config, Path(folder), is_blank=True)
        with closing(mat):
            mat.board.i2c_bus.clock_hz = I2C_HZ[0]
            mat.power_on()
            mat.enrol(deck.game)
            mat.wait(AWAY_S)
            commits = _timed_commits(mat)
            took = list(_tap_times_ms(mat, deck, cards, Random(seed)))
    return {
        "ms median": median(took),
        "ms worst": max(took),
        "CPU + disk ms": median(commits),
        "CPU + disk worst": max(commits),
    }


def _tap_times_ms(mat: Mat, deck: Deck, cards: int, chance: Random) -> Iterator[float]:
    """Tap *cards* cards; yield the milliseconds until the display shows the next one."""
    board = mat.board
    assert isinstance(board.display, Ssd1306Chip), "the default table has an SSD1306"
    watch, clock = PixelWatch(board.display, board.i2c_bus), board.clock
    for done, piece in enumerate(deck.pieces()[:cards], 1):
        tag = Ntag(uid_of(deck.game, piece))
        laid_ns = clock.now_ns + chance.randrange(round(PHASE_S * NS_PER_S))
        clock.call_at(laid_ns, partial(mat.lay, [tag], SPOTS[0]))
        while mat.view.counts["enrolled"] < done:
            insist(clock.now_ns < laid_ns + ANSWER_S * NS_PER_S)
            mat.step()
        insist(mat.running.register.piece_of(tag.uid) == Registered(deck.game, piece))
        mat.wait(HELD_S)
        insist(watch.changed_ns > laid_ns)
        took_ns = watch.changed_ns - laid_ns
        mat.lift([tag], SPOTS[0])
        mat.wait(AWAY_S)
        yield took_ns / 1e6


def _timed_commits(mat: Mat) -> list[float]:
    """Return a list that gets the time in ms of every later change of the register."""
    register, took = mat.running.register, list[float]()
    change: Callable[[Mapping[bytes, Registered | None]], None] = register.rebind

    def timed(tags: Mapping[bytes, Registered | None]) -> None:
        began_ns = time.perf_counter_ns()
        change(tags)
        took.append((time.perf_counter_ns() - began_ns) / 1e6)

    register.rebind = timed  # type: ignore[method-assign]
    return took
