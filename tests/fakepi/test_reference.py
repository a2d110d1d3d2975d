"""The reference of fakepi is up to date, and says something about everything that it names."""

import inspect

import fakepi
from fakepi import wiring
from tests.fakepi.reference import PAGE, SECTIONS, members, page

NAMED = {thing.__name__: thing for things in SECTIONS.values() for thing in things}


def test_the_page_is_made_from_the_docstrings() -> None:
    how = "run: python -m tests.fakepi.reference"
    assert PAGE.read_text(encoding="utf-8") == page(), how


def test_everything_that_the_package_exports_is_in_it() -> None:
    text = page()
    for name in fakepi.__all__:
        assert name in NAMED or f"`{name}`" in text


def test_every_member_has_a_docstring() -> None:
    silent = [
        f"{name}.{member}"
        for name, thing in NAMED.items()
        if inspect.isclass(thing)
        for member, each in members(thing).items()
        if not inspect.getdoc(each)
    ]
    assert silent == []


def test_every_part_and_option_of_a_wiring_is_in_it() -> None:
    tables = (wiring.SPI_CHIPS, wiring.I2C_CHIPS, wiring.UART_CHIPS, wiring.PARTS)
    rows = page().partition("## The board")[0]
    for part, options in (item for table in tables for item in table.items()):
        for word in (part, *options):
            assert f"`{word}`" in rows
