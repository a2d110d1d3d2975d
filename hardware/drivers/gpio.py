"""Lamps, controls and the buzzer on gpiozero's pins.

May import: the standard library, gpiozero, hardware.ports, hardware.errors and hardware.debounce.
May be imported by: firmware.runtime.wiring, sim, tests.

Pins are BCM GPIO numbers. Each class takes a gpiozero pin factory, so the same driver runs on real
pins and on gpiozero's mock pins.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

from gpiozero import DigitalInputDevice, OutputDevice, RotaryEncoder, TonalBuzzer
from gpiozero.tones import Tone

from hardware.debounce import Debounce, Rocking
from hardware.errors import MissingPart
from hardware.ports import Clock, ControlEvent, LampValue, Pressed, Rocked, Turned

# The buzzer's range is OCTAVES around MID_TONE: 110 to 7,040 Hz. gpiozero's default ends at 880 Hz,
# where a piezo disc is still quiet.
MID_TONE, OCTAVES = "A5", 3
# Seconds between two readings of the contacts' levels, which make up for lost edges. Each reading
# is a system call per contact.
LEVELS_S = 0.05


def _claim(stack: ExitStack, part: str, *pins: int, make: Callable[..., Any]) -> Any:
    """Return the gpiozero device that *make* opens on *pins*. *stack* closes it.

    *part* names it in messages.

    Raises:
        MissingPart: another program uses a pin, or a pin lacks a function that *make* needs.
    """
    try:
        claimed = make(*pins)
    # The errors of gpiozero and of the pin library below it have no closer base class.
    except Exception as refused:
        where = " and ".join(f"GPIO{pin}" for pin in pins)
        found = str(refused) or type(refused).__name__
        remedy = (
            "Find the program that uses the pin with: gpioinfo (sudo apt install gpiod), and end "
            "it; or give the part another pin in table.toml"
        )
        raise MissingPart(f"{part} on {where}", found, remedy) from refused
    return stack.enter_context(claimed)


class GpioLamps:
    """Lamps of one colour on pins, as a ``hardware.ports.Lamps``.

    A lamp is on at any brightness above 0. Pulses (PWM) for other levels would cost a system call
    every few milliseconds, and a fault of lgpio allows pulses on one pin only, which the buzzer
    uses (docs/decisions/0032).

    Args:
        pins: the pin of each lamp, by its name.
        pin_factory: a gpiozero pin factory; None is gpiozero's default.

    Raises:
        MissingPart: a pin cannot be used.
    """

    def __init__(self, pins: Mapping[str, int], pin_factory: Any = None) -> None:
        lamp = partial(OutputDevice, pin_factory=pin_factory)
        with ExitStack() as stack:
            self._lamps = {
                name: _claim(stack, f"lamp {name}", pin, make=lamp) for name, pin in pins.items()
            }
            self._opened = stack.pop_all()

    @property
    def names(self) -> Sequence[str]:
        """The names of the lamps this table has."""
        return tuple(self._lamps)

    def set(self, values: Mapping[str, LampValue]) -> None:
        """Switch the lamps in *values* on or off; ignore lamps that the table does not have."""
        for name in self._lamps.keys() & values.keys():
            self._lamps[name].value = values[name].brightness > 0

    def close(self) -> None:
        """Switch every lamp off and release the pins; safe to call twice."""
        self._lamps.clear()
        self._opened.close()


@dataclass(frozen=True, slots=True)
class _Contact:
    event: ControlEvent
    debounce: Debounce | Rocking


@dataclass(frozen=True, slots=True)
class _Edge:
    contact: _Contact
    at_s: float
    is_down: bool


class GpioControls:
    """The encoder, the buttons and the tilt switch, as a ``hardware.ports.Controls``.

    Every part is optional. None means that the table does not have the part. Each contact connects
    its pin to ground, and the pin is pulled up. A table without an encoder can have two buttons,
    *left* and *right*, instead; each press counts as one detent. Other threads report edges. The
    edges are queued with their time, and ``poll()`` debounces them. Every ``LEVELS_S`` seconds,
    ``poll()`` also reads the levels, because edges may be lost.

    Args:
        clock: gives the time of an edge.
        encoder: the pins A and B; turned clockwise, A leads.
        ok: the pin of the button that confirms.
        back: the pin of the button that undoes.
        action: the pin of the button that does what the display's last line says.
        left: the pin of the button for one detent counter-clockwise.
        right: the pin of the button for one detent clockwise.
        tilt: the pin of the tilt switch.
        pin_factory: a gpiozero pin factory; None is gpiozero's default.

    Raises:
        MissingPart: a pin cannot be used.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        encoder: tuple[int, int] | None = None,
        ok: int | None = None,
        back: int | None = None,
        action: int | None = None,
        left: int | None = None,
        right: int | None = None,
        tilt: int | None = None,
        pin_factory: Any = None,
    ) -> None:
        self._clock = clock
        self._seen: deque[_Edge | Turned] = deque()
        self._levels_due_s = float("-inf")  # time of the next reading of the levels
        with ExitStack() as stack:
            if encoder:
                self._open_encoder(stack, encoder, pin_factory)
            self._contacts = [  # pairs of contact and device
                self._open_contact(stack, part, pin, event, pin_factory)
                for part, pin, event in (
                    ("button ok", ok, Pressed("ok")),
                    ("button back", back, Pressed("back")),
                    ("button action", action, Pressed("action")),
                    ("button left", left, Turned(-1)),
                    ("button right", right, Turned(+1)),
                    ("tilt switch", tilt, Rocked()),
                )
                if pin is not None
            ]
            self._opened = stack.pop_all()

    def _open_encoder(self, stack: ExitStack, pins: tuple[int, int], pin_factory: Any) -> None:
        make = partial(RotaryEncoder, max_steps=0, pin_factory=pin_factory)
        encoder = _claim(stack, "encoder", *pins, make=make)
        encoder.when_rotated_clockwise = partial(self._seen.append, Turned(+1))
        encoder.when_rotated_counter_clockwise = partial(self._seen.append, Turned(-1))

    def _open_contact(
        self, stack: ExitStack, part: str, pin: int, event: ControlEvent, pin_factory: Any
    ) -> tuple[_Contact, Any]:
        make = partial(DigitalInputDevice, pull_up=True, pin_factory=pin_factory)
        device = _claim(stack, part, pin, make=make)
        debounce = Rocking if isinstance(event, Rocked) else Debounce
        contact = _Contact(event, debounce(is_down=device.is_active))
        # gpiozero holds the callback until the device is closed. A callback that referred to the
        # device would keep an unclosed one from being garbage-collected.
        add = partial(_add_edge, self._seen, self._clock, contact)
        device.when_activated = partial(add, True)
        device.when_deactivated = partial(add, False)
        return contact, device

    def poll(self) -> tuple[ControlEvent, ...]:
        """Return the events since the last poll, in order.

        Turns that follow each other are added up.
        """
        events: list[ControlEvent] = []
        while self._seen:
            seen = self._seen.popleft()
            if isinstance(seen, Turned):
                events.append(seen)
            elif seen.contact.debounce.edge(seen.at_s, seen.is_down):
                events.append(seen.contact.event)
        now_s = self._clock.now()
        if now_s >= self._levels_due_s:
            self._levels_due_s = now_s + LEVELS_S
            for contact, device in self._contacts:  # pin libraries lose edges, but levels are right
                if contact.debounce.edge(now_s, device.is_active):
                    events.append(contact.event)
        return tuple(_merge_turns(events))

    def close(self) -> None:
        """Release the pins; safe to call twice."""
        self._contacts.clear()
        self._opened.close()


def _add_edge(seen: deque[_Edge | Turned], clock: Clock, contact: _Contact, is_down: bool) -> None:
    seen.append(_Edge(contact, clock.now(), is_down))


def _merge_turns(events: list[ControlEvent]) -> Iterator[ControlEvent]:
    """Yield *events* with turns that follow each other added up. A sum of zero is dropped."""
    for is_turn, run in groupby(events, key=lambda event: isinstance(event, Turned)):
        if not is_turn:
            yield from run
        elif steps := sum(event.steps for event in run if isinstance(event, Turned)):
            yield Turned(steps)


class GpioBuzzer:
    """A passive buzzer on a pin, as a ``hardware.ports.Buzzer``.

    No other part may use pulses (PWM): when one of several pins with pulses stops, lgpio can lose
    all others (docs/decisions/0032).

    Args:
        pin: the BCM number of its pin.
        pin_factory: a gpiozero pin factory; None is gpiozero's default.

    Raises:
        MissingPart: the pin cannot be used.
    """

    def __init__(self, pin: int, pin_factory: Any = None) -> None:
        make = partial(TonalBuzzer, mid_tone=MID_TONE, octaves=OCTAVES, pin_factory=pin_factory)
        with ExitStack() as stack:
            self._buzzer = _claim(stack, "buzzer", pin, make=make)
            self._opened = stack.pop_all()

    def tone(self, frequency_hz: float | None) -> None:
        """Play *frequency_hz*, or the nearest tone the buzzer can play, until the next call.

        ``None`` is silence.
        """
        if frequency_hz is None:
            self._buzzer.stop()
        else:
            lowest, highest = self._buzzer.min_tone.frequency, self._buzzer.max_tone.frequency
            self._buzzer.play(Tone(frequency=min(max(frequency_hz, lowest), highest)))

    def close(self) -> None:
        """Stop the tone and release the pin; safe to call twice."""
        self._opened.close()


class GpioReset:
    """The reset wire of one or more chips, high from the start, as a ``hardware.ports.ResetPin``.

    If one chip's driver resets all chips on the wire, the count ``pulses`` changes, so the other
    drivers can set their chips up again.

    Args:
        pin: the BCM number of its pin.
        pin_factory: a gpiozero pin factory; None is gpiozero's default.

    Raises:
        MissingPart: the pin cannot be used.
    """

    def __init__(self, pin: int, pin_factory: Any = None) -> None:
        wire = partial(OutputDevice, initial_value=True, pin_factory=pin_factory)
        with ExitStack() as stack:
            self._wire = _claim(stack, "reset", pin, make=wire)
            self._opened = stack.pop_all()
        self._pulses = 0

    @property
    def pulses(self) -> int:
        """The number of times the wire was driven low."""
        return self._pulses

    def on(self) -> None:
        """Drive the wire high: the chips run."""
        self._wire.on()

    def off(self) -> None:
        """Drive the wire low: the chips are held in reset."""
        self._pulses += 1
        self._wire.off()

    def close(self) -> None:
        """Release the pin; safe to call twice."""
        self._opened.close()


class GpioSelect:
    """A chip select wire, high from the start, as a ``selected_spi.SelectPin``.

    Args:
        pin: the BCM number of its pin.
        pin_factory: a gpiozero pin factory; None is gpiozero's default.

    Raises:
        MissingPart: the pin cannot be used.
    """

    def __init__(self, pin: int, pin_factory: Any = None) -> None:
        wire = partial(OutputDevice, active_high=False, pin_factory=pin_factory)
        with ExitStack() as stack:
            self._wire = _claim(stack, "chip select", pin, make=wire)
            self._opened = stack.pop_all()

    def on(self) -> None:
        """Drive the wire low: the chip is selected."""
        self._wire.on()

    def off(self) -> None:
        """Drive the wire high: the chip is not selected."""
        self._wire.off()

    def close(self) -> None:
        """Release the pin; safe to call twice."""
        self._opened.close()
