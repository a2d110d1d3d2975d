"""The contract test suite: checks that every game must pass, in this project or in another.

A game installed under the entry-point group ``tapmat.games`` is tested by
``pytest tests/engines/test_contract.py`` without further code. A game that is not installed calls
``check_game(GAME)`` from a test. Neither needs a pytest fixture; the only files read are those of
the game's own package: ``deck.toml``, ``RULES.md`` and ``words/en.po``.

The suite needs Babel, which is installed with tapmat. To run it with the pinned versions of pytest
and the other test tools, run ``make tools`` in a copy of tapmat's repository, which contains this
file, and then ``.venv/bin/pytest test_my_game.py`` there.
"""

import dataclasses
import gettext
import io
import re
import string
import textwrap
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import entry_points
from importlib.resources import files
from random import Random
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from engines.common.advice import worth_of_kinds
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
from engines.common.errors import Fact, NotExpectedNow, RulesError
from engines.common.grid import SIDES, Cell, Grid, Place
from engines.common.lessons import Lessons, Moment, lessons_of
from engines.common.pieces import Deck, Kind, Piece
from engines.common.rules_card import (
    COMMON_NUMBERS,
    COMMON_PARTS,
    RulesCard,
    numbers_in,
    rules_card_of,
)
from tests.engines.topics import TOPICS

GROUP = "tapmat.games"
NAMES = ("Ann", "Ben", "Cem", "Dora", "Eszter", "Finn")
LINE, HINT_LINES, SHORT = 21, 2, 12  # OLED line (chars); hint (lines); caption or label (chars)
MARK, TALLY = 2, 3  # max. characters of a map cell's mark and of its tally
FAR = Place(99, -99)  # a place outside every map
ENOUGH = 5000  # a game played at random must end within this number of inputs
BEGINNINGS = 10  # states checked per phase and playout, each the first of its phase
SAMPLED = 0.1  # fraction of a playout's other states that are checked
FOUL = 0.02  # fraction of a playout's inputs that are fouls, when a foul is possible


OF_GAMES = frozenset(
    {Topic.NEWS, Topic.TOTAL, Topic.TURN, Topic.DIRECTION, Topic.RESULT, Topic.QUESTION}
)


# --- the files of a game's package ---------------------------------------------------------------


def installed() -> dict[str, Game[Any]]:
    """Return every installed game by its name."""
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
    """A game's English words, read and formatted as in the firmware."""

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
        """Return the text of *code*; of a plural, the form for *n*, by default the singular."""
        assert code in self.codes, f'words/en.po lacks "{code}"'
        if code in self._plurals:
            return self._texts.ngettext(code, code, 1 if n is None else n)
        return self._texts.gettext(code)

    def fill(self, code: str, facts: Mapping[str, Fact]) -> str:
        """Return the text of *code* with *facts* filled in."""
        n = facts.get("n")
        assert code not in self._plurals or isinstance(n, int), f'"{code}" needs a number n'
        text = self.text(code, n if isinstance(n, int) else None)
        named = [name for _, name, _, _ in string.Formatter().parse(text) if name]
        lacking = set(named) - set(facts)
        assert not lacking, f'the words of "{code}" name {lacking}, which are not among its facts'
        return text.format(**{name: self._fact(name, facts) for name in named})

    def _fact(self, name: str, facts: Mapping[str, Fact]) -> str:
        value = facts[name]
        if isinstance(value, Piece):
            return self.text(f"piece.{value.kind}")
        if isinstance(value, tuple):
            return ", ".join(self._counted(value))
        if isinstance(value, int):
            return NAMES[value] if name == "seat" or name.endswith("_seat") else str(value)
        others = {other: facts[other] for other in facts if other != name}
        return self.fill(f"{name}.{value}", others)

    def _counted(self, pieces: tuple[Piece, ...]) -> Iterator[str]:
        """Yield each kind of *pieces* once, with its count.

        If the kind's text has no place for a count, yield the text once for each piece.
        """
        assert pieces, "a list of no pieces reads as nothing"
        for kind, n in Counter(piece.kind for piece in pieces).items():
            text = self.text(f"piece.{kind}", n)
            yield from [text.replace("{n}", str(n))] if "{n}" in text else [text] * n

    def say(self, message: Message) -> str:
        """Return the text of *message*."""
        said = self.fill(message.code, message.facts)
        assert said.strip(), f'"{message.code}" says nothing'
        return said


@dataclass(frozen=True)
class Case:
    """A game under test, with the files of its package."""

    game: Game[Any]

    @cached_property
    def deck(self) -> Deck:
        """The game's deck."""
        return deck_of(self.game)

    @cached_property
    def words(self) -> Words:
        """The game's English words."""
        return Words(self.game.package)

    @cached_property
    def rules(self) -> str:
        """The text of the rules sheet."""
        return (files(self.game.package) / "RULES.md").read_text(encoding="utf-8")

    @cached_property
    def refusals(self) -> set[tuple[type[RulesError], frozenset[tuple[str, Fact]]]]:
        """The refusals already checked; a playout with a large deck repeats them often."""
        return set()

    @cached_property
    def topics(self) -> dict[str, Topic]:
        """The topic of each message code seen so far."""
        return {}

    def hear(self, told: Sequence[Message]) -> None:
        """Check that each message has a topic for games, and the same topic every time.

        Each message of the five games must have its topic in ``TOPICS``.
        """
        listed = TOPICS.get(self.game.name)
        for message in told:
            if listed is not None:
                assert message.topic is listed.get(message.code, Topic.NEWS), message.code
            assert message.topic in OF_GAMES, f"{message.code}: {message.topic} is the table's own"
            topic = self.topics.setdefault(message.code, message.topic)
            assert message.topic is topic, f"{message.code} is about {topic} and {message.topic}"

    def setup(self, seats: int, dealer: int = 0, **options: OptionValue) -> Setup:
        """Return a setup with the game's deck."""
        return Setup(seats, Seat(dealer), self.deck, options)

    def any_setup(self, chance: Random) -> Setup:
        """Return a setup with random seats, dealer and house rules."""
        seats = chance.choice(self.game.seats)
        options = {o.name: chance.choice(values_of(o)) for o in self.game.options}
        return Setup(seats, Seat(chance.randrange(seats)), self.deck, options)


def values_of(option: Option) -> list[OptionValue]:
    """Return the values to test of an option; of an amount, the two limits and the default."""
    match option:
        case Switch():
            return [False, True]
        case Amount(default=default, low=low, high=high):
            return sorted({low, default, high})
        case Selection(names=names):
            return list(names)


# --- the asks of a state, as inputs --------------------------------------------------------------


def offers(case: Case, asks: tuple[Ask, ...]) -> Iterator[Sequence[Input]]:
    """Yield the inputs for each thing that *asks* name; at least one of each list must be accepted.

    Only a kind of piece has several inputs, one for each copy: the asks do not say which copies are
    still unplayed.
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
    """Yield the taps for each kind that is a foul; at least one of each list must be accepted."""
    for ask in asks:
        if isinstance(ask, TapAsk):
            yield from (copies(case, ask, kind) for kind in sorted(ask.fouls))


def copies(case: Case, ask: TapAsk, kind: str) -> list[Tap]:
    """Return a tap of each copy of *kind* on the first spot that *ask* names."""
    numbers = range(1, case.deck.by_name[kind].count + 1)
    return [Tap(Piece(kind, number), ask.spots[0]) for number in numbers]


def unasked(case: Case, asks: tuple[Ask, ...], seats: int) -> Iterator[Input]:
    """Yield inputs that *asks* do not name."""
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
    """Return the first of *inputs* that *state* accepts; fail if it accepts none."""
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
    """Check the names in the package, and that deck and house rules have words."""
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


def stems(codes: Iterable[str]) -> set[str]:
    """Return *codes* without the endings of texts for children and for pages."""
    return {code.removesuffix(".page").removesuffix(".child") for code in codes}


def check_rules_card(case: Case) -> None:
    """Check that a game has a complete rules card and no text beside it, or none at all."""
    card, words = rules_card_of(case.game), case.words
    read = stems(words.codes)
    told = {code for code in read if code.startswith(("rules.", "does."))}
    if card is None:
        assert not told, "texts of a rules card, but no card"
        return
    parts, special = parts_of(case, card), special_of(case, card)
    numbers = numbers_in(words.codes)
    assert told == parts | special | {f"rules.{number}" for number in numbers}
    assert all(words.text(code) for code in told)
    sheet = {*re.findall(r"^\*\*(\d+\.\d+)\*\*", case.rules, re.MULTILINE)}
    assert set(numbers) <= sheet, "a text without a paragraph of RULES.md"
    named = {error.rule.removeprefix("RULES ") for error in refusals_of(case.game)}
    lacking = named - {*numbers, *COMMON_NUMBERS}
    assert not lacking, f"a refusal names {lacking}, which the rules card does not explain"
    assert set(card.fouls) <= words.codes
    assert set(card.fouls.values()) <= set(numbers)


def check_lessons(case: Case) -> None:
    """Check that every paragraph of RULES.md has a lesson, or a reason why it needs none."""
    lessons, words = lessons_of(case.game), case.words
    read = stems(words.codes)
    own = {code for code in read if code.startswith("lesson.")}
    if lessons is None:
        assert not own, "texts of lessons, but no lessons"
        return
    every = (*lessons.opening, *lessons.lessons)
    codes = [lesson.code for lesson in every]
    assert len(set(codes)) == len(codes), "two lessons with the same text"
    assert lessons.opening
    assert own <= set(codes), "a text that no lesson tells"
    for code in codes:
        assert words.text(code)
        assert not code.startswith("does.") or words.text(f"{code}.title")
    sheet = paragraphs(case)
    taught = {rule for lesson in every for rule in lesson.rules}
    assert taught | set(lessons.untaught) == sheet, "paragraphs of RULES.md without a lesson"
    assert not taught & set(lessons.untaught)
    assert all(reason.endswith(".") for reason in lessons.untaught.values())


def paragraphs(case: Case) -> set[str]:
    """Return the numbers of the paragraphs of RULES.md."""
    return {*re.findall(r"^\*\*(\d+\.\d+)\*\*", case.rules, re.MULTILINE)}


def parts_of(case: Case, card: RulesCard) -> set[str]:
    """Return the codes of the first page of *card*; its pictures must be of the deck."""
    assert card.parts
    codes = set()
    for part in card.parts:
        assert set(part.kinds) <= set(case.deck.by_name), part
        title = f"rules.{part.name}.title"
        assert part.name in COMMON_PARTS or title in case.words.codes, f"no heading: {part}"
        codes |= {f"rules.{part.name}", *({title} & case.words.codes)}
    return codes | ({"rules.special.title"} & case.words.codes)


def special_of(case: Case, card: RulesCard) -> set[str]:
    """Return the codes that say what the special pieces of the deck do."""
    names = {card.special(kind) for kind in case.deck.kinds} - {""}
    return {code for name in names for code in (f"does.{name}", f"does.{name}.title")}


def refusals_of(game: Game[Any]) -> Iterator[type[RulesError]]:
    """Yield the refusals that *game* defines, and those of all games."""
    below = [RulesError]
    while below:
        error = below.pop()
        below += error.__subclasses__()
        if error.__module__.startswith((game.package, "engines.common")) and hasattr(error, "rule"):
            yield error


def check_setups(case: Case) -> None:
    """Check that the game starts with every valid setup and with no other.

    Every number of seats, every dealer and every value of a house rule is tried.
    """
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
    """Check that an invalid setup raises a ValueError."""
    try:
        game.start(wrong)
    except ValueError:
        return
    raise AssertionError(f"started with {wrong}")


def check_playout(case: Case, setup: Setup, seed: int, limit: int = ENOUGH) -> bool:
    """Play a game at random, and return True if it ended within *limit* inputs.

    Every step is checked, and some states: a random sample and the first few of each phase.
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


def moments(case: Case, setup: Setup, chance: Random, limit: int = ENOUGH) -> Iterator[Moment]:
    """Play a game at random, and yield each step after which the table may tell a lesson."""
    game = case.game
    state = game.start(setup)
    for _ in range(limit):
        asks = game.asks(state)
        if not asks:
            return
        given = accepted(case, state, chance.choice(list(offers(case, asks))))
        step = game.step(state, given)
        if not step.is_foul:
            yield Moment(state, given, step.state, step.events, game.view(step.state))
        state = step.state


def lessons_in(lessons: Lessons, moments: Iterable[Moment]) -> Iterator[tuple[str, Moment]]:
    """Yield the code of each lesson that the table would tell in a game, and its moment."""
    told = set[str]()
    for moment in moments:
        if (lesson := lessons.next(moment, told)) is not None:
            told.add(lesson.code)
            yield lesson.code, moment


def fold(game: Game[Any], setup: Setup, journal: list[Input]) -> Any:
    """Return the state after all inputs of *journal*."""
    state = game.start(setup)
    for given in journal:
        state = game.step(state, given).state
    return state


def check_step(case: Case, state: Any, given: Input) -> Step[Any]:
    """Check that a step changes no earlier state, is repeatable, and has words for its messages."""
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
    """Check the cards that a step hands from player to player against the view's counts.

    Any other change of a hand must be a card that was played or drawn.
    """
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
    # Something may be asked about a played card first; the card is then counted in a later step.
    assert laid <= 1, "more left a hand than is announced"
    assert drawn == shuffled - changes["draw-pile"], "more came to a hand than is announced"


def check_state(case: Case, state: Any, seats: int) -> None:
    """Check that a state is frozen, has a valid view, and accepts exactly what it asks for."""
    before = (hash(state), repr(state))
    check_frozen(state)
    check_view(case, state, seats)
    asks = case.game.asks(state)
    for ask in asks:
        check_ask(case, ask, seats)
    assert worth_of_kinds(case.game, state).keys() <= case.deck.by_name.keys()
    for inputs in (*offers(case, asks), *fouls(case, asks)):
        given = accepted(case, state, inputs)
        if isinstance(given, Tap):
            check_seats(case, state, given)
    for wrong in unasked(case, asks, seats):
        check_refused(case, state, wrong)
    assert (hash(state), repr(state)) == before


def check_frozen(state: Any) -> None:
    """Check that a state is a frozen, hashable dataclass."""
    assert dataclasses.is_dataclass(state)
    hash(state)
    name = dataclasses.fields(state)[0].name
    try:
        setattr(state, name, None)
    except dataclasses.FrozenInstanceError:
        return
    raise AssertionError("the state can be changed")


def check_ask(case: Case, ask: Ask, seats: int) -> None:
    """Check that an ask offers at least one choice, and only kinds, seats and words that exist."""
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
    """Check that a tap is accepted from each seat asked, when the mat knows the tapping player."""
    asked = [
        ask
        for ask in case.game.asks(state)
        if isinstance(ask, TapAsk) and tap.piece.kind in ask.kinds | ask.fouls
    ]
    for seat in {seat for ask in asked for seat in ask.seats}:
        case.game.step(state, dataclasses.replace(tap, seat=seat))


def check_refused(case: Case, state: Any, wrong: Input) -> None:
    """Check that an input that was not asked for is refused."""
    try:
        case.game.step(state, wrong)
    except RulesError as error:
        check_refusal(case, error)
        return
    raise AssertionError(f"the state takes {wrong}, which it does not ask for")


def check_refusal(case: Case, error: RulesError) -> None:
    """Check a refusal: words for the cause and the remedy, and a rule listed in the rules sheet.

    For an input not expected now, the game gives only the words for the awaited input, or none. The
    firmware adds the rest of the sentence, or shows the hint.
    """
    refusal = (type(error), frozenset(error.facts.items()))
    if refusal in case.refusals:
        return
    told = [f"{error.words}.happened", f"{error.words}.do"]
    if isinstance(error, NotExpectedNow):
        told = [f"waits.{error.facts['waits']}"] if "waits" in error.facts else []
    for code in told:
        assert case.words.fill(code, error.facts).strip()
    number = error.rule.removeprefix("RULES ")
    assert re.search(rf"^\W*{re.escape(number)}\W", case.rules, re.MULTILINE), error.rule
    assert f"`{error.code}`" in case.rules, f"RULES.md does not list {error.code}"
    case.refusals.add(refusal)


def check_view(case: Case, state: Any, seats: int) -> None:
    """Check that a view has valid values and that its texts fit the screen."""
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
    best = (min if view.lowest_wins else max)(view.scores)
    assert all(view.scores[winner] == best for winner in view.winners), "see View.lowest_wins"
    assert all(count >= 0 for count in view.counts.values())
    asks = case.game.asks(state)
    assert view.is_over == (not asks)
    assert view.limit is None or re.fullmatch(r"-?\d+", str(view.headline)), "no number"
    assert view.left_out <= set(case.deck.by_name)
    taps = [ask for ask in asks if isinstance(ask, TapAsk)]
    assert not any((ask.kinds | ask.fouls) & view.left_out for ask in taps), "it is in the box"
    if view.grid is not None:
        check_grid(case, view.grid)


def check_headline(
    case: Case, headline: str | Message, caption: Message, spoken: Message | None
) -> None:
    """Check that a headline is not empty, its caption is short, and all have words."""
    for written in (headline, spoken):
        assert written != "", "an empty headline"
        assert not isinstance(written, Message) or case.words.say(written)
    assert len(case.words.say(caption)) <= SHORT


def check_grid(case: Case, grid: Grid) -> None:
    """Check that a map's places are unique, its focus is one of them, and each cell is valid."""
    places = {cell.place for cell in grid.cells}
    assert len(places) == len(grid.cells)
    assert grid.focus is None or grid.focus in places
    for cell in grid.cells:
        check_cell(case, cell)


def check_cell(case: Case, cell: Cell) -> None:
    """Check a map cell: a rectangular icon, short texts, and a piece of the deck."""
    assert set("".join(cell.icon)) <= {"#", "."}
    assert len({len(row) for row in cell.icon}) <= 1
    assert len(cell.mark) <= MARK
    assert len(cell.tally) <= TALLY
    assert cell.paths == "".join(side for side in SIDES if side in cell.paths)
    assert cell.piece is None or case.deck.holds(cell.piece)


def no_end(seats: int, seed: int) -> str:
    """Return what to do about a game that did not end, and how to play it again."""
    return (
        f"a game of {seats} players with the seed {seed} did not end within {ENOUGH} inputs "
        "played at random. Check that each round ends and that its end is announced; if a good "
        "game can be longer, raise tests.engines.contract.ENOUGH. To see it again: "
        f"check_playout(Case(GAME), Case(GAME).setup({seats}), {seed})"
    )


def check_game(game: Game[Any], playouts: int = 10) -> None:
    """Run the whole suite on *game*; call it for a game that is not installed."""
    case = Case(game)
    check_package(case)
    check_rules_card(case)
    check_lessons(case)
    check_setups(case)
    for seed in range(playouts):
        seats = game.seats[seed % len(game.seats)]
        assert check_playout(case, case.setup(seats), seed), no_end(seats, seed)
        check_playout(case, case.any_setup(Random(seed)), seed)
