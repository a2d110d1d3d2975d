"""Which lamps are lit: a function from the view and the moment to levels.

Room: firmware. Patterns are pure code; the loop writes them to the lamps. Nothing rests on colour:
what differs in meaning differs in how it is lit (docs/eyes-free.md).
"""

from collections.abc import Mapping

from engines.common.contract import Direction
from firmware.view import Flash, TableView

BLINK_S = 0.5  # a winner's lamp is lit and dark for this long
DIM = 0.2  # the lamps of those who are awaited swell and sink between this and full light
SEATS = 6
FLASH_S = 1.2  # how long the lamp for accepted or refused answers
# From when to when these are lit, in seconds after the act: once and steady, or twice.
FLASHES: Mapping[Flash, tuple[tuple[float, float], ...]] = {
    Flash.ACCEPTED: ((0.0, FLASH_S),),
    Flash.REFUSED: ((0.0, 0.55), (0.75, FLASH_S)),
}


def is_lit(flash: Flash, age_s: float) -> bool:
    """Whether the lamp of *flash* is lit so long after the act."""
    return any(begin_s <= age_s < end_s for begin_s, end_s in FLASHES[flash])


def levels(view: TableView, now_s: float) -> dict[str, float]:
    """Every lamp's level, 0 (dark) to 1, by name."""
    is_first_half = int(now_s / BLINK_S) % 2 == 0
    lit = {f"seat-{seat + 1}": 0.0 for seat in range(SEATS)}
    if view.winners:
        lit |= {f"seat-{seat + 1}": float(is_first_half) for seat in view.winners}
    elif view.turn is not None:
        lit[f"seat-{view.turn + 1}"] = 1.0
    else:
        lit |= {f"seat-{seat + 1}": 1.0 if is_first_half else DIM for seat in view.awaited}
    for direction in Direction:
        lit[direction.value] = float(view.direction is direction)
    for flash in Flash:
        lit[flash.value] = float(view.flash is flash)
    return lit
