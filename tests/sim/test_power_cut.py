"""The plug is pulled at any moment of the mat's own time: nothing is lost, nothing repeated.

Room: tests. The cut comes in the middle of whatever the mat is doing, of a transfer on a bus too;
cards may lie on the reader then, and may be taken off in the dark. ``test_kill`` does it to real
processes, and so inside a commit.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from firmware.config import load_config
from sim.mat import Mat
from sim.rehearsal.grammar import Line, Move, parse, parse_line
from sim.rehearsal.runner import Runner
from tests.sim.known_game import GAME, Known, shown_after

BEGIN = "game straw\nplayers Ann Ben\nstart\n"
ACT_S = 0.7  # an act is over by then, hands and all
READ_S = 0.5  # what lies on the reader is read by then


class PlugPulled(BaseException):
    """The world ends here; no code of the mat may take it for a fault of its own."""


class Cuttable:
    """A mat with the known game dealt, and somebody who pulls its plug."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.mat = Mat(load_config(), folder)
        self.runner = Runner(self.mat)
        self._chance = chance
        self._is_armed = False
        self.cuts = 0
        assert self.runner.play(parse(BEGIN, "known game")) is None

    def act(self, known: Known) -> None:
        """Do one act of the game; the plug may be pulled during it, and again and again."""
        done = self.done
        while self.done == done:
            said = len(self.mat.said)
            with self._cut_sometime():
                self.do(known, leaves=self._chance.random() < 0.5)
            if not self.mat.is_on:
                # What was said or shown of the act is on disk by then.
                counted = self.done
                assert counted - done in (0, 1)
                assert counted > done or len(self.mat.said) == said
                self._power_on()
            assert self.done - done in (0, 1)

    @property
    def done(self) -> int:
        """How many acts of the known game the journal holds; it must hold each once."""
        journal = self.mat.controller.journal if self.mat.controller is not None else None
        if journal is not None:
            (start, *acts) = journal.entries()
            assert start.kind == "start"
            assert [(a.kind, a.body) for a in acts] == [(k.kind, k.body) for k in GAME[: len(acts)]]
            self._done = len(acts)
        return self._done

    @property
    def shown(self) -> tuple[str, str, str]:
        """Phase, headline and turn as the mat shows them."""
        view = self.mat.view
        return view.phase, view.headline, view.names[view.turn] if view.turn is not None else "-"

    def do(self, known: Known, *, leaves: bool) -> None:
        """Do one act; *leaves* says that its card is left lying until the next is laid."""
        verb = parse_line(known.verb, "known game")
        assert verb is not None
        if isinstance(verb, Move):
            self._lift()
            verb = Move("lay", verb.tags, verb.spot) if leaves else verb
        self.runner.do(Line("known game", known.verb, verb))

    def _lift(self) -> None:
        lying = self.mat.lying("play")
        if lying:
            self.mat.lift(lying, "play")
            self.mat.wait(READ_S)

    @contextmanager
    def _cut_sometime(self) -> Iterator[None]:
        """Pull the plug during the block, or not."""
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
        """Put the plug back, with or without what lay there; sometimes it is pulled at once."""
        lying = self.mat.lying("play")
        if lying and self._chance.random() < 0.5:
            self.mat.lift(lying, "play")
        while not self.mat.is_on:
            with self._cut_sometime():
                self.mat.power_on()
                self.mat.wait(READ_S)


@pytest.mark.parametrize("seed", range(8))
def test_no_cut_of_power_loses_an_accepted_play_or_repeats_one(tmp_path: Path, seed: int) -> None:
    """However often the plug was pulled, the mat shows what was counted by hand."""
    table = Cuttable(tmp_path, random.Random(seed))
    try:
        for number, known in enumerate(GAME, 1):
            table.act(known)
            assert table.done == number
            assert table.shown == shown_after(number), f"{known.verb} after {table.cuts} cuts"
    finally:
        table.mat.close()
    assert table.cuts > len(GAME) / 4, "too few cuts to show anything"


@pytest.mark.parametrize("lies", [True, False], ids=["while-it-lies", "once-it-is-lifted"])
def test_a_cut_after_an_act_changes_nothing(tmp_path: Path, lies: bool) -> None:
    """Each act of the game, then a cut: while the card still lies there, or between two taps."""
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
