"""The emulated Pi of the image's tests: it starts once, and serves all of them.

``.ci/test-image`` names the image in ``TAPMAT_IMAGE_FILE``. Without it, no test is collected.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.image.machine import ImagePi
from tests.image.table import plug_in

IMAGE = os.environ.get("TAPMAT_IMAGE_FILE", "")

collect_ignore_glob = [] if IMAGE else ["test_*.py"]


@pytest.fixture(scope="module")
def first() -> Iterator[ImagePi]:
    """A Pi that starts from the image as it was written, with the parts of every kit plugged in."""
    made = image_pi()
    try:
        made.power_on()
        plug_in(made)
        yield made
    finally:
        made.close()


@pytest.fixture(scope="session")
def pi() -> Iterator[ImagePi]:
    """A Pi that has started from the image; a setting on its card is wrong."""
    made = image_pi()
    made.edit("tapmat.toml", 'kit = "smallest"\nlanguage = "de"\nname = "games"\ncolour = "red"\n')
    try:
        made.power_on()
        yield made
    finally:
        made.close()


def image_pi(ssh_port: int | None = None) -> ImagePi:
    """Return a Pi with a copy of the image in it; with *ssh_port*, it has a network."""
    folder = Path(os.environ["TAPMAT_IMAGE_FOLDER"])
    return ImagePi(Path(IMAGE), folder, [os.environ["TAPMAT_IMAGE_QEMU"]], ssh_port)
