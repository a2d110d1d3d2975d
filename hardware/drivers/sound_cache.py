"""A disk cache of sounds, so that what was said once begins at once the next time.

Room: hardware. Knows no game.
May import: the standard library.

A file is four bytes of CRC-32 and the WAV file they are of. It is written beside its place and
moved there, so it is whole or not there at all; one that was damaged since is taken away. Nothing
that a disk refuses keeps anybody from speaking: the sound is made anew each time.
"""

import hashlib
import logging
import os
import tempfile
import time
import zlib
from collections.abc import Sequence
from contextlib import suppress
from gettext import gettext as _
from pathlib import Path

from hardware.sound import NoSound, Sound

log = logging.getLogger(__name__)

SUFFIX = ".sound"
LIMIT_BYTES = 64_000_000  # some 1,500 sentences; the numbers to 100 in six languages take a third
KEPT_SHARE = 0.9  # of the limit is left after taking out the oldest, so that it is seldom done
USED_S = 3600.0  # a file used since is not marked as used again: a memory card wears out


class SoundCache:
    """Keeps sounds in *folder*, made when there is something to keep, up to *limit_bytes*."""

    def __init__(self, folder: Path, limit_bytes: int = LIMIT_BYTES) -> None:
        self._folder, self._limit_bytes = folder, limit_bytes
        self._bytes: int | None = None  # in the folder; none: not counted yet
        self._is_refused = False

    def has(self, key: Sequence[str]) -> bool:
        """Whether there is a sound under *key*; it may be damaged."""
        return self._file(key).exists()

    def get(self, key: Sequence[str]) -> Sound | None:
        """The sound kept under *key*; none when there is none, or it is damaged."""
        file = self._file(key)
        try:
            data = file.read_bytes()
            self._mark_used(file)
        except OSError:
            return None
        with suppress(NoSound):
            if zlib.crc32(data[4:]) == int.from_bytes(data[:4]):
                return Sound.from_wav(data[4:])
        log.info("the sound %s is damaged, and is made anew", file)
        with suppress(OSError):
            file.unlink(missing_ok=True)
        return None

    def put(self, key: Sequence[str], sound: Sound) -> None:
        """Keep *sound* under *key*; where the disk refuses, that is logged once, and no more."""
        wav = sound.to_wav()
        try:
            self._write(self._file(key), zlib.crc32(wav).to_bytes(4) + wav)
            self._make_room()
        except OSError as refused:
            if not self._is_refused:
                told = _("speech is not kept for the next time: {reason}")
                log.warning("%s", told.format(reason=refused))
            self._is_refused = True
            return
        self._is_refused = False

    def _file(self, key: Sequence[str]) -> Path:
        name = hashlib.sha256("\0".join(key).encode()).hexdigest()
        return self._folder / f"{name}{SUFFIX}"

    def _mark_used(self, file: Path) -> None:
        if time.time() - file.stat().st_mtime > USED_S:
            os.utime(file)

    def _write(self, file: Path, data: bytes) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=self._folder, delete=False) as new:
            try:
                new.write(data)
                new.close()
                Path(new.name).replace(file)
            except OSError:
                Path(new.name).unlink(missing_ok=True)
                raise
        if self._bytes is not None:
            self._bytes += len(data)

    def _make_room(self) -> None:
        """Take out what was used least lately, when there is too much; half-written files too."""
        if self._bytes is not None and self._bytes <= self._limit_bytes:
            return
        files = sorted(
            (status.st_mtime, status.st_size, file)
            for file in self._folder.iterdir()
            for status in [file.stat()]
        )
        self._bytes = sum(size for _used, size, _file in files)
        if self._bytes <= self._limit_bytes:
            return
        for _used, size, file in files:
            if self._bytes <= self._limit_bytes * KEPT_SHARE:
                break
            file.unlink(missing_ok=True)
            self._bytes -= size
