"""Tests of /dev/gpiochip0, by programs that make the raw system calls."""

import subprocess
import time

import pytest

from fakepi.kernel.gpiochip import GpioChipNode
from fakepi.kernel.pins import Header, PulseMeter
from tests.fakepi.kernel.child import LIMIT_S, Children


@pytest.fixture
def header() -> Header:
    return Header()


@pytest.fixture
def children(children: Children, header: Header) -> Children:
    children.files.add_node("/dev/gpiochip0", GpioChipNode((254, 0), header))
    return children


CHIP = 'chip = open_node("/dev/gpiochip0")\n'


def wait_for_level(header: Header, pin: int, level: bool) -> None:
    deadline = time.monotonic() + LIMIT_S
    while header.pin(pin).level is not level:
        assert time.monotonic() < deadline, f"GPIO{pin} stays {'low' if level else 'high'}"
        time.sleep(0.001)


def test_the_chip_and_its_lines_describe_themselves(children: Children) -> None:
    told = children.ask(
        CHIP
        + """
told["chip"] = chip_info(chip)
told["free"] = line_info(chip, 17)
lines = request_lines(chip, [17, 18], OUTPUT | ACTIVE_LOW, consumer=b"lamp")
told["taken"] = line_info(chip, 18)
told["beyond"] = error_of(lambda: line_info(chip, 58))
told["unknown"] = error_of(lambda: fcntl.ioctl(chip, 0xB499, 0))
"""
    )
    assert told == {
        "chip": ["gpiochip0", "pinctrl-bcm2711", 58],
        "free": ["GPIO17", "", 17, 1 << 2],
        "taken": ["GPIO18", "lamp", 18, 1 << 3 | 1 << 1 | 1],
        "beyond": "EINVAL",
        "unknown": "ENOTTY",
    }


def test_outputs_reach_what_is_wired_to_the_pins(children: Children, header: Header) -> None:
    levels: list[float] = []
    header.pin(17).wires.append(levels.append)
    told = children.ask(
        CHIP
        + """
lines = request_lines(chip, [17, 18], OUTPUT, values=0b01)
told["first"] = get_values(lines, 0b11)
set_values(lines, 0b10, 0b11)
told["then"] = get_values(lines, 0b11)
set_values(lines, 0b01, 0b01)
low = request_lines(chip, [19], OUTPUT | ACTIVE_LOW, values=1)
told["active low"] = get_values(low, 1)
print("end", file=sys.stderr)
""",
        stderr=subprocess.DEVNULL,
    )
    assert told == {"first": 0b01, "then": 0b10, "active low": 1}
    wait_for_level(header, 17, False)
    assert levels == [1.0, 0.0, 1.0, 0.0]  # at last the program has ended: its pull is down


def test_inputs_follow_pulls_and_contacts(children: Children, header: Header) -> None:
    header.pin(23).ground(True)
    told = children.ask(
        CHIP
        + """
told["own pulls"] = get_values(request_lines(chip, [2, 22], INPUT), 0b11)
told["pulled up"] = get_values(request_lines(chip, [23, 24], INPUT | PULL_UP), 0b11)
inverted = request_lines(chip, [25], INPUT | PULL_DOWN | ACTIVE_LOW)
told["inverted"] = get_values(inverted, 1)
told["output of an input"] = error_of(lambda: set_values(inverted, 1, 1))
told["nothing"] = error_of(lambda: get_values(inverted, 0))
set_config(inverted, 1, OUTPUT)
told["now an output"] = error_of(lambda: set_values(inverted, 1, 1))
"""
    )
    assert told == {
        "own pulls": 0b01,
        "pulled up": 0b10,
        "inverted": 1,
        "output of an input": "EPERM",
        "nothing": "EINVAL",
        "now an output": "",
    }


def test_a_line_is_given_once(children: Children, header: Header) -> None:
    header.pin(5).is_held = True
    told = children.ask(
        CHIP
        + """
lines = request_lines(chip, [17], INPUT)
told["again"] = error_of(lambda: request_lines(chip, [16, 17], INPUT))
told["twice"] = error_of(lambda: request_lines(chip, [16, 16], INPUT))
told["held"] = error_of(lambda: request_lines(chip, [5], INPUT))
told["held by"] = line_info(chip, 5)[1]
os.close(lines)
told["closed"] = error_of(lambda: request_lines(chip, [16, 17], INPUT))
"""
    )
    assert told == {
        "again": "EBUSY",
        "twice": "EBUSY",
        "held": "EBUSY",
        "held by": "another program",
        "closed": "",
    }


def test_flags_that_exclude_each_other_are_refused(children: Children) -> None:
    told = children.ask(
        CHIP
        + """
for name, flags in {
    "both directions": INPUT | OUTPUT,
    "an output with edges": OUTPUT | RISING,
    "a drain of an input": INPUT | 1 << 6,
    "drain and source": OUTPUT | 1 << 6 | 1 << 7,
    "two pulls": INPUT | PULL_UP | PULL_DOWN,
    "a pull without direction": PULL_UP,
    "an unknown flag": INPUT | 1 << 20,
}.items():
    told[name] = error_of(lambda: request_lines(chip, [17], flags))
told["no lines"] = error_of(lambda: request_lines(chip, [], INPUT))
told["no such line"] = error_of(lambda: request_lines(chip, [58], INPUT))
told["right"] = error_of(lambda: request_lines(chip, [17], INPUT | PULL_UP | RISING))
"""
    )
    assert told.pop("right") == ""
    assert set(told.values()) == {"EINVAL"}


EDGES = (
    CHIP
    + """
import select, time
lines = request_lines(chip, [23, 24], INPUT | PULL_UP | RISING | FALLING)
print("ready", flush=True)
poll = select.poll()
poll.register(lines, select.POLLIN)
while poll.poll(500):
    began, event = time.monotonic_ns(), read_event(lines)
    age_ns = began - event[0]
    assert 0 <= age_ns < 60e9, age_ns
    told.setdefault("events", []).append(event[1:])
print(json.dumps(told))
"""
)


@pytest.mark.long
def test_edges_are_told_with_their_time_and_number(children: Children, header: Header) -> None:
    with children.start(EDGES) as program:
        assert program.process.stdout is not None
        assert program.process.stdout.readline() == "ready\n"
        with children.lock:
            header.pin(23).ground(True)
            header.pin(24).drive_low()
            header.pin(23).ground(False)
            header.pin(22).ground(True)  # nobody asked for this line
        told = program.process.stdout.readline()
    rising, falling = 1, 2
    events = [[falling, 23, 1, 1], [falling, 24, 2, 1], [rising, 23, 3, 2]]
    assert told == f'{{"events": {events}}}\n'


@pytest.mark.long
def test_only_the_edges_asked_for_are_reported(children: Children, header: Header) -> None:
    code = EDGES.replace("RISING | FALLING", "FALLING | ACTIVE_LOW")
    with children.start(code) as program:
        assert program.process.stdout is not None
        assert program.process.stdout.readline() == "ready\n"
        with children.lock:
            header.pin(23).ground(True)  # active: a rising edge for the program
            header.pin(23).ground(False)
        told = program.process.stdout.readline()
    assert told == '{"events": [[2, 23, 1, 1]]}\n'


def test_pulses_have_a_duty_and_a_frequency() -> None:
    now_ns = 0
    meter = PulseMeter(lambda: now_ns)
    assert (meter.duty, meter.frequency_hz) == (0.0, None)
    for _ in range(3):
        now_ns += 3_000_000
        meter.record(True, now_ns)
        now_ns += 1_000_000
        meter.record(False, now_ns)
    assert (meter.duty, meter.frequency_hz) == (0.25, 250.0)
    now_ns += 100_000_000
    assert (meter.duty, meter.frequency_hz) == (0.0, None)
    meter.record(True, now_ns)
    assert (meter.duty, meter.frequency_hz) == (1.0, None)


def test_a_program_s_pulses_are_measured(children: Children, header: Header) -> None:
    code = (
        CHIP
        + """
import time
lines = request_lines(chip, [12], OUTPUT)
while True:
    for level in (1, 0):
        set_values(lines, level, 1)
        time.sleep(0.001)
"""
    )
    with children.start(code):
        pin = header.pin(12)
        deadline = time.monotonic() + LIMIT_S
        while pin.frequency is None:
            assert time.monotonic() < deadline, "GPIO12 carries no pulses"
            time.sleep(0.001)
    wait_for_level(header, 12, False)
    assert pin.state == 0.0
    assert not pin.frequency
