"""The answer to "What can I do?" at the mat: it is exactly what can be played."""

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from engines.camargue.tiles import LANDSCAPES
from engines.common.advice import best_of, worth_of_kinds
from engines.common.contract import Seat, TapAsk
from engines.common.groups import Group, groups_of, in_few_words
from engines.common.pieces import Kind
from firmware.boxes.games import games
from firmware.journal.journal import GameStart
from firmware.runtime.controller import decks_of
from firmware.show.view import JoinAddress
from firmware.table.events import AddressChanged, HintDue, PhoneCommand
from firmware.table.modes.advice import MOST_NAMES, Advice
from firmware.table.modes.playing import Playing
from firmware.table.table import THINKING_S
from firmware.voice.settings import HINTS, Hints
from firmware.voice.words import languages, words_of
from tests.effort import long_unless
from tests.firmware.playouts import moments
from tests.firmware.tabletop import CONFIG, Tabletop
from tests.firmware.test_catalogues import LONGEST, playing_at

KINDS = tuple(Kind(f"{colour}-{n}", 1, n) for colour in ("red", "blue") for n in (1, 2, 3))
RED = Group("red", lambda kind: kind.name.startswith("red"))
LOW = Group("low", lambda kind: kind.value < 3)
ALL = Group("all", lambda kind: True)


@pytest.fixture
def top(tmp_path: Path) -> Iterator[Tabletop]:
    with closing(Tabletop(tmp_path).start(players=2)) as table:
        yield table


def in_words(wanted: str, indifferent: str = "") -> list[str]:
    """Return the names of what stands for *wanted*, a list of kinds with spaces between them."""
    groups = (ALL, RED, LOW)
    found = in_few_words({*wanted.split()}, {*indifferent.split()}, KINDS, groups)
    return [each.name for each in found]


def test_groups_stand_for_kinds_and_single_kinds_for_the_rest() -> None:
    assert in_words("red-1 red-2 red-3 blue-3") == ["red", "blue-3"]
    assert in_words("red-1 red-2 blue-1 blue-2") == ["low"]
    assert in_words(" ".join(kind.name for kind in KINDS)) == ["all"]
    assert in_words("red-1 blue-2") == ["red-1", "blue-2"]
    assert in_words("") == []


def test_a_group_may_have_kinds_that_make_no_difference_but_no_others() -> None:
    assert in_words("red-1 red-2", "red-3") == ["red"]
    assert in_words("red-1 red-2", "") == ["red-1", "red-2"]


def test_a_turn_of_the_knob_says_what_can_be_played(top: Tabletop) -> None:
    top.turn(1)
    play, press, rule = top.answers[0].say[:3]
    assert play.text == "Ann can play: any carpet, any weight, the Lamp, the Reverse."
    assert press.text == "Or press: can't play."
    assert rule.text == "A Copy needs a card before it, so it cannot be the first one on the camel."
    assert all(line.is_requested for line in (play, press, rule))
    assert (top.notice.happened, top.notice.do) == (play.text, press.text)


def test_the_card_says_the_same_and_plays_nothing(top: Tabletop) -> None:
    top.turn(1)
    said, shown = top.said, top.view
    top.card("what-now")
    assert said.startswith("Ann can play: any carpet, any weight")
    assert (top.said, top.view) == (said, shown)
    record = top.journal.open_game()
    assert record is not None
    assert not record.inputs


def test_what_would_lose_at_once_is_said_apart(top: Tabletop) -> None:
    top.play("weight-10", "weight-9", "weight-10", "weight-9", "weight-8")
    top.turn(1)
    play, *others = (line.text for line in top.answers[0].say)
    assert "any weight up to 4" in play
    assert "Allowed, but would break the camel's back: the Copy, any weight from 5." in others


def test_after_a_draw_the_hint_comes_first_because_only_the_drawn_card_may_be_played(
    tmp_path: Path,
) -> None:
    with closing(Tabletop(tmp_path, game="ciao")) as table:
        table.start()
        table.play("rock-green")
        table.press("action")
        table.turn(1)
        hint, play, *_ = (line.text for line in table.answers[0].say)
        assert hint == "Draw one. Play it, or pass."
        assert play.startswith("Ben can play: any paper")


def test_if_not_all_players_can_play_those_who_can_are_named(tmp_path: Path) -> None:
    with closing(Tabletop(tmp_path, game="ciao")) as table:
        table.start()
        table.play("rock-green-speed")  # a race without Ann
        table.turn(1)
        assert table.said.startswith("Ben, Cem can play: any paper, ")


def test_tiles_are_named_by_the_paths_that_let_them_fit(tmp_path: Path) -> None:
    kinds = decks_of(CONFIG)["camargue"].kinds
    tiles = {kind.name for kind in kinds if kind.name.partition("-")[0] in LANDSCAPES}
    without = {name for name in tiles if not name.endswith("-sw")}
    groups = groups_of(games()["camargue"])
    words = words_of("en", games()["camargue"].package)

    def named(wanted: set[str], gone: frozenset[str] = frozenset()) -> list[str]:
        found = in_few_words(wanted, gone, kinds, groups)
        return [words.tell(each.title) for each in found if isinstance(each, Group)]

    assert named(without) == [
        "any tile with a path at the top",
        "any tile with a path at the right",
    ]
    assert named({name for name in tiles if name.endswith(("-ns", "-new"))}) == [
        "any branch without a path at the bottom",
        "any straight from top to bottom",
    ]
    others = frozenset(name for name in tiles if name.endswith("-sw")) - {"forest-sw"}
    assert named({"forest-sw"}, others) == ["any curve from bottom to left"]


def test_few_names_are_enough_for_any_set_of_tiles() -> None:
    """For each set of paths, there are at most seven names, and one is left for the helpers."""
    shapes = ("ne", "es", "sw", "nw", "ns", "ew", "nes", "new", "nsw", "esw", "nesw")
    kinds = decks_of(CONFIG)["camargue"].kinds
    groups = groups_of(games()["camargue"])
    forest = tuple(kind for kind in kinds if kind.name.startswith("forest-"))
    for number in range(1, 1 << len(shapes)):
        fit = {f"forest-{shape}" for n, shape in enumerate(shapes) if number >> n & 1}
        found = in_few_words(fit, frozenset(), forest, groups)
        assert len(found) < MOST_NAMES
        assert all(isinstance(each, Group) for each in found)


def test_the_card_reads_a_list_again_and_without_a_game_the_table(tmp_path: Path) -> None:
    with closing(Tabletop(tmp_path)) as table:
        table.card("what-now")
        idle = table.said
        table.lay("weight-1")
        table.card("what-now")
        assert idle
        assert table.said != idle


@pytest.mark.parametrize("name", long_unless(("ciao", "straw").__contains__, sorted(games())))
def test_what_is_said_is_what_the_rules_take(name: str) -> None:
    """The names together are the kinds that the rules accept, except those that are used up."""
    game = games()[name]
    count = 0
    for moment in moments(name):
        kinds = moment.setup.deck.kinds
        for ask in game.asks(moment.state):
            if isinstance(ask, TapAsk):
                found = in_few_words(ask.kinds, frozenset(), kinds, groups_of(game))
                assert kinds_of(found, kinds) == ask.kinds
                count += 1
    assert count


def kinds_of(found: tuple[Group | Kind, ...], kinds: tuple[Kind, ...]) -> set[str]:
    """Return the names of all kinds that *found* stand for."""
    single = {each.name for each in found if isinstance(each, Kind)}
    groups = [each for each in found if isinstance(each, Group)]
    return single | {kind.name for kind in kinds if any(group.has(kind) for group in groups)}


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("name", sorted(games()))
def test_no_two_groups_have_the_same_name(name: str, language: str) -> None:
    game, words = games()[name], words_of(language, games()[name].package)
    names = [words.tell(group.title) for group in groups_of(game)]
    assert len({*names}) == len(names)
    assert not [text for text in names if re.match(r"group\.", text)]


# --- the better comes first ----------------------------------------------------------------------


def test_the_better_comes_first_and_nothing_is_recommended_unless_the_setting_says_so(
    tmp_path: Path,
) -> None:
    with closing(Tabletop(tmp_path, game="ciao")) as table:
        table.start()
        table.play("rock-green")
        order = "Ben can play: any paper, any yellow rock, any red rock, any joker."
        table.turn(1)
        play, press, *_ = (line.text for line in table.answers[0].say)
        assert (play, press) == (order, "Or press: draw.")
        for hints in (Hints.OFFERED, Hints.CAREFUL):
            with_hints(table, hints).turn(1)
            play, best, *_ = (line.text for line in table.answers[0].say)
            assert (play, best) == (
                order,
                "I would play: any card except an obstacle or a joker or a +3.",
            )


def test_near_the_limit_a_card_is_recommended_that_brings_the_load_close_to_it(
    top: Tabletop,
) -> None:
    nearly_full(top).turn(1)
    assert "can play: the Lamp, any carpet, any weight up to 4, the Reverse." in top.said
    assert "I would play: the Lamp." in top.said
    top.play("weight-4")
    top.turn(1)
    assert "I would play: the Straw." in top.said


def test_nothing_is_recommended_if_all_is_equally_good(tmp_path: Path) -> None:
    with closing(Tabletop(tmp_path, game="cramel").start()) as table:
        with_hints(table, Hints.OFFERED).turn(1)
        assert table.said.startswith("Ann can turn over: any tile.")
        assert "I would" not in table.said


def test_a_tile_is_not_recommended_by_a_name_that_a_worse_one_has_too() -> None:
    """For example, all curves of a landscape have the same name."""
    recommended = 0
    for moment in moments("camargue"):
        playing = playing_at("camargue", moment, "en", Hints.OFFERED)
        worth = worth_of_kinds(playing.game, moment.state)
        best = best_of(worth, worth)
        worse = {playing.text(f"piece.{kind}") for kind in worth.keys() - best}
        said = [each for each in Advice(playing).sentences() if each.startswith("I would play: ")]
        recommended += len(said)
        assert not [name for name in worse for each in said if each.endswith(f": {name}.")]
    assert recommended


@pytest.mark.parametrize("name", long_unless(("riff-raff", "straw").__contains__, sorted(games())))
def test_the_mat_says_the_same_any_is_in_the_hands(name: str, tmp_path: Path) -> None:
    """A player's own answer depends on no other hand."""
    chance, game = Random(name), games()[name]
    with closing(with_hints(Tabletop(tmp_path), Hints.OFFERED)) as top:
        private = top.table.private
        for moment in moments(name):
            setup, pieces = moment.setup, moment.setup.deck.pieces()
            start = GameStart(name, LONGEST[: setup.seats], setup.dealer, {}, setup.deck)
            playing = Playing(top.table.context, game, start, moment.state)
            own, at_mat, to_player = pieces[:4], set[object](), set[str]()
            for _ in range(3):
                hands = {Seat(n): tuple(chance.sample(pieces, 4)) for n in range(setup.seats)}
                private.dealt_hands = hands
                at_mat.add((Advice(playing).outcome().say, Advice(playing).outcome().notice))
                private.dealt_hands = {**hands, Seat(0): own}
                private.act(playing, LONGEST[0], PhoneCommand.WHAT_CAN_I_PLAY, 0.0)
                told = private.line_of(LONGEST[0])
                assert told is not None
                to_player.add(told.text)
            assert (len(at_mat), len(to_player)) == (1, 1)


# --- the setting ---------------------------------------------------------------------------------


def with_hints(top: Tabletop, hints: Hints) -> Tabletop:
    top.table.context.settings.set(HINTS, hints.value)
    return top


def test_the_settings_have_hints_and_the_journal_keeps_them(top: Tabletop) -> None:
    top.press()
    top.choose("settings")
    top.choose("hints")
    top.choose("careful")
    assert top.table.context.settings.current.hints is Hints.CAREFUL
    top.again()
    assert top.table.context.settings.current.hints is Hints.CAREFUL


def test_without_hints_the_knob_says_nothing(top: Tabletop) -> None:
    with_hints(top, Hints.NONE).turn(1)
    assert not top.said


@pytest.mark.parametrize("hints", [Hints.NONE, Hints.REQUESTED])
def test_a_hint_is_not_offered_unless_the_setting_says_so(top: Tabletop, hints: Hints) -> None:
    with_hints(top, hints).play("weight-10")
    assert not top.table.poll_waits(top.now_s + THINKING_S)


def test_a_hint_is_offered_once_after_a_long_time(top: Tabletop) -> None:
    with_hints(top, Hints.OFFERED).play("weight-10")
    assert not top.table.poll_waits(top.now_s + THINKING_S - 1.0)
    assert top.table.poll_waits(top.now_s + THINKING_S) == (HintDue(),)
    top.receive(HintDue())
    assert top.said.startswith("Ben can play: any carpet, any weight")
    assert not top.table.poll_waits(top.now_s + 10 * THINKING_S)
    top.play("weight-9")
    assert top.table.poll_waits(top.now_s + THINKING_S) == (HintDue(),)


def test_a_hint_is_not_offered_between_rounds(top: Tabletop) -> None:
    with_hints(top, Hints.OFFERED)
    top.play("weight-10", "weight-9", "weight-10", "weight-9", "weight-8", "weight-7")
    for _player in range(2):
        top.press("action")  # the hand is done
    assert top.view.phase == "round-over"
    assert not top.table.poll_waits(top.now_s + THINKING_S)


def nearly_full(top: Tabletop) -> Tabletop:
    """Bring the load to 46, with hints for children."""
    with_hints(top, Hints.CAREFUL)
    top.play("weight-10", "weight-9", "weight-10", "weight-9", "weight-8")
    return top


def test_an_unwise_play_is_asked_about_and_nothing_happens_before(top: Tabletop) -> None:
    nearly_full(top).tap("weight-7")
    assert top.said.startswith("the 7: would break the camel's back. Play it?")
    assert (top.view.headline, top.view.phase) == ("46", "play")
    assert top.view.choices is not None
    assert top.view.choices.values == ("no", "yes")


def test_no_takes_it_back_and_yes_plays_it(top: Tabletop) -> None:
    nearly_full(top).tap("weight-7")
    top.choose("no")
    assert top.said.startswith("Take the 7 back, and play another one.")
    assert top.view.headline == "46"
    top.tap("weight-7")
    top.choose("yes")
    assert top.view.phase == "scoring"


def test_the_same_card_again_means_yes_and_another_one_is_played(top: Tabletop) -> None:
    nearly_full(top).tap("weight-7")
    top.tap("weight-3")
    assert (top.view.headline, top.view.choices) == ("49", None)
    top.lay("weight-6#3")
    top.lay("weight-6#3")
    assert top.view.phase == "scoring"


def test_a_wise_play_is_not_asked_about(top: Tabletop) -> None:
    nearly_full(top).tap("weight-4")
    assert top.view.headline == "50"


def test_what_everybody_may_know_is_said_to_screens_while_a_companion_shows_it(
    tmp_path: Path,
) -> None:
    with closing(Tabletop(tmp_path, game="ciao").start()) as top:
        top.play("paper-red")
        assert top.table.advice() == "", "no companion is connected"
        top.receive(AddressChanged(JoinAddress("", "123456", "tapmat.local:8738")))
        assert top.table.advice() == "Ben can play: any scissors, any joker."
        top.tap("rock-green")
        assert top.table.advice() == "Cem can play: any scissors, any joker."
