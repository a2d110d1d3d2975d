"""A picker: one of several things, chosen by turning and pressing OK.

Room: firmware. A value; turning makes a new one.
"""

from dataclasses import dataclass, replace
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Picker(Generic[T]):
    """*items* to choose from, and where the cursor stands.

    Turned, the list has ends and does not wrap, so that a hand without eyes finds the first and the
    last. What only moves on, as a button or card does, has to come back to the first.
    """

    items: tuple[T, ...]
    cursor: int = 0

    @property
    def chosen(self) -> T:
        """What the cursor stands on."""
        return self.items[self.cursor]

    def turned(self, steps: int) -> "Picker[T]":
        """The picker after *steps* detents; clockwise is down the list."""
        return self.at(self.cursor + steps)

    def further(self, steps: int) -> "Picker[T]":
        """The picker with its cursor *steps* further, after the last on the first again."""
        return replace(self, cursor=(self.cursor + steps) % len(self.items))

    def at(self, cursor: int) -> "Picker[T]":
        """The picker with its cursor at *cursor*, or at the end it would pass."""
        return replace(self, cursor=max(0, min(cursor, len(self.items) - 1)))

    def on(self, item: T) -> "Picker[T]":
        """The picker with its cursor on *item*; where it was when there is no such item."""
        return self.at(self.items.index(item)) if item in self.items else self
