"""The pytest plugin: the fixture ``fakepi``, the marker ``fakepi``, and the trace in reports.

Importing the plugin changes nothing. The wiring comes from the marker::

    @pytest.mark.fakepi(spi={"0.0": "mfrc522"}, i2c={"1.0x3C": "sh1106"})

or else from the nearest ``fakepi.toml`` above the test file, or else it is `fakepi.wiring.USUAL`.
"""

from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from fakepi.board import FakePi

_MARKER = (
    "fakepi(path=None, *, spi, i2c, uart, pins, seed=0, physics=None, host=None, real_time=False, "
    "keep=()): the wiring of the fixture fakepi, as the path of a fakepi.toml or its tables; "
    "seed, physics and host are those of FakePi; real_time leaves time.sleep alone; keep names "
    "modules that are not replaced"
)
WORLD = ("seed", "physics", "host")  # arguments of the marker that are passed on to FakePi
_PI = pytest.StashKey["FakePi"]()


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", _MARKER)


@pytest.fixture(name="fakepi")
def fakepi_fixture(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator["FakePi"]:
    """A fake Raspberry Pi whose drop-in modules are in place during the test."""
    from fakepi.board import FakePi
    from fakepi.dropins.install import drop_in

    marker = request.node.get_closest_marker("fakepi")
    options = {} if marker is None else dict(marker.kwargs)
    keep = options.pop("keep", ())
    world = {name: options.pop(name) for name in WORLD if name in options}
    has_real_time = options.pop("real_time", False)
    path = marker.args[0] if marker is not None and marker.args else None
    wiring = _find_wiring(request, path, options)
    pi = FakePi(**world) if wiring is None else FakePi(wiring, **world)
    pi.folder = request.path.parent
    request.node.stash[_PI] = pi
    with drop_in(pi, monkeypatch, keep=keep, has_real_time=has_real_time):
        yield pi


def _find_wiring(
    request: pytest.FixtureRequest, path: str | None, tables: dict[str, Any]
) -> Mapping[str, Any] | Path | None:
    """Return the tables of the marker or a path; None for the usual wiring."""
    if tables:
        return tables
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
            if undefined := screen.chip.undefined_bytes:
                title = f"fakepi: undefined bytes to the display {name} (not in its data sheet)"
                report.sections.append((title, "\n".join(dict.fromkeys(undefined))))
    return report
