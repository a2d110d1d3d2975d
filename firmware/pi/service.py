"""The systemd service. It runs a release, and returns to the previous release if a new one fails.

Each release contains its own units. Units of the previous release that the new release lacks are
removed.
"""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from firmware.pi.boot import Needs
from firmware.pi.computer import (
    DiskFull,
    SetUpFault,
    TargetComputer,
    fault_of,
    ignoring_signals,
)
from firmware.pi.releases import HOME, Releases, own_file, own_units
from firmware.pi.state import LOG_FILES, STATE, StateFiles

UNITS = ("tapmat.service", "tapmat-safe.service")  # those that run tapmat
COMPANION, MQTT = "tapmat-companion.service", "tapmat-mqtt.service"  # with the first of them
HALL = "tapmat-hall.service"  # with it too; systemd skips it if the table has joined no hall
TIMER = "tapmat-trial.timer"  # ends the trial of a release
UNIT_FOLDER = "etc/systemd/system"
WRITTEN = "Written by install-pi"  # in the first line of each unit
COMMAND, SCRIPT = "usr/local/bin/tapmat", "tapmat.sh"  # the command ``tapmat``
CHANGED = (HOME, UNIT_FOLDER, str(Path(COMMAND).parent))  # where a switch of releases writes
READ_MORE = f"Read more: sudo journalctl -u tapmat, or sudo cat /{STATE}/{LOG_FILES[0]}"
KEYS = ("var/lib/private/tapmat-companion", "var/lib/tapmat-companion")  # the second is a link
CACHE = "var/cache/tapmat"  # systemd creates it for the service


@dataclass(frozen=True)
class InstalledService:
    """The systemd service on *computer*, which runs one release of tapmat."""

    computer: TargetComputer

    @property
    def releases(self) -> Releases:
        """The installed releases."""
        return Releases(self.computer)

    @property
    def state(self) -> StateFiles:
        """The table's state folder and its copy."""
        return StateFiles(self.computer)

    def is_running(self, release: Path, needs: Needs | None) -> bool:
        """Return True if the service runs *release* with its files, and the programs in *needs*.

        If *needs* is None, it is not known yet which programs are needed beside the table.
        """
        return (
            (needs is None or _programs_in(needs) == self._programs)
            and self.releases.current == release
            and all(self.computer.text(name) == text for name, text in _files(release))
            and self._is_active()
        )

    def missing(self, needs: Needs) -> tuple[str, ...]:
        """Return the paths of the device files in *needs* that do not exist."""
        return tuple(f"/{name}" for name in needs.devices if not self.computer.path(name).exists())

    def switch_to(self, release: Path, needs: Needs) -> None:
        """Switch to *release*, and start it if the devices in *needs* exist.

        Raises:
            SetUpFault: the switch failed. The previous release, if there is one, runs again with
                its state.
        """
        now = self.releases.current
        if now is None or now == release:
            self._start_first(release, needs)
        else:
            self._replace(now, release, needs)
        self.releases.remove_others()

    def roll_back(self, needs: Needs) -> None:
        """Switch to the previous release and its copy of the state.

        The present release and state become the previous ones. *needs* are the table's
        requirements.

        Raises:
            SetUpFault: the switch failed; nothing has changed.
        """
        now, before = self.releases.current, self.releases.previous
        assert now is not None, "a release is in use if there is a previous one"
        assert before is not None, "the caller has checked this"
        with self._undoing_on_failure("The previous version", "the present one") as back:
            self._stop()
            self.state.swap()
            back.callback(self.state.swap)
            back.callback(self._switch_to, now, before)
            self._switch_to(before, now)
            back.callback(self._stop)
            self._start(needs)

    def give_way(self, table: Path, why: str) -> None:
        """Return from the release in use, which has failed on trial, to the previous one.

        If the previous release can read the present state, which has the last plays, the state
        stays. *table* is the table's file, and *why* says how the service failed. This does not
        wait until the service has started: the caller may belong to the systemd transaction that
        would otherwise start safe mode.
        """
        now, before = self.releases.current, self.releases.previous
        assert now is not None, "a release on trial is in use"
        assert before is not None, "a trial only begins if there is a previous release"
        logged = self._last_log_lines()
        if self._can_use_state(before, table):
            self.state.drop_previous()
        else:
            self.state.swap()
        self._switch_to(before, now)
        self.releases.write_rolled_back(
            f"The update {now.name} failed ({why}), so {before.name} runs again.{logged}\n"
        )
        self._systemctl("reset-failed", UNITS[0])
        self._systemctl("start", "--no-block", UNITS[0])

    def undo(self) -> None:
        """Stop the service and delete its files."""
        units = self._installed_units()
        if units:
            self._systemctl("disable", "--now", *units)
        for name in (*(f"{UNIT_FOLDER}/{unit}" for unit in units), COMMAND):
            self.computer.remove(name)
        shutil.rmtree(self.computer.path(CACHE), ignore_errors=True)
        shutil.rmtree(self.computer.path(KEYS[0]), ignore_errors=True)
        self.computer.remove(KEYS[1])
        self._systemctl("daemon-reload")

    def _start_first(self, release: Path, needs: Needs) -> None:
        is_new, was_active = self.releases.current is None, self._is_active()
        with self.computer.spare_room(*CHANGED) as free_spare_room:
            try:
                self._stop()
                self._switch_to(release, self.releases.previous)
            except BaseException:
                with ignoring_signals():
                    free_spare_room()
                    if is_new:
                        self.undo()
                        self.releases.use_none()
                    else:
                        self._restart(was_active)
                raise
        try:
            self._start(needs)
        except SetUpFault as fault:
            raise SetUpFault(
                f"Everything is installed, but the table does not start.{self._last_log_lines()}\n",
                "Fix the cause, then run: sudo systemctl start tapmat",
            ) from fault

    def _replace(self, now: Path, release: Path, needs: Needs) -> None:
        try:
            self.state.copy()  # while the table runs, since this takes long
            with self._undoing_on_failure("The new version", "the previous one") as back:
                self._stop()
                self.state.finish_copy()
                back.callback(self._switch_to, now, None)
                with ExitStack() as unused:  # the state is the old one until the new version starts
                    unused.callback(self.state.drop_previous)
                    self._switch_to(release, now)
                    back.callback(self.state.restore)
                    unused.pop_all()
                back.callback(self._stop)
                self._start(needs)
                self._begin_trial()
        finally:
            self.state.drop_copy()

    def _begin_trial(self) -> None:
        """Begin the trial of the release in use, which has replaced another.

        The trial does not begin earlier, because the installer itself goes back if the first start
        fails. If the table cannot start before a reboot, the first start of the table also starts
        the timer.
        """
        self.releases.begin_trial()
        if self._is_active():
            self._systemctl("start", TIMER)

    def _can_use_state(self, release: Path, table: Path) -> bool:
        """Return True if the doctor of *release* finds no fault in a copy of the state.

        *table* is the table's file.
        """
        try:
            copy = self.state.copy_to_try()
            doctor = (str(release / "bin" / "tapmat"), "doctor", "--sim", "--quick")
            self.computer.run((*doctor, "--table", str(table), "--state", str(copy)))
        except (SetUpFault, OSError):
            return False
        finally:
            self.state.drop_copy()
        return True

    @contextmanager
    def _undoing_on_failure(self, what: str, other: str) -> Iterator[ExitStack]:
        """Run a block that adds its undo steps to the yielded stack; run them if the block raises.

        *what* and *other* are for the message: the version that failed, and the version that runs
        again. Any exception counts as a failure, even Ctrl-C.

        Raises:
            SetUpFault: the block raised a SetUpFault or an OSError.
            DiskFull: a disk is full.
        """
        was_active = self._is_active()
        back = ExitStack()
        back.callback(self._restart, was_active)
        with self.computer.spare_room(*CHANGED) as free_spare_room:
            try:
                yield back
            except BaseException as fault:
                reason = fault_of(fault) if isinstance(fault, OSError) else fault
                with ignoring_signals():
                    why = self._last_log_lines() if reason is fault else ""
                    free_spare_room()
                    back.close()
                found = f"{what} cannot be used, so {other} runs again"
                if isinstance(reason, DiskFull):
                    raise DiskFull(f"{found}.", str(reason)) from fault
                if isinstance(reason, SetUpFault):
                    raise SetUpFault(f"{found}: {reason}{why}\n", READ_MORE) from fault
                raise

    def _restart(self, was_active: bool) -> None:
        """Start the release in use.

        Raises:
            SetUpFault: it does not start. If *was_active* is False, this is not raised.
        """
        try:
            self._systemctl("reset-failed", *UNITS)
            self._systemctl("start", UNITS[0])
        except SetUpFault:
            if was_active:
                raise

    def _switch_to(self, release: Path, previous: Path | None) -> None:
        """Make *release* the one that the service runs at its next start.

        *previous* is the release to go back to, if there is one.
        """
        self.releases.use(release, previous)
        files = dict(_files(release))
        for name, text in files.items():
            if self.computer.text(name) != text:
                self.computer.write(name, text)
        for unit in self._installed_units():
            if f"{UNIT_FOLDER}/{unit}" not in files:
                self.computer.remove(f"{UNIT_FOLDER}/{unit}")
        self.computer.path(COMMAND).chmod(0o755)
        self._systemctl("daemon-reload")
        self._systemctl("enable", UNITS[0])

    def _installed_units(self) -> list[str]:
        """Return the names of all units that an installer has written."""
        found = self.computer.path(UNIT_FOLDER).glob("tapmat*.*")
        names = sorted(file.name for file in found if file.is_file())
        first = {
            name: self.computer.text(f"{UNIT_FOLDER}/{name}").partition("\n")[0] for name in names
        }
        return [name for name in names if WRITTEN in first[name]]

    def _start(self, needs: Needs) -> None:
        """Start the service if the devices in *needs* exist.

        Starts shortly before this one do not count towards systemd's limit of starts.
        """
        self._switch_programs(needs)
        if not self.missing(needs):
            with suppress(SetUpFault):  # systemd may not have loaded the unit
                self._systemctl("reset-failed", UNITS[0])
            self._systemctl("start", UNITS[0])

    @property
    def _programs(self) -> dict[str, bool]:
        """The units of the programs beside the table, and whether each starts with it."""
        wants = self.computer.path(f"{UNIT_FOLDER}/{UNITS[0]}.wants")
        return {unit: (wants / unit).is_symlink() for unit in (COMPANION, MQTT, HALL)}

    def _switch_programs(self, needs: Needs) -> None:
        """Let the programs in *needs* start with the table; prevent that for the others."""
        wanted = _programs_in(needs)
        for unit, is_on in self._programs.items():
            is_there = self.computer.path(f"{UNIT_FOLDER}/{unit}").exists()  # older: it had none
            if wanted[unit] != is_on and (is_there or is_on):
                self._systemctl("enable" if wanted[unit] else "disable", unit)

    def _stop(self) -> None:
        if self.computer.path(f"{UNIT_FOLDER}/{UNITS[0]}").exists():
            self._systemctl("stop", *UNITS)

    def _is_active(self) -> bool:
        try:
            self._systemctl("is-active", "--quiet", UNITS[0])
        except SetUpFault:
            return False
        return True

    def _systemctl(self, *words: str) -> None:
        if self.computer.runs_systemd:
            self.computer.run(("systemctl", *words))

    def _last_log_lines(self) -> str:
        """Return the last 8 lines of the service's log, indented; empty if they cannot be read."""
        show = ("journalctl", "--unit", UNITS[0], "--lines", "8", "--output", "cat", "--no-pager")
        try:
            logged = self.computer.run(show)
        except SetUpFault:
            return ""
        return "".join(f"\n  {line}" for line in logged.splitlines())


def _programs_in(needs: Needs) -> dict[str, bool]:
    return {COMPANION: needs.has_companion, MQTT: needs.has_mqtt, HALL: True}


def _files(release: Path) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each file that *release* installs outside its folder."""
    for unit in own_units(release):
        yield f"{UNIT_FOLDER}/{unit}", own_file(release, unit)
    yield COMMAND, own_file(release, SCRIPT)
