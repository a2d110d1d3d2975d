"""The pictures in the documents: what an emulated mat's display shows, as a photograph would.

Room: sim. ``python -m sim.pictures`` draws them anew; a test fails when they have drifted.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from firmware.config import load_config
from sim.mat import Mat
from sim.rehearsal.grammar import parse
from sim.rehearsal.runner import Runner

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"
SCALE, FRAME = 4, 24  # screen pixels a display pixel, and the dark rim around the glass
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


def photograph(pixels: Image.Image) -> Image.Image:
    """*pixels* (mode "1") in the colours of an OLED, enlarged, with a rim."""
    lit = pixels.resize((pixels.width * SCALE, pixels.height * SCALE)).convert("L")
    size = (lit.width + 2 * FRAME, lit.height + 2 * FRAME)
    picture = Image.new("RGB", size, GLASS)
    picture.paste(LIT, (FRAME, FRAME), lit)
    return picture


def draw(story: str) -> Image.Image:
    """What the display shows at the end of *story*."""
    with TemporaryDirectory() as folder:
        mat = Mat(load_config(), Path(folder))
        try:
            failure = Runner(mat).play(parse(STORIES[story], story))
            assert failure is None, failure
            return photograph(mat.pixels)
        finally:
            mat.close()


def main() -> None:
    """Draw every picture."""
    for story in STORIES:
        draw(story).save(FOLDER / f"{story}.png")


if __name__ == "__main__":
    main()
