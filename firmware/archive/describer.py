"""Descriptions of recorded games, in the table's language.

This module works for all games: it uses only the engine contract. A game describes itself by
*messages*. A message is a code, for which the message catalogue of each language has a text, and
*facts* such as numbers, pieces and seats, which are inserted into the text.
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
from firmware.archive.past import PastGame, Play
from firmware.voice.announcer import join_sentences
from firmware.voice.words import Words

ANY = "…"  # replaces a name
ANY_NUMBER = "N"  # replaces a number


class _AnyNumber(int):
    """A stand-in for any number in a text: shown as ``ANY_NUMBER``, with the text's plural form."""

    def __format__(self, spec: str) -> str:
        return ANY_NUMBER


@dataclass(frozen=True)
class Describer:
    """Descriptions of games in words. *words* has the message catalogue of each game, by name."""

    words: Mapping[str, Words]

    def title(self, game: str) -> str:
        """Return the title of the game named *game*."""
        return self.words[game].plain("title") if game in self.words else game

    def caption(self, game: str, caption: Message) -> str:
        """Return the text of *caption*, which names the headline of a view (``View.caption``).

        Names and numbers in it are replaced by placeholders.
        """
        return self.anonymous_text(game, caption.code, caption.facts)

    def headline(self, past: PastGame, view: View) -> str:
        """Return the headline of *view*, a view of the game *past*, as the table showed it."""
        if isinstance(view.headline, str):
            return view.headline
        return self._text(past, view.headline)

    def events_text(self, past: PastGame, events: Iterable[Message]) -> str:
        """Return *events*, messages of the game *past*, as one text."""
        return join_sentences([self._text(past, event) for event in events])

    def input_text(self, past: PastGame, play: Play) -> str:
        """Return the input of *play*, which belongs to the game *past*, in words."""
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
                        return self._text(past, Message(f"label.{ask.label}", ask.facts))
                return words.plain(f"button.{button.value}")

    def anonymous_text(self, game: str, code: str, facts: Mapping[str, Fact]) -> str:
        """Return the text of *game*'s message *code*, with placeholders for its *facts*."""
        any_facts = {name: 0 if is_seat(name) else _any(value) for name, value in facts.items()}
        return self.words[game].say(Message(code, any_facts), (ANY,))

    def label(self, game: str, code: str, facts: Mapping[str, Fact]) -> str:
        """Return the text of *game*'s message *code* as a label, such as "Scores N points".

        Numbers and names in it are replaced by placeholders. *facts* are example facts.
        """
        text = self.anonymous_text(game, code, facts).removeprefix(ANY).strip().removesuffix(".")
        return text[:1].upper() + text[1:]

    def _text(self, past: PastGame, message: Message) -> str:
        return self.words[past.game.name].say(message, past.start.names)


def is_seat(name: str) -> bool:
    """Return True if the value of the fact called *name* is a seat."""
    return name == "seat" or name.endswith("_seat")


def _any(value: Fact) -> Fact:
    return _AnyNumber(2) if isinstance(value, int) else ANY
