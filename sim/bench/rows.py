"""What a bench measures: acts, and the rows that their figures become.

Room: sim. Values only; how an act is measured is its own module's business, and how rows are
printed is the report's.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

Figures = Mapping[str, float]  # by unit, as in {"ms": 0.868, "transfers": 10}


class MeasuredWrong(AssertionError):
    """What was measured did not do its work, so its time would mean nothing."""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of an act, ours beside the stock libraries'.

    No *at_most*: it is shown, and bound to nothing. No *stock*: there is nothing to compare with,
    or the stock libraries *cannot* do it.
    """

    act: str
    unit: str
    ours: float
    at_most: float | None = None
    stock: float | None = None
    cannot: bool = False

    @property
    def is_held(self) -> bool:
        """Whether ours keeps to the bound."""
        return self.at_most is None or self.ours <= self.at_most

    @property
    def ratio(self) -> float | None:
        """How many times ours the stock libraries' figure is."""
        return self.stock / self.ours if self.stock is not None and self.ours else None


@dataclass(frozen=True, slots=True)
class Act:
    """One thing to measure, *ours* and the *stock* libraries' way; see ``Row`` for the others."""

    name: str
    ours: Callable[[], Figures]
    at_most: Figures = field(default_factory=dict)
    stock: Callable[[], Figures] | None = None
    cannot: bool = False

    def rows(self) -> Iterator[Row]:
        """Measure it, and give a row for each unit.

        Raises:
            MeasuredWrong: it did not do its work.
        """
        ours = self.ours()
        stock = {} if self.stock is None else self.stock()
        for unit, figure in ours.items():
            yield Row(self.name, unit, figure, self.at_most.get(unit), stock.get(unit), self.cannot)
