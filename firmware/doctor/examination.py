"""All checks of the doctor, run in order."""

from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

from firmware.common.errors import FolderInUse, JournalError, StateFolderError
from firmware.config.table_config import TableConfig
from firmware.doctor.broker import look_at_broker
from firmware.doctor.buses import look_at_buses, look_for_other_users
from firmware.doctor.companion import look_at_companion
from firmware.doctor.computer import Computer
from firmware.doctor.findings import DoctorReport, Finding, Verdict
from firmware.doctor.hands import Operator, try_by_hand
from firmware.doctor.parts import look_at_parts, look_at_voice, without_missing_parts
from firmware.doctor.speech import look_at_cache, look_at_clips
from firmware.doctor.spi_clock import EMULATED_PATTERNS, PATTERNS
from firmware.doctor.stored import look_at_decks, look_at_journal
from firmware.doctor.system import (
    is_service_active,
    look_at_clock,
    look_at_computer,
    look_at_conflicts,
    look_at_disk,
    look_at_power,
    look_at_service,
    look_at_sound,
    look_at_updates,
)
from firmware.journal.state_folder import state_folder
from firmware.runtime.wiring import SILENT, open_parts, open_voice, speech_cache
from hardware.ports import Board

STOP_OTHER = "Stop the other tapmat, then run: tapmat doctor"
STOP_SERVICE = (
    "Stop it: sudo systemctl stop tapmat; start it again afterwards: sudo systemctl start tapmat"
)
NOT_LOOKED_AT = "game, decks and parts were not checked"
NO_FOLDER = "not checked: games, decks and parts, because the state folder cannot be used"
NOT_TRIED = (
    "not checked: tags, the display's pattern, lamps, controls and sound; these checks need a "
    "person at a terminal, and neither --sim nor --json"
)


@dataclass(frozen=True)
class DoctorOptions:
    """The options of an examination.

    A quick examination takes about a second, plays no sound and skips the self-tests of the chips.
    If the parts are emulated, this computer's buses and pins are not checked. *person* tries the
    parts by hand and answers questions; if it is None, those checks are skipped.
    """

    is_quick: bool = False
    is_emulated: bool = False
    person: Operator | None = None

    @property
    def patterns(self) -> int:
        """The number of patterns for each test of a reader's SPI wires; 0 for no test."""
        if self.is_quick:
            return 0
        return EMULATED_PATTERNS if self.is_emulated else PATTERNS


@dataclass
class Examination:
    """One run of all checks for the table of *config* on *computer*.

    *open_board* opens the board that the parts are connected to.
    """

    config: TableConfig
    open_board: Callable[[TableConfig], Board]
    computer: Computer
    options: DoctorOptions = DoctorOptions()

    def run(self, folder: Path | None) -> DoctorReport:
        """Run all checks, with the state folder *folder*, and return the report.

        If another tapmat is using the folder, the stored data and the parts are not checked.
        """
        report = DoctorReport()
        self._examine(report, folder)
        report.findings = self._for_user(report)
        return report

    def _for_user(self, report: DoctorReport) -> list[Finding]:
        user = self.computer.user()
        return [finding.for_user(user) for finding in report.findings]

    def _examine(self, report: DoctorReport, folder: Path | None) -> None:
        self._computer(report)
        try:
            folder = state_folder(folder)
        except StateFolderError as error:
            report.findings.append(Finding.from_file_fault("state folder", error))
            report.findings.append(Finding("parts", Verdict.SKIP, NO_FOLDER))
            return
        report.findings += look_at_disk(self.computer, folder)
        try:
            with closing(look_at_journal(report, self.computer, folder)):
                report.findings.append(Finding("state folder", Verdict.OK, str(folder)))
                report.findings += look_at_decks(
                    self.config, folder, is_emulated=self.options.is_emulated
                )
                self._parts(report)
        except FolderInUse:
            report.findings.append(self._in_use(folder))
        except JournalError as error:
            report.findings.append(Finding.from_file_fault("state folder", error))
            report.findings.append(Finding("parts", Verdict.SKIP, NO_FOLDER))

    def _in_use(self, folder: Path) -> Finding:
        if not self.options.is_emulated and is_service_active(self.computer):
            found = f"the table's service is running; {NOT_LOOKED_AT}"
            return Finding("service", Verdict.WARN, found, STOP_SERVICE)
        found = f"{folder} is in use by another tapmat; {NOT_LOOKED_AT}"
        return Finding("state folder", Verdict.WARN, found, STOP_OTHER)

    def _computer(self, report: DoctorReport) -> None:
        config, computer = self.config, self.computer
        spots = ", ".join(reader.spot for reader in config.readers)
        found = f"{config.file}: readers on {spots}"
        report.findings.append(Finding("table", Verdict.OK, found))
        report.findings += look_at_computer(computer)
        report.findings += look_at_clock(computer)
        report.findings += look_at_broker(computer, config.mqtt)
        if not self.options.is_emulated:
            report.findings += look_at_updates(computer)
            report.findings += look_at_service(computer)
            report.findings += look_at_companion(computer, config.companion)
            report.findings += look_at_power(computer)
            report.findings += look_at_conflicts(computer)
            report.findings += look_at_buses(computer, config)
            if config.voice != SILENT:
                report.findings += look_at_sound(computer)
                report.findings.append(look_at_cache(computer, speech_cache()))
                if config.speech.clips is not None:
                    report.findings += look_at_clips(config.speech.clips)

    def _parts(self, report: DoctorReport) -> None:
        options = self.options
        if not options.is_emulated:
            if is_service_active(self.computer):
                found = "the table's service is running, so the parts were not checked"
                report.findings.append(Finding("service", Verdict.WARN, found, STOP_SERVICE))
                return
            report.findings += look_for_other_users(self.computer, self.config)
        with ExitStack() as opened:
            board = opened.enter_context(closing(self.open_board(self.config)))
            config = without_missing_parts(report, self.config, board)
            parts = opened.enter_context(closing(open_parts(config, board)))
            voice = opened.enter_context(closing(open_voice(config, board)))
            works = look_at_parts(
                report,
                config,
                parts,
                board.clock,
                is_quick=options.is_quick,
                patterns=options.patterns,
            )
            report.findings.append(look_at_voice(voice, config, is_quick=options.is_quick))
            if options.person is not None:
                report.shown = len(report.findings)
                options.person.begin(self._for_user(report))
                report.findings += try_by_hand(options.person, config, works, voice, board.clock)
            elif not options.is_quick:
                report.findings.append(Finding("by hand", Verdict.SKIP, NOT_TRIED))
