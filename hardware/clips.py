"""Clip packs: recorded sentences, each in a WAV file.

Reads files only; no driver.
May import: the standard library.

A pack is a folder with one subfolder for each language: ``clips/de/21.wav``. The name of a file is
the text that is spoken in the file. Case, spaces and punctuation do not matter: ``Ben to play.wav``
and ``ben-to-play.wav`` are the same.
"""

import logging
import re
from collections.abc import Iterator
from pathlib import Path
from unicodedata import normalize

from hardware.errors import SpeechFault
from hardware.sound import NoSound, Sound

log = logging.getLogger(__name__)

SUFFIX = ".wav"
SIGN = re.compile(r"(?<!\w)([-+\N{MINUS SIGN}])(?=\d)")  # spoken only before a number
SIGNS = {"-": "minus ", "\N{MINUS SIGN}": "minus ", "+": "plus "}
BETWEEN_WORDS = re.compile(r"[\W_]+")


def clip_name(text: str) -> str:
    """Return the file name, without suffix, of the clip for *text*, such as ``ben-to-play``."""
    spoken = SIGN.sub(lambda sign: SIGNS[sign[1]], normalize("NFC", text).casefold())
    return BETWEEN_WORDS.sub("-", spoken).strip("-")


class Clips:
    """The clip pack in *folder*.

    The files of a language are listed once, when they are first needed.
    """

    name = "clips"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: dict[str, dict[str, Path]] = {}  # by language and name
        self._logged: set[Path] = set()

    def sound(self, text: str, language: str) -> Sound | None:
        """Return the clip in which *text* is spoken, or None if there is none.

        A clip that cannot be played counts as missing, and is logged the first time.
        """
        file = self.files(language).get(clip_name(text))
        if file is None:
            return None
        try:
            return _read(file)
        except SpeechFault as fault:
            if file not in self._logged:
                self._logged.add(file)
                log.warning("%s", f"speech: {fault}")
            return None

    def prepare(self, text: str, language: str) -> bool:
        """Return True if there is a clip for *text*. A clip needs no preparation."""
        return clip_name(text) in self.files(language)

    def files(self, language: str) -> dict[str, Path]:
        """Return the clip files of *language* by clip name."""
        if language not in self._files:
            try:
                found = sorted((self.folder / language).iterdir())
            except OSError:
                found = []  # no folder, so no recordings in this language
            self._files[language] = {
                clip_name(file.stem): file for file in found if file.suffix.lower() == SUFFIX
            }
        return self._files[language]

    def problems(self, language: str) -> Iterator[str]:
        """Yield a message for each clip in *language* that cannot be played."""
        for file in self.files(language).values():
            try:
                _read(file)
            except SpeechFault as fault:
                yield str(fault)

    def close(self) -> None:
        """Do nothing, because there is nothing to release."""


def _read(file: Path) -> Sound:
    """Return the sound in *file*.

    Raises:
        SpeechFault: the file cannot be played.
    """
    try:
        return Sound.from_wav(file.read_bytes())
    except NoSound as wrong:
        raise SpeechFault(f"{file} {wrong}") from wrong
    except OSError as wrong:
        found = "{file} cannot be read ({reason})"
        raise SpeechFault(found.format(file=file, reason=wrong.strerror or wrong)) from wrong
