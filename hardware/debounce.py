"""Debouncing: from the edges a contact makes to what a person did.

Room: hardware. Pure: time comes in with every edge.
May import: the standard library.
May be imported by: hardware.drivers, tests.
Source: facts of gpiozero's own debouncing, which drops edges on real pins (gpiozero issues 1039,
550) and does nothing on mock ones.
"""

STABLE_S = 0.02  # longer than a tact switch bounces (about 5 ms), shorter than a person can release
QUIET_S = 1.0  # longer than a ball lies still while what it is in still rocks


class Debounce:
    """One button.

    A press is told at its first edge, so the table answers at once. Going down counts only after
    *stable_s* of being up without a break, so whatever bounces on the way down or up is part of the
    same press.

    Args:
        stable_s: how long the contact must rest, in seconds.
        is_down: the level to begin with; a button held from the start is no press.
    """

    def __init__(self, stable_s: float = STABLE_S, *, is_down: bool = False) -> None:
        self._stable_s = stable_s
        self._is_down = is_down
        self._last_edge_s = float("-inf")

    def edge(self, at_s: float, is_down: bool) -> bool:
        """Take the level at *at_s*; true when that is a press.

        A level that is no change is no edge and does nothing, so a sampled level may be given too:
        it makes good for an edge that was lost.
        """
        if is_down == self._is_down:
            return False
        has_rested = at_s - self._last_edge_s >= self._stable_s
        self._is_down, self._last_edge_s = is_down, at_s
        return is_down and has_rested


class Rocking:
    """One ball switch, whose contact opens and closes for as long as it is rocked.

    A rocking is told at its first edge, in either direction, since the ball may come to rest on the
    contact or off it. The next one is told only after *quiet_s* without an edge.

    Args:
        quiet_s: how long the contact must rest, in seconds.
        is_down: the level to begin with.
    """

    def __init__(self, quiet_s: float = QUIET_S, *, is_down: bool = False) -> None:
        self._quiet_s = quiet_s
        self._is_down = is_down
        self._last_edge_s = float("-inf")

    def edge(self, at_s: float, is_down: bool) -> bool:
        """Take the level at *at_s*; true when a rocking begins with it.

        As with ``Debounce``, a sampled level may be given too.
        """
        if is_down == self._is_down:
            return False
        has_rested = at_s - self._last_edge_s >= self._quiet_s
        self._is_down, self._last_edge_s = is_down, at_s
        return has_rested
