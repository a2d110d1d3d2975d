"""Debouncing: turn the many edges of a bouncing contact into single events.

An *edge* is a change of a pin's level. When a contact closes or opens, it bounces: the level
changes many times within milliseconds. The caller gives the time of every edge.
May import: the standard library.
May be imported by: hardware.drivers, tests.
Not gpiozero's own debouncing: it drops edges on real pins (gpiozero issues 1039, 550) and does
nothing on mock pins.
"""

STABLE_S = 0.02  # a tact switch bounces for about 5 ms; a person needs longer to release it
QUIET_S = 1.0  # while an object rocks, the ball in its switch rests for less than this


class Debounce:
    """The debouncer of one button.

    A press is reported at its first edge, so the table reacts at once. The next press counts only
    after *stable_s* without an edge, so bounces on the way down and up belong to the same press.

    Args:
        stable_s: how long the contact must be stable before a press, in seconds.
        is_down: the initial level; a button held down from the start is not a press.
    """

    def __init__(self, stable_s: float = STABLE_S, *, is_down: bool = False) -> None:
        self._stable_s = stable_s
        self._is_down = is_down
        self._last_edge_s = float("-inf")

    def edge(self, at_s: float, is_down: bool) -> bool:
        """Record the level at *at_s* and return True if a press begins.

        An unchanged level has no effect, so the caller may also pass levels that it has read from
        the pin. These make up for missed edges.
        """
        if is_down == self._is_down:
            return False
        has_rested = at_s - self._last_edge_s >= self._stable_s
        self._is_down, self._last_edge_s = is_down, at_s
        return is_down and has_rested


class Rocking:
    """The debouncer of one ball switch, whose contact opens and closes while it is rocked.

    Rocking is reported at its first edge, in either direction, since the ball may rest with the
    contact open or closed. Rocking is reported again only after *quiet_s* without an edge.

    Args:
        quiet_s: how long the contact must be stable before the next report, in seconds.
        is_down: the initial level.
    """

    def __init__(self, quiet_s: float = QUIET_S, *, is_down: bool = False) -> None:
        self._quiet_s = quiet_s
        self._is_down = is_down
        self._last_edge_s = float("-inf")

    def edge(self, at_s: float, is_down: bool) -> bool:
        """Record the level at *at_s* and return True if rocking begins.

        As with ``Debounce``, the caller may also pass levels that it has read from the pin.
        """
        if is_down == self._is_down:
            return False
        has_rested = at_s - self._last_edge_s >= self._quiet_s
        self._is_down, self._last_edge_s = is_down, at_s
        return has_rested
