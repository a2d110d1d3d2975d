"""The answer to "What can I do?" at the mat: what can be played now, and the rule behind it.

It follows from the engine contract and from what everybody knows, so it gives nothing of a hand
away. What is better to play comes first, if the game has advice (``engines.common.advice``). All
texts are in the table's language.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from engines.common.advice import best_of, worth_of_kinds
from engines.common.contract import Message, PressAsk, Seat, Tap, TapAsk, Topic
from engines.common.errors import AlreadyPlayed, NotExpectedNow, NotYourTurn, PutAway, RulesError
from engines.common.groups import Group, groups_of, in_few_words
from engines.common.hands import HAND_SPOT
from engines.common.pieces import Kind, Piece
from engines.common.rules_card import rule_of_foul
from firmware.show.view import Notice
from firmware.table.modes.active_game import ActiveGame
from firmware.table.modes.mode import Outcome
from firmware.voice.speech import as_requested, lines, sentence

MOST_NAMES = 8  # a longer list of pieces helps nobody
MOST_BEST = 3  # the same for pieces that are recommended


class Advice:
    """The answer to "What can I do?" in *playing*."""

    def __init__(self, playing: ActiveGame) -> None:
        self._playing = playing
        self._game, self._state = playing.game, playing.state
        self._view, self._asks = self._game.view(self._state), self._game.asks(self._state)
        self._worth = worth_of_kinds(self._game, self._state)
        self._words = playing.wording.words[self._game.name]

    def sentences(self) -> tuple[str, ...]:
        """Return what can be done: what can be played or pressed, and the best of it as advice."""
        plays = self.plays()
        is_all = plays and len(self._asks) == len(plays) + len(self._press_asks)
        # The hint also says what the mat cannot check: only the drawn card may be played.
        hint = () if is_all and not self.is_barred else (self._say(self._view.hint),)
        return (*hint, *plays, *self._best(), *self._presses())

    @property
    def is_barred(self) -> bool:
        """True if no piece may be played now, except one that was just drawn."""
        return self._view.barred_by is not None

    def plays(self) -> tuple[str, ...]:
        """Return what can be played, if a few names are enough."""
        return tuple(play for ask in self._tap_asks for play in self._play(ask))

    def reasons(self) -> tuple[str, ...]:
        """Return what would be unwise to play, and the rule against the other pieces."""
        found = (why for ask in self._tap_asks for why in (*self._unwise(ask), *self._rule(ask)))
        return tuple(dict.fromkeys(found))

    def outcome(self) -> Outcome:
        """Return the outcome of the question: the answer is shown and said, and nothing else."""
        first, *others = self.sentences()
        said = lines(first, *others, *self.reasons(), topic=Topic.QUESTION)
        return Outcome(self._playing, as_requested(said), notice=Notice(first, " ".join(others)))

    @property
    def _tap_asks(self) -> list[TapAsk]:
        """The requests for pieces to play, not for those of a hand that is counted."""
        return [a for a in self._asks if isinstance(a, TapAsk) and HAND_SPOT not in a.spots]

    @property
    def _press_asks(self) -> list[PressAsk]:
        return [ask for ask in self._asks if isinstance(ask, PressAsk)]

    def _play(self, ask: TapAsk) -> Iterator[str]:
        """Yield which pieces *ask* wants, if a few names are enough."""
        names = self._names(self._fitting(ask))
        if not 0 < len(names) <= MOST_NAMES:
            return
        what = ", ".join(names)
        yield self._say(self._can_play(ask.seats, what))

    def _can_play(self, seats: tuple[Seat, ...], what: str) -> Message:
        """Return the message that the players at *seats*, and nobody else, can play *what*."""
        players = self._playing.start.names
        if len(seats) == 1:
            return Message("now.play", {"seat": seats[0], "what": what})
        if len(seats) == len(players):
            return Message("now.all-play", {"what": what})
        named = ", ".join(players[seat] for seat in seats)
        return Message("now.some-play", {"names": named, "what": what})

    def _fitting(self, ask: TapAsk) -> frozenset[str]:
        """Return the kinds that can be played; those with a warning only if there is no other."""
        return (ask.kinds - self._view.warnings.keys()) or ask.kinds

    def _best(self) -> Iterator[str]:
        """Yield the best of what the current player can play, if advice is on.

        Nothing is recommended if all is equally good, or if it would take too many words.
        """
        asks = [ask for ask in self._tap_asks if self._view.turn in (None, *ask.seats)]
        if not self._playing.context.settings.current.hints.is_offered or len(asks) != 1:
            return
        fitting = self._fitting(asks[0]) - self._view.warnings.keys()
        best = best_of(fitting, self._worth)
        others = frozenset(self._kinds) - fitting  # nobody takes them as recommended
        names = self._names(best, others)
        is_clear = not {*names} & {self._name(self._kinds[kind]) for kind in fitting - best}
        if best != fitting and is_clear and len(names) <= MOST_BEST:
            yield self._say(Message("now.best", {"what": ", ".join(names)}))

    def _names(
        self, wanted: frozenset[str], indifferent: frozenset[str] | None = None
    ) -> tuple[str, ...]:
        """Return names for the kinds *wanted*, few in number, the best first.

        The names may be true of *indifferent* too; by default, of the kinds that are used up.
        """
        if indifferent is None:
            others = (kind for name, kind in self._kinds.items() if name not in wanted)
            indifferent = frozenset(kind.name for kind in others if self._is_gone(kind))
        kinds = tuple(self._kinds.values())
        found = in_few_words(wanted, indifferent, kinds, groups_of(self._game))
        return tuple(map(self._name, sorted(found, key=lambda each: -self._worth_of(each, wanted))))

    def _worth_of(self, what: Group | Kind, wanted: frozenset[str]) -> float:
        """Return the worth of the best kind of *wanted* that *what* names."""
        if isinstance(what, Kind):
            return self._worth.get(what.name, 0)
        named = (kind.name for kind in map(self._kinds.__getitem__, wanted) if what.has(kind))
        return max(self._worth.get(name, 0) for name in named)

    @property
    def _kinds(self) -> Mapping[str, Kind]:
        return self._playing.start.deck.by_name

    def _name(self, what: Group | Kind) -> str:
        if isinstance(what, Group):
            return self._say(what.title)
        return self._say(Message(f"piece.{what.name}"))

    def _is_gone(self, kind: Kind) -> bool:
        """Return True if no piece of *kind* is in a hand or on the draw pile any more."""
        refusals = (self._refusal(Tap(Piece(kind.name, n))) for n in range(1, kind.count + 1))
        return all(isinstance(refusal, AlreadyPlayed | PutAway) for refusal in refusals)

    def _refusal(self, given: Tap) -> RulesError | None:
        try:
            self._game.step(self._state, given)
        except RulesError as error:
            return error
        return None

    def _presses(self) -> Iterator[str]:
        """Yield what can be pressed."""
        asks = (ask for ask in self._press_asks if not ask.is_vain)
        labels = [self._say(Message(f"label.{ask.label}", ask.facts)) for ask in asks]
        if labels:
            yield self._say(Message("ear.instead", {"label": ", ".join(labels)}))

    def _unwise(self, ask: TapAsk) -> Iterator[str]:
        """Yield what is bad about playing some kinds, although the rules allow it."""
        warnings = self._view.warnings
        by_reason: dict[str, set[str]] = {}
        for kind in ask.kinds & warnings.keys():
            by_reason.setdefault(self._say(warnings[kind]), set()).add(kind)
        for reason, kinds in sorted(by_reason.items()):
            what = ", ".join(self._names(frozenset(kinds)))
            yield sentence(self._say(Message("now.unwise", {"what": what, "why": reason})))

    def _rule(self, ask: TapAsk) -> Iterator[str]:
        """Yield the rule because of which most of the other kinds cannot be played."""
        known = ask.kinds | self._view.left_out
        others = [kind for name, kind in self._kinds.items() if name not in known]
        rules = Counter(filter(None, map(self._rule_against, others)))
        for number, _ in rules.most_common(1):
            yield self._say(Message(f"rules.{number}"))

    def _rule_against(self, kind: Kind) -> str:
        """Return the number of the rule that a piece of *kind* would break now.

        Return "" if there is none, or if no text says more than that it is not the moment.
        """
        given = Tap(Piece(kind.name))
        refusal = self._refusal(given)
        if refusal is None:
            step = self._game.step(self._state, given)
            number = rule_of_foul(self._game, step.events[0]) if step.is_foul else ""
        elif isinstance(refusal, AlreadyPlayed | PutAway | NotExpectedNow | NotYourTurn):
            return ""
        else:
            number = refusal.rule.removeprefix("RULES ")
        return number if self._words.has(f"rules.{number}") else ""

    def _say(self, message: Message) -> str:
        return self._words.tell(message, self._playing.start.names)
