"""The emulated mat: the whole program on emulated chips, with methods for all that people do.

People can lay and lift tags, press buttons, turn the encoder, wait, pull the plug and break parts,
all below the drivers. They can read the display, the lamps, the tone and the announcements.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from PIL import Image

from engines.common.pieces import Piece
from fakepi.oled import OledChip
from fakepi.picc import Picc
from firmware.config.table_config import TableConfig
from firmware.outlet.private import PlayerState
from firmware.outlet.queue import Outlet
from firmware.outlet.stream import ActRequest
from firmware.runtime.controller import Controller
from firmware.runtime.inbox import Inbox
from firmware.runtime.loop import PASS_S
from firmware.show.text import find_text
from firmware.show.view import Notice, TableView
from firmware.table.events import Event, PhoneAct, PhoneCommand
from firmware.table.private_ear import PrivateLine
from firmware.voice.announcer import Utterance
from firmware.voice.settings import Level
from hardware.ports import Voice
from sim.mat.board import EmulatedBoard
from sim.mat.contacts import Contact
from sim.mat.faults import CATALOGUE, FAULTS, NONE, PARTS, Effect, PartKind
from sim.mat.parts import EXACT, Conditions, EmulatedReader
from sim.mat.tags import enrol_decks

HOLD_S = 0.06  # how long a press lasts, and the pause before the next one
SIGN_S = 30.0  # between two signs of life of a phone that listens, as on the companion's page
EDGE_S = 0.002  # between two edges of a fast encoder turn
# Seconds between the edges of a rocked tilt switch.
CHATTER_S = (0.004, 0.011, 0.002, 0.023, 0.047, 0.090, 0.035, 0.160)
REST_S = 1.2  # after the last edge; the next one then counts as another rocking
POWER_CUT = "power cut"  # the reason for dropped announcements in the transcript
NO_POWER = ("the mat has no power", "Plug it in: power on")  # an error and its remedy
TOO_LATE = "In a rehearsal, write this line before the start line"  # a remedy
# An encoder rests with both contacts open (high); clockwise, A closes first.
CLOCKWISE = ((False, True), (False, False), (True, False), (True, True))


class CannotDo(Exception):
    """An act that is impossible at this mat.

    *found* says why, and *remedy* what to do instead. *rule* is the rule of the game that forbids
    the act, if there is one.
    """

    def __init__(self, found: str, remedy: str, rule: str = "") -> None:
        super().__init__(found)
        self.found, self.remedy, self.rule = found, remedy, rule

    @property
    def in_words(self) -> str:
        """The error as sentences."""
        return f"{self.found[:1].upper()}{self.found[1:]}. {self.remedy}."


class Mat:
    """An emulated mat with its program.

    ``said`` and ``refused`` collect all announcements and all notices of refused plays.

    Args:
        config: the table's configuration.
        folder: the state folder, which survives power cuts.
        voice: the voice; by default a silent one that takes as long as a real one.
        is_blank: True to start without enrolled cards; by default, every deck is enrolled when the
            mat is switched on.
        conditions: how tags and the computer's timing behave; exact by default.
    """

    def __init__(
        self,
        config: TableConfig,
        folder: Path,
        voice: Voice | None = None,
        *,
        is_blank: bool = False,
        conditions: Conditions = EXACT,
    ) -> None:
        self.is_blank = is_blank
        self.config = config
        self.folder = folder
        self.board = EmulatedBoard(config, voice, conditions=conditions)
        self.controller: Controller | None = None
        self.was_cut = False
        self.said: deque[Utterance] = deque()
        self.refused: deque[Notice] = deque()
        self.outlet = Outlet(self.board.time_of_day)  # survives power cuts, as does the inbox
        self.inbox = Inbox()
        self._next_signs_s: dict[str, float] = {}  # of life, by each phone that listens

    # --- the plug ---

    @property
    def is_on(self) -> bool:
        """True if the mat has power and its program runs."""
        return self.controller is not None

    def power_on(self) -> None:
        """Switch the mat on and start its program; do nothing if it is on."""
        if self.controller is not None:
            return
        if self.was_cut:
            self.board.power_on()
        controller = Controller.open(self.config, self.folder, self.board, self.board.time_of_day)
        if not self.is_blank:
            try:
                enrol_decks(controller.register, self.config)
            except BaseException:
                controller.close()
                raise
        self.controller = controller
        self.board.disk.mount(controller.journal.connection, controller.register.connection)
        self.controller.loop.announcer.transcript = self.said
        self.controller.loop.refusals = self.refused
        self.controller.loop.outlet = self.outlet
        self.controller.loop.inbox = self.inbox
        self.controller.loop.begin()
        self.wait(0.1)

    def enrol(self, game: str, box: int = 1, piece: Piece | str | None = None) -> None:
        """Start enrolling all cards of *game*, or only *piece*.

        *box* is the number of the copy of the game, from 1. A household may have several copies.
        """
        self.running.table.enrol(game, box, piece)
        self.running.loop.begin()

    def power_cut(self) -> None:
        """Pull the plug.

        The program saves nothing and closes nothing, and the chips lose their state.
        """
        if self.controller is None:
            return
        self.controller.loop.announcer.hush(POWER_CUT)
        self.controller.loop.publish_spoken()
        self.controller.abandon()
        self.controller = None
        self.outlet.state = None
        self.was_cut = True
        self.board.power_cut()

    def close(self) -> None:
        """Shut the program down properly."""
        if self.controller is not None:
            self.board.disk.unmount()
            self.controller.close()
            self.controller = None
            self.outlet.state = None

    def set_language(self, code: str) -> None:
        """Change the language in the configuration. The mat must be off."""
        if self.is_on:
            raise CannotDo("the language cannot be changed while the mat is on", TOO_LATE)
        settings = replace(self.config.settings, language=code)
        self.config = replace(self.config, settings=settings)

    def set_level(self, level: Level) -> None:
        """Change the level of speech in the configuration. The mat must be off."""
        if self.is_on:
            raise CannotDo("the level of speech cannot be changed while the mat is on", TOO_LATE)
        settings = replace(self.config.settings, level=level)
        self.config = replace(self.config, settings=settings)

    def add_names(self, names: Sequence[str]) -> None:
        """Add players' names to the configuration. The mat must be off."""
        if self.is_on:
            raise CannotDo("names cannot be added while the mat is on", TOO_LATE)
        self.config = replace(self.config, names=(*self.config.names, *names))

    def forget_stickers(self) -> None:
        """Start without enrolled cards. The mat must not have been on yet."""
        if self.is_on or self.was_cut:
            raise CannotDo(
                "new stickers are possible only before the mat is switched on",
                "Write this line before all lines that act at the mat",
            )
        self.is_blank = True

    # --- hands ---

    def wait(self, seconds: float) -> None:
        """Run the program for *seconds* of virtual time."""
        until_s = self.board.clock.now() + seconds
        while self.board.clock.now() < until_s:
            self.step()

    def step(self) -> None:
        """Run the program's loop once, if the mat is on, and advance the clock by its pause."""
        pause_s = PASS_S
        if self.controller is not None:
            self._give_signs()
            self.controller.loop.step()
            pause_s = self.controller.loop.pause_s
        self.board.clock.sleep(pause_s)

    def lay(self, piccs: Sequence[Picc], spot: str) -> None:
        """Lay tags on a spot at once.

        If one of them is there already, raise CannotDo and lay none.
        """
        field = self._reader(spot).field
        if len(set(piccs)) < len(piccs) or not set(piccs).isdisjoint(field.piccs):
            raise CannotDo(f"that card is already on {spot}", "Lift it first")
        for picc in piccs:
            field.enter(picc)

    def lift(self, piccs: Sequence[Picc], spot: str) -> None:
        """Take tags off a spot. If one of them is not there, raise CannotDo and take none."""
        field = self._reader(spot).field
        if len(set(piccs)) < len(piccs) or not set(piccs).issubset(field.piccs):
            raise CannotDo(f"that card is not on {spot}", "Lay it first")
        for picc in piccs:
            field.leave(picc)

    def tags_on(self, spot: str) -> tuple[Picc, ...]:
        """Return the tags on a spot."""
        return self._reader(spot).field.piccs

    def press(self, button: str) -> None:
        """Press and release a button."""
        self.hold(button)
        self.wait(HOLD_S)
        self.release(button)
        self.wait(HOLD_S)

    def hold(self, button: str) -> None:
        """Press a button and keep it down."""
        self._button(button).press()

    def release(self, button: str) -> None:
        """Release a button."""
        self._button(button).release()

    @property
    def can_turn(self) -> bool:
        """True if this table has an encoder, or the two buttons that replace it."""
        controls = self.config.controls
        return controls is not None and (controls.encoder is not None or "left" in controls.buttons)

    def has_button(self, name: str) -> bool:
        """Return True if this table has the button *name*."""
        return self.config.controls is not None and name in self.config.controls.buttons

    def turn(self, steps: int) -> None:
        """Turn the encoder by *steps* detents. Clockwise is positive.

        Without an encoder, press the button ``right`` (``left`` if negative) that many times.
        """
        controls = self.config.controls
        if controls is None or not self.can_turn:
            raise CannotDo(
                "this table has neither an encoder nor the buttons left and right",
                "Name their pins in table.toml: [controls]",
            )
        if controls.encoder is None:
            for _ in range(abs(steps)):
                self.press("right" if steps > 0 else "left")
            return
        for _ in range(abs(steps)):
            for first, second in CLOCKWISE:
                levels = (first, second) if steps > 0 else (second, first)
                for number, is_high in zip(controls.encoder, levels, strict=True):
                    self.drive(number, is_high=is_high)
                self.pause(EDGE_S)
        self.wait(PASS_S)

    def drive(self, number: int, *, is_high: bool) -> None:
        """Drive the pin GPIO *number* high or low, from outside."""
        pin = self.board.pins.pin(number)
        (pin.drive_high if is_high else pin.drive_low)()

    def pause(self, seconds: float) -> None:
        """Let *seconds* pass, during which the program does not look at its parts."""
        self.board.clock.sleep(seconds)

    def tilt(self) -> None:
        """Rock the tilt switch, and wait until its contact is at rest."""
        number = self._tilt_switch()
        for wait_s in CHATTER_S:
            self.drive(number, is_high=not self.board.pins.pin(number).state)
            self.wait(wait_s)
        self.wait(REST_S)

    def tell(self, event: Event) -> None:
        """Pass *event* to the program, as if a part had sent it."""
        self.running.loop.receive([event])

    # --- phones ---

    def use_phone(self, player: str, act: PhoneCommand) -> None:
        """Let *player* do *act* at their own phone, and wait until the table has done it.

        The phone's companion is left out: the request is one that it sends to the table.

        Raises:
            CannotDo: the table refuses the act.
        """
        answers: list[tuple[int, bool, str]] = []
        self.outlet.wanted |= {player}
        if act is PhoneCommand.LISTEN:
            self._next_signs_s[player] = self.board.clock.now() + SIGN_S
        event = PhoneAct(player, self.running.journal.moment, act)
        self.inbox.put(ActRequest(1, event), lambda *answer: answers.append(answer))
        self.step()
        ((_, is_done, why),) = answers
        if not is_done:
            raise CannotDo(f"{player}'s phone cannot do that: {why}", "Do it during their game")

    def switch_phone_off(self, player: str) -> None:
        """Switch *player*'s phone off. A phone that listens has given signs of life until then."""
        self._next_signs_s.pop(player, None)

    def _give_signs(self) -> None:
        """Give the signs of life of all phones that listen, if they are due."""
        now_s = self.board.clock.now()
        for player, due_s in self._next_signs_s.items():
            if now_s >= due_s:
                self._next_signs_s[player] = now_s + SIGN_S
                event = PhoneAct(player, self.running.journal.moment, PhoneCommand.HERE)
                self.inbox.put(ActRequest(0, event), lambda *_answer: None)

    @property
    def private_lines(self) -> Mapping[str, PrivateLine]:
        """The last line for each player alone, as their phones get it."""
        states = self.outlet.private.values() if self.is_on else ()
        return {
            state.player: state.line
            for state in states
            if isinstance(state, PlayerState) and state.line is not None
        }

    # --- faults ---

    def fault(self, name: str, part: str | None) -> None:
        """Break *part* by the fault *name* of the catalogue. The name ``none`` repairs the part.

        Without *part*, break or repair every part of the kind.

        Raises:
            CannotDo: there is no such fault or part, or this table has no such part.
        """
        if name not in PARTS:
            raise CannotDo(f'there is no fault "{name}"', f"The faults are: {', '.join(PARTS)}")
        if part is not None and part not in PARTS[name]:
            raise CannotDo(f'"{name}" cannot break {part}', f"It can be: {', '.join(PARTS[name])}")
        if name == NONE:
            self._repair(part)
            return
        fault = FAULTS[name]
        for each in self._parts(fault.parts, part):
            self.strike(fault.strike, each)

    def _repair(self, part: str | None) -> None:
        for fault in CATALOGUE:
            if part is None:
                broken = fault.parts.installed(self.config)
            else:
                broken = self._parts(fault.parts, part) if part in fault.parts.names else ()
            for each in broken:
                self.strike(fault.repair, each)

    def strike(self, effect: Effect, part: str) -> None:
        """Break or repair *part* by *effect*."""
        effect(self.board, part)

    def _parts(self, parts: PartKind, part: str | None) -> Sequence[str]:
        """Return *part*, or all parts of this kind that the table has.

        Raises:
            CannotDo: the table has no such part.
        """
        installed = parts.installed(self.config)
        if part is not None and part in installed:
            return (part,)
        if part is None and installed:
            return installed
        missing = parts.kind if part in (None, parts.kind) else f"{parts.kind} {part}"
        remedy = f"It has: {', '.join(installed)}" if installed else "Add one to table.toml"
        raise CannotDo(f"this table has no {missing}", remedy)

    # --- display, lamps and sound ---

    @property
    def running(self) -> Controller:
        """The running program.

        Raises:
            CannotDo: the mat has no power.
        """
        if self.controller is None:
            raise CannotDo(*NO_POWER)
        return self.controller

    @property
    def view(self) -> TableView:
        """The view that the program shows now."""
        return self.running.loop.view

    @property
    def tone(self) -> float | None:
        """The buzzer's frequency in Hz, or None while it is silent."""
        if self.config.buzzer_pin is None or not self.is_on:
            return None
        pin = self.board.pins.pin(self.config.buzzer_pin)
        return float(pin.frequency) if pin.state and pin.frequency else None

    @property
    def pixels(self) -> Image.Image:
        """The display's visible pixels, read from the chip, as an image of mode "1"."""
        chip = self._display()
        rows = chip.visible()
        picture = Image.new("1", (len(rows[0]), len(rows)))
        picture.putdata([pixel for row in rows for pixel in row])
        return picture

    def shows(self, text: str) -> bool:
        """Return True if the display's pixels show *text*, in any of the program's fonts."""
        return find_text(self.pixels, text)

    def screen_in_words(self) -> str:
        """Return the words of the current view, for error messages."""
        view = self.view
        notice = view.notice
        words = [notice.happened, notice.do] if notice is not None else []
        choices = list(view.choices.items) if view.choices is not None else []
        return " | ".join(filter(None, [*words, view.headline, view.caption, view.hint, *choices]))

    def lamp(self, name: str) -> float:
        """Return the brightness of a lamp, from 0 to 1, read from its pin or from the LED strip."""
        number = self._lamp_number(name)
        return self.board.lamp(number, self.board.pins) if self.is_on else 0.0

    def lamp_colour(self, name: str) -> tuple[int, int, int] | None:
        """Return red, green and blue of a lamp, 0 to 255 each.

        Return None if the lamp is dark, or is a plain LED, because the colour of an LED is unknown.
        """
        colour = self.board.lamp_colour(self._lamp_number(name)) if self.is_on else None
        return colour if colour is not None and any(colour) else None

    def _lamp_number(self, name: str) -> int:
        """Return the GPIO number of a lamp, or its place on the LED strip.

        Raises:
            CannotDo: this table has no such lamp.
        """
        if name not in self.config.lamps:
            known = ", ".join(self.config.lamps)
            raise CannotDo(f"this table has no lamp {name}", f"It has: {known}")
        return self.config.lamps[name]

    def _button(self, name: str) -> Contact:
        """Return the contact of a button; raise CannotDo if there is none or no power."""
        if name not in self.board.buttons:
            raise CannotDo(f"this table has no button {name}", "Name its pin in table.toml")
        if not self.is_on:
            raise CannotDo(*NO_POWER)
        return self.board.buttons[name]

    def _tilt_switch(self) -> int:
        """Return the number of the tilt switch's pin; raise CannotDo without a switch or power."""
        if self.config.tilt_pin is None:
            raise CannotDo("this table has no tilt switch", "Name its pin in table.toml: [tilt]")
        if not self.is_on:
            raise CannotDo(*NO_POWER)
        return self.config.tilt_pin

    def _reader(self, spot: str) -> EmulatedReader:
        if spot not in self.board.readers:
            known = ", ".join(self.board.readers)
            raise CannotDo(f"this table has no spot {spot}", f"It has: {known}")
        return self.board.readers[spot]

    def _display(self) -> OledChip:
        if self.board.display is None:
            raise CannotDo("this table has no display", "Add one to table.toml")
        return self.board.display
