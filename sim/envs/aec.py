"""The environment of PettingZoo: one agent acts at a time (Agent Environment Cycle)."""

from collections.abc import Mapping
from functools import cache
from random import Random
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from sim.envs.screen import WorldScreen
from sim.envs.world import SEEDS, ObservationPart, World, rewards_of
from sim.envs.worlds import world_of

ARRAY, DICT = "array", "dict"
MOST_ACTIONS = 5000  # of all agents together; then the game is cut short
FEWEST_PLAYERS_BY_DEFAULT = 3
METADATA: Mapping[str, Any] = {
    "render_modes": ["human", "ansi", "rgb_array"],
    "is_parallelizable": False,
    "render_fps": 2,
}
LOST = -1.0  # the reward for an action that the mask forbids

Numbers = NDArray[np.int16]


def agent_of(seat: int) -> str:
    """Return the name of the agent at *seat*."""
    return f"player_{seat}"


@cache
def bounds(parts: tuple[ObservationPart, ...]) -> tuple[Numbers, Numbers]:
    """Return the lowest and the highest value of each number of an observation."""
    low = np.concatenate([np.full(part.size, part.low, np.int16) for part in parts])
    high = np.concatenate([np.full(part.size, part.high, np.int16) for part in parts])
    return low, high


def in_parts(numbers: Numbers, parts: tuple[ObservationPart, ...]) -> dict[str, Numbers]:
    """Return *numbers* as arrays by the name of their part."""
    ends = np.cumsum([part.size for part in parts])[:-1]
    return dict(zip((part.name for part in parts), np.split(numbers, ends), strict=True))


def space_of(parts: tuple[ObservationPart, ...], observation: str) -> Space[Any]:
    """Return the space of observations as one array, or as a dictionary of the parts."""
    low, high = bounds(parts)
    if observation == ARRAY:
        return Box(low, high, dtype=np.int16)
    lows, highs = in_parts(low, parts), in_parts(high, parts)
    return Dict({name: Box(lows[name], highs[name], dtype=np.int16) for name in lows})


def with_mask(seen: Space[Any], actions: int) -> Dict:
    """Return the space of observations in the space *seen*, each with the mask of its *actions*."""
    return Dict({"observation": seen, "action_mask": Box(0, 1, (actions,), np.int8)})


class TableEnv(AECEnv):  # type: ignore[misc] # PettingZoo has no types
    """One game at a table. All agents have the same spaces.

    An observation is a dictionary with ``observation`` and ``action_mask``. The mask is all 0 for
    an agent that does not act now. At the end of the game, a winner's reward is 1 and a loser's
    -1; if all players share the win, all rewards are 0. There are no other rewards.

    Args:
        game: the name of the game.
        players: the number of players.
        observation: ``array`` for one array, ``dict`` for a dictionary of its parts.
        render_mode: ``ansi`` for text, ``rgb_array`` for the picture on the display, or None.
        max_cycles: the game is cut short when the agents have acted so often on average.
    """

    metadata: Mapping[str, Any] = METADATA

    def __init__(
        self,
        game: str,
        players: int = FEWEST_PLAYERS_BY_DEFAULT,
        observation: str = ARRAY,
        render_mode: str | None = None,
        max_cycles: int | None = None,
    ) -> None:
        super().__init__()
        if observation not in (ARRAY, DICT):
            raise ValueError(f"observation is {observation!r}; it must be {ARRAY!r} or {DICT!r}")
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"{render_mode!r} is not one of {self.metadata['render_modes']}")
        self._world_type = world_of(game)
        self.metadata = {**METADATA, "name": f"{game.replace('-', '_')}_v0"}
        self.render_mode, self._is_dict = render_mode, observation == DICT
        self._players = players
        self._parts = tuple(self._world_type.parts(players))
        self.actions = tuple(self._world_type.actions(players))
        self._most = MOST_ACTIONS if max_cycles is None else max_cycles * players
        self.possible_agents = [agent_of(seat) for seat in range(players)]
        seen, many = space_of(self._parts, observation), len(self.actions)
        self.observation_spaces = {agent: with_mask(seen, many) for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(many) for agent in self.possible_agents}
        low, high = bounds(self._parts)
        self.state_space = Box(np.tile(low, players), np.tile(high, players), dtype=np.int16)
        self._seeds = Random()
        self._screen: WorldScreen | None = None
        self.world: World = self._world_type(players, 0)

    def observation_space(self, agent: str) -> Space[Any]:
        """Return the space of *agent*'s observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """Return the space of *agent*'s actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game. With a *seed*, this game and those after it are always the same."""
        if seed is not None:
            self._seeds = Random(seed)
        self.world = self._world_type(self._players, self._seeds.randrange(SEEDS))
        self._done = 0
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self.world.actor]

    def step(self, action: int | None) -> None:
        """Do *action* for the selected agent.

        Raises:
            ValueError: the mask forbids this action.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError("An action is missing, and the game is not over")
        self._cumulative_rewards[agent] = 0.0
        world = self.world
        world.act(int(action))
        self._done += 1
        if world.is_over:
            self._end()
        else:
            if self._done >= self._most:
                self.truncations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.possible_agents[world.actor]

    def _end(self) -> None:
        """Give the rewards, and end the game for all agents."""
        rewards = rewards_of(self.world.winners, self._players)
        self.rewards = dict(zip(self.possible_agents, rewards, strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what *agent* may know, and the mask of its actions."""
        seat = self.possible_agents.index(agent)
        numbers = np.array(self.world.observation(seat), np.int16)
        seen = in_parts(numbers, self._parts) if self._is_dict else numbers
        return {"observation": seen, "action_mask": self.mask(seat)}

    def mask(self, seat: int) -> NDArray[np.int8]:
        """Return 1 for each action that the player at *seat* may choose now, and 0 for others."""
        mask = np.zeros(len(self.actions), np.int8)
        world = self.world
        if not world.is_over and seat == world.actor:
            mask[[*world.legal]] = 1
        return mask

    def state(self) -> Numbers:
        """Return the observations of all agents, one after the other."""
        seen = [np.array(self.world.observation(seat), np.int16) for seat in range(self._players)]
        return np.concatenate(seen)

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the table's view as text or as a picture. The mode ``human`` prints the text."""
        if self.render_mode is None:
            return None
        if self._screen is None:
            self._screen = WorldScreen()
        if self.render_mode == "rgb_array":
            return np.array(self._screen.picture(self.world).convert("RGB"), np.uint8)
        text = self._screen.text(self.world)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Remove the files of the table that was shown, if any."""
        if self._screen is not None:
            self._screen.close()
            self._screen = None

    def __str__(self) -> str:
        return str(self.metadata["name"])


def wrapped_env(game: str, **options: Any) -> Any:
    """Return a ``TableEnv`` that ends the game after a forbidden action, and checks its use.

    The agent of a forbidden action gets the reward -1, the others get 0.
    """
    checked = wrappers.TerminateIllegalWrapper(TableEnv(game, **options), illegal_reward=LOST)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(checked))
