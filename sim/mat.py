"""The emulated mat: the whole program over emulated chips, and hands to play at it.

Room: sim. What hands can do (lay and lift tags, press, turn, wait, pull the plug), what can break,
and what eyes and ears get back. Everything goes in below the drivers.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from PIL import Image

from engines.common.pieces import Piece
from firmware.announcer import Utterance
from firmware.config import TableConfig
from firmware.controller import Controller
from firmware.events import Event
from firmware.loop import TURN_S
from firmware.screen_text import find_text
from firmware.settings import Level
from firmware.view import Notice, TableView
from hardware.ports import Voice
from sim.board import EmulatedBoard, EmulatedReader
from sim.chips.oled import OledChip
from sim.chips.picc import Picc
from sim.contacts import Contact
from sim.faults import CATALOGUE, FAULTS, NONE, PARTS, Parts
from sim.tags import enrol_decks

HOLD_S = 0.06  # how long a finger keeps a button down, and stays off before the next press
EDGE_S = 0.002  # between two edges of the encoder, turned briskly
CHATTER_S = (
    0.004,
    0.011,
    0.002,
    0.023,
    0.047,
    0.090,
    0.035,
    0.160,
)  # between a rocked ball's edges
REST_S = 1.2  # from the last of them until a knock is taken for another rocking
POWER_CUT = "power cut"  # why nobody hears the rest of what was said
NO_POWER = ("the mat has no power", "Plug it in: power on")  # what is in the way, and what to do
# An encoder rests with both contacts open (high); clockwise, A closes first.
CLOCKWISE = ((False, True), (False, False), (True, False), (True, True))


class CannotDo(Exception):
    """People cannot do this at this mat: what is in the way, and what to do instead."""

    def __init__(self, found: str, remedy: str) -> None:
        super().__init__(found)
        self.found, self.remedy = found, remedy


class Mat:
    """One emulated mat with its program; *folder* is the state folder, which outlives the plug.

    All decks are enrolled when it is switched on, unless it *is_blank*: then nobody enrolled what
    the *folder* does not hold already.
    """

    def __init__(
        self,
        config: TableConfig,
        folder: Path,
        voice: Voice | None = None,
        *,
        is_blank: bool = False,
    ) -> None:
        self.is_blank = is_blank
        self.config = config
        self.folder = folder
        self.board = EmulatedBoard(config, voice)
        self.controller: Controller | None = None
        self.was_cut = False
        self.said: deque[Utterance] = deque()
        self.refused: deque[Notice] = deque()

    # --- the plug ---

    @property
    def is_on(self) -> bool:
        """Whether the mat has power."""
        return self.controller is not None

    def power_on(self) -> None:
        """Start the program, as the service does after the plug is in."""
        if self.controller is not None:
            return
        if self.was_cut:
            self.board.power_on()
        if not self.is_blank:
            enrol_decks(self.folder, self.config)
        self.controller = Controller.open(
            self.config, self.folder, self.board, self.board.time_of_day
        )
        journal, register = self.controller.journal, self.controller.register
        self.board.disk.mount(journal.connection, register.connection)
        self.controller.loop.announcer.transcript = self.said
        self.controller.loop.refusals = self.refused
        self.controller.loop.begin()
        self.wait(0.1)

    def enrol(self, game: str, box: int = 1, piece: Piece | str | None = None) -> None:
        """Have the program enrol a box, as if it had been started for that."""
        self.running.table.enrol(game, box, piece)
        self.running.loop.begin()

    def power_cut(self) -> None:
        """Pull the plug: nothing is closed or saved, everything the chips knew is gone."""
        if self.controller is None:
            return
        self.controller.loop.announcer.hush(POWER_CUT)
        self.controller.abandon()
        self.controller = None
        self.was_cut = True
        self.board.power_cut()

    def close(self) -> None:
        """Switch the mat off in good order."""
        if self.controller is not None:
            self.board.disk.unmount()
            self.controller.close()
            self.controller = None

    def set_language(self, code: str) -> None:
        """Write another language into the configuration, before the mat is on."""
        if self.is_on:
            raise CannotDo("the mat is on", "Write the language before the start")
        self.config = replace(self.config, language=code)

    def set_level(self, level: Level) -> None:
        """Write how much is said into the configuration, before the mat is on."""
        if self.is_on:
            raise CannotDo("the mat is on", "Write the level before the start")
        self.config = replace(self.config, level=level)

    def add_names(self, names: Sequence[str]) -> None:
        """Write more names of players into the configuration, before the mat is on."""
        if self.is_on:
            raise CannotDo("the mat is on", "Write the names before the start")
        self.config = replace(self.config, names=(*self.config.names, *names))

    def forget_stickers(self) -> None:
        """Let nobody have enrolled anything, before the mat is on."""
        if self.is_on or self.was_cut:
            raise CannotDo("the mat was on already", "Write stickers new before anything else")
        self.is_blank = True

    # --- hands ---

    def wait(self, seconds: float) -> None:
        """Let the program run for *seconds* of the mat's own time."""
        until_s = self.board.clock.now() + seconds
        while self.board.clock.now() < until_s:
            self.step()

    def step(self) -> None:
        """Let the loop turn once, if there is power, and pause as it does."""
        pause_s = TURN_S
        if self.controller is not None:
            self.controller.loop.turn()
            pause_s = self.controller.loop.pause_s
        self.board.clock.sleep(pause_s)

    def lay(self, piccs: Sequence[Picc], spot: str) -> None:
        """Lay tags on a spot, all at the same moment; or, when one cannot be laid, none."""
        field = self._reader(spot).field
        if len(set(piccs)) < len(piccs) or not set(piccs).isdisjoint(field.piccs):
            raise CannotDo("that card lies there already", "Lift it first")
        for picc in piccs:
            field.enter(picc)

    def lift(self, piccs: Sequence[Picc], spot: str) -> None:
        """Take tags off a spot; or, when one does not lie there, none."""
        field = self._reader(spot).field
        if len(set(piccs)) < len(piccs) or not set(piccs).issubset(field.piccs):
            raise CannotDo(f"no such card lies on {spot}", "Lay it first")
        for picc in piccs:
            field.leave(picc)

    def lying(self, spot: str) -> tuple[Picc, ...]:
        """What lies on a spot."""
        return self._reader(spot).field.piccs

    def press(self, button: str) -> None:
        """Press a button and let go of it."""
        self.hold(button)
        self.wait(HOLD_S)
        self.release(button)
        self.wait(HOLD_S)

    def hold(self, button: str) -> None:
        """Press a button and keep it down."""
        self._button(button).press()

    def release(self, button: str) -> None:
        """Let go of a button."""
        self._button(button).release()

    @property
    def can_turn(self) -> bool:
        """Whether this table has an encoder, or the two buttons that stand in for it."""
        controls = self.config.controls
        return controls is not None and (controls.encoder is not None or "left" in controls.buttons)

    def has_button(self, name: str) -> bool:
        """Whether this table has the button *name*."""
        return self.config.controls is not None and name in self.config.controls.buttons

    def turn(self, steps: int) -> None:
        """Turn by *steps* detents, clockwise above zero; or press right and left as often."""
        controls = self.config.controls
        if controls is None or not self.can_turn:
            raise CannotDo("this table has nothing to turn", "Name its pins in table.toml")
        if controls.encoder is None:
            for _ in range(abs(steps)):
                self.press("right" if steps > 0 else "left")
            return
        a, b = (self.board.pins.pin(number) for number in controls.encoder)
        for _ in range(abs(steps)):
            for first, second in CLOCKWISE:
                levels = (first, second) if steps > 0 else (second, first)
                for pin, is_high in zip((a, b), levels, strict=True):
                    (pin.drive_high if is_high else pin.drive_low)()
                self.board.clock.sleep(EDGE_S)
        self.wait(TURN_S)

    def tilt(self) -> None:
        """Rock what the tilt switch is fixed to: its contact chatters, and comes to rest."""
        pin = self._tilt_switch()
        for wait_s in CHATTER_S:
            (pin.drive_low if pin.state else pin.drive_high)()
            self.wait(wait_s)
        self.wait(REST_S)

    def tell(self, event: Event) -> None:
        """Have the program take an event that no part of the mat brings."""
        self.running.loop.receive([event])

    # --- what breaks ---

    def fault(self, name: str, part: str | None) -> None:
        """Break *part* (none: every one of the kind) by a fault of the catalogue, or mend it.

        Raises:
            CannotDo: there is no such fault or part, or this table has no such part.
        """
        if name not in PARTS:
            raise CannotDo(f'there is no fault "{name}"', f"There are: {', '.join(PARTS)}")
        if part is not None and part not in PARTS[name]:
            raise CannotDo(f'"{name}" befalls no {part}', f"It can be: {', '.join(PARTS[name])}")
        if name == NONE:
            self._mend(part)
            return
        fault = FAULTS[name]
        for befallen in self._parts(fault.parts, part):
            fault.strike(self.board, befallen)

    def _mend(self, part: str | None) -> None:
        for fault in CATALOGUE:
            if part is None:
                mended = fault.parts.there(self.config)
            else:
                mended = self._parts(fault.parts, part) if part in fault.parts.names else ()
            for each in mended:
                fault.mend(self.board, each)

    def _parts(self, parts: Parts, part: str | None) -> Sequence[str]:
        """*part*, or all of its kind that this table has."""
        there = parts.there(self.config)
        if part is not None and part in there:
            return (part,)
        if part is None and there:
            return there
        missing = parts.kind if part in (None, parts.kind) else f"{parts.kind} {part}"
        remedy = f"It has: {', '.join(there)}" if there else "Name one in table.toml"
        raise CannotDo(f"this table has no {missing}", remedy)

    # --- eyes and ears ---

    @property
    def running(self) -> Controller:
        """The program.

        Raises:
            CannotDo: the mat has no power.
        """
        if self.controller is None:
            raise CannotDo(*NO_POWER)
        return self.controller

    @property
    def view(self) -> TableView:
        """What the program means to show."""
        return self.running.loop.view

    @property
    def tone(self) -> float | None:
        """What the buzzer sounds, in Hz; none when it is silent."""
        if self.config.buzzer_pin is None or not self.is_on:
            return None
        pin = self.board.pins.pin(self.config.buzzer_pin)
        return float(pin.frequency) if pin.state and pin.frequency else None

    @property
    def pixels(self) -> Image.Image:
        """What an eye sees on the display: the chip's lit pixels."""
        chip = self._display()
        rows = chip.visible()
        picture = Image.new("1", (len(rows[0]), len(rows)))
        picture.putdata([pixel for row in rows for pixel in row])
        return picture

    def shows(self, text: str) -> bool:
        """Whether *text* can be read on the display, in any of its fonts."""
        return find_text(self.pixels, text)

    def screen_in_words(self) -> str:
        """What the display means to say, for messages."""
        view = self.view
        notice = view.notice
        words = [notice.happened, notice.do] if notice is not None else []
        choices = list(view.choices.items) if view.choices is not None else []
        return " | ".join(filter(None, [*words, view.headline, view.caption, view.hint, *choices]))

    def lamp(self, name: str) -> float:
        """How bright a lamp is, 0 to 1, by the level of its pin."""
        if name not in self.config.lamps:
            known = ", ".join(self.config.lamps)
            raise CannotDo(f"this table has no lamp {name}", f"It has: {known}")
        if not self.is_on:
            return 0.0
        return float(self.board.pins.pin(self.config.lamps[name]).state)

    def _button(self, name: str) -> Contact:
        """The contact of a button."""
        if name not in self.board.buttons:
            raise CannotDo(f"this table has no button {name}", "Name its pin in table.toml")
        if not self.is_on:
            raise CannotDo(*NO_POWER)
        return self.board.buttons[name]

    def _tilt_switch(self) -> Any:
        """The pin the tilt switch is soldered to (gpiozero has no type hints)."""
        if self.config.tilt_pin is None:
            raise CannotDo("this table has no tilt switch", "Name its pin in table.toml: [tilt]")
        if not self.is_on:
            raise CannotDo(*NO_POWER)
        return self.board.pins.pin(self.config.tilt_pin)

    def _reader(self, spot: str) -> EmulatedReader:
        if spot not in self.board.readers:
            known = ", ".join(self.board.readers)
            raise CannotDo(f"this table has no spot {spot}", f"It has: {known}")
        return self.board.readers[spot]

    def _display(self) -> OledChip:
        if self.board.display is None:
            raise CannotDo("this table has no display", "Name one in table.toml")
        return self.board.display
