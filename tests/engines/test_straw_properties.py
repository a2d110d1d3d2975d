"""Properties of Straw that hold in every game."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from engines.common.contract import Number, NumberAsk, Press, PressAsk, Seat, Step, Tap, TapAsk
from engines.straw import GAME
from engines.straw.cards import LAMP_HIGH, LAMP_LOW
from engines.straw.rules import CAMEL_LIMIT, Phase, State, unseen
from firmware.voice.words import languages, words_of
from tests.effort import some
from tests.engines.straw_table import CASE, DECK, StrawTable


def any_input(table: StrawTable, data: st.DataObject) -> Tap | Number | Press:
    """Draw an input that answers the state's first ask: a card, whenever one is asked for."""
    ask = table.asks[0]
    match ask:
        case TapAsk(kinds=kinds):
            kind = data.draw(st.sampled_from(sorted(kinds)), label="kind")
            return Tap(min(piece for piece in unseen(table.state) if piece.kind == kind))
        case NumberAsk(low=low, high=high):
            return Number(data.draw(st.integers(low, high), label="weight"))
        case PressAsk(button=button):
            return Press(button)
    raise AssertionError(f"Straw asks for {ask}")


@settings(max_examples=some(60), deadline=None)
@given(seats=st.integers(2, 6), data=st.data())
def test_every_card_is_somewhere(seats: int, data: st.DataObject) -> None:
    """Cards on the camel, in hands and in the pile always add up to the deck."""
    table = StrawTable(seats)
    while table.view.phase in ("play", "lamp"):
        assert table.all_cards() == DECK.total
        table.give(any_input(table, data))
    assert table.all_cards() == DECK.total


@settings(max_examples=some(60), deadline=None)
@given(seats=st.integers(2, 6), data=st.data())
def test_the_weight_is_that_of_the_plays_and_breaks_above_50(
    seats: int, data: st.DataObject
) -> None:
    """The weight is the one announced, and play stops when it is above the limit."""
    table = StrawTable(seats)
    while table.view.phase in ("play", "lamp"):
        assert table.state.round.weight <= CAMEL_LIMIT
        given_now = any_input(table, data)
        before = table.state.round.weight
        table.give(given_now)
        now = table.state.round
        if "weight" in table.told:
            assert table.events[0].facts == {"weight": now.weight}
            assert -9 <= now.weight - before <= 10
    assert table.state.round.weight > CAMEL_LIMIT or "straw-broke" in table.told


def is_lost(state: State, kind: str) -> bool:
    """Return True if the current player loses the round with *kind*; a Lamp weighs 1."""
    step = GAME.step(state, Tap(min(piece for piece in unseen(state) if piece.kind == kind)))
    if any(isinstance(ask, NumberAsk) for ask in GAME.asks(step.state)):
        step = GAME.step(step.state, Number(1))
    return breaks(step, state.round.turn)


def breaks(step: Step[State], seat: int) -> bool:
    """Return True if *seat* breaks the camel's back and loses the round with *step*."""
    return any(event.code == "broken" and event.facts["seat"] == seat for event in step.events)


@settings(max_examples=some(40), deadline=None)
@given(seats=st.integers(2, 6), is_copier=st.booleans(), data=st.data())
def test_the_view_warns_of_the_cards_and_weights_that_lose_the_round(
    seats: int, is_copier: bool, data: st.DataObject
) -> None:
    """The cards, or weights of a Lamp, with a warning are those that lose the round."""
    table = StrawTable(seats, options={"copier-breaks": is_copier})
    while table.view.phase in ("play", "lamp"):
        if table.view.phase == "play":
            lost = {kind for kind in table.kinds if is_lost(table.state, kind)}
            assert set(table.view.warnings) & table.kinds == lost
        else:
            state, turn = table.state, table.state.round.turn
            weights = range(LAMP_LOW, LAMP_HIGH + 1)
            lost = {str(n) for n in weights if breaks(GAME.step(state, Number(n)), turn)}
            assert set(table.view.warnings) == lost
        table.give(any_input(table, data))
    assert not table.view.warnings


@settings(max_examples=some(40), deadline=None)
@given(seats=st.integers(2, 6), data=st.data())
def test_scores_are_the_values_of_the_cards_laid_down(seats: int, data: st.DataObject) -> None:
    """A round's scores add up to the printed values of all cards counted."""
    table = StrawTable(seats)
    counted = 0
    while table.view.phase != "round-over":
        given_now = any_input(table, data)
        if table.view.phase == "scoring" and isinstance(given_now, Tap):
            counted += DECK.by_name[given_now.piece.kind].value
        table.give(given_now)
    assert sum(table.view.scores) == counted


@settings(max_examples=some(20), deadline=None)
@given(seats=st.integers(2, 4), data=st.data())
def test_each_player_deals_once(seats: int, data: st.DataObject) -> None:
    """Each player deals one round, then the game is over."""
    table = StrawTable(seats)
    dealers = [table.state.dealer]
    while not table.view.is_over:
        dealing = table.view.phase == "round-over"
        table.give(any_input(table, data))
        if dealing:
            dealers.append(table.state.dealer)
    assert sorted(dealers) == [Seat(n) for n in range(seats)]


@settings(max_examples=some(40), deadline=None)
@given(seats=st.integers(2, 6), data=st.data())
def test_undo_over_any_step_names_the_card_that_was_laid(seats: int, data: st.DataObject) -> None:
    """Each undo of a tap names its card, and each undo of a draw returns the drawn card."""
    table = StrawTable(seats)
    while table.view.phase != "round-over":
        before: State = table.state
        given_now = any_input(table, data)
        table.give(given_now)
        back = GAME.put_back(before, given_now)
        named = [message.facts.get("piece") for message in back]
        assert not isinstance(given_now, Tap) or named[0] == given_now.piece
        drew = table.state.round.pile < before.round.pile
        assert drew == any(message.code == "return-drawn" for message in back)
        assert all(CASE.words.say(message) for message in back)


def test_at_45_the_weights_of_a_lamp_above_5_have_a_warning() -> None:
    state = StrawTable(3).state
    lamp = next(piece for piece in unseen(state) if piece.kind == "lamp")
    state = replace(state, phase=Phase.LAMP, lamp=lamp, round=replace(state.round, weight=45))
    assert set(GAME.view(state).warnings) == {"6", "7", "8", "9", "10"}


def test_the_words_for_a_carpet_have_its_minus_sign() -> None:
    carpets = [kind for kind in DECK.kinds if kind.name.startswith("carpet-")]
    for language in languages():
        texts = words_of(language, GAME.package)
        assert all(str(kind.value) in texts.plain(f"piece.{kind.name}") for kind in carpets)
