"""Clip packs: sentences that people have recorded, a sound file each.

Room: hardware. No driver: they are files.
May import: the standard library.

A pack is a folder with one folder a language: ``clips/de/21.wav``. A file is named for what it
says; capitals, spaces and marks do not matter, so ``Ben to play.wav`` and ``ben-to-play.wav`` are
the same.
"""

import logging
import re
from collections.abc import Iterator
from gettext import gettext as _
from pathlib import Path
from unicodedata import normalize

from hardware.errors import SpeechFault
from hardware.sound import NoSound, Sound

log = logging.getLogger(__name__)

SUFFIX = ".wav"
SIGN = re.compile(r"(?<!\w)([-+\N{MINUS SIGN}])(?=\d)")  # before a number it is said, elsewhere not
SIGNS = {"-": "minus ", "\N{MINUS SIGN}": "minus ", "+": "plus "}
BETWEEN_WORDS = re.compile(r"[\W_]+")


def clip_name(text: str) -> str:
    """What the file that says *text* is called, without its ending: ``ben-to-play``."""
    told = SIGN.sub(lambda sign: SIGNS[sign[1]], normalize("NFC", text).casefold())
    return BETWEEN_WORDS.sub("-", told).strip("-")


class Clips:
    """The clip pack in *folder*. A language is looked for once, when it is first used."""

    name = "clips"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: dict[str, dict[str, Path]] = {}  # by language and name
        self._logged: set[Path] = set()

    def sound(self, text: str, language: str) -> Sound | None:
        """The clip that says *text*; none where nobody has recorded it.

        One that cannot be played is none either; that is logged once.
        """
        file = self.files(language).get(clip_name(text))
        if file is None:
            return None
        try:
            return _read(file)
        except SpeechFault as fault:
            if file not in self._logged:
                self._logged.add(file)
                log.warning("%s", _("speech: {problem}").format(problem=fault))
            return None

    def prepare(self, text: str, language: str) -> bool:
        """Whether there is a clip that says *text*."""
        return clip_name(text) in self.files(language)

    def files(self, language: str) -> dict[str, Path]:
        """The clips there are in *language*, by name."""
        if language not in self._files:
            try:
                found = sorted((self.folder / language).iterdir())
            except OSError:
                found = []  # nobody has recorded anything in this language
            self._files[language] = {
                clip_name(file.stem): file for file in found if file.suffix.lower() == SUFFIX
            }
        return self._files[language]

    def problems(self, language: str) -> Iterator[str]:
        """What is wrong with each clip in *language* that cannot be played."""
        for file in self.files(language).values():
            try:
                _read(file)
            except SpeechFault as fault:
                yield str(fault)

    def close(self) -> None:
        """Nothing to let go of."""


def _read(file: Path) -> Sound:
    """The sound in *file*.

    Raises:
        SpeechFault: there is none that can be played.
    """
    try:
        return Sound.from_wav(file.read_bytes())
    except NoSound as wrong:
        raise SpeechFault(f"{file} {wrong}") from wrong
    except OSError as wrong:
        found = _("{file} cannot be read ({reason})")
        raise SpeechFault(found.format(file=file, reason=wrong.strerror or wrong)) from wrong
