"""The viewers' keys: a page that has sent the code once is recognized by its key later.

A key is random and is stored only by the page, in a cookie. The file has a hash of each key, so a
copy of the file is useless. When the file is full, a new key replaces the key that was not used for
the longest time.
"""

import logging
import secrets
from collections import OrderedDict
from hashlib import sha256
from pathlib import Path

from firmware.companion.private_file import read_private, write_private

MOST_VIEWERS = 200
NUMBER_LENGTH = 6
NAME = "viewers.json"

log = logging.getLogger(__name__)


class ViewerKeys:
    """The hashes of all valid keys, stored in *folder* in the order in which they were last used.

    Each has a note for people, such as when and from where its page joined. A viewer's *number* is
    the first ``NUMBER_LENGTH`` digits of its hash.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / NAME
        self._hashes = OrderedDict(self._read())

    def __len__(self) -> int:
        return len(self._hashes)

    def new_key(self, note: str = "") -> str:
        """Return a new key, and keep its hash and the *note*."""
        key = secrets.token_urlsafe(32)
        self._hashes[_hash_of(key)] = note
        while len(self._hashes) > MOST_VIEWERS:
            self._hashes.popitem(last=False)
        self._write()
        return key

    def has(self, key: str) -> bool:
        """Return True if *key* is valid."""
        found = _hash_of(key)
        if found not in self._hashes:
            return False
        self._hashes.move_to_end(found)
        return True

    def number_of(self, key: str) -> str:
        """Return the number of the viewer with *key*. The key need not be valid."""
        return _hash_of(key)[:NUMBER_LENGTH]

    def notes(self) -> dict[str, str]:
        """Return the note on each viewer, by number, the longest unused viewer first."""
        return {each[:NUMBER_LENGTH]: note for each, note in self._hashes.items()}

    def remove(self, number: str) -> bool:
        """Forget the viewer *number*; return False if there is none."""
        found = [each for each in self._hashes if each[:NUMBER_LENGTH] == number]
        for each in found:
            del self._hashes[each]
        self._write()
        return bool(found)

    def _read(self) -> list[tuple[str, str]]:
        """Return each hash in the file with its note.

        Return none if the file is missing or damaged, so pages pair again.
        """
        try:
            found = read_private(self._file)
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as fault:
            log.warning(
                "The list of viewers cannot be read, so all must join again: %s: %s",
                self._file,
                fault,
            )
            return []
        hashes = found.get("viewers") if isinstance(found, dict) else None
        if not isinstance(hashes, list):
            return []
        notes = found.get("notes")  # older files have none
        notes = notes if isinstance(notes, dict) else {}
        known = [(each, str(notes.get(each, ""))) for each in hashes if isinstance(each, str)]
        return known[-MOST_VIEWERS:]

    def _write(self) -> None:
        viewers = {"v": 1, "viewers": list(self._hashes), "notes": dict(self._hashes)}
        try:
            write_private(self._file, viewers)
        except OSError as fault:
            log.warning("The list of viewers cannot be saved: %s: %s", self._file, fault)


def _hash_of(key: str) -> str:
    return sha256(key.encode(errors="replace")).hexdigest()
