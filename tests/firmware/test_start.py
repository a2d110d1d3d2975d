"""The start of ``tapmat``: which modules are imported, and how Ctrl-C ends it at each moment."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from importlib.metadata import version
from pathlib import Path

import click
import pytest
import typer
from typer.testing import CliRunner

from firmware.boxes.register import BOXES
from firmware.commands import interface
from firmware.commands.interface import app
from firmware.common.errors import FolderInUse
from firmware.journal.journal import lock_folder
from firmware.plan.templates import TEMPLATES
from firmware.voice.words import languages
from firmware.web.listening import listen
from tests.effort import long_unless
from tests.firmware.archive.kept import play
from tests.ports import free_port

COMMANDS = (
    *(
        "play",
        "pieces",
        "doctor",
        "companion",
        "mqtt",
        "safe",
        "update",
        "wiring",
        "enrol",
        "voice",
    ),
    *("journal", "hall"),
    *("bench", "rehearse", "robots", "sim"),
)
COLUMNS = 80

# Sends SIGINT when the module MODULE is first imported, to hit a known moment of the start.
INTERRUPTING = """
import importlib.abc, os, signal, sys

class AtImport(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == MODULE:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

import firmware.commands.start
sys.meta_path.insert(0, AtImport())
firmware.commands.start.main()
"""

# Prints the names of all imported modules to stderr.
LIST_MODULES = """
import sys
import firmware.commands.start
try:
    firmware.commands.start.main()
finally:
    print(*sys.modules, sep="\\n", file=sys.stderr)
"""

# Sends SIGINT in a destructor, where Python cannot raise, while the command runs.
IN_A_DESTRUCTOR = """
import os, signal, sys
from threading import Event
import firmware.commands.start, firmware.commands.pieces
from tests.effort import long_unless

class Interrupting:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)

def run(*_args):
    Interrupting()
    Event().wait(10.0)  # until it is interrupted
    sys.stdout.write("not interrupted")
    return 0

firmware.commands.pieces.run_games = run
firmware.commands.start.main()
"""

with_sigint = pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT to itself")


def python(program: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run *program* with the arguments *words*, from a parent that does not ignore Ctrl-C."""
    return subprocess.run(
        [sys.executable, "-c", program, *words],
        capture_output=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def listed(words: list[str]) -> dict[str, str]:
    """Return the commands in the help of ``tapmat`` *words*, each with its line of help."""
    output = CliRunner().invoke(app, [*words, "--help"], terminal_width=COLUMNS).output
    lines = output.partition("Commands:\n")[2].splitlines()
    return dict(line.strip().split(maxsplit=1) for line in lines)


def test_help_names_every_command_with_a_whole_line_of_help() -> None:
    commands = listed([])
    assert tuple(commands) == COMMANDS
    for words in ([], ["journal"], ["voice"]):
        assert [text for text in listed(words).values() if not text.endswith(".")] == []
        assert [text for text in listed(words).values() if text.endswith("...")] == []


def all_commands(
    command: click.Command | None = None, context: click.Context | None = None
) -> Iterator[tuple[click.Command, click.Context]]:
    """Yield every command and group, each with the context of its help."""
    command = command or typer.main.get_command(app)
    context = context or click.Context(command, info_name="tapmat", terminal_width=COLUMNS)
    yield command, context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from all_commands(inner, click.Context(inner, context, name))


def test_no_help_has_a_backslash_or_a_long_line() -> None:
    helps = {context.command_path: command.get_help(context) for command, context in all_commands()}
    assert {"tapmat bench", "tapmat enrol", "tapmat journal show"} <= set(helps)
    assert "[default: 1000; x>=1]" in helps["tapmat bench"]
    assert {path for path, text in helps.items() if "\\" in text} == set()
    lines = [line for text in helps.values() for line in text.splitlines()]
    assert [line for line in lines if len(line) > COLUMNS] == []


def test_help_loads_no_more_than_the_options_of_the_commands() -> None:
    done = python(LIST_MODULES, "--help")
    assert done.returncode == 0
    loaded = set(done.stderr.split())
    ours = {name for name in loaded if name.split(".")[0] in {"firmware", "sim", "engines"}}
    assert {name for name in ours if not name.startswith("firmware.commands")} <= {
        *("engines", "engines.common", "engines.common.errors", "engines.common.pieces"),
        *("firmware", "firmware.common", "firmware.common.errors", "sim", "sim.commands"),
    }
    heavy = {"aiohttp", "asyncio", "babel", "gpiozero", "mfrc522", "PIL", "rich", "sqlite3"}
    assert loaded & heavy == set()


def test_the_version_is_that_of_the_package() -> None:
    assert CliRunner().invoke(app, ["--version"]).output == f"tapmat {version('tapmat')}\n"


def test_what_the_options_say_of_other_rooms_is_so() -> None:
    assert (BOXES[0], BOXES[-1]) == interface.BOXES
    assert tuple(interface.TEMPLATES.split("|")) == TEMPLATES


def test_a_language_that_the_table_lacks_is_refused_with_those_it_has() -> None:
    result = CliRunner().invoke(app, ["voice", "lines", "dee"])
    assert type(result.exception).__name__ == "UnknownLanguage"
    assert all(language in str(result.exception) for language in languages())
    assert str(result.exception).endswith('Did you mean "de"?')


@with_sigint
@pytest.mark.parametrize(
    "module",
    long_unless(
        ("firmware.commands.cli", "typer", "sqlite3").__contains__,
        [
            *("firmware.commands.first_screen", "firmware.commands.cli", "typer", "click"),
            *("firmware.commands.journal_interface", "firmware.commands.journal"),
            *("sqlite3", "babel", "engines.camargue", "firmware.runtime.controller"),
            *("rich.console", "firmware.journal.recovery", "firmware.archive.listing"),
        ],
    ),
)
def test_ctrl_c_during_the_start_ends_it_quietly(module: str, tmp_path: Path) -> None:
    play(tmp_path, acts=1)  # a list without games would import less
    words = ("journal", "list", "--state", str(tmp_path))
    done = python(f"MODULE = {module!r}\n{INTERRUPTING}", *words)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@with_sigint
def test_ctrl_c_in_a_destructor_ends_it_quietly() -> None:
    done = python(IN_A_DESTRUCTOR, "pieces")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@with_sigint
def test_ctrl_c_is_ignored_where_the_parent_ignores_it(tmp_path: Path) -> None:
    """A shell makes commands in the background ignore Ctrl-C."""
    program = f"MODULE = 'typer'\n{INTERRUPTING}"
    done = subprocess.run(
        [sys.executable, "-c", program, "--version"],
        capture_output=True,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
        env=os.environ,
    )
    assert (done.returncode, done.stderr) == (0, b"")


# --- errors before anything is started -----------------------------------------------------------


def test_a_port_in_use_is_told_before_the_program_is_loaded(tmp_path: Path) -> None:
    with closing(listen("127.0.0.1", 0)[0]) as listening:
        port = listening.getsockname()[1]
        done = python(
            LIST_MODULES, "sim", "--no-open", "--port", str(port), "--state", str(tmp_path)
        )
    message, *modules = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (2, "")
    assert message == (
        f"127.0.0.1:{port}: another program is using it. "
        f"Use another port: tapmat sim --port {port + 1}"
    )
    assert {"aiohttp", "firmware.runtime.controller", "sim.mat.mat"} & set(modules) == set()


@pytest.mark.parametrize(
    "words", [("play",), ("play", "--sim"), ("sim", "--no-open", "--port", "0")]
)
def test_a_second_instance_is_told_before_the_program_is_loaded(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    words = tuple(str(free_port()) if word == "0" else word for word in words)
    with closing(lock_folder(tmp_path / "journal.sqlite")):
        done = python(LIST_MODULES, *words, "--state", str(tmp_path))
    message, *modules = done.stderr.splitlines()
    assert done.returncode == 4
    assert message.startswith(f"{tmp_path} is in use: another tapmat ")
    assert {"aiohttp", "firmware.runtime.controller", "sim.mat.mat"} & set(modules) == set()


def test_a_second_virtual_table_on_the_same_port_is_told_that_the_folder_is_in_use(
    tmp_path: Path,
) -> None:
    with (
        closing(lock_folder(tmp_path / "journal.sqlite")),
        closing(listen("127.0.0.1", 0)[0]) as listening,
    ):
        port = str(listening.getsockname()[1])
        result = CliRunner().invoke(
            app, ["sim", "--no-open", "--port", port, "--state", str(tmp_path)]
        )
    assert isinstance(result.exception, FolderInUse)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", ""])
def test_every_address_of_a_host_is_listened_on(host: str) -> None:
    sockets = listen(host, 0)
    try:
        assert all(one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) for one in sockets)
    finally:
        for one in sockets:
            one.close()
