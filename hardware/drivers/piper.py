"""piper: voices that sound like people, from a neural network; slow on a small computer.

Room: hardware. Knows no game.
May import: the standard library.
Source: the command lines of piper 2023.11.14 (C++) and of piper-tts 1.3 (Python), which agree in
what is used here.

It loads its voice anew for every sentence, which takes from half a second to some seconds.
Sentences made ahead, and those of the cache, do not wait for that.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path

from hardware.drivers.synthesis import Engine

PROGRAM = "piper"
N_ = str  # marks a text for the catalogues; it is translated where it is used
NOT_INSTALLED = N_(
    "piper is not installed, so espeak-ng speaks; install it as docs/sound.md says, or write "
    'engine = "espeak" under [voice] in table.toml'
)
LIMIT_S = 1.5  # whoever waits longer has looked at the display


def spelled(text: str, language: str) -> str:
    """*text* as piper is to read it: each line is a sentence to it, so it is one line."""
    return " ".join(text.split())


def piper(models: Mapping[str, Path]) -> Engine | None:
    """Piper as it is installed here, with a voice file for each language; none when it is not."""
    program = shutil.which(PROGRAM)
    if program is None:
        return None
    commands = {
        language: (program, "--model", str(model), "--output_file", "-")
        for language, model in models.items()
    }
    return Engine(PROGRAM, commands.get, spelled, LIMIT_S)
