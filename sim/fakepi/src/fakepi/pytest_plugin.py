"""The pytest plugin: the fixture ``fakepi``, the marker ``fakepi``, and the trace in reports.

Importing the plugin changes nothing. The wiring comes from the marker::

    @pytest.mark.fakepi(spi={"0.0": "mfrc522"}, i2c={"1.0x3C": "sh1106"})

or else from the nearest ``fakepi.toml`` above the test file, or else it is `fakepi.wiring.USUAL`.
"""

from collections.abc import Generator, Iterator, Mapping
from difflib import get_close_matches
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from fakepi.board import FakePi

_MARKER = (
    "fakepi(path=None, *, spi, i2c, uart, pins, seed=0, physics=None, host=None, real_time=False, "
    "keep=(), limit=120): the wiring of the fixture fakepi, as the path of a fakepi.toml or its "
    "tables; seed, physics and host are those of FakePi; real_time leaves time.sleep alone; keep "
    "names modules that are not replaced; limit is the time of the test in seconds"
)
TABLES = ("spi", "i2c", "uart", "pins")  # arguments of the marker that are a wiring
WORLD = ("seed", "physics", "host")  # arguments that are passed on to FakePi
ARGUMENTS = (*TABLES, *WORLD, "real_time", "keep", "limit")
LIMIT_S = 120  # of virtual time; a driver that polls uses it up in half a minute
ADVICE = (
    "Lay a tag before the wait, or during it with fakepi.clock.call_after; run the program with "
    'fakepi.run("program.py", seconds=...); or allow more time: @pytest.mark.fakepi(limit=600), '
    "or fakepi_limit in the settings of pytest"
)
_PI = pytest.StashKey["FakePi"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the setting ``fakepi_limit``."""
    parser.addini("fakepi_limit", f"the time of a test in seconds ({LIMIT_S})", default=LIMIT_S)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", _MARKER)


@pytest.fixture(name="fakepi")
def fakepi_fixture(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator["FakePi"]:
    """A fake Raspberry Pi whose drop-in modules are in place during the test."""
    from fakepi.dropins.install import drop_in

    marker = request.node.get_closest_marker("fakepi")
    options = {} if marker is None else dict(marker.kwargs)
    _check_arguments(options)
    path = marker.args[0] if marker is not None and marker.args else None
    pi = _make_pi(request, path, options)
    request.node.stash[_PI] = pi
    keep, has_real_time = options.get("keep", ()), options.get("real_time", False)
    limit_s = float(options.get("limit", request.config.getini("fakepi_limit")))
    with drop_in(pi, monkeypatch, keep=keep, has_real_time=has_real_time):
        if limit_s < inf:
            pi.limit_time(limit_s, ADVICE)
        yield pi


def _check_arguments(options: Mapping[str, Any]) -> None:
    """Fail the test if the marker has an unknown argument."""
    for name in options:
        if name not in ARGUMENTS:
            close = get_close_matches(name, ARGUMENTS, n=1)
            hint = f'Did you mean "{close[0]}"? ' if close else ""
            problem = f'the marker fakepi has the unknown argument "{name}". {hint}'
            pytest.fail(f"{problem}Its arguments are: {', '.join(ARGUMENTS)}", pytrace=False)


def _make_pi(
    request: pytest.FixtureRequest, path: str | None, options: Mapping[str, Any]
) -> "FakePi":
    """Return the fake Pi of a test whose marker has *path* and *options*."""
    from fakepi.board import FakePi
    from fakepi.wiring import read_wiring

    world = {name: options[name] for name in WORLD if name in options}
    tables = {name: options[name] for name in TABLES if name in options}
    if tables:
        wiring = read_wiring(tables, "the marker fakepi")
        pi = FakePi(wiring, wired_by="the marker of this test", **world)
    elif (file := _find_file(request, path)) is not None:
        pi = FakePi(file, **world)
    else:
        pi = FakePi(**world)
    pi.folder = request.path.parent
    return pi


def _find_file(request: pytest.FixtureRequest, path: str | None) -> Path | None:
    """Return the wiring file *path* or the nearest one; None for the usual wiring."""
    here = request.path.parent
    if path is not None:
        return here / path
    root = request.config.rootpath
    for folder in (here, *here.parents):
        if (folder / "fakepi.toml").is_file():
            return folder / "fakepi.toml"
        if folder == root:
            break
    return None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the bus trace and the displays to the report of a failed test."""
    report = yield
    pi = item.stash.get(_PI, None)
    if report.when == "teardown" and pi is not None:
        del item.stash[_PI]  # pytest keeps all items to the end
    if pi is not None and report.when == "call" and report.failed:
        if trace := str(pi.trace):
            report.sections.append(("fakepi: the last traffic on the buses and on the air", trace))
        for name, screen in pi.displays.items():
            if screen.is_lit:
                report.sections.append((f"fakepi: the display {name}", screen.text()))
        for name, undefined in pi.undefined_bytes.items():
            title = f"fakepi: {name} got what its data sheet does not define (this fails no test)"
            report.sections.append((title, "\n".join(dict.fromkeys(undefined))))
    return report
