"""Tests of robots at Ciao!: races, gifts, thanks, debts, and hidden cards."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest

from engines.common.contract import (
    Button,
    Choice,
    Input,
    OptionValue,
    Press,
    Seat,
    SeatChoice,
    Tap,
)
from engines.common.pieces import Piece
from firmware.boxes.games import games
from firmware.table.events import PhoneAct
from sim.deal import requests
from sim.deal.layout import HandAct
from sim.deal.layouts.hands import Cards
from sim.deal.seats import COUNTDOWN_S, READS_S, THINKS_S, YIELDS_S
from sim.deal.transitions import transitions_of
from sim.players.levels import find_style, styles_of
from sim.robots.contract import RobotAct
from sim.robots.games import OURS
from sim.robots.scene import HandsScene
from tests.effort import long_unless
from tests.engines.ciao_table import DECK
from tests.sim.web.ciao_people import NAMES, People, bears, dealt, first, is_joker, without
from tests.sim.web.test_seats import SLACK_S, WHOLE_GAME_S, Table

ACTION = Press(Button.ACTION)
QUICKLY: dict[str, Any] = {"THINKS_S": 0.1, "READS_S": 0.2, "LIES_S": 0.3, "YIELDS_S": 0.3}
BEATEN_BY = {"rock": "paper", "scissors": "rock", "paper": "scissors"}
STRENGTH = ("green", "yellow", "red")


def value(piece: Piece) -> int:
    return DECK.by_name[piece.kind].value


def beats(piece: Piece, other: Piece) -> bool:
    """Return True if *piece* may be laid on *other*, which must not be a joker."""
    mine, theirs = (DECK.by_name[p.kind].traits for p in (piece, other))
    if mine["symbol"] == theirs["symbol"]:
        return STRENGTH.index(str(mine["colour"])) > STRENGTH.index(str(theirs["colour"]))
    return is_joker(piece) or mine["symbol"] == BEATEN_BY[str(theirs["symbol"])]


def holds(hand: list[Piece], special: str) -> bool:
    return any(bears(piece, special) for piece in hand)


class CiaoTable(Table):
    """A table of Ciao! at which Ann begins; the keys of *robots* are seats from 1."""

    def begin(
        self, players: int, robots: Mapping[int, str], options: Mapping[str, str] | None = None
    ) -> None:
        names = self.live.config.names[:players]
        self.live._person.start("ciao", tuple(names), None, options or {})
        self.deal("ciao", players, dict(robots))

    def play(self, piece: Piece) -> None:
        """Tap *piece* as a person does."""
        self.tap(f"ciao/{piece}")
        self.live._publish()

    def choose(self, answer: str) -> None:
        """Choose *answer* with the controls, as a person does."""
        self.ask(requests.ChooseItem(answer))

    def scene(self, seat: int) -> HandsScene:
        scene = self.live._deck.scene(seat, self.mat.view)
        assert isinstance(scene, HandsScene)
        return scene

    @property
    def cards(self) -> Cards:
        cards = self.live._deck._lying
        assert isinstance(cards, Cards)
        return cards

    @property
    def last(self) -> Input:
        return self.record.inputs[-1]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[CiaoTable]:
    made = CiaoTable(tmp_path)
    yield made
    made.close()


# --- whole games ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "seed", "options"),
    long_unless(
        lambda case: case[0] == 2 and not case[2],
        [
            (2, 3, {}),
            (2, 10, {"reverse-of-two": "on", "again-must-beat": "off", "race-penalty": "off"}),
            (3, 16, {"scoring": "on", "rounds": "1", "name-specials": "on"}),
            (4, 2, {"only-drawn-card": "off", "plus3-must-beat": "on", "empty-pile": "play-on"}),
            (5, 8, {"variant": "symbols"}),
            (6, 9, {}),
        ],
    ),
)
def test_they_play_whole_games_by_every_house_rule_and_lay_no_wrong_card(
    table: CiaoTable, players: int, seed: int, options: dict[str, str]
) -> None:
    table.seed, styles = seed, styles_of("ciao")
    with patch.multiple("sim.deal.seats", **QUICKLY):
        table.begin(players, {n: styles[n % len(styles)] for n in range(1, players + 1)}, options)
        table.until(lambda: bool(table.mat.view.winners), WHOLE_GAME_S)
    assert not list(table.mat.refused)
    _, acts = transitions_of(games()["ciao"], table.record)
    assert not any(act.step.is_foul for act in acts)


# --- races ----------------------------------------------------------------------------------------


def race(table: CiaoTable, people: Any, piece: Piece, robots: Mapping[int, str]) -> None:
    """Deal the hands of *people*, put *robots* into seats, and let Ann begin a race.

    She plays *piece*, a speed card, and the first player to lay a right card wins the race.
    *robots* gives styles by seat, from 1.
    """
    table.seed = people.seed
    table.begin(len(people.hands), robots)
    table.play(piece)
    table.until(lambda: table.mat.view.phase == "race")


@pytest.mark.long
def test_in_a_race_it_takes_a_while_lays_and_says_whose_card_it_was(table: CiaoTable) -> None:
    people, hands = dealt(
        lambda hands: holds(hands[0], "speed") and all(map(is_joker, hands[1][:1]))
    )
    race(table, people, first(hands[0], "speed"), {2: "careful"})
    before_s = table.now_s
    table.until(table.done(2))
    assert THINKS_S < table.now_s - before_s - COUNTDOWN_S < READS_S + SLACK_S
    laid = table.last
    assert isinstance(laid, Tap)
    assert laid.piece in hands[1]
    assert table.mat.view.phase == "racer"
    assert table.scene(2).layer == 1
    assert table.until(table.done(3)) < THINKS_S  # it need not think about that
    assert table.last == SeatChoice(Seat(1))
    assert not list(table.mat.refused)


@pytest.mark.long
def test_a_person_may_be_faster_and_says_so_alone(table: CiaoTable) -> None:
    people, hands = dealt(
        lambda hands: holds(hands[0], "speed") and is_joker(hands[1][0]) and is_joker(hands[2][0])
    )
    race(table, people, first(hands[0], "speed"), {2: "careful"})
    table.play(hands[2][0])
    assert table.mat.view.phase == "racer"
    table.wait(2 * YIELDS_S)
    assert len(table.record.inputs) == 2
    table.choose(NAMES[2])
    assert table.record.inputs[-1] == SeatChoice(Seat(2))


@pytest.mark.long
def test_no_robot_wins_every_race(table: CiaoTable) -> None:
    winners: set[int | None] = set()
    deals = (people for people in map(People, range(2000)) if is_race_of_jokers(people.hands))
    table.begin(3, {})
    for people in islice(deals, 8):
        table.seed = people.seed
        table.deal("ciao", 3, {2: "careful", 3: "careful"})
        table.play(first(people.hands[0], "speed"))
        table.until(table.done(2))
        winners.add(table.scene(0).layer)
        if winners == {1, 2}:
            return
        table.press("back")
        table.press("back")
    pytest.fail(f"in every race the same was first: {winners}")


def is_race_of_jokers(hands: list[list[Piece]]) -> bool:
    return holds(hands[0], "speed") and all(any(map(is_joker, hand)) for hand in hands[1:])


def unable(hands: list[list[Piece]]) -> bool:
    """Return True if Ann can begin a race in which Ben has no card to lay."""
    return holds(hands[0], "speed") and not any(
        beats(piece, first(hands[0], "speed")) for piece in hands[1] if piece.kind != "obstacle"
    )


@pytest.mark.long
def test_where_robots_race_alone_one_says_after_all_others_that_nobody_can(
    table: CiaoTable,
) -> None:
    people, hands = dealt(unable, players=2)
    race(table, people, first(hands[0], "speed"), {2: "careful"})
    assert READS_S < table.until(table.done(2)) < YIELDS_S + SLACK_S
    assert table.last == ACTION
    assert table.mat.view.turn == 1


@pytest.mark.long
def test_people_who_race_say_themselves_that_nobody_can(table: CiaoTable) -> None:
    people, hands = dealt(unable)
    race(table, people, first(hands[0], "speed"), {2: "careful"})
    table.wait(3 * YIELDS_S)
    assert len(table.record.inputs) == 1
    table.press("action")
    table.until(table.done(3))  # Ben's turn
    assert not list(table.mat.refused)


@pytest.mark.long
def test_its_card_of_a_race_can_be_taken_back(table: CiaoTable) -> None:
    people, hands = dealt(lambda hands: holds(hands[0], "speed") and is_joker(hands[1][0]))
    race(table, people, first(hands[0], "speed"), {2: "careful"})
    table.until(table.done(3))  # the card, and whose it was
    table.until(lambda: not table.lying)
    table.press("back")
    table.press("back")
    table.live._publish()
    assert table.mat.view.phase == "race"
    assert table.cards.hands[1] == hands[1]
    assert table.until(table.done(2)) > YIELDS_S - SLACK_S


# --- gifts and thanks -----------------------------------------------------------------------------


def test_the_card_it_gives_away_is_its_own_choice_and_no_page_sees_it(table: CiaoTable) -> None:
    people, hands = dealt(
        lambda hands: holds(hands[0], "give") and Piece("obstacle", 1) in hands[0][:-1]
    )
    table.seed, gift = people.seed, first(hands[0], "give")
    table.begin(3, {1: "greedy"})
    table.play(gift)  # a person plays for the robot
    table.until(table.done(2))
    table.wait(SLACK_S)
    assert isinstance(table.last, SeatChoice)
    receiver = table.last.seat
    left = without(hands[0], gift)
    most = [piece for piece in left if value(piece) == max(map(value, left))]
    given = table.cards.hands[receiver][-1]
    assert given in most
    assert table.cards.hands[0] == without(left, given)
    assert table.deal_shown["gift"] is None
    assert table.deal_shown["hands"][0] == [None] * 5
    assert [table.scene(seat).untold for seat in range(3)] == [(), (), ()]


def test_between_two_a_gift_works_at_once_and_its_card_is_chosen_all_the_same(
    table: CiaoTable,
) -> None:
    people, hands = dealt(
        lambda hands: holds(hands[0], "give") and Piece("obstacle", 1) in hands[0][:-1], players=2
    )
    table.seed = people.seed
    table.begin(2, {1: "greedy"})
    table.play(first(hands[0], "give"))
    table.wait(SLACK_S)
    assert value(table.cards.hands[1][-1]) == 50
    # Nobody asks Ben, the only person, if he has said thanks.
    assert table.last == Choice("thanked")
    assert table.live._view()["plays"] == 0  # he has not played yet


def give(table: CiaoTable) -> list[list[Piece]]:
    """Let Ann, a person, give a card to Ben, a robot; return the hands as dealt."""
    people, hands = dealt(lambda hands: holds(hands[0], "give"))
    table.seed = people.seed
    table.begin(3, {2: "careful"})
    table.play(first(hands[0], "give"))
    table.choose(NAMES[1])
    table.live._publish()
    return hands


@pytest.mark.long
def test_robots_wait_until_a_person_has_said_which_card_it_is(table: CiaoTable) -> None:
    give(table)
    played = len(table.record.inputs)
    table.wait(20)
    assert len(table.record.inputs) == played
    assert not table.live._view()["isRobotsTurn"]


def test_phones_wait_too_and_the_giver_s_phone_chooses_the_card(table: CiaoTable) -> None:
    hands = give(table)
    running = table.mat.running.table
    left = without(hands[0], first(hands[0], "give"))
    giver = running.asks_of(NAMES[0])
    receiver = running.asks_of(NAMES[1])
    assert giver is not None
    assert receiver is not None
    assert (giver.is_turn, receiver.is_turn, receiver.answers) == (True, False, ())
    assert [each.given for each in giver.answers] == [Choice(str(card)) for card in left]
    assert giver.question == "Which card do you give away?"
    shown = running.for_screens(running.view(table.now_s))
    assert shown.hint == f"{NAMES[0]} chooses a card to give away."
    assert (shown.turn, shown.scores[:2]) == (0, (len(left), len(hands[1])))
    assert running.private.dealt_hands[Seat(0)] == tuple(left)
    assert running.private.dealt_hands[Seat(1)] == tuple(hands[1])
    assert not running.private.fresh
    moment = table.mat.running.journal.moment
    for player, card, refused in (
        (NAMES[1], left[0], "That is not possible now."),
        (NAMES[0], hands[1][0], "That is not possible now."),
        (NAMES[0], left[0], ""),
    ):
        act = PhoneAct(player, moment, Choice(str(card)))
        assert running.receive(act, table.now_s)[-1].refused == refused
    table.live._publish()
    receiver = running.asks_of(NAMES[1])
    assert receiver is not None
    assert receiver.answers
    assert running.private.dealt_hands[Seat(1)] == (*hands[1], left[0])


def test_it_gives_thanks_once_a_person_has_said_which_card_it_is(table: CiaoTable) -> None:
    hands = give(table)
    left = without(hands[0], first(hands[0], "give"))
    table.wait(THINKS_S)
    table.ask(HandAct("give", {"card": f"ciao/{left[0]}"}))
    assert THINKS_S - SLACK_S < table.until(table.done(3)) < THINKS_S + SLACK_S
    assert table.last == Choice("thanked")
    assert table.cards.hands[1][-1] == left[0]


def test_it_goes_on_though_a_person_chooses_another_card_all_the_time(table: CiaoTable) -> None:
    hands = give(table)
    left = without(hands[0], first(hands[0], "give"))
    table.wait(THINKS_S)
    for card in islice(cycle(left[:2]), 12):
        if table.done(3)():
            break
        table.ask(HandAct("give", {"card": f"ciao/{card}"}))
        table.wait(THINKS_S / 4)
    assert table.done(3)()


# --- one turn -------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_person_may_play_for_it_and_it_answers_what_is_asked_then(table: CiaoTable) -> None:
    people, hands = dealt(lambda hands: is_joker(hands[0][0]))
    table.seed = people.seed
    table.begin(3, {1: "careful"})
    table.play(hands[0][0])
    table.until(table.done(2))
    assert isinstance(table.last, Choice)
    table.wait(2 * YIELDS_S)
    assert len(table.record.inputs) == 2


def test_after_a_draw_it_plays_that_card_or_passes(table: CiaoTable) -> None:
    table.begin(2, {1: "careful"})
    table.press("action")  # a person draws for the robot
    table.live._publish()
    drawn = table.cards.hands[0][-1]
    assert table.scene(0).drawn == (str(drawn),)
    assert table.scene(1).drawn == ()
    table.until(table.done(2))
    assert table.last == Tap(drawn)


# --- knowledge of robots --------------------------------------------------------------------------


@pytest.mark.long
def test_no_scene_differs_for_what_that_seat_cannot_see(table: CiaoTable) -> None:
    """If all hidden cards are exchanged for others, every scene stays the same."""
    table.seed, (one, two) = 12, styles_of("ciao")[:2]
    with patch.multiple("sim.deal.seats", **QUICKLY):
        table.begin(3, {1: one, 2: two, 3: one})
        for _ in range(25):
            table.until(table.done(len(table.record.inputs) + 1))
            for seat in range(3):
                check_scene(table, seat)


def check_scene(table: CiaoTable, seat: int) -> None:
    seen, cards = table.scene(seat), table.cards
    hidden = [*(hand for at, hand in enumerate(cards.hands) if at != seat), cards.pile]
    kept = [list(place) for place in hidden]
    turned = [piece for place in reversed(kept) for piece in place]
    for place in hidden:
        place[:], turned = turned[: len(place)], turned[len(place) :]
    assert table.scene(seat) == seen
    for place, pieces in zip(hidden, kept, strict=True):
        place[:] = pieces


def test_only_the_giver_is_told_of_what_was_in_the_hand(table: CiaoTable) -> None:
    hands = give(table)
    assert sorted(table.scene(0).untold) == sorted(
        str(piece) for piece in without(hands[0], first(hands[0], "give"))
    )
    assert [table.scene(seat).untold for seat in (1, 2)] == [(), ()]
    assert {str(piece) for piece in table.cards.hands[0]}.isdisjoint(
        str(value)
        for field in fields(HandsScene)
        if isinstance(values := getattr(table.scene(2), field.name), tuple)
        for value in values
    )


# --- acts in a given scene ------------------------------------------------------------------------

COUNTS = {"hand-1": 2, "hand-2": 4, "hand-3": 3, "draw-pile": 50, "owed": 0}
TURN = HandsScene(0, 3, "play", "", turn=0, counts=COUNTS, active=(0,))


def act(scene: HandsScene, style: str = "careful") -> RobotAct | None:
    robots = OURS["ciao"]
    assert robots.from_scene is not None
    books = robots.from_scene(scene)
    played = find_style("ciao", style)
    assert played is not None
    return None if books is None else played(books, Random(1))


def given(scene: HandsScene, style: str = "careful") -> Input:
    done = act(scene, style)
    assert done is not None
    return done.given


def tap_act(given_: Input) -> str:
    assert isinstance(given_, Tap)
    return str(given_.piece)


def on(*laid: str, **how: Any) -> HandsScene:
    """Return a scene in a turn in which these cards were laid, each by a tap."""
    taps = tuple(Tap(Piece.parse(card)) for card in laid)
    return replace(TURN, laid=laid, **{"done": taps, **how})


@pytest.mark.parametrize("style", styles_of("ciao"))
@pytest.mark.parametrize(
    "phase", ["play", "symbol", "again", "give", "swap", "thanks", "round-over"]
)
def test_nobody_acts_out_of_turn(style: str, phase: str) -> None:
    scene = on("rock-green#1", hand=("paper-red#1", "rock-red#1"), phase=phase)
    assert act(scene, style) is not None
    assert act(replace(scene, turn=1), style) is None


def test_a_named_symbol_is_to_be_beaten() -> None:
    hand = ("paper-green#1", "scissors-green#1")
    named: tuple[Input, ...] = (Tap(Piece("joker-red")), Choice("rock"))
    assert tap_act(given(on("rock-green#1", "joker-red#1", hand=hand, done=named))) == hand[0]
    named = (*named, ACTION, ACTION)
    assert tap_act(given(on("joker-red#1", hand=hand, done=named))) == hand[0]
    named = (Tap(Piece("joker-red")), Choice("paper"))
    assert tap_act(given(on("joker-red#1", hand=hand, done=named))) == hand[1]


@pytest.mark.parametrize(
    ("options", "answer"),
    [({}, "rock-green-plus3#1"), ({"plus3-must-beat": True}, None)],
)
def test_a_debt_is_answered_as_the_house_has_it(
    options: dict[str, OptionValue], answer: str | None
) -> None:
    hand = ("paper-green#1", "rock-green-plus3#1")
    scene = on("rock-red-plus3#1", hand=hand, counts={**COUNTS, "owed": 3}, options=options)
    answered = given(scene)
    assert (None if answered == ACTION else tap_act(answered)) == answer


@pytest.mark.parametrize("is_free", [False, True])
def test_after_a_draw_the_house_says_whether_another_card_may_be_laid(is_free: bool) -> None:
    options = {"only-drawn-card": not is_free}
    hand = ("paper-green#1", "rock-green#2")
    scene = on("rock-green#1", hand=hand, drawn=hand[1:], options=options)
    scene = replace(scene, done=(*scene.done, ACTION))
    assert (given(scene) == ACTION) is not is_free


@pytest.mark.parametrize("is_free", [False, True])
def test_after_again_the_house_says_whether_any_card_will_do(is_free: bool) -> None:
    options = {"again-must-beat": not is_free}
    scene = on("rock-green-again#1", hand=("rock-green#1",), options=options)
    scene = replace(scene, done=(*scene.done, Choice("again")))
    assert (given(scene) == ACTION) is not is_free


def test_hands_are_swapped_with_the_player_who_holds_the_fewest() -> None:
    scene = on("rock-green-swap#1", hand=("rock-green#1", "rock-red#1"), phase="swap")
    assert given(scene, "greedy") == SeatChoice(Seat(2))


def test_of_a_card_that_bears_nothing_it_says_so() -> None:
    assert given(on("rock-green#1", phase="special")) == Choice("special-none")


def test_a_hand_is_counted_card_by_card_and_ended_when_it_is_short() -> None:
    scene = on("rock-green#1", phase="scoring", hand=("paper-red#1",))
    assert tap_act(given(scene)) == "paper-red#1"
    assert given(replace(scene, hand=())) == ACTION
