"""The speech program piper: natural voices from a neural network, but slow on a small computer.

May import: the standard library.
Source: the command lines of piper 2023.11.14 (C++) and of piper-tts 1.3 (Python); the options used
here are the same in both.

piper loads its voice again for every sentence, which takes from half a second to several seconds.
Prepared and cached sentences avoid this delay.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path

from hardware.drivers.synthesis import Engine

PROGRAM = "piper"
NOT_INSTALLED = (
    "piper is not installed, so espeak-ng speaks; install it as docs/sound.md says, or write "
    'engine = "espeak" under [voice] in table.toml'
)
LIMIT_S = 1.5  # players who wait longer look at the display instead


def input_text(text: str, language: str) -> str:
    """Return *text* as a single line, because piper reads each line as a sentence."""
    return " ".join(text.split())


def piper(models: Mapping[str, Path]) -> Engine | None:
    """Return piper as an engine, or None if it is not installed.

    *models* has a voice file for each language.
    """
    program = shutil.which(PROGRAM)
    if program is None:
        return None
    commands = {
        language: (program, "--model", str(model), "--output_file", "-")
        for language, model in models.items()
    }
    return Engine(PROGRAM, commands.get, input_text, LIMIT_S)
