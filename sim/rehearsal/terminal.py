"""The emulated mat in a terminal: its display in characters, its lamps and announcements.

People type the verbs of rehearsals. Virtual time advances only while the mat answers a verb, and
while the mat, if it plays, thinks.
"""

import shutil
import sys
import textwrap
from collections.abc import Iterable
from contextlib import closing
from itertools import islice, zip_longest
from pathlib import Path
from typing import TextIO

from PIL import Image

from firmware.commands.enrol import CardsToEnrol
from firmware.common.errors import TapmatError
from firmware.config.table_config import TableConfig
from firmware.journal.state_folder import state_folder
from firmware.runtime.wiring import open_computer_voice
from firmware.voice.announcer import audible_texts
from hardware.ports import Voice
from hardware.silence import SilentVoice
from sim.mat.mat import NO_POWER, Mat
from sim.rehearsal.expectations import Unexpected
from sim.rehearsal.grammar import VERBS, Move, RehearsalError, RehearsalLine, Turn, parse_line
from sim.rehearsal.runner import Runner

HINT = """\
This is the mat. Type what you would do at it:
  tap weight-7          lay a card on the reader and lift it again
  choose 4              turn the knob to 4 and press it
  players Ann Ben Cem   then start: who plays the next game
  press back            undo; ok: the menu; action: see the last line
  power cut, power on   pull the plug, and see that nothing is lost
  help, pieces, quit    every verb; what can be tapped; leave (it is saved)
"""
ENROL_HINT = """\
These stickers are not enrolled yet. Do what the display says:
  tap {piece:<18}tap a card with its sticker
  turn 1                go to another kind; press ok opens the list
  press action          do what the display's bottom right corner says
  press back            undo the last card; with none left, leave
  tap stranger          or random-uid, or two cards at once: see what happens
  help                  every verb        pieces   what can be tapped
  quit                  leave; you can go on later
"""
THINKS_S, THINKING_PASS_S = 30.0, 0.25  # the longest time that the mat may think, and a part of it
SHORT_HINT = "Type help for the list of verbs.\n"
SAID = 2  # announcements shown at a time
WIDTH = 78  # columns of text
CLEAR = "\x1b[H\x1b[2J"


def play(config: TableConfig, state: Path | None, game: str | None) -> int:
    """Run the emulated mat in this terminal until ``quit`` or the end of the input.

    Start *game* if none is in progress. Return the exit code.
    """
    folder = state or state_folder() / "sim"
    with closing(Mat(config, state_folder(folder))) as mat, closing(_voice(config)) as voice:
        mat.power_on()
        return Terminal(mat, sys.stdin, sys.stdout, voice=voice).run(game)


def enrol(config: TableConfig, state: Path, wanted: CardsToEnrol) -> int:
    """Run an emulated mat that enrols *wanted*, until ``quit`` or the end of the input.

    *state* is the state folder. Return the exit code.
    """
    mat = Mat(config, state_folder(state), is_blank=True)
    with closing(mat), closing(_voice(config)) as voice:
        mat.power_on()
        mat.enrol(wanted.deck.game, wanted.box, wanted.piece)
        hint = ENROL_HINT.format(piece=wanted.deck.kinds[0].name)
        terminal = Terminal(mat, sys.stdin, sys.stdout, hint, wanted.deck.game, voice)
        return terminal.run(None)


def _voice(config: TableConfig) -> Voice:
    """Return this computer's voice, or a silent one if no terminal is attached."""
    return open_computer_voice(config) if sys.stdout.isatty() else SilentVoice()


class Terminal:
    """A terminal that reads verbs from *lines*, plays them at *mat*, and prints to *out*.

    *voice* says the mat's announcements. Virtual time stands still between verbs, so all
    announcements of a verb are said at once after the verb. *hint* is shown first. Cards in the
    verbs belong to the game *game*.
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
        self._hint = hint or HINT
        self._runner = Runner(mat)
        self._runner.preparations.game = game  # whose cards verbs name
        self._is_screen = out.isatty()
        self._heard = 0

    def run(self, game: str | None) -> int:
        """Play until ``quit`` or the end of the input; return the exit code.

        Start *game* if none is in progress.
        """
        if game is not None:
            begin = ("players Ann Ben", "start") if self._mat.view.phase == "idle" else ()
            for line in (f'game "{game}"', *begin):
                self._runner.do(self._read(line, "--game"))
        self.show(self._hint if self._has_room(self._hint) else SHORT_HINT)
        for number, text in enumerate(self._read_lines(), 1):
            words = text.split()
            if words[:1] == ["quit"]:
                break
            if words:
                self._do(text, words, number)
        return 0

    def _read_lines(self) -> Iterable[str]:
        """Yield the typed lines, with a prompt if the output is a terminal."""
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
            self.show(help_text())
            return
        if words[0] == "pieces":
            self.show(self._runner.person.kinds(self._runner.preparations.game) + "\n")
            return
        try:
            line = self._read(text, f"line {number}")
            self._runner.do(line)
            if isinstance(line.verb, Move | Turn) and not self._mat.is_on:
                raise RehearsalError(line.place, *NO_POWER)
            self._let_mat_think()
            self.show()
        except (RehearsalError, Unexpected, TapmatError) as wrong:
            self.show(f"{wrong}\n")

    def _let_mat_think(self) -> None:
        """Let time pass until the mat has decided what it does, if it plays."""
        for _ in range(round(THINKS_S / THINKING_PASS_S)):
            if not (self._mat.is_on and self._mat.running.table.mat_thinks):
                return
            self._mat.wait(THINKING_PASS_S)

    def _read(self, text: str, place: str) -> RehearsalLine:
        verb = parse_line(text, place)
        if verb is None:
            raise RehearsalError(place, "the line has no verb", "Type a verb; help lists them")
        return RehearsalLine(place, text.strip(), verb)

    def show(self, more: str = "") -> None:
        """Print the mat's state and *more*: a screen on a terminal, otherwise a line."""
        said = list(audible_texts(islice(self._mat.said, self._heard, None)))
        self._heard = len(self._mat.said)
        if said:
            language = said[-1][0]
            self._voice.say(" ".join(text for spoken, text in said if spoken == language), language)
        if not self._is_screen:
            for language, text in said:
                print(f"said {language} {text!r}", file=self._out)
            print(f"{more}{self._in_one_line()}", file=self._out, flush=True)
            return
        below = _wrap(more)
        above = self._screen(len(below))
        print(CLEAR + "\n".join((*above, *below)), file=self._out, flush=True)

    def _has_room(self, text: str) -> bool:
        """Return True if *text* fits on the terminal below the mat's state."""
        if not self._is_screen:
            return False
        lines = len(_wrap(text))
        return len(self._screen(0)) + lines < shutil.get_terminal_size().lines

    def _screen(self, below: int) -> list[str]:
        """Return display, lamps and last announcements, with room for *below* more lines.

        One more line is left for the prompt. If the room is too small, announcements are left out
        first, then lamps.
        """
        room = shutil.get_terminal_size().lines - below - 1
        lamps = self._lamps()
        shown = self._display(room, len(lamps) + 1)
        shown += lamps if len(shown) + len(lamps) <= room else []
        said: list[str] = []
        for _spoken, text in reversed(list(audible_texts(self._mat.said))[-SAID:]):
            lines = textwrap.wrap(f"{chr(0x1F508)} {text}", _width() - 1, subsequent_indent="   ")
            if len(shown) + len(said) + len(lines) > room:
                break
            said = lines + said
        return [*shown, *said]

    def _display(self, room: int, others: int) -> list[str]:
        """Return a drawing of the display, or words if no drawing fits into *room* lines.

        The drawing is large if *others* more lines still fit below it, else small.
        """
        if not self._mat.is_on:
            return ["(no power)"]
        if self._mat.board.display is not None:
            columns = shutil.get_terminal_size().columns
            for draw, left in ((in_half_blocks, others), (in_braille, 0)):
                drawing = frame(draw(self._mat.pixels))
                if len(drawing[0]) <= columns and len(drawing) + left <= room:
                    return drawing
        return _wrap(self._in_one_line())

    def _lamps(self) -> list[str]:
        """Return the lamps with their names: one line for the seats, one for the others."""
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
    """Return *picture* (mode "1") as lines of text, with 1 x 2 pixels in each character."""
    shapes = " ▀▄█"
    lit = picture.load()
    assert lit is not None
    return [
        "".join(shapes[bool(lit[x, y]) + 2 * bool(lit[x, y + 1])] for x in range(picture.width))
        for y in range(0, picture.height, 2)
    ]


def in_braille(picture: Image.Image) -> list[str]:
    """Return *picture* (mode "1") as lines of text, with 2 x 4 pixels in each character."""
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


def frame(lines: list[str]) -> list[str]:
    """Return *lines* with a frame around them."""
    bar = "─" * len(lines[0])
    return [f"┌{bar}┐", *(f"│{line}│" for line in lines), f"└{bar}┘"]


def help_text() -> str:
    """Return the help text: the hint, and the syntax of every verb."""
    shapes = [f"{name} {verb.shape}".strip() for name, verb in VERBS.items()]
    half = (len(shapes) + 1) // 2
    rows = zip_longest(shapes[:half], shapes[half:], fillvalue="")
    verbs = "\n".join(f"  {left:<38}{right}".rstrip() for left, right in rows)
    of_copies = "see docs/rehearsals.md; weight-7#2 is the second 7 of the deck"
    return f"{HINT}Every verb ({of_copies}):\n{verbs}\n"


def _width() -> int:
    """Return the length of a line that fits the terminal: from 20 to ``WIDTH`` characters."""
    return max(min(WIDTH, shutil.get_terminal_size().columns - 2), 20)


def _wrap(text: str) -> list[str]:
    """Return *text* in lines that fit the terminal."""
    return [part for line in text.splitlines() for part in textwrap.wrap(line, _width()) or [""]]
