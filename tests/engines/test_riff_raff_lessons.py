"""The lessons of Riff Raff matter only in states in which they are true and their rules are needed.

``CHECKS`` has a function for the code of each lesson, written from RULES.md.
"""

from collections.abc import Mapping

from engines.common.contract import Button, Choice, Input, Number, Press, SeatAsk, Tap, TapAsk
from engines.common.errors import RulesError
from engines.common.lessons import Moment
from engines.riff_raff import GAME
from engines.riff_raff.state import Phase, State
from tests.engines.contract import Case
from tests.engines.lessons import Check, Checks, check_lessons

OK, ACTION = Press(Button.OK), Press(Button.ACTION)
LOADING = ("piece", "load")
GAMES = 60  # played at full effort


def turned_down(state: State, given: Input) -> str:
    """Return the rule by which *state* refuses *given*; "" if it accepts it."""
    try:
        GAME.step(state, given)
    except RulesError as error:
        return error.rule.removeprefix("RULES ")
    return ""


def offered(moment: Moment) -> set[int]:
    """Return the seats that can be chosen now."""
    return {s for ask in GAME.asks(moment.state) if isinstance(ask, SeatAsk) for s in ask.seats}


def area(moment: Moment) -> int:
    """Return the area that is loaded now."""
    return int(str(moment.view.headline))


def pieces_of_player(moment: Moment) -> int:
    """Return the number of pieces of the player who loads."""
    assert moment.view.turn is not None
    return moment.view.scores[moment.view.turn]


def count(moment: Moment, name: str) -> int:
    """Return how much the count *name* has grown in this step."""
    return moment.view.counts[name] - GAME.view(moment.before).counts[name]


def wins_if_all_holds(moment: Moment) -> bool:
    """Play the announced pieces of this turn, and return True if the game is then over."""
    state: State = moment.state
    for _ in range(2):
        if state.phase is Phase.PIECE:
            ask = next(ask for ask in GAME.asks(state) if isinstance(ask, TapAsk))
            taps = (Tap(piece, ask.spots[0]) for piece in sorted(state.config.box.cargo))
            state = GAME.step(state, next(t for t in taps if not turned_down(state, t))).state
        state = GAME.step(state, OK).state
        if state.turn is None or state.turn.seat != moment.view.turn:
            break
    return GAME.view(state).winners == (moment.view.turn,)


def is_last_round(moment: Moment) -> bool:
    """RULES 6.3: of ten rounds, or of the second ten with two players."""
    counts, seats = moment.view.counts, len(moment.view.scores)
    return counts["round"] == 10 and counts["pass"] == (2 if seats == 2 else 1)


def tied_for_captain(moment: Moment) -> bool:
    """RULES 3.5: several players have the highest card, and each of them can be named."""
    shown = moment.state.shown
    best = {seat for seat, card in enumerate(shown) if card == max(shown)}
    return len(best) > 1 and offered(moment) == best


def tied_in_order(moment: Moment) -> bool:
    """RULES 3.7: several players have the same number, and the captain in office is new."""
    shown, counts = moment.state.shown, moment.view.counts
    cards = {shown[seat] for seat in offered(moment)}
    is_captain_best = shown[counts["captain"] - 1] == max(shown)
    return len(cards) == 1 and len(offered(moment)) > 1 and is_captain_best


def comes_back(moment: Moment) -> bool:
    """RULES 5.5: one piece was caught, and nothing has left the game."""
    before, given = moment.before, moment.given
    if before.house.tagged_cargo:
        is_one = len(before.turn.caught) == 1
    else:
        is_one = given == Number(1) or (before.phase is Phase.WHICH and given == Choice("placed"))
    return is_one and count(moment, "removed") == 0


def has_settled(moment: Moment) -> bool:
    """RULES 5.3: the player who loaded took what fell, or caught pieces have left the game."""
    seat = moment.before.turn.seat
    gone, taken = count(moment, "removed"), count(moment, f"stock-{seat + 1}")
    return (gone > 0 or taken >= 0) and not comes_back(moment)


def may_load_two(moment: Moment) -> bool:
    """RULES 4.2, 4.3: on a yardarm that holds a piece, with two pieces to load."""
    held = moment.view.counts[f"area-{area(moment)}"]
    return area(moment) >= 5 and held >= 1 and pieces_of_player(moment) >= 2


def is_held_to_one(moment: Moment) -> bool:
    """RULES 4.3: on a yardarm too, two pieces are refused."""
    return area(moment) >= 5 and turned_down(moment.state, Choice("two")) == "4.3"


def some_have_shown_a_colour(moment: Moment) -> bool:
    """RULES 2.3: a colour is taken, and a player has none yet."""
    colours = moment.view.colours
    return any(colours) and not all(colours)


def nobody_has_played(moment: Moment) -> bool:
    """RULES 3.1: the first cards are to be revealed."""
    counts, seats = moment.view.counts, range(1, len(moment.view.scores) + 1)
    return moment.view.phase == "reveal" and all(counts[f"cards-{n}"] == 10 for n in seats)


def captain_is_new(moment: Moment) -> bool:
    """RULES 3.4, 3.6: the captain has a highest card, and nobody has loaded in this round."""
    shown, captain = moment.state.shown, moment.view.counts["captain"] - 1
    is_first = moment.view.turn == captain
    return shown[captain] == max(shown) and is_first and count(moment, "ship") == 0


def next_player_loads(moment: Moment) -> bool:
    """RULES 4.5: a piece holds, and another player, who has done nothing yet, loads."""
    loaded = count(moment, "ship") == 1 and moment.given == OK
    return loaded and GAME.view(moment.before).turn != moment.view.turn is not None


def loads_a_ship_with_cargo(moment: Moment) -> bool:
    """RULES 4.8, 5.2: there is cargo to touch or to catch."""
    return moment.view.phase in LOADING and moment.view.counts["ship"] > 0


EACH: Mapping[str, Check] = {
    "rules.6.3": lambda m: len(m.view.scores) == 2 and count(m, "pass") == 1,
    "lesson.last": lambda m: is_last_round(m) and m.view.phase == "reveal",
    "rules.6.1": wins_if_all_holds,
    "rules.3.5": tied_for_captain,
    "rules.3.7": tied_in_order,
    "rules.5.5": lambda m: comes_back(m) and m.state.house.placed_returns,
    "rules.5.3": has_settled,
    "lesson.fall": lambda m: m.given == ACTION and GAME.view(m.before).phase == "load",
    "rules.4.4": lambda m: m.given == Choice("two") and turned_down(m.state, m.given) == "4.4",
    "lesson.two": may_load_two,
    "rules.4.3": is_held_to_one,
    "rules.2.3": some_have_shown_a_colour,
    "rules.3.3": lambda m: any(m.view.counts[f"cards-{n}"] < 10 for n in (1, 2)),
    "lesson.reveal": lambda m: m.view.phase == "reveal",
    "lesson.captain": captain_is_new,
    "rules.goal": next_player_loads,
    "lesson.yardarm": lambda m: area(m) >= 5 and pieces_of_player(m) >= 2,
    "does.deck": lambda m: area(m) <= 4 and turned_down(m.state, Choice("two")) == "4.3",
    "lesson.hands": loads_a_ship_with_cargo,
    "lesson.catch": loads_a_ship_with_cargo,
    "lesson.late": next_player_loads,
}
CHECKS = Checks(GAME, EACH)


def test_each_lesson_matters_only_when_it_is_true_and_needed() -> None:
    check_lessons(CHECKS, GAMES)


def test_a_game_begins_with_as_much_cargo_as_the_lesson_says() -> None:
    case = Case(GAME)
    for seats in GAME.seats:
        counts = GAME.view(GAME.start(case.setup(seats))).counts
        assert counts["stock-1"] == (16 if seats == 2 else 8)
