"""The words of private lines: the cards in a hand, what can be played, and where the game is.

These pure functions use only the engine contract, and do not know any particular game. All texts
are in the table's language.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from engines.common.advice import best_of, worth_of_kinds
from engines.common.contract import (
    PLAY_SPOT,
    Direction,
    Message,
    Press,
    Seat,
    Tap,
    TapAsk,
    View,
)
from engines.common.hands import HAND_SPOT
from engines.common.layouts import hand
from engines.common.pieces import Piece
from firmware.table.answers import CANNOT, FITS, WARNED
from firmware.table.modes.active_game import ActiveGame
from firmware.table.modes.advice import Advice
from firmware.voice.speech import sentence

# An overview takes at most six seconds to say. The estimate is fitted to espeak-ng's six languages
# at its usual speed, for short texts; a test measures the sounds. In some languages, the voice says
# more in that time.
MOST_S = 4.7
MORE = {"en": 1.1, "es": 1.06, "fr": 1.2}
LETTER_S, DIGIT_S, PAUSE_S, MINUS_S = 0.049, 0.31, 0.35, 1.2


@dataclass(frozen=True, slots=True)
class HeldPiece:
    """A piece that is known to be in a hand. *is_drawn* is True if it may be the one drawn last."""

    piece: Piece
    is_drawn: bool = False


class PrivateWords:
    """The private lines for the player at *seat* of *playing*."""

    def __init__(self, playing: ActiveGame, seat: Seat) -> None:
        self._playing, self._seat = playing, seat
        self._view: View = playing.game.view(playing.state)

    def cards(self, held: Sequence[HeldPiece]) -> str:
        """Return the names of pieces held to a reader. If it is one, say if it can be played.

        In a game that is taught, also say what a special piece does, until it is laid.
        """
        names = sentence(self._tell("ear.cards", pieces=_pieces(held)))
        if len(held) > 1:
            return names
        (only,) = held
        names = self._lesson(held) or names
        if not self._may_lay:
            return names
        refused = self._objection(only)
        if refused is not None:
            return f"{names} {sentence(self._say(refused))}"
        return " ".join((names, self._tell("ear.can"), *self._warnings(held)))

    def taught_kind(self, held: Sequence[HeldPiece]) -> str | None:
        """Return the kind of the piece that ``cards`` explains, or None if it explains none."""
        return held[0].piece.kind if self._lesson(held) else None

    def playable(self, held: Sequence[HeldPiece], *, can_show: bool) -> str:
        """Return which of *held* can be played now, then why the others cannot.

        *can_show* is True if the player has a reader for more pieces.
        """
        if self._may_lay and not held and not can_show:
            return " ".join(Advice(self._playing).sentences())
        if not self._may_lay:
            is_others = self._view.turn not in (None, self._seat)
            hint = () if is_others else (self._say(self._view.hint),)
            return " ".join((*self._turn(), *hint, *self._hand(held)))
        fits = self._best_first(each for each in held if self._objection(each) is None)
        parts = [*self._fitting(fits, held), *self._warnings(fits), *self._objections(held)]
        unknown = self._unknown(held) if can_show else ()
        return " ".join((*parts, *unknown, *(() if fits or not held else self._instead())))

    def marks(self, held: Sequence[HeldPiece]) -> tuple[str, ...]:
        """Return for each of *held* one of ``MARKS``."""
        if not self._may_lay:
            return (CANNOT,) * len(held)
        return tuple(CANNOT if self._objection(each) else self._mark(each) for each in held)

    def overview(self) -> str:
        """Return where the game is: at most six seconds of speech.

        The turn, the player's own score and hand are always in it, and the headline if there is
        time for it. Then come the scores and hands of the others, from the next player on, as many
        as there is time for.
        """
        view = self._view
        spoken = view.headline if view.spoken is None else view.spoken
        headline = sentence(spoken if isinstance(spoken, str) else self._say(spoken))
        scores, hands = self._from_here(view.scores), self._from_here(self._hands)
        has_scores, has_hands = any(scores), any(hands) and hands != scores
        kept = list(self._turn())
        kept += [self._tell("ear.you", score=scores[0])] if has_scores else []
        kept += [self._tell("ear.own-hand", n=hands[0])] if has_hands else []
        kept = [headline, *kept] if self._fits(headline, *kept) else kept
        kept += self._as_many_as_fit("ear.after", scores[1:] if has_scores else (), kept)
        kept += self._as_many_as_fit("ear.hands-after", hands[1:] if has_hands else (), kept)
        return " ".join(kept)

    # --- the parts of the lines ---

    def _lesson(self, held: Sequence[HeldPiece]) -> str:
        """Return what the only piece of *held* does, if that is to be taught; else ""."""
        return self._playing.lesson_about(held[0].piece) if len(held) == 1 else ""

    @property
    def _may_lay(self) -> bool:
        """True if the player may lay a piece of the hand now, and not to be counted."""
        bar, asks = self._view.barred_by, self._playing.game.asks(self._playing.state)
        return (bar is None or self._view.is_drawn_free) and any(
            self._seat in ask.seats and PLAY_SPOT in ask.spots and HAND_SPOT not in ask.spots
            for ask in asks
            if isinstance(ask, TapAsk)
        )

    @property
    def _hands(self) -> tuple[int, ...]:
        """The number of pieces in each hand, by seat; 0 for a hand that the game does not count."""
        return tuple(self._view.counts.get(hand(seat), 0) for seat in _seats(self._view))

    def _from_here(self, numbers: Sequence[int]) -> tuple[int, ...]:
        """Return *numbers*, which are by seat, in turn order from this player on."""
        step = -1 if self._view.direction is Direction.COUNTER_CLOCKWISE else 1
        return tuple(numbers[(self._seat + step * n) % len(numbers)] for n in range(len(numbers)))

    def _as_many_as_fit(self, code: str, numbers: Sequence[int], kept: list[str]) -> list[str]:
        """Return the text *code* with the first of *numbers*, as many as fit after *kept*."""
        texts = (
            self._tell(code, list=", ".join(map(str, numbers[:n])))
            for n in range(len(numbers), 0, -1)
        )
        fitting = next((text for text in texts if self._fits(*kept, text)), None)
        return [] if fitting is None else [fitting]

    def _fits(self, *parts: str) -> bool:
        """Return True if *parts* together can be said in an overview."""
        language = self._playing.context.settings.current.language
        return _seconds(" ".join(parts)) <= MOST_S * MORE.get(language, 1.0)

    def _turn(self) -> tuple[str, ...]:
        """Return a sentence that says whose turn it is; nothing if it is nobody's."""
        turn = self._view.turn
        if turn is None:
            return ()
        if turn == self._seat:
            return (self._tell("ear.your-turn"),)
        return (self._tell("whose-turn", seat=turn),)

    def _hand(self, held: Sequence[HeldPiece]) -> Iterator[str]:
        if held:
            yield self._tell("ear.hand", pieces=_pieces(held))

    @cached_property
    def _worth(self) -> Mapping[str, float]:
        """The worth of playing a piece of each kind now."""
        return worth_of_kinds(self._playing.game, self._playing.state)

    def _best_first(self, held: Iterable[HeldPiece]) -> list[HeldPiece]:
        return sorted(held, key=lambda each: -self._worth.get(each.piece.kind, 0))

    def _fitting(self, fits: Sequence[HeldPiece], held: Sequence[HeldPiece]) -> Iterator[str]:
        """Yield which of *fits* can be played, and the first of them as advice.

        Those with a warning are only named if there is no other.
        """
        good = [each for each in fits if each.piece.kind not in self._view.warnings]
        if fits:
            yield self._tell("ear.fits", pieces=_pieces(good or fits))
        elif held:
            yield self._tell("ear.fits-none")
        if good and self._playing.context.settings.current.hints.is_offered:
            yield from self._advice(good, best_of({each.piece.kind for each in good}, self._worth))

    def _advice(self, order: Sequence[HeldPiece], best: frozenset[str]) -> Iterator[str]:
        """Yield advice to play the first of *order*, one of the *best* kinds.

        Nothing is advised if all is equally good, or if another piece has the same name.
        """
        advice = [self._tell("now.best", what=each.piece) for each in order]
        worse = {
            text for text, each in zip(advice, order, strict=True) if each.piece.kind not in best
        }
        if worse and advice[0] not in worse:
            yield advice[0]

    def _warnings(self, fits: Sequence[HeldPiece]) -> Iterator[str]:
        """Yield what is bad about playing some of *fits*, although they can be played."""
        warned: dict[str, list[HeldPiece]] = {}
        for each in fits:
            if each.piece.kind in self._view.warnings:
                why = self._say(self._view.warnings[each.piece.kind])
                warned.setdefault(why, []).append(each)
        for why, pieces in warned.items():
            yield sentence(self._tell("ear.about", pieces=_pieces(pieces), why=why))

    def _objections(self, held: Sequence[HeldPiece]) -> Iterator[str]:
        """Yield why pieces of *held* cannot be played; one sentence for each reason."""
        refused: dict[tuple[str, str], tuple[Message, list[HeldPiece]]] = {}
        for each in held:
            why = self._objection(each)
            if why is not None:
                others = {name: fact for name, fact in why.facts.items() if name != "piece"}
                refused.setdefault((why.code, repr(others)), (why, []))[1].append(each)
        for why, pieces in refused.values():
            if "piece" in why.facts:
                named = {**why.facts, "piece": _pieces(pieces)}
                yield sentence(self._say(replace(why, facts=named)))
            else:
                told = self._tell("ear.about", pieces=_pieces(pieces), why=self._say(why))
                yield sentence(told)

    def _unknown(self, held: Sequence[HeldPiece]) -> Iterator[str]:
        """Yield the number of pieces in the hand that the table does not know."""
        n = self._view.counts.get(hand(self._seat), len(held)) - len(held)
        if n > 0:
            yield self._tell("ear.unknown", n=n)

    def _instead(self) -> Iterator[str]:
        """Yield what the player can press instead of laying a piece."""
        answers = self._playing.answers(self._seat)
        labels = [answer.text for answer in answers if isinstance(answer.given, Press)]
        if labels:
            yield self._tell("ear.instead", label=", ".join(labels))

    def _objection(self, held: HeldPiece) -> Message | None:
        """Return why the rules refuse the piece now, or would punish it; None if it fits."""
        bar = self._view.barred_by
        if bar is not None and not held.is_drawn:
            return Message(f"{bar.words}.happened", bar.facts)
        return self._playing.objection(Tap(held.piece, PLAY_SPOT, self._seat))

    def _mark(self, fits: HeldPiece) -> str:
        return WARNED if fits.piece.kind in self._view.warnings else FITS

    def _tell(self, code: str, **facts: Any) -> str:
        return self._say(Message(code, facts))

    def _say(self, message: Message) -> str:
        """Return *message* in words, without the player's own name as an address before it."""
        names = self._playing.start.names
        text = self._playing.wording.words[self._playing.game.name].tell(message, names)
        return re.sub(rf"^{re.escape(names[self._seat])}\s?: ", "", text)


def _pieces(held: Sequence[HeldPiece]) -> tuple[Piece, ...]:
    return tuple(each.piece for each in held)


def _seats(view: View) -> Iterator[Seat]:
    return map(Seat, range(len(view.scores)))


def _seconds(text: str) -> float:
    """Return about how long it takes to say *text*."""
    letters, digits = sum(map(str.isalpha, text)), sum(map(str.isdigit, text))
    pauses = sum(sign in ",.:!?" for sign in text)
    return LETTER_S * letters + DIGIT_S * digits + PAUSE_S * pauses + MINUS_S * text.count("-")
