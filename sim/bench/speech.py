"""Speech in a hurry: what is said of fifty plays in ten seconds, and what it costs the loop.

Room: sim. The whole program plays Straw over an emulated mat, a card every 200 ms. By the virtual
clock an emulated voice takes the time a real one takes; how far what is heard falls behind what is
played is exact. What speech costs the loop is measured in this machine's time, with this computer's
own voice turned down to nothing, beside the same burst at a silent table.
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
from firmware.announcer import Utterance
from firmware.config import load_config
from firmware.controller import decks_of
from firmware.wiring import open_computer_voice
from hardware.ports import Voice
from sim.bench.rows import Act, Figures
from sim.bench.tables import SPOTS, config_of, insist
from sim.chips.clock import NS_PER_S
from sim.chips.ntag import Ntag
from sim.mat import Mat
from sim.person import Person
from sim.tags import uid_of

GAME, PLAYERS = "straw", 2
PLAYS = 50  # of the weight 1: what the camel bears
EVERY_S = 0.2  # a play
HELD_S = 0.1  # so long each card lies
QUIET_S = 8.0  # after the last play, in which all is said
# A deck of nothing but what is played, twice over for hands and draw pile.
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


def acts(*, has_cpu: bool) -> Iterator[Act]:
    """The burst as it is heard; and, while it really lasts as long, what the loop's turns take."""
    name = f"{PLAYS} plays in {PLAYS * EVERY_S:g} s"
    yield Act(f"{name}, spoken", heard_figures, AT_MOST)
    if has_cpu:
        yield Act(f"a turn, {name}, silent", partial(turn_figures, "silent"))
        yield Act(f"a turn, {name}, spoken", partial(turn_figures, "espeak"))


class Burst:
    """A mat with Straw dealt, and somebody who plays card after card.

    Args:
        folder: its state folder.
        engine: ``silent``, or ``espeak`` for a table that speaks.
        voice: what it speaks with; by default what takes its time by the virtual clock.
    """

    def __init__(self, folder: Path, engine: str = "espeak", voice: Voice | None = None) -> None:
        deck = folder / "deck.toml"
        deck.write_text(DECK, encoding="utf-8")
        config = replace(config_of(1), decks={GAME: deck}, voice=engine)
        self.mat = Mat(config, folder, voice)
        self.mat.power_on()
        Person(self.mat, decks_of(config)).begin(GAME, PLAYERS)
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
        """Whether all is played, and time enough has passed to say it."""
        return self.mat.board.clock.now() >= self._until_s

    @property
    def totals(self) -> list[Utterance]:
        """The totals of the burst so far, in order."""
        said = islice(self.mat.said, self._said_from, None)
        return [line for line in said if line.topic is Topic.TOTAL]

    @property
    def behind(self) -> int:
        """How many events the last total that sounded, or sounds, is behind the newest."""
        totals = self.totals
        begun = (n for n, total in enumerate(totals, 1) if total.began_s is not None)
        return len(totals) - max(begun, default=0)

    def close(self) -> None:
        """Switch the mat off; every play must have been announced.

        Raises:
            MeasuredWrong: one was not.
        """
        self.mat.close()
        insist(len(self.totals) == PLAYS)


def heard_figures() -> Figures:
    """How far behind what is heard ever is, and how long a total that sounds has waited."""
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


def turn_figures(engine: str) -> Figures:
    """What the turns of a burst take on this machine's clock, with which they keep pace."""
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
    """This computer's own voice, as it speaks but not as it is heard."""
    voice = open_computer_voice(load_config())
    voice.set_volume(0)
    return voice
