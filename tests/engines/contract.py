"""The contract test suite: what every game must keep, this project's and anybody else's.

A game that is installed under the entry-point group ``tapmat.games`` is tested by
``pytest tests/engines/test_contract.py`` without a line of its own. A game that is not installed
calls ``check_game(GAME)`` from a test. Both need no pytest fixture and no file but those of the
game's own package: ``deck.toml``, ``RULES.md`` and ``words/en.po``.
"""

import dataclasses
import gettext
import io
import re
import string
import textwrap
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import entry_points
from importlib.resources import files
from random import Random
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from engines.common.contract import (
    PLAY_SPOT,
    Amount,
    Ask,
    Button,
    Choice,
    ChoiceAsk,
    Direction,
    Game,
    Input,
    Message,
    Number,
    NumberAsk,
    Option,
    OptionValue,
    PlaceAsk,
    PlaceChoice,
    Press,
    PressAsk,
    Seat,
    SeatAsk,
    SeatChoice,
    Selection,
    Setup,
    Step,
    Switch,
    Tap,
    TapAsk,
    Topic,
)
from engines.common.errors import Fact, RulesError
from engines.common.grid import SIDES, Cell, Grid, Place
from engines.common.pieces import Deck, Kind, Piece

GROUP = "tapmat.games"
NAMES = ("Ann", "Ben", "Cem", "Dora", "Eszter", "Finn")
LINE, HINT_LINES, SHORT = 21, 2, 12  # letters of an OLED line; lines of a hint; caption and label
MARK, TALLY = 2, 3  # letters in a cell of a map
FAR = Place(99, -99)  # no map is so large
ENOUGH = 5000  # inputs within which a game played at random must end
BEGINNINGS = 10  # so many states that begin a phase are checked in a playout, phase by phase
SAMPLED = 0.1  # the part of a playout's states that are checked beside these
FOUL = 0.02  # the part of a playout's inputs that are fouls, where there can be one


OF_GAMES = frozenset(
    {Topic.NEWS, Topic.TOTAL, Topic.TURN, Topic.DIRECTION, Topic.RESULT, Topic.QUESTION}
)


# --- what a game's package holds -----------------------------------------------------------------


def installed() -> dict[str, Game[Any]]:
    """Every game that is installed, by its name."""
    return {found.name: found.load() for found in entry_points(group=GROUP)}


def deck_of(game: Game[Any]) -> Deck:
    """Read the deck of *game* as its package ships it."""
    text = (files(game.package) / "deck.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    return Deck(table["game"], tuple(map(kind_of, table["kind"])), table["verified"])


def kind_of(row: Mapping[str, Any]) -> Kind:
    """Read one ``[[kind]]`` of a deck file."""
    traits = {name: value for name, value in row.items() if name not in ("name", "count", "value")}
    return Kind(row["name"], row["count"], row.get("value", 0), traits)


class Words:
    """A game's English words, read and filled in as the firmware does."""

    def __init__(self, package: str) -> None:
        with (files(package) / "words" / "en.po").open("rb") as text:
            catalog = read_po(text, locale="en", abort_invalid=True)
        compiled = io.BytesIO()
        write_mo(compiled, catalog)
        compiled.seek(0)
        self._texts = gettext.GNUTranslations(compiled)
        entries = [entry for entry in catalog if entry.id]
        self.codes = {e.id if isinstance(e.id, str) else e.id[0] for e in entries}
        self._plurals = {e.id[0] for e in entries if not isinstance(e.id, str)}

    def text(self, code: str, n: int | None = None) -> str:
        """The words of *code*, in the form for *n*, or for one."""
        assert code in self.codes, f'words/en.po lacks "{code}"'
        if code in self._plurals:
            return self._texts.ngettext(code, code, 1 if n is None else n)
        return self._texts.gettext(code)

    def fill(self, code: str, facts: Mapping[str, Fact]) -> str:
        """The words of *code* with *facts* filled in."""
        n = facts.get("n")
        assert code not in self._plurals or isinstance(n, int), f'"{code}" needs a number n'
        text = self.text(code, n if isinstance(n, int) else None)
        named = [name for _, name, _, _ in string.Formatter().parse(text) if name]
        lacking = set(named) - set(facts)
        assert not lacking, f'the words of "{code}" name {lacking}, which are not among its facts'
        return text.format(**{name: self._fact(name, facts[name]) for name in named})

    def _fact(self, name: str, value: Fact) -> str:
        if isinstance(value, Piece):
            return self.text(f"piece.{value.kind}")
        if isinstance(value, tuple):
            return ", ".join(self._counted(value))
        if isinstance(value, int):
            return NAMES[value] if name == "seat" or name.endswith("_seat") else str(value)
        return self.text(f"{name}.{value}")

    def _counted(self, pieces: tuple[Piece, ...]) -> Iterator[str]:
        """Each kind of *pieces* once, with its number; each piece, where no words count it."""
        assert pieces, "a list of no pieces reads as nothing"
        for kind, n in Counter(piece.kind for piece in pieces).items():
            text = self.text(f"piece.{kind}", n)
            yield from [text.replace("{n}", str(n))] if "{n}" in text else [text] * n

    def say(self, message: Message) -> str:
        """The words of *message*."""
        said = self.fill(message.code, message.facts)
        assert said.strip(), f'"{message.code}" says nothing'
        return said


@dataclass(frozen=True)
class Case:
    """A game under test, with what its package holds."""

    game: Game[Any]

    @cached_property
    def deck(self) -> Deck:
        """The deck."""
        return deck_of(self.game)

    @cached_property
    def words(self) -> Words:
        """The English words."""
        return Words(self.game.package)

    @cached_property
    def rules(self) -> str:
        """The rules sheet."""
        return (files(self.game.package) / "RULES.md").read_text(encoding="utf-8")

    @cached_property
    def refusals(self) -> set[tuple[type[RulesError], frozenset[tuple[str, Fact]]]]:
        """The refusals that were checked already: of large decks the same come very often."""
        return set()

    @cached_property
    def topics(self) -> dict[str, Topic]:
        """What each message that was told so far is about."""
        return {}

    def hear(self, told: Sequence[Message]) -> None:
        """Each of *told* is about what a game tells of, and about the same every time."""
        for message in told:
            assert message.topic in OF_GAMES, f"{message.code}: {message.topic} is the table's own"
            topic = self.topics.setdefault(message.code, message.topic)
            assert message.topic is topic, f"{message.code} is about {topic} and {message.topic}"

    def setup(self, seats: int, dealer: int = 0, **options: OptionValue) -> Setup:
        """A setup with this deck."""
        return Setup(seats, Seat(dealer), self.deck, options)

    def any_setup(self, chance: Random) -> Setup:
        """A setup with seats, dealer and house rules chosen by *chance*."""
        seats = chance.choice(self.game.seats)
        options = {o.name: chance.choice(values_of(o)) for o in self.game.options}
        return Setup(seats, Seat(chance.randrange(seats)), self.deck, options)


def values_of(option: Option) -> list[OptionValue]:
    """The values an option can have; of an amount the ends and the default."""
    match option:
        case Switch():
            return [False, True]
        case Amount(default=default, low=low, high=high):
            return sorted({low, default, high})
        case Selection(names=names):
            return list(names)


# --- what a state asks for, as inputs ------------------------------------------------------------


def offers(case: Case, asks: tuple[Ask, ...]) -> Iterator[Sequence[Input]]:
    """Each thing that *asks* name, as the inputs of which at least one must be accepted.

    Only a kind of piece has several: which of its copies are still to come, the mat may not tell.
    """
    for ask in asks:
        match ask:
            case TapAsk(kinds=kinds):
                yield from (copies(case, ask, kind) for kind in sorted(kinds))
            case NumberAsk(low=low, high=high):
                yield from ([Number(value)] for value in range(low, high + 1))
            case ChoiceAsk(names=names):
                yield from ([Choice(name)] for name in names)
            case SeatAsk(seats=seats):
                yield from ([SeatChoice(seat)] for seat in seats)
            case PlaceAsk(offers=places):
                yield from ([PlaceChoice(offer.place)] for offer in places)
            case PressAsk(button=button):
                yield [Press(button)]


def fouls(case: Case, asks: tuple[Ask, ...]) -> Iterator[Sequence[Input]]:
    """Each kind that *asks* take as a foul, as the inputs of which one must be accepted."""
    for ask in asks:
        if isinstance(ask, TapAsk):
            yield from (copies(case, ask, kind) for kind in sorted(ask.fouls))


def copies(case: Case, ask: TapAsk, kind: str) -> list[Tap]:
    """A tap of each piece of *kind*, where *ask* looks first."""
    numbers = range(1, case.deck.by_name[kind].count + 1)
    return [Tap(Piece(kind, number), ask.spots[0]) for number in numbers]


def unasked(case: Case, asks: tuple[Ask, ...], seats: int) -> Iterator[Input]:
    """Inputs that *asks* do not name."""
    taps = [ask for ask in asks if isinstance(ask, TapAsk)]
    kinds = {kind for ask in taps for kind in ask.kinds | ask.fouls}
    yield Tap(Piece("no-such-kind"))
    for kind in case.deck.kinds:
        spot = taps[0].spots[0] if taps else PLAY_SPOT
        yield Tap(Piece(kind.name, kind.count + 1), spot)
        yield Tap(Piece(kind.name), "no-such-spot")
        if kind.name not in kinds:
            yield Tap(Piece(kind.name), spot)
        by = {s for ask in taps if kind.name in ask.kinds | ask.fouls for s in ask.seats}
        strangers = (Seat(n) for n in range(seats) if n not in by)
        yield from (Tap(Piece(kind.name), spot, seat) for seat in strangers)
    numbers = {
        n for ask in asks if isinstance(ask, NumberAsk) for n in range(ask.low, ask.high + 1)
    }
    around = {0, 1, *(n - 1 for n in numbers), *(n + 1 for n in numbers)}
    yield from (Number(value) for value in sorted(around - numbers))
    yield Choice("no-such-choice")
    asked_seats = {seat for ask in asks if isinstance(ask, SeatAsk) for seat in ask.seats}
    yield from (SeatChoice(Seat(n)) for n in range(seats + 1) if n not in asked_seats)
    places = {o.place for ask in asks if isinstance(ask, PlaceAsk) for o in ask.offers}
    beside = {place.beside(side) for place in places for side in SIDES}
    yield from (PlaceChoice(place) for place in sorted(({Place(0, 0), FAR} | beside) - places))
    buttons = {ask.button for ask in asks if isinstance(ask, PressAsk)}
    yield from (Press(button) for button in Button if button not in buttons)


def accepted(case: Case, state: Any, inputs: Sequence[Input]) -> Input:
    """Return the first of *inputs* that *state* accepts."""
    refused: list[RulesError] = []
    for given in inputs:
        try:
            case.game.step(state, given)
        except RulesError as error:
            check_refusal(case, error)
            refused.append(error)
        else:
            return given
    raise AssertionError(f"the state asks for {inputs[0]} but refuses it: {refused}")


# --- the checks ----------------------------------------------------------------------------------


def check_package(case: Case) -> None:
    """The package names itself, and its deck and house rules have words."""
    game, words = case.game, case.words
    assert game.name == case.deck.game
    assert words.text("title")
    assert len(case.deck.by_name) == len(case.deck.kinds)
    for kind in case.deck.kinds:
        assert words.text(f"piece.{kind.name}")
    assert len({option.name for option in game.options}) == len(game.options)
    for option in game.options:
        assert words.text(f"option.{option.name}")
        assert words.text(f"option.{option.name}.help")
        assert f"`{option.name}`" in case.rules, f"RULES.md does not describe {option.name}"
        if isinstance(option, Selection):
            assert all(words.text(f"option.{option.name}.{value}") for value in option.names)


def check_setups(case: Case) -> None:
    """Every number of seats, dealer and value of a house rule starts; nothing else does."""
    game = case.game
    fewest = game.seats[0]
    for seats in game.seats:
        for dealer in range(seats):
            check_state(case, game.start(case.setup(seats, dealer)), seats)
    for option in game.options:
        assert option.accepts(option.default)
        for value in values_of(option):
            state = game.start(Setup(fewest, Seat(0), case.deck, {option.name: value}))
            check_state(case, state, fewest)
    for wrong in (
        case.setup(fewest - 1),
        case.setup(game.seats[-1] + 1),
        case.setup(fewest, fewest),
        case.setup(fewest, -1),
        Setup(fewest, Seat(0), case.deck, {"no-such-option": True}),
        *(Setup(fewest, Seat(0), case.deck, {o.name: "no such value"}) for o in game.options),
    ):
        check_no_start(game, wrong)


def check_no_start(game: Game[Any], wrong: Setup) -> None:
    """A setup the game cannot have is refused with a ValueError."""
    try:
        game.start(wrong)
    except ValueError:
        return
    raise AssertionError(f"started with {wrong}")


def check_playout(case: Case, setup: Setup, seed: int, limit: int = ENOUGH) -> bool:
    """Play at random; whether the game ended within *limit*.

    Every step is checked, and of the states those that begin a phase and a sample of the rest.
    """
    game, chance = case.game, Random(seed)
    state, phase, begun = game.start(setup), "", Counter[str]()
    assert all(case.words.say(message) for message in game.opening(state))
    case.hear(game.opening(state))
    journal: list[Input] = []
    while len(journal) < limit and (asks := game.asks(state)):
        check_view(case, state, setup.seats)
        phase, before = game.view(state).phase, phase
        begun[phase] += phase != before
        is_new = phase != before and begun[phase] <= BEGINNINGS
        if is_new or chance.random() < SAMPLED:
            check_state(case, state, setup.seats)
        wrong = list(fouls(case, asks))
        is_foul = bool(wrong) and chance.random() < FOUL
        given = accepted(case, state, chance.choice(wrong if is_foul else list(offers(case, asks))))
        step = check_step(case, state, given)
        journal.append(given)
        state = step.state
    check_state(case, state, setup.seats)
    assert fold(game, setup, journal) == state
    return game.view(state).is_over


def fold(game: Game[Any], setup: Setup, journal: list[Input]) -> Any:
    """The state after *journal*."""
    state = game.start(setup)
    for given in journal:
        state = game.step(state, given).state
    return state


def check_step(case: Case, state: Any, given: Input) -> Step[Any]:
    """A step changes nothing it was given, gives the same again, and all it tells has words."""
    before = (hash(state), repr(state))
    step = case.game.step(state, given)
    again = case.game.step(state, given)
    assert step == again
    assert step.events or not step.is_foul, "a foul says what was wrong"
    check_handed(case, state, step)
    case.hear(step.events)
    assert hash(step.state) == hash(again.state)
    for message in (*step.events, *case.game.put_back(state, given)):
        assert case.words.say(message)
    assert (hash(state), repr(state)) == before
    return step


def check_handed(case: Case, state: Any, step: Step[Any]) -> None:
    """Cards change hands as the referee counts them; what else changed was laid, or drawn."""
    if not step.handed:
        return
    before, after = case.game.view(state).counts, case.game.view(step.state).counts
    changes = Counter({place: after[place] - before[place] for place in before})
    for handed in step.handed:
        assert handed.count > 0
        assert handed.giver != handed.receiver
        changes[f"hand-{handed.giver + 1}"] += handed.count
        changes[f"hand-{handed.receiver + 1}"] -= handed.count
    rest = [cards for place, cards in changes.items() if place.startswith("hand-")]
    laid = -sum(cards for cards in rest if cards < 0)
    drawn = sum(cards for cards in rest if cards > 0)
    shuffled = laid - changes["discard"] if "discard" in before else 0
    # A card may be laid before the step that it counts in, while something about it is asked.
    assert laid <= 1, "more left a hand than is told"
    assert drawn == shuffled - changes["draw-pile"], "more came to a hand than is told"


def check_state(case: Case, state: Any, seats: int) -> None:
    """A state is frozen, shows itself, accepts what it asks for and refuses everything else."""
    before = (hash(state), repr(state))
    check_frozen(state)
    check_view(case, state, seats)
    asks = case.game.asks(state)
    for ask in asks:
        check_ask(case, ask, seats)
    for inputs in (*offers(case, asks), *fouls(case, asks)):
        given = accepted(case, state, inputs)
        if isinstance(given, Tap):
            check_seats(case, state, given)
    for wrong in unasked(case, asks, seats):
        check_refused(case, state, wrong)
    assert (hash(state), repr(state)) == before


def check_frozen(state: Any) -> None:
    """A state is a frozen dataclass and can be hashed."""
    assert dataclasses.is_dataclass(state)
    hash(state)
    name = dataclasses.fields(state)[0].name
    try:
        setattr(state, name, None)
    except dataclasses.FrozenInstanceError:
        return
    raise AssertionError("the state can be changed")


def check_ask(case: Case, ask: Ask, seats: int) -> None:
    """An ask names something, and only what the table has."""
    match ask:
        case TapAsk(kinds=kinds, seats=asked, spots=spots, fouls=wrong):
            assert kinds | wrong <= set(case.deck.by_name)
            assert not kinds & wrong
            assert asked
            assert spots
            assert set(asked) <= set(range(seats))
        case NumberAsk(low=low, high=high, start=start):
            assert low <= start <= high
        case ChoiceAsk(names=names):
            assert names
            assert all(case.words.text(f"choice.{name}") for name in names)
        case SeatAsk(seats=asked):
            assert asked
            assert set(asked) <= set(range(seats))
        case PlaceAsk(offers=places, start=start):
            assert start in range(len(places))
            assert len({offer.place for offer in places}) == len(places)
            for offer in places:
                check_headline(case, offer.headline, offer.caption, offer.spoken)
                assert offer.cell is None or offer.cell.place == offer.place
                if offer.cell is not None:
                    check_cell(case, offer.cell)
        case PressAsk(label=label, facts=facts):
            assert len(case.words.fill(f"label.{label}", facts)) <= SHORT


def check_seats(case: Case, state: Any, tap: Tap) -> None:
    """A tap is taken from the seats asked when the mat knows whose it is."""
    asked = [
        ask
        for ask in case.game.asks(state)
        if isinstance(ask, TapAsk) and tap.piece.kind in ask.kinds | ask.fouls
    ]
    for seat in {seat for ask in asked for seat in ask.seats}:
        case.game.step(state, dataclasses.replace(tap, seat=seat))


def check_refused(case: Case, state: Any, wrong: Input) -> None:
    """An input that was not asked for is refused."""
    try:
        case.game.step(state, wrong)
    except RulesError as error:
        check_refusal(case, error)
        return
    raise AssertionError(f"the state takes {wrong}, which it does not ask for")


def check_refusal(case: Case, error: RulesError) -> None:
    """A refusal says what happened, what to do, and a rule that the rules sheet has."""
    refusal = (type(error), frozenset(error.facts.items()))
    if refusal in case.refusals:
        return
    for part in ("happened", "do"):
        assert case.words.fill(f"{error.code}.{part}", error.facts).strip()
    number = error.rule.removeprefix("RULES ")
    assert re.search(rf"^\W*{re.escape(number)}\W", case.rules, re.MULTILINE), error.rule
    assert f"`{error.code}`" in case.rules, f"RULES.md does not list {error.code}"
    case.refusals.add(refusal)


def check_view(case: Case, state: Any, seats: int) -> None:
    """A view fits the table and the screen."""
    view, words = case.game.view(state), case.words
    check_headline(case, view.headline, view.caption, view.spoken)
    hint = words.say(view.hint)
    assert len(textwrap.wrap(hint, LINE)) <= HINT_LINES, hint
    assert words.text(f"phase.{view.phase}")
    assert len(view.scores) == seats
    assert view.turn is None or view.turn in range(seats)
    assert view.direction is None or words.text(f"direction.{view.direction.value}")
    assert view.direction is None or isinstance(view.direction, Direction)
    assert all(winner in range(seats) for winner in view.winners)
    assert all(count >= 0 for count in view.counts.values())
    asks = case.game.asks(state)
    assert view.is_over == (not asks)
    assert view.left_out <= set(case.deck.by_name)
    taps = [ask for ask in asks if isinstance(ask, TapAsk)]
    assert not any((ask.kinds | ask.fouls) & view.left_out for ask in taps), "it is in the box"
    if view.grid is not None:
        check_grid(case, view.grid)


def check_headline(
    case: Case, headline: str | Message, caption: Message, spoken: Message | None
) -> None:
    """A headline is not empty, its caption is short, and a voice has words for it."""
    for written in (headline, spoken):
        assert written != "", "an empty headline"
        assert not isinstance(written, Message) or case.words.say(written)
    assert len(case.words.say(caption)) <= SHORT


def check_grid(case: Case, grid: Grid) -> None:
    """A map has no cell twice, its focus is on it, and each cell can be drawn."""
    places = {cell.place for cell in grid.cells}
    assert len(places) == len(grid.cells)
    assert grid.focus is None or grid.focus in places
    for cell in grid.cells:
        check_cell(case, cell)


def check_cell(case: Case, cell: Cell) -> None:
    """A cell's icon is a rectangle of dots, its letters are few, its piece is of the deck."""
    assert set("".join(cell.icon)) <= {"#", "."}
    assert len({len(row) for row in cell.icon}) <= 1
    assert len(cell.mark) <= MARK
    assert len(cell.tally) <= TALLY
    assert cell.paths == "".join(side for side in SIDES if side in cell.paths)
    assert cell.piece is None or case.deck.holds(cell.piece)


def check_game(game: Game[Any], playouts: int = 10) -> None:
    """Run the whole suite over *game*; for a game that is not installed."""
    case = Case(game)
    check_package(case)
    check_setups(case)
    for seed in range(playouts):
        seats = game.seats[seed % len(game.seats)]
        assert check_playout(case, case.setup(seats), seed), "the game does not end"
        check_playout(case, case.any_setup(Random(seed)), seed)
