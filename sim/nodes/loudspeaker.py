"""A loudspeaker that records what it says, with stand-ins for espeak-ng and pacat.

The stand-in for espeak-ng makes a "sound" whose samples are the letters of the text. The one for
pacat records the samples. The program under test synthesizes, stores, plays and cuts off sounds as
usual, and the played text can be read. The volume must be 100, because any other volume changes the
samples.

May import: the standard library.
"""

import os
from collections.abc import Sequence
from pathlib import Path

# $2 is the language, after -v. The header of a WAV file of 16 bits, mono, 22,050 Hz, has no length.
SYNTHESIS = r"""#!/bin/sh
LC_ALL=C
text="$2 $(cat)"
[ $((${#text} % 2)) = 0 ] || text="$text "  # 16 bits a sample
printf 'RIFF\377\377\377\177WAVEfmt \020\0\0\0\001\0\001\0"V\0\0D\254\0\0\002\0\020\0'
printf 'data\377\377\377\177\n%s\n' "$text"
"""
PLAYER = r"""#!/bin/sh
cat >> '%s'
"""


class Loudspeaker:
    """The stand-ins in a new *folder*, which must be the first on the program's ``PATH``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._played = folder / "played"
        folder.mkdir()
        self._played.touch()
        for name, script in (("espeak-ng", SYNTHESIS), ("pacat", PLAYER % self._played)):
            program = folder / name
            program.write_text(script, encoding="utf-8")
            program.chmod(0o755)

    @property
    def path(self) -> str:
        """The program's ``PATH``."""
        return os.pathsep.join((str(self.folder), os.environ.get("PATH", os.defpath)))

    @property
    def heard(self) -> Sequence[str]:
        """The texts that were played so far, each after its language, such as "en 21"."""
        lines = self._played.read_bytes().split(b"\n")
        return [line.decode(errors="replace").rstrip() for line in lines if line.strip(b"\0")]
