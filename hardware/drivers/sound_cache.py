"""A disk cache of sounds, so that repeated texts start without delay.

May import: the standard library.

A file holds the CRC-32 of a WAV file in four bytes, then the WAV file. The file is written under a
temporary name and then renamed, so it is never incomplete. A damaged file is deleted. Disk errors
do not stop speech: the sound is made again each time.
"""

import hashlib
import logging
import os
import tempfile
import time
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from hardware.sound import NoSound, Sound

log = logging.getLogger(__name__)

SUFFIX = ".sound"
LIMIT_BYTES = 64_000_000  # about 1,500 sentences; the numbers to 100 in six languages take a third
KEPT_SHARE = 0.9  # share of the limit that stays after a clean-up, so that clean-ups are rare
USED_S = 3600.0  # a use is recorded at most this often, because memory cards wear out


class SoundCache:
    """A cache in *folder* of up to *limit_bytes*. Storing the first sound creates the folder."""

    def __init__(self, folder: Path, limit_bytes: int = LIMIT_BYTES) -> None:
        self._folder, self._limit_bytes = folder, limit_bytes
        self._bytes: int | None = None  # size of all files; None: not counted yet
        self._is_refused = False

    def has(self, key: Sequence[str]) -> bool:
        """Return True if the sound *key* has a file. The file may be damaged."""
        return self._file(key).exists()

    def get(self, key: Sequence[str]) -> Sound | None:
        """Return the sound for *key*, or None if there is none or it is damaged."""
        file = self._file(key)
        try:
            data = file.read_bytes()
            self._mark_used(file)
        except OSError:
            return None
        with suppress(NoSound):
            if zlib.crc32(data[4:]) == int.from_bytes(data[:4]):
                return Sound.from_wav(data[4:])
        log.info("the sound %s is damaged, and is made again", file)
        with suppress(OSError):
            file.unlink(missing_ok=True)
        return None

    def put(self, key: Sequence[str], sound: Sound) -> None:
        """Store *sound* for *key*.

        A disk error is logged only once, until a write has succeeded again.
        """
        wav = sound.to_wav()
        try:
            self._write(self._file(key), zlib.crc32(wav).to_bytes(4) + wav)
            self._make_room()
        except OSError as refused:
            if not self._is_refused:
                text = "speech cannot be cached: {reason}"
                log.warning("%s", text.format(reason=refused))
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
        """If the cache is too large, delete the least recently used files."""
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
