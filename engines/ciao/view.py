"""What the table shows of a game of Ciao!.

Room: engines/ciao.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
"""

from collections.abc import Callable
from typing import NamedTuple

from engines.ciao.rules import DEAL, best, first_out, hand_left, name_of, scores
from engines.ciao.state import Note, Phase, State
from engines.common.contract import Message, Seat, View, told


class Shown(NamedTuple):
    """What differs from phase to phase."""

    headline: str | Message
    caption: Message
    hint: Message
    turn: Seat | None
    spoken: Message | None = None


class Headline(NamedTuple):
    """The card to beat, or what is owed; written, completed and said."""

    written: str | Message
    caption: Message
    spoken: Message


def headline(state: State) -> Headline:
    """What the next card has to beat (RULES 4.1), or how many cards are owed (RULES 6.6)."""
    now = state.round
    if now.debt and not state.house.plus3_must_beat:
        return Headline(str(now.debt), told("cards-owed"), told("spoken.owed", n=now.debt))
    if now.top is None:
        return Headline(told("headline.any"), told("headline.any.caption"), told("spoken.any"))
    colour = f"colour.{now.top.colour}" if state.house.has_colours else "to-beat"
    card = told("spoken.card", card=name_of(state, now.top))
    return Headline(told(f"headline.{now.top.symbol}"), told(colour), card)


def shown(state: State, hint: Message, turn: Seat | None) -> Shown:
    """The headline of play, with *hint*."""
    top = headline(state)
    return Shown(top.written, top.caption, hint, turn, top.spoken)


# --- play ----------------------------------------------------------------------------------------


def hint_of_note(note: Note) -> Message:
    """What hands still have to do after the last act."""
    other = {} if note.other is None else {"other_seat": note.other}
    return told(f"{note.code}.hint", seat=note.seat, n=note.n, **other)


def hint_of_play(state: State) -> Message:
    """What the player may do; right after something that hands must do, that."""
    now, note = state.round, state.note
    if now.has_drawn:
        if note is not None and note.code == "reshuffle":
            return told("reshuffled-and-drawn")
        return told("play-drawn-card" if state.house.only_drawn_card else "play-any-card")
    if note is not None:
        return hint_of_note(note)
    if now.debt:
        return told("answer-and-beat" if state.house.plus3_must_beat else "answer", n=now.debt)
    if now.top is None:
        return told("lay-any" if state.can_draw else "lay-any-or-pass")
    return told("lay-a-card" if state.can_draw else "lay-or-pass")


def show_play(state: State) -> Shown:
    """The card to beat, or what is owed."""
    return shown(state, hint_of_play(state), state.round.turn)


def show_race(state: State) -> Shown:
    """The card to beat; it is nobody's turn."""
    note = state.note
    hint = told("race.hint", seat=state.round.turn) if note is None else hint_of_note(note)
    return shown(state, hint, None)


def show_racer(state: State) -> Shown:
    """The card to beat, until it is known whose card lies there."""
    return shown(state, told("whose-card"), None)


def show_special(state: State) -> Shown:
    """The card to beat, until it is known what the next one bears."""
    return shown(state, told("name-special.hint"), state.by)


def asking(code: str) -> Callable[[State], Shown]:
    """What is asked of the player whose turn it is, under *code*."""

    def show(state: State) -> Shown:
        return shown(state, told(code, seat=state.round.turn), state.round.turn)

    return show


def show_thanks(state: State) -> Shown:
    """Whose thanks are waited for."""
    assert state.receiver is not None, "this phase begins with a card that was given"
    return shown(state, told("say-thanks.hint", seat=state.receiver), state.receiver)


# --- the end -------------------------------------------------------------------------------------


def show_scoring(state: State) -> Shown:
    """Who won the round, until the first card is counted; then the points of the hand."""
    counting = state.counting
    hint = told("lay-your-hand", n=hand_left(state))
    if any(counting.shown):
        points = counting.points(counting.seat, state.table.deck)
        return Shown(str(points), told("in-the-hand"), hint, counting.seat)
    winner = first_out(state)
    left = state.round.hands[winner]
    caption = told("cards-left") if left else told("out.caption", seat=winner)
    return Shown(str(left), caption, hint, counting.seat)


def show_round_over(state: State) -> Shown:
    """The best total, while the cards are dealt."""
    hint = told("deal-next", cards=DEAL)
    return Shown(str(min(state.totals)), told("best-total"), hint, first_out(state))


def show_over(state: State) -> Shown:
    """What won: the fewest points, or cards."""
    code = "wins-with" if len(best(state)) == 1 else "win-with"
    caption = told(code if state.house.scoring else "cards-left")
    return Shown(str(min(scores(state))), caption, told("game-over"), None)


SHOWN: dict[Phase, Callable[[State], Shown]] = {
    Phase.PLAY: show_play,
    Phase.SYMBOL: asking("name-symbol"),
    Phase.AGAIN: asking("again-or-reverse"),
    Phase.RACE: show_race,
    Phase.RACER: show_racer,
    Phase.SPECIAL: show_special,
    Phase.GIVE: asking("to-whom"),
    Phase.THANKS: show_thanks,
    Phase.SWAP: asking("with-whom"),
    Phase.SCORING: show_scoring,
    Phase.ROUND_OVER: show_round_over,
    Phase.OVER: show_over,
}

NOT_PLAYED = (Phase.SCORING, Phase.ROUND_OVER, Phase.OVER)


def counts(state: State) -> dict[str, int]:
    """The numbers of cards the referee keeps, and of rounds when they are settled."""
    now, table = state.round, state.table
    hands = {f"hand-{n}": cards for n, cards in enumerate(now.hands, start=1)}
    kept = {
        **hands,
        "draw-pile": now.pile,
        "discard": len(now.discards),
        "left-out": table.deck.total - len(table.pieces),
        "owed": now.debt,
        "round": state.number,
    }
    if state.house.scoring:
        kept["rounds"] = max(state.number, state.house.rounds)
    return kept


def view(state: State) -> View:
    """What to show of *state*."""
    now = SHOWN[state.phase](state)
    return View(
        headline=now.headline,
        caption=now.caption,
        phase=state.phase.value,
        hint=now.hint,
        scores=scores(state),
        turn=now.turn,
        direction=None if state.phase in NOT_PLAYED else state.round.direction,
        winners=best(state) if state.phase is Phase.OVER else (),
        counts=counts(state),
        left_out=state.table.left_out,
        spoken=now.spoken,
    )
