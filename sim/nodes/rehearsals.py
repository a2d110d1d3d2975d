"""``python -m sim.nodes.rehearsals``: plays rehearsals with a real program on an emulated Pi.

May import: firmware, sim.rehearsal, sim.mat and this room.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from fakepi.kernel.support import NodesUnsupported
from firmware.commands.options import EXIT_BAD_INPUT, EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK
from firmware.common.errors import TapmatError
from firmware.config.table_config import TableConfig, load_config
from firmware.voice.announcer import Utterance
from hardware.errors import MissingPart
from sim.mat.faults import FAULTS
from sim.nodes.table_file import without_lamps_on_spi1
from sim.nodes.twin import OUTSIDE, Disagreement, TwinMat
from sim.rehearsal.command import faults_on_purpose, read_rehearsal, with_deck, with_parts
from sim.rehearsal.expectations import Unexpected
from sim.rehearsal.grammar import BreakPart, Expect, RehearsalError, RehearsalLine, Wait
from sim.rehearsal.runner import Mismatch, Runner

INSIDE = ("dropped",)  # expectations about facts that cannot be seen from outside


class TwinRunner(Runner):
    """A player of rehearsal lines at a ``TwinMat``. Expectations are checked at the program."""

    def __init__(self, mat: TwinMat) -> None:
        super().__init__(mat)
        self._twin = mat
        self._heard = 0  # texts heard before the last act

    def do(self, line: RehearsalLine) -> None:
        """Play one line. After an act, the program must show what its twin shows.

        Raises:
            RehearsalError: it asks for something that is impossible at this table.
            Unexpected: the line is an expectation that is not met.
        """
        verb = line.verb
        try:
            if not isinstance(verb, Expect):
                self._act(line)
                return
            super().do(line)
            if verb.what == "said":
                for words in self._spoken(*verb.values):
                    self._twin.hear(words, self._heard)
        except Disagreement as wrong:
            raise Unexpected(wrong.expected, wrong.shown) from None

    def _act(self, line: RehearsalLine) -> None:
        """Do people's acts at both mats, until the program shows the same as its twin."""
        said_from, heard = self._witness.said_from, self._heard
        self._twin.catch_up()
        self._heard = len(self._twin.loudspeaker.heard)
        super().do(line)
        if isinstance(line.verb, Wait):  # what was said before it in real time counts too
            self._witness, self._heard = replace(self._witness, said_from=said_from), heard
        self._twin.agree()

    def _spoken(self, language: str, text: str) -> Iterator[str]:
        """Yield the texts that the loudspeaker must have said if *text* was heard.

        The twin has announced *text* in *language* since the last act. Yield nothing if it has not.
        """
        for _event, group in groupby(self._witness.said, lambda utterance: utterance.event):
            heard = [utterance for utterance in group if utterance.is_heard]
            whole = " ".join(utterance.text for utterance in heard)
            if heard and heard[0].language == language and text in whole:
                yield from (_words_of(each) for each in heard if _overlap(each.text, text))
                return


def _overlap(line: str, text: str) -> bool:
    return line in text or text in line


def _words_of(utterance: Utterance) -> str:
    """Return *utterance* as the loudspeaker records it, without the inaudible full stop."""
    return f"{utterance.language} {utterance.words.strip().removesuffix('.')}"


def rehearse_on_pi(file: Path, config: TableConfig) -> Mismatch | None:
    """Play the rehearsal *file*; return the first expectation that is not met, or None.

    Raises:
        RehearsalError: the file cannot be read, or asks for something impossible at this table.
        ConfigError: the table that it needs cannot be wired on a real Pi.
        NodesUnsupported: this computer cannot emulate device nodes.
    """
    lines = read_rehearsal(file)
    _refuse_unseen(lines)
    table = without_lamps_on_spi1(with_parts(with_deck(config, lines, file.parent), lines))
    with (
        TemporaryDirectory() as folder,
        faults_on_purpose(),
        closing(TwinMat(table, Path(folder))) as mat,
    ):
        return TwinRunner(mat).play(lines)


def _refuse_unseen(lines: Sequence[RehearsalLine]) -> None:
    """Check that all lines can be played and observed from outside the program.

    Raises:
        RehearsalError: one of them cannot.
    """
    remedy = "Run this rehearsal with: tapmat rehearse"
    for line in lines:
        verb, found = line.verb, ""
        if isinstance(verb, Expect) and verb.what in INSIDE:
            found = f'"expect {verb.what}" cannot be checked from outside the program'
        elif isinstance(verb, BreakPart) and _is_inside(verb.name):
            found = f'the fault "{verb.name}" is inside the computer'
        if found:
            raise RehearsalError(line.place, found, remedy)


def _is_inside(fault: str) -> bool:
    return fault in FAULTS and FAULTS[fault].parts not in OUTSIDE


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the rehearsals named on the command line.

    Returns:
        0: all expectations were met; 1: one was not; 2: a rehearsal cannot be played on an emulated
            Pi; 130: Ctrl-C was pressed.
    """
    parser = argparse.ArgumentParser(
        prog="python -m sim.nodes.rehearsals",
        description="Play rehearsals with tapmat play on an emulated Raspberry Pi, in real time.",
    )
    parser.add_argument("--table", type=Path, help="the table's configuration file")
    parser.add_argument("files", nargs="+", type=Path, help="rehearsals (docs/rehearsals.md)")
    options = parser.parse_args(arguments)
    code = EXIT_OK
    for file in options.files:
        try:
            mismatch = rehearse_on_pi(file, load_config(options.table))
        except (RehearsalError, TapmatError, MissingPart, NodesUnsupported) as wrong:
            print(wrong, file=sys.stderr, flush=True)
            code = max(code, EXIT_BAD_INPUT)
            continue
        except KeyboardInterrupt:
            return EXIT_INTERRUPTED
        code = max(code, EXIT_OK if mismatch is None else EXIT_FAILED)
        print(f"{file}: ok" if mismatch is None else f"{file}: FAILED\n{mismatch}", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
