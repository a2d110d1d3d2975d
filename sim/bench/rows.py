"""The measurements of the bench, and the rows of figures that they give."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

Figures = Mapping[str, float]  # figures by unit, as in {"ms": 0.868, "transfers": 10}


class MeasuredWrong(AssertionError):
    """The measured code did not do its work, so its time would mean nothing."""


@dataclass(frozen=True, slots=True)
class Row:
    """One measured figure of an act.

    *ours* is the figure of our code, and *at_most* its limit, or None. *stock* is the figure of the
    stock libraries, or None if there is nothing to compare with. *cannot* is True if the stock
    libraries cannot do the act.
    """

    act: str
    unit: str
    ours: float
    at_most: float | None = None
    stock: float | None = None
    cannot: bool = False

    @property
    def is_held(self) -> bool:
        """True if our figure is within its limit."""
        return self.at_most is None or self.ours <= self.at_most

    @property
    def ratio(self) -> float | None:
        """The stock libraries' figure divided by ours, or None if one is missing or ours is 0."""
        return self.stock / self.ours if self.stock is not None and self.ours else None


@dataclass(frozen=True, slots=True)
class Measurement:
    """An act to measure: the functions *ours* and *stock* do it and return figures.

    *at_most* holds the limits of our figures by unit. *cannot* is as in ``Row``.
    """

    name: str
    ours: Callable[[], Figures]
    at_most: Figures = field(default_factory=dict)
    stock: Callable[[], Figures] | None = None
    cannot: bool = False

    def rows(self) -> Iterator[Row]:
        """Measure the act, and yield a row for each unit.

        Raises:
            MeasuredWrong: the measured code did not do its work.
        """
        ours = self.ours()
        stock = {} if self.stock is None else self.stock()
        for unit, figure in ours.items():
            yield Row(self.name, unit, figure, self.at_most.get(unit), stock.get(unit), self.cannot)
