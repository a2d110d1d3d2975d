"""Acts of the image's tests at the table: laying cards, pressing buttons, reading the display.

Tags are laid and buttons pressed from outside, and the pixels of the display are read.
"""

import pytest

from engines.straw import GAME
from firmware.boxes.decks import load_deck
from tests.image.machine import ImagePi

IDLE = "or press OK"  # on the display while no game is open
PLAYING = "Ann 0 Ben 0"  # the scores, while the game of the tests is played
# Earlier starts count towards the limit of restarts, so they are forgotten.
START = "systemctl reset-failed tapmat tapmat-safe; systemctl start --no-block tapmat"
LOOKED_S = 2.0
OK_PIN, BACK_PIN, ACTION_PIN = 13, 26, 4  # the same in all kits
PIECES = [str(piece) for piece in load_deck(GAME).pieces()]
BOX = {piece: bytes([4, 1, 2, 3, 4, 5, number]) for number, piece in enumerate(PIECES)}


def log(pi: ImagePi) -> str:
    """Return the last messages of the service."""
    return pi.do("journalctl --unit tapmat --unit tapmat-safe --no-pager --lines 30").said


def comes(pi: ImagePi, text: str) -> None:
    """Wait until *text* can be read on the display; otherwise save its picture and fail."""
    if not pi.wait_until(lambda: pi.shows(text)):
        pi.picture().save(pi.folder / "display.png")
        pytest.fail(f"{text!r} does not come; see display.png in {pi.folder}\n{log(pi)}")


def tap(pi: ImagePi, piece: str, text: str) -> None:
    """Lay a card until *text* can be read on the display, and take it away."""
    pi.lay(BOX[piece])
    comes(pi, text)
    pi.lift(BOX[piece])
    pi.ask("wait", seconds=1.0)


def plug_in(pi: ImagePi) -> None:
    """Plug the parts in while the service does not run, and start it."""
    pi.do("systemctl stop tapmat tapmat-safe")
    pi.plug_in()
    start(pi)


def start(pi: ImagePi) -> None:
    """Start the service, and wait until the table has looked at its readers.

    A card that lies there by then is no play, and the display may still show an older picture.
    """
    pi.do(START)
    pi.wait_for("systemctl is-active tapmat", ("active",))
    pi.ask("wait", seconds=LOOKED_S)


def choose(pi: ImagePi, steps: int) -> None:
    """Move the cursor of the open list *steps* items down with the action button, and press OK."""
    for pin in (*[ACTION_PIN] * steps, OK_PIN):
        pi.press(pin)
        pi.ask("wait", seconds=1.0)
