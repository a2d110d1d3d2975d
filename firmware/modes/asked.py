"""What a game asks for: as a picker for the controls, and in fixed words for programs.

Room: firmware/modes. It knows the engine contract and no game.
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
from firmware.picker import Picker


def picker_of(asks: Sequence[Ask]) -> Picker[Input] | None:
    """The first of *asks* that the controls can answer, with the cursor where it begins.

    None when everything is tapped or pressed.
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


def in_words(ask: Ask, names: Sequence[str]) -> str:
    """*ask* at a table of *names*, in fixed words that rehearsals and programs compare."""
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
