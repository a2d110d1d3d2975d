"""A picker: a list with a cursor, from which the encoder and OK choose an item."""

from dataclasses import dataclass, replace
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Picker(Generic[T]):
    """A list of *items* and the index of its *cursor*. Every move returns a new picker.

    The encoder (``move``) stops at both ends, so that players can find them without looking. A
    button or card can only move forward (``advance``), so after the last item comes the first.
    """

    items: tuple[T, ...]
    cursor: int = 0

    @property
    def chosen(self) -> T:
        """The item under the cursor."""
        return self.items[self.cursor]

    def move(self, steps: int) -> "Picker[T]":
        """Move the cursor by *steps*, down if positive, but not beyond an end of the list."""
        return self.at(self.cursor + steps)

    def advance(self, steps: int) -> "Picker[T]":
        """Move the cursor forward by *steps*. After the last item comes the first."""
        return replace(self, cursor=(self.cursor + steps) % len(self.items))

    def at(self, cursor: int) -> "Picker[T]":
        """Move the cursor to position *cursor*, from 0, or to the nearest end of the list."""
        return replace(self, cursor=max(0, min(cursor, len(self.items) - 1)))

    def on(self, item: T) -> "Picker[T]":
        """Move the cursor to *item*; if the list lacks it, leave the cursor in place."""
        return self.at(self.items.index(item)) if item in self.items else self
