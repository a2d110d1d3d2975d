"""Past games in the table's words.

Room: firmware/archive. It knows the engine contract and no game.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engines.common.contract import (
    PLAY_SPOT,
    Choice,
    Message,
    Number,
    PlaceChoice,
    Press,
    PressAsk,
    SeatChoice,
    Tap,
    View,
)
from engines.common.errors import Fact
from firmware.announcer import in_one_breath
from firmware.archive.past import PastGame, Play
from firmware.words import Words

ANY = "…"  # stands for whoever or however many it was


class _AnyNumber(int):
    """Several of something: a number that is written as ``ANY``."""

    def __format__(self, spec: str) -> str:
        return ANY


@dataclass(frozen=True)
class Teller:
    """Tells of games in *words*, by game name."""

    words: Mapping[str, Words]

    def title(self, game: str) -> str:
        """What *game* is called."""
        return self.words[game].plain("title") if game in self.words else game

    def caption(self, game: str, caption: Message) -> str:
        """The words under a headline, whoever is named in them."""
        return self.whoever(game, caption.code, caption.facts)

    def headline(self, past: PastGame, view: View) -> str:
        """The headline of *view*, as it was shown."""
        if isinstance(view.headline, str):
            return view.headline
        return self._say(past, view.headline)

    def told(self, past: PastGame, events: Iterable[Message]) -> str:
        """What the table said."""
        return in_one_breath([self._say(past, event) for event in events])

    def given(self, past: PastGame, play: Play) -> str:
        """What was done."""
        words = self.words[past.game.name]
        match play.given:
            case Tap(piece, spot):
                apart = f"kind.{piece.kind}"
                text = words.plain(apart if words.has(apart) else f"piece.{piece.kind}")
                return text if spot == PLAY_SPOT else f"{text} @ {spot}"
            case Number(value):
                return str(value)
            case Choice(name):
                return words.plain(f"choice.{name}")
            case SeatChoice(seat):
                return past.start.names[seat]
            case PlaceChoice(place):
                return str(place)
            case Press(button):
                for ask in past.game.asks(play.before):
                    if isinstance(ask, PressAsk) and ask.button is button:
                        return self._say(past, Message(f"label.{ask.label}", ask.facts))
                return words.plain(f"button.{button.value}")

    def whoever(self, game: str, code: str, facts: Mapping[str, Fact]) -> str:
        """The words for *code*, whoever and however many *facts* name."""
        any_facts = {name: 0 if is_seat(name) else _any(value) for name, value in facts.items()}
        return self.words[game].say(Message(code, any_facts), (ANY,))

    def _say(self, past: PastGame, message: Message) -> str:
        return self.words[past.game.name].say(message, past.start.names)


def is_seat(name: str) -> bool:
    """Whether the fact *name* of a message is a seat."""
    return name == "seat" or name.endswith("_seat")


def _any(value: Fact) -> Fact:
    return _AnyNumber(2) if isinstance(value, int) else ANY
