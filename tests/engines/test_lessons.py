"""The lessons of each game are told only when their rules matter.

Random games are played with any house rules. For each lesson that the table tells in them, a check
written from RULES.md, and not from the lesson's condition, says if the rule mattered. It looks at
the input, at the states before and after it, and at what the game asks for next. Some games have a
small deck, so that cards run out and games end early.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from engines.common.contract import (
    Choice,
    ChoiceAsk,
    Input,
    Press,
    PressAsk,
    Seat,
    Setup,
    Tap,
    TapAsk,
)
from engines.common.lessons import Lesson, Lessons, Moment, lessons_of
from engines.common.pieces import Piece
from engines.common.rules_card import rules_card_of
from tests.effort import some
from tests.engines.ciao_table import CiaoTable
from tests.engines.contract import Case, installed, lessons_in, moments

GAMES = 60  # played for each game at full effort
INPUTS = 800  # of a game at most

Check = Callable[["After"], bool]


class After:
    """The situation after an input, as the checks see it."""

    def __init__(self, case: Case, moment: Moment, options: Mapping[str, Any]) -> None:
        self.before, self.given, self.state = moment.before, moment.given, moment.state
        self.options = {option.name: option.default for option in case.game.options} | {**options}
        self.asks = case.game.asks(self.state)

    @property
    def kind(self) -> str:
        """The kind of the piece that was tapped, or ""."""
        return "" if self.piece is None else self.piece.kind

    @property
    def piece(self) -> Piece | None:
        """The piece that was tapped, or None."""
        return self.given.piece if isinstance(self.given, Tap) else None

    @property
    def names(self) -> set[str]:
        """The names of the answers to choose from."""
        return {name for ask in self.asks if isinstance(ask, ChoiceAsk) for name in ask.names}

    @property
    def taps(self) -> list[TapAsk]:
        """The requests for pieces."""
        return [ask for ask in self.asks if isinstance(ask, TapAsk)]

    @property
    def fouls(self) -> set[str]:
        """The kinds that may be laid, but are wrong."""
        return {kind for ask in self.taps for kind in ask.fouls}

    def button(self, label: str) -> PressAsk | None:
        """Return the request for a button with *label*, or None."""
        presses = (ask for ask in self.asks if isinstance(ask, PressAsk))
        return next((press for press in presses if press.label == label), None)


def told(case: Case, seed: int, small: Mapping[str, int]) -> Iterator[tuple[str, After]]:
    """Play a game at random, and yield each lesson that the table would tell, with the situation.

    Every second game has random house rules. Every third game has the deck *small*, the number of
    pieces of each kind, and as few players as possible.
    """
    chance, lessons = Random(seed), lessons_of(case.game)
    assert lessons is not None
    setup = case.any_setup(chance)
    setup = setup if seed % 2 else case.setup(setup.seats)
    if seed % 3 == 2:
        kinds = (replace(kind, count=small.get(kind.name, 0)) for kind in case.deck.kinds)
        deck = replace(case.deck, kinds=tuple(kind for kind in kinds if kind.count))
        setup = Setup(case.game.seats[0], Seat(0), deck, setup.options)
    for code, moment in lessons_in(lessons, moments(case, setup, chance, INPUTS)):
        yield code, After(case, moment, setup.options)


def check_told(name: str, checks: Mapping[str, Check], small: Mapping[str, int]) -> None:
    """Check each lesson that is told in random games of the game *name* (see ``told``)."""
    case = Case(installed()[name])
    lessons = lessons_of(case.game)
    assert lessons is not None
    assert set(checks) == {lesson.code for lesson in lessons.lessons}
    for seed in range(some(GAMES)):
        for code, after in told(case, seed, small):
            assert after.asks, f"{code} was told at the end of the game, seed {seed}"
            if not checks[code](after):
                pytest.fail(f"{code} did not matter, seed {seed}: {after.given}\n{after.state}")


TAUGHT = sorted(name for name, game in installed().items() if lessons_of(game) is not None)


@pytest.mark.parametrize("name", TAUGHT)
def test_a_lesson_is_about_a_piece_that_everybody_has_seen(name: str) -> None:
    """The piece was tapped before, and an effect is told at a piece that has this effect."""
    case = Case(installed()[name])
    lessons, card = lessons_of(case.game), rules_card_of(case.game)
    assert lessons is not None
    assert card is not None
    at_piece = {each.code for each in lessons.lessons if each.about is not Lesson("", ()).about}
    about: set[str] = set()
    mattered: set[str] = set()
    for seed in range(some(GAMES)):
        tapped: set[Piece] = set()
        for moment in moments(case, case.any_setup(Random(seed)), Random(seed), INPUTS):
            tapped |= {moment.given.piece} if isinstance(moment.given, Tap) else set()
            for lesson in (each for each in lessons.lessons if each.matters(moment)):
                piece = lesson.about(moment)
                mattered |= at_piece & {lesson.code}
                if piece is None:
                    continue
                about.add(lesson.code)
                assert piece in tapped, f"{lesson.code}, seed {seed}: {piece}"
                if lesson.code.startswith("does."):
                    effect = card.special(case.deck.by_name[piece.kind])
                    # By a house rule of Ciao!, players name the special of a plain card.
                    assert effect in ("", lesson.code.removeprefix("does.")), (
                        f"seed {seed}: {piece}"
                    )
    assert about == mattered, "each of these is told at a piece"


# --- Ciao! ---------------------------------------------------------------------------------------

WITH_COLOURS = ("full", "colours")  # variants in which colours count. RULES 9.1
LOSES_TO = {"paper": "rock", "rock": "scissors", "scissors": "paper"}  # RULES 4.2
STRENGTH = {"green": 1, "yellow": 2, "red": 3}  # RULES 4.3


def special_on(state: Any) -> str:
    """Return the special of the top card, printed or named (RULES 6.2); "" if it has none."""
    top = state.round.last
    named = dict(state.named).get(top)
    return named or "".join(top.kind.split("-")[2:])


def is_new(after: After) -> bool:
    """Return True if another card is on top now."""
    return bool(after.state.round.last != after.before.round.last)


def draws_three(after: After) -> bool:
    """Return True if three cards can be drawn (RULES 3.7)."""
    now, shuffles = after.state.round, after.options["empty-pile"] == "reshuffle"
    return bool(now.pile + shuffles * (len(now.discards) - 1) >= 3)


def grown(after: After) -> list[int]:
    """Return the seats with more cards than before."""
    hands = enumerate(zip(after.before.round.hands, after.state.round.hands, strict=True))
    return [seat for seat, (old, new) in hands if new > old]


def winner_of_race(after: After) -> int:
    """Return the player who laid a card in the race: of two players, the one who did not begin it.

    Of more players, it is the one with fewer cards than before.
    """
    if len(after.state.round.hands) == 2:
        return 1 - int(after.before.round.turn)
    hands = enumerate(zip(after.before.round.hands, after.state.round.hands, strict=True))
    (winner,) = [seat for seat, (old, new) in hands if new < old]
    return winner


def to_beat(after: After) -> tuple[str, str]:
    """Return the symbol and the colour to beat, from what the table shows."""
    top = after.state.round.top
    return top.symbol, top.colour


def fouls_by_symbol(after: After) -> set[str]:
    """Return the wrong cards whose symbol loses to the one to beat (RULES 4.2, 4.4)."""
    symbol, _ = to_beat(after)
    return {kind for kind in after.fouls if kind.split("-")[0] == LOSES_TO[symbol]}


def can_be_beaten_by_colour(after: After) -> bool:
    """Return True if a card with the symbol to beat can be right (RULES 4.3)."""
    return after.button("take") is None and STRENGTH[to_beat(after)[1]] < STRENGTH["red"]


def loses_in_spite_of_colour(after: After) -> bool:
    """Return True if a card of a losing symbol is as strong as the one to beat (RULES 4.4)."""
    symbol, colour = to_beat(after)
    losing = (piece.kind.split("-") for piece in after.state.config.pieces)
    strong = [card for card in losing if STRENGTH.get(card[-1], 0) >= STRENGTH[colour]]
    return after.button("take") is None and any(card[0] == LOSES_TO[symbol] for card in strong)


def is_taught_colour(after: After) -> bool:
    return after.options["variant"] in WITH_COLOURS and after.button("take") is None


def owed(after: After) -> int:
    """Return the number of cards that the current player owes, or 0."""
    press = after.button("take")
    return 0 if press is None else int(str(press.facts["n"]))


def named_joker(after: After) -> bool:
    """Return True if a joker's symbol was named and the joker's own colour must be beaten."""
    family, _, colour = after.state.round.last.kind.partition("-")
    is_named = after.given in (Choice("rock"), Choice("paper"), Choice("scissors"))
    return family == "joker" and is_named and to_beat(after)[1] == colour


def begins_race(after: After) -> bool:
    """Return True if all but the player of a new speed card may lay the next card (RULES 6.4)."""
    seats = {seat for ask in after.taps for seat in ask.seats if ask.is_race}
    others = set(range(len(after.state.round.hands))) - {after.state.round.turn}
    return special_on(after.state) == "speed" and is_new(after) and seats == others


def goes_on_from_winner(after: After) -> bool:
    """Return True if a race was just won, and its winner's neighbour is next (RULES 6.5)."""
    step = 1 if after.state.round.direction.value == "clockwise" else -1
    seats, winner = len(after.state.round.hands), winner_of_race(after)
    is_won = special_on(after.before) == "speed" and winner != after.before.round.turn
    return is_won and is_new(after) and after.state.round.turn == (winner + step) % seats


def must_beat_own(after: After) -> bool:
    """Return True if a player has chosen again and must beat the own card (RULES 6.3)."""
    is_same = after.state.round.turn == after.before.round.turn
    is_again = after.given == Choice("again") and special_on(after.before) == "again"
    return is_same and is_again and bool(after.fouls) and not is_new(after)


def may_hold_obstacle(after: After) -> bool:
    """Return True if cards have come into a hand, and one may be an obstacle (RULES 5.3)."""
    return after.options["variant"] == "full" and (
        bool(grown(after)) or special_on(after.state) == "swap"
    )


CIAO: Mapping[str, Check] = {
    "rules.5.1": lambda a: named_joker(a) and is_taught_colour(a),
    "does.joker": lambda a: "joker" in a.state.round.last.kind and "rock" in a.names,
    "does.speed": begins_race,
    "rules.8.4": lambda a: (
        begins_race(a) and draws_three(a) and a.options["race-penalty"] and a.options["race-out"]
    ),
    "rules.6.3": lambda a: must_beat_own(a) and a.options["again-must-beat"],
    "does.again": lambda a: special_on(a.state) == "again" and "again" in a.names,
    "lesson.debt": lambda a: special_on(a.state) == "plus3" and owed(a) >= 6,
    "does.plus3": lambda a: (
        owed(a) == 3 and is_new(a) and draws_three(a) and not a.options["plus3-must-beat"]
    ),
    "lesson.race": goes_on_from_winner,
    "does.give": lambda a: special_on(a.state) == "give",
    "does.swap": lambda a: special_on(a.state) == "swap",
    "rules.8.5": lambda a: "thanked" in a.names and bool(grown(a)) and draws_three(a),
    "rules.7.1": lambda a: (
        1 in a.state.round.hands and a.options["variant"] != "symbols"
        and a.options["swap-goes-out"] and bool(a.taps)
    ),
    "lesson.hand": lambda a: a.options["scoring"] and a.button("hand-done") is not None,
    "lesson.points": lambda a: a.options["scoring"] and a.button("hand-done") is not None,
    "lesson.won": lambda a: a.options["scoring"] and a.button("next-round") is not None,
    "rules.3.4": lambda a: (
        grown(a) == [a.state.round.turn] and isinstance(a.given, Press)
        and a.button("pass") is not None and a.options["only-drawn-card"]
    ),
    "does.obstacle": may_hold_obstacle,
    "rules.symbols": lambda a: bool(fouls_by_symbol(a)) and not owed(a),
    "rules.colours": lambda a: is_taught_colour(a) and can_be_beaten_by_colour(a),
    "rules.8.1": lambda a: bool(a.fouls) and not owed(a) and draws_three(a),
    "rules.4.4": lambda a: is_taught_colour(a) and loses_in_spite_of_colour(a),
}  # fmt: skip


def test_lessons_of_ciao_are_told_when_their_rules_matter() -> None:
    plain = (f"{symbol}-{colour}" for symbol in LOSES_TO for colour in STRENGTH)
    specials = ("again", "speed", "plus3", "give", "swap")
    special = (f"paper-green-{special}" for special in specials)
    small = dict.fromkeys((*plain, *special, "obstacle"), 1) | {"joker-green": 3, "joker-red": 2}
    check_told("ciao", CIAO, small)


@pytest.mark.parametrize(("kind", "cards"), [("rock-green-give", 2), ("rock-green-swap", 1)])
def test_a_card_of_ciao_that_ends_the_game_teaches_nothing(kind: str, cards: int) -> None:
    """Of two players, one gives the last card away, or swaps it for the other's hand."""
    table = CiaoTable(2, options={"swap-goes-out": False}).hold(cards, 7)
    moment = moment_after(table, Tap(Piece(kind)))
    assert table.view.is_over
    assert lessons_of_ciao().next(moment, set()) is None


@pytest.mark.parametrize(
    ("players", "inputs", "code"),
    [
        (3, [Tap(Piece("rock-green-again")), Choice("again")], "rules.6.3"),
        (2, [Tap(Piece("rock-green-give"))], "does.give"),
        (3, [Tap(Piece("rock-green-give"))], "does.give"),
        (2, [Tap(Piece("rock-green-swap"))], "does.swap"),
        (3, [Tap(Piece("rock-green-swap"))], "does.swap"),
    ],
)
def test_a_special_of_ciao_is_taught_when_it_works(
    players: int, inputs: list[Input], code: str
) -> None:
    """Of two players, nobody is asked for the other one (RULES 6.9)."""
    table = CiaoTable(players)
    *_, last = [moment_after(table, given) for given in inputs]
    assert code in {lesson.code for lesson in lessons_of_ciao().lessons if lesson.matters(last)}


def lessons_of_ciao() -> Lessons:
    lessons = lessons_of(installed()["ciao"])
    assert lessons is not None
    return lessons


def moment_after(table: CiaoTable, given: Input) -> Moment:
    """Give the table's game *given*; return the moment after it."""
    before = table.state
    table.give(given)
    return Moment(before, given, table.state, table.events, table.view)


# --- Cramel --------------------------------------------------------------------------------------

SETS = {"roby": 1, "jane": 2, "helena": 2, "el-el": 3, "ring-box": 4}  # RULES 4.1


def set_of(after: After) -> int:
    """Return the number of tiles in a set of the kind that was tapped (RULES 4.1, 4.3)."""
    return {**SETS, "gol": int(after.options["gol-set"])}[after.kind]


def open_tiles(state: Any) -> Counter[str]:
    return Counter(piece.kind for piece in state.turned)


def is_opened(after: After, *kinds: str) -> bool:
    """Return True if a tile of one of *kinds* was turned over, and the turn goes on."""
    return after.kind in kinds and after.piece in after.state.turned


def gain(after: After, kind: str = "") -> int:
    """Return how many tiles the last player has won by stopping; of *kind*, if it is given."""
    seat = after.before.turn
    old, new = after.before.won[seat], after.state.won[seat]
    return int(new[kind] - old[kind] if kind else new.total - old.total)


def has_stopped(after: After) -> bool:
    """Return True if a player has stopped."""
    return isinstance(after.given, Press) and not after.state.turned


def left_to_win(after: After) -> int:
    """Return the number of tiles on the table that are no Blooms."""
    return sum(after.state.left[kind] for kind in (*SETS, "gol", "cramel"))


def is_whole(after: After) -> bool:
    """Return True if all tiles but the three Blooms can be won (RULES 7.1)."""
    box = {kind.name: kind.count for kind in after.state.config.deck.kinds}
    sizes = {**SETS, "gol": int(after.options["gol-set"])}
    return box["bloom"] == 3 and not any(box.get(kind, 0) % size for kind, size in sizes.items())


def wins_by_stopping(after: After) -> int | None:
    """Return the number of tiles that the button wins now, or None if there is no button."""
    press = after.button("stop")
    return None if press is None else int(str(press.facts["n"]))


def is_mixed(after: After) -> bool:
    """Return True if a Cramel and another kind have ended the turn (RULES 6.2)."""
    kinds = {*open_tiles(after.before), after.kind}
    return not after.state.turned and "cramel" in kinds and len(kinds - {"bloom"}) > 1


CRAMEL: Mapping[str, Check] = {
    "does.bloom": lambda a: a.kind == "bloom" and not a.state.turned and not gain(a),
    "rules.6.3": lambda a: a.kind == "bloom" and set(open_tiles(a.before)) == {"cramel"},
    "rules.5.2": lambda a: (
        a.kind == "bloom" and a.options["bloom-may-move"]
        and any(tiles.total for tiles in a.state.won)
    ),
    "rules.6.2": lambda a: is_mixed(a) and a.kind != "bloom",
    "does.cramel": lambda a: is_opened(a, "cramel") and set(open_tiles(a.state)) == {"cramel"},
    "rules.4.4": lambda a: (
        a.options["several-sets"] and open_tiles(a.state)[a.kind] >= 2 * set_of(a)
    ),
    "does.gol": lambda a: is_opened(a, "gol"),
    "does.set-4": lambda a: is_opened(a, "ring-box"),
    "does.set-3": lambda a: is_opened(a, "el-el"),
    "does.set-2": lambda a: is_opened(a, "jane", "helena"),
    "does.set-1": lambda a: is_opened(a, "roby"),
    "lesson.set": lambda a: (
        open_tiles(a.state)[a.kind] % set_of(a) == 0 and bool(wins_by_stopping(a))
    ),
    "rules.3.5": lambda a: (
        wins_by_stopping(a) == 0 and a.options["stop-without-set"] and len(a.state.turned) > 1
    ),
    "rules.end": lambda a: has_stopped(a) and 0 < left_to_win(a) <= 12 and is_whole(a),
    "rules.4.5": lambda a: has_stopped(a) and gain(a) > 0,
    "rules.4.2": lambda a: has_stopped(a) and gain(a) < len(a.before.turned),
    "rules.score": lambda a: has_stopped(a) and gain(a, "cramel") > 0,
}  # fmt: skip


def test_lessons_of_cramel_are_told_when_their_rules_matter() -> None:
    check_told("cramel", CRAMEL, {"jane": 2, "ring-box": 3, "cramel": 1, "bloom": 3})
