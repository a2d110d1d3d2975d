"""A limit on the rate of messages. A sender that was quiet may send several at once."""

from time import monotonic


class Allowance:
    """The messages that one sender may still send.

    The allowance begins full, at *most* messages. It grows by *a_second* each second, up to *most*.
    """

    def __init__(self, a_second: float, most: float) -> None:
        self._a_second, self._most = a_second, most
        self._left = most
        self._counted_s = monotonic()

    def take(self) -> bool:
        """Count one message. Return False, and count nothing, if the allowance is used up."""
        now_s = monotonic()
        earned = (now_s - self._counted_s) * self._a_second
        self._left = min(self._left + earned, self._most)
        self._counted_s = now_s
        if self._left < 1:
            return False
        self._left -= 1
        return True
