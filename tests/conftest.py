"""Settings, options and fixtures for the tests of all rooms."""

import asyncio
import gc
import math
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import settings
from PIL import Image, ImageChops

from tests import sheets
from tests.effort import EFFORT, LONG_UNTIL_S, WITH_LONG, some

# Messages are compared with their English text.
os.environ["LANGUAGE"] = "en"

T = TypeVar("T")
MEMORY = Path("/dev/shm")  # a folder in memory, on Linux
ENOUGH_BYTES = 2 << 30
# Most tests of the page wait for the browser or for the table, which runs in real time.
WORKERS_PER_CORE, MOST_WORKERS = 2, 16


def _keep_temporary_files_in_memory() -> None:
    """Put temporary files in memory, unless TMPDIR is set or less than 2 GB are free.

    A journal waits for the disk at each write, which no test needs.
    """
    if "TMPDIR" in os.environ or not MEMORY.is_dir():
        return
    if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= ENOUGH_BYTES:
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)  # the variable is for child processes


_keep_temporary_files_in_memory()

# The time for an example depends on how busy the computer is, so no deadline is set.
settings.register_profile("tapmat", deadline=None, max_examples=some(100))
settings.load_profile("tapmat")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option ``--approve``, which approves every picture as drawn in this run."""
    parser.addoption("--approve", action="store_true", help="keep what is drawn now as golden")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Choose the tests of this run, and their order."""
    if EFFORT < WITH_LONG and not any("::" in named for named in config.args):
        _leave_out_long(config, items)
    _spread(items)


def _leave_out_long(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = [item for item in items if _is_long(item)]
    items[:] = [item for item in items if not _is_long(item)]
    config.hook.pytest_deselected(items=left_out)


def _is_long(item: pytest.Item) -> bool:
    # A test with a browser takes seconds of two processes.
    with_browser = item.get_closest_marker("browser") and not item.get_closest_marker("sample")
    return bool(item.get_closest_marker("long") or with_browser)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Let *item* begin, without the loop of a browser, unless the time for long tests is over."""
    if _is_long(item) and time.time() > LONG_UNTIL_S:
        pytest.skip("NOT RUN, because the time for long tests is over (TAPMAT_LONG_UNTIL)")
    with _without_browsers_loop(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Let *item* run without the loop of a browser."""
    with _without_browsers_loop(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Let the fixtures of *item* end without the loop of a browser."""
    with _without_browsers_loop(item):
        return (yield)


@contextmanager
def _without_browsers_loop(item: pytest.Item) -> Iterator[None]:
    """Hide the event loop that an open browser has left in this thread, unless *item* uses it.

    Playwright's loop seems to run for as long as its browser is open, and then asyncio.run refuses.
    """
    loop = asyncio._get_running_loop()
    if loop is None or item.get_closest_marker("browser"):
        yield
        return
    asyncio._set_running_loop(None)
    try:
        yield
    finally:
        asyncio._set_running_loop(loop)


def _spread(items: list[pytest.Item]) -> None:
    """Give each worker its share of the longest tests, so that none runs alone at the end.

    With ``--dist worksteal`` each worker begins with an equal part of *items*, in their order. The
    longest come first in each part. If the time for long tests is limited, those come last: then
    all others have run when it is over.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers == 1:
        return
    total = len(items)
    is_limited = math.inf > LONG_UNTIL_S
    first = [item for item in items if _is_longest(item) and not (is_limited and _is_long(item))]
    last = [item for item in items if is_limited and _is_long(item)]
    apart = {*first, *last}
    others = iter([item for item in items if item not in apart])
    items[:] = []
    for n in range(workers):
        begin, end = first[n::workers], _part(last, n, workers)
        size = len(_part(range(total), n, workers)) - len(begin) - len(end)
        items += [*begin, *islice(others, max(0, size)), *end]
    items += others


def _is_longest(item: pytest.Item) -> bool:
    return any(item.get_closest_marker(name) for name in ("first", "long"))


def _part(items: Sequence[T], n: int, parts: int) -> Sequence[T]:
    """Return part *n* of *items*, which are divided evenly."""
    return items[n * len(items) // parts : (n + 1) * len(items) // parts]


def pytest_xdist_auto_num_workers() -> int:
    """Return the number of processes for ``pytest -n auto``."""
    cores = os.cpu_count() or 1
    many = WORKERS_PER_CORE * cores if EFFORT >= WITH_LONG else cores + 1
    return max(cores, min(many, MOST_WORKERS))


@pytest.hookimpl(hookwrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect the tests without looking for garbage: they all stay."""
    gc.disable()
    yield
    gc.freeze()
    gc.enable()


APPROVED = pytest.StashKey[dict[Path, dict[str, Image.Image]]]()


@dataclass(frozen=True, slots=True)
class Golden:
    """The approved pictures and texts of a test file."""

    folder: Path
    approved: dict[Path, dict[str, Image.Image]] | None  # with --approve: drawn so far, by sheet

    def check(self, sheet: str, name: str, drawn: Image.Image) -> None:
        """Fail unless *drawn* equals the approved picture *name* on *sheet*, pixel by pixel.

        On a failure, a file ``.diff.png`` shows the picture before, after and with differences in
        red.
        """
        path = self.folder / f"{sheet}.png"
        if self.approved is not None:
            self.approved.setdefault(path, {})[name] = drawn
            return
        approved = sheets.load(path, name)
        remedy = f"draw it with pytest -n0 {FILES_OF.format(self.folder.name)} --approve and look"
        assert approved is not None, f"nobody approved {name} on {path} yet: {remedy}"
        shown = self.folder / f"{sheet}.{name}.diff.png"
        shown.unlink(missing_ok=True)
        if drawn.size == approved.size and not ImageChops.logical_xor(drawn, approved).getbbox():
            return
        sheets.comparison(approved, drawn).save(shown)
        pytest.fail(f"{name} differs from {path.name}: look at {shown}. If it is right, {remedy}")

    def check_text(self, name: str, written: str) -> None:
        """Fail unless *written* is the approved text *name*; show the first line that differs."""
        path = self.folder / name
        if self.approved is not None:
            path.parent.mkdir(exist_ok=True)
            path.write_text(written, "utf-8")
            return
        before, now = path.read_text("utf-8").splitlines(), written.splitlines()
        if before == now:
            return
        places = enumerate(zip_longest(before, now), start=1)
        number, (was, found) = next((n, pair) for n, pair in places if pair[0] != pair[1])
        pytest.fail(f"{path.name}:{number} was\n{was}\nand is\n{found}\nIf it is right: --approve")


FILES_OF = "tests/firmware/test_{}.py"


def pytest_configure(config: pytest.Config) -> None:
    """Prepare the collection of pictures for ``--approve``."""
    config.stash[APPROVED] = {}


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With ``--approve``, write each contact sheet again from the pictures drawn in this run.

    Pictures that were not drawn disappear, so the whole test file must have run.
    """
    for path, pictures in session.config.stash[APPROVED].items():
        sheets.save(path, pictures)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """The approved pictures of the test's file: ``golden/screens`` for ``test_screens.py``."""
    folder = Path(__file__).parent / "golden" / request.path.stem.removeprefix("test_")
    is_approving = bool(request.config.getoption("--approve"))
    return Golden(folder, request.config.stash[APPROVED] if is_approving else None)
