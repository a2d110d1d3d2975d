"""Stacks: pieces that arrived together are played in order; if the order matters, people are asked.

This module uses only the engine contract, and does not know any particular game.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeGuard, cast

from engines.common.contract import Choice, Input, Seat, Sensor, Tap
from engines.common.errors import NotExpectedNow, RulesError
from firmware.journal.codec import Phone
from firmware.show.view import ListView, Notice, TableView
from firmware.table.answers import Answer
from firmware.table.modes.active_game import ActiveGame
from firmware.table.modes.game_overlay import GameOverlay
from firmware.table.modes.mode import Outcome, TappedPieces, refuse
from firmware.table.picker import Picker
from firmware.voice.speech import SpeechLine, lines

STACK_STATES = 200  # limit of the search through all orders of a stack; beyond it, people are asked


@dataclass(frozen=True)
class StackOrder:
    """An order in which to play a stack, and the game *state* that it leads to.

    The rules accept the *accepted* taps one after the other. They refuse the first of the *refused*
    taps, so the others are not played.
    """

    state: Any
    accepted: tuple[Tap, ...]
    refused: tuple[Tap, ...] = ()

    @property
    def taps(self) -> tuple[Tap, ...]:
        """All taps of the stack, in this order."""
        return (*self.accepted, *self.refused)


@dataclass(frozen=True)
class StackQuestion(GameOverlay):
    """The question which piece of a stack was placed first.

    *taps* is the list to choose from, with one item for each tap.
    """

    taps: Picker[Tap]

    def tap(self, tapped: TappedPieces) -> Outcome:
        """Play a piece of the stack if it is placed again. Refuse any other piece of this game."""
        taps, game = self.playing.fresh_taps(tapped), self.playing.game.name
        if taps and tapped.game == game and not {tap.piece for tap in taps} <= set(self._pieces):
            return self._order_first()
        return super().tap(tapped)

    def number(self, value: int) -> Outcome:
        """Refuse the number and ask for the order first."""
        return self._order_first()

    def seat(self, seat: int) -> Outcome:
        """Choose the piece that came from *seat* as the first one.

        Refuse the seat if no piece in the stack came from there, or several did.
        """
        places = [place for place, tap in enumerate(self.taps.items) if tap.seat == seat]
        if len(places) != 1:
            return self._order_first()
        return replace(self, taps=self.taps.at(places[0]))._choose()

    def sense(self, sensor: Sensor) -> Outcome | None:
        """Return None: all sensors are ignored until the order of the pieces is known."""
        return None

    def answers(self, seat: Seat) -> tuple[Answer, ...]:
        """Return the pieces of the stack, if the game waits for the player at *seat*.

        An answer is the piece that was placed first, as a ``Choice`` of its name.
        """
        named = self.playing.named_for_input
        if named and seat not in named:
            return ()
        pairs = zip(self.taps.items, self._taps_in_words(), strict=True)
        return tuple(Answer(_choice_of(tap), text) for tap, text in pairs)

    @property
    def question(self) -> str:
        """The question which piece was first."""
        return self.playing.text("stack")

    def answer(self, given: Input, phone: Phone) -> Outcome | None:
        """Play the piece that was first; return the outcome.

        The journal names no phone, because the pieces were placed at the mat.
        """
        places = [place for place, tap in enumerate(self.taps.items) if _choice_of(tap) == given]
        return replace(self, taps=self.taps.at(places[0]))._choose() if places else None

    def take_back(self, phone: Phone) -> Outcome | None:
        """Return None, to refuse an undo until the order of the pieces is known."""
        return None

    @property
    def race(self) -> tuple[str, ...]:
        """Always empty: a race waits until the order of the pieces is known."""
        return ()

    def view(self) -> TableView:
        """Return the game's view with the list of the stack's pieces over it."""
        return replace(super().view(), asks=("order " + ", ".join(p.kind for p in self._pieces),))

    @property
    def _pieces(self) -> tuple[Any, ...]:
        return tuple(tap.piece for tap in self.taps.items)

    def _move(self, move: Callable[[Picker[Any]], Picker[Any]]) -> Outcome:
        return Outcome(replace(self, taps=move(self.taps)))

    def _choose(self) -> Outcome:
        """Play the selected piece, then the others; if their order matters, ask for it next."""
        first, playing = self.taps.chosen, self.playing
        rest = tuple(tap for tap in self.taps.items if tap != first)
        outcome = playing.apply(first, _rest_to_play(playing, first, rest))
        if outcome.refusal is not None:
            return _refuse_rest(playing, (first, *rest), outcome.refusal)
        after = cast(ActiveGame, outcome.mode)
        if (order := only_order(after, rest)) is None:
            return replace(outcome, mode=StackQuestion(after, Picker(rest)))
        follow = _apply_all(after, order)
        return replace(follow, say=(*outcome.say, *follow.say))

    def _close(self) -> Outcome:
        text = self.playing.text
        dropped = text("stack-dropped.pieces", pieces=self._pieces)
        notice = Notice(text("stack-dropped"), dropped)
        return Outcome(self.playing, lines(notice.happened, notice.do), notice=notice)

    def _order_first(self) -> Outcome:
        code, pieces = NotExpectedNow.code, self._pieces
        return refuse(self, self.playing.notice(code, waits="stack", pieces=pieces))

    def _list(self) -> ListView:
        words = self._taps_in_words()
        return ListView(self.question, words, self.taps.cursor, tuple(map(str, self._pieces)))

    def _taps_in_words(self) -> tuple[str, ...]:
        """Return the items of the list: the players' names or, if not all differ, the pieces'."""
        names, taps = self.playing.start.names, self.taps.items

        def is_taken(seat: Seat | None) -> TypeGuard[Seat]:
            return seat is not None and seat < len(names)

        players = {tap.seat: names[tap.seat] for tap in taps if is_taken(tap.seat)}
        if len(players) == len(taps):
            return tuple(players.values())
        return tuple(self.playing.text(f"piece.{tap.piece.kind}") for tap in taps)


def _choice_of(tap: Tap) -> Choice:
    return Choice(str(tap.piece))


def take_stack(playing: ActiveGame, taps: Sequence[Tap]) -> Outcome:
    """Return the outcome of *taps* that arrived together: play them, or ask for their order.

    *playing* is the game in progress.
    """
    order = only_order(playing, taps)
    if order is None:
        return Outcome(StackQuestion(playing, Picker(tuple(taps))))
    return _apply_all(playing, order)


def only_order(playing: ActiveGame, taps: Sequence[Tap]) -> StackOrder | None:
    """Return the order in which to play *taps*, if all possible orders lead to the same state.

    Of these orders, it is the one with the most accepted taps. Return None if the orders lead to
    different states, or there are too many to try, so that people must be asked.
    """
    best: StackOrder | None = None
    reached: dict[frozenset[Tap], list[Any]] = {}
    waiting: list[tuple[ActiveGame, tuple[Tap, ...], tuple[Tap, ...]]] = [
        (playing, (), tuple(taps))
    ]
    for _ in range(STACK_STATES):
        if not waiting:
            return best
        current, accepted, left = waiting.pop()
        states = reached.setdefault(frozenset(left), [])
        if current.state in states:
            continue
        states.append(current.state)
        ends = [] if left else [StackOrder(current.state, accepted)]
        onward = []
        for alike in _alike(left):
            tap, after = _find_legal(current, alike)
            rest = tuple(other for other in left if other != tap)
            if after is None:
                ends.append(StackOrder(current.state, accepted, (tap, *rest)))
            else:
                onward.append((after, (*accepted, tap), rest))
        waiting += reversed(onward)  # so that the order of *taps* is tried first
        for order in ends:
            if best is not None and order.state != best.state:
                return None
            if best is None or len(order.accepted) > len(best.accepted):
                best = order
    return None


def _apply_all(playing: ActiveGame, order: StackOrder) -> Outcome:
    """Apply the taps of *order* one after the other, up to the first refusal."""
    said: list[SpeechLine] = []
    outcome = Outcome(playing)
    for place, tap in enumerate(order.taps):
        current = cast(ActiveGame, outcome.mode)  # a tap never ends this mode
        outcome = current.apply(tap, order.accepted[place + 1 :])
        if outcome.refusal is not None:
            outcome = _refuse_rest(current, order.taps[place:], outcome.refusal)
            said += outcome.say
            break
        said += outcome.say
    return replace(outcome, say=tuple(said))


def _refuse_rest(playing: ActiveGame, taps: Sequence[Tap], notice: Notice) -> Outcome:
    """Return the outcome of a refusal: *notice*, and the names of all pieces in *taps*.

    None of these taps counts. For small children, the names take the place of what to do.

    The game *playing* stays as it is.
    """
    left = playing.text("stack-left", pieces=tuple(tap.piece for tap in taps))
    do = left if playing.wording.is_for_children else f"{left} {notice.do}"
    return refuse(playing, replace(notice, do=do, said=""))


def _find_legal(playing: ActiveGame, taps: Sequence[Tap]) -> tuple[Tap, ActiveGame | None]:
    """Return the first of *taps* that the rules accept, and the game after it.

    If the rules refuse all of them, return the first tap and None.
    """
    for tap in taps:
        try:
            after, _ = playing.after(tap)
        except RulesError:
            continue
        return tap, after
    return taps[0], None


def _rest_to_play(playing: ActiveGame, tap: Tap, rest: tuple[Tap, ...]) -> tuple[Tap, ...]:
    """Return the taps in *rest* that the rules will accept after *tap* was played.

    If the order of *rest* matters, return all of it, since people must still be asked.
    """
    _, after = _find_legal(playing, (tap,))
    order = None if after is None else only_order(after, rest)
    return rest if order is None else order.accepted


def _alike(taps: Sequence[Tap]) -> list[list[Tap]]:
    """Group *taps* of the same kind, spot and seat, whose order makes no difference."""
    groups: dict[tuple[str, str, Seat | None], list[Tap]] = {}
    for tap in taps:
        groups.setdefault((tap.piece.kind, tap.spot, tap.seat), []).append(tap)
    return list(groups.values())
