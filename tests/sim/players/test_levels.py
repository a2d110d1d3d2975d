"""The levels: legal choices, no use of secrets, equal choices from equal seeds, and strength."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from sim.envs.world import Hiding, World
from sim.envs.worlds import world_of
from sim.players import straw
from sim.players.levels import CHILD, EASY, EXPERT, GOOD, LEVELS, choose, find_style, styles_of
from sim.robots.contract import RobotAct, Style
from sim.robots.scene import HandsScene
from sim.robots.straw.adapter import style_of as straw_style
from sim.robots.straw.books import StrawBooks, printed_number
from sim.robots.straw.styles import LIKINGS, Play, plays_of
from tests.effort import long_unless
from tests.sim.levels import match

POSITIONS = {"straw": 20, "cramel": 20, "ciao": 20, "camargue": 12, "riff-raff": 6}
EACH_LEVEL = [(game, level) for game, levels in LEVELS.items() for level in levels]


def positions(game: str, seed: int) -> Iterator[World]:
    """Yield a world of two players before each of the first choices of a game; act in between."""
    world = world_of(game)(2, seed)
    for _ in range(POSITIONS[game]):
        if not world.is_over:
            yield world


def shuffle(hidden: Sequence[Hiding], chance: Random) -> None:
    """Let the pieces in each group of *hidden* places change places."""
    for places in hidden:
        pieces: list[Any] = [container[at] for container, at in places]
        chance.shuffle(pieces)
        for (container, at), piece in zip(places, pieces, strict=True):
            container[at] = piece


def action(world: World, style: Style, seed: int) -> str:
    """Return the action that *style* chooses. The tiles of a square are in the order of places."""
    books = world.books.books
    if world.game == "cramel":
        books.place = dict(sorted(books.place.items(), key=lambda each: each[1]))
    return world.name_of(style(world.books, Random(seed)))


def same_with_other_secrets(game: str, style: Style) -> bool:
    """Return True if *style* chooses the same in worlds that differ only in what it cannot see."""
    chances = Random(1)
    for number, world in enumerate(positions(game, 3)):
        chosen = action(world, style, number)
        for _ in range(2):
            shuffle(world.hidden(world.actor), chances)
            if action(world, style, number) != chosen:
                return False
        world.act(chances.choice([*world.legal]))
    return True


@pytest.mark.parametrize(
    ("game", "level"), long_unless(lambda case: case[0] == "straw", EACH_LEVEL)
)
def test_a_level_does_not_use_what_its_seat_cannot_see(game: str, level: str) -> None:
    assert same_with_other_secrets(game, LEVELS[game][level])


@pytest.mark.parametrize("game", LEVELS)
def test_a_player_who_sees_everything_is_found(game: str) -> None:
    def cheats(table: Any, chance: Random) -> RobotAct:
        books = table.books
        hidden = (getattr(books, name, None) for name in ("place", "hands", "pile", "revealed"))
        return LEVELS[game][CHILD](table, Random(str([*hidden])))

    assert not same_with_other_secrets(game, cheats)


def test_a_player_of_straw_who_reads_the_other_hand_is_found() -> None:
    def reads(books: StrawBooks, plays: list[Play], chance: Random) -> list[Play]:
        others = sum(map(printed_number, books.hands[1 - books.turn]))
        return [max(plays) if others > 20 else min(plays)]

    assert not same_with_other_secrets("straw", straw_style(reads))


@pytest.mark.parametrize("game", LEVELS)
def test_people_choose_from_the_levels(game: str) -> None:
    assert styles_of(game) == (GOOD, EXPERT, EASY, CHILD)


def test_fair_styles_can_be_named_but_no_style_that_sees_everything() -> None:
    assert find_style("cramel", "greedy") is not None
    assert find_style("cramel", "seer") is None
    assert find_style("nine", GOOD) is None
    assert styles_of("nine") == ()


def scene_of_straw(**known: Any) -> HandsScene:
    """Return a scene of Straw in which the load is 45 and the own hand has a way out."""
    counts = {"hand-1": 4, "hand-2": 4, "draw-pile": 50, "round": 2}
    laid = ("weight-9#1", "weight-9#2", "weight-9#3", "weight-9#4", "weight-5#1", "weight-4#1")
    hand = ("weight-10#1", "weight-8#1", "weight-6#1", "reverse#1")
    scene = HandsScene(0, 2, "play", "45", turn=0, hand=hand, laid=laid, counts=counts)
    return replace(scene, scores=(0, 0), **known)


def test_equal_scenes_and_seeds_give_equal_acts() -> None:
    acts = {str(choose("straw", scene_of_straw(), EXPERT, 7)) for _ in range(3)}
    assert len(acts) == 1
    assert "reverse" in acts.pop(), "every other card breaks the camel's back"


def test_who_is_not_asked_has_nothing_to_do() -> None:
    assert choose("straw", scene_of_straw(turn=1), EXPERT, 7) is None


def test_a_level_that_does_not_exist_is_named() -> None:
    with pytest.raises(ValueError, match=r"straw has no level 'genius'; it has good, expert"):
        choose("straw", scene_of_straw(), "genius", 1)


@pytest.mark.long
@pytest.mark.parametrize("game", ["cramel", "camargue"])
def test_an_expert_beats_a_good_player(game: str) -> None:
    result = match(game, LEVELS[game][EXPERT], LEVELS[game][GOOD], 10)
    assert result.share > 0.5
    assert len(result.pairs) == 5


def test_the_quick_rule_of_straw_plays_as_the_style() -> None:
    compared = 0
    for seed in range(20):
        world, chance = world_of("straw")(2, seed), Random(seed)
        while not world.is_over:
            books: StrawBooks = world.books.books
            plays = [play for card in books.playable() for play in plays_of(books, card)]
            if plays and not world.books.lamp:
                copied = straw.code_of(books.copied) if books.copied else straw.NOTHING
                hand = [straw.code_of(card) for card in books.hand]
                quick = straw.liked_play(hand, books.weight, copied)
                liked = LIKINGS["good"](books, plays, chance)
                assert quick in [(straw.code_of(c), books.weight_with(c, n)) for c, n in liked]
                compared += 1
            world.act(chance.choice([*world.legal]))
    assert compared > 100
