"""Enrolling the largest deck: from a card in the field to the name of the next on the display.

Room: sim. The whole program enrols over an emulated mat. The time goes from the moment the tag
enters the field to the moment the last byte of the display's RAM has changed; the tone sounds
before anything is drawn. What the register's commit takes of this machine's disk is measured
beside it, since it takes no virtual time.
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
from firmware.controller import decks_of
from firmware.register import Registered
from sim.bench.meters import PixelWatch
from sim.bench.rows import Act, Figures
from sim.bench.tables import I2C_HZ, SPOTS, config_of, insist
from sim.chips.clock import NS_PER_S
from sim.chips.ntag import Ntag
from sim.chips.ssd1306 import Ssd1306Chip
from sim.mat import Mat
from sim.tags import uid_of

HELD_S = 0.15  # so long a brisk hand holds a card on the reader
AWAY_S = 0.15  # and so long it is away before the next
PHASE_S = 0.05  # the card comes at any moment of so long
ANSWER_S = 1.0  # a card that is not taken by then was not read
AT_MOST = {"ms worst": 50.0}


def acts(cards: int, seed: int) -> Iterator[Act]:
    """Cards enrolled one after the other, as many as the deck has at most."""
    ours = partial(enrol_figures, cards, seed)
    yield Act("enrol a card, 1 reader, 400 kHz", ours, AT_MOST)


def enrol_figures(cards: int, seed: int) -> Figures:
    """So many *cards* of the largest deck, in its order.

    Raises:
        MeasuredWrong: a card was not taken for the one that was asked for.
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
            took = list(_tapped(mat, deck, cards, Random(seed)))
    return {
        "ms median": median(took),
        "ms worst": max(took),
        "CPU + disk ms": median(commits),
        "CPU + disk worst": max(commits),
    }


def _tapped(mat: Mat, deck: Deck, cards: int, chance: Random) -> Iterator[float]:
    """Tap so many cards; the milliseconds of each until the display shows the next."""
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
    """Have every change of the register timed on this machine's clock, in milliseconds."""
    register, took = mat.running.register, list[float]()
    change: Callable[[Mapping[bytes, Registered | None]], None] = register.rebind

    def timed(tags: Mapping[bytes, Registered | None]) -> None:
        began_ns = time.perf_counter_ns()
        change(tags)
        took.append((time.perf_counter_ns() - began_ns) / 1e6)

    register.rebind = timed  # type: ignore[method-assign]
    return took
