"""Entries for the tests of the hall, without a journal file."""

from collections.abc import Iterable

from firmware.hall.messages import SentEntry


def entry(seq: int, text: str = "") -> SentEntry:
    """Return entry *seq* of game 1."""
    body = f'{{"number":{seq},"text":"{text}"}}'
    return SentEntry(seq, 1, "start" if seq == 1 else "input", body, "2026-11-27T10:00:00+00:00")


class ListedRows:
    """A journal in memory (``EntrySource``). *entries* may grow, shrink or be replaced."""

    def __init__(self, entries: Iterable[SentEntry], name: str = "0123456789abcdef") -> None:
        self.entries = list(entries)
        self._name = name

    def name(self) -> str | None:
        return self._name if self.entries else None

    def after(self, seq: int, most: int) -> list[SentEntry]:
        return [entry for entry in self.entries if entry.seq > seq][:most]

    def seal(self, seq: int) -> int | None:
        return next((entry.seal for entry in self.entries if entry.seq == seq), None)
