"""The view of Ciao!: what the table shows and says about a state.

May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
"""

from collections.abc import Callable
from typing import NamedTuple

from engines.ciao.cards import JOKER, Face
from engines.ciao.errors import OnlyDrawn
from engines.ciao.rules import DEAL, best, first_out, hand_left, name_of, scores
from engines.ciao.state import Note, Phase, State
from engines.common.contract import Message, ScoreUnit, Seat, View, message
from engines.common.copies import replace
from engines.common.errors import NotExpectedNow, RulesError


class PhaseView(NamedTuple):
    """The parts of a view that depend on the phase."""

    headline: str | Message
    caption: Message
    hint: Message
    turn: Seat | None
    spoken: Message | None = None


class Headline(NamedTuple):
    """The headline: the card to beat, or the number of cards owed."""

    written: str | Message
    caption: Message
    spoken: Message


def headline(state: State) -> Headline:
    """Return the card to beat (RULES 4.1), or the number of cards owed (RULES 6.6)."""
    now = state.round
    if now.debt and not state.house.plus3_must_beat:
        return Headline(str(now.debt), message("cards-owed"), message("spoken.owed", n=now.debt))
    if now.top is None:
        return Headline(
            message("headline.any"), message("headline.any.caption"), message("spoken.any")
        )
    card = message("spoken.card", card=name_of(state, now.top))
    return Headline(message(f"headline.{now.top.symbol}"), caption_of_top(state, now.top), card)


def caption_of_top(state: State, top: Face) -> Message:
    """Return the caption of the card to beat: its colour, and the word joker if it is one."""
    if not state.house.has_colours:
        return message("to-beat-joker" if stands_for(state) else "to-beat")
    if stands_for(state):
        return message("joker-as", colour=top.colour)
    return message(f"colour.{top.colour}")


def stands_for(state: State) -> str:
    """Return the symbol that was named for the joker on top, or "" (RULES 5.1)."""
    last, top = state.round.last, state.round.top
    if last is None or top is None or not state.card(last).is_joker or top.symbol == JOKER:
        return ""
    return top.symbol


def play_view(state: State, hint: Message, turn: Seat | None) -> PhaseView:
    """Return the view of a phase of play: the headline, with *hint* and *turn*."""
    top = headline(state)
    return PhaseView(top.written, top.caption, hint, turn, top.spoken)


# --- play ----------------------------------------------------------------------------------------


def hint_of_note(note: Note) -> Message:
    """Return the hint for *note*."""
    other = {} if note.other is None else {"other_seat": note.other}
    return message(f"{note.code}.hint", seat=note.seat, n=note.n, **other)


def hint_of_play(state: State) -> Message:
    """Return the hint: what people still have to do or, if nothing, what the player may do."""
    now, note = state.round, state.note
    if now.has_drawn:
        if note is not None and note.code == "reshuffle":
            return message("reshuffled-and-drawn")
        return message("play-drawn-card" if state.house.only_drawn_card else "play-any-card")
    if note is not None:
        return hint_of_note(note)
    if now.debt:
        return message("answer-and-beat" if state.house.plus3_must_beat else "answer", n=now.debt)
    if now.top is None:
        return message("lay-any" if state.can_draw else "lay-any-or-pass")
    return message("lay-a-card" if state.can_draw else "lay-or-pass")


def barred_by(state: State) -> RulesError | None:
    """Return ``View.barred_by``: why a page refuses cards that the mat must accept, or None.

    The mat cannot tell a drawn card from the others. A page asks for again or reverse before a card
    (RULES 6.3), and after a draw it accepts only the drawn card (RULES 3.4).
    """
    if state.phase is Phase.AGAIN:
        return NotExpectedNow(waits=state.phase.value)
    only_drawn = state.phase is Phase.PLAY and state.round.has_drawn and state.house.only_drawn_card
    return OnlyDrawn() if only_drawn else None


def show_play(state: State) -> PhaseView:
    """Return a view of the card to beat, or the number of cards owed."""
    return play_view(state, hint_of_play(state), state.round.turn)


def show_race(state: State) -> PhaseView:
    """Return a view of the card to beat. It is nobody's turn."""
    note = state.note
    hint = message("race.hint", seat=state.round.turn) if note is None else hint_of_note(note)
    return play_view(state, hint, None)


def show_racer(state: State) -> PhaseView:
    """Return a view of the card to beat until the owner of the card laid is known."""
    return play_view(state, message("whose-card"), None)


def show_special(state: State) -> PhaseView:
    """Return a view of the card to beat until the special of the card laid is known."""
    return play_view(state, message("name-special.hint"), state.by)


QUESTIONS = {  # the current player's questions
    Phase.SYMBOL: "name-symbol",
    Phase.AGAIN: "again-or-reverse",
    Phase.GIVE: "to-whom",
    Phase.SWAP: "with-whom",
}


def show_question(state: State) -> PhaseView:
    """Return a view of the card to beat, with the question that the current player answers."""
    turn = state.round.turn
    return play_view(state, message(QUESTIONS[state.phase], seat=turn), turn)


def show_thanks(state: State) -> PhaseView:
    """Return a view that says that the receiver should say thanks."""
    assert state.receiver is not None, "this phase begins with a card that was given"
    hint = message("say-thanks.hint", seat=state.receiver, giver_seat=state.round.turn)
    return play_view(state, hint, state.receiver)


# --- the end -------------------------------------------------------------------------------------


def show_scoring(state: State) -> PhaseView:
    """Return a view of the round's winner or, once a card is counted, of the hand's points."""
    counting = state.counting
    points = counting.points(counting.seat, state.config.deck)
    hint = message("lay-your-hand", seat=counting.seat, points=points, n=hand_left(state))
    if state.phase is Phase.SHORT:
        hint = message("ask-short.hint", n=hand_left(state))
    if any(counting.shown):
        return PhaseView(str(points), message("in-the-hand"), hint, counting.seat)
    winner = first_out(state)
    left = state.round.hands[winner]
    caption = message("cards-left") if left else message("out.caption", seat=winner)
    return PhaseView(str(left), caption, hint, counting.seat)


def show_round_over(state: State) -> PhaseView:
    """Return a view of the lowest total, with a hint to deal the cards."""
    hint = message("deal-next", cards=DEAL)
    return PhaseView(str(min(state.totals)), message("best-total"), hint, first_out(state))


def show_over(state: State) -> PhaseView:
    """Return a view of the winning score: the fewest points, or the fewest cards."""
    code = "wins-with" if len(best(state)) == 1 else "win-with"
    caption = message(code if state.house.scoring else "cards-left")
    return PhaseView(str(min(scores(state))), caption, message("game-over"), None)


SHOWN: dict[Phase, Callable[[State], PhaseView]] = {
    Phase.PLAY: show_play,
    Phase.SYMBOL: show_question,
    Phase.AGAIN: show_question,
    Phase.RACE: show_race,
    Phase.RACER: show_racer,
    Phase.OWNER: show_racer,
    Phase.SPECIAL: show_special,
    Phase.GIVE: show_question,
    Phase.THANKS: show_thanks,
    Phase.SWAP: show_question,
    Phase.SCORING: show_scoring,
    Phase.SHORT: show_scoring,
    Phase.ROUND_OVER: show_round_over,
    Phase.OVER: show_over,
}

NOT_PLAYED = (Phase.SCORING, Phase.SHORT, Phase.ROUND_OVER, Phase.OVER)


def counts(state: State) -> dict[str, int]:
    """Return ``View.counts``: cards by place, the round, and the number of rounds if fixed."""
    now, config = state.round, state.config
    hands = {f"hand-{n}": cards for n, cards in enumerate(now.hands, start=1)}
    kept = {
        **hands,
        "draw-pile": now.pile,
        "discard": len(now.discards),
        "left-out": config.deck.total - len(config.pieces),
        "owed": now.debt,
        "round": state.number,
    }
    if state.house.scoring:
        kept["rounds"] = max(state.number, state.house.rounds)
    return kept


def view(state: State) -> View:
    """Return what the table shows and says about *state*.

    On a page, cards move by themselves, so its hint leaves out what people would have to do.
    """
    now = SHOWN[state.phase](state)
    is_counted = state.phase in (Phase.SCORING, Phase.SHORT)
    page_hint = None if state.note is None else SHOWN[state.phase](replace(state, note=None)).hint
    return View(
        headline=now.headline,
        caption=now.caption,
        phase=state.phase.value,
        hint=now.hint,
        scores=scores(state),
        score_unit=ScoreUnit.POINT if state.house.scoring else ScoreUnit.CARD,
        lowest_wins=True,
        turn=now.turn,
        direction=None if state.phase in NOT_PLAYED else state.round.direction,
        winners=best(state) if state.phase is Phase.OVER else (),
        counts=counts(state),
        left_out=state.config.left_out,
        spoken=now.spoken,
        page_hint=page_hint,
        stands_for=stands_for(state),
        barred_by=barred_by(state),
        is_drawn_free=state.phase is Phase.PLAY,
        counted=state.counting.points_so_far(state.config.deck) if is_counted else (),
        is_for_children=state.house.is_for_children,
    )
