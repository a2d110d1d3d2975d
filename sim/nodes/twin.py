"""A mat that does everything twice: in the emulated mat, and in a program on an emulated Pi.

The program runs unmodified, in real time. From outside, only its display, lamps, journal and
loudspeaker can be seen. They are compared with those of its twin: an emulated mat in this process,
which gets the same input at the same time. As long as both show the same, what is true of the twin
is true of the program.

May import: firmware, sim.mat, fakepi and this room.
"""

import copy
import os
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from fakepi.kernel.libraries import borrow_libraries
from fakepi.picc import Picc
from firmware.boxes.register import TagRegister
from firmware.config.table_config import TableConfig
from firmware.journal.state_folder import state_folder
from firmware.runtime.controller import JOURNAL, REGISTER
from sim.mat.faults import BUTTON, DISPLAY, READER, Effect
from sim.mat.mat import Mat
from sim.mat.tags import enrol_decks
from sim.nodes.loudspeaker import Loudspeaker
from sim.nodes.pi_table import Look, PiProcess, fewest_transfers
from sim.nodes.table_file import write_table

START_S = 30.0  # a program that shows nothing for longer has failed
TRANSFERS, POLLED_S = 100, 5.0  # enough for ten polls; a failed reader is polled less often
PACED_TRANSFERS = 400  # enough for about fifty polls; tags are found much sooner
LOG_LETTERS = 2000  # characters at the end of the program's log that an error shows
AGREE_S = 30.0  # the program must show the same as its twin within this time
FOLLOW_S = 10.0  # after each act, people wait this long at most until the program reacts
LOOK_S = 0.02  # between two looks at the program
KNOB_S = 0.008  # between two edges of the knob
OUTSIDE = (READER, DISPLAY, BUTTON)  # kinds of parts that break outside the program
# The entries that plays make; others count faults, which depend on the exact time.
ENTRIES = (
    "SELECT kind, body FROM entry WHERE kind IN ('start', 'input', 'undo', 'end') ORDER BY seq"
)


class Disagreement(Exception):
    """The program does not show the same as its twin.

    *expected* describes the twin's output in words, and *shown* the program's.
    """

    def __init__(self, expected: str, shown: str) -> None:
        super().__init__(f"expected {expected}, but the program shows {shown}")
        self.expected, self.shown = expected, shown


class TwinMat(Mat):
    """An emulated mat and its twin, ``tapmat play`` on an emulated Pi.

    Args:
        config: the table's configuration, with speech at full volume.
        folder: a new folder for the files of both.

    Raises:
        ConfigError: the table cannot be wired so on a real Pi.
        MissingPart: no emulation of a reader's chip is installed.
    """

    def __init__(self, config: TableConfig, folder: Path) -> None:
        for name in ("twin", "state"):
            (folder / name).mkdir(parents=True)
        self._table = folder / "table.toml"
        super().__init__(write_table(config, self._table), folder / "twin")
        self.loudspeaker = Loudspeaker(folder / "loudspeaker")
        borrow_libraries(folder / "libraries")
        self._files = folder
        self.pi = PiProcess(self.config, folder)
        self._is_running = False
        self._began_s = 0.0  # monotonic time at which the twin's clock began
        self._numbers: dict[Picc, int] = {}  # the number of each tag, for the other process

    # --- the plug ---

    def power_on(self) -> None:
        """Switch both on; return when the program shows what its twin shows."""
        if self.is_on:
            return
        state = state_folder(self._files / "state")
        write_table(self.config, self._table)
        if self.was_cut:
            self.pi.table.power_on()
        elif not self.is_blank:
            with closing(TagRegister(state / REGISTER)) as register:
                enrol_decks(register, self.config)
        options = ["--table", str(self._table), "--state", str(state)]
        self.pi.table.start(options, self._environment())
        super().power_on()
        self._began_s = time.monotonic() - self.board.clock.now()
        self._is_running = True
        self.agree(START_S)
        self._wait_for_readers()

    def _wait_for_readers(self) -> None:
        """Wait until the program has polled each reader a few times.

        The program shows its first picture before that. A tag that the first five polls see was
        there at the start, and does not count as played.
        """
        self._wait_for_transfers(self.pi.table.transfers() + TRANSFERS)

    def _wait_for_transfers(self, number: int) -> None:
        """Wait until the program has made *number* SPI transfers, at most ``POLLED_S`` seconds."""
        until_s = time.monotonic() + POLLED_S
        while self.pi.table.transfers() < number and time.monotonic() < until_s:
            time.sleep(LOOK_S)

    def _environment(self) -> Mapping[str, str]:
        folders = (str(self._files / "libraries"), os.environ.get("PYTHONPATH"))
        return {
            **os.environ,
            "PATH": self.loudspeaker.path,
            "PYTHONPATH": os.pathsep.join(filter(None, folders)),
            "XDG_CACHE_HOME": str(self._files / "cache"),
        }

    def power_cut(self) -> None:
        """Pull the plug of both: the program is killed with its children."""
        self._is_running = False
        self.pi.table.kill()
        self.pi.table.power_cut()
        super().power_cut()

    def close(self) -> None:
        """End both."""
        self.pi.close()
        super().close()

    # --- hands: each act reaches both ---

    def wait(self, seconds: float) -> None:
        """Let *seconds* pass for both, and then wait until the program follows, as people do.

        The twin goes first, at full speed, and then the program has the whole processor. On a busy
        computer, more time passes for the program: the wait ends when the program has polled its
        readers as often as the twin.
        """
        began_s = time.monotonic()
        polled, twin_polled = self.pi.table.transfers(), fewest_transfers(self.board)
        super().wait(seconds)
        time.sleep(max(began_s + seconds - time.monotonic(), 0.0))
        count = fewest_transfers(self.board) - twin_polled
        self._wait_for_transfers(polled + min(count, PACED_TRANSFERS))
        self._follow(FOLLOW_S)

    def _follow(self, limit_s: float) -> None:
        """Wait until displays and lamps show the same, at most *limit_s* seconds."""
        until_s = time.monotonic() + limit_s
        while self._difference_in_light() is not None and time.monotonic() < until_s:
            time.sleep(LOOK_S)

    def pause(self, seconds: float) -> None:
        """Let *seconds* pass, or more, because real fingers turn a knob more slowly."""
        super().pause(seconds)
        time.sleep(max(seconds, KNOB_S))

    def catch_up(self) -> None:
        """Advance the twin's virtual clock until as much time has passed as for the program."""
        if self.is_on and (owed_s := time.monotonic() - self._began_s - self.board.clock.now()) > 0:
            super().wait(owed_s)

    def lay(self, piccs: Sequence[Picc], spot: str) -> None:
        """Lay tags on a spot at the same moment; if one cannot be laid, lay none."""
        fresh = [copy.deepcopy(picc) for picc in piccs]
        super().lay(piccs, spot)
        for picc, unused in zip(piccs, fresh, strict=True):
            number = self._numbers.setdefault(picc, len(self._numbers))
            self.pi.table.lay(number, unused, spot)

    def lift(self, piccs: Sequence[Picc], spot: str) -> None:
        """Take tags off a spot; if one is not there, take none."""
        super().lift(piccs, spot)
        for picc in piccs:
            self.pi.table.lift(self._numbers[picc], spot)

    def hold(self, button: str) -> None:
        """Press a button and keep it down."""
        super().hold(button)
        self.pi.table.move_button(button, is_down=True)

    def release(self, button: str) -> None:
        """Release a button."""
        super().release(button)
        self.pi.table.move_button(button, is_down=False)

    def drive(self, number: int, *, is_high: bool) -> None:
        """Drive the pin GPIO *number* high or low, from outside."""
        super().drive(number, is_high=is_high)
        self.pi.table.drive(number, is_high=is_high)

    def strike(self, effect: Effect, part: str) -> None:
        """Break or repair *part* of both by *effect*."""
        super().strike(effect, part)
        if any(part in kind.names for kind in OUTSIDE):
            self.pi.table.strike(effect, part)

    # --- comparison ---

    def agree(self, limit_s: float = AGREE_S) -> None:
        """Wait until the program shows what its twin shows.

        Raises:
            Disagreement: it does not within *limit_s* seconds, or it has ended.
        """
        until_s = time.monotonic() + limit_s
        self._follow(FOLLOW_S)
        while (difference := self._difference()) is not None:
            if time.monotonic() > until_s:
                raise difference
            self.catch_up()  # a message may have disappeared from one display only
            self._follow(FOLLOW_S)

    def hear(self, words: str, since: int, limit_s: float = AGREE_S) -> None:
        """Wait until the loudspeaker has said *words*, after the first *since* texts.

        Raises:
            Disagreement: it has not said them in time.
        """
        until_s = time.monotonic() + limit_s
        while words not in (heard := self.loudspeaker.heard[since:]):
            if time.monotonic() > until_s:
                raise Disagreement(
                    f'"{words}" from the loudspeaker', " / ".join(heard) or "silence"
                )
            time.sleep(LOOK_S)

    def _difference(self) -> Disagreement | None:
        """Return the first difference between the program and its twin, or None."""
        if (difference := self._difference_in_light()) is not None or not self._is_running:
            return difference
        twin, program = (self._entries(self._files / folder) for folder in ("twin", "state"))
        if twin == program:
            return None
        return Disagreement(f"{len(twin)} plays in the journal {twin[-1:]}", str(program[-1:]))

    def _difference_in_light(self) -> Disagreement | None:
        """Return the first difference between the displays and lamps, or None."""
        if not self._is_running:
            return None
        look: Look = self.pi.table.look()
        if look.exit_code is not None:
            log = (self._files / "log").read_text(encoding="utf-8", errors="replace")
            found = f"exit code {look.exit_code}: {log.strip()[-LOG_LETTERS:]}"
            return Disagreement("a running program", found)
        display = self.board.display
        if display is not None and display.present and look.pixels != display.visible():
            return Disagreement(f"the twin's display ({self.screen_in_words()})", "another")
        for name in self.config.lamps:
            if (name in look.lit) is not (self.lamp(name) > 0):
                states = ("off", "on") if name in look.lit else ("on", "off")
                return Disagreement(*(f"lamp {name} {state}" for state in states))
        return None

    def _entries(self, folder: Path) -> list[tuple[str, str]]:
        """Return the kind and body of each ``ENTRIES`` row of the journal in *folder*."""
        with closing(sqlite3.connect(f"file:{folder / JOURNAL}?mode=ro", uri=True)) as journal:
            return journal.execute(ENTRIES).fetchall()
