"""Measurements of speech during fast play: fifty plays in ten seconds.

The whole program plays Straw at an emulated mat, a card every 200 ms. An emulated voice takes as
long as a real one on the virtual clock, so the delay of announcements is exact. The cost of speech
to the loop is measured on this machine's clock, with this computer's own voice at volume 0, and
compared with a silent table.
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from engines.common.contract import Topic
from engines.common.pieces import Piece
from fakepi.clock import NS_PER_S
from fakepi.ntag import Ntag
from firmware.config.table_config import load_config
from firmware.runtime.controller import decks_of
from firmware.runtime.wiring import open_computer_voice
from firmware.voice.announcer import Utterance
from hardware.ports import Voice
from sim.bench.rows import Figures, Measurement
from sim.bench.tables import SPOTS, config_of, insist
from sim.mat.mat import Mat
from sim.mat.tags import uid_of
from sim.people.person import EmulatedPerson

GAME, PLAYERS = "straw", 2
PLAYS = 50  # with weight 1 each, up to the camel's limit
EVERY_S = 0.2  # from one play to the next
HELD_S = 0.1  # how long each card stays on the reader
QUIET_S = 8.0  # after the last play, enough to say all
# A deck of weights 1 only, with as many again for hands and draw pile.
DECK = f"""\
game = "{GAME}"
total = {2 * PLAYS}
verified = true

[[kind]]
name = "weight-1"
count = {2 * PLAYS}
value = 1
"""
AT_MOST = {"events behind": 1.0}


def measurements(*, has_cpu: bool) -> Iterator[Measurement]:
    """Yield the delay of announcements, and with *has_cpu* the time of the loop's passes."""
    name = f"{PLAYS} plays in {PLAYS * EVERY_S:g} s"
    yield Measurement(f"{name}, spoken", heard_figures, AT_MOST)
    if has_cpu:
        yield Measurement(f"a pass, {name}, silent", partial(pass_figures, "silent"))
        yield Measurement(f"a pass, {name}, spoken", partial(pass_figures, "espeak"))


class Burst:
    """A mat with Straw dealt, and ``PLAYS`` plays scheduled on its clock.

    Args:
        folder: its state folder.
        engine: ``silent``, or ``espeak`` for a table that speaks.
        voice: the voice; by default an emulated one, on the virtual clock.
    """

    def __init__(self, folder: Path, engine: str = "espeak", voice: Voice | None = None) -> None:
        deck = folder / "deck.toml"
        deck.write_text(DECK, encoding="utf-8")
        config = replace(config_of(1), decks={GAME: deck}, voice=engine)
        self.mat = Mat(config, folder, voice)
        self.mat.power_on()
        EmulatedPerson(self.mat, decks_of(config)).begin(GAME, PLAYERS)
        self.mat.wait(QUIET_S)
        self._said_from = len(self.mat.said)
        clock = self.mat.board.clock
        self._until_s = clock.now() + PLAYS * EVERY_S + QUIET_S
        for number in range(PLAYS):
            tag = Ntag(uid_of(GAME, Piece("weight-1", number + 1)))
            laid_ns = clock.now_ns + round((number + 0.5) * EVERY_S * NS_PER_S)
            lifted_ns = laid_ns + round(HELD_S * NS_PER_S)
            clock.call_at(laid_ns, partial(self.mat.lay, [tag], SPOTS[0]))
            clock.call_at(lifted_ns, partial(self.mat.lift, [tag], SPOTS[0]))

    @property
    def is_over(self) -> bool:
        """True if all cards were played, and ``QUIET_S`` seconds have passed since."""
        return self.mat.board.clock.now() >= self._until_s

    @property
    def totals(self) -> list[Utterance]:
        """The announcements of the camel's load since the start of the burst, in order."""
        said = islice(self.mat.said, self._said_from, None)
        return [line for line in said if line.topic is Topic.TOTAL]

    @property
    def behind(self) -> int:
        """The number of totals that were announced after the last one spoken."""
        totals = self.totals
        begun = (n for n, total in enumerate(totals, 1) if total.began_s is not None)
        return len(totals) - max(begun, default=0)

    def close(self) -> None:
        """Switch the mat off.

        Raises:
            MeasuredWrong: a play was not announced.
        """
        self.mat.close()
        insist(len(self.totals) == PLAYS)


def heard_figures() -> Figures:
    """Return how far speech falls behind the plays, and how long spoken totals waited, in ms.

    ``events behind`` is the largest value of ``Burst.behind``.
    """
    behind = 0
    with TemporaryDirectory() as folder, closing(Burst(Path(folder))) as burst:
        while not burst.is_over:
            burst.mat.step()
            behind = max(behind, burst.behind)
    waits = [1000 * (t.began_s - t.at_s) for t in burst.totals if t.began_s is not None]
    return {
        "events behind": behind,
        "totals begun": len(waits),
        "ms median": median(waits),
        "ms worst": max(waits),
    }


def pass_figures(engine: str) -> Figures:
    """Run a burst in real time; return the time in ms of the loop's passes on this machine.

    *engine* is ``silent`` or ``espeak``, as for ``Burst``.
    """
    took_ms: list[float] = []
    with ExitStack() as opened:
        voice = None if engine == "silent" else opened.enter_context(closing(_voice()))
        folder = opened.enter_context(TemporaryDirectory())
        burst = opened.enter_context(closing(Burst(Path(folder), engine, voice)))
        clock = burst.mat.board.clock
        lead_s = clock.now() - time.perf_counter()
        while not burst.is_over:
            began_s = time.perf_counter()
            burst.mat.step()
            ended_s = time.perf_counter()
            took_ms.append(1000 * (ended_s - began_s))
            time.sleep(max(0.0, clock.now() - ended_s - lead_s))
    return {"CPU + disk ms": median(took_ms), "CPU + disk worst": max(took_ms)}


def _voice() -> Voice:
    """Return this computer's own voice at volume 0."""
    voice = open_computer_voice(load_config())
    voice.set_volume(0)
    return voice
