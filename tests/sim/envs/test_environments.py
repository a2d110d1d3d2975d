"""The environments pass PettingZoo's own tests, unmodified."""

import re
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sim.envs.worlds import WORLDS, world_of

pettingzoo = pytest.importorskip(
    "pettingzoo", reason='needs PettingZoo: pip install "pettingzoo>=1.27,<2"'
)

import numpy as np  # noqa: E402
from pettingzoo.test import (  # noqa: E402
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    performance_benchmark,
    render_test,
    seed_test,
    state_test,
)
from pettingzoo.utils.conversions import parallel_to_aec  # noqa: E402

import sim.envs.registry  # noqa: E402, F401
from sim.envs import env, parallel_env, raw_env  # noqa: E402
from sim.envs.registry import id_of  # noqa: E402
from tests.effort import some  # noqa: E402
from tests.sim.envs.test_worlds import EACH_TABLE  # noqa: E402

CYCLES = some(1000)
FORMS = ("array", "dict")
# PettingZoo recommends arrays without a mask, and warns of anything else outside its own list.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Observation:UserWarning", "ignore:Action mask array:UserWarning"
)


@pytest.mark.parametrize("observation", FORMS)
@pytest.mark.parametrize(("game", "players"), EACH_TABLE)
def test_api(game: str, players: int, observation: str) -> None:
    api_test(env(game, players=players, observation=observation), num_cycles=CYCLES)


@pytest.mark.long
@pytest.mark.parametrize("observation", FORMS)
@pytest.mark.parametrize(("game", "players"), EACH_TABLE)
def test_seed(game: str, players: int, observation: str) -> None:
    seed_test(lambda: env(game, players=players, observation=observation), CYCLES)


@pytest.mark.parametrize(("game", "players"), EACH_TABLE)
def test_state(game: str, players: int) -> None:
    options = {"players": players}
    state_test(env(game, **options), parallel_env(game, **options))


@pytest.mark.parametrize(("game", "players"), EACH_TABLE)
def test_parallel_api_and_seed(game: str, players: int) -> None:
    parallel_api_test(parallel_env(game, players=players), CYCLES)
    parallel_seed_test(lambda: parallel_env(game, players=players), CYCLES)


@pytest.mark.parametrize(("game", "players"), EACH_TABLE)
def test_max_cycles(game: str, players: int) -> None:
    """In the parallel environment each agent acts in every cycle, as this test demands."""

    def parallel(**options: Any) -> Any:
        return parallel_env(game, players=players, **options)

    module = SimpleNamespace(
        parallel_env=parallel, env=lambda **options: parallel_to_aec(parallel(**options))
    )
    max_cycles_test(module)


@pytest.mark.parametrize("game", WORLDS)
def test_render(game: str) -> None:
    render_test(lambda **options: env(game, **options))


@pytest.mark.parametrize("game", WORLDS)
def test_the_picture_is_the_display_s_and_the_text_names_the_game(game: str) -> None:
    pictured, written = (raw_env(game, render_mode=mode) for mode in ("rgb_array", "ansi"))
    for shown in (pictured, written):
        shown.reset(seed=7)
    picture = pictured.render()
    assert picture.shape == (64, 128, 3)
    assert {0, 255} == set(np.unique(picture))
    assert written.render().splitlines()[0].lower().startswith(game[:4])
    for shown in (pictured, written):
        shown.close()


@pytest.mark.long
@pytest.mark.parametrize("game", WORLDS)
def test_performance(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    """This test of PettingZoo prints a figure and compares it with nothing."""
    performance_benchmark(env(game))
    assert "turns per second" in capsys.readouterr().out


@pytest.mark.parametrize("game", WORLDS)
def test_pettingzoo_s_registry_and_the_module_have_the_environment(game: str) -> None:
    module = import_module(f"sim.envs.{game.replace('-', '_')}_v0")
    for made in (pettingzoo.make("aec", id_of(game), players=2), module.env(players=2)):
        made.reset(seed=1)
        assert made.num_agents == 2
        assert str(made).endswith("_v0") or "_v0" in str(made)
    together = pettingzoo.make("parallel", id_of(game), players=2)
    assert set(together.reset(seed=1)[0]) == set(module.parallel_env(players=2).possible_agents)


def test_both_forms_of_an_observation_have_the_same_numbers() -> None:
    array, parted = (raw_env("straw", observation=form) for form in FORMS)
    array.reset(seed=3)
    parted.reset(seed=3)
    numbers = array.observe("player_1")["observation"]
    parts = parted.observe("player_1")["observation"]
    assert np.array_equal(np.concatenate([*parts.values()]), numbers)
    assert [*parts] == [part.name for part in world_of("straw").parts(3)]


@pytest.mark.parametrize(("game", "players"), EACH_TABLE)
def test_rewards_are_for_winners_and_losers(game: str, players: int) -> None:
    table = raw_env(game, players=players)
    table.reset(seed=4)
    while not (table.world.is_over or any(table.truncations.values())):
        mask = table.observe(table.agent_selection)["action_mask"]
        table.step(table.action_space(table.agent_selection).sample(mask))
    if not table.world.is_over:
        assert set(table.rewards.values()) == {0.0}
        return
    winners = {f"player_{seat}" for seat in table.world.winners}
    for agent, reward in table.rewards.items():
        assert reward == (0 if len(winners) == players else 1 if agent in winners else -1)


def test_a_forbidden_action_is_an_error_a_loss_or_refused() -> None:
    raw, wrapped, together = raw_env("straw"), env("straw"), parallel_env("straw")
    for table in (raw, wrapped, together):
        table.reset(seed=1)
    mask = raw.observe(raw.agent_selection)["action_mask"]
    forbidden = int(np.flatnonzero(mask == 0)[0])
    with pytest.raises(ValueError, match="is not allowed now"):
        raw.step(forbidden)
    loser = wrapped.agent_selection
    wrapped.step(forbidden)
    assert wrapped.terminations[loser]
    assert wrapped.rewards[loser] == -1
    seen, _, ended, _, infos = together.step(dict.fromkeys(together.agents, forbidden))
    assert all(info["refused"] for info in infos.values())
    assert not any(ended.values())
    assert len(seen) == 3


def test_the_examples_of_the_page_run(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[3] / "docs" / "environments.md").read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(examples) == 4
    for example in examples:
        exec(example, {})
    assert "Straw" in capsys.readouterr().out
