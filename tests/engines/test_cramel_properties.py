"""Properties of Cramel that hold in every game."""

from hypothesis import given, settings
from hypothesis import strategies as st

from engines.common.contract import (
    Button,
    Choice,
    Input,
    Number,
    Press,
    Seat,
    SeatChoice,
    Setup,
    Tap,
)
from engines.common.errors import RulesError
from engines.common.pieces import Piece
from engines.cramel import GAME
from engines.cramel.rules import State
from engines.cramel.tiles import KINDS
from tests.effort import some
from tests.engines.contract import check_refusal, values_of
from tests.engines.cramel_table import CASE, DECK, STOP, CramelTable

OPTIONS = st.fixed_dictionaries({o.name: st.sampled_from(values_of(o)) for o in GAME.options})
# Mrs. Bloom is rarer than other tiles, so that games make progress.
TILES = st.sampled_from([piece for piece in DECK.pieces() if piece.kind != "bloom"])
BLOOMS = st.sampled_from([piece for piece in DECK.pieces() if piece.kind == "bloom"])
LIKELY: st.SearchStrategy[Input] = TILES.map(Tap) | st.just(STOP) | BLOOMS.map(Tap)
PIECES = st.builds(Piece, st.sampled_from(KINDS) | st.text(max_size=8), st.integers(-2, 14))
SPOTS = st.sampled_from(["play", "hand", "box", "seat-1", "seat-2", "seat-5"])
SEATS = st.none() | st.integers(-1, 6).map(Seat)
ODD: st.SearchStrategy[Input] = (
    st.builds(Tap, PIECES, SPOTS, SEATS)
    | st.integers().map(Number)
    | st.text(max_size=5).map(Choice)
    | st.integers(-1, 6).map(lambda n: SeatChoice(Seat(n)))
    | st.sampled_from(Button).map(Press)
)


def tables(options: dict[str, bool | int | str], seats: int, dealer: int) -> CramelTable:
    """Return a table with these house rules."""
    return CramelTable(seats, dealer=dealer % seats, options=options)


@settings(max_examples=some(60), deadline=None)
@given(
    seats=st.integers(2, 5),
    dealer=st.integers(0, 4),
    options=OPTIONS,
    inputs=st.lists(LIKELY | ODD, min_size=60, max_size=150),
)
def test_every_tile_is_somewhere_and_refusals_change_nothing(
    seats: int, dealer: int, options: dict[str, bool | int | str], inputs: list[Input]
) -> None:
    """Any input is accepted or refused without another error.

    The counts always add up to 49 tiles, and tiles leave the table only at a stop.
    """
    table = tables(options, seats, dealer)
    for given_now in inputs:
        before: State = table.state
        kept = (hash(before), repr(before))
        try:
            table.give(given_now)
        except RulesError as error:
            check_refusal(CASE, error)
            assert table.state is before
        else:
            counts, was = table.counts, GAME.view(before).counts
            moved = {name for name in counts if counts[name] != was[name]}
            assert given_now == STOP or moved <= {"open", "may-move"}
            assert given_now != STOP or counts["open"] == 0
        assert (hash(before), repr(before)) == kept
        assert table.all_tiles() == DECK.total
        assert min(table.counts.values()) >= 0


@settings(max_examples=some(40), deadline=None)
@given(seats=st.integers(2, 5), options=OPTIONS, inputs=st.lists(LIKELY, min_size=60, max_size=150))
def test_what_the_headline_promises_is_what_a_stop_wins(
    seats: int, options: dict[str, bool | int | str], inputs: list[Input]
) -> None:
    table = tables(options, seats, 0)
    for given_now in inputs:
        view, before = table.view, table.state
        assert table.can_stop or not table.state.turned or not options["stop-without-set"]
        try:
            table.give(given_now)
        except RulesError:
            continue
        if given_now == STOP:
            blooms = view.counts["bloom"] - table.counts["bloom"]
            assert sum(table.view.scores) - sum(view.scores) == int(str(view.headline)) + blooms
        else:
            assert table.view.scores == view.scores
        assert before.turn == table.state.turn or not table.state.turned


@settings(max_examples=some(40), deadline=None)
@given(seats=st.integers(2, 5), options=OPTIONS, data=st.data())
def test_a_replay_leads_to_the_same_state_and_an_undo_to_the_one_before(
    seats: int, options: dict[str, bool | int | str], data: st.DataObject
) -> None:
    """Every state is rebuilt from its inputs, and every undo has instructions."""
    table, journal = tables(options, seats, 0), []
    states = [table.state]
    for given_now in data.draw(st.lists(LIKELY, min_size=40, max_size=80), label="inputs"):
        before = table.state
        try:
            table.give(given_now)
        except RulesError:
            continue
        journal.append(given_now)
        states.append(table.state)
        back = GAME.put_back(before, given_now)
        assert back
        assert all(CASE.words.say(message) for message in back)
    for length in (len(journal), data.draw(st.integers(0, len(journal)), label="undone to")):
        state = GAME.start(Setup(seats, Seat(0), DECK, options))
        for given_now in journal[:length]:
            state = GAME.step(state, given_now).state
        assert state == states[length]
        assert hash(state) == hash(states[length])


@settings(max_examples=some(30), deadline=None)
@given(seats=st.integers(2, 5), options=OPTIONS, chance=st.randoms(use_true_random=False))
def test_players_who_play_set_by_set_come_to_the_end(
    seats: int, options: dict[str, bool | int | str], chance: object
) -> None:
    """In any order of sets, 46 tiles are won, or 49 if one player alone has the most Cramels."""
    table = tables({**options, "solo": "off"}, seats, 0)  # with a goal, the game may end earlier
    sets = [kind for kind in KINDS if kind != "bloom" for _ in range(number_of_sets(table, kind))]
    chance.shuffle(sets)  # type: ignore[attr-defined] # a random.Random
    for kind in sets:
        assert not table.view.is_over
        table.tap(*[kind] * table.state.config.set_size(kind))
        table.stop()
    assert table.view.is_over
    cramels = sorted(tiles["cramel"] for tiles in table.state.won)
    is_alone = cramels[-1] > cramels[-2]
    assert sum(table.view.scores) == (49 if is_alone else 46)
    assert table.counts["bloom"] == (0 if is_alone else 3)
    best = max(table.view.scores)
    assert {table.view.scores[seat] for seat in table.view.winners} == {best}


def number_of_sets(table: CramelTable, kind: str) -> int:
    """Return the number of sets in all tiles of *kind*."""
    return DECK.by_name[kind].count // table.state.config.set_size(kind)
