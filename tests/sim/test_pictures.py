"""The documents' pictures show what the mat shows today."""

import pytest
from PIL import Image, ImageChops

from sim.pictures import FOLDER, STORIES, draw


@pytest.mark.parametrize("story", STORIES)
def test_a_picture_of_the_documents_has_not_drifted(story: str) -> None:
    """When this fails, draw them anew with ``python -m sim.pictures`` and look at them."""
    shown = Image.open(FOLDER / f"{story}.png").convert("RGB")
    assert ImageChops.difference(shown, draw(story)).getbbox() is None
