"""What tests of several rooms share.

Room: tests.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings
from PIL import Image, ImageChops

from tests.effort import some

# What tests compare messages with is the English of the source.
os.environ["LANGUAGE"] = "en"

# How long an example takes says how busy the machine is, and is no property of the code.
settings.register_profile("tapmat", deadline=None, max_examples=some(100))
settings.load_profile("tapmat")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--approve``: a person has looked at what is drawn now, and takes it as right."""
    parser.addoption("--approve", action="store_true", help="keep what is drawn now as golden")


@dataclass(frozen=True, slots=True)
class Golden:
    """The pictures a person approved for one test file."""

    folder: Path
    approving: bool

    def check(self, name: str, drawn: Image.Image) -> None:
        """Fail unless *drawn* has the pixels approved as *name*; see them in ``.now.png``."""
        path = self.folder / f"{name}.png"
        if self.approving:  # pytest --approve
            self.folder.mkdir(parents=True, exist_ok=True)
            drawn.save(path)
        assert path.exists(), f"nobody approved {path} yet: draw it with pytest --approve and look"
        with Image.open(path) as approved:
            assert drawn.size == approved.size
            changed = ImageChops.logical_xor(drawn, approved.convert("1")).getbbox()
        now = path.with_suffix(".now.png")
        if changed:
            drawn.save(now)
        else:
            now.unlink(missing_ok=True)
        assert not changed, f"{name} differs inside {changed}: compare {path} and {now.name}"


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """The approved pictures of the test's file: ``test_screens.py`` has ``golden/screens``."""
    folder = Path(__file__).parent / "golden" / request.path.stem.removeprefix("test_")
    return Golden(folder, approving=bool(request.config.getoption("--approve")))
