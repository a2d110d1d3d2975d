"""Tests of ``fakepi run``: unmodified programs of several languages."""

import platform
import shlex
import signal
import socket
import subprocess
import sys
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest

from fakepi.__main__ import main
from fakepi.kernel.libraries import borrow_libraries
from tests.fakepi.programs import (
    AT_CTRL_C,
    COMMAND,
    EXAMPLES,
    compiled,
    environment,
    fakepi,
    press_ctrl_c,
)

pytestmark = pytest.mark.long

UIDS = ("04:11:22:33:44:55:66", "A1:B2:C3:D4")


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in a folder without a wiring file; skip where nothing can be answered."""
    monkeypatch.chdir(tmp_path)
    done = fakepi("run", "--", "true")
    if done.returncode == 2:
        pytest.skip(done.stderr)


@pytest.fixture
def reads_uid(tmp_path: Path) -> Path:
    return compiled(EXAMPLES / "spidev_uid.c", tmp_path)


@pytest.mark.parametrize("uid", UIDS)
def test_a_c_program_reads_the_tag(reads_uid: Path, uid: str) -> None:
    done = fakepi("run", "--tag", uid, "--", reads_uid)
    assert (done.stdout, done.returncode) == (f"RC522 version 92\n{uid}\n", 0)


def test_the_trace_is_written_at_the_end(reads_uid: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace.txt"
    fakepi("run", "--trace", trace, "--physics", "exact", "--tag", UIDS[0], "--", reads_uid)
    lines = trace.read_text().splitlines()
    assert lines[0].endswith("field 0.0 tag 04:11:22:33:44:55:66 laid")
    assert any(line.endswith("spi 0.0   read VersionReg = 92h") for line in lines)
    assert any(line.endswith("air 0.0   REQA -> 44 00") for line in lines)


def test_a_c_program_finds_no_tag(reads_uid: Path) -> None:
    assert fakepi("run", "--", reads_uid).stdout == "RC522 version 92\nno tag\n"


def test_a_node_that_is_not_wired_does_not_exist(reads_uid: Path) -> None:
    Path("fakepi.toml").write_text('[spi]\n"0.1" = "mfrc522"')
    assert fakepi("run", "--", reads_uid, "/dev/spidev0.1").returncode == 0
    for node in ("/dev/spidev0.0", "/dev/i2c-1"):
        done = fakepi("run", "--", reads_uid, node)
        assert (done.stderr, done.returncode) == (f"{node}: No such file or directory\n", 1)


@pytest.mark.parametrize("uid", UIDS)
def test_the_library_mfrc522_reads_the_tag(uid: str, tmp_path: Path) -> None:
    """It cuts a long UID to the cascade tag and three bytes (``test_stock_mfrc522``)."""
    missing = [name for name in ("mfrc522", "RPi", "lgpio") if find_spec(name) is None]
    missing += borrow_libraries(tmp_path / "libraries")
    if missing:
        pytest.skip(f"no {missing[0]} for this Python: pip install mfrc522 rpi-lgpio")
    done = fakepi("run", "--tag", uid, "--", sys.executable, EXAMPLES / "mfrc522_uid.py")
    seen = uid if len(uid) == 11 else f"88:{uid[:8]}"
    assert (done.stdout, done.stderr) == (f"{seen}\n", "")


WIRING = """
[spi]
"1.2" = "mfrc522"
[i2c]
"0.0x3D" = "sh1106"
"""


def test_the_wiring_file_says_which_nodes_there_are(tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text(WIRING)
    look = "ls /dev/spidev* /dev/i2c-*"
    done = fakepi("run", "--wiring", "w.toml", "--", "sh", "-c", look)
    assert done.stdout.split() == ["/dev/i2c-0", "/dev/spidev1.2"]
    done = fakepi("run", "--", "sh", "-c", look)
    assert done.stdout.split() == ["/dev/i2c-1", "/dev/spidev0.0"]


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--", "no-such-program"], 127, "no-such-program cannot be started: No such file"),
        (["--wiring", "none.toml", "--", "true"], 2, "none.toml: No such file or directory. Give"),
        (["--tag", "04:11", "--", "true"], 2, '"04:11" is not the UID of a tag'),
        ([], 2, "the following arguments are required: command"),
        (
            ["python", "-c", "1"],
            2,
            "unknown: -c 1. Put -- before the program: fakepi run -- python",
        ),
        (["--trace", "no/file", "--", "true"], 2, "no/file: No such file or directory. Give"),
        (["--physics", "good", "--", "true"], 2, "invalid choice: 'good'"),
    ],
)
def test_mistakes_are_explained(arguments: list[str], code: int, says: str) -> None:
    done = fakepi("run", *arguments)
    assert done.returncode == code
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_byte_that_is_not_defined_is_explained() -> None:
    code = """
import errno, os
node = os.open("/dev/spidev0.0", os.O_RDWR)
try: os.write(node, bytes((0x00, 0x55)))
except OSError as error: print(errno.errorcode[error.errno])
"""
    done = fakepi("run", "--", sys.executable, "-c", code)
    wrong = "A chip got what its data sheet does not define: register 00h is reserved"
    assert (done.stdout, done.stderr) == ("EIO\n", f"{wrong} (MFRC522 data sheet, table 20)\n")


def test_a_wired_uart_is_refused() -> None:
    Path("fakepi.toml").write_text('[uart]\nserial0 = "pn532"')
    done = fakepi("run", "--", "true")
    assert done.returncode == 2
    assert "fakepi.toml: [uart] is for Python tests only." in done.stderr


def test_a_long_list_of_the_nodes_is_complete_and_has_no_complaint() -> None:
    """`ls -l` asks for the access control list of each file, an extended attribute."""
    done = fakepi("run", "--", "ls", "-l", "/dev/spidev0.0", "/dev/i2c-1")
    assert [line.split()[-1] for line in done.stdout.splitlines()] == [
        "/dev/i2c-1",
        "/dev/spidev0.0",
    ]
    assert (done.stderr, done.returncode) == ("", 0)


def test_a_node_has_no_extended_attributes() -> None:
    code = """
import errno, os
print(os.listxattr("/dev/spidev0.0"), os.listxattr("/dev/i2c-1", follow_symlinks=False))
for node in ("/dev/spidev0.0", "/dev/spidev0.1"):
    for follows in (True, False):
        try: os.getxattr(node, "user.name", follow_symlinks=follows)
        except OSError as error: print(errno.errorcode[error.errno])
"""
    done = fakepi("run", "--", sys.executable, "-c", code)
    assert done.stdout.split() == ["[]", "[]", "ENODATA", "ENODATA", "ENOENT", "ENOENT"]


def test_a_python_program_that_lacks_no_library_hears_of_none() -> None:
    done = fakepi("run", "--", sys.executable, "-c", "print('done')")
    assert (done.stdout, done.stderr) == ("done\n", "")


def test_exit_codes_are_those_of_the_program() -> None:
    assert fakepi("run", "--", "sh", "-c", "exit 7").returncode == 7
    assert fakepi("run", "--", "sh", "-c", "kill -KILL $$").returncode == 128 + signal.SIGKILL


@pytest.mark.parametrize(("program", "printed", "code"), AT_CTRL_C)
def test_ctrl_c_is_the_program_s(program: str, printed: str, code: int) -> None:
    assert press_ctrl_c("run", "--", sys.executable, "-c", program) == (printed, code)


def test_ctrl_c_before_the_program_has_started_ends_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "fakepi.__main__.check_support", partial(signal.raise_signal, signal.SIGINT)
    )
    assert main(["run", "--", "true"]) == 130


def test_a_program_that_is_run_with_ctrl_c_off_has_it_off_too() -> None:
    """A shell switches it off for a program in the background of a script."""
    code = "import signal; print(signal.getsignal(signal.SIGINT).name)"
    command = shlex.join((*COMMAND, "run", "--", sys.executable, "-c", code))
    done = subprocess.run(
        ("sh", "-c", f"trap '' INT; {command}"),
        check=False,
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("SIG_IGN\n", "")


def test_without_seccomp_it_says_what_to_use(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Windows")
    assert main(["run", "--", "true"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("Device nodes need Linux, and this is Windows. Python programs can use")
    assert "fakepi bridge" in said


def test_the_command_needs_nothing_of_linux_before_it_has_looked() -> None:
    """On Windows there is no fcntl and no resource; the command still explains itself."""
    code = """
import platform, sys
sys.modules.update(dict.fromkeys(("fcntl", "resource")))
platform.system = lambda: "Windows"
from fakepi.__main__ import main
sys.exit(main(["run", "--", "true"]))
"""
    done = subprocess.run(
        (sys.executable, "-c", code),
        check=False,
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert done.stderr.startswith("Device nodes need Linux, and this is Windows.")


def test_a_port_in_use_is_explained() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        done = fakepi("run", "--window", port, "--", "true")
    assert (done.returncode, done.stderr) == (
        2,
        f"Port {port}: Address already in use. Use another one.\n",
    )
