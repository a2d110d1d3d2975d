"""Each command in the documents runs, or is listed here with the reason why it does not."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from firmware.config.table_config import DEFAULT_TABLE_TOML
from firmware.pi import boot, keys, releases, service, state, steps
from firmware.pi.command import _parser as installer
from tests.docs.pages import COMMANDS, MANUAL, ROOT, SYSTEM, Page, page
from tests.effort import long_unless
from tests.firmware.archive.kept import play
from tests.firmware.test_pi_units import UNITS
from tests.ports import free_port

BIN = Path(sys.executable).parent

# Options added to commands that would otherwise need a table's parts, or take minutes.
ADDED = {
    "play": ("--sim",),
    "doctor": ("--sim",),
    "enrol": ("--sim",),
    "bench": ("--taps", "5", "--no-cpu"),
    "robots": ("--games", "1"),
}

# Commands that need an enrolled box: here they exit with 2 and a message.
NEEDS_STICKERS = (("tapmat", "enrol", "straw", "--deck", "straw.toml"),)

# The command that needs a loudspeaker: it may exit with 1 and a message.
NEEDS_SOUND = ("tapmat", "voice", "say")

# The command that needs an installed table: it exits with 1 and a message.
NEEDS_TABLE = ("tapmat", "update")

# The longest command runs once: for the page that is about it, with the first options shown there.
ONCE = {"bench": "docs/bench.md"}

# These pages need their own drivers, or programs that run on; other tests run their commands.
BY_OTHERS = ("docs/adding-a-reader.md", "docs/adding-an-led-strip.md", "docs/hall.md")
LIMIT_S = 300  # for one command; one that never ends would stop the tests

# Commands that are shown but not run, and why. Other tests check that make and the installer accept
# the words.
NOT_DONE = {
    "make": "installs packages, opens a page or runs these very tests; make says what it would do",
    "./install-pi": "changes the computer; tests/firmware/test_pi_setup.py has it change a folder",
}
NOT_OURS = {
    "git pull": "fetches what there is",
    ".venv/bin/pip install": "fetches packages",
    "tar xf": "unpacks the bundle",
    "cd tapmat-0.1.0-aarch64": "goes into its folder",
    "sudo install": "writes a file of the system",
    "sudo apt": "installs packages of the system",
    "sudo mount": "opens a memory stick",
    "sudo nano": "waits for a person",
    "sudo shutdown": "ends this computer's day",
    "sudo reboot": "restarts the computer",
    "sudo systemctl": "needs the service, which a test's computer does not have",
    "sudo journalctl": "needs the service",
    "sudo cat": "shows files of the service",
    "mosquitto -c": "runs until it is stopped",
}

Command = tuple[str, ...]


def ours(words: Command) -> Command:
    """Return *words* without sudo if it is a command of this project, otherwise ()."""
    words = words[1:] if words[:1] == ("sudo",) else words
    return words if words[0] in COMMANDS else ()


def kind(words: Command) -> str:
    """Return the first two of *words*, such as "make test", as ``NOT_OURS`` has them."""
    return " ".join(words[:2])


def shown(shows: Page) -> list[Command]:
    """Return the words of every command that the page *shows*."""
    return [words for fence in shows.fences if fence.is_commands for words in fence.lines]


ALL = [words for shows in MANUAL for words in shown(shows)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a recorded game, a table.toml of a maker's own, and the project's tests."""
    (tmp_path / "state").mkdir()
    play(tmp_path / "state")
    (tmp_path / "my-table.toml").write_bytes(DEFAULT_TABLE_TOML.read_bytes())
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    return tmp_path


def started(words: Sequence[str], folder: Path) -> subprocess.Popen[str]:
    """Start the installed command in *folder*, without any input."""
    state = {"TAPMAT_STATE": str(folder / "state"), "HOME": str(folder)}
    return subprocess.Popen(
        [str(BIN / words[0]), *words[1:]],
        cwd=folder,
        env=os.environ | state | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def completed(words: Command) -> Command:
    """Return *words* with options for tests added at the end, where they override others."""
    return (*words, *ADDED.get(words[1], ()))


def serve(words: Command, folder: Path) -> None:
    """Start ``tapmat sim``, wait until it serves its page, and end it with Ctrl-C."""
    port = ("--no-open", "--port", str(free_port()))
    with started([*words, *port], folder) as serving:
        assert serving.stdout is not None
        said = serving.stdout.readline()
        serving.send_signal(signal.SIGINT)
        assert "The table is at http://127.0.0.1:" in said, said + serving.stdout.read()
        assert serving.wait() in (0, 130)


@pytest.mark.parametrize(
    "shows",
    long_unless(
        lambda shows: shows.name == "README.md",
        [shows for shows in MANUAL if shows.name not in BY_OTHERS],
    ),
    ids=lambda shows: shows.name,
)
def test_commands_of_the_page_run(shows: Page, folder: Path) -> None:
    """The commands run in one folder, one after the other, as a reader would type them."""
    done: set[frozenset[str]] = set()  # commands that were run, as sets of their words
    for words in shown(shows):
        if ours(words)[:1] != ("tapmat",):
            continue
        command = completed(ours(words))
        key = frozenset(command[:2] if command[1] in ONCE else command)
        if key in done or ONCE.get(command[1], shows.name) != shows.name:
            continue
        done.add(key)
        if command[1] == "sim":
            serve(command, folder)
            continue
        with started(command, folder) as running:
            try:
                said, _ = running.communicate(timeout=LIMIT_S)
            except subprocess.TimeoutExpired:
                running.kill()
                raise
            expected = {2} if command[:5] in NEEDS_STICKERS else {0}
            if command[:3] == NEEDS_SOUND:
                expected.add(1)
            if command[:2] == NEEDS_TABLE:
                expected = {1}
            assert running.returncode in expected, f"{' '.join(command)}\n{said}"


def test_make_knows_what_is_shown() -> None:
    targets = {word for words in ALL if ours(words)[:1] == ("make",) for word in ours(words)[1:]}
    named = sorted(word for word in targets if "=" not in word)
    assert "play" in named
    says = subprocess.run(
        ["make", "--dry-run", *named], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert says.returncode == 0, says.stderr


def test_the_installer_knows_what_is_shown() -> None:
    lines = [ours(words)[1:] for words in ALL if ours(words)[:1] == ("./install-pi",)]
    assert lines
    for words in lines:
        if "--help" not in words:
            installer().parse_args(words)


def test_every_command_is_run_or_its_reason_told() -> None:
    for words in ALL:
        known = ours(words)[0] in ("tapmat", *NOT_DONE) if ours(words) else kind(words) in NOT_OURS
        assert known, " ".join(words)


def test_every_reason_is_of_something_shown() -> None:
    assert {ours(words)[0] for words in ALL if ours(words)} == {"tapmat", *NOT_DONE}
    assert {kind(words) for words in ALL if not ours(words)} == set(NOT_OURS)


def test_no_command_hides_in_another_fence() -> None:
    for shows in MANUAL:
        for fence in shows.fences:
            if not fence.is_commands:
                first = {
                    line.split(maxsplit=1)[0] for line in fence.text.splitlines() if line.split()
                }
                assert not first & {*COMMANDS, *SYSTEM}, f"{shows.name}:\n{fence.text}"


def test_building_names_all_that_the_installer_changes() -> None:
    text = page("docs/building.md").text
    changed = (
        *steps.PACKAGES, *steps.TOOLS, *steps.GROUPS,
        *(f"/{file}" for file in (steps.CONFIG, steps.TABLE, service.COMMAND, steps.MODULES)),
        f"/{keys.ALLOWED_SIGNERS}", *(unit.name for unit in UNITS),
        *(f"/{folder}" for folder in (releases.HOME, state.STATE, state.PREVIOUS_STATE)),
        Path(steps.COPY).name, boot.SPI, boot.I2C, boot.SPI1,
    )  # fmt: skip
    assert [what for what in changed if what not in text] == []
