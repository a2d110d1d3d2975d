"""What the documents show to type is typed: each command runs, or says here why it does not."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from firmware.config import DEFAULT_TABLE_TOML
from firmware.pi import boot, steps
from firmware.pi.__main__ import _parser as installer
from tests.docs.pages import COMMANDS, MANUAL, ROOT, SYSTEM, Page, page
from tests.firmware.archive.kept import play

BIN = Path(sys.executable).parent

# What is added to a command that would need the parts of a table, or minutes.
ADDED = {
    "play": ("--sim",),
    "doctor": ("--sim",),
    "enrol": ("--sim",),
    "bench": ("--taps", "5", "--no-cpu"),
    "robots": ("--games", "1"),
}

# What needs a box that somebody has enrolled: it says so, and ends in 2, as nobody has here.
NEEDS_STICKERS = (("tapmat", "enrol", "straw", "--deck", "straw.toml"),)

# What needs a loudspeaker, which a test's computer may not have: it says so, and ends in 1.
NEEDS_SOUND = ("tapmat", "voice", "say")

# The longest is run on the page that is about it.
ONCE = {"bench": "docs/bench.md"}

# What is shown and not done, and why. That make and the installer know the words is tested.
NOT_DONE = {
    "make": "installs packages, opens a page or runs these very tests; make says what it would do",
    "./install-pi": "changes the computer; tests/firmware/test_pi_setup.py has it change a folder",
}
NOT_OURS = {
    "git pull": "fetches what there is",
    "sudo apt": "installs packages of the system",
    "sudo nano": "waits for a person",
    "sudo shutdown": "ends this computer's day",
    "sudo reboot": "starts the computer anew",
    "sudo systemctl": "needs the service, which a test's computer does not have",
    "sudo journalctl": "needs the service",
    "sudo -u": "is the service's own program on its own state",
}

Command = tuple[str, ...]


def ours(words: Command) -> Command:
    """*words* from the command of ours on; nothing if they are the system's."""
    words = words[1:] if words[:1] == ("sudo",) else words
    return words if words[0] in COMMANDS else ()


def kind(words: Command) -> str:
    """What a command of the system is listed under."""
    return " ".join(words[:2])


def shown(shows: Page) -> list[Command]:
    """Every line of *shows* that is a command."""
    return [words for fence in shows.fences if fence.is_commands for words in fence.lines]


ALL = [words for shows in MANUAL for words in shown(shows)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with what the documents say a maker has: a table of the own, and the project's.

    And a game that was played.
    """
    (tmp_path / "state").mkdir()
    play(tmp_path / "state")
    (tmp_path / "my-table.toml").write_bytes(DEFAULT_TABLE_TOML.read_bytes())
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    return tmp_path


def started(words: Sequence[str], folder: Path) -> subprocess.Popen[str]:
    """The installed command, in *folder*, with nothing more to type."""
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
    """*words* with what a test adds to them; of two values the last one counts."""
    return (*words, *ADDED.get(words[1], ()))


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


def serve(words: Command, folder: Path) -> None:
    """Have ``tapmat sim`` serve its page, and end it as a person does."""
    port = ("--no-open", "--port", str(free_port()))
    with started([*words, *port], folder) as serving:
        assert serving.stdout is not None
        said = serving.stdout.readline()
        serving.send_signal(signal.SIGINT)
        assert "The table is at http://127.0.0.1:" in said, said + serving.stdout.read()
        assert serving.wait() in (0, 130)


@pytest.mark.parametrize("shows", MANUAL, ids=lambda shows: shows.name)
def test_commands_of_the_page_run(shows: Page, folder: Path) -> None:
    """One after the other in one folder, as who follows the page would."""
    done: set[Command] = set()
    for words in shown(shows):
        if ours(words)[:1] != ("tapmat",):
            continue
        command = completed(ours(words))
        if command in done or ONCE.get(command[1], shows.name) != shows.name:
            continue
        done.add(command)
        if command[1] == "sim":
            serve(command, folder)
            continue
        with started(command, folder) as running:
            said, _ = running.communicate()
            expected = {2} if command[:5] in NEEDS_STICKERS else {0}
            if command[:3] == NEEDS_SOUND:
                expected.add(1)
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
        *(f"/{file}" for file in (steps.CONFIG, steps.TABLE, steps.COMMAND, steps.MODULES)),
        *(f"/{folder}" for folder in (steps.HOME, steps.STATE, steps.KEPT_STATE)),
        Path(steps.COPY).name, boot.SPI, boot.I2C, boot.SPI1,
    )  # fmt: skip
    assert [what for what in changed if what not in text] == []
