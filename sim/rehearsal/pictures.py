"""The documents' pictures of the display, drawn with an emulated mat.

``python -m sim.rehearsal.pictures`` draws them again; a test fails if they are out of date.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from firmware.config.table_config import load_config
from firmware.show import screens
from firmware.show.view import JoinAddress, TableView
from sim.mat.mat import Mat
from sim.rehearsal.grammar import parse
from sim.rehearsal.runner import Runner

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
SCALE, FRAME = 4, 24  # picture pixels per display pixel, and of the dark rim
GLASS, LIT = (6, 10, 18), (150, 215, 255)

STORIES = {
    "straw-play": """
        game straw
        players Ann Ben Cem
        start
        tap weight-9
        tap weight-6
        tap reverse
        tap weight-6
        wait 10
    """,
    "straw-refusal": """
        game straw
        players Ann Ben Cem
        start
        tap weight-7
        tap straw
    """,
    "straw-enrol": """
        stickers new
        game straw
        press ok
        choose straw
        """
    + "\n".join(f"tap weight-{n}#{copy}" for n in range(1, 7) for copy in range(1, 5))
    + "\ntap weight-7",
}


VIEWS = {  # drawn without a mat
    "join-by-phone": TableView(
        "idle",
        join=JoinAddress(
            "http://192.168.1.7:8738/j#tapmat-docs-no-secret-", "123456", "tapmat.local:8738"
        ),
    ),
}


def photograph(pixels: Image.Image) -> Image.Image:
    """Return *pixels* (mode "1") enlarged, in the colours of an OLED, with a frame."""
    lit = pixels.resize((pixels.width * SCALE, pixels.height * SCALE)).convert("L")
    size = (lit.width + 2 * FRAME, lit.height + 2 * FRAME)
    picture = Image.new("RGB", size, GLASS)
    picture.paste(LIT, (FRAME, FRAME), lit)
    return picture


def draw(story: str) -> Image.Image:
    """Return a picture of the display.

    It shows the end of the rehearsal ``STORIES[story]``, or the view ``VIEWS[story]``.
    """
    if story in VIEWS:
        return photograph(screens.draw(VIEWS[story], max(screens.SIZES)))
    with TemporaryDirectory() as folder:
        mat = Mat(load_config(), Path(folder))
        try:
            failure = Runner(mat).play(parse(STORIES[story], story))
            assert failure is None, failure
            return photograph(mat.pixels)
        finally:
            mat.close()


def main() -> None:
    """Draw every picture into ``docs/pictures``."""
    for story in (*STORIES, *VIEWS):
        draw(story).save(FOLDER / f"{story}.png")


if __name__ == "__main__":
    main()
