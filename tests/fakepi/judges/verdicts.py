"""The verdicts on drivers: each belongs to a test that shows it, and together they are a page.

    python -m tests.fakepi.judges.verdicts

writes the page. A test in ``tests/fakepi/test_judges_page.py`` checks that it is up to date.
"""

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "sim/fakepi/docs/judges.md"
MODULES = ("test_readers", "test_displays", "test_strips", "test_pins", "test_gpiod")
INTRODUCTION = """\
# What other people's drivers do on these chips

The *judges* are tests. Each runs one driver that people use, and judges what it does. The drivers
come from the package index and are not modified: `make test-judges` installs the pinned versions
into a separate environment and runs them on the emulated chips. This page is made from those
tests:

    python -m tests.fakepi.judges.verdicts

"Wrong" means: a user of the driver would call it a bug or has done so. Many of these bugs have a
page in the [museum](museum/README.md). Only `spidev`, `lgpio`, pyserial, Blinka's device
files, the system calls of `smbus2` and the clock are replaced; `RPi.GPIO` is the unmodified
rpi-lgpio. gpiod runs under `fakepi run`. The tests are in tapmat's repository only, in the folder
`tests/fakepi/judges`.
"""

Test = TypeVar("Test", bound=Callable[..., Any])


@dataclass(frozen=True)
class Verdict:
    """One sentence on a driver, and the test that shows it."""

    driver: str
    is_right: bool
    sentence: str
    path: str
    test: str


def right(driver: str, sentence: str) -> Callable[[Test], Test]:
    """Say that *driver* does something right, in one *sentence* that the test shows."""
    return _verdict(driver, sentence, is_right=True)


def wrong(driver: str, sentence: str) -> Callable[[Test], Test]:
    """Say that *driver* does something wrong, in one *sentence* that the test shows."""
    return _verdict(driver, sentence, is_right=False)


def _verdict(driver: str, sentence: str, *, is_right: bool) -> Callable[[Test], Test]:
    def add(test: Test) -> Test:
        assert isinstance(test, FunctionType)
        path = Path(test.__code__.co_filename).relative_to(ROOT).as_posix()
        known: list[Verdict] = vars(test).setdefault("verdicts", [])
        known.insert(0, Verdict(driver, is_right, sentence, path, test.__name__))
        return test

    return add


def verdicts() -> Iterator[Verdict]:
    """Yield all verdicts, in the order of the tests."""
    for name in MODULES:
        module = importlib.import_module(f"tests.fakepi.judges.{name}")
        for value in vars(module).values():
            yield from getattr(value, "verdicts", ())


def page() -> str:
    """Return the page: a table for each driver."""
    by_driver: dict[str, list[Verdict]] = {}
    for verdict in verdicts():
        by_driver.setdefault(verdict.driver, []).append(verdict)
    parts = [INTRODUCTION]
    parts.append(_summary(by_driver))
    parts.extend(_section(driver, found) for driver, found in by_driver.items())
    return "\n".join(parts)


def _summary(by_driver: dict[str, list[Verdict]]) -> str:
    rows = [
        f"| {driver} | {sum(v.is_right for v in found)} | {sum(not v.is_right for v in found)} |\n"
        for driver, found in by_driver.items()
    ]
    return "| driver | right | wrong |\n|---|---|---|\n" + "".join(rows)


def _section(driver: str, found: list[Verdict]) -> str:
    rows = [
        f"| {'right' if v.is_right else '**wrong**'} | {v.sentence} | {_link(v)} |\n" for v in found
    ]
    return f"## {driver}\n\n| verdict | what it does | shown by |\n|---|---|---|\n" + "".join(rows)


def _link(verdict: Verdict) -> str:
    return f"[{verdict.test}](../../../{verdict.path})"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
