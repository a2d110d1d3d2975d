"""The reference pages agree with the program."""

from dataclasses import replace
from pathlib import Path

import pytest

from firmware.config import reference, table_config
from firmware.config.table_config import TableConfig, load_config
from tests.docs.reference import pages

AGAIN = "Make it again: python -m tests.docs.reference"
READER = '[readers.play]\nspi = "0.0"\n'
# Keys that a section needs beside the one under test.
NEEDED = {"voice": 'engine = "silent"\n', "readers.play": 'spi = "0.0"\n'}


@pytest.mark.parametrize("file", pages(), ids=lambda file: file.name)
def test_a_page_is_as_it_is_made(file: Path) -> None:
    assert file.read_text(encoding="utf-8") == pages()[file], AGAIN


def test_every_key_that_is_read_is_in_the_reference() -> None:
    told = {
        section: tuple(key.name for key in reference.KEYS if key.section == section)
        for section in reference.SECTIONS
    }
    assert told.pop("decks")
    assert {section: set(names) for section, names in told.items()} == {
        section: set(names) for section, names in table_config.KEYS.items()
    }


def loaded(file: Path, text: str) -> TableConfig:
    """Return the table configuration that *text* describes, written to *file* first."""
    file.write_text(text, encoding="utf-8")
    return replace(load_config(file), file=Path())


@pytest.mark.parametrize(
    "key", [key for key in reference.KEYS if key.default], ids=lambda k: f"{k.section}.{k.name}"
)
def test_a_key_left_out_has_its_default(key: reference.Key, tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    reader = "" if key.section == "readers.play" else READER
    section = f"{reader}[{key.section}]\n{NEEDED.get(key.section, '')}"
    assert loaded(file, section) == loaded(file, f"{section}{key.name} = {key.default}\n")
