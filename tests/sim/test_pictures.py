"""Tests that the pictures in the documentation match what the mat shows."""

import pytest
from PIL import Image, ImageChops

from sim.rehearsal.pictures import FOLDER, STORIES, VIEWS, draw


@pytest.mark.long
@pytest.mark.parametrize("story", [*STORIES, *VIEWS])
def test_a_picture_of_the_documents_has_not_drifted(story: str) -> None:
    """If this fails, run ``python -m sim.rehearsal.pictures`` and look at the new pictures."""
    shown = Image.open(FOLDER / f"{story}.png").convert("RGB")
    assert ImageChops.difference(shown, draw(story)).getbbox() is None
