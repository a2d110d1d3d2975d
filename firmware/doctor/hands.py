"""What only hands, eyes and ears can try, one after the other; each can be skipped.

Room: firmware/doctor. Nothing waits for ever: whoever walks away ends it after ``LIMIT_S`` each.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from gettext import gettext as _
from typing import Protocol

from PIL import Image

from firmware.config import ControlsConfig, TableConfig
from firmware.doctor.findings import Finding, Verdict
from firmware.doctor.parts import MISS_RATE, NEARER, WORDS
from firmware.loop import TURN_S, Parts
from hardware.errors import HardwareFault
from hardware.ports import (
    Buzzer,
    Clock,
    ControlEvent,
    Controls,
    Display,
    Lamps,
    Pressed,
    TagReader,
    Turned,
    Voice,
)

N_ = str  # marks a text for the catalogues; it is translated where it is used

LIMIT_S = 30.0
TAG_POLLS = 100  # of a tag, from its first sighting: a second
LIT_S = 0.6  # each lamp in turn
TONE_HZ, TONE_S = 880.0, 0.5
SQUARE = 8  # pixels of a field of the pattern

NO_TAG = N_(
    "Lay it flat over the antenna; if that shows nothing, try another: 13.56 MHz, ISO 14443A, as "
    "NTAG213. Else the antenna: another reader board"
)
PATTERN_REMEDY = N_(
    'Shifted by two columns, or noise: chip = "sh1106" under [display] in table.toml; upside down: '
    "rotate = true; every second line: another size"
)
LAMP_REMEDY = N_(
    "Its long leg goes to GPIO{pin} over 330 ohm, its short one to GND; or correct its pin under "
    "[lamps] in table.toml"
)
SWAP_ENCODER = N_("Swap the two numbers of encoder under [controls] in table.toml")
ENCODER_WIRES = N_("Its A and B go to {a} and {b}, its middle pin (C) to GND")
BUTTON_WIRES = N_("It goes from GPIO{pin} to GND")
BUTTON_MIXED = N_("Correct its number under [controls] in table.toml: it is on GPIO{pin} there")
BUZZER_REMEDY = N_("It must be a passive one: + to GPIO{pin}, - to GND")
SPEECH_REMEDY = N_(
    "Turn it up: alsamixer; choose the card: sudo raspi-config, System Options, Audio"
)


class Person(Protocol):
    """Somebody at the table."""

    def begin(self, findings: Sequence[Finding]) -> None:
        """Show what was found so far; questions follow."""
        ...

    def tell(self, text: str) -> None:
        """Say what is to be done now."""
        ...

    def confirm(self, question: str) -> bool | None:
        """Ask; none when they would rather skip it."""
        ...

    def is_done(self) -> bool:
        """Whether they do not want to try this any longer; returns at once."""
        ...


def try_by_hand(
    person: Person, config: TableConfig, parts: Parts, voice: Voice, clock: Clock
) -> Iterator[Finding]:
    """Everything, with *person*; a part that fails meanwhile is told, and the others go on."""
    tries: list[tuple[str, Callable[[], Iterator[Finding]]]] = [
        (f"reader {spot}", partial(_tag, person, spot, reader, clock))
        for spot, reader in parts.readers.items()
    ]
    if parts.display is not None:
        tries.append(("display", partial(_pattern, person, parts.display)))
    if parts.lamps.names:
        tries.append(("lamps", partial(_lamps, person, parts.lamps, config, clock)))
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


def _answered(part: str, answer: bool | None, good: str, bad: str, remedy: str) -> Finding:
    if answer is None:
        return Finding(part, Verdict.OK, _("skipped"))
    if answer:
        return Finding(part, Verdict.OK, good)
    return Finding(part, Verdict.WARN, bad, remedy)


# --- readers -------------------------------------------------------------------------------------


def _tag(person: Person, spot: str, reader: TagReader, clock: Clock) -> Iterator[Finding]:
    """A tag that somebody lays down: its UID, and how well it is read."""
    part = f"reader {spot}"
    person.tell(_("Lay a tag on {spot}, and leave it there (Enter: skip)").format(spot=spot))
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
        elif person.is_done():
            yield Finding(part, Verdict.OK, _("skipped"))
            return
        clock.sleep(TURN_S)
    if uid is None:
        yield Finding(part, Verdict.WARN, _("no tag was seen"), _(NO_TAG))
        return
    found = _("tag {uid}, seen in {seen} of {polls} polls")
    found = found.format(uid=uid.hex(" ").upper(), seen=seen, polls=polls)
    is_badly_read = polls - seen > MISS_RATE * polls
    verdict, remedy = (Verdict.WARN, NEARER) if is_badly_read else (Verdict.OK, "")
    person.tell(found)
    yield Finding(part, verdict, found, remedy)


# --- what is seen --------------------------------------------------------------------------------


def pattern(size: tuple[int, int]) -> Image.Image:
    """A frame at the very edge, and in it a chequered field: what is shifted or lost shows."""
    width, height = size
    picture = Image.new("1", size, 1)
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            picture.putpixel((x, y), (x // SQUARE + y // SQUARE) % 2)
    return picture


def _pattern(person: Person, display: Display) -> Iterator[Finding]:
    display.restart()
    display.show(pattern(display.size))
    question = _("Does the display show a chequered field inside a thin whole frame?")
    seen, unseen = _("the pattern is seen"), _("the pattern is not seen")
    yield _answered("display", person.confirm(question), seen, unseen, _(PATTERN_REMEDY))


def _lamps(person: Person, lamps: Lamps, config: TableConfig, clock: Clock) -> Iterator[Finding]:
    """All in their order at once; if that is not so, each alone."""
    names = ", ".join(lamps.names)
    person.tell(_("Lamps, one after the other: {names}").format(names=names))
    for name in lamps.names:
        lamps.light(name, 1.0)
        clock.sleep(LIT_S)
        lamps.light(name, 0.0)
    question = _("Did all {count} light up, one at a time, in this order?")
    answer = person.confirm(question.format(count=len(lamps.names)))
    if answer is not False:
        yield _answered("lamps", answer, _("each lit up in its turn"), "", "")
        return
    for name in lamps.names:
        lamps.light(name, 1.0)
        answer = person.confirm(_("Is {name} lit, and no other?").format(name=name))
        lamps.light(name, 0.0)
        remedy = _(LAMP_REMEDY).format(pin=config.lamps[name])
        yield _answered(f"lamp {name}", answer, _("lit"), _("not lit"), remedy)


# --- controls ------------------------------------------------------------------------------------


def _controls(
    person: Person, controls: Controls, wired: ControlsConfig, clock: Clock
) -> Iterator[Finding]:
    if wired.encoder is not None:
        person.tell(_("Turn the encoder clockwise (Enter: skip)"))
        event = _awaited(person, controls, clock)
        a, b = (f"GPIO{pin}" for pin in wired.encoder)
        wires = _(ENCODER_WIRES).format(a=a, b=b)
        yield _done("encoder", event, Turned(+1), wires, _(SWAP_ENCODER))
    for name, pin in wired.buttons.items():
        person.tell(_("Press {name} (Enter: skip)").format(name=name))
        wanted = {"left": Turned(-1), "right": Turned(+1)}.get(name, Pressed(name))
        event = _awaited(person, controls, clock)
        remedies = (_(BUTTON_WIRES).format(pin=pin), _(BUTTON_MIXED).format(pin=pin))
        yield _done(f"button {name}", event, wanted, *remedies)


def _awaited(person: Person, controls: Controls, clock: Clock) -> ControlEvent | str | None:
    """What was done first; none when nothing was, "skipped" when the person said so."""
    controls.poll()  # what was done before does not count
    until_s = clock.now() + LIMIT_S
    while clock.now() < until_s:
        for event in controls.poll():
            return event
        if person.is_done():
            return _("skipped")
        clock.sleep(TURN_S)
    return None


def _done(
    part: str, event: ControlEvent | str | None, wanted: ControlEvent, wires: str, mixed: str
) -> Finding:
    match event, wanted:
        case str(), _:
            return Finding(part, Verdict.OK, event)
        case None, _:
            return Finding(part, Verdict.WARN, _("nothing came"), wires)
        case Turned(steps), Turned(wanted_steps) if steps * wanted_steps > 0:
            found = _("turned") if part == "encoder" else _("pressed")
            return Finding(part, Verdict.OK, found)
        case Pressed(), _ if event == wanted:
            return Finding(part, Verdict.OK, _("pressed"))
    return Finding(part, Verdict.WARN, _came(event), mixed)


def _came(event: ControlEvent | str | None) -> str:
    """What came in place of what was wanted."""
    match event:
        case Pressed(button):
            return _("button {name} came instead").format(name=button)
        case Turned(steps) if steps > 0:
            return _("a turn clockwise came instead")
        case Turned():
            return _("a turn counter-clockwise came instead")
    return _("something else came instead")


# --- what is heard -------------------------------------------------------------------------------


def _tone(person: Person, buzzer: Buzzer, config: TableConfig, clock: Clock) -> Iterator[Finding]:
    buzzer.tone(TONE_HZ)
    clock.sleep(TONE_S)
    buzzer.tone(None)
    remedy = _(BUZZER_REMEDY).format(pin=config.buzzer_pin)
    answer = person.confirm(_("Did it beep?"))
    yield _answered("buzzer", answer, _("heard"), _("not heard"), remedy)


def _speech(person: Person, voice: Voice, config: TableConfig) -> Iterator[Finding]:
    voice.say(WORDS, config.language)
    answer = person.confirm(_('Did you hear "{words}"?').format(words=WORDS))
    yield _answered("speech", answer, _("heard"), _("not heard"), _(SPEECH_REMEDY))
