"""The examination: every check in order.

Room: firmware/doctor.
"""

from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from gettext import gettext as _
from pathlib import Path

from firmware.config import TableConfig
from firmware.doctor.buses import look_at_buses, users_of
from firmware.doctor.computer import Computer
from firmware.doctor.findings import Finding, Report, Verdict
from firmware.doctor.hands import Person, try_by_hand
from firmware.doctor.parts import look_at_parts, look_at_voice, that_opens
from firmware.doctor.speech import look_at_cache, look_at_clips
from firmware.doctor.stored import look_at_decks, look_at_journal
from firmware.doctor.system import (
    look_at_clock,
    look_at_computer,
    look_at_conflicts,
    look_at_disk,
    look_at_power,
    look_at_sound,
)
from firmware.errors import FolderInUse, JournalError, StateFolderError
from firmware.state_folder import state_folder
from firmware.wiring import SILENT, open_parts, open_voice, speech_cache
from hardware.ports import Board

N_ = str  # marks a text for the catalogues; it is translated where it is used
END_THAT_ONE = N_("End that one, then run: tapmat doctor")
STOP_SERVICE = N_(
    "Stop it: sudo systemctl stop tapmat; and afterwards: sudo systemctl start tapmat"
)
NOT_TRIED = N_(
    "tags, pattern, lamps, controls and sound were not tried: nobody is asked with --sim, with "
    "--json, or without a terminal"
)


@dataclass(frozen=True)
class Manner:
    """How to look.

    *is_quick*: about a second, nothing is said aloud, and no chip is put to its own test.
    *is_emulated*: the parts are not this computer's, so its buses and pins do not matter.
    *person*: who answers what only people can tell; nobody is asked without one.
    """

    is_quick: bool = False
    is_emulated: bool = False
    person: Person | None = None


@dataclass
class Examination:
    """Looks at the table of *config* on *computer*, whose parts *open_board* opens."""

    config: TableConfig
    open_board: Callable[[TableConfig], Board]
    computer: Computer
    manner: Manner = Manner()

    def of(self, folder: Path | None) -> Report:
        """What is found, over the state folder *folder*.

        Parts that another tapmat is using are not touched.
        """
        report = Report()
        self._computer(report)
        try:
            folder = state_folder(folder)
        except StateFolderError as error:
            report.findings.append(Finding.failed("state folder", error))
            return report
        report.findings += look_at_disk(self.computer, folder)
        try:
            with closing(look_at_journal(report, self.computer, folder)):
                report.findings.append(Finding("state folder", Verdict.OK, str(folder)))
                report.findings += look_at_decks(self.config, folder)
                self._parts(report)
        except FolderInUse:
            found = _("{folder} is in use by another tapmat, so the parts were not touched")
            told = found.format(folder=folder)
            report.findings.append(Finding("state folder", Verdict.WARN, told, _(END_THAT_ONE)))
        except JournalError as error:
            report.findings.append(Finding.failed("state folder", error))
        return report

    def _computer(self, report: Report) -> None:
        config, computer = self.config, self.computer
        spots = ", ".join(reader.spot for reader in config.readers)
        found = _("{file}: readers on {spots}").format(file=config.file, spots=spots)
        report.findings.append(Finding("table", Verdict.OK, found))
        report.findings += look_at_computer(computer)
        report.findings += look_at_clock(computer)
        if not self.manner.is_emulated:
            report.findings += look_at_power(computer)
            report.findings += look_at_conflicts(computer)
            report.findings += look_at_buses(computer, config)
            if config.voice != SILENT:
                report.findings += look_at_sound(computer)
                report.findings.append(look_at_cache(computer, speech_cache()))
                if config.speech.clips is not None:
                    report.findings += look_at_clips(config.speech.clips)

    def _parts(self, report: Report) -> None:
        manner = self.manner
        if not manner.is_emulated:
            if self.computer.run(("systemctl", "is-active", "tapmat.service")) == "active":
                found = _("the table's service is running, so the parts were not touched")
                report.findings.append(Finding("service", Verdict.WARN, found, _(STOP_SERVICE)))
                return
            report.findings += users_of(self.computer, self.config)
        with ExitStack() as opened:
            board = opened.enter_context(closing(self.open_board(self.config)))
            config = that_opens(report, self.config, board)
            parts = opened.enter_context(closing(open_parts(config, board)))
            voice = opened.enter_context(closing(open_voice(config, board)))
            works = look_at_parts(report, config, parts, board.clock, is_quick=manner.is_quick)
            report.findings.append(look_at_voice(voice, config, is_quick=manner.is_quick))
            if manner.person is not None:
                report.shown = len(report.findings)
                manner.person.begin(report.findings)
                report.findings += try_by_hand(manner.person, config, works, voice, board.clock)
            elif not manner.is_quick:
                report.findings.append(Finding("by hand", Verdict.OK, _(NOT_TRIED)))
