"""Lamps whose driver comes from another package, and may raise any exception.

May import: hardware.errors and hardware.ports.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence

from hardware.errors import LampFault
from hardware.ports import Lamps, LampValue

log = logging.getLogger(__name__)


class GuardedLamps:
    """The lamps of an LED strip, as a ``hardware.ports.Lamps``.

    Every exception of the driver becomes a ``LampFault``, so that it cannot stop the game. After
    the first exception, the driver is no longer used.

    Args:
        chip: the strip's name in ``table.toml``.
        names: the names of the lamps.
        make: returns the driver; if that fails, the first ``set`` raises a LampFault.
    """

    def __init__(self, chip: str, names: Iterable[str], make: Callable[[], Lamps]) -> None:
        self._chip = chip
        self._names = tuple(names)
        self._lamps: Lamps | None = None
        self._fault: LampFault | None = None
        try:
            self._lamps = make()
        except Exception as error:
            self._fault = self._fault_of(error)

    @property
    def names(self) -> Sequence[str]:
        """The names of the lamps; none after a fault."""
        return self._names if self._fault is None else ()

    def set(self, values: Mapping[str, LampValue]) -> None:
        """Set lamps, by name, to *values*.

        Raises:
            LampFault: the driver raised an exception, now or earlier.
        """
        if self._fault is None and self._lamps is not None:
            try:
                self._lamps.set(values)
            except Exception as error:
                self._fault = self._fault_of(error)
        if self._fault is not None:
            raise self._fault

    def close(self) -> None:
        """Switch every lamp off and close the driver; only log an exception. Safe to call twice."""
        lamps, self._lamps = self._lamps, None
        try:
            if lamps is not None:
                lamps.close()
        except Exception as error:
            log.warning("lamps: %s", self._fault_of(error), exc_info=error)

    def _fault_of(self, error: Exception) -> LampFault:
        words = " ".join(str(error).replace(";", ",").split())  # "; " separates the remedy
        found = ": ".join(filter(None, (type(error).__name__, words)))
        remedy = "install a corrected driver, or remove [lamps] from table.toml"
        fault = LampFault("driver", f"the driver {self._chip} failed: {found}; {remedy}")
        fault.__cause__ = error
        return fault
