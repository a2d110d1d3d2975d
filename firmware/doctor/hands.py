"""The checks that need a person's hands, eyes and ears. The person can skip each.

A check that waits for a tag or for a control gives up after ``LIMIT_S``.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Protocol

from PIL import Image

from firmware.config.table_config import ControlsConfig, TableConfig
from firmware.doctor.findings import Finding, Verdict
from firmware.doctor.parts import MISS_RATE, NEARER, WORDS
from firmware.runtime.loop import PASS_S, TableParts
from hardware.errors import HardwareFault
from hardware.ports import (
    LAMP_OFF,
    LAMP_ON,
    Buzzer,
    Clock,
    ControlEvent,
    Controls,
    Display,
    Lamps,
    LampValue,
    Pressed,
    TagReader,
    Turned,
    Voice,
)

LIMIT_S = 30.0
TAG_POLLS = 100  # polls of a tag after it was first seen: about one second
LIT_S = 0.6  # for how long each lamp is lit
COLOUR_S = 1.5  # for how long the lamps of a strip have each colour
TONE_HZ, TONE_S = 880.0, 0.5
SQUARE = 8  # width and height of the test pattern's squares, in pixels

NO_TAG = (
    "Lay the tag flat over the antenna. If it is still not seen, try another tag (13.56 MHz, "
    "ISO 14443A, such as an NTAG213), then another reader board"
)
SWAPPED = (
    "If the tag is on {a}, swap the SPI chip selects of both readers: their wires, or spi (and "
    "select_pin) under [readers.{a}] and [readers.{b}] in table.toml"
)
PATTERN_REMEDY = (
    'If the pattern is shifted by two columns or is noise, write chip = "sh1106" under [display] '
    "in table.toml; if it is upside down, rotate = true; if every second line is missing, another "
    "size"
)
LAMP_REMEDY = (
    "Connect the LED's long leg to GPIO{pin} over 470 ohm, and its short leg to GND; or correct "
    "its pin under [lamps] in table.toml"
)
STRIP_REMEDY = (
    "Check the strip's data wires and its supply; or correct the lamp's place under [lamps] in "
    "table.toml"
)
COLOURS = {"red": (255, 0, 0), "green": (0, 255, 0), "blue": (0, 0, 255)}
COLOUR_REMEDY = (
    "The driver sends the bytes of a place in a different order from the strip's: correct its "
    "order of red, green and blue"
)
SWAP_ENCODER = "Swap the two numbers of encoder under [controls] in table.toml"
ENCODER_WIRES = "Connect the encoder's A and B to {a} and {b}, and its middle pin (C) to GND"
BUTTON_WIRES = "Connect the button between GPIO{pin} and GND"
BUTTON_MIXED = "Correct the button's number under [controls] in table.toml, which is GPIO{pin} now"
BUZZER_REMEDY = "Use a passive buzzer: + to GPIO{pin}, - to GND"
SPEECH_REMEDY = (
    "Turn up the volume: alsamixer; or choose the sound card: sudo raspi-config, System Options, "
    "Audio"
)


class Operator(Protocol):
    """A person at the table who tries the parts and answers questions."""

    def begin(self, findings: Sequence[Finding]) -> None:
        """Show the *findings* so far. Call this before the first question."""
        ...

    def tell(self, text: str) -> None:
        """Show *text*: an instruction or a result."""
        ...

    def confirm(self, question: str) -> bool | None:
        """Ask a yes-or-no question and return the answer; None if the person skips it."""
        ...

    def is_done(self) -> bool:
        """Return True if the person wants to end the current check. This never waits."""
        ...


def try_by_hand(
    person: Operator, config: TableConfig, parts: TableParts, voice: Voice, clock: Clock
) -> Iterator[Finding]:
    """Ask *person* to try every part, and yield the findings.

    If a part stops answering, yield a FAIL finding and continue with the next part.
    """
    tries: list[tuple[str, Callable[[], Iterator[Finding]]]] = [
        (f"reader {spot}", partial(_tag, person, spot, parts.readers, clock))
        for spot in parts.readers
    ]
    if parts.display is not None:
        tries.append(("display", partial(_pattern, person, parts.display)))
    if parts.lamps.names:
        tries.append(("lamps", partial(_lamps, person, parts.lamps, config, clock)))
        if config.strip is not None:
            tries.append(("colours", partial(_colours, person, parts.lamps, clock)))
    if config.controls is not None:
        tries.append(
            ("controls", partial(_controls, person, parts.controls, config.controls, clock))
        )
    if parts.buzzer is not None:
        tries.append(("buzzer", partial(_tone, person, parts.buzzer, config, clock)))
    if config.voice != "silent":
        tries.append(("speech", partial(_speech, person, voice, config)))
    for part, attempt in tries:
        try:
            yield from attempt()
        except HardwareFault as fault:
            yield Finding.of(part, Verdict.FAIL, fault)


def _answer_finding(part: str, answer: bool | None, good: str, bad: str, remedy: str) -> Finding:
    """Return a finding about *part* for the *answer* of a person.

    A yes is OK with the text *good*, a no is WARN with the text *bad* and the *remedy*, and None is
    SKIP.
    """
    if answer is None:
        return Finding(part, Verdict.SKIP, "not checked: skipped")
    if answer:
        return Finding(part, Verdict.OK, good)
    return Finding(part, Verdict.WARN, bad, remedy)


# --- readers -------------------------------------------------------------------------------------


def _tag(
    person: Operator, spot: str, readers: Mapping[str, TagReader], clock: Clock
) -> Iterator[Finding]:
    """Wait for a tag on *spot*, and report how many of the next polls read it.

    The finding has no UID, because reports are sent to other people.
    """
    part, reader = f"reader {spot}", readers[spot]
    others = {other: readers[other] for other in readers if other != spot}
    before = {other: set(reader.poll().uids) for other, reader in others.items()}
    person.tell(f"Lay a tag on {spot}, and leave it there (Enter: skip)")
    uid: bytes | None = None
    polls = seen = 0
    until_s = clock.now() + LIMIT_S
    while clock.now() < until_s and polls < TAG_POLLS:
        uids = reader.poll().uids
        if uid is None and uids:
            uid = uids[0]
        if uid is not None:
            polls += 1
            seen += uid in uids
        elif swapped := [s for s, other in others.items() if set(other.poll().uids) - before[s]]:
            found = f"a tag was laid on it, and the reader {swapped[0]} saw it"
            yield Finding(part, Verdict.WARN, found, SWAPPED.format(a=spot, b=swapped[0]))
            return
        elif person.is_done():
            yield Finding(part, Verdict.SKIP, "not checked: skipped")
            return
        clock.sleep(PASS_S)
    if uid is None:
        yield Finding(part, Verdict.WARN, "no tag was seen", NO_TAG)
        return
    seen_in = f"seen in {seen} of {polls} polls"
    found = f"a tag with {len(uid)} bytes of UID, {seen_in}"
    is_badly_read = polls - seen > MISS_RATE * polls
    verdict, remedy = (Verdict.WARN, NEARER) if is_badly_read else (Verdict.OK, "")
    person.tell(f"tag {uid.hex(' ').upper()}, {seen_in}")
    yield Finding(part, verdict, found, remedy)


# --- display and lamps ---------------------------------------------------------------------------


def pattern(size: tuple[int, int]) -> Image.Image:
    """Return a test picture: a frame along the edge, one pixel wide, around a chequerboard.

    *size* is its width and height in pixels. It shows at a glance whether the picture is shifted or
    lines are missing.
    """
    width, height = size
    picture = Image.new("1", size, 1)
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            picture.putpixel((x, y), (x // SQUARE + y // SQUARE) % 2)
    return picture


def _pattern(person: Operator, display: Display) -> Iterator[Finding]:
    display.restart()
    display.show(pattern(display.size))
    question = "Does the display show a chequerboard inside a thin, unbroken frame?"
    good, bad = "the test pattern is right", "the test pattern is wrong"
    yield _answer_finding("display", person.confirm(question), good, bad, PATTERN_REMEDY)


def _lamps(person: Operator, lamps: Lamps, config: TableConfig, clock: Clock) -> Iterator[Finding]:
    """Light all lamps in order and ask once. If the answer is no, ask about each lamp."""
    names = ", ".join(lamps.names)
    person.tell(f"The lamps light up one after the other: {names}")
    for name in lamps.names:
        lamps.set({name: LAMP_ON})
        clock.sleep(LIT_S)
        lamps.set({name: LAMP_OFF})
    question = "Did all {count} light up, one at a time, in this order?"
    answer = person.confirm(question.format(count=len(lamps.names)))
    if answer is not False:
        yield _answer_finding("lamps", answer, "each lit up in turn", "", "")
        return
    for name in lamps.names:
        lamps.set({name: LAMP_ON})
        answer = person.confirm(f"Is {name} lit, and no other?")
        lamps.set({name: LAMP_OFF})
        remedy = LAMP_REMEDY if config.strip is None else STRIP_REMEDY
        remedy = remedy.format(pin=config.lamps[name])
        yield _answer_finding(f"lamp {name}", answer, "lit", "not lit", remedy)


def _colours(person: Operator, lamps: Lamps, clock: Clock) -> Iterator[Finding]:
    """Light all lamps of a strip red, then green, then blue; ask if people saw that."""
    names = ", then ".join(COLOURS)
    person.tell(f"All lamps light up {names}")
    for colour in COLOURS.values():
        lamps.set(dict.fromkeys(lamps.names, LampValue(1.0, colour)))
        clock.sleep(COLOUR_S)
    lamps.set(dict.fromkeys(lamps.names, LAMP_OFF))
    answer = person.confirm(f"Were they {names}?")
    bad = f"the lamps were not {names}"
    yield _answer_finding("colours", answer, f"the lamps were {names}", bad, COLOUR_REMEDY)


# --- controls ------------------------------------------------------------------------------------


def _controls(
    person: Operator, controls: Controls, wired: ControlsConfig, clock: Clock
) -> Iterator[Finding]:
    if wired.encoder is not None:
        person.tell("Turn the encoder clockwise (Enter: skip)")
        event = _wait_for_event(person, controls, clock)
        a, b = (f"GPIO{pin}" for pin in wired.encoder)
        wires = ENCODER_WIRES.format(a=a, b=b)
        yield _event_finding("encoder", event, Turned(+1), wires, SWAP_ENCODER)
    for name, pin in wired.buttons.items():
        person.tell(f"Press {name} (Enter: skip)")
        wanted = {"left": Turned(-1), "right": Turned(+1)}.get(name, Pressed(name))
        event = _wait_for_event(person, controls, clock)
        remedies = (BUTTON_WIRES.format(pin=pin), BUTTON_MIXED.format(pin=pin))
        yield _event_finding(f"button {name}", event, wanted, *remedies)


def _wait_for_event(
    person: Operator, controls: Controls, clock: Clock
) -> ControlEvent | str | None:
    """Wait for an event of *controls* and return it.

    Return None if there was no event within ``LIMIT_S``, or "skipped" if the person skipped the
    check.
    """
    controls.poll()  # discard earlier events
    until_s = clock.now() + LIMIT_S
    while clock.now() < until_s:
        for event in controls.poll():
            return event
        if person.is_done():
            return "skipped"
        clock.sleep(PASS_S)
    return None


def _event_finding(
    part: str, event: ControlEvent | str | None, wanted: ControlEvent, wires: str, mixed: str
) -> Finding:
    """Return the finding for *event*, which should be the *wanted* event.

    *event* is None if no event came, or a reason if the check was skipped. *wires* is the remedy if
    no event came, and *mixed* the remedy for a wrong event.
    """
    match event, wanted:
        case str(), _:
            return Finding(part, Verdict.SKIP, f"not checked: {event}")
        case None, _:
            return Finding(part, Verdict.WARN, "no signal came", wires)
        case Turned(steps), Turned(wanted_steps) if steps * wanted_steps > 0:
            found = "turned" if part == "encoder" else "pressed"
            return Finding(part, Verdict.OK, found)
        case Pressed(), _ if event == wanted:
            return Finding(part, Verdict.OK, "pressed")
    return Finding(part, Verdict.WARN, _event_words(event), mixed)


def _event_words(event: ControlEvent | str | None) -> str:
    """Return a description of *event*, which was reported in place of the wanted one."""
    match event:
        case Pressed(button):
            return f"button {button} was reported instead"
        case Turned(steps) if steps > 0:
            return "a clockwise turn was reported instead"
        case Turned():
            return "a counter-clockwise turn was reported instead"
    return "a different signal was reported instead"


# --- buzzer and speech ---------------------------------------------------------------------------


def _tone(person: Operator, buzzer: Buzzer, config: TableConfig, clock: Clock) -> Iterator[Finding]:
    buzzer.tone(TONE_HZ)
    clock.sleep(TONE_S)
    buzzer.tone(None)
    remedy = BUZZER_REMEDY.format(pin=config.buzzer_pin)
    answer = person.confirm("Did the buzzer beep?")
    yield _answer_finding("buzzer", answer, "heard", "not heard", remedy)


def _speech(person: Operator, voice: Voice, config: TableConfig) -> Iterator[Finding]:
    voice.say(WORDS, config.settings.language)
    answer = person.confirm(f'Did you hear "{WORDS}"?')
    yield _answer_finding("speech", answer, "heard", "not heard", SPEECH_REMEDY)
