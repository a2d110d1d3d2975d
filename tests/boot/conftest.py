"""The machines of the boot tests: one without the table, and one with the table installed.

``.ci/test-boot`` names the folder of root file systems in ``TAPMAT_BOOT_ROOTS``. Without it, no
test is collected.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.boot.machine import IDLE, Done, Machine, locked, prepare

PROJECT = Path(__file__).parents[2]
ROOTS = os.environ.get("TAPMAT_BOOT_ROOTS", "")
RELEASES = os.environ.get("TAPMAT_BOOT_RELEASES", "").split()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the times that tests have recorded."""
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            terminalreporter.write_line(f"{report.nodeid}: {name}: {value}")


collect_ignore_glob = [] if ROOTS else ["test_*.py"]


class Lab:
    """A maker of machines with one Debian *release*; their files are below *folder*."""

    def __init__(self, release: str, folder: Path) -> None:
        self._release = release
        self._folder = folder
        self._machines: list[Machine] = []

    def bare(self) -> Machine:
        """Return a machine that is off, with the project's source on it but nothing installed."""
        machine = self._machine()
        prepare(machine, self._source())
        return machine

    def installed(self) -> Machine:
        """Return a machine that is off, with the table installed; it runs from the next boot on."""
        return self._machine(self._layer())

    def first_install(self) -> Done:
        """Return the installer's result on the machine that ``installed`` returns."""
        told = (self._layer().parent / "said").read_text(encoding="utf-8")
        code, _, said = told.partition("\n")
        return Done(int(code), said)

    def close(self) -> None:
        """Switch every machine off and delete what it wrote."""
        while self._machines:
            self._machines.pop().close()

    def _machine(self, *layers: Path, is_layer: bool = False) -> Machine:
        root = Path(ROOTS)
        folder = Path(tempfile.mkdtemp(prefix=f"{self._release}-", dir=self._folder))
        wheels = root / f"{self._release}.wheels"
        made = Machine((root / self._release, *layers), folder, wheels, is_layer=is_layer)
        self._machines.append(made)
        return made

    def _layer(self) -> Path:
        """Return the folder of files written by a first install; made once for all tests."""
        kept = self._folder / f"{self._release}.installed"
        with locked(self._folder / f"{self._release}.lock"):
            if not kept.exists():
                machine = self._machine(is_layer=True)
                prepare(machine, self._source())
                machine.boot()
                done = machine.install()
                machine.power_off()
                machine.close()
                said = machine.layer.parent / "said"
                said.write_text(f"{done.code}\n{done.said}", encoding="utf-8")
                kept.symlink_to(said.parent)
        return kept.resolve() / "upper"

    def _source(self) -> Path:
        """Return a copy of the project with the files that git knows or would add."""
        source = self._folder / "source"
        with locked(self._folder / "source.lock"):
            if not source.exists():
                listed = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
                names = subprocess.check_output(listed, cwd=PROJECT, text=True).split("\0")
                for name in filter(None, names):
                    if (PROJECT / name).is_file():
                        (source / name).parent.mkdir(parents=True, exist_ok=True)
                        shutil.copy2(PROJECT / name, source / name)
        return source


@pytest.fixture(params=RELEASES)
def lab(request: pytest.FixtureRequest) -> Iterator[Lab]:
    """A maker of machines; each test runs once for each Debian release."""
    made = Lab(request.param, Path(ROOTS) / "run")
    yield made
    made.close()


@pytest.fixture
def bare(lab: Lab) -> Machine:
    """A running machine on which nothing is installed."""
    machine = lab.bare()
    machine.boot()
    return machine


@pytest.fixture
def table(lab: Lab) -> Machine:
    """A running machine with a running table."""
    machine = lab.installed()
    machine.boot()
    machine.wait_until("the table runs", lambda: machine.state() == "active")
    machine.wait_until("the display asks for a game", lambda: machine.shows(IDLE))
    return machine
