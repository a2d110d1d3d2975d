"""The pages of the museum, and its index, which is made from their titles.

    python -m tests.fakepi.museum.pages

writes the index.
"""

from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "sim/fakepi/docs/museum"
INDEX = FOLDER / "README.md"
INTRODUCTION = """\
# The museum of bugs

Bugs in drivers of readers, displays and LED strips that people have reported in public, each
reproduced on the emulated chips. In each test, one driver has the bug and one has not. Where a
driver is written in another language, a few lines of our own send the same registers in the same
order. No text or code is copied from the reports. The tests are in tapmat's repository only, in the
folder `tests/fakepi/museum`.

"""
NOT_SHOWN = """
## What these chips cannot show

- The wrong bit that a driver sets after a collision in bit 8 (miguelbalboa/rfid#238,
  miguelbalboa/rfid#394): here, the bit that collides reads 1 already. The data sheet does not say.
- Shifted UIDs without a CRC error between two readers that are on at once
  (miguelbalboa/rfid#589): two fields never disturb each other here.
"""


def pages() -> Mapping[str, str]:
    """Return the text of each page, by its name."""
    return {
        path.stem: path.read_text(encoding="utf-8")
        for path in sorted(FOLDER.glob("*.md"))
        if path != INDEX
    }


def index() -> str:
    """Return the index of the museum."""
    titles = {name: text.splitlines()[0].removeprefix("# ") for name, text in pages().items()}
    items = "".join(f"- [{title}]({name}.md)\n" for name, title in titles.items())
    return INTRODUCTION + items + NOT_SHOWN


if __name__ == "__main__":
    INDEX.write_text(index(), encoding="utf-8")
