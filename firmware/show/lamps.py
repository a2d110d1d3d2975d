"""The values of the lamps: a pure function of the view and the moment.

The loop sends them to the lamps. Values with different meanings differ in brightness or rhythm, not
only in colour, because many lamps have one colour and some people cannot tell colours apart
(docs/eyes-free.md).
"""

from collections.abc import Mapping

from engines.common.contract import Direction
from firmware.show.view import Flash, TableView
from hardware.ports import LAMP_OFF, LampValue

BLINK_S = 0.5  # a winner's lamp is lit and dark for this long
SEATS = 6
# Red, green, blue, for lamps that have a colour.
WHITE, GOLD, BLUE = (255, 255, 255), (255, 170, 0), (0, 80, 255)
COLOURS: Mapping[Flash, tuple[int, int, int]] = {
    Flash.ACCEPTED: (0, 255, 0),
    Flash.REFUSED: (255, 0, 0),
}
FLASH_S = 1.2  # seconds that the lamp for accepted or refused is active
# The times at which these lamps are lit, in seconds after the action: (from, to).
FLASHES: Mapping[Flash, tuple[tuple[float, float], ...]] = {
    Flash.ACCEPTED: ((0.0, FLASH_S),),
    Flash.REFUSED: ((0.0, 0.55), (0.75, FLASH_S)),
}


def is_lit(flash: Flash, age_s: float) -> bool:
    """Return True if the lamp of *flash* is lit *age_s* seconds after the action."""
    return any(begin_s <= age_s < end_s for begin_s, end_s in FLASHES[flash])


def is_first_half(now_s: float) -> bool:
    """Return True in the half of a blink in which blinking lamps are lit."""
    return int(now_s / BLINK_S) % 2 == 0


def lamp_values(view: TableView, now_s: float) -> dict[str, LampValue]:
    """Return the value, at *now_s*, of every lamp that a table can have, by name.

    The values depend on *view* and ``is_first_half(now_s)`` only.
    """
    lit = {f"seat-{seat + 1}": LAMP_OFF for seat in range(SEATS)}
    if view.winners:
        winner = LampValue(float(is_first_half(now_s)), GOLD)
        lit |= {f"seat-{seat + 1}": winner for seat in view.winners}
    else:
        lit |= {f"seat-{seat + 1}": LampValue(1.0, WHITE) for seat in view.active}
    for direction in Direction:
        is_on = view.direction is direction
        lit[direction.value] = LampValue(1.0, BLUE) if is_on else LAMP_OFF
    for flash in Flash:
        lit[flash.value] = LampValue(1.0, COLOURS[flash]) if view.flash is flash else LAMP_OFF
    return lit
