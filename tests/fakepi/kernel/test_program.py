"""Tests of programs whose device calls are answered: how they start, share devices and end."""

import errno
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fakepi.kernel.program import PiProgram
from fakepi.kernel.spidev import SpidevNode
from fakepi.kernel.support import NodesUnsupported, check_support
from tests.fakepi.kernel.child import LIMIT_S, PREAMBLE, PYTHONPATH, Children

NODE = "/dev/spidev0.0"


class Counter:
    """A wire that answers each byte with the number of transfers so far, and can be closed."""

    max_speed_hz = 0

    def __init__(self) -> None:
        self.transfers = 0
        self.is_closed = False

    def xfer2(self, values: list[int]) -> list[int]:
        self.transfers += 1
        return [self.transfers & 0xFF] * len(values)

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def wire() -> Counter:
    return Counter()


@pytest.fixture
def children(children: Children, wire: Counter) -> Children:
    children.files.add_node(NODE, SpidevNode((153, 0), lambda hz: wire))
    return children


def wait_until_closed(wire: Counter) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not wire.is_closed:
        assert time.monotonic() < deadline, "the device stays open"
        time.sleep(0.001)


# --- sharing ---


def test_threads_use_a_device_at_once(children: Children, wire: Counter) -> None:
    told = children.ask("""
device = open_node("/dev/spidev0.0")
def work():
    for _ in range(50):
        told.setdefault(threading.get_ident(), []).append(transfer(device, b"-")[0][0])
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
""")
    assert sorted(n for seen in told.values() for n in seen) == list(range(1, 201))


def test_processes_inherit_a_device_or_open_their_own(children: Children, wire: Counter) -> None:
    told = children.ask("""
device = open_node("/dev/spidev0.0")
reader, writer = os.pipe()
if os.fork() == 0:
    os.write(writer, transfer(device, b"-")[0])
    os._exit(0)
os.wait()
told["fork"] = os.read(reader, 1)[0]
code = "from tests.fakepi.kernel.raw import *; import sys; n = int(sys.argv[1])"
code += "; print(transfer(n, b'-')[0][0])"
handed = [sys.executable, "-c", code, str(device)]
told["handed"] = subprocess.check_output(handed, pass_fds=[device], text=True)
told["shut"] = subprocess.run(handed, stderr=subprocess.DEVNULL).returncode
opened = code.replace("int(sys.argv[1])", "open_node('/dev/spidev0.0')")
told["opened"] = subprocess.check_output([sys.executable, "-c", opened], text=True)
""")
    assert told["fork"] == 1
    assert told["handed"] == "2\n"
    assert told["shut"] != 0  # close-on-exec
    assert told["opened"] == "3\n"


def test_a_device_is_closed_with_its_last_copy(children: Children, wire: Counter) -> None:
    code = """
device = open_node("/dev/spidev0.0")
copy = os.dup(device)
os.close(device)
told = [transfer(copy, b"-")[0][0], os.write(copy, b"--"), error_of(lambda: os.write(device, b"-"))]
print(json.dumps(told), flush=True)
sys.stdin.readline()
os.close(copy)
print("closed", flush=True)
sys.stdin.readline()
"""
    with children.start(code, stdin=subprocess.PIPE) as program:
        talk = program.process
        assert talk.stdin is not None
        assert talk.stdout is not None
        assert talk.stdout.readline() == '[1, 2, "EBADF"]\n'
        assert not wire.is_closed
        talk.stdin.write("\n")
        talk.stdin.flush()
        assert talk.stdout.readline() == "closed\n"
        wait_until_closed(wire)
        talk.stdin.close()


def test_a_copy_where_plain_reads_are_not_seen_is_refused(children: Children) -> None:
    """On number 50, a write would go to the socket behind the device, and nobody would notice."""
    told = children.ask("""
device = open_node("/dev/spidev0.0")
told["high"] = os.write(os.dup2(device, 950), b"--")
told["low"] = error_of(lambda: os.dup2(device, 50))
told["others"] = os.dup2(1, 960)
""")
    assert told == {"high": 2, "low": "EBADF", "others": 960}


def test_signals_neither_repeat_nor_lose_a_transfer(children: Children, wire: Counter) -> None:
    """A call that is interrupted before it begins is repeated by the kernel (SA_RESTART)."""
    told = children.ask("""
import signal
beats = []
signal.signal(signal.SIGALRM, lambda *_: beats.append(1))
signal.siginterrupt(signal.SIGALRM, False)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
device = open_node("/dev/spidev0.0")
seen = [transfer(device, b"-")[0][0] for _ in range(2000)]
signal.setitimer(signal.ITIMER_REAL, 0)
told["in order"] = seen == [n & 0xFF for n in range(1, 2001)]
told["beats"] = len(beats)
""")
    assert told["beats"] > 10
    if kernel() >= (5, 19):  # SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
        assert told["in order"]
        assert wire.transfers == 2000


@pytest.mark.long
def test_a_signal_is_sent_when_it_interrupts_nothing(children: Children, wire: Counter) -> None:
    code = """
import signal
signal.signal(signal.SIGUSR1, lambda *_: told.setdefault("got", True))
device = open_node("/dev/spidev0.0")
print("ready", flush=True)
while "got" not in told:
    transfer(device, b"-")
print(told, flush=True)
sys.stdin.readline()
"""
    for _ in range(5):
        with children.start(code, stdin=subprocess.PIPE) as program:
            talk = program.process
            assert talk.stdout is not None
            assert talk.stdin is not None
            assert talk.stdout.readline() == "ready\n"
            program.send(signal.SIGUSR1)
            assert talk.stdout.readline() == "{'got': True}\n"
            program.send(signal.SIGTERM)  # it makes no calls now, and gets it all the same
            assert program.wait(LIMIT_S) == -signal.SIGTERM
            talk.stdin.close()


def kernel() -> tuple[int, ...]:
    return tuple(int(part) for part in platform.release().split("-")[0].split(".")[:2])


# --- the Pi's files, by the system's own programs ---


def test_the_system_s_programs_see_the_nodes(children: Children) -> None:
    children.files.write("/proc/device-tree/model", b"Raspberry Pi 4 Model B\0")
    children.files.add_link("/sys/bus/spi/devices/spi0.0/driver", "../../drivers/spidev")
    told = children.ask("""
def run(*command):
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()
told["stat"] = run("stat", "--format=%F %t:%T %a", "/dev/spidev0.0")
told["listed"] = run("sh", "-c", "ls /dev/spidev*")
told["test"] = run("sh", "-c", "cd /dev; test -c spidev0.0 && test -w spidev0.0 && echo yes")
told["cat"] = run("cat", "/proc/device-tree/model")
told["link"] = run("readlink", "/sys/bus/spi/devices/spi0.0/driver")
told["own"] = run("sh", "-c", "echo kept > /dev/null; ls /dev/null")
told["folder"] = os.listdir("/sys/bus/spi/devices")
told["listed there"] = run("ls", "/sys/bus/spi/devices")
told["written"] = error_of(lambda: os.open("/proc/device-tree/model", os.O_WRONLY))
told["created"] = error_of(lambda: os.open("/dev/spidev7.0", os.O_WRONLY | os.O_CREAT))
""")
    assert told == {
        "stat": "character special file 99:0 660",
        "listed": NODE,
        "test": "yes",
        "cat": "Raspberry Pi 4 Model B\0",
        "link": "../../drivers/spidev",
        "own": "/dev/null",
        "folder": ["spi0.0"],
        "listed there": "spi0.0",
        "written": "EACCES",
        "created": "ENOENT",
    }


def test_a_program_finds_the_node_that_it_has_open(children: Children) -> None:
    told = children.ask("""
device = open_node("/dev/spidev0.0")
told["own"] = os.readlink(f"/proc/self/fd/{device}")
told["by number"] = os.readlink(f"/proc/{os.getpid()}/fd/{device}")
told["other"] = os.readlink("/proc/self/fd/1")[:5]
""")
    assert told == {"own": NODE, "by number": NODE, "other": "pipe:"}


# --- the ends ---


def test_a_killed_program_leaves_nothing_behind(children: Children, wire: Counter) -> None:
    code = 'device = open_node("/dev/spidev0.0")\nprint("ready", flush=True)\n'
    with children.start(code + 'while True: transfer(device, b"-")') as program:
        assert program.process.stdout is not None
        program.process.stdout.readline()
        program.process.kill()
        assert program.wait(LIMIT_S) == -signal.SIGKILL
        wait_until_closed(wire)


def test_a_child_that_outlives_the_program_is_answered(children: Children, wire: Counter) -> None:
    """The answers end with the last process, not with the first."""
    code = """
if os.fork():
    os._exit(3)
device = open_node("/dev/spidev0.0")
while True:
    print(transfer(device, b"-")[0][0], flush=True)
    sys.stdin.readline()
"""
    with children.start(code, stdin=subprocess.PIPE) as program:
        assert program.wait(LIMIT_S) == 3
        talk = program.process
        assert talk.stdin is not None
        assert talk.stdout is not None
        for number in range(1, 4):
            assert talk.stdout.readline() == f"{number}\n"
            talk.stdin.write("\n")
            talk.stdin.flush()
        talk.stdout.close()  # so that the child ends
        talk.stdin.close()


SUPERVISED = """
import sys, time
from pathlib import Path
from fakepi.kernel.spidev import SpidevNode
from tests.fakepi.kernel.child import Children
from tests.fakepi.kernel.test_program import Counter

children = Children(Path(sys.argv[1]))
children.files.add_node("/dev/spidev0.0", SpidevNode((153, 0), lambda hz: Counter()))
with children.start(sys.argv[2], stdout=None) as program:
    program.wait()
"""
ENDLESS = """
device = open_node("/dev/spidev0.0")
if os.fork() == 0:
    while not (error := error_of(lambda: transfer(device, b"-"))):
        pass
    print(error, flush=True)
    os._exit(0)
print("ready", flush=True)
while True:
    signal.pause()
"""


def test_programs_notice_that_nobody_answers_any_more(tmp_path: Path) -> None:
    """The program gets SIGTERM. Its child has no such parent; its next call fails with ENOSYS."""
    command = [sys.executable, "-c", SUPERVISED, str(tmp_path), "import signal" + ENDLESS]
    environment = {**os.environ, "PYTHONPATH": PYTHONPATH}
    talk = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    assert talk.stdout is not None
    line = talk.stdout.readline()
    if not line:
        pytest.skip("this computer cannot emulate device nodes")
    assert line == "ready\n"
    talk.kill()
    talk.wait()
    assert talk.stdout.read() == "ENOSYS\n"  # the end of the file: both programs have ended
    talk.stdout.close()


# --- rights ---

ASK = (
    PREAMBLE
    + """
device = open_node("/dev/spidev0.0")
status = open("/proc/self/status").read()
print(transfer(device, b"-")[0][0], "CapEff:\\t0000000000000000" in status)
"""
)


def test_it_needs_no_rights_of_root(children: Children, tmp_path: Path) -> None:
    """Without any capability, root may do no more than another user with his own programs."""
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("setpriv is not installed: apt install util-linux")
    bare = [
        setpriv,
        "--securebits=+noroot,+noroot_locked",
        "--bounding-set=-all",
        "--inh-caps=-all",
    ]
    if os.geteuid() != 0:
        bare = []
    command = [*bare, sys.executable, "-c", SUPERVISED, str(tmp_path / "bare"), ASK]
    environment = {**os.environ, "PYTHONPATH": PYTHONPATH}
    done = subprocess.run(
        command, check=False, env=environment, capture_output=True, text=True, timeout=LIMIT_S
    )
    if "Skipped" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert (done.stdout, done.stderr) == ("1 True\n", "")


# --- refusals ---


def test_a_program_that_does_not_exist_is_an_error(children: Children) -> None:
    children.ask("")  # skips where nothing can be answered
    with pytest.raises(FileNotFoundError, match="no-such-program"):
        PiProgram(["no-such-program"], children.files, children.clock, children.lock)


@pytest.mark.long
def test_a_refused_filter_is_explained(children: Children) -> None:
    """The kernel allows one listener: a program that is answered cannot answer for another."""
    told = children.ask("""
from pathlib import Path
from fakepi.kernel.program import PiProgram
from fakepi.kernel.support import NodesUnsupported
try:
    PiProgram(["true"], None, None, threading.Lock())
except NodesUnsupported as unsupported:
    told["found"], told["remedy"] = unsupported.found, unsupported.remedy
""")
    busy = os.strerror(errno.EBUSY)
    assert told["found"].endswith(f"refuses seccomp user notification ({busy})")
    assert "--security-opt seccomp=unconfined" in told["remedy"]


@pytest.mark.parametrize(
    ("fact", "answer", "found"),
    [
        ("system", "Darwin", "need Linux, and this is Darwin"),
        ("machine", "armv7l", "need a 64-bit system on x86_64 and aarch64, and this is armv7l"),
        ("release", "5.10.0-28-amd64", "need Linux 5.14 or later, and this is 5.10.0-28-amd64"),
        ("release", "4.4.0", "need Linux 5.14 or later, and this is 4.4.0"),
    ],
)
def test_an_unsupported_computer_is_explained(
    monkeypatch: pytest.MonkeyPatch, fact: str, answer: str, found: str
) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(platform, "release", lambda: "6.12.25+rpt-rpi-v8")
    check_support()
    monkeypatch.setattr(platform, fact, lambda: answer)
    with pytest.raises(NodesUnsupported, match=found):
        check_support()


def test_a_strict_yama_is_explained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    scope = tmp_path / "ptrace_scope"
    monkeypatch.setattr("fakepi.kernel.support.PTRACE_SCOPE", scope)
    monkeypatch.setattr(platform, "release", lambda: "6.12.0")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    scope.write_text("1\n")
    check_support()
    scope.write_text("2\n")
    with pytest.raises(NodesUnsupported, match="ptrace_scope is 2"):
        check_support()
