"""The log of a disk's writes, and the disks that a power cut may leave."""

from pathlib import Path
from random import Random

import pytest

from tests.cuts.log_writes import (
    DISCARD,
    ENTRY,
    FLUSH,
    FUA,
    MAGIC,
    MARK,
    SECTOR,
    SUPER,
    VERSION,
    BadLog,
    DiskImage,
    LoggedWrite,
    cut_disks,
    read_log,
)

SIZE = 64 * SECTOR
TRIES = 400


def entry(sector: int, sectors: int, flags: int, data: bytes = b"", inline: bytes = b"") -> bytes:
    """Return an entry as the kernel writes it: a sector with its header, then its data."""
    header = ENTRY.pack(sector, sectors, flags, len(inline)) + inline
    return header.ljust(SECTOR, b"\0") + data


def log_file(path: Path, *entries: bytes, count: int | None = None) -> Path:
    """Write a log with *entries*, whose header tells of *count* of them."""
    number = len(entries) if count is None else count
    head = SUPER.pack(MAGIC, VERSION, number, SECTOR).ljust(SECTOR, b"\0")
    path.write_bytes(head + b"".join(entries))
    return path


def write(sector: int, letter: str, sectors: int = 1, flags: int = 0) -> LoggedWrite:
    """Return a write of a letter to *sectors* sectors."""
    length = sectors * SECTOR
    return LoggedWrite(sector * SECTOR, length, flags, letter.encode() * length)


FLUSHED = LoggedWrite(0, 0, FLUSH, b"")


def mark(text: str) -> LoggedWrite:
    return LoggedWrite(0, 0, MARK, b"", text)


def contents(image: DiskImage, folder: Path) -> str:
    """Return the first letter of each sector; a dot for zeros."""
    image.save(folder / "image")
    data = (folder / "image").read_bytes()
    assert len(data) == SIZE
    sectors = [data[at : at + SECTOR] for at in range(0, SIZE, SECTOR)]
    assert all(sector == sector[:1] * SECTOR for sector in sectors)
    return "".join(chr(sector[0]) if sector[0] else "." for sector in sectors).rstrip(".")


def images(log: list[LoggedWrite], folder: Path) -> list[tuple[int, str | None, str]]:
    """Return entry, mark and contents of many disks after power cuts."""
    disks = cut_disks(DiskImage({}, SIZE), log, TRIES, Random(1))
    return [(d.point.entry, d.point.mark, contents(d.image, folder)) for d in disks]


# --- reading -------------------------------------------------------------------------------------


def test_a_log_is_read(tmp_path: Path) -> None:
    log = log_file(
        tmp_path / "log",
        entry(8, 2, 0, b"a" * 2 * SECTOR),
        entry(0, 0, MARK, inline=b"17"),
        entry(16, 4, DISCARD),
        entry(1, 1, FUA, b"b" * SECTOR),
    )
    assert read_log(log) == [
        write(8, "a", 2),
        mark("17"),
        LoggedWrite(16 * SECTOR, 4 * SECTOR, DISCARD, b""),
        write(1, "b", flags=FUA),
    ]


def test_a_flush_with_data_comes_before_its_data(tmp_path: Path) -> None:
    log = log_file(tmp_path / "log", entry(1, 1, FLUSH | FUA, b"a" * SECTOR))
    assert read_log(log) == [FLUSHED, write(1, "a", flags=FUA)]


def test_entries_beyond_the_count_are_left_out(tmp_path: Path) -> None:
    """The kernel raises the count once an entry is whole."""
    written = (entry(1, 1, 0, b"a" * SECTOR), entry(2, 1, 0, b"b" * SECTOR))
    assert read_log(log_file(tmp_path / "log", *written, count=1)) == [write(1, "a")]


@pytest.mark.parametrize("cut", [10, SECTOR + 10, 2 * SECTOR + 10])
def test_a_log_that_is_cut_off_is_refused(tmp_path: Path, cut: int) -> None:
    log = log_file(tmp_path / "log", entry(1, 1, 0, b"a" * SECTOR))
    log.write_bytes(log.read_bytes()[:cut])
    with pytest.raises(BadLog):
        read_log(log)


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"SQLite format 3\0".ljust(SECTOR, b"\0"))
    with pytest.raises(BadLog, match="does not begin"):
        read_log(tmp_path / "log")


# --- images --------------------------------------------------------------------------------------


def test_an_image_is_saved_as_it_was_read(tmp_path: Path) -> None:
    data = bytes(5000) + b"x" * 5000 + bytes(20480 - 10000)
    (tmp_path / "disk").write_bytes(data)
    DiskImage.read(tmp_path / "disk").save(tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == data


def test_a_discard_leaves_zeros(tmp_path: Path) -> None:
    image = DiskImage({}, SIZE)
    image.apply(write(1, "a", 3))
    image.apply(LoggedWrite(2 * SECTOR, SECTOR, DISCARD, b""))
    assert contents(image, tmp_path) == ".a.a"


# --- power cuts ----------------------------------------------------------------------------------


def test_what_was_flushed_is_on_every_disk(tmp_path: Path) -> None:
    seen = images([write(0, "a"), write(1, "b"), FLUSHED, write(2, "c")], tmp_path)
    assert all(disk.startswith("ab") for at, _mark, disk in seen if at == 3)
    assert {disk for at, _mark, disk in seen if at == 3} == {"ab", "abc"}


def test_until_it_is_flushed_any_write_may_be_lost(tmp_path: Path) -> None:
    seen = images([write(0, "a"), write(1, "b"), write(2, "c"), FLUSHED], tmp_path)
    during_flush = {disk for at, _mark, disk in seen if at == 3}
    assert during_flush == {"", "a", ".b", "ab", "..c", "a.c", ".bc", "abc"}


def test_a_write_may_be_torn_between_sectors(tmp_path: Path) -> None:
    seen = images([write(0, "a", 2), FLUSHED], tmp_path)
    assert {disk for _at, _mark, disk in seen} == {"", "a", ".a", "aa"}


def test_a_write_with_fua_is_safe_although_those_before_it_are_not(tmp_path: Path) -> None:
    seen = images([write(0, "a"), write(1, "b", flags=FUA), write(2, "c")], tmp_path)
    assert {disk for at, _mark, disk in seen if at == 2} == {".b", "ab", ".bc", "abc"}
    assert {disk for at, _mark, disk in seen if at == 1} == {"", "a", ".b", "ab"}


def test_a_disk_has_the_last_mark_before_its_cut(tmp_path: Path) -> None:
    seen = images([write(0, "a"), mark("1"), write(1, "b"), mark("2"), FLUSHED], tmp_path)
    assert {(at, mark) for at, mark, _disk in seen} == {
        (0, None),
        (1, None),
        (2, "1"),
        (3, "1"),
        (4, "2"),
    }


def test_as_many_disks_are_tried_as_were_asked_for(tmp_path: Path) -> None:
    for count in (0, 1, 7):
        disks = cut_disks(DiskImage({}, SIZE), [write(0, "a"), FLUSHED], count, Random(1))
        assert len(list(disks)) == count
