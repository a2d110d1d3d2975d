"""Lamps, controls and the buzzer on gpiozero's pins.

Room: hardware. Knows no game.
May import: the standard library, gpiozero, hardware.ports, hardware.errors and hardware.debounce.
May be imported by: firmware.wiring, sim, tests.

Pins are BCM GPIO numbers. Each class takes a gpiozero pin factory, so the same driver runs on a
computer's pins and on gpiozero's mock ones.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from gettext import gettext as _
from itertools import groupby
from typing import Any

from gpiozero import PWMLED, DigitalInputDevice, OutputDevice, RotaryEncoder, TonalBuzzer
from gpiozero.tones import Tone

from hardware.debounce import Debounce, Rocking
from hardware.errors import MissingPart
from hardware.ports import Clock, ControlEvent, Pressed, Rocked, Turned

# The buzzer's range is OCTAVES around MID_TONE: 110 to 7,040 Hz. gpiozero's default ends at 880 Hz,
# where a piezo disc is still quiet.
MID_TONE, OCTAVES = "A5", 3


def _claim(stack: ExitStack, part: str, *pins: int, device: Callable[..., Any]) -> Any:
    """Make a gpiozero *device* on *pins*, which *stack* will close.

    Raises:
        MissingPart: a pin is held by somebody else, or cannot do this.
    """
    try:
        made = device(*pins)
    # gpiozero's own errors, and those of the pin library below it, which have no nearer base.
    except Exception as refused:
        where = " and ".join(f"GPIO{pin}" for pin in pins)
        found = str(refused) or type(refused).__name__
        remedy = _(
            "See who holds the pin with: gpioinfo (sudo apt install gpiod), and end that; or give "
            "the part another one in table.toml"
        )
        raise MissingPart(f"{part} on {where}", found, remedy) from refused
    return stack.enter_context(made)


class GpioLamps:
    """Lamps on PWM pins; a ``hardware.ports.Lamps``.

    Args:
        pins: the pin of each lamp, by its name.
        pin_factory: gpiozero's.

    Raises:
        MissingPart: a pin cannot be had.
    """

    def __init__(self, pins: Mapping[str, int], pin_factory: Any = None) -> None:
        lamp = partial(PWMLED, pin_factory=pin_factory)
        with ExitStack() as stack:
            self._lamps = {
                name: _claim(stack, f"lamp {name}", pin, device=lamp) for name, pin in pins.items()
            }
            self._opened = stack.pop_all()

    @property
    def names(self) -> Sequence[str]:
        """The lamps this table has."""
        return tuple(self._lamps)

    def light(self, name: str, level: float) -> None:
        """Set a lamp to *level* from 0 (dark) to 1; a lamp the table does not have is left out."""
        if name in self._lamps:
            self._lamps[name].value = level

    def close(self) -> None:
        """Put every lamp out and let go of the pins; safe twice."""
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
    """The encoder, the buttons and the tilt switch; a ``hardware.ports.Controls``.

    Every part may be left out. Buttons connect their pin to ground (the pin is pulled up), and so
    do the encoder's two and a tilt switch, a ball in a tube of contacts. A kit of three plain
    buttons has *left* and *right* in place of the encoder: each press is one detent.

    gpiozero only tells of edges; they are kept with their time, from whichever thread it calls in,
    and read by ``poll()``, which debounces them.

    Args:
        clock: tells the time of an edge.
        encoder: the pins A and B; turned clockwise, A leads.
        ok: the pin of a button, and so on; ``None`` for a button the table does not have.
        back: undoes.
        action: does what the display's last line says.
        left: one detent counter-clockwise.
        right: one detent clockwise.
        tilt: the pin of the tilt switch.
        pin_factory: gpiozero's.

    Raises:
        MissingPart: a pin cannot be had.
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
        with ExitStack() as stack:
            if encoder:
                self._open_encoder(stack, encoder, pin_factory)
            self._contacts = [  # each with its device
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
        made = partial(RotaryEncoder, max_steps=0, pin_factory=pin_factory)
        encoder = _claim(stack, "encoder", *pins, device=made)
        encoder.when_rotated_clockwise = partial(self._seen.append, Turned(+1))
        encoder.when_rotated_counter_clockwise = partial(self._seen.append, Turned(-1))

    def _open_contact(
        self, stack: ExitStack, part: str, pin: int, event: ControlEvent, pin_factory: Any
    ) -> tuple[_Contact, Any]:
        made = partial(DigitalInputDevice, pull_up=True, pin_factory=pin_factory)
        device = _claim(stack, part, pin, device=made)
        debounce = Rocking if isinstance(event, Rocked) else Debounce
        contact = _Contact(event, debounce(is_down=device.is_active))
        # gpiozero keeps what it calls until the device is closed: if that knew the device, nobody
        # could ever collect one that was not.
        keep = partial(_keep_edge, self._seen, self._clock, contact)
        device.when_activated = partial(keep, True)
        device.when_deactivated = partial(keep, False)
        return contact, device

    def poll(self) -> tuple[ControlEvent, ...]:
        """What was done since the last poll, in order; detents in a row are one ``Turned``."""
        events: list[ControlEvent] = []
        while self._seen:
            seen = self._seen.popleft()
            if isinstance(seen, Turned):
                events.append(seen)
            elif seen.contact.debounce.edge(seen.at_s, seen.is_down):
                events.append(seen.contact.event)
        now = self._clock.now()
        for contact, device in self._contacts:  # pin libraries lose edges; the level is there
            if contact.debounce.edge(now, device.is_active):
                events.append(contact.event)
        return tuple(_joined(events))

    def close(self) -> None:
        """Let go of the pins; safe twice."""
        self._contacts.clear()
        self._opened.close()


def _keep_edge(seen: deque[_Edge | Turned], clock: Clock, contact: _Contact, is_down: bool) -> None:
    seen.append(_Edge(contact, clock.now(), is_down))


def _joined(events: list[ControlEvent]) -> Iterator[ControlEvent]:
    """*events* with turns that follow each other added up, and left out where they end at zero."""
    for is_turn, run in groupby(events, key=lambda event: isinstance(event, Turned)):
        if not is_turn:
            yield from run
        elif steps := sum(event.steps for event in run if isinstance(event, Turned)):
            yield Turned(steps)


class GpioBuzzer:
    """A passive buzzer on a PWM pin; a ``hardware.ports.Buzzer``.

    Args:
        pin: its pin.
        pin_factory: gpiozero's.

    Raises:
        MissingPart: the pin cannot be had.
    """

    def __init__(self, pin: int, pin_factory: Any = None) -> None:
        made = partial(TonalBuzzer, mid_tone=MID_TONE, octaves=OCTAVES, pin_factory=pin_factory)
        with ExitStack() as stack:
            self._buzzer = _claim(stack, "buzzer", pin, device=made)
            self._opened = stack.pop_all()

    def tone(self, frequency_hz: float | None) -> None:
        """Sound *frequency_hz*, or the nearest the buzzer has, until told otherwise.

        ``None`` is silence.
        """
        if frequency_hz is None:
            self._buzzer.stop()
        else:
            lowest, highest = self._buzzer.min_tone.frequency, self._buzzer.max_tone.frequency
            self._buzzer.play(Tone(frequency=min(max(frequency_hz, lowest), highest)))

    def close(self) -> None:
        """Fall silent and let go of the pin; safe twice."""
        self._opened.close()


class GpioReset:
    """A wire to the reset pin of one chip or more, high from the start.

    It is a ``mfrc522_reader.ResetPin``; chips that share it are told by its ``pulses`` when another
    of them was reset.

    Args:
        pin: the pin.
        pin_factory: gpiozero's.

    Raises:
        MissingPart: the pin cannot be had.
    """

    def __init__(self, pin: int, pin_factory: Any = None) -> None:
        wire = partial(OutputDevice, initial_value=True, pin_factory=pin_factory)
        with ExitStack() as stack:
            self._wire = _claim(stack, "reset", pin, device=wire)
            self._opened = stack.pop_all()
        self._pulses = 0

    @property
    def pulses(self) -> int:
        """How many times it was driven low."""
        return self._pulses

    def on(self) -> None:
        """Drive it high: the chips run."""
        self._wire.on()

    def off(self) -> None:
        """Drive it low: the chips are held in reset."""
        self._pulses += 1
        self._wire.off()

    def close(self) -> None:
        """Let go of the pin; safe twice."""
        self._opened.close()


class GpioSelect:
    """A chip select, high from the start; a ``selected_spi.SelectPin``.

    Args:
        pin: the pin.
        pin_factory: gpiozero's.

    Raises:
        MissingPart: the pin cannot be had.
    """

    def __init__(self, pin: int, pin_factory: Any = None) -> None:
        wire = partial(OutputDevice, active_high=False, pin_factory=pin_factory)
        with ExitStack() as stack:
            self._wire = _claim(stack, "chip select", pin, device=wire)
            self._opened = stack.pop_all()

    def on(self) -> None:
        """Drive it low: the chip takes part."""
        self._wire.on()

    def off(self) -> None:
        """Drive it high: the chip does not."""
        self._wire.off()

    def close(self) -> None:
        """Let go of the pin; safe twice."""
        self._opened.close()
