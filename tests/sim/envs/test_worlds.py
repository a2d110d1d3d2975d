"""The worlds of the environments: legal actions, secrets, and robots as baselines."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

import pytest

from engines.common.contract import Seat
from firmware.boxes.games import games
from firmware.config.table_config import load_config
from firmware.journal.journal import GameStart
from firmware.runtime.controller import decks_of
from sim.envs import env
from sim.envs.baselines import MOST_ACTIONS, at_random, play, policy_of
from sim.envs.camargue import RADIUS
from sim.envs.world import World
from sim.envs.worlds import WORLDS, world_of
from sim.robots.referees import Rules
from sim.robots.session import Session
from tests.effort import long_unless, some

NAMES = ("Ann", "Ben", "Cem", "Dee", "Eve", "Fay")
TABLES = [(game, players) for game, world in WORLDS.items() for players in world.robots.seats]
EACH_TABLE = long_unless(lambda table: table[1] == min(WORLDS[table[0]].robots.seats), TABLES)
SEEDS = range(some(20))
SEED = 1
RARE = {"straw": {"cannot-play"}, "camargue": {"elsewhere"}}  # each has its own test
DEEPEST = 30  # actions before the last position whose actions are all tried


def positions(world: World, chance: Random) -> Iterator[World]:
    """Yield *world* before each action of a game of random actions."""
    for _ in range(MOST_ACTIONS):
        if world.is_over:
            return
        yield world
        world.act(at_random(world, chance))


def session_of(world: World) -> Session:
    """Return the game of *world*, before its first act, with the engine's rules as the referee."""
    deal, game = world.deal, world.game
    deck = decks_of(load_config())[game]
    start = GameStart(game, NAMES[: world.players], deal.dealer, deal.options, deck)
    robots = replace(world.robots, open=world.open)
    return Session(robots, deal, (), Rules(games()[game], start), Random(0))


@pytest.mark.long
@pytest.mark.parametrize(("game", "players"), EACH_TABLE)
def test_the_engine_accepts_every_action_that_the_mask_allows(game: str, players: int) -> None:
    for seed in SEEDS:
        world = world_of(game)(players, seed)
        session = session_of(world)
        for _ in positions(world, Random(seed)):
            assert world.legal
        for act in world.acts:
            session.do(act)  # compares the answer and the view with the books
        assert session.counts["refusals"] == session.counts["fouls"] == 0
        assert len(session.acts) == len(world.acts)
        assert session.referee.seen.winners == tuple(map(Seat, world.winners))


def replay_of(world: World, actions: Sequence[int]) -> World:
    """Return a new world with the deal of *world*, after *actions*."""
    other = type(world)(world.players, SEED)
    for action in actions:
        other.act(action)
    return other


@pytest.mark.long
@pytest.mark.parametrize(("game", "players"), EACH_TABLE)
def test_each_legal_action_is_accepted_not_only_the_chosen_one(game: str, players: int) -> None:
    world, done = world_of(game)(players, SEED), list[int]()
    while not world.is_over and len(done) <= DEEPEST:
        for action in world.legal if len(done) % (DEEPEST // 3) == 0 else ():
            other = replay_of(world, [*done, action])
            session = session_of(other)
            for act in other.acts:
                session.do(act)
            assert session.counts["refusals"] == session.counts["fouls"] == 0
        done.append(at_random(world, Random(len(done))))
        world.act(done[-1])


@pytest.mark.parametrize(("game", "players"), EACH_TABLE)
def test_an_action_that_is_not_allowed_changes_nothing(game: str, players: int) -> None:
    world = world_of(game)(players, 3)
    before = [world.observation(seat) for seat in range(players)]
    forbidden = [n for n in range(len(world.actions(players))) if n not in world.legal]
    with pytest.raises(ValueError, match="is not allowed now"):
        world.act(forbidden[0])
    assert [world.observation(seat) for seat in range(players)] == before


def knowledge(world: World, seat: int) -> tuple[Sequence[int], Sequence[int]]:
    """Return the observation of *seat*, and the actions that its mask allows.

    An agent is asked only if it has a choice. So whether it is asked now may depend on the others'
    pieces, as at a table, but not what it then sees.
    """
    return world.observation(seat), [*world.moves()] if world.actor == seat else []


def compare_worlds(world: World, seat: int, chance: Random) -> bool:
    """Compare *world* for *seat* with one in which two hidden pieces have changed places.

    Return True if those pieces differ.
    """
    groups = [places for places in world.hidden(seat) if len(places) > 1]
    if not groups:
        return False
    (one, at), (other, there) = chance.sample(chance.choice(groups), 2)
    is_other = bool(one[at] != other[there])
    was_asked, before = world.actor, knowledge(world, seat)
    one[at], other[there] = other[there], one[at]
    is_asked, after = world.actor, knowledge(world, seat)
    one[at], other[there] = other[there], one[at]
    actions = (was_asked == is_asked) + 1  # compare the masks only if both are asked
    assert before[:actions] == after[:actions], (
        f"{world.game}: {one[at]} and {other[there]} are no secret"
    )
    return is_other


@pytest.mark.long
@pytest.mark.parametrize(("game", "players"), EACH_TABLE)
def test_worlds_with_other_secrets_look_the_same(game: str, players: int) -> None:
    compared = 0
    for seed in SEEDS:
        chance = Random(seed)
        for world in positions(world_of(game)(players, seed), chance):
            for seat in range(players):
                compared += compare_worlds(world, seat, Random(compared))
    assert compared > 10 * len(SEEDS)


def compare_often(world: World) -> None:
    for number in range(100):
        compare_worlds(world, 0, Random(number))


def test_a_leak_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    world = world_of("straw")(3, 0)
    compare_often(world)
    monkeypatch.setattr(world, "observation", lambda seat: [hash(tuple(world.books.books.pile))])
    with pytest.raises(AssertionError, match="are no secret"):
        compare_often(world)


@pytest.mark.parametrize(("game", "players"), EACH_TABLE)
def test_an_observation_fits_its_parts(game: str, players: int) -> None:
    parts = world_of(game).parts(players)
    bounds = [(part.low, part.high) for part in parts for _ in range(part.size)]
    for world in positions(world_of(game)(players, 5), Random(5)):
        for seat in range(players):
            numbers = world.observation(seat)
            assert len(numbers) == len(bounds)
            for number, (low, high) in zip(numbers, bounds, strict=True):
                assert low <= number <= high


@pytest.mark.long
@pytest.mark.parametrize("game", WORLDS)
def test_every_style_of_the_robots_plays_a_whole_game(game: str) -> None:
    players = world_of(game).robots.seats[0]
    for style in world_of(game).robots.fair:
        winners = play(world_of(game)(players, 2), [policy_of(game, style)] * players, Random(2))
        assert winners, style


@pytest.mark.parametrize("game", WORLDS)
def test_every_action_is_allowed_in_some_game(game: str) -> None:
    """Except Camargue's squares that no tile reached in these games."""
    players, seen = 3, set[int]()
    for seed in range(100):
        world = world_of(game)(players, seed)
        for _ in positions(world, Random(seed)):
            seen.update(world.legal)
        actions = world.actions(players)
        unseen = {name for n, name in enumerate(actions) if n not in seen}
        unseen = {name for name in unseen if not name.startswith("square-")}
        if unseen <= RARE.get(game, set()):
            break
    assert unseen <= RARE.get(game, set())


def test_an_unknown_game_number_or_style_is_named() -> None:
    with pytest.raises(ValueError, match="There is no environment of chess"):
        world_of("chess")
    with pytest.raises(ValueError, match="straw has 2 to 6 players, not 7"):
        world_of("straw")(7, 0)
    with pytest.raises(ValueError, match="straw has no style 'brave'"):
        policy_of("straw", "brave")


def test_a_player_of_straw_without_a_playable_card_says_so() -> None:
    world = world_of("straw")(2, 0)
    books = world.books.books
    stuck = books.turn
    books.hands[stuck] = ["straw#1"]
    assert [world.actions(2)[action] for action in world.legal] == ["cannot-play"]
    world.act(*world.legal)
    assert books.turn != stuck


def test_a_square_of_camargue_far_away_is_elsewhere() -> None:
    world = world_of("camargue")(2, 0)
    books = world.books.books
    for column in range(1, RADIUS + 1):
        books.board[column, 0], books.paths[column, 0] = "grain-ew#1", "ew"
    books.hands[books.turn] = ["grain-ew#1"]
    books.in_play = books.total_tiles()
    world._legal = None
    (tile,) = world.legal
    world.act(tile)
    names = {world.actions(2)[action]: square for action, square in world.legal.items()}
    assert names["elsewhere"] == (RADIUS + 1, 0)
    world.act(world.actions(2).index("elsewhere"))
    assert books.board[RADIUS + 1, 0] == "grain-ew#1"
    assert len(world.observation(0)) == sum(part.size for part in world.parts(2))


def test_without_pettingzoo_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("sim.envs.aec", "sim.envs.parallel"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(ImportError, match='pip install "pettingzoo'):
        env("straw")
