"""A program that uses gpiod: what it prints is the same with the real library and the drop-in."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import gpiod  # type: ignore[import-not-found]  # it is where this runs
from gpiod.line import (  # type: ignore[import-not-found]
    Bias,
    Clock,
    Direction,
    Drive,
    Edge,
    Value,
)

PATH = "/dev/gpiochip0"
IN, OUT = Direction.INPUT, Direction.OUTPUT
ON, OFF = Value.ACTIVE, Value.INACTIVE


def settings(**wanted: Any) -> Any:
    return gpiod.LineSettings(**wanted)


def show(what: str, *values: object) -> None:
    print(f"{what}: {', '.join(map(str, values))}")


def ask(what: str, act: Callable[[], object]) -> None:
    """Print the result of *act*, or the error."""
    try:
        show(what, act())
    except Exception as error:
        show(what, type(error).__name__, error.args)


def show_line(chip: Any, line: int | str) -> None:
    info = chip.get_line_info(line)
    show(f"line {line}", info.offset, info.name, info.used, info.consumer, info.direction)
    show("  ", info.active_low, info.bias, info.drive, info.edge_detection, info.event_clock)
    show("  ", info.debounced, info.debounce_period)


def request(config: Any, **more: Any) -> Any:
    return gpiod.request_lines(PATH, config, **more)


def levels() -> None:
    config = {17: settings(direction=OUT, output_value=ON), (22, "GPIO23"): settings(direction=OUT)}
    with request(config, consumer="levels") as lines, gpiod.Chip(PATH) as chip:
        show("levels", lines.offsets, lines.lines, lines.num_lines, lines.chip_name, bool(lines))
        show("  ", lines.get_values(), lines.get_values([23, 22]), lines.get_value("GPIO23"))
        lines.set_values({22: ON, "GPIO23": ON})
        lines.set_value(17, OFF)
        show("  ", lines.get_values())
        show_line(chip, 22)
        ask("busy", lambda: chip.request_lines({22: None}))
        ask("not requested", lambda: lines.get_value(5))
        ask("no such name", lambda: lines.get_value("GPIO5"))
    show("released", bool(lines))
    ask("released", lines.get_values)
    with request({17: settings(direction=OUT), 22: None}, output_values={17: ON}) as lines:
        show("given values", lines.get_value(17))


def pulls_and_drives() -> None:
    for bias in (Bias.PULL_UP, Bias.PULL_DOWN):
        for active_low in (False, True):
            wanted = settings(direction=IN, bias=bias, active_low=active_low)
            with request({17: wanted}) as lines, gpiod.Chip(PATH) as chip:
                show(f"pulled {bias} {active_low}", lines.get_value(17))
                show_line(chip, "GPIO17")
                ask("an input", partial(lines.set_value, 17, ON))
    for drive, bias in ((Drive.OPEN_DRAIN, Bias.PULL_UP), (Drive.OPEN_SOURCE, Bias.PULL_DOWN)):
        wanted = settings(direction=OUT, drive=drive, bias=bias)
        with request({17: wanted}) as lines:
            seen = [lines.get_value(17)]
            lines.set_value(17, ON)
            show(f"driven {drive}", *seen, lines.get_value(17))


def edges() -> None:
    """Cause edges without wires: by the pull resistor."""
    up = settings(edge_detection=Edge.BOTH, bias=Bias.PULL_UP)
    down = settings(edge_detection=Edge.BOTH, bias=Bias.PULL_DOWN)
    with request({17: up, 22: up}, event_buffer_size=8) as lines:
        show("no edge", lines.wait_edge_events(0), lines.wait_edge_events(timedelta(0)))
        for each in (down, up, down):
            lines.reconfigure_lines({(17, 22): each})
        show("edges", lines.wait_edge_events(timedelta(seconds=1)))
        show("one", len(lines.read_edge_events(max_events=1)))
        while lines.wait_edge_events(0.01):
            for event in lines.read_edge_events():
                numbers = event.line_offset, event.global_seqno, event.line_seqno
                show("  ", event.event_type, *numbers)


def refusals() -> None:
    ask("no chip", lambda: gpiod.Chip("/dev/gpiochip9"))
    show("is a chip", gpiod.is_gpiochip_device(PATH), gpiod.is_gpiochip_device("/dev/null"))
    ask("no lines", lambda: request({}))
    ask("twice", lambda: request({17: None, (22, "GPIO17"): None}))
    ask("far away", lambda: request({999: None}))
    ask("no name", lambda: request({"LED": None}))
    ask("bias as is", lambda: request({17: settings(bias=Bias.PULL_UP)}))
    ask("open drain in", lambda: request({17: settings(direction=IN, drive=Drive.OPEN_DRAIN)}))
    wanted = settings(direction=IN, event_clock=Clock.HTE, edge_detection=Edge.BOTH)
    ask("hte", lambda: request({17: wanted}))
    chip = gpiod.Chip(PATH)
    show("chip", bool(chip), chip.path, repr(chip))
    show("by name", chip.line_offset_from_id("GPIO5"), chip.line_offset_from_id("5"))
    show_line(chip, 4)
    chip.close()
    show("chip", bool(chip), repr(chip))
    ask("closed", lambda: chip.get_line_info(17))


levels()
pulls_and_drives()
edges()
refusals()
