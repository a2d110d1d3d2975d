"""Tests that cut the power at any moment of the mat's own time: no play is lost or repeated.

A cut may come in the middle of any work of the mat, even of a bus transfer. Cards may be on the
reader then, and may be lifted before the power returns. ``test_kill`` does the same to real
processes, and so also interrupts commits.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from firmware.config.table_config import load_config
from sim.mat.mat import Mat
from sim.rehearsal.grammar import Move, RehearsalLine, parse, parse_line
from sim.rehearsal.runner import Runner
from tests.effort import long_unless, some
from tests.sim.known_game import GAME, Known, shown_after

BEGIN = "game straw\nplayers Ann Ben\nstart\n"
ACT_S = 0.7  # longer than an act takes, including the hands
READ_S = 0.5  # longer than it takes to read the cards on the reader


class PlugPulled(BaseException):
    """A power cut; a BaseException, so that the mat's code cannot catch it as a fault."""


class Cuttable:
    """A mat with the known game dealt, whose power can be cut at random moments."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.mat = Mat(load_config(), folder)
        self.runner = Runner(self.mat)
        self._chance = chance
        self._is_armed = False
        self.cuts = 0
        assert self.runner.play(parse(BEGIN, "known game")) is None

    def act(self, known: Known) -> None:
        """Do one act of the game, with random power cuts, until the journal has it."""
        done = self.done
        while self.done == done:
            said = len(self.mat.said)
            with self._cut_sometime():
                self.do(known, leaves=self._chance.random() < 0.5)
            if not self.mat.is_on:
                # Anything said or shown about the act must be on disk by now.
                counted = self.done
                assert counted - done in (0, 1)
                assert counted > done or len(self.mat.said) == said
                self._power_on()
            assert self.done - done in (0, 1)

    @property
    def done(self) -> int:
        """The number of known acts in the journal, after a check that each is there once."""
        journal = self.mat.controller.journal if self.mat.controller is not None else None
        if journal is not None:
            (start, *acts) = journal.entries()
            assert start.kind == "start"
            assert [(a.kind, a.body) for a in acts] == [(k.kind, k.body) for k in GAME[: len(acts)]]
            self._done = len(acts)
        return self._done

    @property
    def shown(self) -> tuple[str, str, str]:
        """The phase, headline and turn that the mat shows."""
        view = self.mat.view
        return view.phase, view.headline, view.names[view.turn] if view.turn is not None else "-"

    def do(self, known: Known, *, leaves: bool) -> None:
        """Do one act; with *leaves* its card stays on the reader until the next one is placed."""
        verb = parse_line(known.verb, "known game")
        assert verb is not None
        if isinstance(verb, Move):
            self._lift()
            verb = Move("lay", verb.tags, verb.spot) if leaves else verb
        self.runner.do(RehearsalLine("known game", known.verb, verb))

    def _lift(self) -> None:
        lying = self.mat.tags_on("play")
        if lying:
            self.mat.lift(lying, "play")
            self.mat.wait(READ_S)

    @contextmanager
    def _cut_sometime(self) -> Iterator[None]:
        """Cut the power at a random moment during the block, or not at all."""
        if self._chance.random() < 0.5:
            yield
            return
        clock = self.mat.board.clock
        self._is_armed = True
        clock.call_at(clock.now_ns + round(self._chance.uniform(0, ACT_S) * 1e9), self._pull)
        try:
            yield
        except PlugPulled:
            self.cuts += 1
            _ = self.done
            self.mat.power_cut()
        finally:
            self._is_armed = False

    def _pull(self) -> None:
        if self._is_armed:
            raise PlugPulled

    def _power_on(self) -> None:
        """Restore the power, perhaps after lifting the cards; it may be cut again meanwhile."""
        lying = self.mat.tags_on("play")
        if lying and self._chance.random() < 0.5:
            self.mat.lift(lying, "play")
        while not self.mat.is_on:
            with self._cut_sometime():
                self.mat.power_on()
                self.mat.wait(READ_S)


@pytest.mark.parametrize("seed", range(some(8)))
def test_no_cut_of_power_loses_an_accepted_play_or_repeats_one(tmp_path: Path, seed: int) -> None:
    """After any number of cuts, the mat shows what was worked out by hand."""
    table = Cuttable(tmp_path, random.Random(seed))
    try:
        for number, known in enumerate(GAME, 1):
            table.act(known)
            assert table.done == number
            assert table.shown == shown_after(number), f"{known.verb} after {table.cuts} cuts"
    finally:
        table.mat.close()
    assert table.cuts > len(GAME) / 4, "too few cuts to show anything"


@pytest.mark.parametrize(
    "lies",
    long_unless(lambda lies: lies, (True, False)),
    ids=["while-it-lies", "once-it-is-lifted"],
)
def test_a_cut_after_an_act_changes_nothing(tmp_path: Path, lies: bool) -> None:
    """After each act the power is cut, with its card still on the reader or already lifted."""
    table = Cuttable(tmp_path, random.Random(1))
    mat = table.mat
    try:
        for number, known in enumerate(GAME, 1):
            table.do(known, leaves=lies)
            refused = len(mat.refused)
            mat.power_cut()
            mat.power_on()
            mat.wait(READ_S)
            assert table.done == number
            assert table.shown == shown_after(number), known.verb
            assert len(mat.refused) == refused, "a card that lies there is no new play"
    finally:
        mat.close()
