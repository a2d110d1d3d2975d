"""The emulated mat in a terminal: the display in characters, the lamps, what was said.

Room: sim. People type the verbs of the rehearsals; the mat's own time runs while it answers them.
"""

import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from PIL import Image

from firmware.config import TableConfig
from firmware.errors import TapmatError
from firmware.state_folder import state_folder
from firmware.wiring import open_computer_voice
from sim.mat import Mat
from sim.rehearsal.grammar import VERBS, RehearsalError, parse_line
from sim.rehearsal.grammar import Line as RehearsalLine
from sim.rehearsal.runner import Runner, Unexpected

HINT = """\
This is the mat. Type what you would do at it:
  tap weight-7          lay a card on the reader and lift it again
  choose 4              turn the knob to 4 and press it (a Lamp asks for its weight)
  players Ann Ben Cem   then start: who plays the next game
  press back            undo; press ok: the menu; press action: what the last line says
  power cut, power on   pull the plug, and see that nothing is lost
  help                  every verb            pieces                what can be tapped
  quit                  leave; the game is kept
"""
SAID = 3  # utterances shown at a time
CLEAR = "\x1b[H\x1b[2J"
FULL_WIDTH = 130  # columns that a display of 128 pixels and its frame need


def play(config: TableConfig, state: Path | None, game: str | None) -> int:
    """Run the emulated mat on this terminal until ``quit`` or the end of the input."""
    folder = state or state_folder() / "sim"
    voice = open_computer_voice() if sys.stdout.isatty() else None
    mat = Mat(config, state_folder(folder), voice)
    try:
        mat.power_on()
        return Terminal(mat, sys.stdin, sys.stdout).run(game)
    finally:
        mat.close()


class Terminal:
    """Reads verbs, plays them at *mat*, and prints what it shows."""

    def __init__(self, mat: Mat, lines: Iterable[str], out: TextIO) -> None:
        self._mat = mat
        self._lines = lines
        self._out = out
        self._runner = Runner(mat)
        self._is_screen = out.isatty()
        self._heard = 0

    def run(self, game: str | None) -> int:
        """Play until the end; *game* is begun when none is on."""
        if game is not None:
            begin = ("players Ann Ben", "start") if self._mat.view.phase == "idle" else ()
            for line in (f'game "{game}"', *begin):
                self._runner.do(self._read(line, "--game"))
        self._print(HINT)
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
            self._print(f"{HINT}Verbs: {', '.join(VERBS)}\n")
            return
        if words[0] == "pieces":
            self._print(self._runner.person.kinds(self._runner.plan.game) + "\n")
            return
        try:
            self._runner.do(self._read(text, f"line {number}"))
            self._print()
        except (RehearsalError, Unexpected, TapmatError) as wrong:
            self._print(f"{wrong}\n")

    def _read(self, text: str, place: str) -> RehearsalLine:
        verb = parse_line(text, place)
        if verb is None:
            raise RehearsalError(place, "nothing to do", "Type a verb; help lists them")
        return RehearsalLine(place, text.strip(), verb)

    def _print(self, more: str = "") -> None:
        """Print what the mat shows: a whole screen for people, a line for programs."""
        said = list(self._mat.said)[self._heard :]
        self._heard = len(self._mat.said)
        if not self._is_screen:
            for utterance in said:
                print(f"said {utterance.language} {utterance.text!r}", file=self._out)
            print(f"{more}{self._in_one_line()}", file=self._out, flush=True)
            return
        columns = shutil.get_terminal_size().columns
        print(CLEAR + (self._screen(columns) if self._mat.is_on else "(no power)"), file=self._out)
        for utterance in list(self._mat.said)[-SAID:]:
            print(f"  {chr(0x1F508)} {utterance.text}", file=self._out)
        print(f"\n{more}", end="", file=self._out, flush=True)

    def _screen(self, columns: int) -> str:
        draw = in_half_blocks if columns >= FULL_WIDTH else in_braille
        return f"{framed(draw(self._mat.pixels))}\n{self._lamps()}"

    def _lamps(self) -> str:
        """The lamps in lines of four, each with its name."""
        names = list(self._mat.config.lamps)
        lit = [f"{'●' if self._mat.lamp(name) > 0 else '○'} {name:<18}" for name in names]
        return "\n".join("".join(lit[at : at + 4]).rstrip() for at in range(0, len(lit), 4))

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


def framed(lines: list[str]) -> str:
    """*lines* with a frame around them."""
    bar = "─" * len(lines[0])
    return "\n".join((f"┌{bar}┐", *(f"│{line}│" for line in lines), f"└{bar}┘"))
