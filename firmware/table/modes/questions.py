"""The questions of a game, as a picker for the controls and in fixed words for programs.

This module uses only the engine contract, and does not know any particular game.
"""

from collections.abc import Sequence

from engines.common.contract import (
    Ask,
    Choice,
    ChoiceAsk,
    Input,
    Number,
    NumberAsk,
    PlaceAsk,
    PlaceChoice,
    PressAsk,
    SeatAsk,
    SeatChoice,
    TapAsk,
)
from firmware.table.picker import Picker


def picker_for(asks: Sequence[Ask]) -> Picker[Input] | None:
    """Return a picker for the first of *asks* that can be answered from a list.

    Return None if all are answered by tapping pieces or pressing buttons.
    """
    for ask in asks:
        match ask:
            case NumberAsk(low, high, start):
                return Picker(tuple(Number(n) for n in range(low, high + 1)), start - low)
            case ChoiceAsk(names):
                return Picker(tuple(Choice(name) for name in names))
            case SeatAsk(seats):
                return Picker(tuple(SeatChoice(seat) for seat in seats))
            case PlaceAsk(offers, start):
                return Picker(tuple(PlaceChoice(offer.place) for offer in offers), start)
    return None


def fixed_words(ask: Ask, names: Sequence[str]) -> str:
    """Return *ask* as text that is the same in every language, such as ``number 1..10``.

    It is for rehearsals (scripts that test the table) and other programs, not for people.

    *names* are the players' names by seat.
    """
    match ask:
        case TapAsk(is_race=is_race):
            return "race" if is_race else "tap"
        case NumberAsk(low, high):
            return f"number {low}..{high}"
        case ChoiceAsk(choices):
            return "choice " + ", ".join(choices)
        case SeatAsk(seats):
            return "seat " + ", ".join(names[seat] for seat in seats)
        case PlaceAsk(offers):
            return "place " + " ".join(str(offer.place) for offer in offers)
        case PressAsk(button, label):
            return f"press {button.value} {label}"
