"""Which lamps are lit: a function from the view and the moment to levels.

Room: firmware. Patterns are pure code; the loop writes them to the lamps.
"""

from engines.common.contract import Direction
from firmware.view import Flash, TableView

BLINK_S = 0.5  # a winner's lamp is lit and dark for this long
SEATS = 6


def levels(view: TableView, now_s: float) -> dict[str, float]:
    """Every lamp's level, 0 (dark) to 1, by name."""
    blink = 1.0 if int(now_s / BLINK_S) % 2 == 0 else 0.0
    lit = {f"seat-{seat + 1}": 0.0 for seat in range(SEATS)}
    if view.winners:
        lit |= {f"seat-{seat + 1}": blink for seat in view.winners}
    else:
        lit |= {f"seat-{seat + 1}": 1.0 for seat in view.active}
    for direction in Direction:
        lit[direction.value] = float(view.direction is direction)
    for flash in Flash:
        lit[flash.value] = float(view.flash is flash)
    return lit
