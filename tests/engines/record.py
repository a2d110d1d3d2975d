"""A record of games played at random: what each game shows, asks, says and refuses, step by step.

A record names texts by their codes, so it does not depend on the words of a language. It has the
steps that show something new, such as a message or a refusal that was recorded fewer than
``OFTEN`` times.
"""

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any

from engines.common.contract import (
    Ask,
    Choice,
    ChoiceAsk,
    HandTransfer,
    Input,
    Message,
    Number,
    NumberAsk,
    Offer,
    PlaceAsk,
    PlaceChoice,
    Press,
    PressAsk,
    SeatAsk,
    SeatChoice,
    Setup,
    Tap,
    TapAsk,
    View,
)
from engines.common.errors import Fact, RulesError
from engines.common.grid import Cell
from tests.engines.contract import ENOUGH, Case, fouls, offers, unasked

OFTEN = 2  # the number of times that the same thing is recorded
GAMES = 8  # the number of games in a record
INPUTS = 400  # the greatest number of inputs in a game, except the first one
EVEN = 0.3  # fraction of inputs drawn from those for one ask, so that all asks are chosen
FOUL = 0.1  # fraction of a game's inputs that are fouls, when a foul is possible


def record_of(case: Case) -> str:
    """Return the record of ``GAMES`` games, the first with the default house rules."""
    known = Counter[str]()
    lines = (line for seed in range(GAMES) for line in game_lines(case, seed, known))
    return "".join(f"{line}\n" for line in lines)


def game_lines(case: Case, seed: int, known: Counter[str]) -> Iterator[str]:
    """Yield the lines of one game; *known* counts what is recorded already, by what it is."""
    game, chance = case.game, Random(seed)
    setup = case.any_setup(chance) if seed else case.setup(game.seats[0])
    state, drawn = game.start(setup), set[Cell]()
    yield f"game {seed}: {setup.seats} seats, dealer {setup.dealer}{words(setup.options)}"
    yield from (f"  opening {text(message)}" for message in game.opening(state))
    for number in range(INPUTS if seed else ENOUGH):
        view, asks = game.view(state), game.asks(state)
        new = is_new(known, [f"{view.phase} {shape(view.hint)} {shape(view.caption)}"])
        if not asks:
            yield from [f" {number}: the end", *view_lines(view, drawn)] if new else []
            return
        given = first_accepted(case, state, chance.choice(some_inputs(case, asks, chance)))
        step, outcome = game.step(state, given), outcome_lines(case, state, given, known)
        if outcome or new:
            yield f" {number}: {input_text(given)}"
            yield from view_lines(view, drawn)
            yield from map(ask_text, asks)
            yield from outcome
            yield from refusal_lines(case, state, setup, known)
            yield from other_lines(case, state, known)
        state = step.state


def some_inputs(case: Case, asks: tuple[Ask, ...], chance: Random) -> list[Sequence[Input]]:
    """Return the inputs to choose from: fouls, the inputs for one of *asks*, or those for all."""
    wrong = list(fouls(case, asks))
    if wrong and chance.random() < FOUL:
        return wrong
    few = list(offers(case, (chance.choice(asks),))) if chance.random() < EVEN else []
    return few or list(offers(case, asks))


def is_new(known: Counter[str], things: Iterable[str]) -> bool:
    """Count *things*; return True if one of them was counted fewer than ``OFTEN`` times before."""
    found = [thing for thing in dict.fromkeys(things) if known[thing] < OFTEN]
    known.update(found)
    return bool(found)


def first_accepted(case: Case, state: Any, inputs: Iterable[Input]) -> Input:
    """Return the first of *inputs* that *state* accepts."""
    for given in inputs:
        try:
            case.game.step(state, given)
        except RulesError:
            continue
        return given
    raise AssertionError("the state asks for an input but refuses it")


def outcome_lines(case: Case, state: Any, given: Input, known: Counter[str]) -> list[str]:
    """Return the lines about the step after *given*; none if it shows nothing new."""
    step, back = case.game.step(state, given), case.game.put_back(state, given)
    if not is_new(known, [shape(message) for message in (*step.events, *back)]):
        return []
    events = [f"  event {text(message)}" for message in step.events]
    backs = [f"  back {text(message)}" for message in back]
    return [*events, *backs, *map(handed_text, step.handed), *(["  foul"] if step.is_foul else [])]


def other_lines(case: Case, state: Any, known: Counter[str]) -> Iterator[str]:
    """Yield the lines about each other input that *state* accepts, if they show anything new."""
    asks = case.game.asks(state)
    for inputs in (*offers(case, asks), *fouls(case, asks)):
        given = first_accepted(case, state, inputs)
        if outcome := outcome_lines(case, state, given, known):
            yield f"  or {input_text(given)}:"
            yield from outcome


def refusal_lines(case: Case, state: Any, setup: Setup, known: Counter[str]) -> Iterator[str]:
    """Yield a line for each new refusal of an input that *state* does not ask for."""
    phase, asks = case.game.view(state).phase, case.game.asks(state)
    for given in unasked(case, asks, setup.seats):
        try:
            case.game.step(state, given)
        except RulesError as error:
            if is_new(known, [f"{phase} {type(error).__name__} {sorted(error.facts)}"]):
                named = " ".join(dict.fromkeys((error.code, error.words, error.rule)))
                yield f"  refuses {input_text(given)}: {named}{words(error.facts)}"


# --- lines ---------------------------------------------------------------------------------------


def view_lines(view: View, drawn: set[Cell]) -> Iterator[str]:
    """Yield the lines of a view. Of its map, *drawn* are the cells that need no line any more."""
    headline, caption, spoken = map(text, (view.headline, view.caption, view.spoken))
    yield f"  view {view.phase}: {headline} | {caption} | {spoken}"
    turn = f"turn {view.turn}, {view.direction}, limit {view.limit}, winners {view.winners}"
    yield f"  hint {text(view.hint)}; scores {view.scores}, {turn}"
    yield f"  counts{words({name: n for name, n in view.counts.items() if n})}"
    if view.left_out:
        yield f"  left out {some(view.left_out)}"
    if view.grid is not None:
        new = [cell for cell in view.grid.cells if cell not in drawn]
        drawn.update(new)
        cells = f"{len(view.grid.cells)} cells, new: {'; '.join(map(cell_text, new))}"
        yield f"  map {view.grid.focus}: {cells}"


def cell_text(cell: Cell) -> str:
    """Return a cell of a map, with a checksum of its drawing."""
    drawn = f"{zlib.crc32(' '.join(cell.icon).encode()):08x}" if cell.icon else ""
    lit = "lit" if cell.is_lit else ""
    parts = (str(cell.place), cell.mark, cell.tally, cell.paths, text(cell.piece), drawn, lit)
    return " ".join(filter(None, parts))


def ask_text(ask: Ask) -> str:
    """Return an ask in one line; of the kinds of a tap, their number, the first and the last."""
    match ask:
        case TapAsk(kinds=kinds, seats=seats, spots=spots, fouls=wrong):
            race = "race " if ask.is_race else ""
            return f"  ask {race}tap {some(kinds)}, fouls {some(wrong)}, by {seats} on {spots}"
        case NumberAsk(low=low, high=high, start=start):
            return f"  ask number {low}..{high}, at {start}"
        case ChoiceAsk(names=names):
            return f"  ask choice {' '.join(names)}"
        case SeatAsk(seats=seats):
            return f"  ask seat {seats}"
        case PlaceAsk(offers=places, start=start):
            return f"  ask place, at {start}: {'; '.join(map(offer_text, places))}"
        case PressAsk(button=button, label=label, sensor=sensor):
            return f"  ask press {button.name} {label}{words(ask.facts)} {sensor}"


def some(kinds: frozenset[str]) -> str:
    """Return the number of *kinds*, and the first and the last one."""
    return " ".join((str(len(kinds)), *sorted(kinds)[:1], *sorted(kinds)[1:][-1:]))


def offer_text(offer: Offer) -> str:
    """Return an offer of a place."""
    cell = "" if offer.cell is None else cell_text(offer.cell)
    return f"{offer.place} {text(offer.headline)} {text(offer.caption)} {text(offer.spoken)} {cell}"


def handed_text(handed: HandTransfer) -> str:
    """Return a transfer of cards."""
    return f"  hands {handed.giver} to {handed.receiver}: {handed.count}"


def input_text(given: Input) -> str:
    """Return an input."""
    match given:
        case Tap(piece=piece, spot=spot, seat=seat):
            return f"tap {piece} on {spot}" + ("" if seat is None else f" by {seat}")
        case Number(value=value):
            return f"number {value}"
        case Choice(name=name):
            return f"choice {name}"
        case SeatChoice(seat=seat):
            return f"seat {seat}"
        case PlaceChoice(place=place):
            return f"place {place}"
        case Press(button=button):
            return f"press {button.name}"


def shape(message: Message) -> str:
    """Return the code of *message* and the names of its facts."""
    return " ".join((message.code, *sorted(message.facts)))


def text(value: Message | Fact | None) -> str:
    """Return a message or a fact."""
    if isinstance(value, Message):
        return f"{value.code}{words(value.facts)}"
    if isinstance(value, tuple):
        return "+".join(map(str, value))
    return "" if value is None else str(value)


def words(facts: Any) -> str:
    """Return *facts* in the order of their names, or "" if there are none."""
    named = " ".join(f"{name}={text(facts[name])}" for name in sorted(facts))
    return f" ({named})" if named else ""
