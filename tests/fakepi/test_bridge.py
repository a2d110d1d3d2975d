"""Tests of ``fakepi bridge`` and of ``fakepi.h``, by C programs."""

import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from fakepi.bridge import CALL_NS, HAS_SOCKETS, REQUEST, BridgeServer
from fakepi.circuit import Circuit
from fakepi.wiring import USUAL, read_wiring
from tests.fakepi.programs import (
    AT_CTRL_C,
    COMMAND,
    EXAMPLES,
    LIMIT_S,
    compiled,
    environment,
    fakepi,
    press_ctrl_c,
)

pytestmark = [
    pytest.mark.skipif(not HAS_SOCKETS, reason="no Unix sockets"),
    pytest.mark.long,
]
UID = "04:11:22:33:44:55:66"

CALLS = """
#include <stdio.h>
#include "fakepi.h"
static void tell(const char *call, int result) {
    printf("%s %d %s\\n", call, result, result < 0 ? strerror(errno) : "");
}
int main() {
    static uint8_t long_data[5000], data[4] = {0x80 | 0x37 << 1, 0};
    static const uint8_t on[2] = {0x00, 0xAF};
    tell("open", fakepi_open(NULL));
    tell("transfer", fakepi_transfer(0, 0, data, data, 2));
    tell("version", data[1]);
    tell("rate", fakepi_spi_rate(0, 0, 1000000));
    tell("not wired", fakepi_transfer(0, 1, data, data, 2));
    tell("long", fakepi_transfer(0, 0, long_data, long_data, 4097));
    tell("read", fakepi_i2c_read(1, 0x3C, data, 1));
    tell("is off", data[0] >> 6 & 1);
    tell("write", fakepi_i2c_write(1, 0x3C, on, 2));
    tell("read", fakepi_i2c_read(1, 0x3C, data, 1));
    tell("is off", data[0] >> 6 & 1);
    tell("nobody", fakepi_i2c_write(1, 0x3D, on, 2));
    tell("no bus", fakepi_i2c_write(2, 0x3C, on, 2));
    tell("output", fakepi_pin_mode(17, 1));
    tell("level", fakepi_pin_read(17));
    tell("set", fakepi_pin_set(17, 5));
    tell("level", fakepi_pin_read(17));
    tell("pull-up", fakepi_pin_mode(18, 2));
    tell("level", fakepi_pin_read(18));
    tell("no pull", fakepi_pin_mode(18, 0));
    tell("level", fakepi_pin_read(18));
    tell("no pin", fakepi_pin_read(58));
    uint32_t before = fakepi_millis();
    tell("delay", fakepi_delay_us(1500000));
    tell("millis", (int)(fakepi_millis() - before));
    return 0;
}
"""
ANSWERS = """\
open 0
transfer 0
version 146
rate 0
not wired -1 No such device
long -1 Message too long
read 0
is off 1
write 0
read 0
is off 0
nobody -1 Remote I/O error
no bus -1 No such device
output 0
level 0
set 0
level 1
pull-up 0
level 1
no pull 0
level 0
no pin -1 Invalid argument
delay 0
millis 1500
"""


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("compiler", "name"), [("cc", "calls.c"), ("c++", "calls.cpp")])
def test_every_function_of_the_header_answers_or_refuses(
    tmp_path: Path, compiler: str, name: str
) -> None:
    (tmp_path / name).write_text(CALLS)
    done = fakepi("bridge", "--", compiled(tmp_path / name, tmp_path, compiler))
    assert done.stderr == ""
    assert [line.strip() for line in done.stdout.splitlines()] == ANSWERS.splitlines()


@pytest.mark.parametrize("tags", [[UID], []])
def test_a_sketch_with_a_chip_select_of_its_own_reads_the_tag(
    tmp_path: Path, tags: list[str]
) -> None:
    options = ["--wiring", str(EXAMPLES / "arduino.toml"), *(f"--tag={uid}@0.0/10" for uid in tags)]
    done = fakepi("bridge", *options, "--", compiled(EXAMPLES / "bridge_uid.c", tmp_path))
    version, uid, time = done.stdout.splitlines()
    assert (version, uid) == ("RC522 version 92", tags[0] if tags else "no tag")
    assert time.endswith("ms of the chip's time")


def test_the_chip_s_time_is_the_same_in_each_run(tmp_path: Path) -> None:
    arduino = EXAMPLES / "arduino.toml"
    program = compiled(EXAMPLES / "bridge_uid.c", tmp_path)
    runs = {fakepi("bridge", "--wiring", arduino, "--", program).stdout for _ in range(3)}
    assert len(runs) == 1


def test_without_a_bridge_the_program_gets_an_error(tmp_path: Path) -> None:
    program = compiled(EXAMPLES / "bridge_uid.c", tmp_path)
    for path in ("", "none"):
        done = subprocess.run(
            program,
            check=False,
            env=environment(FAKEPI_SOCKET=path),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 1
        assert done.stderr in (
            "fakepi_open: No such file or directory\n",
            "fakepi_open: Connection refused\n",
        )


# --- the protocol ---


@pytest.fixture
def path(tmp_path: Path) -> Iterator[str]:
    with BridgeServer(str(tmp_path / "s"), partial(Circuit, read_wiring(USUAL))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield str(tmp_path / "s")
        server.shutdown()
        thread.join()


def connection(path: str) -> socket.socket:
    made = socket.socket(socket.AF_UNIX)
    made.settimeout(LIMIT_S)
    made.connect(path)
    return made


def micros(made: socket.socket) -> int:
    made.send(REQUEST.pack(b"U", 0, 0, 0))
    answer = made.recv(9)
    assert answer[0] == 0
    return int.from_bytes(answer[1:], "little")


def test_each_connection_has_its_own_circuit_and_clock(path: str) -> None:
    with connection(path) as first, connection(path) as second:
        first.send(REQUEST.pack(b"D", 0, 0, 5_000_000))
        assert first.recv(1) == b"\0"
        assert micros(first) > 5_000_000
        assert micros(second) == CALL_NS // 1000


def test_a_program_that_only_looks_at_the_clock_sees_it_advance(path: str) -> None:
    with connection(path) as made:
        seen = [micros(made) for _ in range(5)]
    assert len(set(seen)) == 5


def test_the_irq_pin_of_a_reader_can_be_read(path: str) -> None:
    with connection(path) as made:

        def irq() -> bytes:
            made.send(REQUEST.pack(b"R", 24, 0, 0))
            return made.recv(2)

        made.send(REQUEST.pack(b"D", 0, 0, 1000))
        assert made.recv(1) == b"\0"
        assert irq() == b"\0\1"
        for register, value in ((0x02, 0x81), (0x2D, 0x01), (0x0C, 0x40)):  # see test_circuit
            made.send(REQUEST.pack(b"T", 0, 0, 2) + bytes((register << 1, value)))
            assert len(made.recv(3)) == 3
        made.send(REQUEST.pack(b"D", 0, 0, 1000))
        assert made.recv(1) == b"\0"
        assert irq() == b"\0\0"


def test_an_unknown_operation_is_refused(path: str) -> None:
    with connection(path) as made:
        made.send(REQUEST.pack(b"?", 0, 0, 0))
        assert made.recv(9) == b"\x16"  # EINVAL
        assert micros(made)  # the connection goes on


def test_a_transfer_that_is_too_long_ends_the_connection(path: str) -> None:
    with connection(path) as made:
        made.send(REQUEST.pack(b"T", 0, 0, 4097))
        assert made.recv(9) == b"\x5a"  # EMSGSIZE
        assert made.recv(9) == b""


# --- the command ---


def test_a_byte_that_the_chip_does_not_know_is_named(tmp_path: Path) -> None:
    source = tmp_path / "odd.c"
    source.write_text("""
#include <stdio.h>
#include "fakepi.h"
int main(void) {
    uint8_t odd[1] = {0x01};
    if (fakepi_open(NULL) || !fakepi_transfer(0, 0, odd, odd, 1)) return 1;
    puts(strerror(errno));
    return 0;
}
""")
    done = fakepi("bridge", "--", compiled(source, tmp_path))
    assert done.stdout == "Input/output error\n"
    assert done.stderr.startswith("fakepi bridge: SPI address byte 01h")


def test_the_bridge_runs_until_it_is_ended(tmp_path: Path) -> None:
    process = subprocess.Popen(
        (*COMMAND, "bridge", "--socket", "here"),
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "Answering on here. Press Ctrl-C to stop.\n"
        with connection("here") as made:
            assert micros(made)
        process.send_signal(signal.SIGINT)
        assert process.wait(LIMIT_S) == 0
    assert not Path("here").exists()


@pytest.mark.parametrize(("program", "printed", "code"), AT_CTRL_C)
def test_ctrl_c_is_the_program_s(program: str, printed: str, code: int) -> None:
    assert press_ctrl_c("bridge", "--", sys.executable, "-c", program) == (printed, code)


def test_mistakes_are_explained(tmp_path: Path) -> None:
    Path("taken").touch()
    assert "Give the path of a socket (--socket PATH)" in fakepi("bridge").stderr
    taken = fakepi("bridge", "--socket", "taken")
    assert (taken.returncode, taken.stderr) == (
        2,
        "taken: Address already in use. Give the path of a new file in an existing folder.\n",
    )
    assert Path("taken").exists()  # another program's
    done = fakepi("bridge", "--", "no-such-program")
    assert (done.returncode, "cannot be started" in done.stderr) == (127, True)
    assert fakepi("bridge", "--", sys.executable, "-c", "exit(7)").returncode == 7
