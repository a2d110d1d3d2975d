"""The emulated mat in a terminal: the display in characters, the lamps, what was said.

Room: sim. People type the verbs of the rehearsals; the mat's own time runs while it answers them.
"""

import shutil
import sys
import textwrap
from collections.abc import Iterable
from contextlib import closing
from gettext import gettext as _
from itertools import islice, zip_longest
from pathlib import Path
from typing import TextIO

from PIL import Image

from firmware.announcer import heard
from firmware.config import TableConfig
from firmware.enrol import Wanted
from firmware.errors import TapmatError
from firmware.state_folder import state_folder
from firmware.wiring import open_computer_voice
from hardware.ports import Voice
from hardware.silence import SilentVoice
from sim.mat import NO_POWER, Mat
from sim.rehearsal.expectations import Unexpected
from sim.rehearsal.grammar import VERBS, Move, RehearsalError, Turn, parse_line
from sim.rehearsal.grammar import Line as RehearsalLine
from sim.rehearsal.runner import Runner

N_ = str  # marks a text for the catalogues; it is translated where it is used
HINT = N_("""\
This is the mat. Type what you would do at it:
  tap weight-7          lay a card on the reader and lift it again
  choose 4              turn the knob to 4 and press it
  players Ann Ben Cem   then start: who plays the next game
  press back            undo; ok: the menu; action: what the last line says
  power cut, power on   pull the plug, and see that nothing is lost
  help                  every verb        pieces   what can be tapped
  quit                  leave; the game is kept
""")
ENROL_HINT = N_("""\
Nobody has enrolled these stickers yet. Do what the display says:
  tap {piece:<18}tap a card, and with it its sticker
  turn 1                another kind comes next; press ok opens the list
  press action          does what stands at the display's right bottom
  press back            takes the last card back; with none left, leaves
  tap stranger          or random-uid, or two cards at once: see what happens
  help                  every verb        pieces   what can be tapped
  quit                  leave; it goes on later where it stopped
""")
SHORT_HINT = N_("Type help for what can be done here.\n")
SAID = 2  # utterances shown at a time
WIDTH = 78  # columns of text
CLEAR = "\x1b[H\x1b[2J"


def play(config: TableConfig, state: Path | None, game: str | None) -> int:
    """Run the emulated mat on this terminal until ``quit`` or the end of the input."""
    folder = state or state_folder() / "sim"
    with closing(Mat(config, state_folder(folder))) as mat, closing(_voice(config)) as voice:
        mat.power_on()
        return Terminal(mat, sys.stdin, sys.stdout, voice=voice).run(game)


def enrol(config: TableConfig, state: Path, wanted: Wanted) -> int:
    """Enrol what is *wanted* at an emulated mat of its own, until ``quit`` or end of input."""
    mat = Mat(config, state_folder(state), is_blank=True)
    with closing(mat), closing(_voice(config)) as voice:
        mat.power_on()
        mat.enrol(wanted.deck.game, wanted.box, wanted.piece)
        hint = _(ENROL_HINT).format(piece=wanted.deck.kinds[0].name)
        terminal = Terminal(mat, sys.stdin, sys.stdout, hint, wanted.deck.game, voice)
        return terminal.run(None)


def _voice(config: TableConfig) -> Voice:
    """What says aloud to people at this computer what the mat says; programs read it."""
    return open_computer_voice(config) if sys.stdout.isatty() else SilentVoice()


class Terminal:
    """Reads verbs, plays them at *mat*, and prints what it shows; *voice* says what it says.

    The mat's own time stands still until the next verb, so all of it is said in one go.
    """

    def __init__(
        self,
        mat: Mat,
        lines: Iterable[str],
        out: TextIO,
        hint: str = "",
        game: str | None = None,
        voice: Voice | None = None,
    ) -> None:
        self._mat = mat
        self._lines = lines
        self._out = out
        self._voice = voice or SilentVoice()
        self._hint = hint or _(HINT)
        self._runner = Runner(mat)
        self._runner.plan.game = game  # whose cards are meant
        self._is_screen = out.isatty()
        self._heard = 0

    def run(self, game: str | None) -> int:
        """Play until the end; *game* is begun when none is on."""
        if game is not None:
            begin = ("players Ann Ben", "start") if self._mat.view.phase == "idle" else ()
            for line in (f'game "{game}"', *begin):
                self._runner.do(self._read(line, "--game"))
        self.show(self._hint if self._has_room(self._hint) else _(SHORT_HINT))
        for number, text in enumerate(self._typed(), 1):
            words = text.split()
            if words[:1] == ["quit"]:
                break
            if words:
                self._do(text, words, number)
        return 0

    def _typed(self) -> Iterable[str]:
        """What people type, with a prompt where there is somebody to read it."""
        if not self._is_screen:
            yield from self._lines
            return
        while True:
            try:
                yield input("> ")
            except EOFError:
                return

    def _do(self, text: str, words: list[str], number: int) -> None:
        if words[0] == "help":
            self.show(helping())
            return
        if words[0] == "pieces":
            self.show(self._runner.person.kinds(self._runner.plan.game) + "\n")
            return
        try:
            line = self._read(text, f"line {number}")
            self._runner.do(line)
            if isinstance(line.verb, Move | Turn) and not self._mat.is_on:
                raise RehearsalError(line.place, *NO_POWER)
            self.show()
        except (RehearsalError, Unexpected, TapmatError) as wrong:
            self.show(f"{wrong}\n")

    def _read(self, text: str, place: str) -> RehearsalLine:
        verb = parse_line(text, place)
        if verb is None:
            raise RehearsalError(place, _("nothing to do"), _("Type a verb; help lists them"))
        return RehearsalLine(place, text.strip(), verb)

    def show(self, more: str = "") -> None:
        """Print what the mat shows: a whole screen for people, a line for programs."""
        said = list(heard(islice(self._mat.said, self._heard, None)))
        self._heard = len(self._mat.said)
        if said:
            language = said[-1][0]
            self._voice.say(" ".join(text for spoken, text in said if spoken == language), language)
        if not self._is_screen:
            for language, text in said:
                print(f"said {language} {text!r}", file=self._out)
            print(f"{more}{self._in_one_line()}", file=self._out, flush=True)
            return
        below = _wrapped(more)
        above = self._screen(len(below))
        print(CLEAR + "\n".join((*above, *below)), file=self._out, flush=True)

    def _has_room(self, text: str) -> bool:
        """Whether *text* fits below everything that is shown."""
        if not self._is_screen:
            return False
        lines = len(_wrapped(text))
        return len(self._screen(0)) + lines < shutil.get_terminal_size().lines

    def _screen(self, below: int) -> list[str]:
        """Display, lamps and what was said last, as far as a terminal has room above *below* lines.

        The prompt needs one more. What does not fit is left out from the end, the display last.
        """
        room = shutil.get_terminal_size().lines - below - 1
        lamps = self._lamps()
        shown = self._display(room, len(lamps) + 1)
        shown += lamps if len(shown) + len(lamps) <= room else []
        said: list[str] = []
        for _spoken, text in reversed(list(heard(self._mat.said))[-SAID:]):
            lines = textwrap.wrap(f"{chr(0x1F508)} {text}", _width() - 1, subsequent_indent="   ")
            if len(shown) + len(said) + len(lines) > room:
                break
            said = lines + said
        return [*shown, *said]

    def _display(self, room: int, others: int) -> list[str]:
        """The display in at most *room* lines; large if *others* still have room beside it."""
        if not self._mat.is_on:
            return [_("(no power)")]
        if self._mat.board.display is not None:
            columns = shutil.get_terminal_size().columns
            for draw, left in ((in_half_blocks, others), (in_braille, 0)):
                drawing = framed(draw(self._mat.pixels))
                if len(drawing[0]) <= columns and len(drawing) + left <= room:
                    return drawing
        return _wrapped(self._in_one_line())

    def _lamps(self) -> list[str]:
        """The lamps, each with its name: those of the seats in a line, and the others."""
        lit = {
            name: f"{'●' if self._mat.lamp(name) > 0 else '○'} {name}"
            for name in self._mat.config.lamps
        }
        seats = [shown for name, shown in lit.items() if name.startswith("seat-")]
        others = [shown for name, shown in lit.items() if not name.startswith("seat-")]
        return ["  ".join(line) for line in (seats, others) if line]

    def _in_one_line(self) -> str:
        if not self._mat.is_on:
            return "power off"
        view = self._mat.view
        turn = view.names[view.turn] if view.turn is not None else "-"
        pieces = ", ".join(f"{place} {count}" for place, count in view.counts.items())
        return f"{view.phase} | headline {view.headline or '-'} | turn {turn} | {pieces or '-'}"


def in_half_blocks(picture: Image.Image) -> list[str]:
    """*picture* (mode "1") as lines of text: a character shows two pixels, one above the other."""
    shapes = " ▀▄█"
    lit = picture.load()
    assert lit is not None
    return [
        "".join(shapes[bool(lit[x, y]) + 2 * bool(lit[x, y + 1])] for x in range(picture.width))
        for y in range(0, picture.height, 2)
    ]


def in_braille(picture: Image.Image) -> list[str]:
    """*picture* (mode "1") as lines of text: a character shows 2 x 4 pixels, as braille dots."""
    dots = (
        (0, 0, 1),
        (0, 1, 2),
        (0, 2, 4),
        (1, 0, 8),
        (1, 1, 16),
        (1, 2, 32),
        (0, 3, 64),
        (1, 3, 128),
    )
    lit = picture.load()
    assert lit is not None
    return [
        "".join(
            chr(0x2800 + sum(bit for dx, dy, bit in dots if lit[x + dx, y + dy]))
            for x in range(0, picture.width, 2)
        )
        for y in range(0, picture.height, 4)
    ]


def framed(lines: list[str]) -> list[str]:
    """*lines* with a frame around them."""
    bar = "─" * len(lines[0])
    return [f"┌{bar}┐", *(f"│{line}│" for line in lines), f"└{bar}┘"]


def helping() -> str:
    """The hint, how every verb is written, and where more is told."""
    shapes = [f"{name} {verb.shape}".strip() for name, verb in VERBS.items()]
    half = (len(shapes) + 1) // 2
    rows = zip_longest(shapes[:half], shapes[half:], fillvalue="")
    verbs = "\n".join(f"  {left:<38}{right}".rstrip() for left, right in rows)
    told = _("Every verb (docs/rehearsals.md tells what each does):\n{verbs}\n")
    return f"{_(HINT)}{told.format(verbs=verbs)}"


def _width() -> int:
    """How long a line of text may be."""
    return max(min(WIDTH, shutil.get_terminal_size().columns - 2), 20)


def _wrapped(text: str) -> list[str]:
    """The lines of *text*, none of them longer than a terminal is wide."""
    return [part for line in text.splitlines() for part in textwrap.wrap(line, _width()) or [""]]
